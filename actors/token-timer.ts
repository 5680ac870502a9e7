/**
 * The timer of a token in its record. A write, or a deadline that has passed, becomes an event of
 * the machine; its verdict makes the next timer (spec 2, section 3.1).
 *
 * Elsewhere: the deadline itself (token-actors.ts). The timer in the record is the persisted
 * snapshot of the token's actor: its state, and when it is due. So nothing is lost when the server
 * restarts.
 *
 * Invariants: pure. The timer keeps the expiration that it was decided on, also after it has ended,
 * so that a later write of the same expiration is recognised.
 */
import type { ApiObject } from '../src/apimachinery/unstructured.ts';
import type { ObjectKey } from '../src/storage/keys.ts';
import type { RecordTimer } from '../src/storage/record.ts';
import { AssertionError, unreachable } from '../src/stdx/assert.ts';
import { tokenStates } from './actors.ts';
import type { TokenState } from './actors.ts';
import { tokenStep } from './token-machine.ts';
import type { TokenEventType } from './token-machine.ts';

/** When an object expires, according to its content. */
export interface Expiry {
  /** Milliseconds since the epoch; undefined: never. */
  readonly dueMs: number | undefined;
}

/** Undefined: the object has no timer. Pure. */
export type ExpiryOf = (key: ObjectKey, object: ApiObject) => Expiry | undefined;

/** The timer of the record that is about to be written; `before`: of the one it replaces. */
export function timerAfterWrite(
  expiry: Expiry | undefined,
  before: RecordTimer | undefined,
  nowMs: number,
): RecordTimer | undefined {
  if (expiry === undefined) return undefined;
  const { dueMs } = expiry;
  return timerAfter(before, writtenEvent(before, dueMs, nowMs), dueMs);
}

/** The timer after its deadline; undefined: nothing changes. */
export function timerAfterDue(
  expiry: Expiry | undefined,
  before: RecordTimer | undefined,
  nowMs: number,
): RecordTimer | undefined {
  if (expiry === undefined) return undefined;
  const next = timerAfter(before, isReached(expiry.dueMs, nowMs) ? 'due' : 'early', expiry.dueMs);
  return next === before || next.state === stateOf(before) ? undefined : next;
}

function timerAfter(
  before: RecordTimer | undefined,
  event: TokenEventType,
  dueMs: number | undefined,
): RecordTimer {
  const state = stateOf(before);
  const { verdict } = tokenStep(state, event);
  switch (verdict) {
    case 'armed':
      return { state: tokenStates.valid, dueMs };
    case 'ended':
      return { state: tokenStates.expired, dueMs };
    case 'kept':
      return { state, dueMs };
    case 'forgotten':
    case 'unexpected':
      throw new AssertionError(`${event} is not written of a token that is ${state}`);
    default:
      return unreachable(verdict);
  }
}

function writtenEvent(
  before: RecordTimer | undefined,
  dueMs: number | undefined,
  nowMs: number,
): TokenEventType {
  if (before !== undefined && before.dueMs === dueMs) return 'written.same';
  return isReached(dueMs, nowMs) ? 'written.past' : 'written.open';
}

export function isReached(dueMs: number | undefined, nowMs: number): boolean {
  return dueMs !== undefined && dueMs <= nowMs;
}

/** No timer yet: a life begins as valid. An unknown word, from another build, counts as expired. */
export function stateOf(timer: RecordTimer | undefined): TokenState {
  return timer === undefined || timer.state === tokenStates.valid
    ? tokenStates.valid
    : tokenStates.expired;
}
