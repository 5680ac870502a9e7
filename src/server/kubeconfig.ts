/**
 * The ready-made client configuration: `<data-dir>/admin.kubeconfig`.
 *
 * What it is not: access control. The token in it is random and kept over restarts, so that clients
 * keep working when tokens are checked.
 *
 * Invariant: the file is readable by its owner only.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse, stringify } from 'yaml';

const tokenBytes = 32;

/** Writes the file for this URL and returns its path. An existing token is kept. */
export function writeKubeconfig(dataDir: string, serverUrl: string): string {
  const file = path.resolve(dataDir, 'admin.kubeconfig');
  const token = existingToken(file) ?? randomBytes(tokenBytes).toString('base64url');
  const name = 'sluice';
  // Some clients refuse a server without TLS unless they are told not to verify it.
  const plain = serverUrl.startsWith('http:') ? { 'insecure-skip-tls-verify': true } : {};
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: serverUrl, ...plain } }],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name, context: { cluster: name, user: 'admin' } }],
    'current-context': name,
  };
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(file, stringify(config), { mode: 0o600 });
  return file;
}

function existingToken(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  try {
    const config = parse(readFileSync(file, 'utf8')) as {
      users?: { user?: { token?: unknown } }[];
    } | null;
    const token = config?.users?.[0]?.user?.token;
    return typeof token === 'string' && token !== '' ? token : undefined;
  } catch {
    // A file that is not YAML is not ours to keep a token from: it is written anew.
    return undefined;
  }
}
