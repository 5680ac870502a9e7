/**
 * A status condition that the server itself sets, at every write, whatever the client sends, or
 * when it has found something out. Other conditions are the client's.
 *
 * Invariants: pure. Its time changes with its status only; a condition that says the same stays as
 * it is. A finding of undefined takes the condition out.
 */
import { objects, part, text } from './members.ts';
import type { ApiObject, JsonObject } from './unstructured.ts';
import { without } from './unstructured.ts';
import { deepEqual } from '../stdx/deep-equal.ts';

export interface Finding {
  readonly type: string;
  /** status, reason and message; undefined: there is nothing to say. */
  readonly says: JsonObject | undefined;
}

export function conditionOf(object: ApiObject, type: string): JsonObject | undefined {
  const conditions = objects(part(object, 'status'), 'conditions');
  return conditions.find((each) => each['type'] === type);
}

const told = ['status', 'reason', 'message'];

/** undefined: the object says so already. */
export function withFinding(
  object: ApiObject,
  { says, type }: Finding,
  now: string,
): ApiObject | undefined {
  const said = conditionOf(object, type);
  const isSaid = told.every((name) => text(said, name) === text(says, name));
  return isSaid ? undefined : withConditions(object, object, now, [{ type, says }]);
}

export function withConditions(
  next: ApiObject,
  current: ApiObject | undefined,
  now: string,
  findings: readonly Finding[],
): ApiObject {
  const status = part(next, 'status');
  const before = objects(part(current, 'status'), 'conditions');
  let conditions = objects(status, 'conditions');
  for (const { type, says } of findings) {
    if (says === undefined) {
      conditions = conditions.filter((each) => each['type'] !== type);
      continue;
    }
    const own = timed(type, says, before, now);
    const there = conditions.some((each) => each['type'] === type);
    conditions = there
      ? conditions.map((each) => (each['type'] === type ? own : each))
      : [...conditions, own];
  }
  const others = without(status, 'conditions');
  const own = conditions.length === 0 ? others : { ...others, conditions };
  return { ...next, status: own };
}

/** What was said already stays, with its time. */
function timed(
  type: string,
  { status, ...why }: JsonObject,
  conditions: readonly JsonObject[],
  now: string,
): JsonObject {
  const before = conditions.find((each) => each['type'] === type);
  const same = before?.['status'] === status ? before?.['lastTransitionTime'] : undefined;
  const wanted = { type, status, lastTransitionTime: same ?? now, ...why } as JsonObject;
  return before !== undefined && deepEqual(before, wanted) ? before : wanted;
}
