/**
 * The life of a bootstrap token as a state machine (spec 2, section 3.1).
 *
 *   valid ──due──▶ expired ──removed──▶ deleted      removed: by the token cleaner, or by a client
 *     ▲ └──────────────removed────────────▲
 *     └──written.open── expired                      somebody gave it a later expiration
 *
 * It knows no clock and no secret. token-timer.ts tells it what a write means for the expiration,
 * and whether a deadline that passed was right. While valid a `deadline` is invoked: XState does
 * not arm `after` again when it restores an actor (its issue 5331), but starts what a state
 * invokes.
 *
 * Invariants: total (each state answers each event with exactly one verdict), finite. A life begins
 * at `valid`, with the write that made the secret. An expired token comes back only by a write that
 * changes its expiration: a clock that goes back revives nothing.
 */
import { fromCallback, setup } from 'xstate';
import { tokenStates } from './actors.ts';
import { compileMachine } from './compiled-machine.ts';

export const tokenLives = [tokenStates.valid, tokenStates.expired, 'deleted'] as const;
export type TokenLife = (typeof tokenLives)[number];

export const tokenEvents = [
  /** Written with an expiration that it did not have before, and that lies ahead or is never. */
  'written.open',
  /** Written with an expiration that has been reached, or cannot be read. */
  'written.past',
  /** Written with the expiration it had. */
  'written.same',
  /** The deadline, and the expiration is reached. */
  'due',
  /** The deadline, but it is too early. */
  'early',
  /** The secret is gone. */
  'removed',
] as const;
export type TokenEventType = (typeof tokenEvents)[number];

export type TokenVerdict =
  /** The token is valid until the expiration that was written. */
  | 'armed'
  /** The token is no longer valid. */
  | 'ended'
  /** Nothing changes. */
  | 'kept'
  /** The timer ends. */
  | 'forgotten'
  /** The event cannot happen in this state. */
  | 'unexpected';

export interface TokenStep {
  readonly next: TokenLife;
  readonly verdict: TokenVerdict;
}

const noAction = (): void => {};

export const tokenMachine = setup({
  types: { context: {}, input: {}, events: {} as { type: TokenEventType } },
  actions: { armed: noAction, ended: noAction, kept: noAction, forgotten: noAction },
  actors: { deadline: fromCallback(noAction) },
}).createMachine({
  id: 'token',
  context: ({ input }) => input,
  initial: 'valid',
  states: {
    valid: {
      invoke: { id: 'deadline', src: 'deadline' },
      on: {
        // Entered anew: the deadline is another one.
        'written.open': { target: 'valid', reenter: true, actions: 'armed' },
        'written.past': { target: 'expired', actions: 'ended' },
        'written.same': { actions: 'kept' },
        due: { target: 'expired', actions: 'ended' },
        early: { target: 'valid', reenter: true, actions: 'kept' },
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

export const compiledToken = compileMachine(tokenMachine, tokenLives, tokenEvents);

const gone: TokenStep = { next: 'deleted', verdict: 'unexpected' };
const verdicts: readonly string[] = ['armed', 'ended', 'kept', 'forgotten'];

/** What `event` means in `state`. Pure; a look-up. */
export function tokenStep(state: TokenLife, event: TokenEventType): TokenStep {
  const step = compiledToken.steps[event]?.[tokenLives.indexOf(state)];
  const verdict = step?.actions.find((name) => verdicts.includes(name));
  if (step === undefined || verdict === undefined) return gone;
  return { next: tokenLives[step.next] as TokenLife, verdict: verdict as TokenVerdict };
}
