/**
 * The root of all actors: their parent, through which they are stopped, and which hears of it when
 * one fails.
 *
 * What it is not: who finds them, or decides who goes (actor-system.ts, token-actors.ts).
 *
 * Invariant: a child that throws is stopped and reported; the others do not notice.
 */
import { createActor } from 'xstate';
import type { Actor, ActorLogic, ActorOptions, AnyActorLogic, AnyActorRef, Snapshot } from 'xstate';

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
type RootLogic = ActorLogic<RootSnapshot, RootEvent, undefined, AnyActorRef['system'], ChildFailed>;

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
  return createActor(rootLogic, { id: 'root' }).start();
}

/** Not started. `snapshot`: what one like it has persisted. */
export function createChild<TLogic extends AnyActorLogic>(
  root: RootActor,
  logic: TLogic,
  id: string,
  snapshot: Snapshot<unknown>,
): Actor<TLogic> {
  // XState says that there is a new actor before its id can be set: who listens gets it at once.
  const options = inspected.has(root)
    ? { parent: root, id, snapshot }
    : new ChildOptions(root, snapshot);
  const actor = createActor(logic as AnyActorLogic, options as ActorOptions<AnyActorLogic>);
  actor.id = id;
  return actor as unknown as Actor<TLogic>;
}

/** From now on actors say their ids when they are made. */
export function noteInspection(root: RootActor): void {
  inspected.add(root);
}

const inspected = new WeakSet<RootActor>();

/** XState spreads the options of each actor over its own. Each property that a spread adds takes
 * the engine 1 µs, for a hidden class that nothing else shares; and each that is then read misses
 * the inline caches. So this has one property of its own; the other is read without a spread. */
class ChildOptions {
  readonly parent: RootActor;
  readonly #snapshot: Snapshot<unknown>;

  constructor(parent: RootActor, snapshot: Snapshot<unknown>) {
    this.parent = parent;
    this.#snapshot = snapshot;
  }

  get snapshot(): Snapshot<unknown> {
    return this.#snapshot;
  }
}
