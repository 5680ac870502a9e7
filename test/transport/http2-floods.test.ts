/** Clients of HTTP/2 that ask for much, and read or end nothing: memory is bounded. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveExchanges } from '../support/clients/http2-exchanges.ts';
import { frameOf, prefaceText } from '../support/clients/http2-frame.ts';
import {
  ack,
  blockOf,
  connectPeer,
  dataOf,
  endHeaders,
  endStream,
  getOf,
  headersOf,
  heldSession,
  postOf,
  requestFields,
  resetOf,
  settingsOf,
  settled,
  types,
  windowOf,
} from '../support/clients/http2-peer.ts';

const nothing = Buffer.alloc(0);
const ping = frameOf(types.ping, 0, 0, Buffer.alloc(8, 'p'));

function times(count: number, frame: Buffer): Buffer {
  return Buffer.concat(Array.from({ length: count }, () => frame));
}

/** Whole heads of so many bytes: the head of their first frame, and frames that go on. */
function headInParts(stream: number, block: Buffer, partBytes: number, isWhole: boolean): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < block.length; at += partBytes) {
    const isLast = isWhole && at + partBytes >= block.length;
    const [type, flags] = at === 0 ? [types.headers, endStream] : [types.continuation, 0];
    const part = block.subarray(at, at + partBytes);
    parts.push(frameOf(type, flags | (isLast ? endHeaders : 0), stream, part));
  }
  return Buffer.concat(parts);
}

function largeBlock(bytes: number): Buffer {
  const fields = Array.from({ length: Math.ceil(bytes / 1_010) }, (_, i) => {
    return [`x-${i}`, 'f'.repeat(1_000)] as const;
  });
  return blockOf(requestFields('GET', '/', fields));
}

describe('a client of HTTP/2 that reads nothing', () => {
  const asked: Readonly<Record<string, () => Buffer>> = {
    pings: () => times(500, ping),
    'new settings': () => times(500, settingsOf([[3, 5]])),
  };
  for (const [what, frames] of Object.entries(asked)) {
    it(`and asks for answers to ${what} loses its connection, in bounded memory`, async () => {
      const { session, socket } = heldSession();
      await settled();
      socket.takes = false;
      let most = 0;
      for (let i = 0; i < 2_000 && !session.isOver; i += 1) {
        session.take(frames());
        await settled();
        most = Math.max(most, socket.writableLength);
      }
      assert.equal(session.isOver, true);
      assert.equal(socket.destroyed, true);
      assert.ok(most < 256 * 1024, `${most} bytes`);
    });
  }

  it('takes little memory, also when each of its frames comes in a read of its own', async () => {
    const peers = Array.from({ length: 20 }, () => heldSession());
    await settled();
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    for (const { socket } of peers) socket.takes = false;
    for (let i = 0; i < 3_000; i += 1) {
      for (const { session } of peers) session.take(ping);
      if (i % 100 === 0) await settled();
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }
    const each = most / peers.length;
    assert.ok(each < 1024 * 1024, `${each} bytes for 51,000 that wait`);
    for (const { session } of peers) session.destroy();
  });

  it('and resets what it asks for loses its connection, in bounded memory', async () => {
    const { session, socket, streams } = heldSession();
    await settled();
    socket.takes = false;
    let id = 1;
    for (; id < 200_000 && !session.isOver; id += 2) {
      session.take(getOf(id));
      const stream = streams.pop();
      if (stream !== undefined) session.respond(stream, 200, [['x-a', 'b'.repeat(100)]], false);
      session.take(resetOf(id));
      if (id % 500 === 1) await settled();
    }
    assert.equal(session.isOver, true, `${socket.writableLength} bytes wait`);
    assert.ok(socket.writableLength < 512 * 1024);
  });

  it('keeps its connection when it reads them, however much it asks for', async () => {
    const { reader, session } = heldSession();
    for (let i = 0; i < 20; i += 1) {
      session.take(times(500, ping));
      await settled();
    }
    assert.equal(session.isOver, false);
    const pongs = reader.of(0, types.ping);
    assert.equal(pongs.length, 10_000);
    assert.ok(pongs.every(({ flags, payload }) => flags === ack && payload[0] === 0x70));
  });
});

describe('a head of HTTP/2', () => {
  it('without an end costs its client the connection', () => {
    for (const part of [0, 1, 500, 16_384]) {
      const { reader, session, streams } = heldSession();
      session.take(headInParts(1, blockOf(requestFields('GET')), 10_000, false));
      let sent = 0;
      const more = frameOf(types.continuation, 0, 1, Buffer.alloc(part, 0x82));
      for (; sent < 10_000 && !session.isOver; sent += 1) session.take(more);
      assert.equal(reader.goawayCode, 11, `parts of ${part} bytes`);
      assert.ok(sent <= 128);
      assert.equal(streams.length, 0);
    }
  });

  it('that is too large is refused; one that is much too large ends the connection', async (t) => {
    const serving = await serveExchanges(t, (exchange) => exchange.send(200, [], 'ok'));
    const peer = await connectPeer(serving.port);
    peer.send(headInParts(1, largeBlock(24_000), 10_000, true));
    await peer.until(() => peer.ended(1));
    assert.match(peer.body(1).toString(), /"code":431\}/);
    peer.send(getOf(3));
    await peer.until(() => peer.ended(3));
    assert.equal(peer.body(3).toString(), 'ok');
    peer.send(headInParts(5, largeBlock(70_000), 16_384, true));
    await peer.until(() => peer.isClosed);
    assert.equal(peer.goawayCode, 11);
    assert.equal(serving.told.length, 1);
  });

  it('is followed by nothing but the rest of it', () => {
    const begun = headInParts(1, blockOf(requestFields('GET')), 10_000, false);
    const wrong = [ping, getOf(3), dataOf(1, nothing), frameOf(99, 0, 0, nothing)];
    const ofOther = frameOf(types.continuation, endHeaders, 3, nothing);
    for (const next of [...wrong, ofOther]) {
      const { reader, session } = heldSession();
      session.take(begun);
      session.take(next);
      assert.equal(reader.goawayCode, 1);
    }
    const unasked = heldSession();
    unasked.session.take(frameOf(types.continuation, endHeaders, 1, nothing));
    assert.equal(unasked.reader.goawayCode, 1);
  });
});

describe('streams of HTTP/2', () => {
  it('beyond what a client may have are refused, and the others go on', async (t) => {
    const serving = await serveExchanges(
      t,
      (exchange) => {
        if (exchange.path === '/now') exchange.send(200, [], 'ok');
      },
      { http2StreamsMax: 10 },
    );
    const peer = await connectPeer(serving.port);
    const ids = Array.from({ length: 14 }, (_, i) => 2 * i + 1);
    peer.send(...ids.map((id) => getOf(id)));
    await peer.until(() => ids.slice(10).every((id) => peer.resetCode(id) !== undefined));
    await peer.until(() => serving.told.length === 10);
    assert.deepEqual([...new Set(ids.slice(10).map((id) => peer.resetCode(id)))], [7]);
    // What it sends for those that are refused is no error.
    peer.send(postOf(29), dataOf(29, Buffer.alloc(100)), dataOf(29, nothing, endStream));
    for (const { exchange } of serving.told) exchange.send(200, [], 'answer');
    await peer.until(() => ids.slice(0, 10).every((id) => peer.ended(id)));
    peer.send(getOf(31, '/now'));
    await peer.until(() => peer.ended(31));
    assert.equal(peer.goawayCode, undefined);
    peer.socket.destroy();
    await serving.untilQuiet();
  });

  it('that are opened and reset again and again cost their client the connection', async (t) => {
    const serving = await serveExchanges(t, () => undefined);
    const peer = await connectPeer(serving.port);
    for (let i = 0; i < 500 && !peer.isClosed; i += 1) {
      const ids = Array.from({ length: 50 }, (_, k) => 100 * i + 2 * k + 1);
      peer.send(...ids.flatMap((id) => [getOf(id), resetOf(id)]));
      if (i % 20 === 19) await sleep(1);
    }
    await peer.until(() => peer.isClosed);
    await serving.untilQuiet();
    assert.ok(serving.told.length < 25_000);
  });

  it('are named in their order, by the client, and once', () => {
    const wrong: readonly (readonly [code: number, frames: readonly Buffer[]])[] = [
      [1, [getOf(2)]],
      [1, [frameOf(types.headers, endHeaders, 0, blockOf(requestFields('GET')))]],
      [1, [dataOf(0, nothing)]],
      [1, [dataOf(1, nothing)]],
      [1, [resetOf(1)]],
      [1, [resetOf(0)]],
      [1, [windowOf(1, 5)]],
      [1, [frameOf(types.pushPromise, endHeaders, 1, Buffer.alloc(4))]],
      [1, [frameOf(types.settings, 0, 1, nothing)]],
      [1, [frameOf(types.ping, 0, 1, Buffer.alloc(8))]],
      [1, [frameOf(types.goaway, 0, 1, Buffer.alloc(8))]],
      [1, [frameOf(types.priority, 0, 0, Buffer.alloc(5))]],
      [6, [frameOf(types.ping, 0, 0, Buffer.alloc(7))]],
      [6, [frameOf(types.settings, 0, 0, Buffer.alloc(5))]],
      [6, [frameOf(types.settings, ack, 0, Buffer.alloc(6))]],
      [6, [frameOf(types.goaway, 0, 0, Buffer.alloc(7))]],
      [6, [getOf(1), frameOf(types.reset, 0, 1, Buffer.alloc(3))]],
      [6, [getOf(1), frameOf(types.window, 0, 1, Buffer.alloc(3))]],
      [6, [frameOf(types.headers, endHeaders | 0x20, 1, Buffer.alloc(4))]],
      [1, [postOf(1), dataOf(1, Buffer.from([5, 0]), 8)]],
      [1, [frameOf(types.headers, endHeaders | 8, 1, Buffer.from([9, 0]))]],
      [1, [settingsOf([[2, 2]])]],
      [1, [settingsOf([[5, 16_383]])]],
      [1, [settingsOf([[5, 2 ** 24]])]],
      [5, [getOf(3), resetOf(3), getOf(3)]],
      [5, [getOf(3), getOf(1)]],
      [9, [frameOf(types.headers, endHeaders, 1, Buffer.from([0x80]))]],
    ];
    for (const [code, frames] of wrong) {
      const { reader, session, told } = heldSession();
      session.take(Buffer.concat(frames));
      const what = frames.map((each) => each.toString('hex')).join(' ');
      assert.equal(reader.goawayCode, code, what);
      assert.equal(session.open, 0);
      assert.equal(told.ends, 1);
    }
  });

  it('end by themselves where only they are wrong', async () => {
    const wrong: readonly (readonly [code: number, frames: readonly Buffer[]])[] = [
      [5, [getOf(1), dataOf(1, nothing)]],
      [5, [getOf(1), headersOf(1, [['x-a', 'b']], true)]],
      [6, [getOf(1), frameOf(types.priority, 0, 1, Buffer.alloc(4))]],
      [1, [getOf(1), frameOf(types.priority, 0, 1, Buffer.from([0, 0, 0, 1, 0]))]],
    ];
    for (const [code, frames] of wrong) {
      const { reader, session } = heldSession();
      session.take(Buffer.concat([...frames, getOf(3), getOf(5)]));
      await settled();
      assert.equal(reader.resetCode(1), code);
      assert.equal(reader.goawayCode, undefined);
      assert.equal(session.open, 2);
    }
  });

  it('do not mind what is of a later version', () => {
    const { reader, session, streams } = heldSession();
    const later = [frameOf(99, 255, 7, Buffer.alloc(100)), settingsOf([[999 & 255, 5]])];
    const priority = frameOf(types.priority, 0, 9, Buffer.alloc(5));
    session.take(Buffer.concat([...later, priority, getOf(1)]));
    assert.equal(reader.goawayCode, undefined);
    assert.equal(streams.length, 1);
  });
});

describe('a connection of HTTP/2', () => {
  it('begins with settings', () => {
    for (const first of [ping, getOf(1), frameOf(types.settings, ack, 0, nothing)]) {
      const { reader, session } = heldSession([], undefined, nothing);
      session.take(Buffer.concat([Buffer.from(prefaceText), first]));
      assert.equal(reader.goawayCode, 1);
    }
  });
});
