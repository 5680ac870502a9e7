/**
 * `sluice kubeconfig --user NAME`: a client configuration for one user, on stdout or in a file.
 *
 *     --token-file FILE   the token that is in it, at the port for tokens; a long one at the secure
 *                         port, which takes larger heads in pieces
 *     without             a new client certificate of the CA in the data directory, at the secure
 *                         port; --group says whose member the user is
 *
 * What users may do is RBAC's; tokens come from `kubectl create token`. It needs no running server:
 * addresses and trust are those of `admin.kubeconfig`, which each start of the server writes.
 *
 * Whatever is wrong is one line and exit code 2, and nothing is written. A certificate cannot be
 * taken back: it is valid for `--valid-for`, a year unless said otherwise.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { keyPurposes } from '../../pki/certificates.ts';
import { makeCertificate } from '../../pki/certificate-authority.ts';
import type { KeyPair } from '../../pki/certificate-authority.ts';
import { systemClock } from '../../stdx/clock.ts';
import { parseDurationMs } from '../../stdx/duration.ts';
import { messageOf } from '../../stdx/message-of.ts';
import {
  certificateUser,
  contextNames,
  kubeconfigText,
  readClusters,
} from '../compose/kubeconfig.ts';
import type { Clusters, KubeconfigEntry } from '../compose/kubeconfig.ts';
import { pkiDirectory } from '../compose/pki.ts';
import { OptionsError } from '../config/option-values.ts';

export interface KubeconfigOptions {
  readonly dataDir: string;
  readonly user?: string | undefined;
  readonly group?: readonly string[] | undefined;
  readonly tokenFile?: string | undefined;
  readonly validFor?: string | undefined;
  readonly output?: string | undefined;
}

/** Flags as the command line declares them: name and meaning. */
export const kubeconfigFlags = [
  ['--user <NAME>', 'Whom the configuration is for.'],
  ['--group <NAME...>', 'Groups that the certificate says the user is in.'],
  ['--token-file <FILE>', 'A token instead of a certificate; - is stdin.'],
  ['--valid-for <DURATION>', 'How long the certificate is valid (default: "8760h").'],
  ['--output <FILE>', 'Where to (default: standard output).'],
] as const;

/** uWebSockets.js takes 4 KiB of a head that comes in pieces, and clients write larger ones so. */
const tokenPortCharsMax = 2048;
/** Clocks of clients may be behind. */
const backdatedMs = 5 * 60 * 1000;
const yearMs = 365 * 24 * 60 * 60 * 1000;

/** @throws OptionsError */
export async function runKubeconfig(options: KubeconfigOptions): Promise<void> {
  const text = await userKubeconfig(options);
  if (options.output === undefined) return void process.stdout.write(text);
  try {
    writeFileSync(options.output, text, { mode: 0o600 });
  } catch (cause) {
    throw new OptionsError(`--output: ${messageOf(cause)}`);
  }
}

/** The text to write. @throws OptionsError */
export async function userKubeconfig(options: KubeconfigOptions): Promise<string> {
  const { dataDir, group, tokenFile, user = '', validFor } = options;
  if (user === '') throw new OptionsError('--user: give the name of the user');
  const clusters = clustersOf(dataDir);
  if (tokenFile !== undefined) {
    if (group !== undefined || validFor !== undefined) {
      throw new OptionsError('--token-file: groups and time are those of the token');
    }
    const token = readTrimmed('--token-file', tokenFile === '-' ? 0 : tokenFile);
    if (token === '') throw new OptionsError(`--token-file: ${tokenFile} is empty`);
    const fits = token.length <= tokenPortCharsMax && clusters.has(contextNames.token);
    const name = fits ? contextNames.token : contextNames.certificate;
    return textOf(clusters, name, user, { token });
  }
  const cluster = clusters.get(contextNames.certificate);
  if (!String(cluster?.['server']).startsWith('https:')) {
    throw new OptionsError('--user: certificates count over TLS only: give --token-file');
  }
  const certificate = await certificateOf(dataDir, user, group ?? [], validFor);
  return textOf(clusters, contextNames.certificate, user, certificateUser(certificate));
}

function textOf(
  clusters: Clusters,
  name: string,
  userName: string,
  user: KubeconfigEntry['user'],
): string {
  const cluster = clusters.get(name);
  if (cluster === undefined) throw new OptionsError(`--data-dir: ${name} is not in it`);
  return kubeconfigText([{ name, cluster, userName, user }]);
}

function clustersOf(dataDir: string): Clusters {
  try {
    return readClusters(dataDir);
  } catch (cause) {
    const what = 'the server writes it when it starts';
    throw new OptionsError(`--data-dir: ${messageOf(cause)} (${what})`);
  }
}

async function certificateOf(
  dataDir: string,
  commonName: string,
  organizations: readonly string[],
  validFor: string | undefined,
): Promise<KeyPair> {
  const validMs = validFor === undefined ? yearMs : parseDurationMs(validFor);
  if (validMs === undefined || validMs <= 0) {
    throw new OptionsError(`--valid-for: ${JSON.stringify(validFor)} is not a duration (as 720h)`);
  }
  const read = (name: string): string =>
    readTrimmed('--data-dir', path.join(pkiDirectory(dataDir), name));
  const authority = { certificatePem: read('ca.crt'), keyPem: read('ca.key') };
  const nowMs = systemClock.nowMs();
  const validity = { notBeforeMs: nowMs - backdatedMs, notAfterMs: nowMs + validMs };
  const template = { commonName, organizations, ...validity };
  return makeCertificate(template, keyPurposes.clientAuth, authority);
}

function readTrimmed(flag: string, file: string | number): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new OptionsError(`${flag}: ${messageOf(cause)}`);
  }
}
