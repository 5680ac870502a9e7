/**
 * Objects of other servers in the graph of owners and dependents: those that name owners, and those
 * whose deletion waits for the collector. Of the others nothing is kept; whether an owner among
 * them is there is asked when somebody names it.
 *
 *     each resource that can be listed, watched and deleted ─▶ follow ─▶ the collector's graph
 *     an owner that an object names ─▶ asked ─▶ present, waits for its dependents, or absent
 *                                        ▲          │ a change of it, or a list without it
 *                                        └──────────┘
 *
 *   reference        "~<group>/<resource>/<namespace>/<name>"
 *
 * Elsewhere: what this server itself stores, and decisions (garbage-collector.ts).
 *
 * Invariants: an owner is absent only if its own server says so (404, or another uid at its name);
 * for as long as it is not known it counts as present. A server that does not answer holds up
 * nothing but what stands on its objects. Writes hold only for the state that was decided on.
 * Bounds: `remoteLimits`; nothing is kept of what is above them, and it is not collected.
 */
import { isConflict, isGone } from '../aggregation/remote-objects.ts';
import type { RemoteAccess } from '../aggregation/remote-access.ts';
import type { RemoteAsking, RemotePlace } from '../aggregation/remote-objects.ts';
import type { RemoteResource } from '../aggregation/remote-resources.ts';
import type { RemoteEventType } from '../aggregation/remote-watch.ts';
import type { Identity } from '../apimachinery/identity.ts';
import { objects, text, texts } from '../apimachinery/members.ts';
import type { PropagationPolicy } from '../apimachinery/delete-options.ts';
import { formatGroupVersion, parseGroupVersion } from '../apimachinery/schema.ts';
import type { JsonObject, OwnerReference } from '../apimachinery/unstructured.ts';
import { checkPathSegmentName } from '../apimachinery/validation/names.ts';
import type { Timers } from '../stdx/clock.ts';
import { messageOf } from '../stdx/message-of.ts';
import { inSteps } from '../stdx/in-steps.ts';
import { LeavingRequester } from '../stdx/requester.ts';
import { runToEnd } from '../stdx/stepwise.ts';
import type { Turns } from '../stdx/turns.ts';
import type { Revision } from '../storage/storage.ts';
import type { Entry } from '../../streams/streams.ts';
import { metadataOf } from './garbage-collector-graph.ts';
import type { ObjectReference, OwnerGraph, OwnerLink } from './garbage-collector-graph.ts';
import { accountUser } from './remote-asking.ts';
import { repeatWork } from './repeated-work.ts';
import type { WorkQueue, WorkQueueDeps } from './work-queue.ts';
import { createWorkQueue } from './work-queue.ts';

const remoteLimits = {
  /** Resources that are followed. */
  resourcesMax: 256,
  /** Objects that are kept, and bytes of one. */
  entriesMax: 100_000,
  entryBytesMax: 16 * 1024,
  /** Owners of which is known whether they are there. Policy: the oldest is asked again. */
  ownersMax: 50_000,
  /** Owners that are asked for at a time. */
  asksMax: 16,
  /** How often it is looked which resources there are. */
  lookMs: 2_000,
} as const;

export interface RemoteDependentsDeps extends Pick<
  WorkQueueDeps,
  'meter' | 'monotonicMs' | 'pause'
> {
  readonly timers: Timers;
  readonly turns: Pick<Turns, 'run'>;
  readonly identity: Pick<Identity, 'finalizers' | 'namespaces'>;
  readonly remote: RemoteAccess;
  readonly graph: () => Pick<OwnerGraph, 'apply' | 'examineDependents'>;
  /** Other resources may be known now. */
  readonly onResources: () => void;
  readonly onError: (reference: string, error: unknown) => void;
}

/** One that is looked at again when it is known. */
export type RemoteOwnerState = 'present' | 'waiting' | 'absent' | 'asked';

export interface RemoteDependents {
  referenceOf(owner: OwnerReference, namespace: string): OwnerLink['at'];
  entryAt(reference: ObjectReference): Entry | undefined;
  ownerAt(reference: ObjectReference, uid: string): RemoteOwnerState;
  /** All that are kept, with their resources. */
  entries(): Iterable<{ readonly resource: string; readonly entry: Entry }>;
  /** What can be done with one; false: it is another one by now. Undefined: it is not there. */
  writesOf(reference: ObjectReference, uid: string): RemoteWrites | undefined;
  start(): void;
  stop(): Promise<void>;
}

export interface RemoteWrites {
  delete(propagationPolicy: PropagationPolicy): Promise<boolean>;
  forgetOwners(uids: ReadonlySet<string>): Promise<boolean>;
  release(finalizer: string): Promise<boolean>;
}

/** Beside its bytes: it is written, and read by the graph. */
const entryCost = 4 * 1024;

const mark = '~';

export function isRemoteReference(reference: string): boolean {
  return reference.startsWith(mark);
}

export function createRemoteDependents(deps: RemoteDependentsDeps): RemoteDependents {
  return new Dependents(deps);
}

interface Followed {
  resource: RemoteResource;
  readonly references: Set<ObjectReference>;
  readonly requester: LeavingRequester;
  readonly ended: Promise<void>;
}

interface Kept {
  readonly resource: string;
  readonly entry: Entry;
  readonly uid: string;
  readonly resourceVersion: string;
}

interface OwnerFact {
  readonly at: ObjectReference;
  readonly state: Exclude<RemoteOwnerState, 'asked'>;
}

class Dependents implements RemoteDependents {
  readonly #deps: RemoteDependentsDeps;
  readonly #followed = new Map<string, Followed>();
  readonly #kept = new Map<ObjectReference, Kept>();
  /** By uid: of one that is gone it stays true. */
  readonly #owners = new Map<string, OwnerFact>();
  /** By group and resource, and by group and kind. */
  #resources: ReadonlyMap<string, RemoteResource> = new Map();
  #known: unknown;
  /** What was wrong the last time, by resource. */
  readonly #troubles = new Map<string, string>();
  readonly #asks: WorkQueue;
  readonly #looks: ReturnType<typeof repeatWork>;
  readonly #requester = new LeavingRequester();
  readonly #asking: RemoteAsking;

  constructor(deps: RemoteDependentsDeps) {
    const { identity, timers } = deps;
    this.#deps = deps;
    const user = accountUser(identity.namespaces.system, 'generic-garbage-collector');
    this.#asking = { requester: this.#requester, user };
    this.#asks = createWorkQueue({
      ...deps,
      batchMax: remoteLimits.asksMax,
      prepare: () => Promise.resolve(),
      work: (asked) => this.#ask(asked),
      all: () => [],
    });
    this.#looks = repeatWork({
      timers,
      work: () => this.#look(),
      afterSuccessMs: remoteLimits.lookMs,
      afterFailureMs: remoteLimits.lookMs,
      onError: (error) => deps.onError('', error),
    });
  }

  start(): void {
    this.#asks.start();
    this.#looks.start();
  }

  async stop(): Promise<void> {
    this.#requester.leave();
    for (const { requester } of this.#followed.values()) requester.leave();
    await Promise.all([this.#looks.stop(), this.#asks.stop()]);
    await Promise.all([...this.#followed.values()].map(({ ended }) => ended));
  }

  referenceOf({ apiVersion, kind, name }: OwnerReference, namespace: string): OwnerLink['at'] {
    const gv = parseGroupVersion(apiVersion);
    const found = gv && this.#resources.get(kindName(gv.group, kind));
    if (found === undefined || checkPathSegmentName(name).length > 0) return 'unknown';
    if (found.isNamespaced && namespace === '') return 'misplaced';
    return `${storageOf(found)}/${found.isNamespaced ? namespace : ''}/${name}`;
  }

  entryAt(reference: ObjectReference): Entry | undefined {
    return this.#kept.get(reference)?.entry;
  }

  *entries(): Iterable<Kept> {
    yield* this.#kept.values();
  }

  ownerAt(reference: ObjectReference, uid: string): RemoteOwnerState {
    const fact = this.#owners.get(uid);
    if (fact?.at === reference) return fact.state;
    if (this.#placeOf(reference) === undefined) return 'present';
    this.#asks.add(`${reference} ${uid}`);
    return 'asked';
  }

  writesOf(reference: ObjectReference, uid: string): RemoteWrites | undefined {
    const place = this.#placeOf(reference);
    const kept = this.#kept.get(reference);
    if (place === undefined || kept?.uid !== uid) return undefined;
    const { entry, resourceVersion } = kept;
    const { name } = entry;
    const held = { uid, resourceVersion };
    const { objects: remote } = this.#deps.remote;
    const patch = (change: JsonObject): Promise<boolean> =>
      this.#settled(
        reference,
        remote.patch(place, name, { metadata: { ...held, ...change } }, this.#asking),
      );
    const { finalizers = [], ownerReferences = [] } = metadataOf(entry);
    return {
      delete: (propagationPolicy) =>
        this.#settled(
          reference,
          remote.delete(place, name, { preconditions: held, propagationPolicy }, this.#asking),
        ),
      forgetOwners: (uids) => {
        const left = ownerReferences.filter((each) => !uids.has(each.uid));
        return patch({ ownerReferences: left });
      },
      release: (finalizer) =>
        patch({ finalizers: finalizers.filter((each) => each !== finalizer) }),
    };
  }

  /** Those that are there now are followed, others no more. */
  async #look(): Promise<void> {
    const found = await this.#deps.remote.resources();
    if (this.#known === found || this.#asking.requester.closed) return;
    this.#known = found;
    const resources = new Map<string, RemoteResource>();
    for (const each of found.resources) {
      resources.set(storageOf(each), each);
      resources.set(kindName(each.service.group, each.kind), each);
    }
    const isUnknown = new Set(found.unknown.map(({ name }) => name));
    for (const [storage, { references, requester, resource }] of this.#followed) {
      // Of one that cannot be asked now it is not known what it has.
      if (resources.has(storage)) continue;
      if (isUnknown.has(resource.service.name)) {
        resources.set(storage, resource);
        resources.set(kindName(resource.service.group, resource.kind), resource);
        continue;
      }
      requester.leave();
      this.#followed.delete(storage);
      this.#troubles.delete(storage);
      await this.#drop([...references]);
    }
    this.#resources = resources;
    for (const each of found.resources) this.#follow(each);
    this.#deps.onResources();
  }

  #follow(resource: RemoteResource): void {
    const storage = storageOf(resource);
    const known = this.#followed.get(storage);
    if (known !== undefined) {
      known.resource = resource;
      return;
    }
    const { verbs } = resource;
    const isFollowed = verbs.has('list') && verbs.has('watch') && verbs.has('delete');
    if (!isFollowed || this.#followed.size >= remoteLimits.resourcesMax) return;
    const requester = new LeavingRequester();
    const followed = { resource, references: new Set<ObjectReference>(), requester };
    let seen = new Set<string>();
    const ended = this.#deps.remote.follow(
      () => followed.resource,
      { ...this.#asking, requester },
      {
        listing: (items, isFirst) => {
          if (isFirst) seen = new Set();
          const taking = inSteps(items, (item) => this.#take(followed, 'MODIFIED', item, seen));
          return runToEnd(this.#deps.turns, taking);
        },
        listed: () => this.#forgetUnseen(followed, seen),
        changed: (type, metadata) => this.#take(followed, type, metadata),
        failed: (error) => void this.#troubled(storage, error),
      },
    );
    this.#followed.set(storage, Object.assign(followed, { ended }));
  }

  /** `seen`: takes the uid of what is known already. What is kept costs its bytes, in steps. */
  #take(
    { references, resource }: Omit<Followed, 'ended'>,
    type: RemoteEventType,
    metadata: JsonObject,
    seen?: Set<string>,
  ): number | undefined {
    const storage = storageOf(resource);
    const [name, namespace] = [text(metadata, 'name'), text(metadata, 'namespace')];
    if (checkPathSegmentName(name).length > 0 || namespace.includes('/')) return undefined;
    const reference = `${storage}/${namespace}/${name}`;
    const uid = text(metadata, 'uid');
    const held = texts(metadata, 'finalizers');
    const { foreground, orphan } = this.#deps.identity.finalizers;
    const isMarked = metadata['deletionTimestamp'] !== undefined && type !== 'DELETED';
    const waits = isMarked && (held.includes(foreground) || held.includes(orphan));
    if (type === 'DELETED' || waits) this.#ownerChanged(reference, uid);
    if (this.#kept.has(reference) || this.#owners.has(uid)) seen?.add(uid);
    const isKept = objects(metadata, 'ownerReferences').length > 0 || waits;
    const known = this.#kept.get(reference);
    if (type === 'DELETED' || !isKept) {
      if (known !== undefined) this.#forget(reference, known);
      references.delete(reference);
      return undefined;
    }
    const resourceVersion = text(metadata, 'resourceVersion');
    if (known?.uid === uid && known.resourceVersion === resourceVersion) return undefined;
    const entry = entryOf(resource, metadata, namespace, name);
    const { entriesMax, entryBytesMax } = remoteLimits;
    if (entry.bytes.length > entryBytesMax) return undefined;
    if (known === undefined && this.#kept.size >= entriesMax) return undefined;
    this.#kept.set(reference, { resource: storage, entry, uid, resourceVersion });
    references.add(reference);
    seen?.add(uid);
    this.#deps.graph().apply(storage, known === undefined ? 'ADDED' : 'MODIFIED', entry);
    return entryCost + entry.bytes.length;
  }

  /** What was not in a list is gone; owners that were not are asked for once more. */
  async #forgetUnseen(followed: Omit<Followed, 'ended'>, seen: Set<string>): Promise<void> {
    const { references, resource } = followed;
    const gone = [...references].filter((each) => !seen.has(this.#kept.get(each)?.uid ?? ''));
    for (const each of gone) references.delete(each);
    await this.#drop(gone);
    const start = `${storageOf(resource)}/`;
    const checking = inSteps([...this.#owners], ([uid, { at, state }]) => {
      if (at.startsWith(start) && state !== 'absent' && !seen.has(uid)) this.#ownerChanged(at, uid);
      return undefined;
    });
    await runToEnd(this.#deps.turns, checking);
  }

  async #drop(references: readonly ObjectReference[]): Promise<void> {
    const dropping = inSteps(references, (each) => {
      const known = this.#kept.get(each);
      if (known !== undefined) this.#forget(each, known);
      return known?.entry.bytes.length;
    });
    await runToEnd(this.#deps.turns, dropping);
  }

  #forget(reference: ObjectReference, { entry, resource }: Kept): void {
    this.#kept.delete(reference);
    this.#deps.graph().apply(resource, 'DELETED', entry);
  }

  /** What is known of it may be wrong: those that name it are looked at, and ask. */
  #ownerChanged(reference: ObjectReference, uid: string): void {
    const fact = this.#owners.get(uid);
    if (fact?.state !== 'absent') this.#owners.delete(uid);
    this.#deps.graph().examineDependents(reference);
  }

  /** `asked`: a reference and a uid. */
  async #ask(asked: string): Promise<boolean> {
    const [reference = '', uid = ''] = asked.split(' ');
    const found = this.#placeOf(reference);
    if (found === undefined) return true;
    let state: OwnerFact['state'];
    try {
      state = this.#stateOf(
        await this.#deps.remote.objects.get(found, found.name, this.#asking),
        found.name,
        uid,
      );
    } catch (error) {
      if (!isGone(error)) return this.#troubled(reference, error);
      state = 'absent';
    }
    this.#troubles.delete(resourceOf(reference));
    this.#owners.set(uid, { at: reference, state });
    const [oldest] = this.#owners.keys();
    if (this.#owners.size > remoteLimits.ownersMax && oldest !== undefined) {
      this.#owners.delete(oldest);
    }
    this.#deps.graph().examineDependents(reference);
    return true;
  }

  /** @throws Error for what is no object. */
  #stateOf(metadata: JsonObject, name: string, uid: string): OwnerFact['state'] {
    const own = text(metadata, 'uid');
    if (own === '' || text(metadata, 'name') !== name) throw new Error('its answer is no object');
    if (own !== uid) return 'absent';
    const isMarked = metadata['deletionTimestamp'] !== undefined;
    const held = texts(metadata, 'finalizers');
    const { foreground } = this.#deps.identity.finalizers;
    return isMarked && held.includes(foreground) ? 'waiting' : 'present';
  }

  /** False: it has changed, which will be heard of, or could not be written. */
  async #settled(reference: ObjectReference, write: Promise<void>): Promise<boolean> {
    try {
      await write;
    } catch (error) {
      if (isGone(error)) return true;
      return isConflict(error) ? false : this.#troubled(reference, error);
    }
    this.#troubles.delete(resourceOf(reference));
    return true;
  }

  /** Said once, not for each object and each try. */
  #troubled(reference: ObjectReference, error: unknown): false {
    const resource = resourceOf(reference);
    if (this.#asking.requester.closed || this.#troubles.get(resource) === messageOf(error)) {
      return false;
    }
    this.#troubles.set(resource, messageOf(error));
    this.#deps.onError(reference, error);
    return false;
  }

  #placeOf(reference: ObjectReference): (RemotePlace & { readonly name: string }) | undefined {
    const [group = '', resource = '', namespace = '', name = ''] = reference.split('/');
    const found = this.#resources.get(`${group}/${resource}`);
    return found && { resource: found, namespace, name };
  }
}

function storageOf({ resource, service }: RemoteResource): string {
  return `${mark}${service.group}/${resource}`;
}

function resourceOf(reference: ObjectReference): string {
  return reference.split('/', 2).join('/');
}

/** No resource has such a name. */
function kindName(group: string, kind: string): string {
  return `${group} ${kind}`;
}

/** What the graph asks of it. */
function entryOf(
  { kind, service }: RemoteResource,
  metadata: JsonObject,
  namespace: string,
  name: string,
): Entry {
  const { deletionTimestamp, finalizers = [], ownerReferences, uid = '' } = metadata;
  const marked = deletionTimestamp === undefined ? {} : { deletionTimestamp };
  const owned = objects({ ownerReferences: ownerReferences ?? [] }, 'ownerReferences');
  const names = owned.length === 0 ? {} : { ownerReferences: owned };
  const own = { name, namespace, uid, ...marked, finalizers, ...names };
  const apiVersion = formatGroupVersion(service);
  const bytes = Buffer.from(JSON.stringify({ kind, apiVersion, metadata: own }));
  return { namespace, name, revision: noRevision, labels: {}, fields: {}, bytes };
}

const noRevision = 0n as Revision;
