/** Connections of HTTP/2 that end, in all ways: whoever is on them is told, and once. */
import assert from 'node:assert/strict';
import { connect } from 'node:http2';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpExchange, ResponseStream } from '../../src/transport/http-exchange.ts';
import { serveExchanges } from '../support/clients/http2-exchanges.ts';
import {
  connectPeer,
  dataOf,
  endStream,
  getOf,
  goawayOf,
  heldSession,
  postOf,
  receiverOf,
  resetOf,
  settled,
  types,
  windowOf,
} from '../support/clients/http2-peer.ts';
import type { Peer } from '../support/clients/http2-peer.ts';

/** Streams of each kind: a watch, one whose body still comes, one that is not answered, one whose
 * answer is larger than its window. */
async function openAll(t: TestContext) {
  const watches: ResponseStream[] = [];
  const serving = await serveExchanges(t, (exchange: HttpExchange) => {
    if (exchange.path === '/watch') {
      const watch = exchange.stream(200, [], new Uint8Array());
      watch.write(Buffer.from('event'));
      watches.push(watch);
    } else if (exchange.path === '/body') void exchange.readBody(1_000_000);
    else if (exchange.path === '/large') exchange.send(200, [], Buffer.alloc(200_000));
  });
  const peer = await connectPeer(serving.port);
  peer.send(getOf(1, '/watch'), postOf(3, '/body'), dataOf(3, Buffer.alloc(1_000)));
  peer.send(getOf(5, '/silent'), getOf(7, '/large'), postOf(9, '/kept'));
  peer.send(dataOf(9, Buffer.alloc(20_000).subarray(0, 16_000)));
  await peer.until(() => serving.told.length === 5 && peer.body(7).length > 60_000);
  return { serving, peer, watches };
}

const ways: Readonly<Record<string, (peer: Peer) => void>> = {
  'half-closes': (peer) => peer.socket.end(),
  'is cut': (peer) => peer.socket.destroy(),
  'resets its connection': (peer) => peer.reset(),
  'goes away with an error': (peer) => peer.send(goawayOf(2)),
  'resets all streams': (peer) => peer.send(...[1, 3, 5, 7, 9].map((id) => resetOf(id))),
  'breaks the protocol': (peer) => peer.send(dataOf(99, Buffer.alloc(1))),
};

describe('exchanges of a connection of HTTP/2 whose client', () => {
  for (const [way, end] of Object.entries(ways)) {
    it(`${way} are told once, and nothing is held for them`, async (t) => {
      const { peer, serving } = await openAll(t);
      assert.ok(serving.load.answers.heldBytes > 100_000);
      end(peer);
      await serving.untilQuiet();
      await sleep(5);
      assert.deepEqual(
        serving.told.map(({ aborts }) => aborts),
        [1, 1, 1, 1, 1],
      );
      assert.deepEqual(
        serving.told.map(({ closes }) => closes),
        [1, 1, 1, 1, 1],
      );
      // Answers that come too late are nobody's.
      for (const { exchange } of serving.told) {
        if (!exchange.answered) exchange.send(200, [], 'late');
      }
      assert.equal(serving.load.answers.heldBytes, 0);
      assert.equal(serving.load.bodies.heldBytes, 0);
      peer.socket.destroy();
    });
  }

  it('is served no more, because the server closes, are told once', async (t) => {
    const { peer, serving } = await openAll(t);
    await serving.server.close();
    await serving.untilQuiet();
    assert.deepEqual(
      serving.told.map(({ aborts }) => aborts),
      [1, 1, 1, 1, 1],
    );
    await peer.until(() => peer.isClosed);
    assert.equal(peer.goawayCode, 0);
  });

  it('goes away without an error go on, and the connection ends with the last', async (t) => {
    const { peer, serving, watches } = await openAll(t);
    peer.send(goawayOf(0), windowOf(0, 1_000_000), windowOf(7, 1_000_000));
    await peer.until(() => peer.ended(7));
    watches[0]?.write(Buffer.from(' after'));
    peer.send(dataOf(3, Buffer.alloc(1), endStream), dataOf(9, Buffer.alloc(1), endStream));
    await peer.until(() => peer.body(1).toString() === 'event after');
    for (const { exchange } of serving.told) if (!exchange.answered) exchange.send(200, [], 'ok');
    await peer.until(() => peer.ended(3) && peer.ended(5) && peer.ended(9));
    assert.equal(peer.isClosed, false);
    watches[0]?.end();
    await peer.until(() => peer.isClosed);
    assert.equal(peer.ended(1), true);
    await serving.untilQuiet();
    assert.ok(serving.told.every(({ aborts }) => aborts === 0));
  });
});

describe('a connection of HTTP/2 that the server closes', () => {
  it('goes on for what is open, whatever its client sends for what it began later', async () => {
    const { reader, session, streams } = heldSession();
    session.take(getOf(1));
    session.close();
    // On their way when it was told.
    session.take(Buffer.concat([postOf(3), dataOf(3, Buffer.alloc(10_000)), windowOf(3, 10)]));
    session.take(Buffer.concat([dataOf(3, Buffer.alloc(1), endStream), resetOf(3)]));
    session.take(Buffer.concat([postOf(5), dataOf(5, Buffer.alloc(50_000).subarray(0, 16_000))]));
    assert.equal(session.isOver, false);
    assert.equal(streams.length, 1);
    for (let i = 0; i < 10; i += 1) session.take(dataOf(5, Buffer.alloc(16_000)));
    assert.equal(session.isOver, false, 'what is ignored has a window, too');
    streams[0]?.end(Buffer.from('whole'));
    await settled();
    assert.equal(reader.body(1).toString(), 'whole');
    assert.equal(reader.ended(1), true);
    assert.deepEqual(
      reader.of(0, types.goaway).map(({ payload }) => payload.readUInt32BE(4)),
      [0],
    );
    assert.equal(session.isOver, true);
  });

  it('has all that it has said with the socket before that ends', async () => {
    const { reader, session, socket, streams, told } = heldSession([[4, 1_000_000]]);
    session.take(Buffer.concat([getOf(1), windowOf(0, 1_000_000)]));
    await settled();
    const seen = receiverOf(streams[0] as NonNullable<(typeof streams)[0]>);
    socket.takes = false;
    streams[0]?.end(Buffer.alloc(300_000, 'a'));
    session.close();
    await settled();
    assert.equal(session.isOver, false);
    assert.deepEqual(seen.ends, []);
    socket.takeAll();
    await settled();
    assert.equal(reader.body(1).length, 300_000);
    assert.deepEqual(seen.ends, [true]);
    assert.equal(told.ends, 1);
    assert.equal(socket.writableEnded, true);
  });

  it('loses no request of another client, however often it is closed', async (t) => {
    const serving = await serveExchanges(t, (exchange) => exchange.send(200, [], 'ok'));
    const { server } = serving;
    const session = connect(`https://127.0.0.1:${server.port}`, { rejectUnauthorized: false });
    session.on('error', () => undefined);
    const answers = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const stream = session.request({ ':path': '/' });
        stream.resume();
        return new Promise((resolve) => stream.on('close', () => resolve(stream.rstCode)));
      }),
    );
    assert.deepEqual(new Set(answers), new Set([0]));
    await server.close();
    await serving.untilQuiet();
    assert.ok(serving.told.every(({ aborts }) => aborts === 0));
    session.destroy();
  });
});
