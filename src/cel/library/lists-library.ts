/**
 * Lists: `isSorted`, `sum`, `min`, `max`, `indexOf`, `lastIndexOf`, and `includes` (release 1.37).
 *
 * They are declared for each element type that has an order (or a sum), so that a rule on anything
 * else is refused when it is written.
 */
import { addInts, doubleArithmetic, durationOf, uintArithmetic } from '../evaluate/arithmetic.ts';
import { compare } from '../evaluate/comparison.ts';
import { equals, unequal } from '../evaluate/equality.ts';
import * as lists from '../evaluate/lists.ts';
import { noOverload } from '../evaluate/no-overload.ts';
import { EvaluationError, evaluationError, noSuchOverload } from '../evaluation-error.ts';
import type { Library, Overload } from '../declaration.ts';
import {
  boolType,
  bytesType,
  doubleType,
  dynType,
  durationType,
  intType,
  listType,
  stringType,
  timestampType,
  typeParameter,
  uintType,
} from '../type.ts';
import type { Type } from '../type.ts';
import { Double, Duration, Uint } from '../value.ts';
import type { Value } from '../value.ts';
import { functions, method } from './declare.ts';
import { elementsCost, includesCost } from './prices.ts';

const comparable: readonly (readonly [name: string, type: Type])[] = [
  ['int', intType],
  ['uint', uintType],
  ['double', doubleType],
  ['bool', boolType],
  ['duration', durationType],
  ['timestamp', timestampType],
  ['string', stringType],
  ['bytes', bytesType],
];

const sums: readonly (readonly [name: string, type: Type, zero: Value])[] = [
  ['int', intType, 0],
  ['uint', uintType, new Uint(0)],
  ['double', doubleType, new Double(0)],
  ['duration', durationType, new Duration(0n)],
];

export function listOf(value: Value): lists.AnyList {
  if (lists.isList(value)) return value;
  throw noSuchOverload();
}

/** The elements of a list, one by one. */
export function elementsOf(list: Value): Iterable<Value> {
  return lists.elementsOf(listOf(list));
}

/** The elements, for a function that has an overload for each type of first element. */
function elementsFor(name: string, list: Value): Iterable<Value> {
  const [first] = lists.attemptedElements(listOf(list));
  if (first instanceof EvaluationError) throw noOverload(name, [list]);
  return elementsOf(list);
}

function isSorted(list: Value): Value {
  let previous: Value | undefined;
  for (const element of elementsFor('isSorted', list)) {
    if (previous !== undefined && compare(previous, element) > 0) return false;
    previous = element;
  }
  return true;
}

function best(name: string, better: (order: number) => boolean) {
  return (list: Value): Value => {
    let found: Value | undefined;
    for (const element of elementsFor(name, list)) {
      if (found === undefined || better(compare(element, found))) found = element;
    }
    if (found === undefined) throw evaluationError(`${name} called on empty list`);
    return found;
  };
}

function addValues(a: Value, b: Value): Value {
  if (a instanceof Uint && b instanceof Uint) return uintArithmetic('+', a, b);
  if (a instanceof Double && b instanceof Double) return doubleArithmetic('+', a, b);
  if (a instanceof Duration && b instanceof Duration) return durationOf(a.nanos + b.nanos);
  if (isInt(a) && isInt(b)) return addInts(a, b);
  throw noSuchOverload();
}

function isInt(value: Value): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** A list whose type nobody knew is summed as what its first element is. */
function sumFrom(zero: Value) {
  return (list: Value): Value => {
    let sum: Value | undefined;
    for (const element of elementsFor('sum', list)) {
      sum = addValues(sum ?? zeroLike(element), element);
    }
    return sum ?? zero;
  };
}

function zeroLike(value: Value): Value {
  if (value instanceof Double) return new Double(0);
  if (value instanceof Uint) return new Uint(0);
  return value instanceof Duration ? new Duration(0n) : 0;
}

/** Of what is no list: whether it is the same. */
function includes(target: Value, item: Value): Value {
  return lists.isList(target) ? indexOf(target, item) !== -1 : equals(target, item);
}

/** An element that has no value, as its data are not what their schema says, equals nothing. */
function areEqual(element: lists.Attempted, item: Value): boolean {
  return !(element instanceof EvaluationError) && !unequal(element, item);
}

function indexOf(list: Value, item: Value): Value {
  let at = 0;
  for (const element of lists.attemptedElements(listOf(list))) {
    if (areEqual(element, item)) return at;
    at += 1;
  }
  return -1;
}

function lastIndexOf(list: Value, item: Value): Value {
  let found = -1;
  let at = 0;
  for (const element of lists.attemptedElements(listOf(list))) {
    if (areEqual(element, item)) found = at;
    at += 1;
  }
  return found;
}

const forEachType = (make: (name: string, type: Type) => Overload): readonly Overload[] =>
  comparable.map(([name, type]) => make(name, type));

const includesSince = 37;
const anyItem = typeParameter('A');
const anyList = listType(anyItem);

export const listsLibrary: Library = {
  name: 'kubernetes.lists',
  functions: functions({
    isSorted: forEachType((name, type) =>
      method(`list_${name}_is_sorted_bool`, [listType(type)], boolType, isSorted, elementsCost),
    ),
    sum: sums.map(([name, type, zero]) =>
      method(`list_${name}_sum_${name}`, [listType(type)], type, sumFrom(zero), elementsCost),
    ),
    max: forEachType((name, type) =>
      method(
        `list_${name}_max_${name}`,
        [listType(type)],
        type,
        best('max', (order) => order > 0),
        elementsCost,
      ),
    ),
    min: forEachType((name, type) =>
      method(
        `list_${name}_min_${name}`,
        [listType(type)],
        type,
        best('min', (order) => order < 0),
        elementsCost,
      ),
    ),
    indexOf: [method('list_a_index_of_int', [anyList, anyItem], intType, indexOf, elementsCost)],
    lastIndexOf: [
      method('list_a_last_index_of_int', [anyList, anyItem], intType, lastIndexOf, elementsCost),
    ],
    includes: [
      {
        ...method('list_includes_dyn_dyn', [dynType, dynType], boolType, includes, includesCost),
        since: includesSince,
      },
    ],
  }),
};
