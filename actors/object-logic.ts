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
import type { ActorLogic, ActorScope, Snapshot } from 'xstate';
import type { ObjectKey } from '../src/storage/keys.ts';
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
import { EncodedImage, persistedOf, stateOf } from './object-snapshot.ts';
import type { ObjectState, PersistedObject, RecordDecoders } from './object-snapshot.ts';
import type { AnySystem } from './root-actor.ts';

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
  readonly storeKey: StoreKey;
  readonly object: PersistedObject | undefined;
}

const values = compiledObject.values as unknown as readonly ObjectStateValue[];
const initialValue = values[stateIndex('absent', 'ready')] as ObjectStateValue;

/** What an actor is made of that knows nothing but its name. */
export function unknownObject(key: ObjectKey, storeKey: StoreKey): ObjectSnapshot {
  return keptSnapshot(initialValue, { key, storeKey, object: undefined });
}

/** What an actor is made of that knows what the store has. */
export function knownObject(
  key: ObjectKey,
  storeKey: StoreKey,
  object: PersistedObject,
): ObjectSnapshot {
  const value = values[stateIndex(object.life, 'ready')] as ObjectStateValue;
  return keptSnapshot(value, { key, storeKey, object });
}

/** The same, without the object beside its bytes. */
export function withoutObject(kept: ObjectSnapshot, ports: RecordDecoders): ObjectSnapshot {
  const { key, object, storeKey } = kept.context as unknown as PersistedContext;
  if (object === undefined || object.life === 'absent') return kept;
  const { image, life, revision } = object;
  const light = { life, image: new EncodedImage(image, ports), revision };
  return keptSnapshot(kept.value, { key, storeKey, object: light });
}

/** What a persisted snapshot says of its object. */
export function persistedState({ context }: ObjectSnapshot): ObjectState | undefined {
  const { object } = context as unknown as PersistedContext;
  return object && stateOf(object);
}

export function objectLogic(ports: ObjectPorts): ObjectLogic {
  const program = programOf(objectActions(ports));
  return {
    // Inspectors draw the machine by it.
    config: objectMachine.config,
    transition(snapshot, event, scope) {
      if (event.type === ('xstate.stop' as string)) return stopped(snapshot);
      return run(program, snapshot, event, new Turn(snapshot.context, scope));
    },
    getInitialSnapshot: (_scope, input) =>
      active(initialValue, objectContext(input.key, input.storeKey)),
    restoreSnapshot(snapshot) {
      const { context } = snapshot as unknown as { readonly context: PersistedContext };
      const { key, object, storeKey } = context;
      const restored = objectContext(key, storeKey);
      restored.tip = object && stateOf(object);
      const life = object?.life ?? 'absent';
      return active(values[stateIndex(life, 'ready')] as ObjectStateValue, restored);
    },
    getPersistedSnapshot({ context }) {
      const object = context.tip && persistedOf(context.tip);
      const value: ObjectStateValue = { life: object?.life ?? 'absent', sync: 'ready' };
      const { key, storeKey } = context;
      return keptSnapshot(value, { key, storeKey, object });
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
  readonly #context: ObjectContext;
  readonly #scope: Scope;
  /** Raised, and not taken yet: mostly one at a time, for which no list is made. */
  #next: string | undefined = undefined;
  #others: string[] | undefined = undefined;

  constructor(context: ObjectContext, scope: Scope) {
    this.#context = context;
    this.#scope = scope;
  }

  raise(type: string): void {
    if (this.#next === undefined) this.#next = type;
    else (this.#others ??= []).push(type);
  }

  /** What was raised first; undefined: nothing is left. */
  take(): string | undefined {
    const taken = this.#next;
    this.#next = this.#others?.shift();
    return taken;
  }

  emit(effect: ObjectEffect): void {
    const { performer } = this.#context;
    if (performer === undefined) this.#scope.emit(effect);
    else performer.perform(effect);
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
  while (type !== undefined) {
    const step: ProgramStep | undefined = program[type]?.[state];
    if (step !== undefined) {
      state = step.next;
      for (const action of step.actions) action(context, event, turn);
    }
    type = turn.take();
  }
  return state === before ? snapshot : active(values[state] as ObjectStateValue, context);
}

function active(value: ObjectStateValue, context: ObjectContext): ObjectSnapshot {
  return { status: 'active', output: undefined, error: undefined, value, context };
}

function stopped({ context, value }: ObjectSnapshot): ObjectSnapshot {
  return { status: 'stopped', output: undefined, error: undefined, value, context };
}
