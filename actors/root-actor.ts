/**
 * The root of all actors: their parent, through which they are stopped, and which hears of it when
 * one fails.
 *
 * What it is not: who finds them, or decides who goes (actor-system.ts, token-actors.ts).
 *
 * Invariant: a child that throws is stopped and reported; the others do not notice.
 */
import { createActor } from 'xstate';
import type { Actor, ActorLogic, AnyActorRef, Snapshot } from 'xstate';

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
