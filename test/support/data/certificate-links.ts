/** Certificates of any shape, for what the product itself never makes. */
import assert from 'node:assert/strict';
import { webcrypto } from 'node:crypto';
import { readCertificate } from '../../../src/pki/certificates.ts';
import type { Certificate } from '../../../src/pki/certificates.ts';
import type { Extension } from '@peculiar/x509';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  KeyUsagesExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

export const nowMs = Date.parse('2030-06-01T00:00:00Z');
export const hourMs = 3_600_000;
export const validity = { notBeforeMs: nowMs - hourMs, notAfterMs: nowMs + hourMs };

export interface Link {
  readonly subject: string;
  readonly issuer?: { readonly subject: string; readonly keys: CryptoKeyPairOf } | undefined;
  readonly ca?: boolean;
  readonly pathLength?: number;
  readonly usages?: readonly string[];
  readonly keyUsage?: number;
  readonly extensions?: readonly Extension[];
  readonly notAfterMs?: number;
  readonly notBeforeMs?: number;
  readonly hash?: 'SHA-1' | 'SHA-256';
}
export type CryptoKeyPairOf = webcrypto.CryptoKeyPair;

/** Without an issuer it has signed itself. */
export async function link(
  given: Link,
): Promise<{ subject: string; keys: CryptoKeyPairOf; own: Certificate }> {
  const keys = await webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
    'sign',
    'verify',
  ]);
  const subject = `CN=${given.subject}`;
  const extensions: Extension[] = [...(given.extensions ?? [])];
  if (given.ca === true)
    extensions.push(new BasicConstraintsExtension(true, given.pathLength, true));
  if (given.usages !== undefined) extensions.push(new ExtendedKeyUsageExtension([...given.usages]));
  if (given.keyUsage !== undefined) extensions.push(new KeyUsagesExtension(given.keyUsage, true));
  const made = await X509CertificateGenerator.create({
    subject,
    issuer: given.issuer?.subject ?? subject,
    publicKey: keys.publicKey,
    signingKey: given.issuer?.keys.privateKey ?? keys.privateKey,
    signingAlgorithm: { name: 'ECDSA', hash: given.hash ?? 'SHA-256' },
    notBefore: new Date(given.notBeforeMs ?? validity.notBeforeMs),
    notAfter: new Date(given.notAfterMs ?? validity.notAfterMs),
    extensions,
  });
  const own = readCertificate(new Uint8Array(made.rawData));
  assert(own !== undefined);
  return { subject, keys, own };
}
