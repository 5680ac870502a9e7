/**
 * Permissions of files with secrets that already exist when the server starts.
 *
 *     the server's own (keys, tokens, audit logs)   made 0600; a warning where that cannot be
 *     named by a flag (somebody else's)             left alone; a warning where everybody can read
 *
 * Invariants: nothing here ends a start. What is no regular file (a pipe, a device) has no reader
 * to be kept away and is left alone. No content is read.
 */
import { chmodSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { backupTime } from '../../audit/rotating-file.ts';
import type { Log } from './log.ts';
import type { CompletedConfig } from '../config/options.ts';

const othersBits = 0o077;
const everybodyReads = 0o004;

/** In `<data-dir>/pki`. */
const ownKeys = [
  'ca.key',
  'serving.key',
  'admin.key',
  'admin.token',
  'sa.key',
  'front-proxy-ca.key',
  'front-proxy-client.key',
];

/** Before any of them is opened. `worker`: which of several servers this is. */
export function guardSecretFiles(
  config: CompletedConfig,
  worker: number | undefined,
  log: Log,
): void {
  const pki = path.resolve(config.dataDir, 'pki');
  for (const name of ownKeys) makeOwn(path.join(pki, name), log);
  const auditLog = config.audit?.log?.path;
  if (auditLog !== undefined && auditLog !== '-') {
    const file = worker === undefined ? auditLog : `${auditLog}.${worker}`;
    for (const each of [file, ...backupsOf(file)]) makeOwn(each, log);
  }
  for (const [flag, file] of namedByFlags(config)) {
    const mode = file === undefined ? 0 : modeOf(file);
    if ((mode & everybodyReads) === 0) continue;
    log.warn({ flag, file, mode: octal(mode) }, 'everybody can read a file that holds secrets');
  }
}

function makeOwn(file: string, log: Log): void {
  const mode = modeOf(file);
  if ((mode & othersBits) === 0) return;
  try {
    chmodSync(file, 0o600);
    log.info({ file, from: octal(mode) }, 'a file with secrets is its owner’s alone again');
  } catch (error) {
    log.warn({ err: error, file, mode: octal(mode) }, 'others can read a file with secrets');
  }
}

/** 0: there is no such file, or it is none. */
function modeOf(file: string): number {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    return found?.isFile() === true ? found.mode & 0o777 : 0;
  } catch {
    return 0;
  }
}

/** Those that were put aside. */
function backupsOf(file: string): readonly string[] {
  const { dir, ext, name } = path.parse(path.resolve(file));
  try {
    const aside = readdirSync(dir).filter((each) => backupTime(each, name, ext) !== undefined);
    return aside.map((each) => path.join(dir, each));
  } catch {
    return [];
  }
}

type NamedFile = readonly [flag: string, file: string | undefined];

function namedByFlags(config: CompletedConfig): readonly NamedFile[] {
  const { access, audit, encryption, signing, tokens } = config;
  const signers = [...signing.files.values()].flatMap((files) =>
    files === undefined ? [] : [[files.keyFlag, files.keyFile] as const],
  );
  return [
    ['tls-private-key-file', access.tlsCertificate?.keyFile],
    ['proxy-client-key-file', access.proxyClient?.keyFile],
    ['token-auth-file', access.tokenAuthFile],
    ['encryption-provider-config', encryption?.file],
    ['service-account-signing-key-file', tokens.signingKeyFile],
    ['authentication-token-webhook-config-file', tokens.webhook?.configFile],
    ['authorization-webhook-config-file', access.authorization.webhook.configFile],
    ['audit-webhook-config-file', audit?.webhook?.configFile],
    ...signers,
  ];
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}
