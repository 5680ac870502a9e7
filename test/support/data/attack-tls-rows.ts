/**
 * What one caller can send over TLS to stop the others, before anybody knows who it is: rows like
 * those of attack-rows.ts, to the secure port.
 *
 * What it is not: a judgement of times, nor of what certificates are worth (peer-verifier.test.ts).
 */
import { webcrypto } from 'node:crypto';
import http2 from 'node:http2';
import type { ClientHttp2Session, OutgoingHttpHeaders } from 'node:http2';
import https from 'node:https';
import { connect as connectPlain } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import {
  BasicConstraintsExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';
import type { Extension } from '@peculiar/x509';
import { statusOf } from '../clients/http-client.ts';
import { bodyFrames, openRawHttp2, streamFrames } from '../clients/raw-http2.ts';
import type { AttackRow, SizeOf } from './attack-rows.ts';

/** Long enough for what was sent to be worked on. */
const lingerMs = 500;
const host = '127.0.0.1';
const configMaps = '/api/v1/namespaces/default/configmaps';
const openApi = '/openapi/v2';

interface Credential {
  readonly cert: string;
  readonly key: string;
}

async function issue(
  name: string,
  issuer: { readonly name: string; readonly keys: webcrypto.CryptoKeyPair } | undefined,
  extensions: readonly Extension[],
) {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-521' };
  const usages = ['sign', 'verify'] as const;
  const keys = await webcrypto.subtle.generateKey(algorithm, true, usages);
  const made = await X509CertificateGenerator.create({
    subject: `CN=${name}`,
    issuer: `CN=${issuer?.name ?? name}`,
    publicKey: keys.publicKey,
    signingKey: issuer?.keys.privateKey ?? keys.privateKey,
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-512' },
    notBefore: new Date('2020-01-01T00:00:00Z'),
    notAfter: new Date('2120-01-01T00:00:00Z'),
    extensions: [...extensions],
  });
  return { name, keys, pem: made.toString('pem') };
}

async function pemOf(keys: webcrypto.CryptoKeyPair): Promise<string> {
  const der = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  const base64 = Buffer.from(der).toString('base64');
  return `-----BEGIN PRIVATE KEY-----\n${base64}\n-----END PRIVATE KEY-----\n`;
}

/** A leaf and CAs, all of which call themselves the same: each may have signed each. */
async function longChain(authorities: number): Promise<Credential> {
  const ca = [new BasicConstraintsExtension(true, undefined, true)];
  let issuer = await issue('ca', undefined, ca);
  const pems = [issuer.pem];
  for (let made = 1; made < authorities; made += 1) {
    issuer = await issue('ca', issuer, ca);
    pems.unshift(issuer.pem);
  }
  const leaf = await issue('leaf', issuer, []);
  return { cert: [leaf.pem, ...pems].join('\n'), key: await pemOf(leaf.keys) };
}

async function manyNames(count: number): Promise<Credential> {
  const names = Array.from({ length: count }, (_, i) => ({
    type: 'dns' as const,
    value: `n${i}`,
  }));
  const leaf = await issue('leaf', undefined, [new SubjectAlternativeNameExtension(names)]);
  return { cert: leaf.pem, key: await pemOf(leaf.keys) };
}

function get(port: number, tls: Credential, agent?: https.Agent): Promise<number> {
  return statusOf(`https://${host}:${port}`, configMaps, { tls, agent });
}

/** On one connection, and on one each. */
async function withCredential(
  port: number,
  credential: Credential,
  count: number,
): Promise<readonly number[]> {
  const agent = new https.Agent({ keepAlive: true, maxSockets: 1 });
  const statuses: number[] = [];
  for (let sent = 0; sent < count; sent += 1) {
    statuses.push(await get(port, credential, agent));
  }
  agent.destroy();
  const apart = Array.from({ length: count }, () => get(port, credential));
  return [...statuses, ...(await Promise.all(apart))];
}

/** Sockets that were opened at once and say what `begin` has them say, and no more. */
async function lingering(
  sockets: readonly Socket[],
  begin: (socket: Socket) => void,
): Promise<readonly number[]> {
  for (const socket of sockets) {
    socket.on('error', () => undefined);
    begin(socket);
  }
  await sleep(lingerMs);
  for (const socket of sockets) socket.destroy();
  return sockets.map(() => 0);
}

function secureSockets(port: number, count: number): readonly Socket[] {
  const options = { host, port, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] };
  return Array.from({ length: count }, () => connectTls(options));
}

function session(port: number, initialWindowSize: number): ClientHttp2Session {
  const opened = http2.connect(`https://${host}:${port}`, {
    rejectUnauthorized: false,
    settings: { initialWindowSize },
    maxOutstandingPings: 1_000_000,
  });
  opened.on('error', () => undefined);
  return opened;
}

/** The heads of the answers to streams that were opened at once; 0: it was refused. */
async function streams(
  opened: ClientHttp2Session,
  count: number,
  headers: OutgoingHttpHeaders,
  body?: Buffer,
): Promise<readonly number[]> {
  const statuses = Array.from({ length: count }, () => 0);
  for (let i = 0; i < count && !opened.destroyed; i += 1) {
    const stream = opened.request(headers, { endStream: body === undefined });
    stream.on('error', () => undefined);
    stream.on('response', (head) => (statuses[i] = Number(head[':status'])));
    if (body !== undefined) stream.write(body);
  }
  await sleep(lingerMs);
  opened.destroy();
  return statuses;
}

const beforeTls: readonly AttackRow[] = [
  {
    title: 'TLS: handshakes that stop after a line of them',
    right: [0],
    run: (port, of) => {
      const sockets = Array.from({ length: of(50, 2_000) }, () => connectPlain(port, host));
      // The head of a record that announces a ClientHello of 512 bytes.
      const begin = Buffer.from('1603010200010001fc0303', 'hex');
      return lingering(sockets, (socket) => void socket.write(begin));
    },
  },
  {
    title: 'TLS: what is no TLS',
    right: [0],
    run: (port, of) => {
      const sockets = Array.from({ length: of(50, 2_000) }, () => connectPlain(port, host));
      return lingering(sockets, (socket) => void socket.write(`GET / HTTP/1.1\r\n\r\n`));
    },
  },
  {
    title: 'TLS: connections that go at once',
    right: [0],
    run: async (port, of) => {
      const sockets: Socket[] = [];
      for (let i = 0; i < of(2, 15); i += 1) {
        const some = secureSockets(port, 100).map(
          (socket) =>
            new Promise<Socket>((resolve) => {
              socket.on('error', () => resolve(socket));
              socket.on('secureConnect', () => resolve(socket));
            }),
        );
        sockets.push(...(await Promise.all(some)));
      }
      for (const socket of sockets) socket.destroy();
      await sleep(lingerMs);
      return sockets.map(() => 0);
    },
  },
  {
    title: 'TLS: a client certificate with eight CAs of one name',
    right: [200, 401],
    run: async (port, of) => withCredential(port, await longChain(8), of(20, 200)),
  },
  {
    title: 'TLS: a client certificate of many names',
    // Above 100 KB the library ends the handshake.
    right: [0, 200, 401],
    run: async (port, of) => withCredential(port, await manyNames(of(1_000, 9_000)), of(20, 200)),
  },
];

const readersOfNothing: readonly AttackRow[] = [openApi, configMaps].map((path) => ({
  title: `TLS: readers of ${path} that take nothing`,
  right: [0],
  run: (port: number, of: SizeOf) =>
    lingering(secureSockets(port, of(20, 600)), (socket) => {
      socket.pause();
      socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    }),
}));

const overHttp2: readonly AttackRow[] = [
  {
    title: 'HTTP/2: a window of 0 and many streams',
    right: [0, 200, 429],
    run: (port, of) => streams(session(port, 0), of(50, 1_000), { ':path': openApi }),
  },
  {
    title: 'HTTP/2: many connections with a window of 0',
    right: [0, 200, 429],
    run: async (port, of) => {
      const all = Array.from({ length: of(5, 100) }, () =>
        streams(session(port, 0), of(10, 100), { ':path': openApi }),
      );
      return (await Promise.all(all)).flat();
    },
  },
  {
    title: 'HTTP/2: streams that are reset at once',
    right: [0],
    run: async (port, of) => {
      const opened = session(port, 65_535);
      const count = of(500, 20_000);
      for (let i = 0; i < count && !opened.destroyed; i += 1) {
        const stream = opened.request({ ':path': configMaps });
        stream.on('error', () => undefined);
        stream.close(http2.constants.NGHTTP2_CANCEL);
        if (i % 100 === 99) await sleep(1);
      }
      await sleep(lingerMs);
      opened.destroy();
      return [0];
    },
  },
  {
    title: 'HTTP/2: connections whose streams are reset in the segment that opens them',
    right: [0],
    run: async (port, of) => {
      const flood = streamFrames(configMaps, of(200, 1_000), true);
      const all = Array.from({ length: of(5, 136) }, () => openRawHttp2(port));
      const sessions = await Promise.all(all);
      const sockets = sessions.map(({ socket }) => socket);
      return lingering(sockets, (socket) => void socket.write(flood));
    },
  },
  {
    title: 'HTTP/2: connections that open many streams at once',
    right: [0],
    run: async (port, of) => {
      const burst = streamFrames(configMaps, 100, false);
      const all = Array.from({ length: of(5, 100) }, () => openRawHttp2(port));
      const sessions = await Promise.all(all);
      const sockets = sessions.map(({ socket }) => socket);
      return lingering(sockets, (socket) => void socket.write(burst));
    },
  },
  {
    title: 'HTTP/2: bodies in frames of one byte',
    right: [0, 200, 413, 429],
    run: async (port, of) => {
      const opened = session(port, 65_535);
      const head = { ':method': 'POST', ':path': configMaps, 'content-type': 'application/json' };
      const count = of(5_000, 60_000);
      const stream = opened.request(head);
      stream.on('error', () => undefined);
      for (let i = 0; i < count && !stream.destroyed; i += 1) stream.write(' ');
      await sleep(lingerMs);
      opened.destroy();
      return [0];
    },
  },
  {
    title: 'HTTP/2: many connections with bodies in frames of one byte',
    right: [0],
    run: async (port, of) => {
      const all = Array.from({ length: of(4, 20) }, () => openRawHttp2(port));
      const sockets = (await Promise.all(all)).map(({ socket }) => socket);
      const body = bodyFrames(configMaps, of(2_000, 60_000));
      return lingering(sockets, (socket) => void socket.write(body));
    },
  },
  {
    title: 'HTTP/2: many connections with heads of many cookies',
    right: [0],
    run: async (port, of) => {
      const all = Array.from({ length: of(4, 20) }, () => openRawHttp2(port));
      const sockets = (await Promise.all(all)).map(({ socket }) => socket);
      const heads = streamFrames(configMaps, 90, false, 400);
      return lingering(sockets, (socket) => void socket.write(heads));
    },
  },
  {
    title: 'HTTP/2: pings',
    right: [0],
    run: async (port, of) => {
      const opened = session(port, 65_535);
      const count = of(1_000, 100_000);
      for (let i = 0; i < count && !opened.destroyed; i += 1) {
        opened.ping(() => undefined);
        if (i % 1_000 === 999) await sleep(1);
      }
      await sleep(lingerMs);
      opened.destroy();
      return [0];
    },
  },
  {
    title: 'HTTP/2: heads as large as may be, and larger',
    right: [0, 200, 400, 401, 403, 431],
    run: async (port, of) => {
      const large = Object.fromEntries(
        Array.from({ length: of(20, 100) }, (_, i) => [`x-large-${i}`, 'v'.repeat(of(300, 3_000))]),
      );
      const head = { ':path': configMaps, ...large };
      return streams(session(port, 65_535), of(20, 90), head);
    },
  },
  {
    title: 'HTTP/2: bodies that do not end',
    right: [0, 408, 413, 429],
    run: async (port, of) => {
      const head = { ':path': configMaps, ':method': 'POST', 'content-type': 'application/json' };
      const body = Buffer.alloc(of(64, 1_024) * 1024, 'a');
      const all = Array.from({ length: of(2, 20) }, () =>
        streams(session(port, 65_535), of(10, 90), head, body),
      );
      return (await Promise.all(all)).flat();
    },
  },
];

export const attackTlsRows: readonly AttackRow[] = [
  ...beforeTls,
  ...readersOfNothing,
  ...overHttp2,
];
