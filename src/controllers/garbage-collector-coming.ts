/**
 * Writes of the garbage collector that are under way. What they will make of their objects is known
 * when they are handed over: the next object of a chain is decided on that, by a write that goes
 * behind them. So a chain of owners needs a few commits, not one for each link.
 *
 *   handed over ─▶ noted ─▶ its owners and dependents are looked at ─▶ their writes go behind it
 *                    │
 *                    └─▶ the graph shows a change of the object, or the write has ended: forgotten
 *
 * Invariants: what is noted is not in the graph yet, so nothing is counted in both. A write that
 * stands on one that was not applied is not applied either (storage.ts, `follows`).
 * Bounds: `comingLimits`. What is not looked at early is looked at when the graph shows the change.
 */
import type { Identity } from '../apimachinery/identity.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import type { WriteUnderWay } from '../../actors/actors.ts';
import type { ObjectReference, OwnerGraph } from './garbage-collector-graph.ts';

const comingLimits = {
  /** Writes that are noted. Policy: others are not. */
  notedMax: 1_000,
  /** Dependents of one object that are looked at early. Policy: of more of them, none. */
  dependentsMax: 16,
} as const;

export interface ComingWrite {
  readonly uid: string;
  readonly commit: WriteUnderWay;
  /** `waiting`: deleted in the foreground. `other`: nothing that others could be decided on. */
  readonly becomes: 'gone' | 'waiting' | 'other';
}

export interface ComingWrites {
  at(reference: ObjectReference): ComingWrite | undefined;
  /** Of an owner: what blocks its deletion in the graph, and will be gone. */
  goneBlockersOf(uid: string): readonly ComingWrite[];
  /** `object`: as it will be; undefined: gone. */
  note(reference: ObjectReference, uid: string, commit: WriteUnderWay, object?: ApiObject): void;
  forget(reference: ObjectReference): void;
  clear(): void;
}

export interface ComingDeps {
  readonly graph: OwnerGraph;
  readonly finalizers: Identity['finalizers'];
  /** May be decided now on what is coming. */
  readonly examine: (reference: ObjectReference) => void;
}

type Noted = ComingWrite & { readonly blocked: readonly string[] };

const none: readonly ComingWrite[] = [];

export function createComingWrites({ examine, finalizers, graph }: ComingDeps): ComingWrites {
  const noted = new Map<ObjectReference, Noted>();
  const gone = new Map<string, Set<ComingWrite>>();

  const forget = (reference: ObjectReference): void => {
    const write = noted.get(reference);
    if (write === undefined) return;
    noted.delete(reference);
    for (const uid of write.blocked) {
      const those = gone.get(uid);
      those?.delete(write);
      if (those?.size === 0) gone.delete(uid);
    }
  };
  /** Those that the graph counts. */
  const blockedBy = (reference: ObjectReference): readonly string[] => {
    const owners = graph.node(reference)?.owners ?? [];
    return [...new Set(owners.filter(({ blocks }) => blocks).map(({ uid }) => uid))];
  };
  const examineOthers = (uid: string, blocked: readonly string[]): void => {
    const dependents = graph.dependentsOf(uid);
    if (dependents.size <= comingLimits.dependentsMax) [...dependents.keys()].forEach(examine);
    for (const owner of blocked) {
      const waiting = graph.waitingAt(owner);
      // It costs little to find out, and only the last of many lets it go.
      if (waiting !== undefined && gone.get(owner)?.size === graph.blockersCount(owner)) {
        examine(waiting);
      }
    }
  };

  return {
    at: (reference) => noted.get(reference),
    goneBlockersOf(uid) {
      const those = gone.get(uid);
      return those === undefined ? none : [...those];
    },
    note(reference, uid, commit, object) {
      forget(reference);
      if (noted.size >= comingLimits.notedMax) return;
      const becomes = object === undefined ? 'gone' : waitsOrNot(object, finalizers);
      const blocked = becomes === 'gone' ? blockedBy(reference) : [];
      const write = { uid, commit, becomes, blocked } as const;
      noted.set(reference, write);
      for (const owner of blocked) {
        const those = gone.get(owner);
        if (those === undefined) gone.set(owner, new Set([write]));
        else those.add(write);
      }
      if (becomes !== 'other') examineOthers(uid, blocked);
    },
    forget,
    clear() {
      noted.clear();
      gone.clear();
    },
  };
}

function waitsOrNot({ metadata }: ApiObject, names: Identity['finalizers']): 'waiting' | 'other' {
  const { deletionTimestamp, finalizers = [] } = metadata;
  const waits = deletionTimestamp !== undefined && finalizers.includes(names.foreground);
  return waits ? 'waiting' : 'other';
}
