/**
 * Deletes events that have not been written for `--event-ttl`.
 *
 *     oldest write ◀── queue: one entry for each event, in order of its last write ◀── every change
 *          │
 *     one timer, for the time at which the first is due ─▶ delete it, on that very revision
 *
 * An event lives at least its time, and goes within `lateMs` after it, by the clock that nobody
 * sets: a wall clock that is set back keeps none for longer, one that is set ahead removes none. No
 * timer per event, and no look at those that are not due.
 *
 * When an event was last written is not in the store. While this runs it is the time at which the
 * change was seen. For those that were there before, the latest time that is certain is taken: of
 * its own creation and of the writes in its managedFields, and of the creation of any event that
 * the log has before it. So a restart keeps expiry, and shortens a life only where no event was
 * made between the write and the one before.
 *
 * Invariant: what is deleted is the revision that was seen; a write at the last moment saves it.
 * Bounds: an entry is a few dozen bytes and there is one for each event in the cache;
 * `deletesInFlightMax` deletions at once, `sweepMax` in one go.
 */
import type { Subscription } from 'rxjs';
import { decodeObject } from '../apimachinery/object-encoding.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import { StatusReason } from '../apimachinery/status-table.ts';
import { parseRfc3339 } from '../apimachinery/time.ts';
import type { JsonObject, JsonValue, ObjectMeta } from '../apimachinery/unstructured.ts';
import { deleteObject } from '../registry/delete.ts';
import type { RegistryDeps } from '../registry/registry.ts';
import type { Clock, TimerHandle, Timers } from '../stdx/clock.ts';
import type { Revision } from '../storage/storage.ts';
import { inSteps, sortedInSteps } from '../stdx/in-steps.ts';
import { OrderedMap } from '../stdx/ordered-map.ts';
import type { Steps } from '../stdx/stepwise.ts';
import type { Entry } from '../../streams/streams.ts';
import type { Controller } from './controller.ts';

export const eventExpiryLimits = {
  /** Sweeps are at least this far apart: events that fall due together go together. */
  lateMs: 5_000,
  deletesInFlightMax: 32,
  sweepMax: 10_000,
} as const;

export interface EventExpiryDeps {
  readonly registry: RegistryDeps;
  readonly timers: Timers;
  /** From the last write. */
  readonly ttlMs: number;
  readonly onError: (error: unknown) => void;
}

/** Core events and those of the events group are the same objects. */
const events = { group: '', resource: 'events' } as const;

interface WrittenEvent {
  readonly namespace: string;
  readonly name: string;
  readonly revision: Revision;
  /** Monotonic clock. */
  readonly writtenMs: number;
}

export function createEventExpiry(deps: EventExpiryDeps): Controller {
  const { registry, timers, ttlMs } = deps;
  const { lateMs, sweepMax } = eventExpiryLimits;
  /** By name; who was written last stands last. */
  const queue = new OrderedMap<WrittenEvent>();
  let stopped = true;
  let timer: TimerHandle | undefined;
  let working: Promise<void> | undefined;
  let following: Subscription | undefined;

  const note = ({ namespace, name, revision }: Entry, writtenMs: number): void => {
    const key = `${namespace}/${name}`;
    queue.set(key, { namespace, name, revision, writtenMs });
  };
  const reset = function* (stored: Iterable<Entry>): Steps<void> {
    queue.clear();
    yield* writtenEvents(stored, registry.clock, (written) => {
      queue.set(`${written.namespace}/${written.name}`, written);
    });
    arm(lateMs);
  };
  const arm = (leastMs: number): void => {
    if (stopped || timer !== undefined || working !== undefined) return;
    const { first } = queue;
    if (first === undefined) return;
    const inMs = first.writtenMs + ttlMs - registry.clock.monotonicMs();
    timer = timers.after(Math.max(inMs, leastMs), () => {
      timer = undefined;
      working = sweep().finally(() => {
        working = undefined;
        arm(lateMs);
      });
    });
  };
  const sweep = async (): Promise<void> => {
    const kind = registry.scheme.findStorage(events);
    if (kind === undefined) return;
    const due = expired(queue.values(), registry.clock.monotonicMs() - ttlMs, sweepMax);
    try {
      await removeAll(registry, kind, due, () => stopped);
    } catch (error) {
      deps.onError(error);
    }
  };

  return {
    start() {
      stopped = false;
      const { followers } = registry.streams;
      const changes = registry.streams.resourceEvents(events);
      following = followers.follow('event-expiry', changes, (event) => {
        if (event.type === 'RESET') return reset(event.snapshot.entries(undefined));
        const { namespace, name } = event.entry;
        if (event.type === 'DELETED') queue.delete(`${namespace}/${name}`);
        else note(event.entry, registry.clock.monotonicMs());
        arm(lateMs);
        return undefined;
      });
    },
    async stop() {
      stopped = true;
      following?.unsubscribe();
      timer?.cancel();
      timer = undefined;
      await working;
      queue.clear();
    },
  };
}

/** From the front, which holds the oldest. */
function expired(
  events: Iterable<WrittenEvent>,
  writtenBy: number,
  max: number,
): readonly WrittenEvent[] {
  const due: WrittenEvent[] = [];
  for (const written of events) {
    if (written.writtenMs > writtenBy || due.length === max) break;
    due.push(written);
  }
  return due;
}

async function removeAll(
  registry: RegistryDeps,
  kind: KindInfo,
  due: readonly WrittenEvent[],
  stopped: () => boolean,
): Promise<void> {
  const events = due.values();
  const worker = async (): Promise<void> => {
    for (const written of events) {
      if (stopped()) return;
      await remove(registry, kind, written);
    }
  };
  const { deletesInFlightMax } = eventExpiryLimits;
  await Promise.all(Array.from({ length: Math.min(deletesInFlightMax, due.length) }, worker));
}

async function remove(
  registry: RegistryDeps,
  kind: KindInfo,
  { namespace, name, revision }: WrittenEvent,
): Promise<void> {
  const preconditions = { uid: undefined, resourceVersion: revision.toString() };
  const options = { dryRun: false, preconditions };
  const result = await deleteObject(registry, { kind, namespace, name }, options);
  if (result.kind === 'ok' || passedOver.has(result.error.reason)) return;
  throw result.error;
}

/** It was written again, or somebody else removed it. */
const passedOver: ReadonlySet<string> = new Set([StatusReason.conflict, StatusReason.notFound]);

/** Takes the events that are there, in order of their last write. */
function* writtenEvents(
  stored: Iterable<Entry>,
  clock: Clock,
  take: (event: WrittenEvent) => void,
): Steps<void> {
  const nowMs = clock.nowMs();
  const atMs = clock.monotonicMs();
  const found = yield* sortedInSteps([...stored], (a, b) => a.revision < b.revision);
  let certainMs = 0;
  yield* inSteps(found, (entry) => {
    const { metadata } = decodeObject(entry.bytes);
    certainMs = Math.max(certainMs, Math.min(timeOf(metadata.creationTimestamp), nowMs));
    const own = Math.min(managedTime(metadata), nowMs);
    const { namespace, name, revision } = entry;
    const ageMs = nowMs - Math.max(certainMs, own);
    take({ namespace, name, revision, writtenMs: atMs - ageMs });
    return entry.bytes.length;
  });
}

function managedTime(metadata: ObjectMeta): number {
  const entries = metadata['managedFields'];
  if (!Array.isArray(entries)) return 0;
  const times = (entries as readonly JsonObject[]).map((entry) => timeOf(entry['time']));
  return Math.max(0, ...times);
}

function timeOf(value: JsonValue | undefined): number {
  return typeof value === 'string' ? (parseRfc3339(value) ?? 0) : 0;
}
