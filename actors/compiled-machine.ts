/**
 * A finite XState machine as a table: what each event does in each of its states.
 *
 * Every cell is computed once, at load, with XState's own pure `transition`. Moving through the
 * table costs tens of nanoseconds, XState's interpreter several microseconds: an actor that takes
 * every write of the server can afford the first (test/actors/compiled-machine.test.ts holds both
 * to the same behaviour on random events).
 *
 * Invariants: the machine is finite (no guards, no context in its transitions) and total over the
 * events named; actions are in the order in which XState would run them. Starting and stopping an
 * invoked actor are actions too: `invoke` and `uninvoke`.
 */
import { transition } from 'xstate';
import type { AnyEventObject, AnyStateMachine, StateValue } from 'xstate';
import { lookup } from '../src/stdx/lookup.ts';

export interface Step {
  /** Index of the next state. */
  readonly next: number;
  readonly actions: readonly string[];
}

export interface CompiledMachine {
  readonly values: readonly StateValue[];
  /** By event, then by index of the state. An event that is not here does nothing. */
  readonly steps: Readonly<Record<string, readonly Step[]>>;
}

const builtIn = lookup({
  'xstate.spawnChild': 'invoke',
  'xstate.stopChild': 'uninvoke',
});

export function compileMachine(
  machine: AnyStateMachine,
  values: readonly StateValue[],
  events: readonly string[],
): CompiledMachine {
  const names = values.map((value) => JSON.stringify(value));
  const steps = lookup(
    Object.fromEntries(
      events.map((type) => [type, values.map((value) => stepOf(machine, value, type, names))]),
    ),
  );
  return { values, steps };
}

function stepOf(
  machine: AnyStateMachine,
  value: StateValue,
  type: string,
  names: readonly string[],
): Step {
  const from = machine.resolveState({ value, context: {} });
  const event: AnyEventObject = { type };
  const [snapshot, actions] = transition(machine, from, event);
  const after = snapshot as { readonly value: StateValue };
  return {
    next: names.indexOf(JSON.stringify(after.value)),
    actions: actions.map((action) => builtIn[action.type] ?? action.type),
  };
}
