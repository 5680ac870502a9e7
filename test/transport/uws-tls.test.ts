import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { connect } from 'node:tls';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { defaultTransportLimits } from '../../src/transport/http-exchange.ts';
import type { HttpServer, TlsOptions } from '../../src/transport/http-exchange.ts';
import { listenUws } from '../support/servers/listen-uws.ts';
import { loadUws } from '../../src/transport/uws/uws-binding.ts';
import { transportContract } from '../contract/transport-contract.ts';
import { tlsPair } from '../support/data/tls-pair.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-scratch');

const load = await loadUws();
const skip = load.ok ? false : `no uWebSockets.js loads here: ${load.why}`;

function serve(tls: TlsOptions): Promise<HttpServer> {
  const options = { address: '127.0.0.1', port: 0, limits: defaultTransportLimits, tls };
  return listenUws(options, (exchange) => exchange.send(200, [], exchange.scheme));
}

/** What the handshake comes to, and the tickets that have come when the answer has. */
async function ask(
  { port }: HttpServer,
  options: ConnectionOptions = {},
): Promise<{ socket: TLSSocket; protocol: string; cipher: string; session: Buffer | undefined }> {
  const to = { host: '127.0.0.1', port, ca: tlsPair.certificatePem };
  const socket = connect({ ...to, servername: 'localhost', ...options });
  let session: Buffer | undefined;
  socket.on('session', (ticket) => (session = ticket));
  await new Promise((resolve, reject) => {
    socket.on('secureConnect', resolve);
    socket.on('error', reject);
  });
  socket.write('GET / HTTP/1.1\r\nHost: t\r\n\r\n');
  await new Promise((resolve) => socket.once('data', resolve));
  const protocol = String(socket.getProtocol());
  return { socket, protocol, cipher: socket.getCipher().name, session };
}

describe('uws over TLS', { skip }, () => {
  it('what only node can serve is refused, and so is what is no certificate with its key', async () => {
    const { certificatePem, keyPem } = tlsPair;
    const wrong: readonly (readonly [TlsOptions, RegExp])[] = [
      [{ certificatePem, keyPem, clientCaPem: certificatePem }, /client certificates/],
      [{ certificatePem, keyPem, minVersion: 'TLSv1.3' }, /TLS 1\.2/],
      [{ certificatePem: 'x', keyPem }, /PEM/],
      [{ certificatePem, keyPem: 'x' }, /./],
    ];
    for (const [tls, why] of wrong) await assert.rejects(serve(tls), why);
  });

  it('nothing of the key is left in a file, whether the port is opened or not', async () => {
    const directory = directories.make();
    try {
      const server = await serve({ ...tlsPair, scratchDirectory: directory });
      assert.deepEqual(readdirSync(directory), []);
      await server.close();
      const broken = { certificatePem: tlsPair.certificatePem, keyPem: 'x' };
      await assert.rejects(serve({ ...broken, scratchDirectory: directory }));
      assert.deepEqual(readdirSync(directory), []);
    } finally {
      await directories.removeAll();
    }
  });

  it('TLS 1.2 and 1.3 with forward secret ciphers are spoken, and nothing weaker', async () => {
    const server = await serve(tlsPair);
    try {
      for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
        const only = { minVersion: version, maxVersion: version };
        const { socket, protocol, cipher } = await ask(server, only);
        assert.equal(protocol, version);
        assert.match(cipher, /GCM|CHACHA20/);
        socket.destroy();
      }
      const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1' } as const;
      await assert.rejects(ask(server, { ...old, ciphers: 'DEFAULT@SECLEVEL=0' }));
      const weak = { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA:AES128-SHA' } as const;
      await assert.rejects(ask(server, weak));
    } finally {
      await server.close();
    }
  });

  it('a session is resumed, but not by a port that was opened anew', async () => {
    for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
      const first = await serve(tlsPair);
      const { socket, session } = await ask(first, { maxVersion });
      socket.destroy();
      assert.ok(session !== undefined, 'the server gives a ticket');
      const again = await ask(first, { maxVersion, session });
      assert.equal(again.socket.isSessionReused(), true, maxVersion);
      again.socket.destroy();
      await first.close();
      const second = await serve(tlsPair);
      const anew = await ask(second, { maxVersion, session });
      assert.equal(anew.socket.isSessionReused(), false, maxVersion);
      anew.socket.destroy();
      await second.close();
    }
  });
});

if (load.ok) {
  transportContract('uws over TLS', listenUws, {
    queuesPipelined: false,
    answersGarbage: false,
    countsConnections: false,
    longMs: 17_000,
    tls: tlsPair,
  });
}
