/**
 * The logic of an object's actor: its machine, compiled, and its actions. `createActor` runs it.
 *
 *   event ─▶ table[event][state] ─▶ actions ─▶ raised events, one after the other ─▶ next state
 *                                      └─▶ effects, performed: submit, load, ask, answer
 *
 * A test runs the same machine and the same actions in XState's own interpreter, sends both the
 * same random events, and compares states and effects.
 *
 * Invariants: a transition runs to completion. What the store keeps of an object is what
 * getPersistedSnapshot() returns; an actor restored from it goes on as the one that made it.
 */
import type { ActorLogic, ActorScope, AnyActorRef, Snapshot } from 'xstate';
import type { ObjectKey } from '../src/storage/keys.ts';
import { storeKey } from '../src/storage/keys.ts';
import type { StoreKey } from '../src/storage/storage.ts';
import { objectActions } from './object-actions.ts';
import type { ObjectAction } from './object-actions.ts';
import { objectContext } from './object-context.ts';
import type {
  Effects,
  ObjectContext,
  ObjectEffect,
  ObjectEvent,
  ObjectPorts,
} from './object-context.ts';
import { compiledObject, objectMachine, stateIndex } from './object-machine.ts';
import type { ActionName, LifeState, SyncState } from './object-machine.ts';
import { persisted, stateOf } from './object-snapshot.ts';
import type { ObjectState, PersistedObject } from './object-snapshot.ts';

export interface ObjectStateValue {
  readonly life: LifeState;
  readonly sync: SyncState;
}

export type ObjectSnapshot = Snapshot<undefined> & {
  readonly value: ObjectStateValue;
  readonly context: ObjectContext;
};

export interface ObjectInput {
  readonly key: ObjectKey;
  readonly storeKey: StoreKey;
}

/** Whichever it is a child in. */
export type AnySystem = AnyActorRef['system'];

export type ObjectLogic = ActorLogic<
  ObjectSnapshot,
  ObjectEvent,
  ObjectInput,
  AnySystem,
  ObjectEffect
>;

type Scope = ActorScope<ObjectSnapshot, ObjectEvent, AnySystem, ObjectEffect>;

/** What a persisted snapshot holds: whose it is, and what the store has of it. Undefined: the
 * newest state is not durable, and nothing is restored but the name. */
interface PersistedContext {
  readonly key: ObjectKey;
  readonly object: PersistedObject | undefined;
}

const values = compiledObject.values as unknown as readonly ObjectStateValue[];
const initialValue = values[stateIndex('absent', 'ready')] as ObjectStateValue;

/** Does what an actor wants done, within its transition. */
export type Perform = (effect: ObjectEffect, context: ObjectContext, scope: Scope) => void;

/** To whoever has called `actor.on`. */
const emitted: Perform = (effect, _context, scope) => scope.emit(effect);

/** What an actor is made of that knows nothing but its name. */
export function unknownObject(key: ObjectKey): ObjectSnapshot {
  return keptSnapshot(initialValue, { key, object: undefined });
}

/** What a persisted snapshot says of its object. */
export function keptState({ context }: ObjectSnapshot): ObjectState | undefined {
  const { object } = context as unknown as PersistedContext;
  return object && stateOf(object);
}

/** `perform`: who does what the actors want done; absent: it is emitted. */
export function objectLogic(ports: ObjectPorts, perform: Perform = emitted): ObjectLogic {
  const program = programOf(objectActions(ports));
  return {
    // Inspectors draw the machine by it.
    config: objectMachine.config,
    transition(snapshot, event, scope) {
      if (event.type === ('xstate.stop' as string)) return stopped(snapshot);
      return run(program, snapshot, event, new Turn(snapshot.context, scope, perform));
    },
    getInitialSnapshot: (_scope, input) =>
      active(initialValue, objectContext(input.key, input.storeKey)),
    restoreSnapshot(snapshot) {
      const { context } = snapshot as unknown as { readonly context: PersistedContext };
      const { key, object } = context;
      const restored = objectContext(key, storeKey(key));
      restored.tip = object && stateOf(object);
      const life = object?.life ?? 'absent';
      return active(values[stateIndex(life, 'ready')] as ObjectStateValue, restored);
    },
    getPersistedSnapshot({ context }) {
      const object = context.tip && persisted(context.tip);
      const value: ObjectStateValue = { life: object?.life ?? 'absent', sync: 'ready' };
      return keptSnapshot(value, { key: context.key, object });
    },
  } as ObjectLogic;
}

function keptSnapshot(value: ObjectStateValue, context: PersistedContext): ObjectSnapshot {
  return active(value, context as unknown as ObjectContext);
}

interface ProgramStep {
  readonly next: number;
  readonly actions: readonly ObjectAction[];
}
type Program = Readonly<Record<string, readonly ProgramStep[]>>;

function programOf(actions: Readonly<Record<ActionName, ObjectAction>>): Program {
  return Object.fromEntries(
    Object.entries(compiledObject.steps).map(([type, steps]) => [
      type,
      steps.map((step) => ({
        next: step.next,
        actions: step.actions.map((name) => actions[name as ActionName]),
      })),
    ]),
  );
}

/** One transition: what its actions raise, in order, and who does what they want done. */
class Turn implements Effects {
  readonly raised: string[] = [];
  readonly #context: ObjectContext;
  readonly #scope: Scope;
  readonly #perform: Perform;

  constructor(context: ObjectContext, scope: Scope, perform: Perform) {
    this.#context = context;
    this.#scope = scope;
    this.#perform = perform;
  }

  raise(type: string): void {
    this.raised.push(type);
  }

  emit(effect: ObjectEffect): void {
    this.#perform(effect, this.#context, this.#scope);
  }
}

function run(
  program: Program,
  snapshot: ObjectSnapshot,
  event: ObjectEvent,
  turn: Turn,
): ObjectSnapshot {
  const { context, value } = snapshot;
  const before = stateIndex(value.life, value.sync);
  let state = before;
  let type: string | undefined = event.type;
  for (let raised = 0; type !== undefined; raised += 1) {
    const step: ProgramStep | undefined = program[type]?.[state];
    if (step !== undefined) {
      state = step.next;
      for (const action of step.actions) action(context, event, turn);
    }
    type = turn.raised[raised];
  }
  return state === before ? snapshot : active(values[state] as ObjectStateValue, context);
}

function active(value: ObjectStateValue, context: ObjectContext): ObjectSnapshot {
  return { status: 'active', output: undefined, error: undefined, value, context };
}

function stopped({ context, value }: ObjectSnapshot): ObjectSnapshot {
  return { status: 'stopped', output: undefined, error: undefined, value, context };
}
