/**
 * Configuration: options as given -> completeConfig -> one frozen value.
 *
 * Every option stands once in `optionTable`: name, default, what it means, how it is read. The
 * command line and the table of docs/flags.md are made from it; nothing else reads flags.
 *
 * Invariant: a CompletedConfig is consistent; relations between options are checked here.
 */
import { identityNames } from '../../apimachinery/identity.ts';
import type { IdentityName } from '../../apimachinery/identity.ts';
import { transportChoices } from '../../transport/choose.ts';
import type { TransportChoice } from '../../transport/choose.ts';
import { logLevels } from '../compose/log.ts';
import type { LogLevel } from '../compose/log.ts';
import { parseFeatureGates } from '../../apis/feature-gates.ts';
import { currentRelease, oldestRelease } from '../../apis/served-versions.ts';
import { admissionOptionTable, completeAdmission } from './admission-options.ts';
import type { AdmissionConfig } from './admission-options.ts';
import { accessOptionTable, completeAccess } from './access-options.ts';
import type { AccessConfig } from './access-options.ts';
import { auditOptionTable, completeAudit } from './audit-options.ts';
import type { AuditConfig } from './audit-options.ts';
import { completeKubelet, kubeletOptionTable } from './kubelet-options.ts';
import type { KubeletConfig } from './kubelet-options.ts';
import { completeLoad, loadOptionTable } from './load-options.ts';
import type { LoadConfig } from './load-options.ts';
import { completeSigning, signingOptionTable } from './signing-options.ts';
import type { SigningConfig } from './signing-options.ts';
import { completeSystem, systemOptionTable } from './system-options.ts';
import type { SystemConfig } from './system-options.ts';
import { completeTokens, tokenOptionTable } from './token-options.ts';
import type { TokenConfig } from './token-options.ts';
import {
  boolean,
  duration,
  durationOrSeconds,
  fail,
  integer,
  nonEmpty,
  oneOf,
} from './option-values.ts';
import type { OptionSpec } from './option-values.ts';

const storeNames = ['lmdb', 'memory', 'fdb'] as const;
type StoreName = (typeof storeNames)[number];

export interface EncryptionOptions {
  readonly file: string;
  /** It is read again when it changes. */
  readonly reloads: boolean;
}

export interface CompletedConfig {
  readonly bindAddress: string;
  readonly access: AccessConfig;
  readonly admission: AdmissionConfig;
  readonly tokens: TokenConfig;
  readonly signing: SigningConfig;
  readonly system: SystemConfig;
  /** Undefined: nothing is audited. */
  readonly audit: AuditConfig | undefined;
  readonly store: StoreName;
  readonly dataDir: string;
  /** What is stored encrypted. Undefined: nothing. */
  readonly encryption: EncryptionOptions | undefined;
  /** Undefined: where the FoundationDB client looks by itself. */
  readonly fdbClusterFile: string | undefined;
  readonly fdbPrefix: string;
  /** API servers, each in a process of its own; 1: this process alone. */
  readonly workers: number;
  readonly identity: IdentityName;
  readonly transport: TransportChoice;
  readonly watchHistoryMs: number;
  /** How long an event lives after its last write. */
  readonly eventTtlMs: number;
  readonly minRequestTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly requestBodyBytesMax: number;
  readonly connectionsMax: number;
  readonly load: LoadConfig;
  readonly kubelet: KubeletConfig;
  readonly idleTimeoutMs: number;
  readonly keptEncodingsBytesMax: number;
  readonly residentObjectsMax: number;
  /** GET /debug/actors/events is served. */
  readonly actorsInspected: boolean;
  /** Decided commands are appended to it; undefined: they are not written down. */
  readonly commandLogFile: string | undefined;
  readonly livezGraceMs: number;
  readonly shutdownDelayMs: number;
  /** Requests that come while the last ones are answered get 429. */
  readonly shutdownSendsRetryAfter: boolean;
  /** How many of HTTP/2 requests are told to come back over another connection. */
  readonly goawayChance: number;
  /** The header Strict-Transport-Security; undefined: none. */
  readonly strictTransport: string | undefined;
  readonly shutdownTimeoutMs: number;
  /** Not parsed yet: what the keys mean depends on the identity. */
  readonly runtimeConfig: string;
  readonly featureGates: ReadonlyMap<string, boolean>;
  /** What the operator should know although the options are in order. */
  readonly warnings: readonly string[];
  /** Minor release of 1 whose API is served. */
  readonly release: number;
  readonly showHiddenMetrics: boolean;
  /** Undefined: nothing is traced. */
  readonly tracingFile: string | undefined;
  readonly logLevel: LogLevel;
}

/** Above it clients would do little else than connect. */
const goawayChanceMax = 0.02;

export const optionTable = [
  ...accessOptionTable,
  ...admissionOptionTable,
  ...tokenOptionTable,
  ...signingOptionTable,
  ...kubeletOptionTable,
  ...systemOptionTable,
  ...auditOptionTable,
  {
    flag: 'store',
    value: storeNames.join('|'),
    default: 'lmdb',
    help: 'Where objects live: lmdb on disk, fdb in FoundationDB, memory loses them at exit.',
  },
  { flag: 'data-dir', value: 'DIR', default: './data', help: 'Directory of the store.' },
  {
    flag: 'encryption-provider-config',
    value: 'FILE',
    default: '',
    help: 'An EncryptionConfiguration: what is stored encrypted, and with which keys.',
  },
  {
    flag: 'encryption-provider-config-automatic-reload',
    value: 'BOOL',
    default: 'false',
    help: 'Read that file again when it changes.',
  },
  {
    flag: 'fdb-cluster-file',
    value: 'FILE',
    default: '',
    help: 'For --store=fdb; empty takes FDB_CLUSTER_FILE or /etc/foundationdb/fdb.cluster.',
  },
  {
    flag: 'fdb-prefix',
    value: 'NAME',
    default: 'sluice',
    help: 'For --store=fdb: what all keys start with, so that one cluster can hold several stores.',
  },
  {
    flag: 'workers',
    value: 'N',
    default: '1',
    help: 'API servers in a process each, on one port and over one store; 1 is this process alone.',
  },
  {
    flag: 'identity',
    value: identityNames.join('|'),
    default: 'svc',
    help: 'Names of groups, labels and media types. A store keeps the one it was made with.',
  },
  {
    flag: 'transport',
    value: transportChoices.join('|'),
    default: 'auto',
    help: 'HTTP adapter; auto takes uWebSockets.js where its binary loads, else node.',
  },
  {
    flag: 'watch-history',
    value: 'DURATION',
    default: '5m',
    help:
      'How long changes and what they replaced stay in the store. Reads of the past and pages ' +
      'of a list end with it; watches may resume from memory for longer.',
  },
  {
    flag: 'event-ttl',
    value: 'DURATION',
    default: '1h',
    help: 'How long an event is kept after its last write.',
  },
  {
    flag: 'min-request-timeout',
    value: 'DURATION',
    default: '30m',
    help: 'A watch without timeoutSeconds ends after this to twice this; plain numbers: seconds.',
  },
  {
    flag: 'request-timeout',
    value: 'DURATION',
    default: '60s',
    help: 'Longest time to receive one request; for --store=fdb also to try one read or commit.',
  },
  {
    flag: 'max-request-bytes',
    value: 'BYTES',
    default: String(3 * 1024 * 1024),
    help: 'Largest request body; above it 413.',
  },
  {
    flag: 'max-connections',
    value: 'N',
    default: '100000',
    help: 'Connections (uws: requests in progress, 503) above which new ones are closed.',
  },
  ...loadOptionTable,
  {
    flag: 'idle-timeout',
    value: 'DURATION',
    default: '120s',
    help: 'Idle connections (uws: 10 to 14 s) and readers that take nothing are closed.',
  },
  {
    flag: 'max-resident-objects',
    value: 'N',
    default: '4096',
    help: 'Object actors kept in memory; the least recently used are stopped first.',
  },
  {
    flag: 'inspect-actors',
    value: 'BOOL',
    default: 'false',
    help: 'Serve GET /debug/actors/events: what happens to actors, for the inspector of Stately.',
  },
  {
    flag: 'command-log',
    value: 'FILE',
    default: '',
    help: 'Append each decided command, with its body, to FILE: a log that can be replayed.',
  },
  {
    flag: 'max-kept-encodings-bytes',
    value: 'BYTES',
    default: String(128 * 1024 * 1024),
    help: 'Cache of objects in formats other than JSON that lists asked for; 0: none.',
  },
  {
    flag: 'goaway-chance',
    value: 'FRACTION',
    default: '0',
    help: 'Share of HTTP/2 requests, 0 to 0.02, after which a client must connect anew.',
  },
  {
    flag: 'strict-transport-security-directives',
    value: 'NAME[=N],...',
    default: '',
    help: 'What answers over TLS tell browsers: max-age=SECONDS, includeSubDomains, preload.',
  },
  {
    flag: 'livez-grace-period',
    value: 'DURATION',
    default: '0',
    help: 'For this long after the start /livez counts unfinished start hooks as done.',
  },
  {
    flag: 'shutdown-delay-duration',
    value: 'DURATION',
    default: '0',
    help: 'After SIGTERM, serve this long with /readyz failing before closing.',
  },
  {
    flag: 'shutdown-send-retry-after',
    value: 'true|false',
    default: 'false',
    help: 'Go on listening while the last requests are answered; new ones get 429.',
  },
  {
    flag: 'shutdown-timeout',
    value: 'DURATION',
    default: '10s',
    help: 'Longest wait at shutdown for requests in flight and for the store.',
  },
  {
    flag: 'runtime-config',
    value: 'KEY[=BOOL],...',
    default: '',
    help: 'Group versions and resources to serve or not: batch/v1=false, api/beta, ...',
  },
  {
    flag: 'emulated-version',
    value: '1.N',
    default: `1.${currentRelease}`,
    help: `Serve what this release served, 1.${oldestRelease} to 1.${currentRelease}.`,
  },
  {
    flag: 'feature-gates',
    value: 'NAME=BOOL,...',
    default: '',
    help: 'Features to switch on or off.',
  },
  {
    flag: 'show-hidden-metrics-for-version',
    value: '1.N',
    default: '',
    help: 'Show metrics hidden since this release, which is the one before the served one.',
  },
  {
    flag: 'tracing-config-file',
    value: 'FILE',
    default: '',
    help: 'A TracingConfiguration: which requests are traced, and who collects that. Empty: none.',
  },
  { flag: 'log-level', value: logLevels.join('|'), default: 'info', help: 'Least level logged.' },
] as const satisfies readonly OptionSpec[];

export type OptionName = (typeof optionTable)[number]['flag'];
export type RawOptions = Readonly<Record<OptionName, string>>;

/** @throws OptionsError naming the flag and what it wants. */
export function completeConfig(raw: RawOptions): CompletedConfig {
  const gates = gatesOf(raw);
  const config: CompletedConfig = {
    // An empty address would mean every interface.
    bindAddress: nonEmpty(raw, 'bind-address'),
    access: completeAccess(raw),
    admission: completeAdmission(raw),
    tokens: completeTokens(raw),
    signing: completeSigning(raw),
    system: completeSystem(raw, raw['bind-address']),
    audit: completeAudit(raw),
    store: oneOf(raw, 'store', storeNames),
    dataDir: nonEmpty(raw, 'data-dir'),
    encryption: encryptionOf(raw),
    fdbClusterFile: raw['fdb-cluster-file'] === '' ? undefined : raw['fdb-cluster-file'],
    fdbPrefix: fdbPrefix(raw),
    workers: integer(raw, 'workers', 1, 64),
    identity: oneOf(raw, 'identity', identityNames),
    transport: oneOf(raw, 'transport', transportChoices),
    watchHistoryMs: duration(raw, 'watch-history', 1000),
    eventTtlMs: duration(raw, 'event-ttl', 1000),
    minRequestTimeoutMs: durationOrSeconds(raw, 'min-request-timeout', 1000),
    requestTimeoutMs: duration(raw, 'request-timeout', 1000),
    requestBodyBytesMax: integer(raw, 'max-request-bytes', 1024, 3 * 1024 * 1024),
    connectionsMax: integer(raw, 'max-connections', 1, 1_000_000),
    load: completeLoad(raw),
    kubelet: completeKubelet(raw),
    idleTimeoutMs: duration(raw, 'idle-timeout', 1000),
    keptEncodingsBytesMax: integer(raw, 'max-kept-encodings-bytes', 0, 64 * 1024 ** 3),
    residentObjectsMax: integer(raw, 'max-resident-objects', 16, 10_000_000),
    actorsInspected: boolean(raw, 'inspect-actors'),
    commandLogFile: raw['command-log'] === '' ? undefined : raw['command-log'],
    livezGraceMs: duration(raw, 'livez-grace-period', 0),
    shutdownSendsRetryAfter: boolean(raw, 'shutdown-send-retry-after'),
    goawayChance: goawayChance(raw),
    strictTransport: strictTransport(raw),
    shutdownDelayMs: duration(raw, 'shutdown-delay-duration', 0),
    shutdownTimeoutMs: duration(raw, 'shutdown-timeout', 0),
    runtimeConfig: raw['runtime-config'],
    featureGates: gates.values,
    warnings: gates.warnings,
    release: emulatedRelease(raw),
    showHiddenMetrics: showHiddenMetrics(raw),
    tracingFile: raw['tracing-config-file'] === '' ? undefined : raw['tracing-config-file'],
    logLevel: oneOf(raw, 'log-level', logLevels),
  };
  return Object.freeze(config);
}

function encryptionOf(raw: RawOptions): EncryptionOptions | undefined {
  const file = raw['encryption-provider-config'];
  const flag = 'encryption-provider-config-automatic-reload';
  const reloads = boolean(raw, flag);
  if (file !== '') return { file, reloads };
  return reloads ? fail(flag, raw[flag], '--encryption-provider-config beside it') : undefined;
}

function goawayChance(raw: RawOptions): number {
  const text = raw['goaway-chance'];
  const chance = /^(?:0|0?\.\d+)$/.test(text) ? Number(text) : NaN;
  if (chance >= 0 && chance <= goawayChanceMax) return chance;
  return fail('goaway-chance', text, `a fraction from 0 to ${goawayChanceMax}`);
}

function strictTransport(raw: RawOptions): string | undefined {
  const flag = 'strict-transport-security-directives';
  const text = raw[flag];
  if (text === '') return undefined;
  const directives = text.split(',');
  const isKnown = (each: string): boolean =>
    /^(?:max-age=\d+|includeSubDomains|preload)$/.test(each);
  if (directives.every(isKnown)) return directives.join('; ');
  return fail(flag, text, 'max-age=SECONDS, includeSubDomains, preload');
}

/** Short and printable: it stands before every key. */
function fdbPrefix(raw: RawOptions): string {
  const text = raw['fdb-prefix'];
  if (/^[\w./-]{1,64}$/.test(text)) return text;
  return fail('fdb-prefix', text, '1 to 64 letters, digits or any of "_./-"');
}

function emulatedRelease(raw: RawOptions): number {
  const text = raw['emulated-version'];
  const minor = Number(/^v?1\.(\d{1,3})$/.exec(text)?.[1]);
  if (minor >= oldestRelease && minor <= currentRelease) return minor;
  return fail('emulated-version', text, `a release from 1.${oldestRelease} to 1.${currentRelease}`);
}

/** Of older releases no hidden metric is left. */
function showHiddenMetrics(raw: RawOptions): boolean {
  const flag = 'show-hidden-metrics-for-version';
  const previous = `1.${emulatedRelease(raw) - 1}`;
  if (raw[flag] === '') return false;
  return raw[flag] === previous || fail(flag, raw[flag], previous);
}

/** A server that has its store to itself would write its identity every ten seconds for nobody: off
 * there, unless asked for. */
function gatesOf(raw: RawOptions) {
  const alone = raw.store !== 'fdb' && raw.workers === '1';
  const text = `${alone ? 'APIServerIdentity=false,' : ''}${raw['feature-gates']}`;
  const parsed = parseFeatureGates(text, emulatedRelease(raw));
  return parsed.kind === 'ok' ? parsed : fail('feature-gates', parsed.item, parsed.problem);
}
