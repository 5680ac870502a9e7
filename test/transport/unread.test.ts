import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import type { ClientHttp2Session } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { createTransportLoad } from '../../src/transport/load.ts';
import type { TransportLoad } from '../../src/transport/load.ts';
import { defaultTransportLimits } from '../../src/transport/http-exchange.ts';
import type { HttpServer, Listen, TransportLimits } from '../../src/transport/http-exchange.ts';
import { exchange } from '../support/clients/http-client.ts';
import { listenNode } from '../../src/transport/node/listen-node.ts';
import { listenUws } from '../support/servers/listen-uws.ts';

const mebibyte = 1024 * 1024;
/** `SLUICE_FULL_SIZE=1`: as many requests as the attack had. */
const many = process.env['SLUICE_FULL_SIZE'] === '1' ? 1_000 : 60;
/** More than the sockets of both ends take. */
const large = Buffer.alloc(24 * mebibyte, 'x');
const shared = large.subarray(0, mebibyte);
const tls = {
  certificatePem: readFileSync('test/support/data/tls-certificate.pem', 'utf8'),
  keyPem: readFileSync('test/support/data/tls-key.pem', 'utf8'),
};

interface Serving {
  readonly server: HttpServer;
  readonly load: TransportLoad;
}

/** /large, /shared, /small; /quiet is a stream that says nothing, /says and /speaks are
 * streams that said a lot. */
async function serve(
  listen: Listen,
  withTls: boolean,
  changed: Partial<TransportLimits>,
): Promise<Serving> {
  const limits = { ...defaultTransportLimits, ...changed };
  const load = createTransportLoad(limits);
  const options = { address: '127.0.0.1', port: 0, limits, load };
  const server = await listen(withTls ? { ...options, tls } : options, (exchange) => {
    const bodies: Record<string, Buffer> = { '/large': large, '/shared': shared };
    const body = bodies[exchange.path];
    if (body !== undefined) return exchange.send(200, [], body);
    if (exchange.path === '/small') return exchange.send(200, [], 'small');
    const stream = exchange.stream(200, [], Buffer.from(' '));
    if (exchange.path === '/speaks') stream.write(large);
    if (exchange.path === '/says') stream.write(shared);
  });
  return { server, load };
}

/** Asks, and reads nothing of the answer. */
function stalledReader(port: number, withTls: boolean, target: string): Socket {
  const socket = withTls
    ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
    : connectTcp({ port, host: '127.0.0.1' });
  socket.on('error', () => {});
  socket.pause();
  socket.write(`GET ${target} HTTP/1.1\r\nHost: test\r\n\r\n`);
  return socket;
}

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((done) => setTimeout(done, 20));
};

interface Asked {
  status: number;
  closed: boolean;
}

function ask(session: ClientHttp2Session, path: string): Asked {
  const asked = { status: 0, closed: false };
  const stream = session.request({ ':path': path });
  stream.on('response', (headers) => (asked.status = Number(headers[':status'])));
  stream.on('error', () => {});
  stream.on('close', () => (asked.closed = true));
  return asked;
}

describe('readers who take nothing', { concurrency: 4 }, () => {
  const ports = [
    ['uws', listenUws, false],
    ['node over plain HTTP/1.1', listenNode, false],
    ['node over TLS and HTTP/1.1', listenNode, true],
  ] as const;
  for (const [name, listen, withTls] of ports) {
    test(`${name}: are cut after the idle timeout, a quiet stream is not`, async () => {
      const { load, server } = await serve(listen, withTls, { idleTimeoutMs: 1_000 });
      const quiet = stalledReader(server.port, withTls, '/quiet');
      let quietEnded = false;
      quiet.on('close', () => (quietEnded = true));
      const readers = ['/large', '/speaks'].map((path) =>
        stalledReader(server.port, withTls, path),
      );
      await until(() => load.answers.cutCount === 2);
      assert.equal(quietEnded, false);
      assert.equal(load.answers.heldBytes, 0);
      for (const socket of [quiet, ...readers]) socket.destroy();
      await server.close();
    });
  }

  test('uws: one who pauses for longer than the library allows gets everything', async () => {
    const { load, server } = await serve(listenUws, false, {});
    const readers = ['/large', '/speaks'].map((path) => stalledReader(server.port, false, path));
    const bytes = readers.map(() => 0);
    // The library cuts after 10 to 14 s.
    await new Promise((done) => setTimeout(done, 15_000));
    for (const [i, socket] of readers.entries()) {
      socket.on('data', (piece) => (bytes[i] = (bytes[i] ?? 0) + piece.length));
      socket.resume();
    }
    await until(() => bytes.every((each) => each > large.length));
    assert.equal(load.answers.cutCount, 0);
    for (const socket of readers) socket.destroy();
    await server.close();
  });

  test('one who reads slowly gets everything', async () => {
    const { load, server } = await serve(listenNode, true, { idleTimeoutMs: 3_000 });
    const socket = stalledReader(server.port, true, '/large');
    let bytes = 0;
    let sincePause = 0;
    socket.on('data', (piece) => {
      bytes += piece.length;
      sincePause += piece.length;
      // All its pauses together are longer than the idle timeout, each is shorter.
      if (sincePause < 3 * mebibyte) return;
      sincePause = 0;
      socket.pause();
      setTimeout(() => socket.resume(), 500);
    });
    socket.resume();
    await until(() => bytes > large.length);
    assert.equal(load.answers.cutCount, 0);
    socket.destroy();
    await server.close();
  });

  for (const [name, listen] of [
    ['uws', listenUws],
    ['node', listenNode],
  ] as const) {
    test(`${name}: above the bound in all, more is refused and the stalled are cut`, async () => {
      const { load, server } = await serve(listen, false, { unreadBytesMax: 50 * mebibyte });
      const stalled = [0, 1].map(() => stalledReader(server.port, false, '/large'));
      await until(() => load.answers.heldBytes > 38 * mebibyte);
      const url = `http://127.0.0.1:${server.port}`;
      const refused = await exchange(url, '/large');
      assert.equal(refused.status, 429);
      assert.equal(refused.headers['retry-after'], '1');
      assert.equal(refused.text, 'Too many requests, please try again later.\n');
      assert.equal((await exchange(url, '/small')).text, 'small');
      await until(() => load.answers.cutCount > 0);
      await until(() => load.answers.heldBytes <= 25 * mebibyte);
      assert.equal((await exchange(url, '/large')).bytes.length, large.length);
      for (const each of stalled) each.destroy();
      await until(() => load.answers.heldBytes === 0);
      await server.close();
    });
  }

  test('HTTP/2 with a window of 0 holds no more than a connection may, and is let go', async () => {
    // Whose answer has been let go makes room for another: all have to be asked before, and no
    // request may wait for the stream of another one.
    const limits = {
      idleTimeoutMs: 25 * many,
      http2StreamsMax: many + 2,
      unreadBytesPerConnectionMax: 4 * mebibyte,
    };
    const { load, server } = await serve(listenNode, true, limits);
    const settings = { initialWindowSize: 0 };
    const url = `https://127.0.0.1:${server.port}`;
    const session = connectHttp2(url, { rejectUnauthorized: false, settings });
    session.on('error', () => {});
    await new Promise((resolve) => session.once('remoteSettings', resolve));
    const quiet = ask(session, '/quiet');
    const says = ask(session, '/says');
    const all = Array.from({ length: many }, () => ask(session, '/shared'));
    await until(() => all.every(({ status }) => status > 0));
    assert.equal(all.filter(({ status }) => status === 200).length, 4);
    assert.equal(all.filter(({ status }) => status === 429).length, many - 4);
    assert.ok(load.answers.heldBytes <= 4 * mebibyte + many * 64);
    const other = connectHttp2(url, { rejectUnauthorized: false });
    const fine = ask(other, '/small');
    await until(() => fine.status === 200);
    other.destroy();
    await until(() => [...all, says].every(({ closed }) => closed));
    assert.equal(quiet.closed, false);
    assert.equal(session.destroyed, false);
    assert.equal(load.answers.heldBytes, 0);
    session.destroy();
    await server.close();
  });

  test('HTTP/2: a client is told how many streams it may open', async () => {
    const { server } = await serve(listenNode, true, { http2StreamsMax: 7 });
    const session = connectHttp2(`https://127.0.0.1:${server.port}`, { rejectUnauthorized: false });
    const told = await new Promise<number | undefined>((resolve) => {
      session.once('remoteSettings', (settings) => resolve(settings.maxConcurrentStreams));
    });
    assert.equal(told, 7);
    session.destroy();
    await server.close();
  });

  // What it had taken was counted as unread for as long as its connection stayed: with many
  // such streams nobody else was answered.
  test('HTTP/2: one who takes everything and never ends its own body holds nothing', async () => {
    const { load, server } = await serve(listenNode, true, {});
    const session = connectHttp2(`https://127.0.0.1:${server.port}`, { rejectUnauthorized: false });
    session.on('error', () => {});
    const stream = session.request({ ':path': '/shared', ':method': 'POST' }, { endStream: false });
    let bytes = 0;
    let ended = false;
    stream.on('data', (piece: Buffer) => (bytes += piece.length));
    stream.on('end', () => (ended = true));
    stream.on('error', () => {});
    stream.write('{');
    await until(() => ended && load.answers.heldBytes === 0);
    assert.equal(bytes, shared.length);
    session.destroy();
    await server.close();
  });
});
