/**
 * Client configurations: `<data-dir>/admin.kubeconfig`, and those of `sluice kubeconfig`.
 *
 * Each start writes the administrator's credentials anew, from the pki folder. Over TLS the
 * administrator shows a client certificate, and in a second context a token, on the port for
 * tokens. Where only plain HTTP is served there is the token alone; kubectl sends none without TLS,
 * other clients do.
 *
 * Invariants: a credential stands beside the port that takes it: certificates beside the secure
 * one, tokens beside their own where there is one. The file is readable by its owner only. Where
 * the server is bound to all addresses it names the loopback one: no certificate is for all.
 */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import type { KeyPair } from '../../pki/certificate-authority.ts';
import type { TlsMaterial } from './listeners.ts';
import type { Pki } from './pki.ts';
import { makeDirectory } from '../../stdx/make-directory.ts';

export interface AdminAccess {
  readonly url: string;
  /** Of the port for tokens, where there is one. */
  readonly tokenUrl: string | undefined;
  /** What the server's certificate is verified by; unused over plain HTTP. */
  readonly caPem: string;
  readonly certificate: KeyPair;
  readonly token: string;
}

/** `serving` may be a certificate of whatever CA: where that is not known, it is trusted itself. */
export function adminAccess(
  { url, tokenUrl }: Pick<AdminAccess, 'url' | 'tokenUrl'>,
  { serving }: Pick<TlsMaterial, 'serving'>,
  pki: Pki,
  rootCa: string | undefined,
): AdminAccess {
  return {
    url: calledLocally(url),
    tokenUrl: tokenUrl === undefined ? undefined : calledLocally(tokenUrl),
    caPem: rootCa ?? serving.certificatePem,
    certificate: pki.admin,
    token: pki.adminToken,
  };
}

function calledLocally(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}

function adminKubeconfigFile(dataDir: string): string {
  return path.resolve(dataDir, 'admin.kubeconfig');
}

/** One way to the server; its name is that of its context and cluster. */
export interface KubeconfigEntry {
  readonly name: string;
  readonly cluster: Readonly<Record<string, string | boolean>>;
  readonly userName: string;
  readonly user: Readonly<Record<string, string>>;
}

/** Names of the contexts: who calls with a certificate, who with a token. */
export const contextNames = { certificate: 'sluice', token: 'sluice-tokens' } as const;

/** Writes the file and returns its path. */
export function writeKubeconfig(dataDir: string, admin: AdminAccess): string {
  const file = adminKubeconfigFile(dataDir);
  makeDirectory(dataDir);
  writeFileSync(file, kubeconfigText(entriesOf(admin)), { mode: 0o600 });
  // The mode above is for a new file.
  chmodSync(file, 0o600);
  return file;
}

export type Clusters = ReadonlyMap<string, KubeconfigEntry['cluster']>;

/** By name, as the last start of the server has written them. @throws when there is none. */
export function readClusters(dataDir: string): Clusters {
  const text = readFileSync(adminKubeconfigFile(dataDir), 'utf8');
  const { clusters = [] } = parse(text) as { clusters?: Omit<KubeconfigEntry, 'user'>[] };
  return new Map(clusters.map(({ name, cluster }) => [name, cluster]));
}

/** The first entry is the one that counts when nothing is said. */
export function kubeconfigText(entries: readonly KubeconfigEntry[]): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: entries.map(({ name, cluster }) => ({ name, cluster })),
    users: entries.map(({ userName: name, user }) => ({ name, user })),
    contexts: entries.map(({ name, userName: user }) => ({
      name,
      context: { cluster: name, user },
    })),
    'current-context': entries[0]?.name ?? '',
  });
}

function entriesOf({ url, tokenUrl, caPem, certificate, token }: AdminAccess): KubeconfigEntry[] {
  const name = contextNames.certificate;
  if (!url.startsWith('https:')) {
    // Some clients refuse a server without TLS unless they are told not to verify it.
    const cluster = { server: url, 'insecure-skip-tls-verify': true };
    return [{ name, cluster, userName: 'admin', user: { token } }];
  }
  const trust = { 'certificate-authority-data': base64(caPem) };
  const cluster = { server: url, ...trust };
  const entries: KubeconfigEntry[] = [
    { name, cluster, userName: 'admin', user: certificateUser(certificate) },
  ];
  if (tokenUrl !== undefined) {
    entries.push({
      name: contextNames.token,
      cluster: { server: tokenUrl, ...trust },
      userName: 'admin-token',
      user: { token },
    });
  }
  return entries;
}

export function certificateUser({ certificatePem, keyPem }: KeyPair): KubeconfigEntry['user'] {
  return {
    'client-certificate-data': base64(certificatePem),
    'client-key-data': base64(keyPem),
  };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
