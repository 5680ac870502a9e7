/** The queue of handshakes before a server of node: what counts as a client's certificates. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createSecureServer } from 'node:https';
import { connect as connectTcp, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, it, mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import type { SecureVersion, TLSSocket } from 'node:tls';
import { systemClock, systemTimers } from '../../src/stdx/clock.ts';
import { defaultTransportLimits } from '../../src/transport/http-exchange.ts';
import { flightLimits } from '../../src/transport/node/client-flight.ts';
import { handshakeLimits } from '../../src/transport/node/handshake-queue.ts';
import { createReadTurns } from '../../src/transport/node/read-turns.ts';
import type { ReadConnection, ReadTurns } from '../../src/transport/node/read-turns.ts';
import { readSession } from '../../src/transport/node/reading.ts';
import { ShownReads } from '../../src/transport/node/shown-reads.ts';
import { queueHandshakes } from '../../src/transport/node/tls-handshakes.ts';
import { tlsPair } from '../support/data/tls-pair.ts';

/** Nothing that is owed is ever worked off. */
const still = { nowMs: () => 0, monotonicMs: () => 0 };

/** What a hello may hold: names of protocols that nobody speaks. */
const longHello = Array.from({ length: 60 }, (_, i) => `${'p'.repeat(200)}${i}`);

const certificateBytesMax = 4_096;

/** As a client sends it, and nothing behind it. */
async function helloOf(protocols: string[]): Promise<Buffer> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  const client = connect({ port, host: '127.0.0.1', ALPNProtocols: protocols });
  client.on('error', () => undefined);
  const [socket] = (await once(listener, 'connection')) as [NodeJS.ReadableStream];
  const parts: Buffer[] = [];
  while (Buffer.concat(parts).length < protocols.join('').length) {
    parts.push(((await once(socket, 'data')) as [Buffer])[0]);
  }
  client.destroy();
  listener.close();
  return Buffer.concat(parts);
}

async function givesUpWhenAnswered(port: number, hello: Buffer): Promise<void> {
  const socket = connectTcp({ port, host: '127.0.0.1' });
  let answered = 0;
  socket.on('data', (bytes: Buffer) => (answered += bytes.length));
  socket.write(hello);
  while (answered < 500) await sleep(1);
  socket.destroy();
}

async function serve(
  bound = certificateBytesMax,
  readTurns = createReadTurns(systemClock, systemTimers),
  onUnserved: (error: unknown) => void = assert.ifError,
  begin: (socket: TLSSocket) => void = () => undefined,
) {
  const cut: string[] = [];
  let secured = 0;
  const server = createSecureServer({
    key: tlsPair.keyPem,
    cert: tlsPair.certificatePem,
    ALPNProtocols: ['h2', 'http/1.1'],
    requestCert: true,
    rejectUnauthorized: false,
  });
  // Nobody speaks HTTP here.
  server.removeAllListeners('secureConnection');
  server.on('secureConnection', begin);
  queueHandshakes(
    server,
    {
      timeoutMs: 60_000,
      certificateBytesMax: bound,
      readTurns,
      onTooLong: (address) => cut.push(address),
      onUnserved,
    },
    still,
    systemTimers,
  );
  server.on('secureConnection', (socket: TLSSocket) => {
    secured += 1;
    socket.on('error', () => undefined).resume();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  /** Whether a handshake comes to its end. */
  const shakesHands = async (protocols: string[]): Promise<boolean> => {
    const where = { port, host: '127.0.0.1', rejectUnauthorized: false };
    const client = connect({ ...where, ALPNProtocols: protocols });
    const done = await Promise.race([
      once(client, 'secureConnect').then(() => true),
      once(client, 'close').then(() => false),
    ]).catch(() => false);
    client.destroy();
    return done;
  };
  /** Resolves when the server has cut it, or has its certificates. */
  const sendsCertificates = async (count: number, version: SecureVersion): Promise<boolean> => {
    const had = secured;
    const cert = tlsPair.certificatePem.repeat(count);
    const where = { port, host: '127.0.0.1', rejectUnauthorized: false };
    const versions = { minVersion: version, maxVersion: version };
    const client = connect({ ...where, ...versions, cert, key: tlsPair.keyPem });
    const closed = once(client, 'close').catch(() => undefined);
    while (secured === had && !client.destroyed) await sleep(2);
    client.destroy();
    await closed;
    return secured > had;
  };
  return { server, port, shakesHands, sendsCertificates, cut };
}

describe('handshakes of one address', () => {
  // Before, 200 of these kept everybody behind the same proxy waiting for two minutes.
  it('do not wait for long hellos that failed: no certificate has come with them', async () => {
    const { server, shakesHands } = await serve();
    const hellos = 4 + Math.ceil(handshakeLimits.unverifiedBytesMax / 10_000);
    for (let i = 0; i < hellos; i += 1) assert.equal(await shakesHands(longHello), false);
    assert.equal(await shakesHands(['h2']), true);
    server.close();
  });

  it('do not wait for long hellos that were answered, either, and then given up', async () => {
    const { server, port, shakesHands } = await serve();
    const hello = await helloOf([...longHello, 'h2']);
    const hellos = 4 + Math.ceil(handshakeLimits.unverifiedBytesMax / 10_000);
    for (let i = 0; i < hellos; i += 1) await givesUpWhenAnswered(port, hello);
    assert.equal(await shakesHands(['h2']), true);
    server.close();
  });
});

describe('the certificates of a client', () => {
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    // One chain of a hundred P-521 certificates kept everybody waiting for 0.2 to 0.4 s.
    it(`are cut above their bound before they are verified (${version})`, async () => {
      const { server, sendsCertificates, shakesHands, cut } = await serve();
      const bytes = Buffer.from(tlsPair.certificatePem.split('-----')[2] ?? '', 'base64').length;
      const fitting = Math.floor((certificateBytesMax - 1_024) / bytes);
      assert.ok(fitting > 0);
      assert.equal(await sendsCertificates(fitting, version), true);
      assert.deepEqual(cut, []);
      for (const count of [Math.ceil(certificateBytesMax / bytes) + 1, 60]) {
        cut.length = 0;
        assert.equal(await sendsCertificates(count, version), false);
        assert.deepEqual(cut, ['127.0.0.1']);
      }
      // What was never verified is no debt.
      for (let i = 0; i < 20; i += 1) assert.equal(await sendsCertificates(60, version), false);
      assert.equal(await shakesHands(['h2']), true);
      server.close();
    });
  }

  it('may by default be as long as three with RSA-2048 keys, or two with RSA-4096 keys', async () => {
    const { server, sendsCertificates, cut } = await serve(
      defaultTransportLimits.clientCertificateBytesMax,
    );
    const bytes = Buffer.from(tlsPair.certificatePem.split('-----')[2] ?? '', 'base64').length;
    const signatureBytes = 512;
    const fitting = Math.ceil((3_300 + signatureBytes) / bytes);
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      assert.equal(await sendsCertificates(fitting, version), true);
    }
    assert.deepEqual(cut, []);
    server.close();
  });

  it('are not counted where the bound is more than the library takes', async () => {
    const { server, sendsCertificates, cut } = await serve(128 * 1024);
    assert.equal(await sendsCertificates(60, 'TLSv1.3'), true);
    assert.deepEqual(cut, []);
    server.close();
  });
});

describe('a connection of HTTP/2 whose handshake is over', () => {
  // Before, key updates were worked off as they came: twenty clients without a credential held
  // everybody up for a second.
  it('is read from in turns before TLS has what it sends', async () => {
    const turns = createReadTurns(systemClock, systemTimers);
    let pieces = 0;
    const { server, port } = await serve(certificateBytesMax, (connection) =>
      turns({
        pieceEnd: (bytes, from) => connection.pieceEnd(bytes, from),
        pass(bytes) {
          pieces += 1;
          connection.pass(bytes);
        },
        read: (reading) => connection.read(reading),
        get gone() {
          return connection.gone;
        },
      }),
    );
    const where = { port, host: '127.0.0.1', rejectUnauthorized: false };
    const client = connect({ ...where, minVersion: 'TLSv1.3', ALPNProtocols: ['h2'] });
    await once(client, 'secureConnect');
    client.write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), settings]));
    // The first may still belong to the handshake.
    for (let i = 0; i < 200 && pieces < 3; i += 1) {
      client.write(ping);
      await sleep(20);
    }
    assert.ok(pieces >= 3, `${pieces} pieces`);
    client.destroy();
    server.close();
  });
});

describe('a hello in many records', () => {
  /** What of it reaches the library of TLS. */
  async function passedOf(sent: Buffer): Promise<number> {
    const { port, server } = await serve();
    const passed = mock.method(ShownReads.prototype, 'pass');
    const client = connectTcp({ port, host: '127.0.0.1' });
    client.on('error', () => undefined).resume();
    client.write(sent);
    await new Promise((resolve) => client.once('close', resolve));
    const { length } = passed.mock.calls;
    passed.mock.restore();
    server.close();
    return length;
  }

  it('that hold nothing is passed on no further than it fails', async () => {
    const nothing = Buffer.from([0x16, 3, 1, 0, 0]);
    assert.ok((await passedOf(Buffer.concat(Array<Buffer>(5_000).fill(nothing)))) < 100);
    const alert = Buffer.from([0x15, 3, 1, 0, 2, 1, 0]);
    assert.ok((await passedOf(Buffer.concat(Array<Buffer>(5_000).fill(alert)))) < 100);
  });

  it('of a byte is cut when there are too many, and else answered', async () => {
    const { helloRecordsMax } = flightLimits;
    const hello = await helloOf(['h2', ...longHello]);
    const pieces = (bytes: number): Buffer => {
      const whole = hello.subarray(5);
      const count = Math.ceil(whole.length / bytes);
      const records = Array.from({ length: count }, (_, at) => {
        const piece = whole.subarray(at * bytes, (at + 1) * bytes);
        return [Buffer.from([0x16, 3, 1, 0, piece.length]), piece];
      });
      return Buffer.concat(records.flat());
    };
    assert.ok(hello.length > helloRecordsMax);
    assert.equal(await passedOf(pieces(1)), helloRecordsMax + 1);
    const { port, server } = await serve();
    await givesUpWhenAnswered(port, pieces(100));
    server.close();
  });
});

describe('a connection whose session cannot begin', () => {
  it('is cut, is told of, and leaves its place to the next', async () => {
    const errors: unknown[] = [];
    const broken = new Error('no session');
    let begun = 0;
    const begin = (socket: TLSSocket): void => {
      begun += 1;
      if (begun <= 2 * handshakeLimits.readingMax) throw broken;
      socket.write('served');
    };
    const onUnserved = (error: unknown): void => void errors.push(error);
    const { port, server } = await serve(undefined, undefined, onUnserved, begin);
    const where = { port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['h2'] };
    for (let at = 0; at < 2 * handshakeLimits.readingMax; at += 1) {
      const client = connect(where);
      client.on('error', () => undefined).resume();
      await once(client, 'close');
      assert.equal(errors.length, at + 1);
    }
    assert.ok(errors.every((error) => error === broken));
    const client = connect(where);
    await once(client, 'data');
    client.destroy();
    server.close();
  });
});

describe('a session of HTTP/2 that waits', () => {
  // Before, it did not know what reads below it: its client was read on, and held without a bound.
  it('is not read from below TLS either', async () => {
    const connections: ReadConnection[] = [];
    const allowed: string[] = [];
    const turns = createReadTurns(systemClock, systemTimers);
    const recorded: ReadTurns = (connection) => {
      const name = ['TLS', 'session'][connections.push(connection) - 1];
      const reads = turns(connection);
      return {
        take: (bytes) => reads.take(bytes),
        takeLater: (bytes) => reads.takeLater(bytes),
        end: () => reads.end(),
        allow(reading) {
          allowed.push(`${name} ${reading}`);
          reads.allow(reading);
        },
      };
    };
    const { server, port } = await serve(certificateBytesMax, recorded);
    const begun = once(server, 'secureConnection');
    server.on('secureConnection', (socket: TLSSocket) => {
      readSession({ isOver: false, take: () => undefined }, socket, recorded);
    });
    const where = { port, host: '127.0.0.1', rejectUnauthorized: false };
    const client = connect({ ...where, minVersion: 'TLSv1.3', ALPNProtocols: ['h2'] });
    await Promise.all([once(client, 'secureConnect'), begun]);
    assert.equal(connections.length, 2);
    connections[1]?.read(false);
    connections[1]?.read(true);
    assert.deepEqual(allowed.slice(-2), ['TLS false', 'TLS true']);
    client.destroy();
    server.close();
  });
});

const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
const ping = Buffer.concat([Buffer.from([0, 0, 8, 6, 0, 0, 0, 0, 0]), Buffer.alloc(8)]);
