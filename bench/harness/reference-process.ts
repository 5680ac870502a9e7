/**
 * The reference, kube-apiserver over etcd, as a measured process: where TEST_ASSET_KUBE_APISERVER
 * and TEST_ASSET_ETCD name the two programs (the variables that test environments of controllers
 * use). Both run on the server's core and count as one.
 *
 * Everything is as its flags are by default, but for where it listens and whom it knows: one token,
 * of a user in system:masters, RBAC, and keys made here.
 *
 * Invariant: what was started is stopped by stop(), and its directory removed.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import https from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../test/support/servers/free-port.ts';
import { onCore } from './cores.ts';

export interface ReferencePrograms {
  readonly apiserver: string;
  readonly etcd: string;
}

/** A server that is measured from outside: over TLS, by a caller with this token. */
export interface TokenServer {
  /** Its processor time counts, and that of its children. */
  readonly pid: number;
  readonly port: number;
  /** Where it speaks HTTP/2. */
  readonly http2Port: number;
  readonly token: string;
}

export interface Reference extends TokenServer {
  /** As it says itself. */
  readonly version: string;
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 20_000;
const POLL_MS = 200;

/** Undefined: nobody has said where they are. */
export function referencePrograms(): ReferencePrograms | undefined {
  const apiserver = process.env['TEST_ASSET_KUBE_APISERVER'];
  const etcd = process.env['TEST_ASSET_ETCD'];
  return apiserver === undefined || etcd === undefined ? undefined : { apiserver, etcd };
}

/** One line of a file of static tokens, for either server. */
export async function writeTokenFile(directory: string, token: string): Promise<string> {
  const file = path.join(directory, 'tokens.csv');
  await writeFile(file, `${token},bench,bench,system:masters\n`);
  return file;
}

export function newToken(): string {
  return randomBytes(24).toString('hex');
}

export async function startReference(
  core: number | undefined,
  programs: ReferencePrograms,
): Promise<Reference> {
  const directory = await mkdtemp(path.join(tmpdir(), 'sluice-reference-'));
  const token = newToken();
  const [port, client, peer] = [await freePort(), await freePort(), await freePort()];
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = path.join(directory, 'sa.key');
  await writeFile(key, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const tokens = await writeTokenFile(directory, token);
  const etcd = etcdArguments(path.join(directory, 'etcd'), client, peer);
  const apiserver = [
    `--etcd-servers=http://127.0.0.1:${client}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${path.join(directory, 'certificates')}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
    '--authorization-mode=RBAC',
    `--token-auth-file=${tokens}`,
  ];
  // The shell becomes the API server, so etcd is its child and counts with it.
  const script = '"$ETCD" $ETCD_ARGUMENTS >/dev/null 2>&1 & exec "$@"';
  const [command = '', ...rest] = onCore(core, [
    ...['/bin/sh', '-c', script, 'sh', programs.apiserver],
    ...apiserver,
  ]);
  const environment = { ETCD: programs.etcd, ETCD_ARGUMENTS: etcd.join(' ') };
  const child = spawn(command, rest, {
    // A group of its own: both are stopped by one signal.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...environment },
  });
  const stop = async (): Promise<void> => {
    await endGroup(child);
    await rm(directory, { recursive: true, force: true });
  };
  try {
    const version = await versionOf(child, port, token);
    return { pid: child.pid as number, port, http2Port: port, token, version, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function etcdArguments(directory: string, client: number, peer: number): readonly string[] {
  const clients = `http://127.0.0.1:${client}`;
  const peers = `http://127.0.0.1:${peer}`;
  return [
    `--data-dir=${directory}`,
    `--listen-client-urls=${clients}`,
    `--advertise-client-urls=${clients}`,
    `--listen-peer-urls=${peers}`,
    `--initial-advertise-peer-urls=${peers}`,
    `--initial-cluster=default=${peers}`,
    '--log-level=error',
  ];
}

/** Waits until it is ready. @throws with what it printed when it ends or takes too long. */
async function versionOf(child: ChildProcess, port: number, token: string): Promise<string> {
  let printed = '';
  child.stderr?.on('data', (text: Buffer) => (printed = (printed + text.toString()).slice(-4000)));
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < deadline && child.exitCode === null) {
    const ready = await get(port, '/readyz', token).catch(() => '');
    if (ready === 'ok') {
      const version = JSON.parse(await get(port, '/version', token)) as { gitVersion: string };
      return version.gitVersion;
    }
    await sleep(POLL_MS);
  }
  throw new Error(`the reference did not start: ${printed}`);
}

/** The body, whatever the status. @throws when nothing is answered for a long time. */
export function get(port: number, target: string, token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json' };
  const options = { host: '127.0.0.1', port, path: target, headers, agent: false };
  return new Promise((resolve, reject) => {
    const request = https.get({ ...options, rejectUnauthorized: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => resolve(Buffer.concat(chunks).toString()));
    });
    request.on('error', reject);
    request.setTimeout(START_TIMEOUT_MS, () => {
      request.destroy(new Error(`${target} is not answered for ${START_TIMEOUT_MS / 1000} s`));
    });
  });
}

async function endGroup(child: ChildProcess): Promise<void> {
  const signal = (name: NodeJS.Signals): void => {
    try {
      process.kill(-(child.pid as number), name);
    } catch {
      // The group has ended.
    }
  };
  const ended =
    child.exitCode !== null || child.signalCode !== null
      ? Promise.resolve()
      : new Promise<void>((resolve) => child.once('exit', () => resolve()));
  signal('SIGTERM');
  await Promise.race([ended, sleep(STOP_TIMEOUT_MS)]);
  signal('SIGKILL');
}
