/** What clients say in WebSocket on node's transport: every frame, however it is cut, and what is
 * held of it meanwhile. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BodyBytes } from '../../src/transport/load.ts';
import { framesAtOnce, MessageReader } from '../../src/transport/node/message-reader.ts';
import type { Said } from '../../src/transport/node/message-reader.ts';

interface Shape {
  readonly isFinal?: boolean;
  readonly reserved?: number;
  readonly mask?: readonly number[] | undefined;
  /** In how many bits its length is said; 7: as few as can be. */
  readonly lengthBits?: 16 | 64;
  /** Instead of its own. */
  readonly length?: bigint;
}

function frame(opcode: number, payload: string | Uint8Array, shape: Shape = {}): Buffer {
  const { isFinal = true, reserved = 0, lengthBits = 7, mask = [1, 2, 3, 250] } = shape;
  const bytes = Buffer.from(payload);
  const said = shape.length ?? BigInt(bytes.length);
  const long = Buffer.alloc(lengthBits === 7 ? 0 : lengthBits / 8);
  if (lengthBits === 16) long.writeUInt16BE(Number(said));
  else if (lengthBits === 64) long.writeBigUInt64BE(said);
  const length = { 7: Number(said), 16: 126, 64: 127 }[lengthBits];
  const first = (isFinal ? 0x80 : 0) | reserved | opcode;
  const isMasked = 'mask' in shape && shape.mask === undefined ? 0 : 0x80;
  const masked = bytes.map((byte, at) => byte ^ (mask[at % 4] as number));
  return Buffer.concat([
    Uint8Array.of(first, isMasked | length),
    long,
    Uint8Array.from(isMasked === 0 ? [] : mask),
    masked,
  ]);
}

const [continued, text, binary, close, ping, pong] = [0, 1, 2, 8, 9, 10] as const;
const begun: Shape = { isFinal: false };

function reading(messageBytesMax = 1_000, bodies = new BodyBytes(1_000_000)) {
  const reader = new MessageReader(messageBytesMax, bodies);
  const all: string[] = [];
  const tell = (said: Said): void => {
    if (said.kind === 'wrong') all.push(`wrong ${said.code}`);
    else if (said.kind === 'message') {
      all.push(`${said.isText ? 'text' : 'binary'} ${Buffer.from(said.bytes).toString()}`);
    } else if (said.kind === 'pong' || said.kind === 'more') all.push(said.kind);
    else all.push(`${said.kind} ${Buffer.from(said.bytes).toString('latin1')}`);
  };
  let isWrong = false;
  /** Until it is wrong, or nothing is left. */
  const read = (): void => {
    for (let said = reader.next(); said !== undefined; said = reader.next()) {
      tell(said);
      isWrong = said.kind === 'wrong';
      if (isWrong) return;
    }
  };
  return {
    all,
    bodies,
    reader,
    come(bytes: Buffer): void {
      if (isWrong) return;
      reader.give(Buffer.from(bytes));
      read();
    },
  };
}

/** As they come in pieces of every size. */
function inPieces(frames: readonly Buffer[]): readonly string[] {
  const whole = Buffer.concat(frames);
  const seen = [1, 2, 3, 7, 50, whole.length].map((size) => {
    const { all, bodies, come, reader } = reading();
    for (let at = 0; at < whole.length; at += size) come(whole.subarray(at, at + size));
    reader.clear();
    assert.equal(bodies.heldBytes, 0);
    return all;
  });
  for (const each of seen) assert.deepEqual(each, seen[0]);
  return seen[0] as readonly string[];
}

describe('what a client says', () => {
  it('is the same in pieces of every size', () => {
    const long = 'm'.repeat(300);
    assert.deepEqual(
      inPieces([
        frame(text, 'one'),
        frame(binary, long, { lengthBits: 16 }),
        frame(binary, 'three', { lengthBits: 64 }),
        frame(text, '', begun),
        frame(continued, Buffer.from('€').subarray(0, 2), begun),
        frame(ping, 'between'),
        frame(pong, ''),
        frame(continued, Buffer.from('€').subarray(2)),
        frame(binary, ''),
        frame(ping, 'p'.repeat(125)),
        frame(close, Buffer.from('\x03\xe8bye', 'latin1')),
      ]),
      [
        ['text one', `binary ${long}`, 'binary three', 'ping between', 'pong', 'text €', 'binary '],
        [`ping ${'p'.repeat(125)}`, 'close \x03\xe8bye'],
      ].flat(),
    );
  });

  it('is refused where it is against the protocol, with what clients are told', () => {
    const goodbye = (code: number, reason: Uint8Array = Buffer.alloc(0)) => {
      return frame(close, Buffer.concat([Uint8Array.of(code >> 8, code & 255), reason]));
    };
    for (const [what, code, ...frames] of [
      ['no mask', 1002, frame(text, 'a', { mask: undefined })],
      ['reserved bits', 1002, frame(text, 'a', { reserved: 0x40 })],
      ['reserved bits of a ping', 1002, frame(ping, 'a', { reserved: 0x10 })],
      ...[3, 7, 11, 15].map((opcode) => [`opcode ${opcode}`, 1002, frame(opcode, 'a')] as const),
      ['a ping in fragments', 1002, frame(ping, 'a', begun)],
      ['a long ping', 1002, frame(ping, 'p'.repeat(126), { lengthBits: 16 })],
      ['a short one that says so at length', 1002, frame(ping, 'p', { lengthBits: 16 })],
      ['a continuation of nothing', 1002, frame(continued, 'a')],
      ['a beginning in a message', 1002, frame(text, 'a', begun), frame(binary, 'b')],
      ['half a code', 1002, frame(close, '\x03')],
      ...[0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65_535].map(
        (each) => [`code ${each}`, 1002, goodbye(each)] as const,
      ),
      ['a reason that is no text', 1007, goodbye(1000, Uint8Array.of(0xff, 0xfe))],
      ['a text that is none', 1007, frame(text, Uint8Array.of(0xc0, 0xaf))],
      ['a text that ends within', 1007, frame(text, Uint8Array.of(0xe2, 0x82))],
      ['2^63', 1009, frame(binary, 'a', { lengthBits: 64, length: 2n ** 63n })],
      ['2^53', 1009, frame(binary, 'a', { lengthBits: 64, length: 2n ** 53n })],
      ['more than may be said', 1009, frame(binary, 'b'.repeat(1_001), { lengthBits: 16 })],
      [
        'more than may be said, in two',
        1009,
        frame(binary, 'b'.repeat(501), { ...begun, lengthBits: 16 }),
        frame(continued, 'b'.repeat(500), { lengthBits: 16 }),
      ],
    ] as readonly (readonly [string, number, ...Buffer[]])[]) {
      assert.deepEqual(inPieces(frames).slice(-1), [`wrong ${code}`], what);
    }
    for (const code of [1000, 1003, 1007, 1014, 3000, 4999]) {
      assert.match(inPieces([goodbye(code)]).join(), /^close /, String(code));
    }
  });

  it('counts among bodies as its bytes come, not as they are said, until the next', () => {
    const { all, bodies, come, reader } = reading(100_000);
    const message = frame(binary, 'x'.repeat(60_000), { lengthBits: 16 });
    come(message.subarray(0, 8));
    assert.equal(bodies.heldBytes, 0);
    for (let at = 8; at < 40_008; at += 1) come(message.subarray(at, at + 1));
    assert.equal(bodies.heldBytes, 40_000);
    reader.give(message.subarray(40_008));
    assert.equal(reader.next()?.kind, 'message');
    assert.equal(bodies.heldBytes, 60_000);
    assert.equal(reader.next(), undefined);
    assert.equal(bodies.heldBytes, 0);
    assert.deepEqual(all, []);
  });

  it('is refused for now where there is no room; little of it never is', () => {
    const full = new BodyBytes(10);
    full.take(10, 10);
    const small = reading(100_000, full);
    small.come(frame(binary, 'x'.repeat(16_000), { lengthBits: 16 }).subarray(0, 16_000));
    assert.deepEqual(small.all, []);
    const large = reading(100_000, full);
    large.come(frame(binary, 'x'.repeat(60_000), { lengthBits: 16 }).subarray(0, 30_000));
    assert.deepEqual(large.all, ['wrong 1013']);
    small.reader.clear();
    large.reader.clear();
    assert.equal(full.heldBytes, 10);
  });

  it('lets others go on where there is much of it that is no message', () => {
    const { all, come } = reading();
    const frames = Array.from({ length: 2 * framesAtOnce }, (_, at) =>
      frame(at === 0 ? text : continued, at % 200 === 0 ? 'a' : '', begun),
    );
    come(Buffer.concat([...frames, frame(continued, 'b')]));
    assert.deepEqual(all, ['more', 'more', 'text aaab']);
  });
});
