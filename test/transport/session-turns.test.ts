/** Streams of HTTP/2 in one turn: connections wait above a budget, and floods of resets end. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { constants, connect as connectHttp2 } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { defaultTransportLimits } from '../../src/transport/http-exchange.ts';
import { listenNode } from '../../src/transport/node/listen-node.ts';
import {
  createSessionTurns,
  sessionLimits,
  streamsAtFirst,
} from '../../src/transport/node/session-turns.ts';
import { openRawHttp2, repeatedHeaderFrames, streamFrames } from '../support/clients/raw-http2.ts';
import { tlsPair } from '../support/data/tls-pair.ts';

const streamsMax = 1_000;
const usual = { texts: 24, tooLarge: false };

function harness() {
  let turns: (() => void)[] = [];
  const add = createSessionTurns(
    {
      nextTurn: (callback) => {
        turns.push(callback);
        return { cancel: () => undefined };
      },
    },
    streamsMax,
  );
  const connect = () => {
    const seen = { reading: true, allowed: streamsAtFirst(streamsMax), ended: false };
    const member = add({
      read: (reading) => (seen.reading = reading),
      allow: (streams) => (seen.allowed = streams),
      end: () => (seen.ended = true),
    });
    const open = (count: number, head = usual) =>
      Array.from({ length: count }, () => member.opened(head));
    return { seen, member, open };
  };
  /** False: nothing is to be done in it. */
  const turn = (): boolean => {
    const now = turns;
    turns = [];
    for (const callback of now) callback();
    return now.length > 0;
  };
  return { connect, turn };
}

describe('streams of HTTP/2', () => {
  it('that are many in one turn keep all connections waiting, who then read on in order', () => {
    const { connect, turn } = harness();
    const connections = Array.from({ length: 10 }, connect);
    const [first, second] = connections;
    assert.ok(first !== undefined && second !== undefined);
    first.open(sessionLimits.streamsPerTurn - 1);
    assert.ok(connections.every(({ seen }) => seen.reading));
    second.open(1);
    assert.ok(connections.every(({ seen }) => !seen.reading));
    const readers = (): number => connections.filter(({ seen }) => seen.reading).length;
    for (let turns = 1; turns <= 3; turns += 1) {
      turn();
      assert.equal(readers(), Math.min(10, turns * sessionLimits.readingAfterWait));
    }
    assert.equal(turn(), false, 'there is no timer when nobody waits');
  });

  it('that have many headers count as several, in their trailers, too', () => {
    const { connect, turn } = harness();
    const [first, second] = [connect(), connect()];
    const { headerTextsPerStream, streamsPerTurn } = sessionLimits;
    const texts = headerTextsPerStream * (streamsPerTurn - 1);
    first.open(1, { texts, tooLarge: false });
    assert.ok(second.seen.reading);
    first.member.read(headerTextsPerStream);
    assert.ok(!second.seen.reading);
    turn();
    assert.ok(second.seen.reading);
  });

  it('that are many on connections that end keep the others waiting until they end, too', () => {
    const { connect, turn } = harness();
    const [first, second, third] = [connect(), connect(), connect()];
    const { streamsPerEnd, streamsPerTurn } = sessionLimits;
    first.open(streamsPerTurn - streamsPerEnd - 1);
    turn();
    first.member.ending();
    assert.ok(third.seen.reading, 'there is room for one more stream');
    second.member.ending();
    assert.ok(!third.seen.reading);
    turn();
    assert.ok(third.seen.reading);
  });

  it('that are many again keep those waiting who read on, behind those who wait still', () => {
    const { connect, turn } = harness();
    const connections = Array.from({ length: 6 }, connect);
    connections[0]?.open(sessionLimits.streamsPerTurn);
    turn();
    assert.deepEqual(
      connections.map(({ seen }) => seen.reading),
      [true, true, true, true, false, false],
    );
    connections[0]?.open(sessionLimits.streamsPerTurn);
    turn();
    assert.deepEqual(
      connections.map(({ seen }) => seen.reading),
      [true, true, false, false, true, true],
    );
  });

  it('that are opened and reset in one turn end their connection above a bound, and answered ones do not', () => {
    const { connect, turn } = harness();
    const { open, seen } = connect();
    const { resetsMax } = sessionLimits;
    for (const closed of open(resetsMax)) closed('reset');
    assert.equal(seen.ended, false);
    turn();
    const kept = open(resetsMax + 1);
    turn();
    for (const closed of kept) closed('reset');
    assert.equal(seen.ended, false, 'those of an earlier turn may have been served');
    for (const closed of open(resetsMax + 1)) closed('answered');
    assert.equal(seen.ended, false, 'those had their answers');
    for (const closed of open(resetsMax + 1)) closed('reset');
    assert.equal(seen.ended, true);
  });

  it('may be more when half of those allowed stay open, and not when they are reset', () => {
    const { connect, turn } = harness();
    const { open, seen } = connect();
    const first = seen.allowed;
    for (const closed of open(first)) closed('reset');
    turn();
    assert.equal(seen.allowed, first);
    open(first / 2);
    turn();
    assert.equal(seen.allowed, 2 * first);
    open(streamsMax - first / 2);
    for (let turns = 0; turns < 9; turns += 1) {
      turn();
      open(1);
    }
    assert.equal(seen.allowed, streamsMax);
  });

  it('whose heads are too large end their connection when they are many in one turn', () => {
    const { connect, turn } = harness();
    const { open, seen } = connect();
    const head = { texts: 200, tooLarge: true };
    for (let turns = 0; turns < 3; turns += 1) {
      open(sessionLimits.tooLargePerTurn, head);
      assert.equal(seen.reading, false, 'nobody is read from behind them');
      assert.equal(seen.ended, false);
      turn();
    }
    open(sessionLimits.tooLargePerTurn + 1, head);
    assert.equal(seen.ended, true);
  });

  it('of a connection that has gone are nobody waiting', () => {
    const { connect, turn } = harness();
    const gone = connect();
    const { seen } = connect();
    gone.open(sessionLimits.streamsPerTurn);
    gone.member.gone();
    assert.equal(seen.reading, false);
    turn();
    assert.equal(gone.seen.reading, false);
    assert.equal(seen.reading, true);
    assert.equal(turn(), false);
  });
});

describe('a server of HTTP/2', () => {
  const serve = async () => {
    let served = 0;
    const options = { address: '127.0.0.1', port: 0, limits: defaultTransportLimits, tls: tlsPair };
    const server = await listenNode(options, (exchange) => {
      served += 1;
      exchange.send(200, [], 'ok');
    });
    return { server, served: () => served };
  };

  it('ends sessions that reset all they open, and serves the others', async () => {
    const { server, served } = await serve();
    const flood = streamFrames('/', 1_000, true);
    const floods = await Promise.all(Array.from({ length: 8 }, () => openRawHttp2(server.port)));
    for (const { socket } of floods) socket.write(flood);
    while (floods.some(({ goAwayCode, socket }) => goAwayCode === undefined && !socket.destroyed)) {
      await sleep(5);
    }
    for (const { goAwayCode, heads } of floods) {
      assert.ok([undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM].includes(goAwayCode));
      assert.ok(heads < 100, `${heads}`);
    }
    assert.ok(served() < 8 * 100, `${served()}`);
    const honest = await openRawHttp2(server.port);
    honest.socket.write(streamFrames('/', 20, false));
    while (honest.heads < 20) await sleep(5);
    for (const { socket } of [honest, ...floods]) socket.destroy();
    await server.close();
  });

  it('shows no handler a head that is larger than may be, and ends who sends many', async () => {
    const { server, served } = await serve();
    const one = await openRawHttp2(server.port);
    // Its client confirms no settings: until then the library would take up to 16 MiB.
    one.socket.write(repeatedHeaderFrames(3_900, 100, 2));
    while (one.heads < 2) await sleep(5);
    assert.equal(served(), 1, 'the first one only adds the header to the table');
    const flood = await openRawHttp2(server.port);
    flood.socket.write(repeatedHeaderFrames(3_900, 100, 100));
    while (flood.goAwayCode === undefined && !flood.socket.destroyed) await sleep(5);
    assert.ok([undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM].includes(flood.goAwayCode));
    assert.ok(served() <= 2, `${served()}`);
    one.socket.write(streamFrames('/', 5, false).subarray(3 * streamFrames('/', 1, false).length));
    while (one.heads < 4) await sleep(5);
    for (const { socket } of [one, flood]) socket.destroy();
    await server.close();
  });

  // A stream of an ended session was taken for one of a client without certificates, and threw.
  it('lives on when a session ends whose first streams come with the end of its handshake', async () => {
    const { server } = await serve();
    const flood = async (lingerMs: number): Promise<void> => {
      const client = connectHttp2(`https://127.0.0.1:${server.port}`, {
        rejectUnauthorized: false,
      });
      client.on('error', () => undefined);
      for (let i = 0; i < 500 && !client.destroyed; i += 1) {
        const stream = client.request({ ':path': '/' });
        stream.on('error', () => undefined);
        stream.close(constants.NGHTTP2_CANCEL);
        if (i % 100 === 99) await sleep(1);
      }
      await sleep(lingerMs);
      client.destroy();
    };
    for (let i = 0; i < 12; i += 1) await Promise.all([5 * i, 0, 20].map(flood));
    const honest = await openRawHttp2(server.port);
    honest.socket.write(streamFrames('/', 3, false));
    while (honest.heads < 3) await sleep(5);
    honest.socket.destroy();
    await server.close();
  });

  it('lives on when clients open streams and go in the same moment', async () => {
    const { server } = await serve();
    for (let i = 0; i < 5; i += 1) {
      const { socket } = await openRawHttp2(server.port);
      socket.write(streamFrames('/', 90, false));
      socket.write(streamFrames('/', 250, true));
      socket.end();
    }
    const honest = await openRawHttp2(server.port);
    honest.socket.write(streamFrames('/', 3, false));
    while (honest.heads < 3) await sleep(5);
    honest.socket.destroy();
    await server.close();
  });

  it('answers every request of many sessions that ask at once, more than it allows at first', async () => {
    const { server } = await serve();
    const ask = (count: number): Promise<number> =>
      new Promise((resolve) => {
        const session = connectHttp2(`https://127.0.0.1:${server.port}`, {
          rejectUnauthorized: false,
        });
        let ok = 0;
        let left = count;
        for (let i = 0; i < count; i += 1) {
          const stream = session.request({ ':path': '/' });
          stream.on('response', (head) => (ok += head[':status'] === 200 ? 1 : 0));
          stream.resume().on('close', () => {
            left -= 1;
            if (left > 0) return;
            session.close();
            resolve(ok);
          });
        }
      });
    const counts = Array.from({ length: 10 }, () => 300);
    assert.deepEqual(await Promise.all(counts.map(ask)), counts);
    await server.close();
  });
});
