import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { identityOf } from '../../src/apimachinery/identity.ts';
import {
  certificateEndMs,
  coversHost,
  keyPurposes,
  readCertificates,
  verifyChain,
} from '../../src/pki/certificates.ts';
import { servingProblem } from '../../src/pki/certificate-authority.ts';
import type { KeyPair } from '../../src/pki/certificate-authority.ts';
import { ensurePki, renewBeforeMs } from '../../src/server/compose/pki.ts';
import { completeSystem } from '../../src/server/config/system-options.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-pki');

const dayMs = 24 * 3_600_000;
const startMs = Date.parse('2030-01-01T00:00:00Z');
let dataDir = '';

beforeEach(async () => (dataDir = directories.make()));
afterEach(() => directories.removeAll());

const addressFlags = {
  'advertise-address': '',
  'service-cluster-ip-range': '10.0.0.0/24',
  'service-node-port-range': '30000-32767',
};

const ensure = (nowMs = startMs, bindAddress = '127.0.0.1', flags = addressFlags) =>
  ensurePki(
    { dataDir, bindAddress, system: completeSystem(flags, bindAddress) },
    identityOf('kubernetes'),
    { nowMs: () => nowMs, monotonicMs: () => 0 },
  );

const certificate = ({ certificatePem }: KeyPair) => {
  const [first] = readCertificates(certificatePem) ?? [];
  assert(first !== undefined);
  return first;
};

describe('the end of a certificate', () => {
  it('is the same, read alone and with everything else', async () => {
    const { authority } = await ensure();
    const { notAfterMs } = certificate(authority);
    assert.equal(certificateEndMs(authority.certificatePem), notAfterMs);
    assert.equal(certificateEndMs('-----BEGIN CERTIFICATE-----\nAAAA'), undefined);
  });
});

describe('the files of the pki folder', () => {
  it('are their owner’s alone', async () => {
    await ensure();
    const folder = path.join(dataDir, 'pki');
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    const names = [
      'ca.crt',
      'ca.key',
      'serving.crt',
      'serving.key',
      'admin.crt',
      'admin.key',
      'admin.token',
    ];
    for (const name of names)
      assert.equal(statSync(path.join(folder, name)).mode & 0o777, 0o600, name);
  });

  it('stay as they are at the next start', async () => {
    const first = await ensure();
    assert.deepEqual(await ensure(startMs + dayMs), first);
  });

  it('hold what is good for its purpose: a server’s names, a user of system:masters', async () => {
    const pki = await ensure(startMs, '10.1.2.3');
    const roots = [certificate(pki.authority)];
    const serving = certificate(pki.serving);
    for (const host of ['localhost', '127.0.0.1', '::1', '10.1.2.3', 'kubernetes.default.svc'])
      assert(coversHost(serving, host), host);
    assert.equal(verifyChain([serving], roots, keyPurposes.serverAuth, startMs).kind, 'trusted');
    assert.equal(verifyChain([serving], roots, keyPurposes.clientAuth, startMs).kind, 'untrusted');
    const admin = certificate(pki.admin);
    assert.equal(verifyChain([admin], roots, keyPurposes.clientAuth, startMs).kind, 'trusted');
    assert.deepEqual(
      [admin.commonName, ...admin.organizations],
      ['kubernetes-admin', 'system:masters'],
    );
  });

  it('name the addresses that are published: that of the server, that of its service', async () => {
    const flags = {
      ...addressFlags,
      'advertise-address': '192.0.2.7',
      'service-cluster-ip-range': '10.96.0.0/16',
    };
    const { serving } = await ensure(startMs, '127.0.0.1', flags);
    for (const host of ['192.0.2.7', '10.96.0.1'])
      assert(coversHost(certificate(serving), host), host);
    const moved = await ensure(startMs);
    assert.notEqual(moved.serving.certificatePem, serving.certificatePem);
    assert(coversHost(certificate(moved.serving), '10.0.0.1'));
  });

  it('are renewed when they run out, or an address is not covered; the CA stays', async () => {
    const first = await ensure();
    const late = await ensure(startMs + 365 * dayMs - renewBeforeMs + 1);
    assert.equal(late.authority.certificatePem, first.authority.certificatePem);
    assert.notEqual(late.serving.certificatePem, first.serving.certificatePem);
    assert.notEqual(late.admin.certificatePem, first.admin.certificatePem);
    assert.equal(late.adminToken, first.adminToken);
    const moved = await ensure(startMs + 365 * dayMs - renewBeforeMs + 1, '10.9.9.9');
    assert.notEqual(moved.serving.certificatePem, late.serving.certificatePem);
    assert.equal(moved.admin.certificatePem, late.admin.certificatePem);
  });

  it('are made anew when a leaf has lost its key, as after a crash between the two', async () => {
    const first = await ensure();
    writeFileSync(path.join(dataDir, 'pki', 'serving.key'), first.admin.keyPem);
    const again = await ensure();
    assert.notEqual(again.serving.certificatePem, first.serving.certificatePem);
  });

  it('a token that somebody has put there, and that could be guessed, ends the start', async () => {
    await ensure();
    const file = path.join(dataDir, 'pki', 'admin.token');
    writeFileSync(file, 'a'.repeat(31));
    await assert.rejects(ensure(), /admin\.token: the token must have at least 32 characters/);
    writeFileSync(file, `${'a'.repeat(32)}\n`);
    assert.equal((await ensure()).adminToken, 'a'.repeat(32));
  });

  it('to be served with are a pair, and no longer than clients take', async () => {
    const { authority, serving } = await ensure();
    const chained = (more: number): KeyPair => ({
      ...serving,
      certificatePem: serving.certificatePem + authority.certificatePem.repeat(more),
    });
    assert.equal(servingProblem(chained(10)), undefined);
    assert.equal(servingProblem(chained(400)), 'the certificates are longer than clients take');
    const halves = { ...serving, keyPem: authority.keyPem };
    assert.equal(servingProblem(halves), 'no certificate with its key');
  });

  it('of a CA whose time has not come end the start, which says what the clock says', async () => {
    await ensure(startMs);
    await assert.doesNotReject(ensure(startMs - 4 * 60_000));
    const why =
      /ca\.crt is not valid before 2029-12-31T23:55:00Z, and the clock says 2029-01-01T00/;
    await assert.rejects(ensure(startMs - 365 * dayMs), why);
    await assert.doesNotReject(ensure(startMs + 1));
  });

  it('of a CA that has lost its key end the start, and stay', async () => {
    const first = await ensure();
    const file = path.join(dataDir, 'pki', 'ca.key');
    writeFileSync(file, first.admin.keyPem);
    await assert.rejects(ensure(), /--data-dir: .*ca\.crt and ca\.key/);
    assert.equal(readFileSync(file, 'utf8'), first.admin.keyPem);
  });
});
