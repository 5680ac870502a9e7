/**
 * An object as one statechart of two regions (spec 1, section 3.1).
 *
 *   life   absent ──create──▶ live ──delete.marked──▶ finalizing       what the object is, as its
 *             ▲                └──delete.removed──▶ removed ◀──┘       newest decision left it
 *             └────────────────────begin──────────────┘
 *
 *   sync   ready ──load──▶ loading ──loaded──▶ ready                   what its actor is doing
 *            ├──ask──▶ deciding ──resume──▶ ready
 *            └──rewound──▶ settling ──resume──▶ ready
 *
 * The objects, the mailbox and the decisions are the actor's context; object-actions.ts works on it
 * when the machine says so.
 *
 * Invariants: total over the events of `life` (each state answers each with exactly one verdict, a
 * refusal included), and finite: neither region looks at the context. No refusal moves the life.
 */
import { setup } from 'xstate';
import { assert } from '../src/stdx/assert.ts';
import { objectStates } from './actors.ts';
import { compileMachine } from './compiled-machine.ts';

export const lifeStates = [
  'absent',
  objectStates.live,
  objectStates.finalizing,
  'removed',
] as const;
export type LifeState = (typeof lifeStates)[number];

export const syncStates = ['ready', 'loading', 'deciding', 'settling'] as const;
export type SyncState = (typeof syncStates)[number];

/** What a decision found: one of them for each command. */
export const decisionEvents = [
  'create',
  'missing',
  'refused',
  'tried',
  'replace.unchanged',
  'replace.changed',
  'replace.completed',
  'delete.unchanged',
  'delete.marked',
  'delete.removed',
] as const;
export type DecisionEvent = (typeof decisionEvents)[number];

/** Events that the actor raises about itself. */
const internalEvents = [
  'known.absent',
  'known.live',
  'known.finalizing',
  'begin',
  'advance',
  'load',
  'settle',
  'ask',
  'rewound',
  'resume',
] as const;
export type InternalEvent = (typeof internalEvents)[number];

/** What comes into the mailbox. */
const outerEvents = ['command', 'committed', 'loaded', 'load.failed', 'answered'] as const;
export type OuterEvent = (typeof outerEvents)[number];

export const writeVerdicts = ['created', 'replaced', 'marked', 'removed'] as const;
export type WriteVerdict = (typeof writeVerdicts)[number];

const verdicts = [
  ...writeVerdicts,
  'unchanged',
  /** A dry run: shown, not done. */
  'tried',
  /** With the error that the decision gave. */
  'refusedByCommand',
  'refusedNotFound',
  'refusedExists',
  'refusedBeingDeleted',
  /** The event cannot happen in this state: the decision is wrong. Nothing changes. */
  'unexpected',
] as const;
export type Verdict = (typeof verdicts)[number];

const syncActions = [
  'accept',
  'decideNext',
  'startLoad',
  'ask',
  'takeResult',
  'checkSettled',
  'adopt',
  'failLoad',
  'takeAnswer',
  'goOn',
] as const;

const lifeActions = ['beginLife'] as const;

export const actionNames = [...verdicts, ...lifeActions, ...syncActions] as const;
export type ActionName = (typeof actionNames)[number];

const noAction = (): void => {};
const noActions = Object.fromEntries(actionNames.map((name) => [name, noAction])) as Record<
  ActionName,
  () => void
>;

export const objectMachine = setup({
  types: {
    context: {},
    input: {},
    events: {} as { type: DecisionEvent | InternalEvent | OuterEvent },
  },
  actions: noActions,
}).createMachine({
  id: 'object',
  type: 'parallel',
  // What the actions work on; the machine itself does not look at it.
  context: ({ input }) => input,
  states: {
    life: {
      initial: 'absent',
      states: {
        absent: {
          on: {
            create: { target: 'live', actions: 'created' },
            missing: { actions: 'refusedNotFound' },
            refused: { actions: 'refusedByCommand' },
            tried: { actions: 'tried' },
            'replace.unchanged': { actions: 'unexpected' },
            'replace.changed': { actions: 'unexpected' },
            'replace.completed': { actions: 'unexpected' },
            'delete.unchanged': { actions: 'unexpected' },
            'delete.marked': { actions: 'unexpected' },
            'delete.removed': { actions: 'unexpected' },
            'known.live': 'live',
            'known.finalizing': 'finalizing',
          },
        },
        live: {
          on: {
            create: { actions: 'refusedExists' },
            missing: { actions: 'unexpected' },
            refused: { actions: 'refusedByCommand' },
            tried: { actions: 'tried' },
            'replace.unchanged': { actions: 'unchanged' },
            'replace.changed': { actions: 'replaced' },
            // Only a delete begins a deletion, so no replacement of a live object completes one.
            'replace.completed': { actions: 'unexpected' },
            'delete.unchanged': { actions: 'unchanged' },
            'delete.marked': { target: 'finalizing', actions: 'marked' },
            'delete.removed': { target: 'removed', actions: 'removed' },
            'known.absent': 'absent',
            'known.finalizing': 'finalizing',
          },
        },
        finalizing: {
          on: {
            create: { actions: 'refusedBeingDeleted' },
            missing: { actions: 'unexpected' },
            refused: { actions: 'refusedByCommand' },
            tried: { actions: 'tried' },
            'replace.unchanged': { actions: 'unchanged' },
            'replace.changed': { actions: 'replaced' },
            'replace.completed': { target: 'removed', actions: 'removed' },
            'delete.unchanged': { actions: 'unchanged' },
            'delete.marked': { actions: 'marked' },
            'delete.removed': { target: 'removed', actions: 'removed' },
            'known.absent': 'absent',
            'known.live': 'live',
          },
        },
        removed: {
          on: {
            create: { actions: 'unexpected' },
            missing: { actions: 'unexpected' },
            refused: { actions: 'unexpected' },
            tried: { actions: 'unexpected' },
            'replace.unchanged': { actions: 'unexpected' },
            'replace.changed': { actions: 'unexpected' },
            'replace.completed': { actions: 'unexpected' },
            'delete.unchanged': { actions: 'unexpected' },
            'delete.marked': { actions: 'unexpected' },
            'delete.removed': { actions: 'unexpected' },
            'known.absent': 'absent',
            'known.live': 'live',
            'known.finalizing': 'finalizing',
            // A next command on the name: a new life.
            begin: { target: 'absent', actions: 'beginLife' },
          },
        },
      },
    },
    sync: {
      initial: 'ready',
      states: {
        ready: {
          on: {
            command: { actions: ['accept', 'goOn'] },
            committed: { actions: ['takeResult', 'goOn'] },
            advance: { actions: 'decideNext' },
            load: { target: 'loading', actions: 'startLoad' },
            settle: 'settling',
            ask: { target: 'deciding', actions: 'ask' },
            rewound: 'settling',
          },
        },
        loading: {
          on: {
            command: { actions: 'accept' },
            loaded: { target: 'ready', actions: ['adopt', 'goOn'] },
            'load.failed': { target: 'ready', actions: ['failLoad', 'goOn'] },
          },
        },
        deciding: {
          on: {
            command: { actions: 'accept' },
            committed: { actions: ['takeResult', 'goOn'] },
            answered: { actions: 'takeAnswer' },
            resume: { target: 'ready', actions: 'goOn' },
            rewound: 'settling',
          },
        },
        settling: {
          on: {
            command: { actions: 'accept' },
            committed: { actions: ['takeResult', 'goOn'] },
            advance: { actions: 'checkSettled' },
            resume: { target: 'ready', actions: 'goOn' },
          },
        },
      },
    },
  },
});

/** State `life` x `sync` has the index `life * syncStates.length + sync`. */
const stateValues = lifeStates.flatMap((life) => syncStates.map((sync) => ({ life, sync })));
const events = [...outerEvents, ...internalEvents, ...decisionEvents] as const;

export const compiledObject = compileMachine(objectMachine, stateValues, events);

export function stateIndex(life: LifeState, sync: SyncState): number {
  return lifeStates.indexOf(life) * syncStates.length + syncStates.indexOf(sync);
}

export interface LifeStep {
  readonly next: LifeState;
  readonly verdict: Verdict;
}

const lifeSteps = Object.fromEntries(
  lifeStates.map((life) => [
    life,
    Object.fromEntries(decisionEvents.map((e) => [e, computeLifeStep(life, e)])),
  ]),
) as Readonly<Record<LifeState, Readonly<Record<DecisionEvent, LifeStep>>>>;

/** What a decision means for an object in this state, before it is carried out. A look-up. */
export function lifeStep(life: LifeState, event: DecisionEvent): LifeStep {
  return lifeSteps[life][event];
}

function computeLifeStep(life: LifeState, event: DecisionEvent): LifeStep {
  const step = compiledObject.steps[event]?.[stateIndex(life, 'ready')];
  assert(step?.actions.length === 1, `${life} answers ${event} with one verdict`);
  const next = lifeStates[Math.floor(step.next / syncStates.length)] as LifeState;
  return { next, verdict: step.actions[0] as Verdict };
}
