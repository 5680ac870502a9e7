/**
 * Whether a value obeys its schema, asked first of small values, which most writes obey. The checks
 * are those of the validation (validate-value.ts), without what it needs to name a place, to drop
 * what has not changed, and to stop in between.
 *
 *     sound       the validation has nothing to report
 *     not sound   it has, or alternatives, many values or long texts have to be looked at: it says
 *
 * Bounds: `valuesMax` values, and the work of a step.
 */
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { checkItself, memberPlan } from './validate-value.ts';
import { judgeText } from './value-checks.ts';
import type { ValuePlan } from './value-plan.ts';
import { ValueWalk } from './value-walk.ts';

const valuesMax = 256;

export function isSoundValue(plan: ValuePlan, value: JsonValue): boolean {
  return isSound(plan, value, new Search());
}

/** The search ends with the first error, so it needs no paths. */
class Search extends ValueWalk {
  left = valuesMax;
  constructor() {
    super('');
  }
}

function isSound(plan: ValuePlan, value: JsonValue, search: Search): boolean {
  search.left -= 1;
  if (plan.hasJunctors || search.left < 0) return false;
  if (judgeText(plan, value, search) !== undefined) return false;
  checkItself(plan, value, search);
  if (search.errors.length > 0 || search.endsStep()) return false;
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return areSound(plan.items, value as readonly JsonValue[], search);
  return !plan.hasMembers || membersAreSound(plan, value as JsonObject, search);
}

function areSound(
  items: ValuePlan | undefined,
  list: readonly JsonValue[],
  search: Search,
): boolean {
  if (items === undefined) return true;
  for (const item of list) if (!isSound(items, item, search)) return false;
  return true;
}

function membersAreSound(plan: ValuePlan, members: JsonObject, search: Search): boolean {
  for (const name in members) {
    const member = members[name];
    const below = memberPlan(plan, name);
    if (below !== undefined && member !== undefined && !isSound(below, member, search))
      return false;
  }
  return true;
}
