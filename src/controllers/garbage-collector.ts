/**
 * Collects garbage: objects whose owners are gone (spec 1, sections 2.7 and 3.1).
 *
 *   streams ─▶ graph ─▶ queue of references ─▶ snapshots current? ─▶ judge ─▶ write, preconditioned
 *
 * What it is not: what owners and dependents are; see the files beside this one.
 *
 * Invariants: a decision is made on snapshots that show everything acknowledged before it, and on a
 * graph of the same revision; a uid that is gone never comes back, and the write holds only for
 * the state of the dependent that was looked at: so nothing that has an owner is deleted. Work is
 * idempotent: after a restart the graph is made anew and all of it is looked at once. A graph that
 * is not whole (a change could not be taken, or the state is still being read) decides nothing.
 * Bounds: workQueueLimits; while the queue is full, references are dropped and the whole graph is
 * looked at again later. The state at the start is read in slices of `loadSlice` objects.
 */
import { defer, map, merge } from 'rxjs';
import type { Observable, Subscription } from 'rxjs';
import type { KindInfo } from '../apimachinery/scheme.ts';
import type { RegistryDeps } from '../registry/registry.ts';
import type { Timers } from '../stdx/clock.ts';
import type { Added, Deleted, Entry, EventType, Modified } from '../../streams/streams.ts';
import type { Controller } from './controller.ts';
import { judge } from './garbage-collector-decision.ts';
import type { Judgement, Surroundings } from './garbage-collector-decision.ts';
import { createOwnerGraph } from './garbage-collector-graph.ts';
import type { OwnerGraph, ObjectReference } from './garbage-collector-graph.ts';
import { deleteObserved, forgetOwners, releaseFinalizer } from './garbage-collector-writes.ts';
import type { QueueMeters } from './queue-meters.ts';
import { servedChanges } from './served-changes.ts';
import { createWorkQueue } from './work-queue.ts';
import type { WorkQueue } from './work-queue.ts';

const garbageCollectorLimits = {
  loadSlice: 5_000,
  /** Dependents that are made to forget one owner at a time. */
  orphansInFlightMax: 32,
  /** Places put into the queue at a time when the whole graph is looked at again. */
  reviewSlice: 10_000,
} as const;

export interface GarbageCollectorDeps {
  readonly registry: RegistryDeps;
  readonly timers: Timers;
  readonly queues: QueueMeters;
  /** An object names an owner that it cannot have. Called once for each state of the object. */
  readonly onMisplaced: (object: { kind: KindInfo; entry: Entry; uid: string }) => void;
  readonly onError: (reference: string, error: unknown) => void;
}

export interface GarbageCollector extends Controller {
  /** Objects with owners that are known. */
  readonly nodesCount: number;
  readonly waitingCount: number;
}

type GraphEvent = Added | Modified | Deleted | typeof wasRead;
const wasRead = { type: 'RESET', resource: '' } as const;

export function createGarbageCollector(deps: GarbageCollectorDeps): GarbageCollector {
  return new Collector(deps);
}

class Collector implements GarbageCollector {
  readonly #deps: GarbageCollectorDeps;
  readonly #graph: OwnerGraph;
  readonly #queue: WorkQueue;
  readonly #around: Surroundings;
  /** Told of already, in this state. */
  readonly #misplaced = new WeakSet<Entry>();
  #following: Subscription | undefined;
  #loading: Promise<void> = Promise.resolve();
  #review: Iterator<ObjectReference> | undefined;
  #stopped = false;
  /** Counts the readings of the state: the last one counts. */
  #loads = 0;
  #isWhole = false;

  constructor(deps: GarbageCollectorDeps) {
    const { registry, timers } = deps;
    const { identity, scheme, streams } = registry;
    this.#deps = deps;
    this.#queue = createWorkQueue({
      timers,
      meter: deps.queues.meterOf('garbage-collector'),
      monotonicMs: () => registry.clock.monotonicMs(),
      prepare: () => streams.waitUntilCurrent(),
      work: (reference) => this.#work(reference),
      onOverflow: () => (this.#review = this.#graph.references()),
      onEmpty: () => this.#goOnReviewing(),
      onError: deps.onError,
    });
    this.#graph = createOwnerGraph(scheme, identity.finalizers, (reference) =>
      this.#queue.add(reference),
    );
    this.#around = {
      graph: this.#graph,
      finalizers: identity.finalizers,
      entryAt: (reference) => this.#entryAt(reference),
    };
  }

  get nodesCount(): number {
    return this.#graph.count;
  }

  get waitingCount(): number {
    return this.#queue.waitingCount;
  }

  start(): void {
    const { streams } = this.#deps.registry;
    this.#following = streams.followers.follow('garbage-collector', this.#events(), (event) => {
      if (event.type === 'RESET') this.#becomeWhole();
      else this.#apply(event.resource, event.type, event.entry);
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#following?.unsubscribe();
    // What it failed with has been told.
    await this.#loading.catch(() => undefined);
    await this.#queue.stop();
  }

  #apply(resource: string, type: EventType, entry: Entry): void {
    try {
      this.#graph.apply(resource, type, entry);
    } catch (error) {
      this.#isWhole = false;
      // A reading that goes on lacks this change.
      this.#loads += 1;
      throw error;
    }
  }

  /** Every change, and RESET when the state has been read: what changed meanwhile has come. */
  #events(): Observable<GraphEvent> {
    const { registry } = this.#deps;
    const changes = servedChanges(
      registry,
      () => true,
      () => this.#lookForOwners(),
    );
    const whole = defer(() => (this.#loading = this.#load())).pipe(map(() => wasRead));
    return merge(whole, changes);
  }

  /** Owners of a kind that has come are no longer unknown. */
  #lookForOwners(): void {
    for (const place of [...this.#graph.unknown()]) {
      const entry = this.#entryAt(place);
      const [group = '', resource = ''] = place.split('/', 2);
      if (entry === undefined || entry === 'unreadable') continue;
      this.#apply(`${group}/${resource}`, 'MODIFIED', entry);
    }
  }

  #becomeWhole(): void {
    this.#isWhole = true;
    this.#queue.start();
  }

  /** The state, in slices. */
  async #load(): Promise<void> {
    const { registry, timers } = this.#deps;
    this.#isWhole = false;
    this.#graph.clear();
    this.#loads += 1;
    const own = this.#loads;
    let slice = 0;
    for (const [id, kind] of kindsOf(registry)) {
      for (const entry of registry.streams.snapshot(kind.storage).entries(undefined)) {
        slice += 1;
        if (slice % garbageCollectorLimits.loadSlice === 0) {
          await new Promise<void>((resolve) => void timers.nextTurn(resolve));
          if (this.#stopped || own !== this.#loads) return;
        }
        const now = registry.streams.snapshot(kind.storage).get(entry.namespace, entry.name);
        if (now === entry) this.#apply(id, 'ADDED', entry);
      }
    }
  }

  async #work(reference: ObjectReference): Promise<boolean> {
    if (!this.#isWhole) return false;
    const judgement = judge(reference, this.#around);
    const kind = this.#kindAt(reference);
    if (judgement === undefined || kind === undefined) return true;
    this.#tellMisplaced(judgement, kind);
    const { registry } = this.#deps;
    const { decision, entry, uid } = judgement;
    const observed = { kind, entry, uid };
    switch (decision.kind) {
      case 'nothing':
        return true;
      case 'examine':
        for (const each of decision.references) this.#queue.add(each);
        return true;
      case 'delete':
        return deleteObserved(registry, observed, decision.policy);
      case 'forget-owners':
        return forgetOwners(registry, observed, decision.uids);
      case 'release':
        return releaseFinalizer(registry, observed, decision.finalizer);
      case 'orphan':
        return this.#orphan(decision.uid, decision.dependents);
    }
  }

  /** The graph has the owner looked at again when it hears that dependents have forgotten it. */
  async #orphan(uid: string, dependents: readonly ObjectReference[]): Promise<boolean> {
    const uids = new Set([uid]);
    const rest = dependents.values();
    let settled = true;
    const worker = async (): Promise<void> => {
      for (const reference of rest) {
        if (this.#stopped) return;
        const done = await this.#forget(reference, uids);
        settled &&= done;
      }
    };
    const { orphansInFlightMax } = garbageCollectorLimits;
    await Promise.all(Array.from({ length: orphansInFlightMax }, worker));
    return settled;
  }

  async #forget(reference: ObjectReference, uids: ReadonlySet<string>): Promise<boolean> {
    const entry = this.#entryAt(reference);
    const kind = this.#kindAt(reference);
    const node = this.#graph.node(reference);
    if (entry === undefined || kind === undefined || node === undefined) return true;
    if (entry === 'unreadable') return false;
    return forgetOwners(this.#deps.registry, { kind, entry, uid: node.uid }, uids);
  }

  #tellMisplaced({ entry, misplaced, uid }: Judgement, kind: KindInfo): void {
    if (misplaced.length === 0 || this.#misplaced.has(entry)) return;
    this.#misplaced.add(entry);
    this.#deps.onMisplaced({ kind, entry, uid });
  }

  #goOnReviewing(): void {
    for (let i = 0; this.#review !== undefined && i < garbageCollectorLimits.reviewSlice; i += 1) {
      const next = this.#review.next();
      if (next.done === true) this.#review = undefined;
      else this.#queue.add(next.value);
    }
  }

  #kindAt(reference: ObjectReference): KindInfo | undefined {
    const [group = '', resource = ''] = reference.split('/', 2);
    return this.#deps.registry.scheme.findStorage({ group, resource });
  }

  #entryAt(reference: ObjectReference): Entry | 'unreadable' | undefined {
    const [group = '', resource = '', namespace = '', name = ''] = reference.split('/');
    const snapshot = this.#deps.registry.streams.snapshot({ group, resource });
    if (snapshot.unreadable.has(`${namespace}/${name}`)) return 'unreadable';
    return snapshot.get(namespace, name);
  }
}

function kindsOf({ scheme }: RegistryDeps): ReadonlyMap<string, KindInfo> {
  const kinds = new Map<string, KindInfo>();
  for (const resource of scheme.storageResources) {
    const kind = scheme.findStorage(resource);
    if (kind !== undefined) kinds.set(`${resource.group}/${resource.resource}`, kind);
  }
  return kinds;
}
