/**
 * Maintains the ConfigMap kube-system/extension-apiserver-authentication, by which extension
 * servers know which callers to trust (spec 2, section 5.2).
 *
 *     client-ca-file                   CAs of client certificates, PEM
 *     requestheader-...                CA, names and headers of authenticating proxies, if any
 *
 * Several servers over one store each add what they trust; nothing is taken out but certificates
 * that have expired. What cannot be read is replaced.
 *
 * Bounds: PEM above `bundleBytesMax`, or of more than `bundleCertificatesMax`, begins anew with
 * this server's own, so that it cannot grow for ever. Each certificate is read once.
 */
import { part, text } from '../../apimachinery/members.ts';
import type { KindInfo } from '../../apimachinery/scheme.ts';
import type { ApiObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { certificateEndMs } from '../../pki/certificates.ts';
import type { RegistryDeps } from '../../registry/registry.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import type { Timers } from '../../stdx/clock.ts';
import { controllerManager } from '../controller.ts';
import type { Controller } from '../controller.ts';
import { createKeyQueue } from '../key-queue.ts';
import type { QueueMeters } from '../queue-meters.ts';
import { repeatWork } from '../repeated-work.ts';
import { ensureObject } from './ensured-object.ts';

const name = 'extension-apiserver-authentication';

const bundleBytesMax = 64 * 1024;
/** Of the kinds that are in use, so many fit. */
const bundleCertificatesMax = 128;

/** A certificate counts for this long after its end: clocks differ. */
const expirySlackMs = 5 * 60_000;

export interface TrustedProxies {
  readonly caPem: string;
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
}

export interface AuthenticationTrust {
  readonly clientCaPem: string;
  /** Undefined: no proxy is trusted. */
  readonly proxies: TrustedProxies | undefined;
}

export interface TrustControllerDeps {
  readonly registry: RegistryDeps;
  readonly timers: Timers;
  readonly queues: QueueMeters;
  /** As it is now: the files that it comes from may change. */
  readonly trust: () => AuthenticationTrust;
  readonly onError: (error: unknown) => void;
}

export interface TrustController extends Controller {
  /** Once, now. @throws StatusError or StorageError when it could not be written. */
  reconcile(): Promise<void>;
}

const keepMs = 60_000;

/** Looks at the start, when the object changes, and every minute: certificates end. */
export function createTrustController(deps: TrustControllerDeps): TrustController {
  const { queues, registry, timers, trust, onError } = deps;
  const system = registry.identity.namespaces.system;
  const configMaps = registry.scheme.findStorage({ group: '', resource: 'configmaps' });
  const endOf = rememberedEnds();
  const keep = async (): Promise<void> => {
    if (configMaps !== undefined) await keepTrust(registry, configMaps, trust(), endOf);
  };
  if (configMaps === undefined) return { ...controllerManager([]), reconcile: keep };
  const queue = createKeyQueue({
    name: 'authentication-trust',
    streams: registry.streams,
    turns: registry.turns,
    timers,
    queues,
    sources: [
      {
        resource: configMaps.storage,
        keysOf: (namespace, named) => (namespace === system && named === name ? [name] : []),
      },
    ],
    work: keep,
    onError: (_key, error) => onError(error),
  });
  const looks = repeatWork({
    timers,
    work: () => Promise.resolve(queue.enqueue(name)),
    afterSuccessMs: keepMs,
    afterFailureMs: keepMs,
    onError,
  });
  return { ...controllerManager([queue, looks]), reconcile: keep };
}

async function keepTrust(
  registry: RegistryDeps,
  configMaps: KindInfo,
  trust: AuthenticationTrust,
  endOf: EndOf,
): Promise<void> {
  const nowMs = registry.clock.nowMs();
  const bundle: Bundle = (there, own) => bundleOf(there, own, (pem) => hasEnded(endOf(pem), nowMs));
  const wanted: ApiObject = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: registry.identity.namespaces.system },
    data: dataOf(trust, {}, bundle),
  };
  await ensureObject(registry, configMaps, wanted, (current) => {
    const data = dataOf(trust, part(current, 'data') as Readonly<Record<string, string>>, bundle);
    return deepEqual(part(current, 'data'), data) ? undefined : { ...current, data };
  });
}

type Data = Readonly<Record<string, string>>;

/** What is there and what is ours, each certificate once, without those that have ended. */
type Bundle = (there: string, own: string) => string;

function dataOf({ clientCaPem, proxies }: AuthenticationTrust, there: Data, bundle: Bundle): Data {
  const clients = bundle(text(there, 'client-ca-file'), clientCaPem);
  const proxyCa = bundle(text(there, 'requestheader-client-ca-file'), proxies?.caPem ?? '');
  return {
    ...(clients === '' ? {} : { 'client-ca-file': clients }),
    ...(proxyCa === '' ? {} : { ...proxyData(there, proxies), ...{ [proxyCaKey]: proxyCa } }),
  };
}

const proxyCaKey = 'requestheader-client-ca-file';

const lists = [
  ['requestheader-allowed-names', 'allowedNames'],
  ['requestheader-username-headers', 'usernameHeaders'],
  ['requestheader-uid-headers', 'uidHeaders'],
  ['requestheader-group-headers', 'groupHeaders'],
  ['requestheader-extra-headers-prefix', 'extraHeaderPrefixes'],
] as const;

function proxyData(there: Data, proxies: TrustedProxies | undefined): Data {
  const entries = lists.map(([key, field]) => {
    const all = new Set([...readTexts(text(there, key)), ...(proxies?.[field] ?? [])]);
    return [key, JSON.stringify([...all])] as const;
  });
  return Object.fromEntries(entries);
}

function readTexts(json: string): readonly string[] {
  try {
    const list = JSON.parse(json) as JsonValue;
    return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
  } catch {
    return [];
  }
}

const block = /-----BEGIN CERTIFICATE-----[\sA-Za-z0-9+/=]+-----END CERTIFICATE-----/g;

function bundleOf(there: string, own: string, isOver: (pem: string) => boolean): string {
  const blocks = blocksIn(there);
  const isTooMuch = there.length > bundleBytesMax || blocks.length > bundleCertificatesMax;
  const pems = new Map<string, string>();
  for (const pem of [...(isTooMuch ? [] : blocks), ...blocksIn(own)]) {
    if (!isOver(pem)) pems.set(pem.replace(/\s/g, ''), pem);
  }
  return [...pems.values()].map((pem) => `${pem}\n`).join('');
}

function blocksIn(pem: string): readonly string[] {
  return pem.match(block) ?? [];
}

/** One that cannot be read is of no use to anybody either. */
function hasEnded(endMs: number | undefined, nowMs: number): boolean {
  return endMs === undefined || endMs + expirySlackMs < nowMs;
}

type EndOf = (pem: string) => number | undefined;

/** Every minute it is the same certificates that are looked at. At the limit it starts anew. */
function rememberedEnds(): EndOf {
  const ends = new Map<string, number | undefined>();
  return (pem) => {
    if (ends.has(pem)) return ends.get(pem);
    if (ends.size >= 4 * bundleCertificatesMax) ends.clear();
    const endMs = certificateEndMs(pem);
    ends.set(pem, endMs);
    return endMs;
  };
}
