/**
 * Whom a call to another service trusts, and as whom it is made, as options of its TLS.
 *
 * Invariants: every certificate of a CA bundle is trusted for itself, a root or not: also a CA that
 * another one has signed, and the certificate that the service shows. What is parsed of
 * certificates is parsed once, not for each connection.
 */
import type https from 'node:https';
import { createSecureContext } from 'node:tls';
import type { SecureContextOptions } from 'node:tls';
import { pemTexts } from '../apimachinery/codecs/pem.ts';

/** Of a CA bundle: the public CAs are some 140, and each takes a seventh of a millisecond. Policy:
 * with more the service is not called. */
const certificatesMax = 160;

/** `ca`: PEM; undefined or empty: the CAs that node brings. */
export function trusting(ca: string | undefined): SecureContextOptions {
  if (ca === undefined || ca === '') return {};
  return { ca, allowPartialTrustChain: true };
}

export interface TlsTarget {
  /** PEM; undefined or '': the system's. */
  readonly ca: string | undefined;
  readonly certificate: { readonly cert: string; readonly key: string } | undefined;
  readonly insecureSkipVerify: boolean;
  readonly serverName: string | undefined;
}

/** What is wrong with a bundle that nobody is trusted by; undefined: nothing. */
export function bundleProblem(ca: string | undefined): string | undefined {
  const isTooLong = pemTexts(ca ?? '', certificatesMax + 1).length > certificatesMax;
  return isTooLong ? `its CA bundle has more than ${certificatesMax} certificates` : undefined;
}

/** @throws when a certificate cannot be read. */
export function tlsOptionsOf(target: TlsTarget): https.AgentOptions {
  const { ca, certificate, insecureSkipVerify, serverName } = target;
  const trust = trusting(ca);
  const secureContext = createSecureContext({ minVersion: 'TLSv1.2', ...trust, ...certificate });
  return {
    secureContext,
    rejectUnauthorized: !insecureSkipVerify,
    ...(serverName === undefined ? {} : { servername: serverName }),
  };
}
