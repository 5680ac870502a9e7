/**
 * A client certificate that has ended lets nobody in: not on a connection that was opened before,
 * nor with a session of TLS that was begun with it, by ticket or id, in TLS 1.2 and 1.3.
 */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, describe, it } from 'node:test';
import { connect } from 'node:tls';
import type { TLSSocket } from 'node:tls';
import { makeCertificate } from '../../src/pki/certificate-authority.ts';
import { keyPurposes } from '../../src/pki/certificates.ts';
import type { KeyPair } from '../../src/pki/certificate-authority.ts';
import { startSecureServer } from '../support/servers/secure-server.ts';
import type { SecureServer } from '../support/servers/secure-server.ts';

const livesMs = 4_000;
const target = '/api/v1/namespaces/default/configmaps';
const request = `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`;

interface Visit {
  readonly socket: TLSSocket;
  /** Every one that the server has given out. */
  readonly sessions: Buffer[];
  /** The status of one more answer on this connection; 0: it is over. */
  ask(): Promise<number>;
}

describe('sessions of a certificate that has ended', () => {
  let server: SecureServer;
  before(async () => {
    server = await startSecureServer({});
  });
  after(() => server.remove());

  const visit = async (
    version: 'TLSv1.2' | 'TLSv1.3',
    { as, session }: { as?: KeyPair | undefined; session?: Buffer | undefined },
  ): Promise<Visit> => {
    const socket = connect({
      port: Number(new URL(server.secureUrl).port),
      host: '127.0.0.1',
      ca: server.caPem,
      minVersion: version,
      maxVersion: version,
      ...(as === undefined ? {} : { cert: as.certificatePem, key: as.keyPem }),
      ...(session === undefined ? {} : { session }),
    });
    const sessions: Buffer[] = [];
    socket.on('session', (given: Buffer) => sessions.push(given));
    socket.on('error', () => undefined);
    await new Promise((resolve) => {
      socket.once('secureConnect', resolve);
      socket.once('close', resolve);
    });
    const ask = async (): Promise<number> => {
      const said = new Promise<string>((resolve) => {
        socket.once('data', (piece: Buffer) => resolve(piece.toString('latin1')));
        socket.once('close', () => resolve(''));
        if (socket.destroyed) resolve('');
      });
      if (!socket.destroyed) socket.write(request);
      return Number(/^HTTP\/1\.1 (\d+)/.exec(await said)?.[1] ?? 0);
    };
    return { socket, sessions, ask };
  };

  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    it(`${version}: neither the connection, nor a session of it, shows the user`, async () => {
      const nowMs = Date.now();
      const notAfterMs = nowMs + livesMs;
      const name = { commonName: 'root', organizations: ['system:masters'] };
      const validity = { ...name, notBeforeMs: nowMs - 60_000, notAfterMs };
      const as = await makeCertificate(validity, keyPurposes.clientAuth, server.authority);
      const first = await visit(version, { as });
      assert.equal(await first.ask(), 200);
      const kept = first.socket.getSession();
      const sessions = [...first.sessions, ...(kept === undefined ? [] : [kept])];
      assert.ok(sessions.length > 0, 'the client has something to come back with');

      const early = await visit(version, { session: sessions.at(-1) });
      assert.notEqual(await early.ask(), 200, 'a session alone is no credential');
      early.socket.destroy();

      await sleep(notAfterMs + 1_100 - Date.now());
      assert.equal(await first.ask(), 401, 'on the connection that was open');
      first.socket.destroy();
      for (const session of sessions) {
        for (const brought of [as, undefined]) {
          const again = await visit(version, { as: brought, session });
          const status = await again.ask();
          assert.ok([0, 401, 403].includes(status), `${status}`);
          assert.equal(again.socket.isSessionReused(), false);
          again.socket.destroy();
        }
      }
    });
  }
});
