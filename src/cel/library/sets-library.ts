/**
 * Lists as sets (release 1.29): `sets.contains(list, sublist)`, `sets.equivalent`,
 * `sets.intersects`. Elements may be of any type and are compared as `==` does.
 *
 * Bounds: every element is compared with every other, and so it is charged before it is done.
 */
import { addRanges, fixed, multiplyRanges, scaleRange } from '../cost.ts';
import type { OverloadCost } from '../cost.ts';
import type { Library } from '../declaration.ts';
import { isInList } from '../evaluate/list-membership.ts';
import { attempted, attemptedElements } from '../evaluate/lists.ts';
import { EvaluationError } from '../evaluation-error.ts';
import { boolType, listType, typeParameter } from '../type.ts';
import { ListValue } from '../value.ts';
import type { Value } from '../value.ts';
import { functions, overload } from './declare.ts';
import { listOf } from './lists-library.ts';
import { operandSize, sizeOfArgument } from './prices.ts';

function contains(list: Value, item: Value): boolean {
  return isInList(item, listOf(list));
}

function containsAll(list: Value, sublist: Value): boolean {
  for (const item of attemptedElements(listOf(sublist))) {
    if (item instanceof EvaluationError) return hasNone(list, item);
    if (!contains(list, item)) return false;
  }
  return true;
}

/** Whether a list has an item that failed to get a value: it does not, except that a list with a
 * schema cannot know. */
function hasNone(list: Value, item: EvaluationError): false {
  if (list instanceof ListValue) throw item;
  return false;
}

function intersects(a: Value, b: Value): boolean {
  for (const item of attemptedElements(listOf(a))) {
    if (item instanceof EvaluationError) continue;
    if (attempted(() => contains(b, item)) === true) return true;
  }
  return false;
}

/** `passes`: how often the two are compared at most. */
function pairs(passes: number): OverloadCost {
  return {
    before: (args) => 1 + sizeOfArgument(args, 0) * sizeOfArgument(args, 1) * passes,
    estimate: (context, target, args) => {
      const a = operandSize(context, target, args, 0);
      const b = operandSize(context, target, args, 1);
      return { cost: addRanges(scaleRange(multiplyRanges(a, b), passes), fixed(1)) };
    },
  };
}

const list = listType(typeParameter('T'));

export const setsLibrary: Library = {
  name: 'cel.lib.ext.sets',
  functions: functions({
    'sets.contains': [
      overload('list_sets_contains_list', [list, list], boolType, containsAll, pairs(1)),
    ],
    'sets.equivalent': [
      overload(
        'list_sets_equivalent_list',
        [list, list],
        boolType,
        (a, b) => containsAll(a, b) && containsAll(b, a),
        pairs(2),
      ),
    ],
    'sets.intersects': [
      overload('list_sets_intersects_list', [list, list], boolType, intersects, pairs(1)),
    ],
  }),
};
