import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isPair, makeAuthority, makeCertificate } from '../../src/pki/certificate-authority.ts';
import {
  coversHost,
  keyPurposes,
  readCertificate,
  readCertificates,
  verifyChain,
} from '../../src/pki/certificates.ts';
import type { KeyPair } from '../../src/pki/certificate-authority.ts';
import type { Certificate } from '../../src/pki/certificates.ts';
import { hourMs, link, nowMs, validity } from '../support/data/certificate-links.ts';
import { Extension, KeyUsageFlags } from '@peculiar/x509';

const { clientAuth, serverAuth } = keyPurposes;

function only(pair: KeyPair): Certificate {
  const [certificate] = readCertificates(pair.certificatePem) ?? [];
  assert(certificate !== undefined);
  return certificate;
}

function verdict(chain: readonly Certificate[], roots: readonly Certificate[]): string {
  const result = verifyChain(chain, roots, clientAuth, nowMs);
  return result.kind === 'trusted' ? 'trusted' : result.why;
}

describe('certificates that are made here', () => {
  it('belong to their CA, serve one purpose, and carry names with any characters', async () => {
    const ca = await makeAuthority({ commonName: 'some ca', ...validity });
    const organizations = ['system:masters', 'a, b + c=d', 'größe'];
    const leaf = await makeCertificate(
      { commonName: 'jane "j" doe\\, x', organizations, ...validity },
      clientAuth,
      ca,
    );
    const read = only(leaf);
    assert.equal(read.commonName, 'jane "j" doe\\, x');
    assert.deepEqual(read.organizations, organizations);
    assert(isPair(leaf) && isPair(ca));
    assert(!isPair({ certificatePem: leaf.certificatePem, keyPem: ca.keyPem }));
    assert.equal(verdict([read], [only(ca)]), 'trusted');
    assert.equal(verifyChain([read], [only(ca)], serverAuth, nowMs).kind, 'untrusted');
  });

  it('cover the hosts that they name, and no others', async () => {
    const ca = await makeAuthority({ commonName: 'ca', ...validity });
    const names = { dnsNames: ['localhost', 'host.example'], addresses: ['127.0.0.1', '::1'] };
    const leaf = only(
      await makeCertificate({ commonName: 'x', ...names, ...validity }, serverAuth, ca),
    );
    for (const host of ['localhost', 'host.example', '127.0.0.1', '::1'])
      assert(coversHost(leaf, host), host);
    for (const host of ['other', '127.0.0.2', '::2']) assert(!coversHost(leaf, host), host);
  });
});

describe('a chain', () => {
  it('is trusted only while all of it is valid', async () => {
    const ca = await makeAuthority({ commonName: 'ca', ...validity });
    const make = (notBeforeMs: number, notAfterMs: number) =>
      makeCertificate({ commonName: 'x', notBeforeMs, notAfterMs }, clientAuth, ca).then(only);
    assert.equal(verdict([await make(nowMs - 2, nowMs - 1)], [only(ca)]), 'it has expired');
    assert.equal(
      verdict([await make(nowMs + 2000, nowMs + hourMs)], [only(ca)]),
      'it is not valid yet',
    );
    const old = await link({
      subject: 'old',
      ca: true,
      notAfterMs: nowMs - 2000,
      notBeforeMs: nowMs - hourMs,
    });
    const below = await link({ subject: 'x', issuer: old });
    assert.equal(verdict([below.own], [old.own]), 'no trusted CA has signed it');
  });

  it('of another CA with the same name is not trusted', async () => {
    const [own, other] = await Promise.all(
      [1, 2].map(() => makeAuthority({ commonName: 'ca', ...validity })),
    );
    assert(own !== undefined && other !== undefined);
    const leaf = only(await makeCertificate({ commonName: 'x', ...validity }, clientAuth, other));
    assert.equal(verdict([leaf], [only(own)]), 'no trusted CA has signed it');
    assert.equal(verdict([leaf, only(other)], [only(own)]), 'no trusted CA has signed it');
  });

  it('goes through intermediate CAs, in any order, if each may stand where it does', async () => {
    const root = await link({ subject: 'root', ca: true });
    const upper = await link({ subject: 'upper', ca: true, issuer: root });
    const lower = await link({ subject: 'lower', ca: true, issuer: upper });
    const leaf = await link({ subject: 'x', issuer: lower });
    assert.equal(verdict([leaf.own, lower.own, upper.own], [root.own]), 'trusted');
    assert.equal(verdict([leaf.own, upper.own, lower.own], [root.own]), 'trusted');
    assert.equal(verdict([leaf.own, lower.own], [root.own]), 'no trusted CA has signed it');
    const short = await link({ subject: 'short', ca: true, pathLength: 0 });
    const middle = await link({ subject: 'middle', ca: true, issuer: short });
    const far = await link({ subject: 'far', issuer: middle });
    assert.equal(verdict([far.own, middle.own], [short.own]), 'no trusted CA has signed it');
  });

  it('does not go through a user: a leaf signs nothing', async () => {
    const root = await link({ subject: 'root', ca: true });
    const user = await link({ subject: 'user', issuer: root });
    const admin = await link({ subject: 'admin', issuer: user });
    assert.equal(verdict([admin.own, user.own], [root.own]), 'no trusted CA has signed it');
    const noSigner = await link({
      subject: 'no signer',
      ca: true,
      keyUsage: KeyUsageFlags.digitalSignature,
    });
    const below = await link({ subject: 'x', issuer: noSigner });
    assert.equal(verdict([below.own], [noSigner.own]), 'no trusted CA has signed it');
  });

  it('is not trusted for what it was not made for, at any link', async () => {
    const root = await link({ subject: 'root', ca: true });
    const servers = await link({
      subject: 'servers',
      ca: true,
      issuer: root,
      usages: [serverAuth],
    });
    const client = await link({ subject: 'x', issuer: servers, usages: [clientAuth] });
    assert.equal(verdict([client.own, servers.own], [root.own]), 'no trusted CA has signed it');
    const server = await link({ subject: 'x', issuer: root, usages: [serverAuth] });
    assert.equal(verdict([server.own], [root.own]), 'it is not made for this purpose');
    const anything = await link({ subject: 'x', issuer: root, usages: ['2.5.29.37.0'] });
    assert.equal(verdict([anything.own], [root.own]), 'trusted');
  });

  it('with rules that are not evaluated here is not trusted', async () => {
    const root = await link({ subject: 'root', ca: true });
    const strange = new Extension('1.2.3.4', true, new Uint8Array([5, 0]));
    const leaf = await link({ subject: 'x', issuer: root, extensions: [strange] });
    assert.equal(verdict([leaf.own], [root.own]), 'its extension 1.2.3.4 is not evaluated here');
    const ignorable = new Extension('1.2.3.4', false, new Uint8Array([5, 0]));
    const other = await link({ subject: 'x', issuer: root, extensions: [ignorable] });
    assert.equal(verdict([other.own], [root.own]), 'trusted');
    const constrained = new Extension('2.5.29.30', false, new Uint8Array([0x30, 0]));
    const limited = await link({ subject: 'limited', ca: true, extensions: [constrained] });
    const below = await link({ subject: 'x', issuer: limited });
    assert.equal(verdict([below.own], [limited.own]), 'no trusted CA has signed it');
  });

  it('with a signature over SHA-1 is not trusted, at any link', async () => {
    const root = await link({ subject: 'root', ca: true });
    const weak = await link({ subject: 'x', issuer: root, hash: 'SHA-1' });
    assert.equal(verdict([weak.own], [root.own]), 'it is signed over a weak hash');
    const middle = await link({ subject: 'middle', ca: true, issuer: root, hash: 'SHA-1' });
    const leaf = await link({ subject: 'x', issuer: middle });
    assert.equal(verdict([leaf.own, middle.own], [root.own]), 'no trusted CA has signed it');
  });

  it('of CAs that have all signed each other costs 16 signatures at most, and is not trusted', async () => {
    const root = await link({ subject: 'root', ca: true });
    const leaf = await link({ subject: 'x' });
    let verified = 0;
    const verifier = {
      checkIssued: (issuer: unknown) => issuer === verifier,
      verify: () => (verified += 1) > 0,
    } as unknown as Certificate['verifier'];
    const circle = Array.from({ length: 8 }, () => ({ ...root.own, verifier }));
    const chain = [{ ...leaf.own, verifier }, ...circle];
    assert.equal(verdict(chain, [root.own]), 'no trusted CA has signed it');
    assert.equal(verified, 16);
  });

  it('self-signed is trusted by nobody, sent once or several times', async () => {
    const lone = await link({ subject: 'lone', ca: true });
    const root = await link({ subject: 'root', ca: true });
    assert.equal(
      verdict([lone.own, lone.own, lone.own], [root.own]),
      'no trusted CA has signed it',
    );
    assert.equal(verdict([], [root.own]), 'there is no certificate');
  });
});

describe('reading', () => {
  it('gives nothing for what is no certificate', () => {
    assert.equal(readCertificate(new Uint8Array([1, 2, 3])), undefined);
    assert.equal(readCertificate(new Uint8Array(0)), undefined);
    const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
    assert.equal(readCertificates(broken), undefined);
    assert.deepEqual(readCertificates('no certificates'), []);
  });
});
