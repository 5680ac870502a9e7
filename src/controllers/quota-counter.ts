/**
 * Counts what quotas bound: a new quota, a name that a quota has come to bound, and now and then
 * everything, in case a figure is wrong.
 *
 *     quota, with a name not counted ─▶ look ─▶ status.used      while it is not counted, nothing
 *                                                                more of it is taken (charge.ts)
 *     every quota, every syncMs      ─▶ look ─▶ differs ─▶ look again when the caches are current:
 *                                                       the same quota, so it is wrong ─▶ put right
 *
 * What it is not: what keeps usage within quotas. Every write charges them in its own transaction;
 * a figure can only be wrong where somebody wrote it so, or a record was removed unread.
 *
 * Invariants: what is written is bound to the very revision of the quota that was looked at:
 * charged
 * meanwhile, it is looked at again. A charge and its object may be seen one before the other, in
 * the
 * middle of a commit; a quota that has not changed by the time that everything is seen was not.
 * Bounds: one quota at a time; a walk yields between `stepEntries` objects; counts without scopes
 * are looked up.
 */
import { part } from '../apimachinery/members.ts';
import { decodeObject } from '../apimachinery/object-encoding.ts';
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
} from '../apimachinery/quantity.ts';
import type { Quantity } from '../apimachinery/quantity.ts';
import type { GroupResource } from '../apimachinery/schema.ts';
import { StatusReason } from '../apimachinery/status-table.ts';
import type { ApiObject, JsonObject } from '../apimachinery/unstructured.ts';
import { uncountedNames } from '../admission/quota/charge.ts';
import { inScope } from '../admission/quota/scopes.ts';
import {
  countName,
  isCounted,
  plainlyCounted,
  usageNames,
  usageOf,
} from '../admission/quota/usage.ts';
import { changeObject } from '../registry/change-object.ts';
import type { RegistryDeps } from '../registry/registry.ts';
import { deepEqual } from '../stdx/deep-equal.ts';
import type { Timers } from '../stdx/clock.ts';
import { sleep } from '../stdx/clock.ts';
import type { ResourceSnapshot } from '../../streams/streams.ts';
import { controllerManager } from './controller.ts';
import type { Controller } from './controller.ts';
import { createKeyQueue } from './key-queue.ts';
import type { QueueMeters } from './queue-meters.ts';
import { repeatWork } from './repeated-work.ts';

const quotas: GroupResource = { group: '', resource: 'resourcequotas' };

const quotaCounterLimits = {
  /** Between two looks at everything. */
  syncMs: 5 * 60_000,
  /** How long a write waits for a count. */
  countedWaitMs: 10_000,
  attemptsMax: 16,
  stepEntries: 64,
} as const;

export interface QuotaCounterDeps {
  readonly registry: RegistryDeps;
  readonly timers: Timers;
  readonly queues: QueueMeters;
  readonly onError: (quota: string, error: unknown) => void;
}

/** Where controllers run. */
export function createQuotaCounter(deps: QuotaCounterDeps): Controller {
  const { onError, queues, registry, timers } = deps;
  const queue = createKeyQueue({
    name: 'resourcequota',
    streams: registry.streams,
    timers,
    queues,
    sources: [{ resource: quotas, keysOf: (namespace, name) => [`${namespace}/${name}`] }],
    work: async (key) => {
      const [namespace = '', name = ''] = key.split('/');
      if (needsCount(quotaAt(registry, namespace, name)))
        await syncQuota(registry, namespace, name);
    },
    onError,
  });
  const sync = repeatWork({
    timers,
    work: (stopped) => syncAll(registry, stopped),
    afterSuccessMs: quotaCounterLimits.syncMs,
    afterFailureMs: quotaCounterLimits.syncMs / 10,
    onError: (error) => onError('', error),
  });
  return controllerManager([queue, sync]);
}

/** For writes that find a quota uncounted: whoever comes first counts it. */
export function createCountOnDemand(
  registry: () => RegistryDeps,
  timers: Timers,
): (namespace: string, name: string) => Promise<boolean> {
  const counting = new Map<string, Promise<boolean>>();
  const count = async (namespace: string, name: string): Promise<boolean> => {
    const deps = registry();
    const endsMs = deps.clock.monotonicMs() + quotaCounterLimits.countedWaitMs;
    for (;;) {
      await deps.streams.waitUntilCurrent();
      const quota = quotaAt(deps, namespace, name);
      if (quota === undefined || uncountedNames(quota).length === 0) return true;
      await syncQuota(deps, namespace, name);
      if (deps.clock.monotonicMs() > endsMs) return false;
      await sleep(timers, 1);
    }
  };
  return (namespace, name) => {
    const key = `${namespace}/${name}`;
    const known = counting.get(key);
    if (known !== undefined) return known;
    const begun = count(namespace, name)
      .catch(() => false)
      .finally(() => counting.delete(key));
    counting.set(key, begun);
    return begun;
  };
}

async function syncAll(registry: RegistryDeps, stopped: () => boolean): Promise<void> {
  const all = registry.streams.snapshot(quotas);
  for (const { name, namespace } of all.entries(undefined)) {
    if (stopped()) return;
    await registry.turns.pause();
    await syncQuota(registry, namespace, name);
  }
}

function quotaAt(registry: RegistryDeps, namespace: string, name: string): ApiObject | undefined {
  const entry = registry.streams.snapshot(quotas).get(namespace, name);
  return entry && decodeObject(entry.bytes);
}

function needsCount(quota: ApiObject | undefined): boolean {
  if (quota === undefined) return false;
  const hard = part(part(quota, 'spec'), 'hard');
  const status = part(quota, 'status');
  return !deepEqual(hard, part(status, 'hard')) || !sameNames(hard, part(status, 'used'));
}

function sameNames(a: JsonObject, b: JsonObject): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name));
}

/** Its status says what there is, unless it keeps changing. @throws StatusError, StorageError. */
async function syncQuota(registry: RegistryDeps, namespace: string, name: string): Promise<void> {
  const { streams } = registry;
  for (let attempt = 0; attempt < quotaCounterLimits.attemptsMax; attempt += 1) {
    const quota = quotaAt(registry, namespace, name);
    if (quota === undefined) return;
    const status = await lookAt(registry, quota, namespace);
    if (isRight(quota, status)) return;
    await streams.waitUntilCurrent();
    const now = quotaAt(registry, namespace, name);
    if (now?.metadata.resourceVersion !== quota.metadata.resourceVersion) continue;
    if (await writeStatus(registry, quota, namespace, status)) {
      await streams.waitUntilCurrent();
    }
  }
}

interface Counted {
  readonly hard: JsonObject;
  readonly used: Readonly<Record<string, string>>;
}

function isRight(quota: ApiObject, { hard, used }: Counted): boolean {
  const status = part(quota, 'status');
  const shown = part(status, 'used');
  return (
    deepEqual(hard, part(status, 'hard')) &&
    sameNames(used, shown) &&
    Object.entries(used).every(([name, amount]) => {
      const [a, b] = [parseQuantity(amount), parseQuantity(String(shown[name]))];
      return a !== undefined && b !== undefined && compareQuantities(a, b) === 0;
    })
  );
}

async function writeStatus(
  registry: RegistryDeps,
  quota: ApiObject,
  namespace: string,
  status: Counted,
): Promise<boolean> {
  const kind = registry.scheme.findStorage(quotas);
  if (kind === undefined) return false;
  const { name = '', resourceVersion } = quota.metadata;
  const written = await changeObject(
    registry,
    { kind, namespace, name },
    {
      change: (now) =>
        now.metadata.resourceVersion === resourceVersion
          ? { ...now, status: { ...part(now, 'status'), hard: status.hard, used: status.used } }
          : undefined,
      options: { dryRun: false, manager: registry.identity.serverName },
      subresource: 'status',
      how: 'update',
    },
  );
  if (written.kind === 'ok') return written.value;
  if (passedOver.has(written.error.reason)) return false;
  throw written.error;
}

const passedOver: ReadonlySet<string> = new Set([StatusReason.notFound, StatusReason.conflict]);

/** All caches as they are at one moment, which is no older than the quota. */
async function lookAt(
  registry: RegistryDeps,
  quota: ApiObject,
  namespace: string,
): Promise<Counted> {
  const spec = part(quota, 'spec');
  const hard = part(spec, 'hard');
  const kindNames = usageNames(registry.identity);
  const sources = sourcesOf(registry, Object.keys(hard), kindNames.storageDomain);
  const snapshots = [...sources.values()].map((source) => ({
    ...source,
    snapshot: registry.streams.snapshot(source.resource),
  }));
  const totals = new Map<string, Quantity>();
  const add = (name: string, amount: Quantity): void => {
    const before = totals.get(name);
    totals.set(name, before === undefined ? amount : addQuantities(before, amount));
  };
  for (const { names, resource, snapshot } of snapshots) {
    if (isUnscoped(spec) && names.every((name) => isPlainCount(name, resource))) {
      const count = parseQuantity(String(snapshot.count(namespace))) as Quantity;
      for (const name of names) add(name, count);
      continue;
    }
    for await (const object of objectsOf(registry, snapshot, namespace)) {
      const { amounts, scopes } = usageOf(resource, object, kindNames);
      if (!inScope(spec, scopes)) continue;
      for (const name of names) {
        const amount = Object.hasOwn(amounts, name)
          ? parseQuantity(amounts[name] ?? '')
          : undefined;
        if (amount !== undefined) add(name, amount);
      }
    }
  }
  const used: Record<string, string> = {};
  for (const name of Object.keys(hard)) {
    const total = totals.get(name);
    used[name] = total === undefined ? '0' : formatQuantity(total);
  }
  return { hard, used };
}

function isUnscoped(spec: JsonObject): boolean {
  return spec['scopes'] === undefined && spec['scopeSelector'] === undefined;
}

/** Every object of the resource counts as one. */
function isPlainCount(name: string, resource: GroupResource): boolean {
  if (name === countName(resource)) return true;
  return name === resource.resource && name !== 'pods';
}

async function* objectsOf(
  { turns }: RegistryDeps,
  snapshot: ResourceSnapshot,
  namespace: string,
): AsyncGenerator<ApiObject> {
  let looked = 0;
  for (const { bytes } of snapshot.entries(namespace)) {
    if ((looked += 1) % quotaCounterLimits.stepEntries === 0) await turns.pause();
    yield decodeObject(bytes);
  }
}

interface Source {
  readonly resource: GroupResource;
  readonly names: string[];
}

/** Which resources the names of a quota are about. What is no resource here has no objects. */
function sourcesOf(
  { scheme }: RegistryDeps,
  names: readonly string[],
  storageDomain: string,
): ReadonlyMap<string, Source> {
  const sources = new Map<string, Source>();
  for (const name of names) {
    const resource = resourceOf(name, storageDomain);
    if (resource === undefined || !isCounted(resource)) continue;
    if (scheme.findStorage(resource)?.namespaced !== true) continue;
    const key = `${resource.group}/${resource.resource}`;
    const source = sources.get(key) ?? { resource, names: [] };
    source.names.push(name);
    sources.set(key, source);
  }
  return sources;
}

function resourceOf(name: string, storageDomain: string): GroupResource | undefined {
  const core = (resource: string): GroupResource => ({ group: '', resource });
  if (name.startsWith('count/')) {
    const [resource = '', ...group] = name.slice('count/'.length).split('.');
    return { resource, group: group.join('.') };
  }
  if (plainlyCounted.has(name)) return core(name);
  if (name.startsWith('services.')) return core('services');
  if (name === 'requests.storage' || name.includes(`.storageclass.${storageDomain}/`)) {
    return core('persistentvolumeclaims');
  }
  return core('pods');
}
