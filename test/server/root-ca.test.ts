/** `--root-ca-file`: whose certificates show that a server is the one, where its own CA does not. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { parse } from 'yaml';
import { makeAuthority, makeCertificate } from '../../src/pki/certificate-authority.ts';
import { keyPurposes } from '../../src/pki/certificates.ts';
import { exchange } from '../support/clients/http-client.ts';
import { testDirectories } from '../support/data/test-directories.ts';
import { identityOf, startSecureServer, tokens } from '../support/servers/secure-server.ts';
import type { SecureServer } from '../support/servers/secure-server.ts';

const directories = testDirectories('sluice-root-ca');
const validity = { notBeforeMs: Date.now() - 60_000, notAfterMs: Date.now() + 3_600_000 };

describe('a server whose certificate is of another CA, which is named', () => {
  const folder = directories.make();
  const file = (name: string): string => path.join(folder, name);
  let caPem = '';
  let server: SecureServer;

  before(async () => {
    const authority = await makeAuthority({ commonName: 'corporate', ...validity });
    const template = { commonName: 'api', addresses: ['127.0.0.1'], ...validity };
    const pair = await makeCertificate(template, keyPurposes.serverAuth, authority);
    caPem = authority.certificatePem;
    writeFileSync(file('tls.crt'), pair.certificatePem);
    writeFileSync(file('tls.key'), pair.keyPem);
    writeFileSync(file('ca.pem'), `of the company\n${authority.keyPem}\n${caPem}`);
    server = await startSecureServer({
      controllers: 'root-ca-cert-publisher',
      'tls-cert-file': file('tls.crt'),
      'tls-private-key-file': file('tls.key'),
      'root-ca-file': file('ca.pem'),
    });
  });
  after(async () => {
    await server.remove();
    await directories.removeAll();
  });

  it('is verified by its kubeconfig with OpenSSL, which takes no leaf for a root', async () => {
    const text = readFileSync(path.join(server.dataDir, 'admin.kubeconfig'), 'utf8');
    const { clusters } = parse(text) as { clusters: { cluster: Record<string, string> }[] };
    assert.equal(clusters.length, 2);
    for (const { cluster } of clusters) {
      const encoded = cluster['certificate-authority-data'] ?? '';
      const ca = Buffer.from(encoded, 'base64').toString();
      assert.equal(ca.trim(), caPem.trim());
      const request = { token: tokens.admin, tls: identityOf(ca, undefined) };
      const reply = await exchange(cluster['server'] ?? '', '/livez', request);
      assert.equal(reply.status, 200);
    }
  });

  it('gives pods the CA, and of its file nothing but certificates', async () => {
    const target = '/api/v1/namespaces/default/configmaps';
    const request = { token: tokens.admin, tls: identityOf(caPem, undefined) };
    let maps: { data: Record<string, string> }[] = [];
    for (let tries = 0; maps.length === 0; tries += 1) {
      assert.ok(tries < 2_000, 'it is made');
      const { body } = await exchange(server.secureUrl, target, request);
      maps = body['items'] as typeof maps;
      await setTimeout(5);
    }
    assert.equal(maps[0]?.data['ca.crt']?.trim(), caPem.trim());
  });
});
