/**
 * What the server makes for itself in `<data-dir>/pki`: a CA, its serving certificate, and the
 * administrator's credentials.
 *
 *     ca.crt ca.key           ten years; made once, never replaced
 *     serving.crt .key        one year, for localhost, this host, the addresses that the server is
 *                             bound to or published under, and that of its service
 *     admin.crt .key          one year, a user of system:masters
 *     kubelet-client.crt .key one year, what kubelets are shown, whose users are of system:masters
 *     admin.token             the same user as a bearer token, where there is no TLS
 *     front-proxy-ca.crt .key, front-proxy-client.crt .key
 *                             as whom it passes requests on to servers behind it; a CA that has
 *                             signed nobody else, because who shows such a certificate is believed
 *                             whatever it says of its users
 *
 * Several servers trust each other's clients when they are given one CA: copy ca.crt and ca.key
 * before their first start, or name a CA by flags.
 *
 * Invariants: the folder is its owner's alone (0700, files 0600). Leaves are made anew at a start
 * when they run out within `renewBeforeMs`, are not of this CA, or do not cover an address. A file
 * appears whole, the key before its certificate, so a certificate never waits for its key.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { hostname, networkInterfaces } from 'node:os';
import path from 'node:path';
import { isIP } from 'node:net';
import { formatRfc3339 } from '../../apimachinery/time.ts';
import type { UserInfo } from '../../apimachinery/user-info.ts';
import { wellKnownGroups } from '../../apimachinery/user-info.ts';
import {
  isPair,
  makeAuthority,
  makeCertificate,
  servingProblem,
} from '../../pki/certificate-authority.ts';
import {
  certificatesPem,
  coversHost,
  keyPurposes,
  readCertificates,
  verifyChain,
} from '../../pki/certificates.ts';
import type { CertificateTemplate, KeyPair } from '../../pki/certificate-authority.ts';
import type { Certificate } from '../../pki/certificates.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import { makeDirectory } from '../../stdx/make-directory.ts';
import type { Clock } from '../../stdx/clock.ts';
import { messageOf } from '../../stdx/message-of.ts';
import type { AccessConfig } from '../config/access-options.ts';
import { readOptionText } from '../config/option-files.ts';
import { OptionsError } from '../config/option-values.ts';
import type { CompletedConfig } from '../config/options.ts';
import { rootsOf } from './trusted-cas.ts';

const dayMs = 24 * 60 * 60 * 1000;
const authorityLifeMs = 3650 * dayMs;
const leafLifeMs = 365 * dayMs;
export const renewBeforeMs = 90 * dayMs;
/** Clocks of clients may be behind. */
const backdatedMs = 5 * 60 * 1000;
const tokenBytes = 32;
/** A shorter one that somebody has put there could be guessed. */
const tokenLengthMin = 32;

export interface Pki {
  readonly authority: KeyPair;
  readonly serving: KeyPair;
  readonly admin: KeyPair;
  /** What this server shows to kubelets. */
  readonly kubeletClient: KeyPair;
  readonly adminToken: string;
  readonly adminUser: UserInfo;
  readonly frontProxy: FrontProxy;
}

/** As which this server calls servers behind it, where no flag says. */
export interface FrontProxy {
  readonly authorityPem: string;
  readonly client: KeyPair;
  readonly commonName: string;
}

const frontProxyName = 'front-proxy-client';

export function pkiDirectory(dataDir: string): string {
  return path.resolve(dataDir, 'pki');
}

/** Reads what is there and makes the rest. @throws OptionsError. */
export async function ensurePki(
  config: Pick<CompletedConfig, 'dataDir'> & Addresses,
  identity: Identity,
  clock: Clock,
): Promise<Pki> {
  const directory = pkiDirectory(config.dataDir);
  const nowMs = clock.nowMs();
  try {
    makeDirectory(directory, 0o700);
    chmodSync(directory, 0o700);
    const authority = await ensureAuthority(directory, 'ca', `${identity.serverName}-ca`, nowMs);
    const leaves: Leaves = { directory, authority, nowMs };
    const commonName = `${identity.name}-admin`;
    const groups = [wellKnownGroups.masters];
    return {
      authority,
      serving: await ensureServing(leaves, config, identity),
      admin: await ensureLeaf(leaves, 'admin', keyPurposes.clientAuth, {
        commonName,
        organizations: groups,
      }),
      kubeletClient: await ensureLeaf(leaves, 'kubelet-client', keyPurposes.clientAuth, {
        commonName: `${identity.serverName}-kubelet-client`,
        organizations: groups,
      }),
      adminToken: ensureToken(directory),
      adminUser: { name: commonName, uid: '', groups, extra: {} },
      frontProxy: await ensureFrontProxy(directory, identity, nowMs),
    };
  } catch (cause) {
    if (cause instanceof OptionsError) throw cause;
    throw new OptionsError(`--data-dir: ${directory}: ${messageOf(cause)}`);
  }
}

/** What TLS is served with: what the flags name, else what is made here. @throws OptionsError. */
export function servingOf({ tlsCertificate }: AccessConfig, pki: Pki): KeyPair {
  if (tlsCertificate === undefined) return pki.serving;
  const pair = {
    certificatePem: readOptionText('tls-cert-file', tlsCertificate.certFile),
    keyPem: readOptionText('tls-private-key-file', tlsCertificate.keyFile),
  };
  const problem = servingProblem(pair);
  if (problem === undefined) return pair;
  throw new OptionsError(`--tls-cert-file, --tls-private-key-file: ${problem}`);
}

/** What clients verify the server by; undefined where nobody has said. @throws OptionsError. */
export function rootCaOf({ tlsCertificate }: AccessConfig, pki: Pki): string | undefined {
  if (tlsCertificate === undefined) return pki.authority.certificatePem;
  const { rootCaFile } = tlsCertificate;
  if (rootCaFile === undefined) return undefined;
  const text = readOptionText('root-ca-file', rootCaFile);
  rootsOf('root-ca-file', text);
  return certificatesPem(text);
}

async function ensureFrontProxy(
  directory: string,
  { serverName }: Identity,
  nowMs: number,
): Promise<FrontProxy> {
  const name = 'front-proxy-ca';
  const authority = await ensureAuthority(directory, name, `${serverName}-${name}`, nowMs);
  const leaves: Leaves = { directory, authority, nowMs };
  const subject = { commonName: frontProxyName };
  return {
    authorityPem: authority.certificatePem,
    client: await ensureLeaf(leaves, frontProxyName, keyPurposes.clientAuth, subject),
    commonName: frontProxyName,
  };
}

async function ensureAuthority(
  directory: string,
  name: string,
  commonName: string,
  nowMs: number,
): Promise<KeyPair> {
  const known = readPair(directory, name);
  if (known === undefined) {
    return writePair(
      directory,
      name,
      await makeAuthority({
        commonName,
        notBeforeMs: nowMs - backdatedMs,
        notAfterMs: nowMs + authorityLifeMs,
      }),
    );
  }
  const file = path.join(directory, `${name}.crt`);
  const [certificate] = readCertificates(known.certificatePem) ?? [];
  if (certificate === undefined || !isPair(known)) {
    throw new OptionsError(
      `--data-dir: ${file} and ${name}.key are no certificate with its key: ` +
        'put them back, or remove the folder to have all of it made anew',
    );
  }
  if (nowMs > certificate.notAfterMs) {
    throw new OptionsError(`--data-dir: ${file} has expired`);
  }
  if (nowMs < certificate.notBeforeMs) {
    const from = formatRfc3339(certificate.notBeforeMs);
    throw new OptionsError(
      `--data-dir: ${file} is not valid before ${from}, ` +
        `and the clock says ${formatRfc3339(nowMs)}: set the clock, or, if it was wrong when the ` +
        'certificate was made, remove the folder to have all of it made anew',
    );
  }
  return known;
}

interface Leaves {
  readonly directory: string;
  readonly authority: KeyPair;
  readonly nowMs: number;
}

function ensureServing(leaves: Leaves, at: Addresses, identity: Identity): Promise<KeyPair> {
  const hosts = [...servedHosts(at), ...serviceNames(identity)];
  return ensureLeaf(leaves, 'serving', keyPurposes.serverAuth, {
    commonName: identity.serverName,
    dnsNames: hosts.filter((host) => isIP(host) === 0),
    addresses: hosts.filter((host) => isIP(host) !== 0),
  });
}

type Addresses = Pick<CompletedConfig, 'bindAddress' | 'system'>;

/** By what names clients may call this server. Pods call it at the address of its service. */
function servedHosts({ bindAddress, system }: Addresses): readonly string[] {
  const everywhere = bindAddress === '0.0.0.0' || bindAddress === '::';
  const bound = everywhere
    ? Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map((one) => one.address))
    : [bindAddress];
  const usable = bound.filter((address) => isIP(address) !== 0 || isHostName(address));
  const own = isHostName(hostname()) ? [hostname()] : [];
  const { advertisedAddress, serviceAddress } = system;
  const published = advertisedAddress === undefined ? [] : [advertisedAddress];
  const loopback = ['localhost', '127.0.0.1', '::1'];
  return [...new Set([...loopback, ...own, ...usable, ...published, serviceAddress])];
}

/** As who is in the cluster calls it: it stands behind a service of its own. */
function serviceNames({ name, namespaces }: Identity): readonly string[] {
  const inCluster = `${name}.${namespaces.default}`;
  return [name, inCluster, `${inCluster}.svc`];
}

function isHostName(text: string): boolean {
  return /^[A-Za-z0-9_]([A-Za-z0-9_.-]{0,252})$/.test(text);
}

async function ensureLeaf(
  { directory, authority, nowMs }: Leaves,
  name: string,
  purpose: string,
  subject: Omit<CertificateTemplate, 'notBeforeMs' | 'notAfterMs'>,
): Promise<KeyPair> {
  const known = readPair(directory, name);
  const roots = readCertificates(authority.certificatePem) ?? [];
  if (known !== undefined && isPair(known)) {
    const [leaf] = readCertificates(known.certificatePem) ?? [];
    const hosts = [...(subject.dnsNames ?? []), ...(subject.addresses ?? [])];
    const fits =
      leaf !== undefined &&
      leaf.commonName === subject.commonName &&
      hosts.every((host) => coversHost(leaf, host)) &&
      isGoodFor(leaf, roots, purpose, nowMs);
    if (fits) return known;
  }
  const lastMs = roots[0]?.notAfterMs ?? Number.POSITIVE_INFINITY;
  const request = {
    ...subject,
    notBeforeMs: nowMs - backdatedMs,
    notAfterMs: Math.min(nowMs + leafLifeMs, lastMs),
  };
  return writePair(directory, name, await makeCertificate(request, purpose, authority));
}

/** Now, and for some time to come; of a CA that is about to end nothing lasts longer. */
function isGoodFor(
  leaf: Certificate,
  roots: readonly Certificate[],
  purpose: string,
  nowMs: number,
): boolean {
  if (verifyChain([leaf], roots, purpose, nowMs).kind === 'untrusted') return false;
  const lastMs = roots[0]?.notAfterMs ?? 0;
  return leaf.notAfterMs - nowMs > renewBeforeMs || leaf.notAfterMs >= lastMs;
}

function readPair(directory: string, name: string): KeyPair | undefined {
  const certificateFile = path.join(directory, `${name}.crt`);
  const keyFile = path.join(directory, `${name}.key`);
  if (!existsSync(certificateFile)) return undefined;
  const keyPem = existsSync(keyFile) ? readFileSync(keyFile, 'utf8') : '';
  return { certificatePem: readFileSync(certificateFile, 'utf8'), keyPem };
}

function writePair(directory: string, name: string, pair: KeyPair): KeyPair {
  writeWhole(path.join(directory, `${name}.key`), pair.keyPem);
  writeWhole(path.join(directory, `${name}.crt`), pair.certificatePem);
  return pair;
}

function ensureToken(directory: string): string {
  const file = path.join(directory, 'admin.token');
  const known = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  if (known !== '' && known.length < tokenLengthMin) {
    const why = `the token must have at least ${tokenLengthMin} characters`;
    throw new OptionsError(`--data-dir: ${file}: ${why}; without the file one is made`);
  }
  if (known !== '') return known;
  const token = randomBytes(tokenBytes).toString('base64url');
  writeWhole(file, `${token}\n`);
  return token;
}

function writeWhole(file: string, text: string): void {
  const partial = `${file}.${process.pid}.tmp`;
  writeFileSync(partial, text, { mode: 0o600 });
  renameSync(partial, file);
}
