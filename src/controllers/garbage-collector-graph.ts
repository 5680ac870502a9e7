/**
 * The graph of owners and dependents, maintained from streams.
 *
 *   reference        "<group>/<resource>/<namespace>/<name>"
 *   nodes            reference ─▶ the owners that the object there names (only if any)
 *   dependents       uid of an owner ─▶ references of the objects that name it
 *   blockers         uid of an owner ─▶ how many of those block its deletion
 *   referred         reference of an owner ─▶ uids that are looked for there
 *   deleting         objects whose deletion waits for the collector: reference ─▶ uid, and back;
 *                    and how far round its dependents have been looked at again
 *
 * It says what to look at; decisions are made on the snapshots.
 *
 * Invariants: the graph is exactly what the snapshots show, because it gets a change in the step in
 * which they do. An object without owners, that nobody names as its owner and whose deletion does
 * not wait for the collector, leaves nothing here, and costs one or two searches of its bytes for a
 * word: only what has the word is parsed. Bounds: about 600 bytes of memory for an object with one
 * owner; nothing for others.
 */
import { identifyingMetadata } from '../apimachinery/object-encoding.ts';
import type { Identity } from '../apimachinery/identity.ts';
import type { KindInfo, Scheme } from '../apimachinery/scheme.ts';
import { parseGroupVersion } from '../apimachinery/schema.ts';
import type { ObjectMeta, OwnerReference } from '../apimachinery/unstructured.ts';
import { SplitMap } from '../stdx/split-map.ts';
import type { Keys } from '../stdx/split-map.ts';
import type { Entry, EventType } from '../../streams/streams.ts';

/** `<group>/<resource>/<namespace>/<name>`. */
export type ObjectReference = string;

export interface OwnerLink {
  readonly uid: string;
  /** Where the owner is, if it is. `unknown`: its kind is not served. `misplaced`: a namespaced
   * owner of an object that has no namespace. */
  readonly at: ObjectReference | 'unknown' | 'misplaced';
  readonly blocks: boolean;
}

export interface GraphNode {
  readonly uid: string;
  readonly owners: readonly OwnerLink[];
}

export interface OwnerGraph {
  /** A change of a resource, or (ADDED) a part of the state. */
  apply(resource: string, type: EventType, entry: Entry): void;
  node(reference: ObjectReference): GraphNode | undefined;
  /** Places of the objects that name this owner. */
  dependentsOf(uid: string): Keys;
  /** How many of them block its deletion: it costs the same however many there are. */
  blockersCount(uid: string): number;
  /** The place of an owner that waits for its dependents (foreground). */
  waitingAt(uid: string): ObjectReference | undefined;
  /** The next dependents of an owner whose deletion waits, `max` at a time, round and round. Those
   * that wait for dependents themselves are left out: two such would have each other looked at
   * for ever. */
  nextDependents(uid: string, max: number): ObjectReference[];
  /** All that name an owner at this place are looked at. */
  examineDependents(owner: ObjectReference): void;
  /** Places of objects that name an owner of a kind that is not served. */
  unknown(): Iterable<ObjectReference>;
  /** All that may have to be looked at. Takes what is added meanwhile into account. */
  references(): IterableIterator<ObjectReference>;
  /** Grows when what waits, or a link, comes or goes. */
  readonly version: number;
  /** Grows when a link comes. */
  readonly linksVersion: number;
  /** Nothing is known any more. */
  clear(): void;
}

/** An object whose deletion waits for the collector. */
interface Deleting {
  readonly uid: string;
  /** It waits for its dependents to go, not to forget it. */
  readonly foreground: boolean;
  /** It goes on behind what has been removed; what it does not find, the next round does. */
  rest?: Iterator<ObjectReference> | undefined;
}

const nothing: ReadonlySet<ObjectReference> = new Set();
/** What the bytes of an object hold if it may matter. */
const ownersWord = Buffer.from('"ownerReferences":[');
const deletionWord = Buffer.from('"deletionTimestamp":"');

/** Where an owner of a kind that is not served here may be. */
export type PlaceElsewhere = (owner: OwnerReference, namespace: string) => OwnerLink['at'];

/** Told of what has to be looked at because of a change. */
export interface Examining {
  one(reference: ObjectReference): void;
  /** It no longer waits as it did, or no longer has the owners that it had. */
  lost(reference: ObjectReference): void;
  /** All dependents of an owner, which may be very many. They are the graph's own: while they are
   * walked, what has gone is left out (split-map.ts). */
  all(references: Keys): void;
}

export function createOwnerGraph(
  scheme: Scheme,
  finalizers: Identity['finalizers'],
  examine: Examining,
  elsewhere: PlaceElsewhere = () => 'unknown',
): OwnerGraph {
  return new Graph(scheme, finalizers, examine, elsewhere);
}

/** Without managedFields. */
export function metadataOf(entry: Entry): ObjectMeta {
  return identifyingMetadata(entry.bytes);
}

class Graph implements OwnerGraph {
  readonly #scheme: Scheme;
  readonly #finalizers: Identity['finalizers'];
  readonly #examine: Examining;
  readonly #nodes = new SplitMap<GraphNode>();
  readonly #dependents = new SplitMap<SplitMap<true>>();
  readonly #referred = new SplitMap<Set<string>>();
  readonly #unknown = new SplitMap<true>();
  readonly #blockers = new SplitMap<number>();
  readonly #deleting = new SplitMap<Deleting>();
  readonly #deletingReferences = new SplitMap<ObjectReference>();
  #version = 0;
  #linksVersion = 0;

  readonly #elsewhere: PlaceElsewhere;

  constructor(
    scheme: Scheme,
    finalizers: Identity['finalizers'],
    examine: Examining,
    elsewhere: PlaceElsewhere,
  ) {
    this.#scheme = scheme;
    this.#elsewhere = elsewhere;
    this.#finalizers = finalizers;
    this.#examine = examine;
  }

  get version(): number {
    return this.#version;
  }

  get linksVersion(): number {
    return this.#linksVersion;
  }

  clear(): void {
    this.#nodes.clear();
    this.#dependents.clear();
    this.#referred.clear();
    this.#unknown.clear();
    this.#blockers.clear();
    this.#deleting.clear();
    this.#deletingReferences.clear();
  }

  node(reference: ObjectReference): GraphNode | undefined {
    return this.#nodes.get(reference);
  }

  dependentsOf(uid: string): Keys {
    return this.#dependents.get(uid) ?? nothing;
  }

  blockersCount(uid: string): number {
    return this.#blockers.get(uid) ?? 0;
  }

  waitingAt(uid: string): ObjectReference | undefined {
    const reference = this.#deletingReferences.get(uid);
    if (reference === undefined) return undefined;
    return this.#deleting.get(reference)?.foreground === true ? reference : undefined;
  }

  nextDependents(uid: string, max: number): ObjectReference[] {
    const found: ObjectReference[] = [];
    const dependents = this.dependentsOf(uid);
    const deleting = this.#deleting.get(this.#deletingReferences.get(uid) ?? '');
    if (deleting === undefined) return found;
    for (let left = Math.min(max, dependents.size); left > 0;) {
      deleting.rest ??= dependents.keys();
      const next = deleting.rest.next();
      if (next.done === true) {
        deleting.rest = undefined;
        continue;
      }
      left -= 1;
      if (this.#deleting.get(next.value)?.foreground !== true) found.push(next.value);
    }
    return found;
  }

  unknown(): Iterable<ObjectReference> {
    return this.#unknown.keys();
  }

  *references(): IterableIterator<ObjectReference> {
    yield* this.#deleting.keys();
    yield* this.#nodes.keys();
  }

  apply(resource: string, type: EventType, entry: Entry): void {
    const reference = `${resource}/${entry.namespace}/${entry.name}`;
    if (type === 'DELETED') {
      this.#remove(reference);
      this.#waitNoMore(reference);
      this.examineDependents(reference);
      return;
    }
    const bytes = asBuffer(entry.bytes);
    const owned = bytes.includes(ownersWord);
    const marked = bytes.includes(deletionWord);
    if (!owned && !marked) {
      this.#remove(reference);
      this.#waitNoMore(reference);
      return;
    }
    const metadata = metadataOf(entry);
    this.#link(reference, entry.namespace, metadata);
    const deleting = this.#deletingOf(metadata);
    if (deleting === undefined) this.#waitNoMore(reference);
    else this.#wait(reference, deleting);
  }

  /** Undefined: the collector's own finalizers do not hold it. */
  #deletingOf({ deletionTimestamp, finalizers = [], uid = '' }: ObjectMeta): Deleting | undefined {
    if (deletionTimestamp === undefined) return undefined;
    const orphan = finalizers.includes(this.#finalizers.orphan);
    const foreground = finalizers.includes(this.#finalizers.foreground);
    return orphan || foreground ? { uid, foreground } : undefined;
  }

  /** Its dependents are looked at when it begins to wait, or waits for something else: each of them
   * by itself, so that no later look at the owner has to. */
  #wait(reference: ObjectReference, deleting: Deleting): void {
    const { uid, foreground } = deleting;
    const before = this.#deleting.get(reference);
    this.#examine.one(reference);
    if (before?.uid === uid && before.foreground === foreground) return;
    this.#version += 1;
    if (before !== undefined) {
      this.#examine.lost(reference);
      this.#deletingReferences.delete(before.uid);
    }
    this.#deleting.set(reference, deleting);
    this.#deletingReferences.set(uid, reference);
    this.#examineAll(uid);
  }

  #waitNoMore(reference: ObjectReference): void {
    const uid = this.#deleting.get(reference)?.uid;
    if (uid === undefined) return;
    this.#examine.lost(reference);
    this.#version += 1;
    this.#deleting.delete(reference);
    this.#deletingReferences.delete(uid);
    this.#examineAll(uid);
  }

  examineDependents(owner: ObjectReference): void {
    for (const uid of this.#referred.get(owner) ?? []) this.#examineAll(uid);
  }

  #examineAll(uid: string): void {
    const dependents = this.dependentsOf(uid);
    if (dependents.size > 0) this.#examine.all(dependents);
  }

  #link(
    reference: ObjectReference,
    namespace: string,
    { uid = '', ownerReferences = [] }: ObjectMeta,
  ): void {
    const before = this.#nodes.get(reference);
    const owners = ownerReferences.map((owner) => this.#ownerLink(owner, namespace));
    if (before !== undefined && before.uid === uid && sameOwners(before.owners, owners)) return;
    this.#remove(reference);
    if (owners.length === 0) return;
    this.#version += 1;
    this.#linksVersion += 1;
    this.#nodes.set(reference, { uid, owners });
    for (const blocked of blockedBy(owners)) {
      this.#blockers.set(blocked, this.blockersCount(blocked) + 1);
    }
    for (const owner of owners) {
      this.#addDependent(owner.uid, reference);
      if (isReference(owner.at)) addTo(this.#referred, owner.at, owner.uid);
      else if (owner.at === 'unknown') this.#unknown.set(reference, true);
    }
    this.#examine.one(reference);
  }

  /** Its owners have one dependent less: those that wait for that are looked at. */
  #remove(reference: ObjectReference): void {
    const node = this.#nodes.get(reference);
    if (node === undefined) return;
    this.#examine.lost(reference);
    this.#version += 1;
    this.#nodes.delete(reference);
    this.#unknown.delete(reference);
    for (const blocked of blockedBy(node.owners)) {
      const left = this.blockersCount(blocked) - 1;
      if (left === 0) this.#blockers.delete(blocked);
      else this.#blockers.set(blocked, left);
    }
    for (const { uid, at } of node.owners) {
      const dependents = this.#dependents.get(uid);
      dependents?.delete(reference);
      if (dependents?.size === 0) this.#dependents.delete(uid);
      const waiting = this.#deletingReferences.get(uid);
      if (waiting !== undefined) this.#examine.one(waiting);
      if (isReference(at) && !this.#dependents.has(uid)) takeFrom(this.#referred, at, uid);
    }
  }

  #addDependent(uid: string, reference: ObjectReference): void {
    const dependents = this.#dependents.get(uid) ?? new SplitMap<true>();
    dependents.set(reference, true);
    if (dependents.size === 1) this.#dependents.set(uid, dependents);
  }

  #ownerLink(owner: OwnerReference, namespace: string): OwnerLink {
    const blocks = owner.blockOwnerDeletion === true;
    const here = referenceOf(this.#scheme, owner, namespace);
    const at = here === 'unknown' ? this.#elsewhere(owner, namespace) : here;
    return { uid: owner.uid, at, blocks };
  }
}

export function isReference(at: OwnerLink['at']): boolean {
  return at !== 'unknown' && at !== 'misplaced';
}

/** Where an owner that is named by an object of this namespace lies. */
function referenceOf(scheme: Scheme, owner: OwnerReference, namespace: string): OwnerLink['at'] {
  const kind = ownerKind(scheme, owner);
  if (kind === undefined) return 'unknown';
  if (kind.namespaced && namespace === '') return 'misplaced';
  const { group, resource } = kind.storage;
  return `${group}/${resource}/${kind.namespaced ? namespace : ''}/${owner.name}`;
}

/** At the version that is named or, if that one is not served, at any other. */
function ownerKind(scheme: Scheme, { apiVersion, kind }: OwnerReference): KindInfo | undefined {
  const gv = parseGroupVersion(apiVersion);
  if (gv === undefined) return undefined;
  const exact = scheme.findKind(gv.group, gv.version, kind);
  if (exact !== undefined) return exact;
  for (const { version } of scheme.findGroup(gv.group)?.versions ?? []) {
    const found = scheme.findKind(gv.group, version, kind);
    if (found !== undefined) return found;
  }
  return undefined;
}

function sameOwners(a: readonly OwnerLink[], b: readonly OwnerLink[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ uid, at, blocks }, i) => {
      const other = b[i];
      return uid === other?.uid && at === other.at && blocks === other.blocks;
    })
  );
}

/** Uids of owners whose deletion these links block: each once, however often it is named. */
function blockedBy(owners: readonly OwnerLink[]): ReadonlySet<string> {
  return new Set(owners.filter(({ blocks }) => blocks).map(({ uid }) => uid));
}

function addTo<V>(sets: SplitMap<Set<V>>, key: string, value: V): void {
  const set = sets.get(key);
  if (set === undefined) sets.set(key, new Set([value]));
  else set.add(value);
}

function takeFrom<V>(sets: SplitMap<Set<V>>, key: string, value: V): void {
  const set = sets.get(key);
  set?.delete(value);
  if (set?.size === 0) sets.delete(key);
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
