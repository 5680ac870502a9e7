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
import { createFrameReader } from '../../src/transport/node/frames.ts';
import { recordsEnd } from '../../src/transport/node/reading.ts';
import { TlsRecords } from '../../src/transport/node/tls-records.ts';
import { prefaceText } from '../support/clients/http2-frame.ts';
import {
  bodyFrames,
  openRawHttp2,
  repeatedHeaderFrames,
  requestFrames,
  streamFrames,
  windowFrames,
} from '../support/clients/raw-http2.ts';
import { tlsPair } from '../support/data/tls-pair.ts';

const pieceBytes = 10;

function harness() {
  let nowMs = 0;
  let processorMs = 0;
  let turns: (() => void)[] = [];
  const connect = createReadTurns(
    { monotonicMs: () => nowMs, processorMs: () => processorMs },
    {
      nextTurn: (callback) => {
        turns.push(callback);
        return { cancel: () => undefined };
      },
    },
  );
  const passed: string[] = [];
  /** Each piece takes `pieceMs`, of which `stolenMs` belong to other processes; `above` is told of
   * it. */
  const client = (name: string, pieceMs = 0, stolenMs = 0, above?: (bytes: Uint8Array) => void) => {
    const seen = { reading: true, gone: false, rests: true };
    const reads = connect({
      pieceEnd: (bytes, from) => Math.min(bytes.length, from + pieceBytes),
      pass(bytes) {
        nowMs += pieceMs;
        processorMs += pieceMs - stolenMs;
        above?.(bytes);
        passed.push(`${name}${Buffer.from(bytes).toString()}`);
      },
      read: (reading) => (seen.reading = reading),
      rests: () => seen.rests,
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
  const took = (ms: number): void => {
    nowMs += ms;
    processorMs += ms;
  };
  return { client, turn, passed, took };
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

  // Each record of TLS is a read of HTTP/2. A session that waited was served a frame a turn, while
  // others were read from: the one of a scheduler stood for ten seconds, and its Lease ran out.
  it('is passed on read by read in one turn, by turns with others, where nothing has to rest', () => {
    const { client, turn, passed } = harness();
    const { turnMs } = readLimits;
    const [a, b] = [client('a', turnMs / 4), client('b', turnMs / 4)];
    a.seen.rests = b.seen.rests = false;
    for (const text of ['1', '2', '3', '4']) a.takeLater(bytesOf(text));
    b.takeLater(bytesOf('1'));
    b.takeLater(bytesOf('2'));
    turn();
    assert.deepEqual(passed, ['a1', 'b1', 'a2', 'b2']);
    a.seen.rests = true;
    turn();
    assert.deepEqual(passed.slice(4), ['a3']);
    turn();
    assert.deepEqual(passed.slice(5), ['a4']);
    turn();
    assert.deepEqual([a.seen.reading, b.seen.reading], [true, true]);
  });

  // A turn passed on one piece when other processes had the processor: 20 pieces in a second.
  it('is passed on for as much processor time, however often that is taken away meanwhile', () => {
    const { turnMs } = readLimits;
    for (const [pieceMs, stolenMs, pieces] of [
      [2 * turnMs, 2 * turnMs - turnMs / 4, 4],
      [turnMs / 4, 0, 4],
      // Nothing is known of what they take.
      [readLimits.busyMs / 4, readLimits.busyMs / 4, 5],
    ] as const) {
      const { client, turn, passed } = harness();
      const a = client('a', pieceMs, stolenMs);
      a.takeLater(bytesOf('1234567890'.repeat(20)));
      turn();
      assert.equal(passed.length, pieces);
      turn();
      assert.equal(passed.length, 2 * pieces);
    }
  });

  // Who was paused whenever its turn came stood at the end of the line each time, and starved.
  it('keeps its place in line while others keep it from being passed on', () => {
    const { client, turn, passed } = harness();
    const { turnMs } = readLimits;
    const a = client('a', turnMs);
    const others = ['b', 'c', 'd', 'e'].map((name) => client(name, turnMs));
    a.takeLater(bytesOf('x'));
    for (const other of others) other.takeLater(bytesOf('1234567890'.repeat(8)));
    a.allow(false);
    turn();
    assert.equal(passed.at(-1), 'b1234567890', 'nobody waits for it');
    a.allow(true);
    a.allow(false);
    turn();
    a.allow(false);
    assert.equal(passed.at(-1), 'c1234567890');
    a.allow(true);
    turn();
    assert.equal(passed.at(-1), 'ax', 'it began to wait before all others');
    turn();
    assert.equal(passed.at(-1), 'd1234567890');
  });

  it('comes back in the order in which it began to wait, before what is read meanwhile', () => {
    const { client, turn, passed } = harness();
    const [a, b, c] = [client('a'), client('b'), client('c')];
    for (const each of [a, b]) each.allow(false);
    for (const each of [a, b]) each.take(bytesOf('x'));
    turn();
    for (const each of [b, a]) each.allow(true);
    c.take(bytesOf('y'));
    turn();
    assert.deepEqual(passed, ['ax', 'bx', 'cy']);
    c.take(bytesOf('z'));
    turn();
    turn();
    c.take(bytesOf('z'));
    assert.deepEqual(passed.slice(3), ['cz', 'cz']);
    turn();
    assert.equal(turn(), false);
  });

  it('holds nobody up by a rest: who has passed on all reads on in the next turn', () => {
    const { client, turn, passed } = harness();
    const a = client('a', readLimits.turnMs);
    const others = Array.from({ length: 5 }, (_, i) => client(`${i}-`, readLimits.turnMs));
    a.takeLater(bytesOf('x'));
    for (const other of others) other.takeLater(bytesOf('y'));
    turn();
    assert.deepEqual([passed.length, a.seen.reading], [1, false]);
    turn();
    assert.deepEqual([passed.length, a.seen.reading], [2, true]);
    // What it reads then waits behind those who wait.
    a.take(bytesOf('z'));
    for (let turns = 0; turns < 5; turns += 1) turn();
    assert.equal(passed.indexOf('az'), passed.length - 1);
    assert.equal(passed.length, 7);
  });

  it('goes on in its place where it is held again behind TLS', () => {
    const { client, turn, passed } = harness();
    const { turnMs } = readLimits;
    const session = client('session ', turnMs);
    const tls = client('tls ', turnMs, 0, (bytes) => session.take(bytes));
    const others = ['b', 'c'].map((name) => client(name, turnMs));
    tls.takeLater(bytesOf('x'));
    for (const other of others) other.takeLater(bytesOf('y'));
    turn();
    turn();
    assert.deepEqual(passed, ['tls x', 'session x']);
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

describe('a piece of HTTP/2', () => {
  const preface = Buffer.from(prefaceText);
  const piecesOf = (sent: Uint8Array): number[] => {
    const pieceEnd = createFrameReader();
    const pieces: number[] = [];
    for (let at = 0; at < sent.length;) {
      const end = pieceEnd(sent, at);
      pieces.push(end - at);
      at = end;
    }
    return pieces;
  };

  // Three patches of 5 KB took three rounds of the line.
  it('is all that has come of several requests with bodies', () => {
    const one = requestFrames('/', Buffer.alloc(5_000));
    const sent = Buffer.concat([preface, one, one, one]);
    assert.deepEqual(piecesOf(sent), [sent.length]);
  });

  it('holds no more than 2 KiB of heads, and 128 frames of bodies', () => {
    const heads = Buffer.concat([preface, repeatedHeaderFrames(100, 15_000, 4)]);
    assert.ok(piecesOf(heads).every((bytes) => bytes <= 2_048));
    const bodies = bodyFrames('/', 1_000);
    // Each is a head of nine bytes and one of a body; a head of the request is before the first.
    const pieces = piecesOf(Buffer.concat([preface, bodies]));
    assert.ok(
      pieces.every((bytes) => bytes <= 1_400),
      String(pieces),
    );
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

describe('a piece of TLS', () => {
  const record = (bytes: number): Buffer => {
    const head = Buffer.from([23, 3, 3, bytes >> 8, bytes & 0xff]);
    return Buffer.concat([head, Buffer.alloc(bytes)]);
  };
  const piecesOf = (...reads: readonly Uint8Array[]): number[] => {
    const records = new TlsRecords();
    return reads.flatMap((sent) => {
      const pieces: number[] = [];
      for (let at = 0; at < sent.length;) {
        const end = recordsEnd(records, sent, at);
        pieces.push(end - at);
        at = end;
      }
      return pieces;
    });
  };

  // A client that sends each frame in a record of its own was served a frame each time.
  it('is a record and the small ones behind it, up to 2 KiB, or what has come of one', () => {
    const small = Buffer.concat(Array.from({ length: 30 }, () => record(95)));
    assert.deepEqual(piecesOf(small), [2_000, 1_000]);
    const large = record(16_000);
    assert.deepEqual(piecesOf(Buffer.concat([large, record(95), large])), [16_005, 100, 16_005]);
    assert.deepEqual(piecesOf(large.subarray(0, 3), large.subarray(3, 9_000)), [3, 8_997]);
    const rest = Buffer.concat([large.subarray(9_000), record(95)]);
    assert.deepEqual(piecesOf(large.subarray(0, 9_000), rest), [9_000, 7_005, 100]);
  });
});
