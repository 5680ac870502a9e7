/** Windows of HTTP/2 (RFC 9113, 5.2): what is sent, and what may be sent, on both sides. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  dataOf,
  endStream,
  getOf,
  heldSession,
  padded,
  postOf,
  receiverOf,
  resetOf,
  settingsOf,
  settled,
  types,
  windowOf,
} from '../support/clients/http2-peer.ts';

const initialWindow = 4;
const windowAtFirst = 65_535;

function bytesOf(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => (i * 7 + (i >> 8)) & 255);
}

describe('what a server sends over HTTP/2', () => {
  it('is as much as the windows of stream and connection allow, all of it in order', async () => {
    const body = bytesOf(300_000);
    for (const step of [1, 10, 5_000]) {
      const { reader, session, streams } = heldSession([[initialWindow, 0]]);
      session.take(getOf(1));
      streams[0]?.end(body);
      await settled();
      assert.equal(reader.of(1, types.data).length, 0, 'nothing without a window');
      let allowed = 0;
      for (let i = 0; i < 20; i += 1) {
        session.take(windowOf(1, step));
        allowed += step;
        assert.equal(reader.body(1).length, Math.min(allowed, windowAtFirst));
      }
      session.take(windowOf(1, 400_000));
      assert.equal(reader.body(1).length, windowAtFirst, 'the connection has a window, too');
      session.take(windowOf(0, step));
      assert.equal(reader.body(1).length, windowAtFirst + step);
      assert.equal(reader.ended(1), false);
      session.take(windowOf(0, 400_000));
      await settled();
      assert.deepEqual(reader.body(1), Buffer.from(body));
      assert.equal(reader.ended(1), true);
      assert.ok(reader.of(1, types.data).every(({ payload }) => payload.length <= 16_384));
    }
  });

  it('follows the windows of streams that a client changes, also below zero', async () => {
    const { reader, session, streams } = heldSession([[initialWindow, 1_000]]);
    session.take(Buffer.concat([getOf(1), getOf(3)]));
    for (const stream of streams) stream.end(bytesOf(5_000));
    await settled();
    assert.equal(reader.body(1).length, 1_000);
    session.take(settingsOf([[initialWindow, 400]]));
    session.take(windowOf(1, 500));
    await settled();
    assert.equal(reader.body(1).length, 1_000, '100 bytes below zero');
    session.take(windowOf(1, 150));
    await settled();
    assert.equal(reader.body(1).length, 1_050);
    session.take(settingsOf([[initialWindow, 0]]));
    session.take(settingsOf([[initialWindow, 2_000]]));
    await settled();
    assert.equal(reader.body(1).length, 2_650);
    assert.equal(reader.body(3).length, 2_000);
    session.take(settingsOf([[initialWindow, 100_000]]));
    await settled();
    for (const stream of [1, 3]) {
      assert.deepEqual(reader.body(stream), Buffer.from(bytesOf(5_000)));
      assert.equal(reader.ended(stream), true);
    }
  });

  it('waits when its window is taken away while it waits for another reason', async () => {
    for (const reason of ['the socket', 'the connection'] as const) {
      const { reader, session, socket, streams } = heldSession([[initialWindow, 100_000]]);
      await settled();
      session.take(Buffer.concat([getOf(1), getOf(3)]));
      socket.takes = reason === 'the connection';
      const body = bytesOf(150_000);
      for (const stream of streams) stream.end(body);
      await settled();
      session.take(settingsOf([[initialWindow, 10]]));
      socket.takeAll();
      session.take(windowOf(0, 1_000_000));
      await settled();
      const sent = Buffer.from(body);
      for (const stream of [1, 3]) {
        const got = reader.body(stream);
        assert.ok(got.length <= 100_000, `${got.length} bytes of a window of 100,000`);
        assert.deepEqual(got, sent.subarray(0, got.length));
      }
      session.take(settingsOf([[initialWindow, 1_000_000]]));
      await settled();
      for (const stream of [1, 3]) {
        assert.deepEqual(reader.body(stream), sent, reason);
        assert.equal(reader.ended(stream), true);
      }
    }
  });

  it('shares the window of the connection among all streams', async () => {
    const { reader, session, streams } = heldSession([[initialWindow, 10_000_000]]);
    const ids = Array.from({ length: 40 }, (_, i) => 2 * i + 1);
    session.take(Buffer.concat(ids.map((id) => getOf(id))));
    for (const stream of streams) stream.end(bytesOf(100_000));
    session.take(windowOf(0, 16_384 * 40));
    await settled();
    for (const id of ids) {
      const { length } = reader.body(id);
      assert.ok(length >= 16_384 && length <= windowAtFirst + 16_384, `${id} has ${length}`);
    }
    session.take(windowOf(0, 40 * 100_000));
    await settled();
    for (const id of ids) assert.equal(reader.ended(id), true);
  });

  it('ends an answer without a window where nothing is left of it to be sent', async () => {
    const { reader, session, streams } = heldSession([[initialWindow, 0]]);
    session.take(Buffer.concat([getOf(1), getOf(3)]));
    streams[0]?.end();
    streams[1]?.write(bytesOf(10), true);
    session.take(windowOf(3, 10));
    streams[1]?.end();
    await settled();
    assert.equal(reader.ended(1), true);
    assert.equal(reader.ended(3), true);
    assert.equal(reader.body(3).length, 10);
  });

  it('ends an answer while another one waits for the window of the connection', async () => {
    const { reader, session, streams } = heldSession([[initialWindow, 1_000_000]]);
    session.take(Buffer.concat([getOf(1), getOf(3)]));
    streams[0]?.end(bytesOf(100_000));
    await settled();
    assert.equal(reader.body(1).length, windowAtFirst);
    streams[1]?.end();
    await settled();
    assert.equal(reader.ended(3), true);
  });

  it('is right for any order of windows, settings, chunks and a socket that waits', async () => {
    const step = fc.oneof(
      fc.record({
        kind: fc.constant('window'),
        at: fc.nat(3),
        by: fc.integer({ min: 1, max: 9_000 }),
      }),
      fc.record({ kind: fc.constant('settings'), at: fc.nat(0), by: fc.nat(9_000) }),
      fc.record({ kind: fc.constant('write'), at: fc.nat(2), by: fc.nat(40_000) }),
      fc.record({ kind: fc.constant('hold'), at: fc.nat(1), by: fc.nat(0) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { reader, session, socket, streams } = heldSession([[initialWindow, 3_000]]);
        session.take(Buffer.concat([getOf(1), getOf(3), getOf(5)]));
        const written = [0, 0, 0].map(() => [] as Uint8Array[]);
        const windows = [windowAtFirst, 3_000, 3_000, 3_000];
        let initial = 3_000;
        for (const { at, by, kind } of steps) {
          if (kind === 'hold') socket.takes = false;
          if (kind === 'hold' && at === 0) socket.takeAll();
          if (kind === 'window') session.take(windowOf(at === 0 ? 0 : 2 * at - 1, by));
          if (kind === 'window') windows[at] = (windows[at] as number) + by;
          if (kind === 'settings') {
            session.take(settingsOf([[initialWindow, by]]));
            for (const i of [1, 2, 3]) windows[i] = (windows[i] as number) + by - initial;
            initial = by;
          }
          if (kind === 'write') {
            const chunk = bytesOf(by);
            written[at]?.push(Uint8Array.from(chunk));
            streams[at]?.write(chunk, by % 2 === 0);
            if (by % 2 === 1) chunk.fill(0);
          }
          if (kind !== 'settings' || by > 100) await settled();
        }
        socket.takeAll();
        session.take(Buffer.concat([0, 1, 3, 5].map((id) => windowOf(id, 2_000_000))));
        await settled();
        for (const [i, chunks] of written.entries()) {
          assert.ok(reader.body(2 * i + 1).equals(Buffer.concat(chunks)));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('ends with a window that is larger than any may be', () => {
    const largest = 2 ** 31 - 1;
    const ofStream = heldSession();
    ofStream.session.take(Buffer.concat([getOf(1), getOf(3), windowOf(1, largest)]));
    assert.equal(ofStream.reader.resetCode(1), 3);
    assert.equal(ofStream.session.open, 1);
    for (const wrong of [windowOf(0, largest), settingsOf([[initialWindow, 2 ** 31]])]) {
      const { reader, session } = heldSession();
      session.take(wrong);
      assert.equal(reader.goawayCode, 3);
    }
    const bySettings = heldSession();
    bySettings.session.take(Buffer.concat([getOf(1), windowOf(1, largest - windowAtFirst)]));
    bySettings.session.take(settingsOf([[initialWindow, windowAtFirst + 1]]));
    assert.equal(bySettings.reader.goawayCode, 3);
    const ofNothing = heldSession();
    ofNothing.session.take(Buffer.concat([getOf(1), windowOf(1, 0)]));
    assert.equal(ofNothing.reader.resetCode(1), 1);
    ofNothing.session.take(windowOf(0, 0));
    assert.equal(ofNothing.reader.goawayCode, 1);
  });
});

describe('what a client sends over HTTP/2', () => {
  const piece = new Uint8Array(16_384);

  it('is limited to what the RFC begins with, and to more when a body is asked for', async () => {
    const { reader, session, streams } = heldSession();
    session.take(Buffer.concat([postOf(1), postOf(3)]));
    session.take(Buffer.concat([0, 1, 2].map(() => dataOf(1, piece))));
    session.take(dataOf(3, piece.subarray(1)));
    assert.equal(session.isOver, false);
    assert.equal(reader.given(0), 0);
    session.expectBodies();
    session.expectBodies();
    await settled();
    assert.equal(reader.given(0), 1024 * 1024 - windowAtFirst, 'once');
    assert.equal(reader.of(0, types.window).length, 1, 'an update by nothing is an error');
    for (let i = 0; i < 13; i += 1) session.take(dataOf(1, piece));
    assert.equal(session.isOver, false);
    assert.equal(streams[0]?.receiveWindow, 0);
    session.take(dataOf(1, Uint8Array.of(1)));
    await settled();
    assert.equal(reader.resetCode(1), 3, 'beyond the window of its stream');
    assert.equal(reader.goawayCode, undefined);
  });

  it('ends the connection beyond the window of that', () => {
    const { reader, session } = heldSession();
    session.take(Buffer.concat([postOf(1), ...[0, 1, 2, 3].map(() => dataOf(1, piece))]));
    assert.equal(reader.goawayCode, 3);
    assert.equal(session.isOver, true);
  });

  it('is given back when it is received, padding with it', () => {
    const { reader, session, streams } = heldSession();
    session.take(postOf(1));
    const stream = streams[0];
    assert.ok(stream);
    const seen = receiverOf(stream);
    stream.pause();
    const pad = Buffer.concat([Buffer.from([255]), Buffer.from('x'), Buffer.alloc(255)]);
    for (let i = 0; i < 200; i += 1) session.take(dataOf(1, pad, padded));
    assert.ok(reader.given(0) >= 32_768 && reader.given(0) <= 200 * 256, `${reader.given(0)}`);
    stream.resume();
    assert.equal(Buffer.concat(seen.body).toString(), 'x'.repeat(200));
    for (let i = 0; i < 1_000; i += 1) session.take(dataOf(1, pad, padded));
    const used = 1_200 * pad.length;
    assert.ok(reader.given(0) <= used && reader.given(0) > used - windowAtFirst);
    assert.ok(reader.given(1) <= used && reader.given(1) > used - 256 * 1024);
  });

  it('is given back to the connection when its stream goes before it was received', () => {
    const ways = ['reset', 'reset by the server', 'answered', 'trailers', 'nobody'] as const;
    for (const way of ways) {
      const { reader, session, streams } = heldSession();
      const rounds = 60;
      for (let i = 0; i < rounds; i += 1) {
        const id = 2 * i + 1;
        session.take(Buffer.concat([postOf(id), dataOf(id, piece.subarray(0, 10_000))]));
        assert.equal(reader.goawayCode, undefined, `${way}: the window has been used up`);
        const stream = streams[i];
        assert.ok(stream);
        if (way !== 'nobody') {
          receiverOf(stream);
          stream.pause();
          session.take(dataOf(id, piece.subarray(0, 1_000)));
        }
        if (way === 'reset by the server') stream.reset(2);
        else if (way === 'answered') session.respond(stream, 413, [], true);
        else if (way === 'trailers') session.take(dataOf(id, piece.subarray(0, 1), endStream));
        if (way === 'trailers') session.take(postOf(id));
        if (way === 'reset' || way === 'nobody') session.take(resetOf(id));
      }
      const used = rounds * 10_000;
      assert.ok(reader.given(0) > used - windowAtFirst, `${way}: ${reader.given(0)} of ${used}`);
    }
  });

  it('is given back once, also when its stream goes while it is received', () => {
    const { reader, session, streams } = heldSession();
    const all = 200;
    for (let i = 0; i < all; i += 1) {
      const id = 2 * i + 1;
      const parts = [0, 1, 2, 3].map(() => dataOf(id, piece.subarray(0, 1_000)));
      session.take(Buffer.concat([postOf(id), ...parts]));
      const stream = streams[i];
      assert.ok(stream && reader.goawayCode === undefined, 'the window has been used up');
      let pieces = 0;
      stream.receive({
        data: () => {
          pieces += 1;
          stream.reset(2);
        },
        bodyEnded: () => undefined,
        sent: () => undefined,
        drained: () => undefined,
        ended: () => undefined,
      });
      assert.equal(pieces, 1, 'nothing is received behind its end');
    }
    const used = all * 4_000;
    assert.ok(reader.given(0) <= used, `${reader.given(0)} of ${used}`);
    assert.ok(reader.given(0) > used - windowAtFirst, `${reader.given(0)} of ${used}`);
  });

  it('is given back when nobody knows its stream any more', () => {
    const { reader, session, streams } = heldSession();
    session.take(postOf(1));
    streams[0]?.reset(2);
    for (let i = 0; i < 100; i += 1) session.take(dataOf(1, piece.subarray(0, 10_000)));
    assert.equal(session.isOver, false);
    assert.ok(reader.given(0) > 1_000_000 - windowAtFirst);
    assert.equal(reader.given(1), 0);
  });
});

describe('a body of HTTP/2 that nobody receives yet', () => {
  it('is passed on in its order when somebody does, whatever is done meanwhile', () => {
    const { session, streams } = heldSession();
    session.take(
      Buffer.concat([postOf(1), dataOf(1, Buffer.from('a')), dataOf(1, Buffer.from('b'))]),
    );
    const stream = streams[0];
    assert.ok(stream);
    const seen = receiverOf(stream);
    session.take(dataOf(1, Buffer.from('c')));
    stream.pause();
    session.take(dataOf(1, Buffer.from('d')));
    session.take(dataOf(1, Buffer.from('e'), endStream));
    assert.equal(seen.isWhole, false);
    stream.resume();
    assert.equal(Buffer.concat(seen.body).toString(), 'abcde');
    assert.equal(seen.isWhole, true);
  });

  it('is not told to be whole when it is not: it was held, and its stream has gone', () => {
    const { session, streams } = heldSession();
    session.take(postOf(1));
    const stream = streams[0];
    assert.ok(stream);
    const seen = receiverOf(stream);
    stream.pause();
    session.take(Buffer.concat([dataOf(1, Buffer.from('half'), endStream), resetOf(1)]));
    stream.resume();
    assert.deepEqual(
      { ...seen, body: seen.body.length },
      {
        body: 0,
        isWhole: false,
        ends: [false],
        drains: 0,
      },
    );
  });

  it('is whole behind its last piece, also when its receiver waits and goes on in a piece', () => {
    const { session, streams } = heldSession();
    session.take(postOf(1));
    const order: string[] = [];
    const stream = streams[0];
    assert.ok(stream);
    for (const text of ['a', 'b']) session.take(dataOf(1, Buffer.from(text)));
    session.take(dataOf(1, Buffer.from('c'), endStream));
    stream.receive({
      data: (bytes) => {
        order.push(Buffer.from(bytes).toString());
        stream.pause();
        stream.resume();
      },
      bodyEnded: () => void order.push('end'),
      sent: () => undefined,
      drained: () => undefined,
      ended: () => undefined,
    });
    assert.equal(order.join(' ').replaceAll(/(?<=[abc]) (?=[abc])/g, ''), 'abc end');
  });

  it('takes memory for what it holds, not for how many frames that came in', () => {
    for (const bytes of [0, 1]) {
      const { session, streams } = heldSession();
      session.take(postOf(1));
      const frame = dataOf(1, new Uint8Array(bytes));
      const frames = Buffer.concat(Array.from({ length: 1_000 }, () => frame));
      for (let i = 0; i < 65; i += 1) session.take(frames);
      let pieces = 0;
      streams[0]?.receive({
        data: () => void (pieces += 1),
        bodyEnded: () => undefined,
        sent: () => undefined,
        drained: () => undefined,
        ended: () => undefined,
      });
      assert.ok(session.isOver || pieces < 6_500, `${pieces} pieces of ${bytes} bytes were held`);
    }
  });
});
