/** What is read of all connections in one turn: time for some, and a line for the others. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectPlain } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import type { TLSSocket } from 'node:tls';
import { defaultTransportLimits } from '../../src/transport/http-exchange.ts';
import { listenNode } from '../../src/transport/node/listen-node.ts';
import { createReadTurns, readLimits } from '../../src/transport/node/read-turns.ts';
import { openRawHttp2, streamFrames, windowFrames } from '../support/clients/raw-http2.ts';
import { tlsPair } from '../support/data/tls-pair.ts';

const pieceBytes = 10;

function harness() {
  let nowMs = 0;
  let turns: (() => void)[] = [];
  const connect = createReadTurns(
    { monotonicMs: () => nowMs },
    {
      nextTurn: (callback) => {
        turns.push(callback);
        return { cancel: () => undefined };
      },
    },
  );
  const passed: string[] = [];
  /** Each piece takes `pieceMs`. */
  const client = (name: string, pieceMs = 0) => {
    const seen = { reading: true, gone: false };
    const reads = connect({
      pieceEnd: (bytes, from) => Math.min(bytes.length, from + pieceBytes),
      pass(bytes) {
        nowMs += pieceMs;
        passed.push(`${name}${Buffer.from(bytes).toString()}`);
      },
      read: (reading) => (seen.reading = reading),
      get gone() {
        return seen.gone;
      },
    });
    return Object.assign(reads, { seen });
  };
  /** False: nothing is to be done in it. */
  const turn = (): boolean => {
    const now = turns;
    turns = [];
    for (const callback of now) callback();
    return now.length > 0;
  };
  return { client, turn, passed, took: (ms: number) => (nowMs += ms) };
}

const bytesOf = (text: string): Uint8Array => Buffer.from(text);

describe('what clients send', () => {
  it('is passed on at once while there is time, and asks for no turns when nothing comes', () => {
    const { client, turn, passed } = harness();
    client('a').take(bytesOf('12345678901'));
    assert.deepEqual(passed, ['a1234567890', 'a1']);
    assert.equal(turn(), true);
    assert.equal(turn(), false);
  });

  it('waits when the time of its turn is over, and then is passed on in order, piece by piece', () => {
    const { client, turn, passed } = harness();
    const a = client('a', readLimits.turnMs);
    const b = client('b', readLimits.turnMs);
    a.take(bytesOf('1234567890next'));
    b.take(bytesOf('b'));
    assert.deepEqual(passed, ['a1234567890']);
    assert.deepEqual([a.seen.reading, b.seen.reading], [false, false]);
    // What comes all the same stays behind what waits.
    a.take(bytesOf('last'));
    const order = ['anext', 'bb', 'alast'];
    for (const piece of order) {
      turn();
      assert.equal(passed.at(-1), piece);
    }
    turn();
    assert.deepEqual([a.seen.reading, b.seen.reading], [true, true]);
    assert.deepEqual(passed.slice(1), order);
    turn();
    assert.equal(turn(), false);
  });

  it('is not read any more when many have come behind the time of a turn', () => {
    const { client, turn, passed, took } = harness();
    const many = Array.from({ length: readLimits.heldPerTurn }, (_, i) => client(`${i}-`));
    const quiet = client('quiet');
    client('first').take(bytesOf('x'));
    took(readLimits.turnMs);
    for (const each of many.slice(1)) each.take(bytesOf('x'));
    assert.equal(quiet.seen.reading, true);
    many[0]?.take(bytesOf('x'));
    assert.equal(quiet.seen.reading, false);
    turn();
    assert.equal(quiet.seen.reading, true);
    assert.equal(passed.length, readLimits.heldPerTurn + 1);
  });

  it('waits while others want it to, and comes before what is read when they do not', () => {
    const { client, turn, passed } = harness();
    const a = client('a');
    a.allow(false);
    assert.equal(a.seen.reading, false);
    a.take(bytesOf('1'));
    turn();
    assert.deepEqual(passed, []);
    a.allow(true);
    a.take(bytesOf('2'));
    turn();
    assert.deepEqual(passed, ['a1'], 'one read in a turn');
    turn();
    assert.deepEqual(passed, ['a1', 'a2']);
    turn();
    assert.equal(a.seen.reading, true);
  });

  it('is forgotten when its connection has gone', () => {
    const { client, turn, passed } = harness();
    const gone = client('gone');
    gone.takeLater(bytesOf('x'));
    gone.seen.gone = true;
    gone.end();
    turn();
    assert.deepEqual(passed, []);
    turn();
    assert.equal(turn(), false);
  });
});

describe('a server of HTTP/2', () => {
  it('loses nothing of what waits, and serves others meanwhile', async () => {
    const options = { address: '127.0.0.1', port: 0, limits: defaultTransportLimits, tls: tlsPair };
    const server = await listenNode(options, (exchange) => exchange.send(200, [], 'ok'));
    const flood = Buffer.concat([windowFrames(20_000), streamFrames('/', 5, false)]);
    const floods = await Promise.all(Array.from({ length: 8 }, () => openRawHttp2(server.port)));
    for (const { socket } of floods) socket.write(flood);
    const honest = await openRawHttp2(server.port);
    honest.socket.write(streamFrames('/', 20, false));
    for (const [sessions, heads] of [
      [[honest], 20],
      [floods, 5],
    ] as const) {
      while (sessions.some((session) => session.heads < heads)) {
        assert.ok(sessions.every(({ socket }) => !socket.destroyed));
        await sleep(5);
      }
    }
    for (const { socket } of [...floods, honest]) socket.destroy();
    await server.close();
  });
});

describe('a server of HTTP/1.1 over TLS', () => {
  const serve = async () => {
    const options = { address: '127.0.0.1', port: 0, limits: defaultTransportLimits, tls: tlsPair };
    const server = await listenNode(options, (exchange) => {
      void exchange.readBody(8 * 1024 * 1024).then((body) => {
        const sum = body.kind === 'complete' ? createHash('sha256').update(body.bytes) : undefined;
        exchange.send(200, [], sum?.digest('hex') ?? body.kind);
      });
    });
    const connect = (): TLSSocket => {
      const where = { port: server.port, host: '127.0.0.1', rejectUnauthorized: false };
      return connectTls({ ...where, ALPNProtocols: ['http/1.1'] });
    };
    return { server, connect };
  };

  it('reads the bodies of many at once as they were sent', async () => {
    const { server, connect } = await serve();
    const answers = Array.from({ length: 8 }, async (_, i) => {
      const body = Buffer.concat(
        Array.from({ length: 64 }, (__, j) => Buffer.alloc(30_000, i + j)),
      );
      const socket = connect();
      socket.write(`POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n`);
      socket.write(`Content-Length: ${body.length}\r\n\r\n`);
      socket.write(body);
      const sum = createHash('sha256').update(body).digest('hex');
      assert.ok((await text(socket)).endsWith(sum));
    });
    await Promise.all(answers);
    await server.close();
  });

  it('cuts a connection that sends many requests without waiting for answers', async () => {
    const { server, connect } = await serve();
    const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
    const [few, many] = [connect(), connect()];
    many.on('error', () => undefined);
    const gone = once(many, 'close');
    few.write(request.repeat(20));
    many.write(request.repeat(2_000));
    let seen = '';
    few.on('data', (bytes: Buffer) => (seen += bytes.toString()));
    await gone;
    while (seen.split('HTTP/1.1 200').length <= 20) await sleep(5);
    few.destroy();
    await server.close();
  });

  // Before, a parser of HTTP that paused was given more, and said so to the client (HPE_PAUSED).
  for (const scheme of ['https', 'http']) {
    it(`answers many requests whose client reads late (${scheme})`, async () => {
      const tls = scheme === 'https' ? { tls: tlsPair } : {};
      const options = { address: '127.0.0.1', port: 0, limits: defaultTransportLimits, ...tls };
      const answer = Buffer.alloc(100_000, 'a');
      const server = await listenNode(options, (exchange) => exchange.send(200, [], answer));
      const where = { port: server.port, host: '127.0.0.1' };
      const client =
        scheme === 'https'
          ? connectTls({ ...where, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] })
          : connectPlain(where);
      const count = 90;
      const head = `GET / HTTP/1.1\r\nHost: a\r\nX-Padding: ${'p'.repeat(3_000)}\r\n`;
      for (let i = 1; i < count; i += 1) client.write(`${head}\r\n`);
      client.write(`${head}Connection: close\r\n\r\n`);
      // Both queues are full by then, and the answers that follow make node pause.
      await sleep(100);
      const seen = await text(client);
      assert.equal(seen.split('HTTP/1.1 200 OK').length - 1, count);
      assert.equal(seen.split('a'.repeat(answer.length)).length - 1, count);
      await server.close();
    });
  }
});
