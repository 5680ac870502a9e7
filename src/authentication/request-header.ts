/**
 * The authenticating proxy (spec 2, section 5.2): a proxy that is known by its client certificate
 * says in headers whom it has authenticated.
 *
 * A proxy's certificate without the headers is nobody here.
 *
 * Invariants: without a certificate of the proxies' CA, with a name that is allowed, the headers
 * mean nothing, whoever sent them; nothing behind authentication sees them in any case.
 */
import type { Clock } from '../stdx/clock.ts';
import type { Authentication, AuthenticationRequest, Authenticator } from './authenticator.ts';
import type { Certificate } from '../pki/certificates.ts';
import { unescapedExtraKey } from '../apimachinery/extra-key.ts';
import { createPeerVerifier } from './peer-verifier.ts';

/** All header names in lower case. */
export interface RequestHeaders {
  readonly username: readonly string[];
  readonly uid: readonly string[];
  readonly group: readonly string[];
  readonly extraPrefix: readonly string[];
}

export interface ProxyRules {
  /** Those that are trusted now. */
  readonly roots: () => readonly Certificate[];
  /** Common names; empty: any. */
  readonly allowedNames: readonly string[];
  readonly headers: RequestHeaders;
}

const none: Authentication = { kind: 'none' };

export function requestHeaderProxy(rules: ProxyRules, clock: Clock): Authenticator {
  const { headers, allowedNames } = rules;
  const verify = createPeerVerifier(rules.roots, clock);
  return {
    name: 'request-header',
    authenticate(request) {
      const { peerCertificate } = request;
      if (peerCertificate === undefined) return none;
      const userName = firstOf(request, headers.username);
      if (userName === '') return none;
      const verdict = verify(peerCertificate);
      // It may be a user's own certificate, with headers that are not his to send.
      if (verdict.kind === 'untrusted') return none;
      const { commonName } = verdict.leaf;
      if (allowedNames.length > 0 && !allowedNames.includes(commonName)) {
        return { kind: 'rejected', why: 'the name of the proxy is not allowed' };
      }
      const user = {
        name: userName,
        uid: firstOf(request, headers.uid),
        groups: headers.group
          .flatMap((header) => request.headerValues(header))
          .filter((group) => group !== ''),
        extra: extraOf(request, headers.extraPrefix),
      };
      return { kind: 'authenticated', user };
    },
  };
}

/** Whether this header (in lower case) is a proxy's to send. */
export function isProxyHeader(headers: RequestHeaders, name: string): boolean {
  return (
    headers.username.includes(name) ||
    headers.uid.includes(name) ||
    headers.group.includes(name) ||
    headers.extraPrefix.some((prefix) => name.startsWith(prefix))
  );
}

function firstOf(request: AuthenticationRequest, names: readonly string[]): string {
  for (const name of names) {
    const value = request.headerValues(name)[0] ?? '';
    if (value !== '') return value;
  }
  return '';
}

function extraOf(request: AuthenticationRequest, prefixes: readonly string[]) {
  const extra = new Map<string, readonly string[]>();
  for (const name of request.headerNames()) {
    const prefix = prefixes.find((each) => name.startsWith(each));
    if (prefix === undefined) continue;
    const key = unescapedExtraKey(name.slice(prefix.length));
    extra.set(key, [...(extra.get(key) ?? []), ...request.headerValues(name)]);
  }
  return Object.fromEntries(extra);
}
