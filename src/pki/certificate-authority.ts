/**
 * Making X.509 certificates: a CA, and what it signs for one purpose.
 *
 * Elsewhere: the answer to a signing request of a client, whose key is the client's
 * (certificate-requests.ts); here the key is made, too. Nor where they are kept (the server's
 * pki.ts).
 *
 * Invariants: keys are new, ECDSA P-256; a CA signs leaves only, and no leaf is a CA.
 */
import 'reflect-metadata';
import { createPrivateKey, webcrypto, X509Certificate as Verifier } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  cryptoProvider,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  Name,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { lookup } from '../stdx/lookup.ts';

cryptoProvider.set(webcrypto);

/** A certificate with its key, both PEM. */
export interface KeyPair {
  readonly certificatePem: string;
  readonly keyPem: string;
}

export interface CertificateTemplate {
  readonly commonName: string;
  readonly organizations?: readonly string[] | undefined;
  readonly dnsNames?: readonly string[] | undefined;
  readonly addresses?: readonly string[] | undefined;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

/** A self-signed CA on a new ECDSA P-256 key; it signs leaves only. */
export async function makeAuthority(template: CertificateTemplate): Promise<KeyPair> {
  const keys = await newKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: subjectOf(template),
    ...validityOf(template),
    keys,
    signingAlgorithm: ecdsa,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.digitalSignature, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificatePem: pemOf(certificate), keyPem: await pemOfKey(keys.privateKey) };
}

/** A leaf for one purpose on a new ECDSA P-256 key. @throws when the authority cannot sign. */
export async function makeCertificate(
  template: CertificateTemplate,
  purpose: string,
  authority: KeyPair,
): Promise<KeyPair> {
  const keys = await newKeys();
  const issuer = new X509Certificate(authority.certificatePem);
  const { key, algorithm } = await signingKeyOf(authority.keyPem);
  const names = [
    ...(template.dnsNames ?? []).map((value) => ({ type: 'dns' as const, value })),
    ...(template.addresses ?? []).map((value) => ({ type: 'ip' as const, value })),
  ];
  const certificate = await X509CertificateGenerator.create({
    subject: subjectOf(template),
    issuer: issuer.subjectName,
    ...validityOf(template),
    publicKey: keys.publicKey,
    signingKey: key,
    signingAlgorithm: algorithm,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([purpose]),
      await AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      ...(names.length === 0 ? [] : [new SubjectAlternativeNameExtension(names)]),
    ],
  });
  return { certificatePem: pemOf(certificate), keyPem: await pemOfKey(keys.privateKey) };
}

const ecdsa = { name: 'ECDSA', hash: 'SHA-256' } as const;
const rsa = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as const;
const curves: Readonly<Record<string, string>> = lookup({
  prime256v1: 'P-256',
  secp384r1: 'P-384',
  secp521r1: 'P-521',
});

/** ECDSA or RSA. @throws for other keys. */
export async function signingKeyOf(keyPem: string) {
  const key = createPrivateKey(keyPem);
  const curve = curves[key.asymmetricKeyDetails?.namedCurve ?? ''];
  const algorithm = key.asymmetricKeyType === 'rsa' ? rsa : ecdsa;
  if (algorithm === ecdsa && curve === undefined) {
    throw new Error('the key is neither RSA nor ECDSA on a curve of NIST');
  }
  const der = key.export({ type: 'pkcs8', format: 'der' });
  const params = algorithm === rsa ? rsa : { name: 'ECDSA', namedCurve: curve as string };
  const imported = await webcrypto.subtle.importKey('pkcs8', der, params, false, ['sign']);
  return { key: imported, algorithm };
}

async function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  const params = { name: 'ECDSA', namedCurve: 'P-256' };
  return webcrypto.subtle.generateKey(params, true, ['sign', 'verify']);
}

/** Not as plain text: quotes and a leading `#` in it would have a meaning. */
function subjectOf({ commonName, organizations = [] }: CertificateTemplate): Name {
  const text = (value: string) => [{ utf8String: value }];
  return new Name([...organizations.map((name) => ({ O: text(name) })), { CN: text(commonName) }]);
}

function validityOf({ notBeforeMs, notAfterMs }: CertificateTemplate) {
  return { notBefore: new Date(notBeforeMs), notAfter: new Date(notAfterMs) };
}

function pemOf(certificate: X509Certificate): string {
  return `${certificate.toString('pem').trim()}\n`;
}

async function pemOfKey(key: webcrypto.CryptoKey): Promise<string> {
  const der = await webcrypto.subtle.exportKey('pkcs8', key);
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----', ''].join('\n');
}

/** Clients take no longer chain: those in Go 64 KiB of a message. Longer ones cost everybody's time
 * with each handshake, and serve nobody. */
const chainBytesMax = 60 * 1024;

/** Why a server cannot be served with it; undefined: it can. */
export function servingProblem(pair: KeyPair): string | undefined {
  if (!isPair(pair)) return 'no certificate with its key';
  const texts = pair.certificatePem.match(/-----BEGIN CERTIFICATE-----[^-]*/g) ?? [];
  const bytes = texts.reduce((sum, text) => sum + text.length * 0.75, 0);
  return bytes > chainBytesMax ? 'the certificates are longer than clients take' : undefined;
}

/** Whether the certificate and the key belong together. */
export function isPair({ certificatePem, keyPem }: KeyPair): boolean {
  try {
    return new Verifier(certificatePem).checkPrivateKey(createPrivateKey(keyPem));
  } catch {
    return false;
  }
}
