/**
 * The root actor: the parent of all actors. They are stopped through it, and it is told when one
 * fails.
 *
 * Elsewhere: the registry of actors and the choice of which to stop (actor-system.ts,
 * token-actors.ts).
 *
 * Invariant: a child that throws is stopped and reported; the others do not notice.
 */
import { createActor } from 'xstate';
import type { Actor, ActorLogic, AnyActorLogic, AnyActorRef, Snapshot } from 'xstate';
import { assert } from '../src/stdx/assert.ts';

type RootEvent =
  | { readonly type: 'passivate'; readonly child: AnyActorRef }
  | { readonly type: `xstate.error.actor.${string}`; actorId: string; error: unknown }
  | { readonly type: `xstate.done.actor.${string}`; actorId: string };

interface ChildFailed {
  readonly type: 'child.failed';
  readonly id: string;
  readonly error: unknown;
}

type RootSnapshot = Snapshot<undefined>;
/** The system that an actor is a part of. */
export type AnySystem = AnyActorRef['system'];

type RootLogic = ActorLogic<RootSnapshot, RootEvent, undefined, AnySystem, ChildFailed>;

export type RootActor = Actor<RootLogic>;

const running: RootSnapshot = { status: 'active', output: undefined, error: undefined };

const rootLogic: RootLogic = {
  config: { id: 'root' },
  transition(snapshot, event, scope) {
    if (event.type === 'passivate') scope.stopChild(event.child);
    else if ('error' in event) {
      scope.emit({ type: 'child.failed', id: event.actorId, error: event.error });
    }
    return snapshot;
  },
  getInitialSnapshot: () => running,
  getPersistedSnapshot: (snapshot) => snapshot,
};

/** XState numbers the actors of a process: `x:41`. */
export function sequenceOf({ sessionId }: Pick<AnyActorRef, 'sessionId'>): number {
  return Number(sessionId.slice(2));
}

export function createRoot(): RootActor {
  const root = createActor(rootLogic, { id: 'root' }).start();
  // XState writes to a Map of all actors of a system, and never reads it. A Map that actors come
  // into and leave all the time is made anew again and again, and its old tables keep actors from
  // being collected young (src/stdx/slot-set.ts): so children do without.
  const system = {
    ...root.system,
    _register: (sessionId: string) => sessionId,
    _unregister: () => undefined,
  };
  families.set(root, { system, isInspected: false });
  return root;
}

/** What is common to the children of a root. */
interface Family {
  /** Theirs: the root's, but for what is said above. */
  readonly system: AnySystem;
  isInspected: boolean;
}

const families = new WeakMap<RootActor, Family>();

function familyOf(root: RootActor): Family {
  const family = families.get(root);
  assert(family !== undefined, 'a root is made here');
  return family;
}

/** Not started. `snapshot`: what one like it has persisted. */
export function createChild<TLogic extends AnyActorLogic>(
  root: RootActor,
  logic: TLogic,
  id: string,
  snapshot: Snapshot<unknown>,
): Actor<TLogic> {
  const { isInspected, system } = familyOf(root);
  // XState says that there is a new actor when it is made: who listens gets it whole.
  if (isInspected) {
    const options = { parent: root, id, snapshot };
    return createActor(logic as AnyActorLogic, options) as unknown as Actor<TLogic>;
  }
  const options = new RestoreOptions(snapshot);
  const actor = createActor(logic as AnyActorLogic, options);
  adopt(root, system, actor as unknown as Orphan);
  actor.id = id;
  return actor as unknown as Actor<TLogic>;
}

/** From now on actors are made with all that is said of them. */
export function noteInspection(root: RootActor): void {
  familyOf(root).isInspected = true;
}

/** XState spreads the options of each actor over its own, and the engine makes a hidden class for
 * each object to which a spread adds a member: 3 µs, and every read of it afterwards misses the
 * inline caches, for 2 µs more. So these have no member of their own: the snapshot is read from
 * them without a spread, and the parent is told afterwards. */
class RestoreOptions {
  readonly #snapshot: Snapshot<unknown>;

  constructor(snapshot: Snapshot<unknown>) {
    this.#snapshot = snapshot;
  }

  get snapshot(): Snapshot<unknown> {
    return this.#snapshot;
  }
}

/** What an actor keeps of its place in a system. */
interface Orphan {
  _parent?: AnyActorRef;
  system: AnySystem;
  readonly _actorScope: { system: AnySystem };
}

/** Makes an actor that was created without a parent what `{ parent: root }` would have made it
 * (test/actors/root-actor.test.ts holds both to the same). */
function adopt(root: RootActor, system: AnySystem, child: Orphan): void {
  child._parent = root;
  child.system = system;
  child._actorScope.system = system;
}
