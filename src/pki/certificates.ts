/**
 * X.509: reading certificates and checking chains. A door of @peculiar/x509, with
 * certificate-authority.ts, which makes certificates, and certificate-requests.ts.
 *
 * Elsewhere: users (client-certificate.ts), and files (the server's pki.ts). Revocation lists are
 * not read: what must end soon is issued for a short time.
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
import { webcrypto, X509Certificate as Verifier } from 'node:crypto';
import {
  BasicConstraintsExtension,
  cryptoProvider,
  ExtendedKeyUsageExtension,
  X509Certificate,
} from '@peculiar/x509';
import type { Extension } from '@peculiar/x509';
import { finished } from '../stdx/stepwise.ts';
import type { Steps } from '../stdx/stepwise.ts';
import { namesWithTexts } from './subject-texts.ts';

cryptoProvider.set(webcrypto);

export const keyPurposes = {
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
} as const;
const anyPurpose = '2.5.29.37.0';

/** Of the subject, beside its common name and organizations: the unique ID of the user. */
const uidAttribute = '1.3.6.1.4.1.57683.2';

const chainLengthMax = 8;
const candidatesMax = 16;

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

function unusableOf(parsed: X509Certificate): string | undefined {
  const { extensions, signatureAlgorithm, subjectName } = parsed;
  if (!namesWithTexts(new Uint8Array(subjectName.toArrayBuffer()))) return 'its subject is no text';
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
  return finished(certificatesIn(pem));
}

/** The same in steps, of one certificate each. */
export function* certificatesIn(pem: string): Steps<readonly Certificate[] | undefined> {
  const found: Certificate[] = [];
  for (const [, base64 = ''] of pem.matchAll(pemBlock)) {
    const certificate = readCertificate(Buffer.from(base64, 'base64'));
    if (certificate === undefined) return undefined;
    found.push(certificate);
    yield;
  }
  return found;
}

/** The certificates of a PEM text without what stands beside them, a key for instance. */
export function certificatesPem(pem: string): string {
  return Array.from(pem.matchAll(pemBlock), ([block]) => `${block}\n`).join('');
}

/** Whether a PEM text has certificates, all of which can be read. Yields after each. */
export function* areCertificates(pem: string): Steps<boolean> {
  let count = 0;
  for (const [block] of pem.matchAll(pemBlock)) {
    if (certificateEndMs(block) === undefined) return false;
    count += 1;
    yield;
  }
  return count > 0;
}

/** When it is over, of one certificate in PEM; undefined for what is none. For whoever asks nothing
 * else of it: reading the whole takes twenty times as long. */
export function certificateEndMs(pem: string): number | undefined {
  try {
    const endMs = Date.parse(new Verifier(pem).validTo);
    return Number.isNaN(endMs) ? undefined : endMs;
  } catch {
    return undefined;
  }
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

/** Whether a client that asked for this host name or address would accept the certificate. */
export function coversHost({ verifier }: Certificate, host: string): boolean {
  return (isIP(host) === 0 ? verifier.checkHost(host) : verifier.checkIP(host)) !== undefined;
}
