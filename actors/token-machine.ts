/**
 * The life of a bootstrap token as a state machine (spec 2, section 3.1).
 *
 *   valid ──due──▶ expired ──removed──▶ deleted      removed: by the token cleaner, or by a client
 *     ▲ └──────────────removed────────────▲
 *     └──written.open── expired                      somebody gave it a later expiration
 *
 * What it is not: it knows no clock and no secret. Whoever has both tells it what a write means for
 * the expiration, and whether a timer that went off was right (token-timer.ts).
 *
 * Invariants: total (each state answers each event with exactly one verdict), pure, finite. Every
 * cell is computed once, at load, with XState's own `transition`. A life begins at `valid`, with
 * the write that made the secret. An expired token comes back only by a write that changes its
 * expiration: a clock that goes back revives nothing.
 */
import { setup, transition } from 'xstate';
import { assert } from '../src/stdx/assert.ts';

/** The words in the record. */
export const tokenStates = { valid: 'valid', expired: 'expired' } as const;
export type TokenState = (typeof tokenStates)[keyof typeof tokenStates];
export type TokenLife = TokenState | 'deleted';

export const tokenEvents = [
  /** Written with an expiration that it did not have before, and that lies ahead or is never. */
  'written.open',
  /** Written with an expiration that has been reached, or cannot be read. */
  'written.past',
  /** Written with the expiration it had. */
  'written.same',
  /** The timer, and the expiration is reached. */
  'due',
  /** The timer, but it is too early. */
  'early',
  /** The secret is gone. */
  'removed',
] as const;
export type TokenEventType = (typeof tokenEvents)[number];

export type TokenVerdict =
  /** It counts, until the expiration as written. */
  | 'armed'
  /** It counts no more. */
  | 'ended'
  /** Nothing changes. */
  | 'kept'
  /** There is nothing left to time. */
  | 'forgotten'
  /** The event cannot happen in this state. */
  | 'misfit';

export interface TokenStep {
  readonly next: TokenLife;
  readonly verdict: TokenVerdict;
}

const say = (): void => {};

export const tokenMachine = setup({
  types: { events: {} as { type: TokenEventType } },
  actions: { armed: say, ended: say, kept: say, forgotten: say },
}).createMachine({
  id: 'token',
  initial: 'valid',
  states: {
    valid: {
      on: {
        'written.open': { actions: 'armed' },
        'written.past': { target: 'expired', actions: 'ended' },
        'written.same': { actions: 'kept' },
        due: { target: 'expired', actions: 'ended' },
        early: { actions: 'kept' },
        removed: { target: 'deleted', actions: 'forgotten' },
      },
    },
    expired: {
      on: {
        'written.open': { target: 'valid', actions: 'armed' },
        'written.past': { actions: 'ended' },
        'written.same': { actions: 'kept' },
        due: { actions: 'kept' },
        early: { actions: 'kept' },
        removed: { target: 'deleted', actions: 'forgotten' },
      },
    },
    deleted: { type: 'final' },
  },
});

const gone: TokenStep = { next: 'deleted', verdict: 'misfit' };
const cells = tabulate();

/** What `event` means in `state`. Pure; a look-up. */
export function tokenStep(state: TokenLife, event: TokenEventType): TokenStep {
  return state === 'deleted' ? gone : cells[state][event];
}

function tabulate(): Readonly<Record<TokenState, Readonly<Record<TokenEventType, TokenStep>>>> {
  const row = (value: TokenState): Record<TokenEventType, TokenStep> => {
    const snapshot = tokenMachine.resolveState({ value });
    const entries = tokenEvents.map((type) => {
      const [next, actions] = transition(tokenMachine, snapshot, { type });
      assert(actions.length === 1, `${value} answers ${type} with one verdict`);
      return [type, { next: next.value, verdict: actions[0]?.type as TokenVerdict }];
    });
    return Object.fromEntries(entries) as Record<TokenEventType, TokenStep>;
  };
  return { valid: row('valid'), expired: row('expired') };
}
