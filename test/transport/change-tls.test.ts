/** Certificates of a port that is open: who is connected goes on, who comes sees the new one. */
import assert from 'node:assert/strict';
import type { X509Certificate } from 'node:crypto';
import { describe, it } from 'node:test';
import { connect } from 'node:tls';
import type { TLSSocket } from 'node:tls';
import { makeAuthority, makeCertificate } from '../../src/pki/certificate-authority.ts';
import type { KeyPair } from '../../src/pki/certificate-authority.ts';
import { keyPurposes } from '../../src/pki/certificates.ts';
import { defaultTransportLimits } from '../../src/transport/http-exchange.ts';
import type { HttpServer, Listen, ResponseStream } from '../../src/transport/http-exchange.ts';
import { listenNode } from '../../src/transport/node/listen-node.ts';
import { listenUws } from '../support/servers/listen-uws.ts';
import { loadUws } from '../../src/transport/uws/uws-binding.ts';
import { tlsPair } from '../support/data/tls-pair.ts';

const validity = { notBeforeMs: Date.now() - 60_000, notAfterMs: Date.now() + 3_600_000 };

async function servingPair(commonName: string): Promise<KeyPair> {
  const authority = await makeAuthority({ commonName: 'ca', ...validity });
  const template = { commonName, dnsNames: ['localhost'], ...validity };
  return makeCertificate(template, keyPurposes.serverAuth, authority);
}

/** Connected; with the common name that the server showed. */
async function open({ port }: HttpServer): Promise<{ socket: TLSSocket; name: string }> {
  const to = { host: '127.0.0.1', port, servername: 'localhost', rejectUnauthorized: false };
  const socket = connect(to);
  await new Promise((resolve, reject) => {
    socket.on('secureConnect', resolve);
    socket.on('error', reject);
  });
  return { socket, name: commonNameOf(socket) };
}

/** '': nothing, as the connection waited to be taken in the moment of the change. */
async function shownBy(server: HttpServer): Promise<string> {
  try {
    const { name, socket } = await open(server);
    socket.destroy();
    return name;
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ECONNRESET');
    return '';
  }
}

async function until(met: () => Promise<boolean>): Promise<void> {
  while (!(await met())) await new Promise((resolve) => setTimeout(resolve, 5));
}

function commonNameOf(socket: TLSSocket): string {
  const { subject } = socket.getPeerX509Certificate() as X509Certificate;
  return /CN=(.*)/.exec(subject)?.[1] ?? '';
}

/** What comes until `text` has. */
function reads(socket: TLSSocket, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let seen = '';
    const take = (bytes: Buffer): void => {
      seen += bytes.toString();
      if (!seen.includes(text)) return;
      socket.off('data', take);
      resolve(seen);
    };
    socket.on('data', take);
    socket.on('close', () => reject(new Error(`closed after: ${seen}`)));
  });
}

const head = 'GET / HTTP/1.1\r\nHost: t\r\n\r\n';

function properties(listen: Listen): void {
  it('new connections see it, and a stream that is open goes on', async () => {
    const streams: ResponseStream[] = [];
    const tls = await servingPair('first');
    const options = { address: '127.0.0.1', port: 0, limits: defaultTransportLimits, tls };
    const server = await listen(options, (exchange) => {
      streams.push(exchange.stream(200, [], Buffer.from(' ')));
    });
    const watcher = await open(server);
    assert.equal(watcher.name, 'first');
    const begun = reads(watcher.socket, '200 OK');
    watcher.socket.write(head);
    await begun;
    for (const name of ['second', 'third']) {
      server.changeTls(await servingPair(name));
      await until(async () => (await shownBy(server)) === name);
      for (let times = 0; times < 3; times += 1) {
        const { socket, name: shown } = await open(server);
        assert.equal(shown, name);
        const answered = reads(socket, '200 OK');
        socket.write(head);
        await answered;
        socket.destroy();
      }
    }
    const told = reads(watcher.socket, 'goes on');
    streams[0]?.write(Buffer.from('it goes on'));
    await told;
    const cut = new Promise((resolve) => watcher.socket.once('close', resolve));
    await server.close();
    await cut;
    await assert.rejects(open(server), /ECONNREFUSED/);
  });

  it('what is no certificate with its key changes nothing', async () => {
    const tls = await servingPair('first');
    const options = { address: '127.0.0.1', port: 0, limits: defaultTransportLimits, tls };
    const server = await listen(options, (exchange) => exchange.send(200, [], 'ok'));
    try {
      const { certificatePem } = await servingPair('other');
      for (const wrong of [
        { certificatePem, keyPem: tls.keyPem },
        { certificatePem: 'x', keyPem: tls.keyPem },
        { certificatePem, keyPem: 'x' },
      ]) {
        assert.throws(() => server.changeTls(wrong));
        const { socket, name } = await open(server);
        assert.equal(name, 'first');
        socket.destroy();
      }
    } finally {
      await server.close();
    }
  });

  it('a port that takes nobody any more is not opened by it', async () => {
    const options = { address: '127.0.0.1', port: 0, limits: defaultTransportLimits, tls: tlsPair };
    const server = await listen(options, (exchange) => exchange.send(200, [], 'ok'));
    server.stopAccepting();
    server.changeTls(await servingPair('late'));
    await assert.rejects(open(server), /ECONNREFUSED|ECONNRESET|socket disconnected/);
    await server.close();
  });
}

describe('another certificate for a port of node', () => properties(listenNode));

const load = await loadUws();
const skip = load.ok ? false : `no uWebSockets.js loads here: ${load.why}`;
describe('another certificate for a port of uws', { skip }, () => properties(listenUws));
