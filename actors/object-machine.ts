/**
 * The life of an object as a state machine (spec 1, section 3.1).
 *
 *   absent ──create──▶ live ──delete.marked──▶ finalizing ──replace.completed──▶ removed
 *                       └────────────delete.removed──────────────delete.removed────▶┘
 *
 * What it is not: it does not know what an object looks like. The host asks the command's pure
 * functions and tells the machine what they said; the machine says what that means now.
 *
 * Invariants: total (each state answers each event with exactly one verdict, a refusal included),
 * pure, and finite: neither context nor payload. Because it is finite, every cell is computed once,
 * at load, with XState's own pure `transition`; a decision is then a look-up. `removed` is final:
 * a later command on the name begins a new life at `absent`.
 */
import { setup, transition } from 'xstate';
import { assert } from '../src/stdx/assert.ts';

/** States that a next command can meet. `live` and `finalizing` are the words in the store. */
export type Life = 'absent' | 'live' | 'finalizing';
export type LifeState = Life | 'removed';

/** What the command's functions said about the current object. `none`: there was nothing to ask. */
export const objectEvents = [
  'create',
  'replace.none',
  'replace.refused',
  'replace.unchanged',
  'replace.changed',
  'replace.completed',
  'delete.none',
  'delete.refused',
  'delete.unchanged',
  'delete.marked',
  'delete.removed',
] as const;
export type ObjectEventType = (typeof objectEvents)[number];

export type Verdict =
  | 'created'
  | 'replaced'
  | 'unchanged'
  | 'marked'
  | 'removed'
  /** With the error that produce or plan gave. */
  | 'refusedByCommand'
  | 'refusedNotFound'
  | 'refusedExists'
  | 'refusedBeingDeleted'
  /** The event cannot happen in this state: whoever sent it is wrong. Nothing changes. */
  | 'misfit';

export interface Step {
  readonly next: LifeState;
  readonly verdict: Verdict;
}

const say = (): void => {};

export const objectMachine = setup({
  types: { events: {} as { type: ObjectEventType } },
  actions: {
    created: say,
    replaced: say,
    unchanged: say,
    marked: say,
    removed: say,
    refusedByCommand: say,
    refusedNotFound: say,
    refusedExists: say,
    refusedBeingDeleted: say,
    misfit: say,
  },
}).createMachine({
  id: 'object',
  initial: 'absent',
  states: {
    absent: {
      on: {
        create: { target: 'live', actions: 'created' },
        'replace.none': { actions: 'refusedNotFound' },
        'replace.refused': { actions: 'refusedByCommand' },
        'replace.unchanged': { actions: 'misfit' },
        'replace.changed': { target: 'live', actions: 'created' },
        'replace.completed': { actions: 'misfit' },
        'delete.none': { actions: 'refusedNotFound' },
        'delete.refused': { actions: 'misfit' },
        'delete.unchanged': { actions: 'misfit' },
        'delete.marked': { actions: 'misfit' },
        'delete.removed': { actions: 'misfit' },
      },
    },
    live: {
      on: {
        create: { actions: 'refusedExists' },
        'replace.none': { actions: 'misfit' },
        'replace.refused': { actions: 'refusedByCommand' },
        'replace.unchanged': { actions: 'unchanged' },
        'replace.changed': { actions: 'replaced' },
        // Only a delete begins a deletion, so no replacement of a live object can complete one.
        'replace.completed': { actions: 'misfit' },
        'delete.none': { actions: 'misfit' },
        'delete.refused': { actions: 'refusedByCommand' },
        'delete.unchanged': { actions: 'unchanged' },
        'delete.marked': { target: 'finalizing', actions: 'marked' },
        'delete.removed': { target: 'removed', actions: 'removed' },
      },
    },
    finalizing: {
      on: {
        create: { actions: 'refusedBeingDeleted' },
        'replace.none': { actions: 'misfit' },
        'replace.refused': { actions: 'refusedByCommand' },
        'replace.unchanged': { actions: 'unchanged' },
        'replace.changed': { actions: 'replaced' },
        'replace.completed': { target: 'removed', actions: 'removed' },
        'delete.none': { actions: 'misfit' },
        'delete.refused': { actions: 'refusedByCommand' },
        'delete.unchanged': { actions: 'unchanged' },
        'delete.marked': { actions: 'marked' },
        'delete.removed': { target: 'removed', actions: 'removed' },
      },
    },
    removed: { type: 'final' },
  },
});

const ended: Step = { next: 'removed', verdict: 'misfit' };
const cells = tabulate();

/** What `event` means in `state`. Pure; a look-up. */
export function step(state: LifeState, event: ObjectEventType): Step {
  return cells[state][event];
}

function tabulate(): Readonly<Record<LifeState, Readonly<Record<ObjectEventType, Step>>>> {
  const row = (value: Life): Record<ObjectEventType, Step> => {
    const snapshot = objectMachine.resolveState({ value });
    const entries = objectEvents.map((type) => {
      const [next, actions] = transition(objectMachine, snapshot, { type });
      assert(actions.length === 1, `${value} answers ${type} with one verdict`);
      return [type, { next: next.value, verdict: actions[0]?.type as Verdict }];
    });
    return Object.fromEntries(entries) as Record<ObjectEventType, Step>;
  };
  const last = Object.fromEntries(objectEvents.map((type) => [type, ended]));
  return {
    absent: row('absent'),
    live: row('live'),
    finalizing: row('finalizing'),
    removed: last as Record<ObjectEventType, Step>,
  };
}
