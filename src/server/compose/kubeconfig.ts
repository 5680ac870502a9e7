/**
 * The ready-made client configuration: `<data-dir>/admin.kubeconfig`.
 *
 * What it is not: where credentials are kept; each start writes it anew from the pki folder.
 * Over TLS the administrator shows a client certificate. Where only plain HTTP is served there is
 * a token instead; kubectl sends none without TLS, other clients do.
 *
 * Invariant: the file is readable by its owner only.
 */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import type { KeyPair } from '../../pki/certificate-authority.ts';
import type { TlsMaterial } from './listeners.ts';
import type { Pki } from './pki.ts';

export interface AdminAccess {
  readonly url: string;
  /** What the server's certificate is verified by; unused over plain HTTP. */
  readonly caPem: string;
  readonly certificate: KeyPair;
  readonly token: string;
}

/** `serving` may be a certificate that was given, of whatever CA: it is trusted itself. */
export function adminAccess(url: string, { serving }: TlsMaterial, pki: Pki): AdminAccess {
  const own = serving === pki.serving;
  return {
    url,
    caPem: own ? pki.authority.certificatePem : serving.certificatePem,
    certificate: pki.admin,
    token: pki.adminToken,
  };
}

/** Writes the file and returns its path. */
export function writeKubeconfig(dataDir: string, admin: AdminAccess): string {
  const file = path.resolve(dataDir, 'admin.kubeconfig');
  const name = 'sluice';
  const secure = admin.url.startsWith('https:');
  // Some clients refuse a server without TLS unless they are told not to verify it.
  const trust = secure
    ? { 'certificate-authority-data': base64(admin.caPem) }
    : { 'insecure-skip-tls-verify': true };
  const user = secure
    ? {
        'client-certificate-data': base64(admin.certificate.certificatePem),
        'client-key-data': base64(admin.certificate.keyPem),
      }
    : { token: admin.token };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: admin.url, ...trust } }],
    users: [{ name: 'admin', user }],
    contexts: [{ name, context: { cluster: name, user: 'admin' } }],
    'current-context': name,
  };
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(file, stringify(config), { mode: 0o600 });
  // The mode above is for a new file.
  chmodSync(file, 0o600);
  return file;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
