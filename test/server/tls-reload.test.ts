/** The files of TLS of a running server: read again when they change, on both ports. */
import assert from 'node:assert/strict';
import type { X509Certificate } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { connect } from 'node:tls';
import { parse } from 'yaml';
import { makeAuthority, makeCertificate } from '../../src/pki/certificate-authority.ts';
import type { KeyPair } from '../../src/pki/certificate-authority.ts';
import { keyPurposes } from '../../src/pki/certificates.ts';
import type { AccessConfig } from '../../src/server/config/access-options.ts';
import { readCaStore } from '../../src/server/compose/trusted-cas.ts';
import { finished } from '../../src/stdx/stepwise.ts';
import { leafOf, startSecureServer } from '../support/servers/secure-server.ts';
import type { SecureServer } from '../support/servers/secure-server.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-tls');

after(() => directories.removeAll());

const validity = { notBeforeMs: Date.now() - 60_000, notAfterMs: Date.now() + 3_600_000 };
const authorityOf = (commonName: string): Promise<KeyPair> =>
  makeAuthority({ commonName, ...validity });

async function until(what: string, met: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await met()); tries += 1) {
    assert.ok(tries < 20_000, what);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** The common name that is shown at the port of `url`; '' for a connection that came in the very
 * moment of a change. */
function shownAt(url: string): Promise<string> {
  const { hostname: host, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port), rejectUnauthorized: false }, () => {
      const { subject } = socket.getPeerX509Certificate() as X509Certificate;
      resolve(/CN=(.*)/.exec(subject)?.[1] ?? '');
      socket.destroy();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET') resolve('');
      else reject(error);
    });
  });
}

function statusWith(agent: https.Agent, url: string, target: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = https.get(new URL(target, url), { agent }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    call.on('error', reject);
  });
}

describe('the files of TLS', () => {
  const folder = directories.make();
  const file = (name: string): string => path.join(folder, name);
  /** Whole, as whoever renews it does. */
  const save = (name: string, text: string): void => {
    writeFileSync(file(`${name}.new`), text);
    renameSync(file(`${name}.new`), file(name));
  };
  const logged: string[] = [];
  const note = (fields: object, message: string): void => {
    logged.push(`${message}: ${(fields as { err?: Error }).err?.message ?? ''}`);
  };
  let servingCa: KeyPair;
  let clientCa: KeyPair;
  let server: SecureServer;
  const serving = (commonName: string): Promise<KeyPair> =>
    makeCertificate(
      { commonName, addresses: ['127.0.0.1'], ...validity },
      keyPurposes.serverAuth,
      servingCa,
    );
  const shown = async (): Promise<string> => {
    const { tokenUrl = '' } = server.running;
    return `${await shownAt(server.secureUrl)} ${await shownAt(tokenUrl)}`;
  };
  /** As a client of its own connection, kept open between requests. */
  const callerWith = ({ certificatePem: cert, keyPem: key }: KeyPair) => {
    const options = { keepAlive: true, maxSockets: 1, cert, key, rejectUnauthorized: false };
    const agent = new https.Agent(options);
    return {
      status: (target = '/version') => statusWith(agent, server.secureUrl, target),
      end: () => agent.destroy(),
    };
  };

  before(async () => {
    servingCa = await authorityOf('serving-ca');
    clientCa = await authorityOf('client-ca');
    const { certificatePem, keyPem } = await serving('one');
    save('tls.crt', certificatePem);
    save('tls.key', keyPem);
    save('clients.crt', clientCa.certificatePem);
    const log = { error: note, warn: note, info: note, debug: () => undefined };
    server = await startSecureServer(
      {
        'tls-cert-file': file('tls.crt'),
        'tls-private-key-file': file('tls.key'),
        'client-ca-file': file('clients.crt'),
        'anonymous-auth': 'false',
      },
      log,
    );
  });
  after(async () => {
    await server.remove();
  });

  it('a certificate written before its key is served when both are there, on both ports', async () => {
    assert.equal(await shown(), 'one one');
    const { certificatePem, keyPem } = await serving('two');
    save('tls.crt', certificatePem);
    await until('half of it is told', () =>
      Promise.resolve(logged.some((line) => line.includes('no certificate with its key'))),
    );
    assert.equal(await shown(), 'one one');
    save('tls.key', keyPem);
    await until('both ports show it', async () => (await shown()) === 'two two');
    const config = readFileSync(server.running.kubeconfig, 'utf8');
    const { clusters } = parse(config) as {
      clusters: { cluster: Record<string, string> }[];
    };
    for (const { cluster } of clusters) {
      const trusted = Buffer.from(cluster['certificate-authority-data'] ?? '', 'base64');
      assert.equal(trusted.toString(), certificatePem);
    }
  });

  it('what is no certificate leaves the last one in force, and is told once', async () => {
    const lines = (): number => logged.filter((line) => line.includes('not in force')).length;
    const had = lines();
    save('tls.crt', 'nonsense');
    await until('it is told', () => Promise.resolve(lines() > had));
    // In the same folder: both are looked at again.
    save('clients.crt', `${clientCa.certificatePem}\n`);
    await until('a later change has been seen', () =>
      Promise.resolve(logged.some((line) => line.includes('CAs of clients are in force'))),
    );
    assert.equal(lines(), had + 1);
    assert.equal(await shown(), 'two two');
    const three = await serving('three');
    save('tls.key', three.keyPem);
    save('tls.crt', three.certificatePem);
    await until('what is right again is taken', async () => (await shown()) === 'three three');
  });

  it('CAs of clients of which the last is cut short leave the former in force', async () => {
    const otherCa = await authorityOf('cut-ca');
    const jane = callerWith(await leafOf(clientCa, 'jane'));
    assert.equal(await jane.status(), 200);
    save('clients.crt', `${otherCa.certificatePem}\n${clientCa.certificatePem.slice(0, -40)}`);
    await until('it is told', () =>
      Promise.resolve(logged.some((line) => line.includes('a certificate that has no end'))),
    );
    assert.equal(await jane.status(), 200);
    jane.end();
  });

  it('a CA of clients that is added is trusted, one that is gone is not from the next request on', async () => {
    const otherCa = await authorityOf('other-ca');
    const jane = callerWith(await leafOf(clientCa, 'jane'));
    const john = callerWith(await leafOf(otherCa, 'john'));
    assert.equal(await jane.status(), 200);
    assert.equal(await john.status(), 401);
    save('clients.crt', `${clientCa.certificatePem}\n${otherCa.certificatePem}`);
    await until('the added one counts', async () => (await john.status()) === 200);
    assert.equal(await jane.status(), 200);
    const had = logged.length;
    save('clients.crt', '');
    await until('it is told', () =>
      Promise.resolve(logged.slice(had).some((line) => line.includes('are not in force'))),
    );
    assert.deepEqual([await jane.status(), await john.status()], [200, 200]);
    save('clients.crt', otherCa.certificatePem);
    await until('the connection of the one that is gone counts no more', async () => {
      return (await jane.status()) === 401;
    });
    assert.equal(await john.status(), 200);
    jane.end();
    john.end();
  });
});

it('CAs are read a certificate at a time, and are in force when all of them have been', async () => {
  const folder = directories.make();
  const file = path.join(folder, 'many.crt');
  const own = (await authorityOf('own')).certificatePem;
  const other = (await authorityOf('other')).certificatePem;
  writeFileSync(file, other);
  const access = { clientCaFile: file } as unknown as AccessConfig;
  const store = readCaStore(access, own);
  const before = store.current();
  assert.equal(before.clientRoots.length, 2);
  const steps = store.take([Buffer.from(other.repeat(50))]);
  for (let step = 0; step < 51; step += 1) {
    assert.equal(steps.next().done, false);
    assert.equal(store.current(), before);
  }
  assert.equal(steps.next().done, true);
  assert.equal(store.current().clientRoots.length, 51);
  assert.throws(() => finished(store.take([Buffer.from(`${other}-----BEGIN CERTIFICATE-----`)])));
  assert.equal(store.current().clientRoots.length, 51);
});
