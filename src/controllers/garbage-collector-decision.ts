/**
 * Decides what to do with one object, by the graph and the snapshots of one moment. All it changes
 * is how far round the dependents of an owner that waits have been looked at again.
 *
 *   its deletion waits for us   orphan        dependents that still name it: have them forget it
 *                                             none left: take the finalizer off
 *                               foreground    dependents that block it: have some looked at
 *                                             none left: take the finalizer off
 *   it names owners             all present                        nothing
 *                               some present, others gone/waiting  forget those
 *                               none present, one waits in foreground, it owns others itself
 *                                                                  delete it in the foreground
 *                               none present                       delete it
 *
 * An owner is present only if the object at its reference has its uid. One whose kind is not
 * served, or that cannot be read, counts as present: nothing is deleted on a guess. Nor is anything
 * done with what names an owner of another server, until that has said whether it is there.
 *
 * Cycles: objects deleted in the foreground that block each other in a circle would wait for ever.
 * A dependent that in turn waits, through such objects only, for its owner does not block it.
 *
 * Bounds: what a decision costs does not grow with the dependents, of which the graph counts those
 * that block: the circle is looked for from the owner upwards, along so many links and in steps
 * (garbage-collector-circles.ts). A larger one is not seen. Dependents that forget their owner are
 * listed as they do so. An object may name a thousand owners, each as large as an object may be:
 * what is needed of more than `ownerBytesAtOnce` of them is read in steps before.
 */
import type { Identity } from '../apimachinery/identity.ts';
import type { PropagationPolicy } from '../apimachinery/delete-options.ts';
import type { ObjectMeta } from '../apimachinery/unstructured.ts';
import { inSteps } from '../stdx/in-steps.ts';
import type { Keys } from '../stdx/split-map.ts';
import type { Steps } from '../stdx/stepwise.ts';
import type { Entry } from '../../streams/streams.ts';
import type { WriteUnderWay } from '../../actors/actors.ts';
import { circleAtOnce, isOfReleased, noteReleased, refresh } from './garbage-collector-circles.ts';
import type { CircleMemory } from './garbage-collector-circles.ts';
import type { ComingWrites } from './garbage-collector-coming.ts';
import type { OwnerGraph, OwnerLink, ObjectReference } from './garbage-collector-graph.ts';
import { isReference, metadataOf } from './garbage-collector-graph.ts';
import { isRemoteReference } from './remote-dependents.ts';
import type { RemoteDependents, RemoteOwnerState } from './remote-dependents.ts';

/** Dependents of an owner that waits, looked at again at each look at it. Policy: the next look
 * goes on with the others. */
const examinedMax = 16;
/** Writes under way that a write may go behind. Policy: it is decided when they are done. */
const behindMax = 64;
/** Of owners of which nothing has been read, looked at by one decision. Policy: they are read in
 * steps, then it is made. */
const ownerBytesAtOnce = 256 * 1024;

export interface DecisionContext {
  readonly graph: OwnerGraph;
  readonly finalizers: Identity['finalizers'];
  /** What is at a reference now; `unreadable` when it cannot be read. */
  readonly entryAt: (reference: ObjectReference) => Entry | 'unreadable' | undefined;
  /** Writes under way, on which a decision may stand if its own write goes behind them. */
  readonly coming: Pick<ComingWrites, 'at' | 'goneBlockersOf'>;
  readonly circles: CircleMemory;
  /** Owners of other servers; absent: there are none. */
  readonly ownerElsewhere?: RemoteDependents['ownerAt'] | undefined;
}

export type Decision =
  | { readonly kind: 'nothing' }
  /** It waits for dependents that block it, and is looked at again when one of them has gone. Each
   * was looked at when it began to wait; some are again, in case they could not be deleted then. */
  | { readonly kind: 'wait'; readonly examine: readonly ObjectReference[] }
  /** Have these dependents forget it, then look again. */
  | {
      readonly kind: 'orphan';
      readonly uid: string;
      readonly dependents: Iterable<ObjectReference>;
    }
  | { readonly kind: 'release'; readonly finalizer: string }
  /** The circle that it may be in is large: it is looked for, then this is decided. */
  | { readonly kind: 'find-circle' }
  /** Its owners are large, and not known: they are read (`readOwners`), then this is decided. */
  | { readonly kind: 'read-owners' }
  /** Another one of its circle is released first. */
  | { readonly kind: 'later' }
  | { readonly kind: 'forget-owners'; readonly uids: ReadonlySet<string> }
  | { readonly kind: 'delete'; readonly policy: PropagationPolicy };

/** A decision and the very state that it was made on. */
export interface Verdict {
  readonly decision: Decision;
  readonly uid: string;
  readonly entry: Entry;
  /** Owners of another scope, that this object cannot have. */
  readonly misplaced: readonly OwnerLink[];
  /** What its write has to go behind. */
  readonly behind: readonly WriteUnderWay[];
}

const nothing: Decision = { kind: 'nothing' };

/** Undefined: there is nothing (readable) at the reference. */
export function decideOn(
  reference: ObjectReference,
  context: DecisionContext,
): Verdict | undefined {
  const entry = context.entryAt(reference);
  if (entry === undefined || entry === 'unreadable') return undefined;
  const metadata = metadataOf(entry);
  const { deletionTimestamp, finalizers = [], uid = '' } = metadata;
  const owners = context.graph.node(reference)?.owners ?? [];
  const misplaced = owners.filter(({ at }) => at === 'misplaced');
  const behind = new Set<WriteUnderWay>();
  const done = (decision: Decision): Verdict => {
    const own = { uid, entry, misplaced };
    if (behind.size > behindMax) return { ...own, decision: nothing, behind: [] };
    return { ...own, decision, behind: [...behind] };
  };
  if (deletionTimestamp === undefined) return done(decideOwned(owners, metadata, context, behind));
  if (finalizers.includes(context.finalizers.orphan))
    return done(decideOrphan(uid, reference, context));
  if (finalizers.includes(context.finalizers.foreground)) {
    return done(decideForeground(uid, reference, context, behind));
  }
  return done(nothing);
}

function decideOrphan(
  uid: string,
  reference: ObjectReference,
  { graph, finalizers }: DecisionContext,
): Decision {
  const dependents = graph.dependentsOf(uid);
  const hasOthers = dependents.size > (dependents.has(reference) ? 1 : 0);
  if (hasOthers) return { kind: 'orphan', uid, dependents: othersOf(dependents, reference) };
  return { kind: 'release', finalizer: finalizers.orphan };
}

/** As they are iterated: there may be very many. */
function* othersOf(dependents: Keys, own: ObjectReference): IterableIterator<ObjectReference> {
  for (const dependent of dependents.keys()) if (dependent !== own) yield dependent;
}

/** It waits unless all that block it wait for it in turn, or it blocks itself. */
function decideForeground(
  uid: string,
  reference: ObjectReference,
  context: DecisionContext,
  behind: Set<WriteUnderWay>,
): Decision {
  const { circles, coming, finalizers, graph } = context;
  const release: Decision = { kind: 'release', finalizer: finalizers.foreground };
  let blockers = graph.blockersCount(uid);
  if (blockers === 0) return release;
  const going = coming.goneBlockersOf(uid);
  if (going.length === blockers) {
    for (const { commit } of going) behind.add(commit);
    return release;
  }
  const wait: Decision = { kind: 'wait', examine: graph.nextDependents(uid, examinedMax) };
  // None of these is part of a circle; mostly there is one, and no circle has to be looked for.
  if (wait.examine.some((each) => blocks(each, uid, graph))) return wait;
  refresh(circles, graph);
  if (isOfReleased(reference, circles)) return { kind: 'later' };
  const circle = circleAtOnce(reference, context);
  if (circle === undefined) return { kind: 'find-circle' };
  blockers -= circle.blockersCount;
  if (blockers > 0) return wait;
  noteReleased(reference, circle.members, circles);
  return release;
}

function blocks(reference: ObjectReference, uid: string, graph: OwnerGraph): boolean {
  const owners = graph.node(reference)?.owners ?? [];
  return owners.some((link) => link.uid === uid && link.blocks);
}

function decideOwned(
  owners: readonly OwnerLink[],
  metadata: ObjectMeta,
  context: DecisionContext,
  behind: Set<WriteUnderWay>,
): Decision {
  if (owners.length === 0) return nothing;
  if (unreadBytes(owners, context) > ownerBytesAtOnce) return { kind: 'read-owners' };
  const states = owners.map((owner) => stateOf(owner, context, behind));
  if (states.includes('asked')) return nothing;
  const lost = owners.filter((_, i) => states[i] !== 'present');
  if (lost.length === 0) return nothing;
  if (lost.length < owners.length) {
    // A uid that is named twice, once rightly, stays.
    const kept = new Set(owners.filter((_, i) => states[i] === 'present').map(({ uid }) => uid));
    const uids = new Set(lost.map(({ uid }) => uid).filter((uid) => !kept.has(uid)));
    return uids.size === 0 ? nothing : { kind: 'forget-owners', uids };
  }
  const { uid = '', finalizers = [] } = metadata;
  if (states.includes('waiting') && context.graph.dependentsOf(uid).size > 0) {
    return { kind: 'delete', policy: 'Foreground' };
  }
  return { kind: 'delete', policy: policyOf(finalizers, context.finalizers) };
}

/** As its finalizers ask for. */
function policyOf(held: readonly string[], names: Identity['finalizers']): PropagationPolicy {
  if (held.includes(names.orphan)) return 'Orphan';
  return held.includes(names.foreground) ? 'Foreground' : 'Background';
}

function stateOf(
  { at, uid }: OwnerLink,
  context: DecisionContext,
  behind: Set<WriteUnderWay>,
): RemoteOwnerState {
  if (!isReference(at)) return 'present';
  if (isRemoteReference(at)) return context.ownerElsewhere?.(at, uid) ?? 'present';
  const coming = context.coming.at(at);
  if (coming?.uid === uid && coming.becomes !== 'other') {
    behind.add(coming.commit);
    return coming.becomes === 'gone' ? 'absent' : 'waiting';
  }
  const entry = context.entryAt(at);
  if (entry === undefined) return 'absent';
  if (entry === 'unreadable') return 'present';
  const facts = factsOf(entry, context.finalizers);
  if (facts.uid !== uid) return 'absent';
  return facts.foreground ? 'waiting' : 'present';
}

interface OwnerFacts {
  readonly uid: string;
  /** Deleted, and waiting for its dependents. */
  readonly foreground: boolean;
}

function unreadBytes(owners: readonly OwnerLink[], context: DecisionContext): number {
  let bytes = 0;
  for (const owner of owners) bytes += unreadEntry(owner, context)?.bytes.length ?? 0;
  return bytes;
}

/** What of this owner would have to be read. */
function unreadEntry({ at }: OwnerLink, { entryAt }: DecisionContext): Entry | undefined {
  if (!isReference(at) || isRemoteReference(at)) return undefined;
  const entry = entryAt(at);
  return entry === 'unreadable' || entry === undefined || knownFacts.has(entry) ? undefined : entry;
}

/** Reads what a decision needs of the owners that this object names. */
export function* readOwners(reference: ObjectReference, context: DecisionContext): Steps<void> {
  const owners = context.graph.node(reference)?.owners ?? [];
  yield* inSteps(owners, (owner) => {
    const entry = unreadEntry(owner, context);
    if (entry === undefined) return undefined;
    factsOf(entry, context.finalizers);
    return entry.bytes.length;
  });
}

/** Read once for each state of an owner: a thousand dependents ask for the same. */
const knownFacts = new WeakMap<Entry, OwnerFacts>();

function factsOf(entry: Entry, names: Identity['finalizers']): OwnerFacts {
  const known = knownFacts.get(entry);
  if (known !== undefined) return known;
  const { uid = '', deletionTimestamp, finalizers = [] } = metadataOf(entry);
  const foreground = deletionTimestamp !== undefined && finalizers.includes(names.foreground);
  const facts = { uid, foreground };
  knownFacts.set(entry, facts);
  return facts;
}
