/**
 * Counts what quotas bound: a new quota, a name that a quota has come to bound, and now and then
 * everything, in case a figure is wrong.
 *
 *     quota, with a name not counted ─▶ look ─▶ status.used      while it is not counted, nothing
 *                                                                more of it is taken (charge.ts)
 *     all of a namespace, each syncMs ─▶ look ─▶ differs ─▶ look again when the caches are current:
 *                                                       the same quota, so it is wrong ─▶ put right
 *
 * It does not keep usage within quotas: every write charges them in its own transaction. A figure
 * can only be wrong where somebody wrote it so, or a record was removed unread.
 *
 * Invariants: what is written is bound to the very revision of the quota that was looked at:
 * charged meanwhile, it is looked at again. A charge and its object may be seen one before the
 * other, in the middle of a commit; a quota that has not changed by the time that everything is
 * seen was not. What was written is looked at once more: what a quota does not show yet goes
 * without charging it.
 * Bounds: one namespace at a time, and `quotasAtOnce` of its quotas in one pass over its objects
 * (quota-usage.ts), in turns with everybody else.
 */
import { uncountedNames } from '../admission/quota/charge.ts';
import { part } from '../apimachinery/members.ts';
import { decodeObject } from '../apimachinery/object-encoding.ts';
import type { GroupResource } from '../apimachinery/schema.ts';
import { StatusReason } from '../apimachinery/status-table.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import { changeObject } from '../registry/change-object.ts';
import type { RegistryDeps } from '../registry/registry.ts';
import { deepEqual } from '../stdx/deep-equal.ts';
import type { Timers } from '../stdx/clock.ts';
import { sleep } from '../stdx/clock.ts';
import { runToEnd } from '../stdx/stepwise.ts';
import { controllerManager } from './controller.ts';
import type { Controller } from './controller.ts';
import { createKeyQueue } from './key-queue.ts';
import type { QueueMeters } from './queue-meters.ts';
import { isCountable } from './quota-usage.ts';
import type { Counted } from './quota-usage.ts';
import { repeatWork } from './repeated-work.ts';
import { sameNames, wrongQuotas } from './wrong-quotas.ts';

const quotas: GroupResource = { group: '', resource: 'resourcequotas' };

/** Of a quota whose status is written. */
const bytesPerMs = 16 * 1024;

const quotaCounterLimits = {
  /** Between two looks at everything. */
  syncMs: 5 * 60_000,
  /** How long a write waits for a count. */
  countedWaitMs: 10_000,
  attemptsMax: 16,
  quotasAtOnce: 256,
  /** Of statuses that are put right. */
  writesAtOnce: 16,
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
  /** Names of quotas that have changed, by namespace: the key that waits. */
  const changed = new Map<string, Set<string>>();
  const note = (namespace: string, name: string): void => {
    const names = changed.get(namespace) ?? new Set();
    changed.set(namespace, names.add(name));
  };
  const queue = createKeyQueue({
    name: 'resourcequota',
    streams: registry.streams,
    turns: registry.turns,
    timers,
    queues,
    sources: [
      {
        resource: quotas,
        keysOf(namespace, name) {
          note(namespace, name);
          return [namespace];
        },
      },
    ],
    async work(namespace) {
      const names = [...(changed.get(namespace) ?? [])];
      changed.delete(namespace);
      try {
        await syncQuotas(registry, namespace, names, needsCount);
        const isLeft = names.some((name) => isUncountable(registry, namespace, name));
        if (isLeft) throw new Error('what it limits cannot be read yet');
      } catch (error) {
        for (const name of names) note(namespace, name);
        throw error;
      }
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
      await syncQuotas(deps, namespace, [name]);
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
  let of: { readonly namespace: string; readonly names: string[] } | undefined;
  for (const { name, namespace } of all.entries(undefined)) {
    if (of !== undefined && of.namespace !== namespace) {
      if (stopped()) return;
      await registry.turns.pause();
      await syncQuotas(registry, of.namespace, of.names);
      of = undefined;
    }
    of ??= { namespace, names: [] };
    of.names.push(name);
  }
  if (of !== undefined && !stopped()) await syncQuotas(registry, of.namespace, of.names);
}

function quotaAt(registry: RegistryDeps, namespace: string, name: string): ApiObject | undefined {
  const entry = registry.streams.snapshot(quotas).get(namespace, name);
  return entry && decodeObject(entry.bytes);
}

function isUncountable(registry: RegistryDeps, namespace: string, name: string): boolean {
  if (registry.streams.waitingCount === 0) return false;
  const quota = quotaAt(registry, namespace, name);
  return quota !== undefined && needsCount(quota) && !isCountable(registry, quota);
}

function needsCount(quota: ApiObject): boolean {
  const hard = part(part(quota, 'spec'), 'hard');
  const status = part(quota, 'status');
  return !deepEqual(hard, part(status, 'hard')) || !sameNames(hard, part(status, 'used'));
}

/** Their status says what there is, unless they keep changing.
 * @throws StatusError, StorageError. */
async function syncQuotas(
  registry: RegistryDeps,
  namespace: string,
  names: readonly string[],
  isMeant: (quota: ApiObject) => boolean = () => true,
): Promise<void> {
  const { attemptsMax, quotasAtOnce } = quotaCounterLimits;
  for (let from = 0; from < names.length; from += quotasAtOnce) {
    if (from > 0) await registry.turns.pause();
    let open = names.slice(from, from + quotasAtOnce);
    for (let attempt = 0; open.length > 0 && attempt < attemptsMax; attempt += 1) {
      open = await syncOnce(registry, namespace, open, attempt === 0 ? isMeant : () => true);
    }
  }
}

/** Those that have to be looked at again. */
async function syncOnce(
  registry: RegistryDeps,
  namespace: string,
  names: readonly string[],
  isMeant: (quota: ApiObject) => boolean,
): Promise<string[]> {
  const { streams, turns } = registry;
  const steps = wrongQuotas(registry, namespace, names, isMeant);
  const wrong = await runToEnd(turns, steps);
  if (wrong.length === 0) return [];
  await streams.waitUntilCurrent();
  const { writesAtOnce } = quotaCounterLimits;
  for (let from = 0; from < wrong.length; from += writesAtOnce) {
    const writes = wrong.slice(from, from + writesAtOnce).map(async ({ quota, status }) => {
      const now = streams.snapshot(quotas).get(namespace, quota.metadata.name ?? '');
      if (now?.revision.toString() !== quota.metadata.resourceVersion || now === undefined) return;
      // What it takes grows with what the quota names.
      await turns.pause(now.bytes.length / bytesPerMs);
      await writeStatus(registry, quota, namespace, status);
    });
    await Promise.all(writes);
  }
  await streams.waitUntilCurrent();
  return wrong.map(({ quota }) => quota.metadata.name ?? '');
}

async function writeStatus(
  registry: RegistryDeps,
  quota: ApiObject,
  namespace: string,
  status: Counted,
): Promise<void> {
  const kind = registry.scheme.findStorage(quotas);
  if (kind === undefined) return;
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
  if (written.kind !== 'ok' && !passedOver.has(written.error.reason)) throw written.error;
}

/** One that is too large to have its status stays uncounted until it changes: trying again changes
 * nothing. */
const passedOver: ReadonlySet<string> = new Set([
  StatusReason.notFound,
  StatusReason.conflict,
  StatusReason.requestEntityTooLarge,
]);
