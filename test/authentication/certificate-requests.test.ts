/** PKCS#10: what is read of a request, what is refused, and what a certificate has of it. */
import assert from 'node:assert/strict';
import { createPrivateKey, generateKeyPairSync, sign, webcrypto } from 'node:crypto';
import { X509Certificate as Parsed } from 'node:crypto';
import type { KeyPairKeyObjectResult } from 'node:crypto';
import { describe, it } from 'node:test';
import {
  issueCertificate,
  openAuthority,
  readSigningRequest,
} from '../../src/pki/certificate-requests.ts';
import { requestKeyOf } from '../../src/pki/request-keys.ts';
import { makeAuthority } from '../../src/pki/certificate-authority.ts';
import { readCertificates } from '../../src/pki/certificates.ts';
import { readPem } from '../../src/apimachinery/codecs/pem.ts';
import { leafOf } from '../support/servers/secure-server.ts';
import { makeRequest } from '../support/data/signing-requests.ts';
import { BasicConstraintsExtension, KeyUsagesExtension, X509Certificate } from '@peculiar/x509';
import { X509CertificateGenerator } from '@peculiar/x509';

const nowMs = Date.parse('2030-06-01T00:00:00Z');
const validity = { notBeforeMs: nowMs - 1000, notAfterMs: nowMs + 3_600_000 };
const names = [
  { type: 'dns' as const, value: 'node.example' },
  { type: 'ip' as const, value: '10.0.0.1' },
  { type: 'email' as const, value: 'a@b.c' },
  { type: 'url' as const, value: 'spiffe://a/b' },
];

function rewritten(pem: string, change: (der: Buffer) => Buffer): string {
  const [block] = readPem(pem);
  const base64 = change(Buffer.from(block?.bytes ?? [])).toString('base64');
  return `-----BEGIN CERTIFICATE REQUEST-----\n${base64}\n-----END CERTIFICATE REQUEST-----\n`;
}

function element(tag: number, content: Uint8Array): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: Uint8Array[]): Buffer => element(0x30, Buffer.concat(parts));

/** What is said of a request with this key, signed with it. */
function problemOfKey({ privateKey, publicKey }: KeyPairKeyObjectResult): string {
  const identifier = {
    rsa: sequence(Buffer.from('06092a864886f70d01010b0500', 'hex')),
    ec: sequence(Buffer.from('06082a8648ce3d040302', 'hex')),
  }[publicKey.asymmetricKeyType as 'rsa' | 'ec'];
  const key = publicKey.export({ format: 'der', type: 'spki' });
  const version = element(2, Buffer.from([0]));
  const info = sequence(version, sequence(), key, element(0xa0, Buffer.alloc(0)));
  const signature = element(3, Buffer.concat([Buffer.from([0]), sign('sha256', info, privateKey)]));
  const der = sequence(info, identifier, signature).toString('base64');
  const read = readSigningRequest(
    `-----BEGIN CERTIFICATE REQUEST-----\n${der}\n-----END CERTIFICATE REQUEST-----\n`,
  );
  return read.kind === 'invalid' ? read.problem : read.kind;
}

describe('reading a request', () => {
  for (const key of ['ecdsa', 'rsa', 'sha1', 'ed25519'] as const) {
    it(`gives its subject and its names, signed with ${key}`, async () => {
      const organizations = ['system:nodes', '"quoted, #name'];
      const made = await makeRequest({ commonName: 'system:node:a', organizations, names, key });
      const read = readSigningRequest(made.requestPem);
      assert.equal(read.kind, 'ok', JSON.stringify(read));
      const { commonName, dnsNames, addresses, emails, uris } = read.request;
      assert.deepEqual([commonName, read.request.organizations], ['system:node:a', organizations]);
      assert.deepEqual([dnsNames, addresses], [['node.example'], ['10.0.0.1']]);
      assert.deepEqual([emails, uris], [['a@b.c'], ['spiffe://a/b']]);
    });
  }

  const refusals: readonly [string, (pem: string) => string, RegExp][] = [
    ['no PEM', () => 'x', /^PEM block type must be CERTIFICATE REQUEST$/],
    ['another block', (pem) => pem.replaceAll(' REQUEST', ''), /must be CERTIFICATE REQUEST$/],
    ['cut short', (pem) => rewritten(pem, (der) => der.subarray(0, 80)), /not a PKCS#10/],
    [
      'changed after it was signed',
      (pem) =>
        rewritten(pem, (der) => {
          der.write('Somebody', der.indexOf('somebody'));
          return der;
        }),
      /its signature is not one of its key/,
    ],
    [
      'followed by something',
      (pem) => rewritten(pem, (der) => Buffer.concat([der, Buffer.from([5, 0])])),
      /its signature is not one of its key/,
    ],
    ['too long', (pem) => `${pem}${' '.repeat(65_536)}`, /no more than 65536 characters/],
  ];
  for (const [title, change, problem] of refusals) {
    it(`refuses what is ${title}`, async () => {
      const { requestPem } = await makeRequest({ commonName: 'somebody' });
      const read = readSigningRequest(change(requestPem));
      assert.match(read.kind === 'invalid' ? read.problem : read.kind, problem);
    });
  }

  it('is refused with more names or extensions than a bound says, before they are read', async () => {
    const many = (count: number, type: 'dns' | 'ip') =>
      Array.from({ length: count }, (_, i) => ({
        type,
        value: type === 'dns' ? `n${i}.example` : `10.0.${i >> 8}.${i & 255}`,
      }));
    const problemOf = async (shape: Parameters<typeof makeRequest>[0]) => {
      const read = readSigningRequest((await makeRequest(shape)).requestPem);
      return read.kind === 'invalid' ? read.problem : read.kind;
    };
    assert.equal(await problemOf({ commonName: 'a', names: many(500, 'dns') }), 'ok');
    assert.equal(
      await problemOf({ commonName: 'a', names: many(1100, 'ip') }),
      'it has more than 1024 elements',
    );
    const organizations = many(400, 'dns').map(({ value }) => value);
    assert.match(await problemOf({ commonName: 'a', organizations }), /more than 1024 elements/);
  });

  const curves = ['secp224r1', 'prime256v1', 'secp384r1', 'secp521r1'];
  for (const namedCurve of curves) {
    it(`takes a key on ${namedCurve}`, () => {
      assert.equal(problemOfKey(generateKeyPairSync('ec', { namedCurve })), 'ok');
    });
  }

  // Before, all of these were taken: who asks for such a certificate gets one that no client of
  // the reference can read.
  const odd: readonly [string, () => KeyPairKeyObjectResult, RegExp][] = [
    ['secp112r1', () => generateKeyPairSync('ec', { namedCurve: 'secp112r1' }), /curve/],
    ['sect571r1', () => generateKeyPairSync('ec', { namedCurve: 'sect571r1' }), /curve/],
    ['secp256k1', () => generateKeyPairSync('ec', { namedCurve: 'secp256k1' }), /curve/],
    [
      'a curve whose parameters are spelt out',
      () => generateKeyPairSync('ec', { namedCurve: 'prime256v1', paramEncoding: 'explicit' }),
      /curve of its key is not P-224, P-256, P-384 or P-521 by name/,
    ],
    ['512 bits of RSA', () => generateKeyPairSync('rsa', { modulusLength: 512 }), /shorter/],
    [
      'an exponent of 33 bits',
      () => generateKeyPairSync('rsa', { modulusLength: 1024, publicExponent: 2 ** 32 - 1 - 4 }),
      /exponent/,
    ],
  ];
  for (const [title, make, problem] of odd) {
    it(`refuses a key with ${title}`, () => assert.match(problemOfKey(make()), problem));
  }

  it('refuses a compressed point', () => {
    const spki = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).publicKey;
    const der = spki.export({ format: 'der', type: 'spki' });
    const point = Buffer.concat([Buffer.from([0, 2]), der.subarray(-64, -32)]);
    const compressed = sequence(der.subarray(2, 23), element(3, point));
    const read = requestKeyOf(compressed);
    assert.match(read.kind === 'invalid' ? read.problem : read.kind, /uncompressed/);
  });

  it('refuses a key of DSA', () => {
    const pair = generateKeyPairSync('dsa', { modulusLength: 1024, divisorLength: 160 });
    const read = requestKeyOf(pair.publicKey.export({ format: 'der', type: 'spki' }));
    assert.match(read.kind === 'invalid' ? read.problem : read.kind, /RSA, ECDSA and Ed25519 are/);
  });

  it('refuses a key of a kind that is not accepted', async () => {
    const { requestPem } = await makeRequest({ commonName: 'somebody', key: 'pss' });
    const read = readSigningRequest(requestPem);
    assert.match(read.kind === 'invalid' ? read.problem : read.kind, /not accepted/);
  });
});

describe('issuing a certificate', () => {
  it('takes subject and names, and no extension that was asked for: it is never a CA', async () => {
    const pair = await makeAuthority({ commonName: 'ca', ...validity });
    const shape = { commonName: 'a', organizations: ['x', 'y'], names, ca: true };
    const made = await makeRequest(shape);
    const read = readSigningRequest(made.requestPem);
    assert.equal(read.kind, 'ok');
    const usages = ['server auth', 'digital signature', 'cert sign'];
    const grant = { ...validity, usages };
    const signed = await issueCertificate(read.request, grant, await openAuthority(pair));
    assert(signed.kind === 'issued');
    const { certificatePem: pem } = signed;
    const issued = new Parsed(pem);
    assert(issued.verify(new Parsed(pair.certificatePem).publicKey));
    assert(issued.checkIssued(new Parsed(pair.certificatePem)));
    assert.equal(issued.subject, 'O=x\nO=y\nCN=a');
    assert.equal(
      issued.subjectAltName,
      'DNS:node.example, email:a@b.c, IP Address:10.0.0.1, URI:spiffe://a/b',
    );
    const own = new X509Certificate(pem);
    assert.equal(own.getExtension(BasicConstraintsExtension)?.ca, false);
    assert.equal(own.getExtension(KeyUsagesExtension)?.usages, 0x01 | 0x20);
    const [known] = readCertificates(pem) ?? [];
    assert.deepEqual([...(known?.purposes ?? [])], ['1.3.6.1.5.5.7.3.1']);
    assert.equal(known?.notAfterMs, validity.notAfterMs);
  });

  it('is for a CA with its own key alone', async () => {
    const [one, other] = await Promise.all(
      ['one', 'other'].map((commonName) => makeAuthority({ commonName, ...validity })),
    );
    assert(one !== undefined && other !== undefined);
    const leaf = await leafOf(one, 'leaf');
    const keys = (await webcrypto.subtle.generateKey('Ed25519', true, [
      'sign',
      'verify',
    ])) as webcrypto.CryptoKeyPair;
    const edwards = await X509CertificateGenerator.createSelfSigned({
      keys,
      extensions: [new BasicConstraintsExtension(true)],
    });
    const keyDer = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
    const key = { key: keyDer, format: 'der', type: 'pkcs8' } as const;
    const keyPem = createPrivateKey(key).export({ format: 'pem', type: 'pkcs8' }).toString();
    const unfit = openAuthority({ certificatePem: edwards.toString('pem'), keyPem });
    await assert.rejects(unfit, /the key is neither RSA nor ECDSA/);
    await assert.rejects(openAuthority({ ...one, keyPem: other.keyPem }), /no certificate with/);
    await assert.rejects(openAuthority(leaf), /not one of a CA/);
    const two = { ...one, certificatePem: one.certificatePem + other.certificatePem };
    await assert.rejects(openAuthority(two), /expected 1 certificate, found 2/);
  });
});
