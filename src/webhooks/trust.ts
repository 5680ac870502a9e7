/**
 * Whom a call to another service trusts, as options of its TLS context.
 *
 * Invariant: every certificate of a CA bundle is trusted for itself, a root or not: also a CA that
 * another one has signed, and the certificate that the service shows.
 */
import type { SecureContextOptions } from 'node:tls';

/** `ca`: PEM; undefined or empty: the CAs that node brings. */
export function trusting(ca: string | undefined): SecureContextOptions {
  if (ca === undefined || ca === '') return {};
  return { ca, allowPartialTrustChain: true };
}
