/**
 * X.509: reading certificates, checking chains, making certificates. The door of @peculiar/x509,
 * with certificate-requests.ts.
 *
 * What it is not: a user (client-certificate.ts) and files (the server's pki.ts). Revocation lists
 * are not read: what must end soon is issued for a short time.
 *
 *     leaf ▶ (intermediates that the peer sent) ▶ root that is trusted
 *
 * A chain is trusted when every link is signed by the next one's key, every issuer is a CA that may
 * stand at that height, all are valid now, each that limits its purposes allows the one asked for,
 * and no critical extension is unknown here. Name constraints are not evaluated: a certificate that
 * has them is not trusted. SHA-1 and MD5 sign nothing.
 *
 * Bounds: `chainLengthMax` links, `candidatesMax` signatures looked at for one chain.
 */
import 'reflect-metadata';
import { isIP } from 'node:net';
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
import type { Extension } from '@peculiar/x509';

cryptoProvider.set(webcrypto);

export const keyPurposes = {
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
} as const;
const anyPurpose = '2.5.29.37.0';

/** Of the subject, beside its common name and organizations: the unique ID of the user. */
const uidAttribute = '1.3.6.1.4.1.57683.2';

const chainLengthMax = 8;
const candidatesMax = 64;

export interface Certificate {
  readonly der: Uint8Array;
  /** The last one, where there are several; '' when there is none. */
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly uids: readonly string[];
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  readonly isCa: boolean;
  /** CAs that may stand between this one and the leaf. */
  readonly pathLengthMax: number;
  /** Undefined: any. */
  readonly purposes: readonly string[] | undefined;
  /** Why nothing may be believed of it; undefined: no such reason. */
  readonly unusable: string | undefined;
  readonly verifier: Verifier;
}

/** Undefined for what is no certificate. */
export function readCertificate(der: Uint8Array): Certificate | undefined {
  try {
    const parsed = new X509Certificate(Buffer.from(der));
    const basic = parsed.getExtension(BasicConstraintsExtension);
    const usage = parsed.getExtension(ExtendedKeyUsageExtension);
    return {
      der,
      commonName: parsed.subjectName.getField('CN').at(-1) ?? '',
      organizations: parsed.subjectName.getField('O'),
      uids: parsed.subjectName.getField(uidAttribute),
      notBeforeMs: parsed.notBefore.getTime(),
      notAfterMs: parsed.notAfter.getTime(),
      isCa: basic?.ca ?? false,
      pathLengthMax: basic?.pathLength ?? Number.POSITIVE_INFINITY,
      purposes: usage?.usages.map(String),
      unusable: unusableOf(parsed),
      verifier: new Verifier(der),
    };
  } catch {
    return undefined;
  }
}

/** Basic constraints, key usage, extended key usage, alternative names. */
const understoodExtensions: ReadonlySet<string> = new Set([
  '2.5.29.19',
  '2.5.29.15',
  '2.5.29.37',
  '2.5.29.17',
]);
const nameConstraints = '2.5.29.30';
const weakHashes: ReadonlySet<string> = new Set(['SHA-1', 'MD5', 'MD2']);

function unusableOf({ extensions, signatureAlgorithm }: X509Certificate): string | undefined {
  const { hash } = signatureAlgorithm as { hash?: { name?: string } };
  if (weakHashes.has(hash?.name ?? '')) return 'it is signed over a weak hash';
  const strange = extensions.find((extension) => isStrange(extension));
  return strange === undefined ? undefined : `its extension ${strange.type} is not evaluated here`;
}

function isStrange({ type, critical }: Extension): boolean {
  return type === nameConstraints || (critical && !understoodExtensions.has(type));
}

const pemBlock = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/g;

/** All certificates of a PEM text, in order. Undefined when one of them cannot be read. */
export function readCertificates(pem: string): readonly Certificate[] | undefined {
  const found: Certificate[] = [];
  for (const [, base64 = ''] of pem.matchAll(pemBlock)) {
    const certificate = readCertificate(Buffer.from(base64, 'base64'));
    if (certificate === undefined) return undefined;
    found.push(certificate);
  }
  return found;
}

export type ChainVerdict =
  | { readonly kind: 'trusted'; readonly validUntilMs: number }
  | { readonly kind: 'untrusted'; readonly why: string };

/** `chain`: the leaf first; the rest in any order. */
export function verifyChain(
  chain: readonly Certificate[],
  roots: readonly Certificate[],
  purpose: string,
  nowMs: number,
): ChainVerdict {
  const [leaf, ...others] = chain;
  if (leaf === undefined) return { kind: 'untrusted', why: 'there is no certificate' };
  const intermediates = others.slice(0, chainLengthMax);
  const search: Search = { roots, intermediates, purpose, nowMs, left: candidatesMax };
  const problem = problemOf(leaf, purpose, nowMs);
  if (problem !== undefined) return { kind: 'untrusted', why: problem };
  const validUntilMs = trustedUntil(search, leaf, 0, [leaf]);
  return validUntilMs === undefined
    ? { kind: 'untrusted', why: 'no trusted CA has signed it' }
    : { kind: 'trusted', validUntilMs };
}

interface Search {
  readonly roots: readonly Certificate[];
  readonly intermediates: readonly Certificate[];
  readonly purpose: string;
  readonly nowMs: number;
  /** Signatures that may still be looked at. */
  left: number;
}

/** `height`: CAs below the issuer that is looked for. Undefined: no way to a root. */
function trustedUntil(
  search: Search,
  subject: Certificate,
  height: number,
  path: readonly Certificate[],
): number | undefined {
  if (height >= chainLengthMax) return undefined;
  const fits = (issuer: Certificate): boolean =>
    issuer.isCa &&
    issuer.pathLengthMax >= height &&
    problemOf(issuer, search.purpose, search.nowMs) === undefined &&
    hasSigned(search, issuer, subject);
  const root = search.roots.find(fits);
  if (root !== undefined) return Math.min(subject.notAfterMs, root.notAfterMs);
  for (const issuer of search.intermediates) {
    if (path.includes(issuer) || !fits(issuer)) continue;
    const until = trustedUntil(search, issuer, height + 1, [...path, issuer]);
    if (until !== undefined) return Math.min(subject.notAfterMs, until);
  }
  return undefined;
}

function hasSigned(search: Search, issuer: Certificate, subject: Certificate): boolean {
  if (!subject.verifier.checkIssued(issuer.verifier)) return false;
  if (search.left <= 0) return false;
  search.left -= 1;
  return subject.verifier.verify(issuer.verifier.publicKey);
}

function problemOf(
  { unusable, notBeforeMs, notAfterMs, purposes }: Certificate,
  purpose: string,
  nowMs: number,
): string | undefined {
  if (unusable !== undefined) return unusable;
  if (nowMs < notBeforeMs) return 'it is not valid yet';
  if (nowMs > notAfterMs) return 'it has expired';
  if (purposes === undefined) return undefined;
  return purposes.includes(purpose) || purposes.includes(anyPurpose)
    ? undefined
    : 'it is not made for this purpose';
}

/** A certificate with its key, both PEM. */
export interface KeyPair {
  readonly certificatePem: string;
  readonly keyPem: string;
}

export interface CertificateRequest {
  readonly commonName: string;
  readonly organizations?: readonly string[] | undefined;
  readonly dnsNames?: readonly string[] | undefined;
  readonly addresses?: readonly string[] | undefined;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

/** A self-signed CA on a new ECDSA P-256 key; it signs leaves only. */
export async function makeAuthority(request: CertificateRequest): Promise<KeyPair> {
  const keys = await newKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: subjectOf(request),
    ...validityOf(request),
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
  request: CertificateRequest,
  purpose: string,
  authority: KeyPair,
): Promise<KeyPair> {
  const keys = await newKeys();
  const issuer = new X509Certificate(authority.certificatePem);
  const { key, algorithm } = await signingKeyOf(authority.keyPem);
  const names = [
    ...(request.dnsNames ?? []).map((value) => ({ type: 'dns' as const, value })),
    ...(request.addresses ?? []).map((value) => ({ type: 'ip' as const, value })),
  ];
  const certificate = await X509CertificateGenerator.create({
    subject: subjectOf(request),
    issuer: issuer.subjectName,
    ...validityOf(request),
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
const curves: Readonly<Record<string, string>> = {
  prime256v1: 'P-256',
  secp384r1: 'P-384',
  secp521r1: 'P-521',
};

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
function subjectOf({ commonName, organizations = [] }: CertificateRequest): Name {
  const text = (value: string) => [{ utf8String: value }];
  return new Name([...organizations.map((name) => ({ O: text(name) })), { CN: text(commonName) }]);
}

function validityOf({ notBeforeMs, notAfterMs }: CertificateRequest) {
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

/** Whether the certificate and the key belong together. */
export function isPair({ certificatePem, keyPem }: KeyPair): boolean {
  try {
    return new Verifier(certificatePem).checkPrivateKey(createPrivateKey(keyPem));
  } catch {
    return false;
  }
}

/** Whether a client that asked for this host name or address would accept the certificate. */
export function coversHost({ verifier }: Certificate, host: string): boolean {
  return (isIP(host) === 0 ? verifier.checkHost(host) : verifier.checkIP(host)) !== undefined;
}
