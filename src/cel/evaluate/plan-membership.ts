/**
 * `x in [a, b, c]` where the list is constant: a look-up in a set. Only `x` has a cost, as in the
 * reference.
 */
import type { Value } from '../value.ts';
import { equals, numberOf } from './equality.ts';
import { constantPlan } from './frame.ts';
import type { Planned } from './frame.ts';
import { elementsOf, isList, listSize } from './lists.ts';

type Member = string | boolean | number | bigint;

/** Equal members have equal keys; undefined: this cannot be a member of a set. */
function memberKey(value: Value): Member | undefined {
  if (typeof value === 'string') return `s${value}`;
  if (typeof value === 'boolean') return value;
  return numberOf(value);
}

export function planMembership(left: Planned, right: Planned): Planned | undefined {
  const list = right.constant;
  if (list === undefined || !isList(list)) return undefined;
  // Nobody asks what is looked for.
  if (listSize(list) === 0) return constantPlan(false);
  const members = new Set<Member>();
  const all = [...elementsOf(list)];
  for (const value of all) {
    const key = memberKey(value);
    if (key === undefined) return undefined;
    members.add(key);
  }
  const { run } = left;
  return {
    run: (frame) => {
      const value = run(frame);
      const key = memberKey(value);
      if (key === undefined) return false;
      // A bigint and a double of the same size are equal, and are different keys.
      if (typeof key === 'bigint' || (typeof key === 'number' && !Number.isSafeInteger(key))) {
        return all.some((member) => equals(member, value));
      }
      return members.has(key);
    },
  };
}
