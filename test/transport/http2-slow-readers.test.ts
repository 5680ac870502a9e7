/** What is written to a client of HTTP/2 that reads slowly, or not; and what goes out together. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Flushes } from '../../src/transport/http2/frame-writer.ts';
import { Http2ResponseStream } from '../../src/transport/http2/response-stream.ts';
import type { Http2Stream } from '../../src/transport/http2/stream.ts';
import {
  getOf,
  headersOf,
  heldSession,
  receiverOf,
  requestFields,
  settled,
  types,
  uncounted,
  windowOf,
} from '../support/clients/http2-peer.ts';

const initialWindow = 4;
const wide = [[initialWindow, 100_000_000]] as const;

/** A response of unknown length, as a handler has it. */
function respond(stream: Http2Stream) {
  const responses: Http2ResponseStream[] = [];
  const told = { ends: [] as boolean[], counted: 0, cuts: 0 };
  const exchange = {
    get closed() {
      return told.ends.length > 0;
    },
    count: (bytes: number) => void (told.counted += bytes),
    finish: () => stream.end(),
    cut: () => void (told.cuts += 1),
  };
  stream.receive({
    data: () => undefined,
    bodyEnded: () => undefined,
    sent: () => undefined,
    drained: () => responses[0]?.drained(),
    ended: (isComplete) => void told.ends.push(isComplete),
  });
  const response = new Http2ResponseStream(stream, exchange);
  responses.push(response);
  return { response, told };
}

describe('a response over HTTP/2 whose client reads nothing', () => {
  it('says so soon behind what may be queued, and is told when all of that has gone', async () => {
    const { reader, session, socket, streams } = heldSession(wide);
    await settled();
    session.take(Buffer.concat([getOf(1), windowOf(0, 100_000_000)]));
    const { response } = respond(streams[0] as Http2Stream);
    let drains = 0;
    response.onDrain(() => (drains += 1));
    socket.takes = false;
    let written = 0;
    const chunk = Buffer.alloc(1_000, 'c');
    while (written < 1_000_000 && response.write(chunk)) written += 1_000;
    written += 1_000;
    // What a socket and a session take themselves, and what may be queued.
    assert.ok(written <= 4 * 16_384, `${written} bytes`);
    assert.ok(written > 16_384);
    await settled();
    assert.equal(drains, 0);
    assert.equal(response.write(chunk), false);
    socket.takeAll();
    await settled();
    assert.equal(drains, 1);
    assert.equal(reader.body(1).length, written + 1_000);
    assert.equal(response.write(chunk), true);
  });

  it('has every byte in its order, whoever changes a chunk that is not shared', async () => {
    const chunk = fc.record({ bytes: fc.nat(20_000), shared: fc.boolean(), takes: fc.boolean() });
    const chunks = fc.array(chunk, { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(chunks, fc.nat(60_000), async (some, window) => {
        const { reader, session, socket, streams } = heldSession([[initialWindow, window]]);
        session.take(getOf(1));
        const { response } = respond(streams[0] as Http2Stream);
        const said: Buffer[] = [];
        for (const [i, { bytes, shared, takes }] of some.entries()) {
          const text = Buffer.alloc(bytes, i + 1);
          said.push(Buffer.from(text));
          response.write(text, shared);
          if (!shared) text.fill(0);
          if (takes) socket.takeAll();
          else socket.takes = false;
          if (i % 3 === 0) await settled();
        }
        response.end();
        session.take(Buffer.concat([windowOf(0, 2_000_000), windowOf(1, 2_000_000)]));
        socket.takeAll();
        await settled();
        assert.ok(reader.body(1).equals(Buffer.concat(said)));
        assert.equal(reader.ended(1), true);
      }),
      { numRuns: 60 },
    );
  });

  it('does not hold up another one of its connection, when its own window is empty', async () => {
    const { reader, session, streams } = heldSession([[initialWindow, 0]]);
    session.take(Buffer.concat([getOf(1), getOf(3)]));
    session.take(Buffer.concat([windowOf(3, 10_000_000), windowOf(0, 10_000_000)]));
    const [blocked, other] = streams.map(respond);
    const chunk = Buffer.alloc(5_000, 'x');
    let blockedBytes = 0;
    while (blockedBytes < 100_000 && blocked?.response.write(chunk)) blockedBytes += chunk.length;
    blockedBytes += chunk.length;
    assert.ok(blockedBytes <= 16_384 + chunk.length);
    for (let i = 0; i < 200; i += 1) {
      assert.equal(other?.response.write(chunk), true);
      await settled();
    }
    assert.equal(reader.body(3).length, 1_000_000);
    assert.equal(reader.body(1).length, 0);
    session.take(windowOf(1, 10_000_000));
    await settled();
    assert.equal(reader.body(1).length, blockedBytes);
  });

  it('takes nothing behind its end', async () => {
    for (const window of [0, 1_000]) {
      const { reader, session, streams } = heldSession([[initialWindow, window]]);
      session.take(Buffer.concat([getOf(1), getOf(3)]));
      const { response, told } = respond(streams[0] as Http2Stream);
      response.write(Buffer.from('all of it'));
      response.end();
      response.write(Buffer.from('more'), true);
      response.end();
      assert.equal(told.counted, 9);
      session.take(windowOf(1, 1_000));
      await settled();
      assert.equal(reader.body(1).toString(), 'all of it');
      assert.equal(reader.ended(1), true);
      assert.deepEqual(told.ends, [true]);
      assert.equal(streams[0]?.queuedBytes, 0);
    }
  });

  it('is over when the socket has it, and incomplete when the socket is lost before', async () => {
    const { session, socket, streams } = heldSession(wide);
    await settled();
    session.take(Buffer.concat([getOf(1), getOf(3)]));
    const seen = streams.map(receiverOf);
    socket.takes = false;
    for (const stream of streams) {
      stream.end(Buffer.from('answer'));
      await settled();
    }
    assert.deepEqual(seen[0]?.ends, [], 'it is on its way');
    socket.on('error', () => session.gone());
    socket.failHeld(new Error('reset by peer'));
    await settled();
    assert.deepEqual(
      seen.map(({ ends }) => ends),
      [[false], [false]],
    );
  });
});

describe('what many streams of HTTP/2 say', () => {
  it('goes out in one write when they say it in one turn', async () => {
    const { reader, session, socket, streams } = heldSession(wide);
    const ids = Array.from({ length: 50 }, (_, i) => 2 * i + 1);
    session.take(Buffer.concat(ids.map((id) => getOf(id))));
    await settled();
    const responses = streams.map((stream) => respond(stream).response);
    const before = socket.writes.length;
    for (const response of responses) response.write(Buffer.from('event'));
    assert.equal(socket.writes.length, before, 'it waits for the others');
    await settled();
    assert.equal(socket.writes.length, before + 1);
    for (const id of ids) assert.equal(reader.body(id).toString(), 'event');
    for (const response of responses) response.end();
    await settled();
    assert.ok(socket.writes.length <= before + 3);
  });

  it('goes out at once when there is one stream alone', () => {
    const { reader, session, socket, streams } = heldSession(wide);
    session.take(getOf(1));
    const { response } = respond(streams[0] as Http2Stream);
    const before = socket.writes.length;
    response.write(Buffer.from('event'));
    assert.equal(socket.writes.length, before + 1);
    assert.equal(reader.body(1).toString(), 'event');
  });

  it('is flushed meanwhile when many connections say something in one turn', async () => {
    const flushes = new Flushes(uncounted);
    const peers = Array.from({ length: 300 }, () => heldSession(wide, flushes));
    for (const { session } of peers) session.take(Buffer.concat([getOf(1), getOf(3)]));
    await settled();
    const before = peers.map(({ socket }) => socket.writes.length);
    for (const { streams } of peers) for (const each of streams) each.write(Buffer.from('e'), true);
    const written = (): number =>
      peers.filter(({ socket }, i) => socket.writes.length > (before[i] ?? 0)).length;
    assert.ok(written() >= 100 && written() < 300, `${written()} of 300`);
    await settled();
    assert.equal(written(), 300);
    for (const { reader, socket } of peers) {
      assert.equal(reader.body(3).toString(), 'e');
      assert.ok(socket.writes.every((bytes) => bytes < 1_000));
    }
  });
});

describe('heads of answers to a client of HTTP/2 that reads nothing', () => {
  it('are bounded as well', async () => {
    const { session, socket, streams } = heldSession(wide);
    await settled();
    socket.takes = false;
    const headers = [['x-filler', 'f'.repeat(200)]] as const;
    let asked = 0;
    for (; asked < 20_000 && !session.isOver; asked += 1) {
      const id = 2 * asked + 1;
      session.take(headersOf(id, requestFields('HEAD'), true));
      const stream = streams.pop();
      if (stream !== undefined) session.respond(stream, 200, headers, true);
      if (asked % 100 === 0) await settled();
    }
    assert.ok(session.isOver, `${asked} heads wait, ${socket.writableLength} bytes`);
    assert.equal(session.open, 0);
  });

  it('leave nothing behind when it reads them', async () => {
    const { reader, session, streams } = heldSession(wide);
    for (let i = 0; i < 3_000; i += 1) {
      session.take(headersOf(2 * i + 1, requestFields('HEAD'), true));
      const stream = streams.pop();
      if (stream !== undefined) session.respond(stream, 204, [], true);
      if (i % 500 === 0) await settled();
    }
    await settled();
    assert.equal(session.isOver, false);
    assert.equal(reader.frames.filter(({ type }) => type === types.headers).length, 3_000);
  });
});
