/**
 * A whole server in the test's process with both ports and authorization on, and clients for them:
 * over TLS with a client certificate or a token, over plain HTTP with a token.
 *
 * `tokens` are users of the token file: `admin` is in system:masters, the others in no group.
 */
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makeCertificate } from '../../../src/pki/certificate-authority.ts';
import { keyPurposes } from '../../../src/pki/certificates.ts';
import type { KeyPair } from '../../../src/pki/certificate-authority.ts';
import type { Log } from '../../../src/server/compose/log.ts';
import { exchange } from '../clients/http-client.ts';
import type { HttpReply, HttpRequest, TlsOptions } from '../clients/http-client.ts';
import { startTestServer } from './test-server.ts';
import type { TestOptions, TestServer } from './test-server.ts';
import { testDirectories } from '../data/test-directories.ts';

export const tokens = { admin: 'token-of-the-admin', alice: 'token-of-alice', bob: 'token-of-bob' };

const tokenFile = [
  `${tokens.admin},root,uid-0,system:masters`,
  `${tokens.alice},alice,uid-1`,
  `${tokens.bob},bob,uid-2,"team-a,team-b"`,
].join('\n');

export type SecureReply = HttpReply;

export interface SecureRequest extends HttpRequest {
  /** Client certificate. */
  readonly as?: KeyPair;
}

export interface SecureServer extends TestServer {
  /** https://host:port */
  readonly secureUrl: string;
  readonly caPem: string;
  readonly authority: KeyPair;
  /** A request over TLS and HTTP/1.1, on a connection of its own. */
  secure(target: string, request?: SecureRequest): Promise<SecureReply>;
  /** A certificate of the server's own CA. */
  clientCertificate(commonName: string, organizations?: readonly string[]): Promise<KeyPair>;
}

export async function startSecureServer(
  options: TestOptions = {},
  log?: Log,
): Promise<SecureServer> {
  const directories = testDirectories('sluice-secure');
  const dataDir = directories.make();
  await writeFile(path.join(dataDir, 'tokens.csv'), tokenFile);
  const all = {
    'data-dir': dataDir,
    'secure-port': '0',
    'authorization-mode': 'RBAC',
    'anonymous-auth': '',
    'token-auth-file': path.join(dataDir, 'tokens.csv'),
    ...options,
  };
  const server = await startTestServer(all, log).catch(async (error) => {
    await directories.removeAll();
    throw error;
  });
  const read = (name: string): string => readFileSync(path.join(dataDir, 'pki', name), 'utf8');
  const authority = { certificatePem: read('ca.crt'), keyPem: read('ca.key') };
  const secureUrl = server.running.url;
  return {
    ...server,
    async remove() {
      await server.remove();
      await directories.removeAll();
    },
    secureUrl,
    caPem: authority.certificatePem,
    authority,
    secure: (target, { as, ...request } = {}) =>
      exchange(secureUrl, target, { ...request, tls: identityOf(authority.certificatePem, as) }),
    clientCertificate: (commonName, organizations = []) =>
      leafOf(authority, commonName, organizations),
  };
}

export function leafOf(
  authority: KeyPair,
  commonName: string,
  organizations: readonly string[] = [],
  purpose: string = keyPurposes.clientAuth,
): Promise<KeyPair> {
  const nowMs = Date.now();
  const validity = { notBeforeMs: nowMs - 60_000, notAfterMs: nowMs + 3_600_000 };
  return makeCertificate({ commonName, organizations, ...validity }, purpose, authority);
}

/** What a client brings that knows the server by its CA. */
export function identityOf(ca: string, as: KeyPair | undefined): TlsOptions {
  return { ca, cert: as?.certificatePem, key: as?.keyPem };
}
