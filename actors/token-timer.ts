/**
 * The timer of a token as its record keeps it: from what was written, or from a timer that went
 * off, to the machine's event and the next snapshot.
 *
 * What it is not: the timer itself. What lies in the record says when it is due; whoever follows
 * the records arms one, and tells the actor when it went off (`DueCommand`). So nothing is lost
 * when an actor is passivated or the server restarts.
 *
 * Invariants: pure. The snapshot keeps the expiration it was decided on, also when it is over, so
 * that a later write of the same expiration is known for what it is.
 */
import type { ApiObject } from '../src/apimachinery/unstructured.ts';
import type { ObjectKey } from '../src/storage/keys.ts';
import type { RecordTimer } from '../src/storage/record.ts';
import { tokenStates, tokenStep } from './token-machine.ts';
import type { TokenEventType, TokenState } from './token-machine.ts';

/** When an object's time is over, by what stands in it. */
export interface Expiry {
  /** Milliseconds since the epoch; undefined: never. */
  readonly dueMs: number | undefined;
}

/** Undefined: the object has no timer. Pure. */
export type ExpiryOf = (key: ObjectKey, object: ApiObject) => Expiry | undefined;

export interface TokenTiming {
  readonly expiryOf: ExpiryOf;
  readonly nowMs: () => number;
}

/** The timer of the record that is about to be written; `before`: of the one it replaces. */
export function timerAfterWrite(
  { expiryOf, nowMs }: TokenTiming,
  key: ObjectKey,
  object: ApiObject,
  before: RecordTimer | undefined,
): RecordTimer | undefined {
  const expiry = expiryOf(key, object);
  if (expiry === undefined) return undefined;
  const { dueMs } = expiry;
  const state = before === undefined ? tokenStates.valid : stateOf(before);
  const event = writtenEvent(before, dueMs, nowMs());
  return { state: stateAfter(state, event), dueMs };
}

/** The timer after it went off at `nowMs`; undefined: nothing changes. */
export function timerAfterDue(
  { expiryOf }: TokenTiming,
  key: ObjectKey,
  object: ApiObject,
  before: RecordTimer | undefined,
  nowMs: number,
): RecordTimer | undefined {
  const expiry = expiryOf(key, object);
  if (expiry === undefined) return undefined;
  const state = before === undefined ? tokenStates.valid : stateOf(before);
  const next = stateAfter(state, reached(expiry.dueMs, nowMs) ? 'due' : 'early');
  return next === state ? undefined : { state: next, dueMs: expiry.dueMs };
}

function writtenEvent(
  before: RecordTimer | undefined,
  dueMs: number | undefined,
  nowMs: number,
): TokenEventType {
  if (before !== undefined && before.dueMs === dueMs) return 'written.same';
  return reached(dueMs, nowMs) ? 'written.past' : 'written.open';
}

function reached(dueMs: number | undefined, nowMs: number): boolean {
  return dueMs !== undefined && dueMs <= nowMs;
}

function stateAfter(state: TokenState, event: TokenEventType): TokenState {
  const { next } = tokenStep(state, event);
  return next === 'deleted' ? state : next;
}

/** A word of another build is taken for the careful one. */
function stateOf(timer: RecordTimer): TokenState {
  return timer.state === tokenStates.valid ? tokenStates.valid : tokenStates.expired;
}
