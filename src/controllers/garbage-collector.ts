/**
 * Collects garbage: objects whose owners are gone (spec 1, sections 2.7 and 3.1).
 *
 *   streams ─▶ graph ─▶ queue of references ─▶ snapshots current? ─▶ decide ─▶ conditional write
 *
 * What owners and dependents are is defined in the files beside this one; those of other servers
 * (remote-dependents.ts) have a queue of their own, in which nothing of this server waits.
 *
 * Invariants: a decision is made on snapshots that show everything acknowledged before it, and on a
 * graph of the same revision; a uid that is gone never comes back, and the write holds only for
 * the state of the dependent that was looked at: so nothing that has an owner is deleted. Work is
 * idempotent: after a restart the graph is made anew and all of it is looked at once. A graph that
 * is not whole (a change could not be taken, or the state is still being read) decides nothing.
 * Bounds: workQueueLimits; while the queue is full, references are dropped and the whole graph is
 * looked at again later. The state at the start and of a kind that comes, and what names an owner
 * of an unknown kind then, are read in turns with everybody else, a step at a time (stepwise.ts).
 */
import { defer, map, merge, Subject, switchMap } from 'rxjs';
import type { Observable, Subscription } from 'rxjs';
import type { RemoteAccess } from '../aggregation/remote-access.ts';
import { isLarge } from '../apimachinery/object-encoding.ts';
import { storageName } from '../apimachinery/scheme.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import type { GroupResource } from '../apimachinery/schema.ts';
import type { RegistryDeps } from '../registry/registry.ts';
import type { Timers } from '../stdx/clock.ts';
import { inSteps } from '../stdx/in-steps.ts';
import { createLimiter } from '../stdx/limiter.ts';
import type { ActorSystem, WriteOrder, WriteUnderWay } from '../../actors/actors.ts';
import { shortWorkMs } from '../stdx/turns.ts';
import type { Keys } from '../stdx/split-map.ts';
import { finished, runStepwise } from '../stdx/stepwise.ts';
import type { Steps } from '../stdx/stepwise.ts';
import type { Added, Deleted, Entry, EventType, Modified } from '../../streams/streams.ts';
import type { Controller } from './controller.ts';
import { decideOn, readOwners } from './garbage-collector-decision.ts';
import { createCircleMemory, endWalk, findCircle, noteLost } from './garbage-collector-circles.ts';
import type { Verdict, DecisionContext } from './garbage-collector-decision.ts';
import { createComingWrites } from './garbage-collector-coming.ts';
import type { ComingWrites } from './garbage-collector-coming.ts';
import { createOwnerGraph } from './garbage-collector-graph.ts';
import type { OwnerGraph, ObjectReference } from './garbage-collector-graph.ts';
import { deleteObserved, forgetOwners, releaseFinalizer } from './garbage-collector-writes.ts';
import type { QueueMeters } from './queue-meters.ts';
import { createRemoteDependents, isRemoteReference } from './remote-dependents.ts';
import type { RemoteDependents, RemoteWrites } from './remote-dependents.ts';
import { servedChanges } from './served-changes.ts';
import { createWorkQueue } from './work-queue.ts';
import type { WorkQueue } from './work-queue.ts';

const garbageCollectorLimits = {
  /** Dependents that are made to forget one owner at a time. */
  orphansInFlightMax: 32,
  /** Dependents of one owner that are put into the queue at once. Policy: more of them in turns
   * with everybody else. */
  dependentsAtOnce: 1_000,
  /** Writes of large objects at a time, each of which is decoded: a batch of them would have as
   * many megabytes made and collected at once. Policy: the others wait in line. */
  largeWritesMax: 4,
} as const;

export interface GarbageCollectorDeps {
  readonly registry: RegistryDeps;
  readonly timers: Timers;
  readonly queues: QueueMeters;
  /** Other servers' objects. */
  readonly remote: RemoteAccess;
  /** An object names an owner that it cannot have. Called once for each state of the object. */
  readonly onMisplaced: (object: { kind: KindInfo; entry: Entry; uid: string }) => void;
  readonly onError: (reference: string, error: unknown) => void;
}

/** Objects of other servers that are worked on at a time. */
const remoteAtOnceMax = 16;

type GraphEvent = Added | Modified | Deleted | typeof wasRead;
const wasRead = { type: 'RESET', resource: '' } as const;

export function createGarbageCollector(deps: GarbageCollectorDeps): Controller {
  return new Collector(deps);
}

class Collector implements Controller {
  readonly #deps: GarbageCollectorDeps;
  readonly #graph: OwnerGraph;
  readonly #queue: WorkQueue;
  /** Of what is on other servers. */
  readonly #remoteQueue: WorkQueue;
  readonly #remote: RemoteDependents;
  readonly #context: DecisionContext;
  readonly #coming: ComingWrites;
  readonly #largeWrites = createLimiter(garbageCollectorLimits.largeWritesMax);
  /** To be decided on what is coming. */
  readonly #early = new Set<ObjectReference>();
  #goingAhead: Promise<void> | undefined;
  /** Reported already, in this state. */
  readonly #misplaced = new WeakSet<Entry>();
  /** Until the circle that is being looked for has been found. */
  #searching: Promise<unknown> = Promise.resolve();
  #following: Subscription | undefined;
  #loading: Promise<unknown> = Promise.resolve();
  /** A kind has come, and what names owners of unknown kinds is looked at; once more after that. */
  #looking: 'no' | 'yes' | 'again' = 'no';
  #stopped = false;
  /** Counts the readings of the state: the last one counts. */
  #loads = 0;
  /** Readings of kinds that have come, with objects. */
  #kindReadings = 0;
  #isWhole = false;

  constructor(deps: GarbageCollectorDeps) {
    const { identity, scheme } = deps.registry;
    this.#deps = deps;
    this.#queue = this.#newQueue('garbage-collector', undefined);
    this.#remoteQueue = this.#newQueue('garbage-collector-remote', remoteAtOnceMax);
    this.#remote = createRemoteDependents({
      ...this.#queueing('garbage-collector-owners'),
      turns: deps.registry.turns,
      identity,
      remote: deps.remote,
      graph: () => this.#graph,
      onResources: () => void this.#lookForOwners().catch((error) => deps.onError('', error)),
    });
    const examine = {
      one: (reference: ObjectReference) => this.#look(reference),
      lost: (reference: ObjectReference) => noteLost(reference, this.#context.circles),
      all: (references: Keys) => this.#examineAll(references),
    };
    this.#graph = createOwnerGraph(scheme, identity.finalizers, examine, (owner, namespace) =>
      this.#remote.referenceOf(owner, namespace),
    );
    this.#coming = createComingWrites({
      graph: this.#graph,
      finalizers: identity.finalizers,
      examine: (reference) => {
        if (isRemoteReference(reference)) this.#look(reference);
        else this.#goAhead(reference);
      },
    });
    this.#context = {
      coming: this.#coming,
      circles: createCircleMemory(),
      graph: this.#graph,
      finalizers: identity.finalizers,
      entryAt: (reference) => this.#entryAt(reference),
      ownerElsewhere: (reference, uid) => this.#remote.ownerAt(reference, uid),
    };
  }

  #queueing(name: string) {
    const { onError, queues, registry, timers } = this.#deps;
    return {
      timers,
      meter: queues.meterOf(name),
      monotonicMs: () => registry.clock.monotonicMs(),
      pause: () => registry.turns.pause(shortWorkMs),
      onError,
    };
  }

  #newQueue(name: string, batchMax: number | undefined): WorkQueue {
    const { streams } = this.#deps.registry;
    const isRemote = batchMax !== undefined;
    return createWorkQueue({
      ...this.#queueing(name),
      batchMax,
      prepare: () => streams.waitUntilCurrent(),
      work: (reference, isStopped) => this.#work(reference, isStopped),
      all: () => this.#references(isRemote),
    });
  }

  *#references(isRemote: boolean): IterableIterator<ObjectReference> {
    for (const each of this.#graph.references())
      if (isRemoteReference(each) === isRemote) yield each;
  }

  #look(reference: ObjectReference): void {
    (isRemoteReference(reference) ? this.#remoteQueue : this.#queue).add(reference);
  }

  start(): void {
    const { streams } = this.#deps.registry;
    this.#following = streams.followers.follow('garbage-collector', this.#events(), (event) => {
      if (event.type === 'RESET') this.#becomeWhole();
      else this.#apply(event.resource, event.type, event.entry);
    });
    this.#remote.start();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#following?.unsubscribe();
    const worked = [this.#queue.stop(), this.#remoteQueue.stop(), this.#remote.stop()];
    // What it failed with has been reported.
    await this.#loading.catch(() => undefined);
    await Promise.all(worked);
    await this.#goingAhead;
  }

  #apply(resource: string, type: EventType, entry: Entry): void {
    try {
      this.#graph.apply(resource, type, entry);
      this.#coming.forget(`${resource}/${entry.namespace}/${entry.name}`);
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
    const looking = new Subject<never>();
    const followed = new Subject<void>();
    const changes = defer(() => {
      // What changes before all kinds are followed is not known.
      this.#isWhole = false;
      return servedChanges(registry, {
        concerns: () => true,
        onFollowed: () => followed.next(),
        onKinds: (kinds) => {
          const work = Promise.all([this.#readKinds(kinds), this.#lookForOwners()]);
          work.catch((error: unknown) => looking.error(error));
        },
      });
    });
    const load = (): Promise<unknown> => (this.#loading = this.#load());
    const whole = followed.pipe(
      switchMap(load),
      map(() => wasRead),
    );
    return merge(whole, changes, looking);
  }

  /** Owners of a kind that has come are no longer unknown. Until each has been looked at, what
   * names them is left alone, as before. */
  async #lookForOwners(): Promise<void> {
    const isUnderWay = this.#looking !== 'no';
    this.#looking = isUnderWay ? 'again' : 'yes';
    if (isUnderWay) return;
    const look = (reference: ObjectReference): number => {
      const entry = this.#entryAt(reference);
      const [group = '', resource = ''] = reference.split('/', 2);
      if (entry === undefined || entry === 'unreadable') return 0;
      this.#apply(`${group}/${resource}`, 'MODIFIED', entry);
      return entry.bytes.length;
    };
    try {
      do {
        this.#looking = 'yes';
        const looking = inSteps([...this.#graph.unknown()], look);
        await runStepwise(this.#deps.registry.turns, looking, () => this.#stopped);
      } while (this.#isToLookAgain());
    } finally {
      this.#looking = 'no';
    }
  }

  #isToLookAgain(): boolean {
    return this.#looking === 'again' && !this.#stopped;
  }

  #examineAll(references: Keys): void {
    const add = (reference: ObjectReference): number => {
      this.#look(reference);
      return 0;
    };
    const { turns } = this.#deps.registry;
    const adding = inSteps(references.keys(), add);
    if (references.size <= garbageCollectorLimits.dependentsAtOnce) finished(adding);
    else void runStepwise(turns, adding, () => this.#stopped);
  }

  #becomeWhole(): void {
    this.#isWhole = true;
    this.#queue.start();
    this.#remoteQueue.start();
  }

  async #load(): Promise<void> {
    const { registry } = this.#deps;
    this.#isWhole = false;
    this.#graph.clear();
    this.#coming.clear();
    endWalk(this.#context.circles);
    this.#loads += 1;
    const own = this.#loads;
    const isOver = (): boolean => this.#stopped || own !== this.#loads;
    await runStepwise(registry.turns, this.#reading(kindsOf(registry)), isOver);
    await runStepwise(registry.turns, this.#readingRemote(), isOver);
  }

  /** What is there of kinds that have come; a reading of all that begins meanwhile has it, too. */
  async #readKinds(kinds: readonly KindInfo[]): Promise<void> {
    const { streams, turns } = this.#deps.registry;
    const filled = kinds.filter(({ storage }) => streams.snapshot(storage).count(undefined) > 0);
    if (filled.length === 0) return;
    const own = this.#loads;
    this.#kindReadings += 1;
    try {
      const isOver = (): boolean => this.#stopped || own !== this.#loads;
      await runStepwise(turns, this.#reading(filled), isOver);
    } finally {
      this.#kindReadings -= 1;
    }
  }

  *#reading(kinds: readonly KindInfo[]): Steps<void> {
    const { streams } = this.#deps.registry;
    yield* inSteps(entriesOf(streams, kinds), (each) => {
      if (each === undefined) return kindBytes;
      const { entry, storage } = each;
      // It may have changed since, and that change has come already.
      const now = streams.snapshot(storage).get(entry.namespace, entry.name);
      if (now === entry) this.#apply(storageName(storage), 'ADDED', entry);
      return entry.bytes.length;
    });
  }

  /** What is known of other servers by now. */
  *#readingRemote(): Steps<void> {
    yield* inSteps(this.#remote.entries(), ({ entry, resource }) => {
      this.#graph.apply(resource, 'ADDED', entry);
      return entry.bytes.length;
    });
  }

  async #work(reference: ObjectReference, isStopped: () => boolean): Promise<boolean> {
    if (!this.#isReady()) return false;
    // It is being written: the change comes back.
    if (this.#coming.at(reference) !== undefined) return true;
    const verdict = decideOn(reference, this.#context);
    const kind = verdict?.decision.kind;
    if (kind === 'read-owners') return this.#workOnOwned(reference, isStopped);
    if (kind !== 'find-circle') return this.#act(reference, verdict, isStopped);
    const searched = this.#searching.then(() => this.#workInCircle(reference, isStopped));
    this.#searching = searched.catch(() => undefined);
    return (await searched).done;
  }

  /** Owners that change all the time are read again later. */
  async #workOnOwned(reference: ObjectReference, isStopped: () => boolean): Promise<boolean> {
    const { streams, turns } = this.#deps.registry;
    await runStepwise(turns, readOwners(reference, this.#context), isStopped);
    await streams.waitUntilCurrent();
    if (isStopped() || !this.#isReady()) return false;
    if (this.#coming.at(reference) !== undefined) return false;
    return this.#act(reference, decideOn(reference, this.#context), isStopped);
  }

  /** Not while objects cannot be read yet: nobody knows whom they own, or who owns them. */
  #isReady(): boolean {
    const { waitingCount } = this.#deps.registry.streams;
    return this.#isWhole && this.#kindReadings === 0 && waitingCount === 0;
  }

  /** A circle is looked for by one at a time: what it finds answers for the others in it. Resolves
   * when it has acted on that, `done` when what it writes is. */
  async #workInCircle(
    reference: ObjectReference,
    isStopped: () => boolean,
  ): Promise<{ readonly done: Promise<boolean> }> {
    const { streams, turns } = this.#deps.registry;
    const { circles } = this.#context;
    const later = { done: Promise.resolve(false) };
    const decide = (): Verdict | undefined => decideOn(reference, this.#context);
    try {
      if (isStopped() || !this.#isReady()) return later;
      let verdict = decide();
      if (verdict?.decision.kind === 'find-circle') {
        await runStepwise(turns, findCircle(reference, this.#context), isStopped);
        await streams.waitUntilCurrent();
        if (isStopped() || !this.#isReady()) return later;
        verdict = decide();
      }
      if (this.#coming.at(reference) !== undefined) return later;
      return { done: this.#act(reference, verdict, isStopped) };
    } finally {
      endWalk(circles);
    }
  }

  async #act(
    reference: ObjectReference,
    verdict: Verdict | undefined,
    isStopped: () => boolean,
  ): Promise<boolean> {
    if (verdict === undefined) return true;
    const { decision } = verdict;
    const writes = isRemoteReference(reference)
      ? this.#remoteWrites(reference, verdict)
      : this.#writesOf(reference, verdict);
    if (writes === undefined) return true;
    switch (decision.kind) {
      case 'nothing':
        return true;
      case 'find-circle':
      case 'read-owners':
      case 'later':
        return false;
      case 'wait':
        for (const each of decision.examine) this.#look(each);
        return true;
      case 'delete':
        return writes.delete(decision.policy);
      case 'forget-owners':
        return writes.forgetOwners(decision.uids);
      case 'release':
        return writes.release(decision.finalizer);
      case 'orphan':
        return this.#orphan(decision.uid, decision.dependents, isStopped);
    }
  }

  #writesOf(reference: ObjectReference, verdict: Verdict): RemoteWrites | undefined {
    const kind = this.#kindAt(reference);
    if (kind === undefined) return undefined;
    this.#reportMisplaced(verdict, kind);
    const { behind, entry, uid } = verdict;
    const observed = { kind, entry, uid };
    const write = (how: (registry: RegistryDeps) => Promise<boolean>): Promise<boolean> => {
      const begin = (): Promise<boolean> => this.#write(reference, uid, behind, how);
      return isLarge(entry.bytes) ? this.#largeWrites(begin) : begin();
    };
    return {
      delete: (policy) => write((registry) => deleteObserved(registry, observed, policy)),
      forgetOwners: (uids) => write((registry) => forgetOwners(registry, observed, uids)),
      release: (finalizer) => write((registry) => releaseFinalizer(registry, observed, finalizer)),
    };
  }

  /** What is sent to others can go behind nothing: it is decided when that is there. */
  #remoteWrites(reference: ObjectReference, { behind, uid }: Verdict): RemoteWrites | undefined {
    if (behind.length === 0) return this.#remote.writesOf(reference, uid);
    const later = (): Promise<boolean> => Promise.resolve(false);
    return { delete: later, forgetOwners: later, release: later };
  }

  /** What stands on it is looked at as soon as it is handed over. */
  async #write(
    reference: ObjectReference,
    uid: string,
    behind: readonly WriteUnderWay[],
    how: (registry: RegistryDeps) => Promise<boolean>,
  ): Promise<boolean> {
    const { registry } = this.#deps;
    const { actors, streams } = registry;
    const submitted: WriteOrder['submitted'] = (commit, object) =>
      this.#coming.note(reference, uid, commit, object);
    const order = { behind, submitted };
    const execute: ActorSystem['execute'] = (key, command, permit, arrival) =>
      actors.execute(key, command, permit, arrival, order);
    let settled = false;
    try {
      settled = await how({ ...registry, actors: { ...actors, execute } });
      if (settled) await streams.waitUntilCurrent();
    } finally {
      this.#coming.forget(reference);
    }
    return settled;
  }

  /** Decides on an object before what it is decided on is durable, in turns with everybody else. */
  #goAhead(reference: ObjectReference): void {
    this.#early.add(reference);
    this.#goingAhead ??= this.#workEarly().finally(() => {
      this.#goingAhead = undefined;
      const [next] = this.#early;
      if (next !== undefined && !this.#stopped) this.#goAhead(next);
    });
  }

  async #workEarly(): Promise<void> {
    const { streams, turns } = this.#deps.registry;
    try {
      // What is decided on is as current as in any other decision.
      for (const reference of this.#early) {
        await turns.pause(shortWorkMs);
        await streams.waitUntilCurrent();
        if (this.#stopped) return;
        this.#early.delete(reference);
        // What fails, or is not done, is looked at in the usual way.
        const again = (): void => this.#look(reference);
        this.#work(reference, () => this.#stopped).then((done) => done || again(), again);
      }
    } catch (error) {
      this.#deps.onError('', error);
    } finally {
      this.#early.clear();
    }
  }

  /** The graph has the owner looked at again when it hears that dependents have forgotten it. */
  async #orphan(
    uid: string,
    dependents: Iterable<ObjectReference>,
    isStopped: () => boolean,
  ): Promise<boolean> {
    const uids = new Set([uid]);
    const rest = dependents[Symbol.iterator]();
    let settled = true;
    const worker = async (): Promise<void> => {
      for (let next = rest.next(); next.done !== true; next = rest.next()) {
        if (isStopped()) return;
        const done = await this.#forget(next.value, uids);
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
    if (isRemoteReference(reference)) {
      return this.#remote.writesOf(reference, node?.uid ?? '')?.forgetOwners(uids) ?? true;
    }
    if (entry === undefined || kind === undefined || node === undefined) return true;
    if (entry === 'unreadable') return false;
    return forgetOwners(this.#deps.registry, { kind, entry, uid: node.uid }, uids);
  }

  #reportMisplaced({ entry, misplaced, uid }: Verdict, kind: KindInfo): void {
    if (misplaced.length === 0 || this.#misplaced.has(entry)) return;
    this.#misplaced.add(entry);
    this.#deps.onMisplaced({ kind, entry, uid });
  }

  #kindAt(reference: ObjectReference): KindInfo | undefined {
    const [group = '', resource = ''] = reference.split('/', 2);
    return this.#deps.registry.scheme.findStorage({ group, resource });
  }

  #entryAt(reference: ObjectReference): Entry | 'unreadable' | undefined {
    if (isRemoteReference(reference)) return this.#remote.entryAt(reference);
    const [group = '', resource = '', namespace = '', name = ''] = reference.split('/');
    const snapshot = this.#deps.registry.streams.snapshot({ group, resource });
    const { unreadable } = snapshot;
    if (unreadable.size > 0 && unreadable.has(`${namespace}/${name}`)) return 'unreadable';
    return snapshot.get(namespace, name);
  }
}

function kindsOf({ scheme }: RegistryDeps): KindInfo[] {
  const kinds = scheme.storageResources.map((resource) => scheme.findStorage(resource));
  return kinds.filter((kind) => kind !== undefined);
}

/** What a kind counts for in a step (in-steps.ts), beside its objects: users may have defined
 * thousands that have none. */
const kindBytes = 1_536;

interface StoredEntry {
  readonly storage: GroupResource;
  readonly entry: Entry;
}

/** The objects of each kind behind an undefined, which stands for the kind. */
function* entriesOf(
  streams: RegistryDeps['streams'],
  kinds: readonly KindInfo[],
): Generator<StoredEntry | undefined, void> {
  for (const { storage } of kinds) {
    yield undefined;
    for (const entry of streams.snapshot(storage).entries(undefined)) yield { storage, entry };
  }
}
