/** Frames of HTTP/2 as they are read: the same wherever a read ends, and none that is too large. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { FrameParser } from '../../src/transport/http2/frame-parser.ts';
import type { Frame } from '../../src/transport/http2/frame-parser.ts';
import { frameOf, prefaceText } from '../support/clients/http2-frame.ts';

const preface = Buffer.from(prefaceText);
const always = (): boolean => true;

type Seen = readonly [type: number, flags: number, stream: number, payload: string];

function parse(pieces: readonly Uint8Array[]): { seen: Seen[]; broken: string | undefined } {
  const seen: Seen[] = [];
  const parser = new FrameParser(({ flags, payload, stream, type }: Frame) => {
    seen.push([type, flags, stream, Buffer.from(payload).toString('hex')]);
  });
  let broken: string | undefined;
  for (const piece of pieces) broken ??= parser.take(piece, always);
  return { seen, broken };
}

function cut(bytes: Buffer, sizes: readonly number[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0, i = 0; at < bytes.length; i += 1) {
    const end = at + (sizes[i % sizes.length] as number);
    // A copy: the memory of a read is used again.
    pieces.push(Uint8Array.from(bytes.subarray(at, end)));
    at = end;
  }
  return pieces;
}

/** One after another, of such lengths, behind the preface. */
function framesOf(lengths: readonly number[]): Buffer {
  const frames = lengths.map((length, i) => frameOf(i % 10, i, 2 * i + 1, Buffer.alloc(length, i)));
  return Buffer.concat([preface, ...frames]);
}

describe('frames of HTTP/2', () => {
  it('are the same wherever the reads end', () => {
    const bytes = framesOf([0, 1, 8, 300, 0, 16_384, 5, 1_000, 0]);
    const { seen } = parse([bytes]);
    assert.equal(seen.length, 9);
    assert.deepEqual(seen[3]?.slice(0, 3), [3, 3, 7]);
    for (const size of [1, 2, 3, 7, 9, 24, 100, 16_393]) {
      assert.deepEqual(parse(cut(bytes, [size])), { seen, broken: undefined }, `${size} bytes`);
    }
    const sizes = fc.array(fc.integer({ min: 1, max: 20_000 }), { minLength: 1, maxLength: 30 });
    const lengths = fc.array(fc.oneof(fc.nat(20), fc.nat(16_384)), { maxLength: 8 });
    fc.assert(
      fc.property(lengths, sizes, (some, cuts) => {
        const sent = framesOf(some);
        assert.deepEqual(parse(cut(sent, cuts)), parse([sent]));
      }),
      { numRuns: 100 },
    );
  });

  it('have a stream of 31 bits: the first bit says nothing', () => {
    const { seen } = parse([preface, frameOf(0, 0, 0xff_ff_ff_ff, Buffer.alloc(0))]);
    assert.deepEqual(seen, [[0, 0, 0x7f_ff_ff_ff, '']]);
  });

  it('that are too large are refused before their payload has come', () => {
    for (const length of [16_385, 2 ** 24 - 1]) {
      const head = frameOf(0, 0, 1, Buffer.alloc(0));
      head.writeUIntBE(length, 0, 3);
      const good = frameOf(6, 0, 0, Buffer.alloc(8));
      for (const size of [1, 3, 9, 1_000]) {
        const { broken, seen } = parse(cut(Buffer.concat([preface, good, head]), [size]));
        assert.equal(broken, 'frame too large');
        assert.equal(seen.length, 1, 'what came before it is shown');
      }
    }
  });

  it('that have not come whole are kept as far as they have come', () => {
    let payload: Uint8Array = Buffer.alloc(0);
    const parser = new FrameParser((frame) => (payload = frame.payload));
    parser.take(preface, always);
    const sizes = framesOf([16_384]).subarray(preface.length);
    const kept: number[] = [];
    // A frame of which little comes stands on little: seen by one that says less behind it.
    for (const length of [10, 200, 5_000]) {
      const small = frameOf(0, 0, 1, Buffer.alloc(length));
      for (const piece of cut(small, [7])) parser.take(piece, always);
      assert.equal(payload.length, length);
      kept.push(payload.buffer.byteLength);
      assert.ok(payload.buffer.byteLength <= Math.max(512, 2 * (length + 9)));
    }
    for (const piece of cut(sizes, [1_000])) parser.take(piece, always);
    assert.equal(payload.length, 16_384);
    assert.ok(payload.buffer.byteLength <= 2 * 16_393);
    assert.deepEqual(
      kept,
      [...kept].sort((a, b) => a - b),
    );
  });

  it('of many clients that have said more than they sent take little memory', () => {
    const head = frameOf(0, 0, 1, Buffer.alloc(0));
    head.writeUIntBE(16_384, 0, 3);
    const begun = Buffer.concat([preface, head, Buffer.alloc(20)]);
    const before = process.memoryUsage().arrayBuffers;
    const parsers = Array.from({ length: 2_000 }, () => {
      const parser = new FrameParser(() => undefined);
      parser.take(begun, always);
      return parser;
    });
    const each = (process.memoryUsage().arrayBuffers - before) / parsers.length;
    assert.ok(each < 1_024, `${each} bytes each`);
  });

  it('come behind the preface, and behind nothing else', () => {
    for (let at = 0; at < preface.length; at += 1) {
      const wrong = Buffer.from(preface);
      wrong[at] = (wrong[at] ?? 0) ^ 1;
      for (const size of [1, 5, 100]) {
        const { broken, seen } = parse(
          cut(Buffer.concat([wrong, frameOf(6, 0, 0, preface)]), [size]),
        );
        assert.equal(broken, 'not HTTP/2');
        assert.equal(seen.length, 0);
      }
    }
    assert.deepEqual(parse([preface.subarray(0, 23)]), { seen: [], broken: undefined });
  });

  it('are not shown behind one that ends the connection', () => {
    let shown = 0;
    const parser = new FrameParser(() => (shown += 1));
    const ping = frameOf(6, 0, 0, Buffer.alloc(8));
    parser.take(Buffer.concat([preface, ping, ping, ping]), () => shown < 2);
    assert.equal(shown, 2);
  });
});
