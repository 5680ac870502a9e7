/**
 * Servers over one store, without HTTP: each with a registry, streams and actors of its own, on one
 * manual time, with hands on what one of them sees and does.
 *
 *   stopped     its timers do not run, as of a process that was sent SIGSTOP
 *   log         may be paused: what it reads from its caches gets old
 *   skewMs      its wall clock is off by this
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createActorSystem } from '../../../actors/actor-system.ts';
import { createRoot } from '../../../actors/root-actor.ts';
import { createDecide } from '../../../src/registry/decide.ts';
import { identityOf } from '../../../src/apimachinery/identity.ts';
import { decodeObject, encodeObject } from '../../../src/apimachinery/object-encoding.ts';
import { plainRecords } from '../../../src/storage/encrypted-records.ts';
import { streamPorts } from '../../../src/server/compose/stream-ports.ts';
import type { ApiObject } from '../../../src/apimachinery/unstructured.ts';
import { defaultNamespaces } from '../../../src/apis/core/namespaces/default-namespaces.ts';
import { decisionsOf } from '../../../src/apis/operations.ts';
import { buildScheme } from '../../../src/apis/build-scheme.ts';
import { strategiesOf } from '../../../src/apis/strategies.ts';
import { leaseKind } from '../../../src/controllers/lease-object.ts';
import { createObject } from '../../../src/registry/create.ts';
import type { RegistryDeps } from '../../../src/registry/registry.ts';
import type { KindInfo, Scheme } from '../../../src/apimachinery/scheme.ts';
import type { Clock, TimerHandle, Timers } from '../../../src/stdx/clock.ts';
import { seededPrng } from '../../../src/stdx/prng.ts';
import { createTurns } from '../../../src/stdx/turns.ts';
import { createCommitter } from '../../../src/storage/committer.ts';
import { createMemoryStorage } from '../../../src/storage/memory/memory-storage.ts';
import { decodeRecord, recordToPut } from '../../../src/storage/record-codec.ts';
import type { Storage } from '../../../src/storage/storage.ts';
import { createStreams } from '../../../streams/watch-cache.ts';
import { defaultStreamLimits } from '../../../streams/limits.ts';
import { manualTime } from '../doubles/manual-time.ts';
import type { ManualTime } from '../doubles/manual-time.ts';
import { pausableTail } from '../doubles/pausable-tail.ts';
import type { PausableTail } from '../doubles/pausable-tail.ts';

export interface SharedStore {
  readonly storage: Storage;
  readonly time: ManualTime;
  /** Moves time on, in small steps, and lets everything that is ready run after each. */
  pass(ms: number, each?: () => void): Promise<void>;
  join(): Promise<RegistryServer>;
  stop(): Promise<void>;
}

export interface RegistryServer {
  readonly registry: RegistryDeps;
  readonly leases: KindInfo;
  readonly timers: Timers;
  readonly storage: Storage;
  readonly log: PausableTail;
  skewMs: number;
  stopped: boolean;
  /** Runs before each read of the store. */
  beforeRead: () => Promise<void>;
}

const identity = identityOf('kubernetes');
const stepMs = 250;

export async function createSharedStore(): Promise<SharedStore> {
  const time = manualTime();
  const storage = createMemoryStorage({ clock: time.clock, revisionStep: 3n });
  const built = buildScheme({ identity });
  if (built.kind === 'invalid') throw new Error(built.errors.join());
  const servers: (RegistryServer & { close(): Promise<void> })[] = [];
  const join = async (): Promise<RegistryServer> => {
    const server = await joinStore(storage, time, built.scheme, servers.length + 1);
    servers.push(server);
    return server;
  };
  return {
    storage,
    time,
    async pass(ms, each) {
      for (let passed = 0; passed < ms; passed += stepMs) {
        time.advance(stepMs);
        await turns();
        each?.();
      }
    },
    join,
    async stop() {
      for (const server of servers) await server.close();
      await storage.close();
    },
  };
}

/** Lets everything that is ready run. */
export async function turns(count = 10): Promise<void> {
  for (let i = 0; i < count; i += 1) await nextTurn();
}

export function kindOf({ registry }: RegistryServer, group: string, resource: string): KindInfo {
  const kind = registry.scheme.findStorage({ group, resource });
  if (kind === undefined) throw new Error(`${resource} is not served`);
  return kind;
}

async function joinStore(
  shared: Storage,
  time: ManualTime,
  scheme: Scheme,
  number: number,
): Promise<RegistryServer & { close(): Promise<void> }> {
  const log = pausableTail(shared);
  const held = new Set<() => void>();
  let stopped = false;
  const hands = { skewMs: 0, beforeRead: () => Promise.resolve() };
  const storage: Storage = {
    ...log.storage,
    read: async (key, at) => {
      await hands.beforeRead();
      return shared.read(key, at);
    },
  };
  const timers: Timers = {
    ...time.timers,
    after(delayMs, callback): TimerHandle {
      const timer = time.timers.after(delayMs, () => {
        if (stopped) held.add(callback);
        else callback();
      });
      return {
        cancel() {
          timer.cancel();
          held.delete(callback);
        },
      };
    },
  };
  // Monotonic clocks of two machines have nothing to do with each other.
  const clock: Clock = {
    nowMs: () => time.clock.nowMs() + hands.skewMs,
    monotonicMs: () => time.clock.monotonicMs() + number * 1_000_000_000,
  };
  const registry = await createRegistry(storage, scheme, clock, timers, number);
  return {
    registry,
    leases: leaseKind(registry) as KindInfo,
    timers,
    storage,
    log,
    get skewMs() {
      return hands.skewMs;
    },
    set skewMs(ms) {
      hands.skewMs = ms;
    },
    get beforeRead() {
      return hands.beforeRead;
    },
    set beforeRead(hook) {
      hands.beforeRead = hook;
    },
    get stopped() {
      return stopped;
    },
    set stopped(value) {
      stopped = value;
      if (stopped) return;
      const due = [...held];
      held.clear();
      for (const callback of due) callback();
    },
    close: () => registry.streams.stop(),
  };
}

async function createRegistry(
  storage: Storage,
  scheme: Scheme,
  clock: Clock,
  timers: Timers,
  seed: number,
): Promise<RegistryDeps> {
  const prng = seededPrng(seed);
  const streams = createStreams({
    ...streamPorts(plainRecords),
    storage,
    clock,
    timers,
    prng,
    limits: defaultStreamLimits,
    onFollowerFailure: ({ error }) => {
      throw error;
    },
    onFatal: (error) => {
      throw error;
    },
  });
  await streams.start();
  const strategyOf = strategiesOf(identity);
  const actors = createActorSystem({
    root: createRoot(),
    decide: createDecide({ scheme, identity, strategyOf, operations: decisionsOf() }),
    answer: () => ({ kind: 'allowed' }),
    onBroken: (error) => {
      throw error;
    },
    storage,
    committer: createCommitter({ storage, clock, timers }),
    encode: (key, object: ApiObject) => {
      const { bytes, metadataAt } = encodeObject(object);
      const { labels = {}, uid = '' } = object.metadata;
      const fields = scheme.fieldsOf(key, object);
      return { record: { uid, labels, fields, metadataAt, object: bytes } };
    },
    encodeRecord: recordToPut,
    decodeRecord,
    decodeObject,
    clock,
    timers,
    soleWriter: false,
    limits: {},
  });
  const turns = createTurns({ clock, timers });
  const registry = { actors, streams, scheme, identity, strategyOf, clock, prng, turns };
  const kind = scheme.findStorage({ group: '', resource: 'namespaces' }) as KindInfo;
  for (const object of defaultNamespaces(identity)) {
    await createObject(registry, { kind, namespace: '' }, object, { dryRun: false });
  }
  await streams.waitUntilCurrent();
  return registry;
}
