/**
 * Equality of all values. Values of different types are not equal, but for numbers: an int, a uint
 * and a double are equal when they are the same number. NaN equals nothing.
 *
 * Bounds: linear in the smaller value, counted as work; as deep as the values, at most `depthMax`.
 */
import { EvaluationCancelled, EvaluationError } from '../evaluation-error.ts';
import { Type } from '../type.ts';
import {
  Double,
  Duration,
  ListValue,
  MapValue,
  ObjectValue,
  OpaqueValue,
  OptionalValue,
  Timestamp,
  Uint,
} from '../value.ts';
import type { Value } from '../value.ts';
import { attempted, attemptedElements, elementsOf, isList, listSize } from './lists.ts';
import type { AnyList, Attempted } from './lists.ts';
import { isMap, mapFind, mapKeys, mapSize } from './maps.ts';
import { spendSteps } from './step-allowance.ts';

const depthMax = 1000;
const workPerNode = 8;
const workPerKey = 128;

/** The number that a value is, comparable with `==` and `<` across number and bigint. */
export function numberOf(value: Value): number | bigint | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  return value instanceof Double || value instanceof Uint ? value.value : undefined;
}

/**
 * Negative, 0 or positive; NaN: no order. With a double the other number is taken as a double too,
 * as the reference does, which can lose its last digits.
 */
export function compareNumbers(
  a: Value,
  left: number | bigint,
  b: Value,
  right: number | bigint,
): number {
  if (a instanceof Double || b instanceof Double) {
    const [x, y] = [Number(left), Number(right)];
    return x < y ? -1 : x > y ? 1 : x === y ? 0 : Number.NaN;
  }
  return left < right ? -1 : left > right ? 1 : 0;
}

export function equals(a: Value, b: Value): boolean {
  // Doubles are boxed, so what is a number here is an int, and no NaN.
  if (typeof a !== 'object' && typeof b !== 'object') return a === b;
  return deepEquals(a, b, 0);
}

/**
 * Whether something equals what may have no value, as its data are not what their schema says: a
 * scalar is not equal to that, and for a list, a map or an object it is an error.
 */
export function equalsAttempted(a: Value, b: Attempted): boolean {
  if (!(b instanceof EvaluationError)) return equals(a, b);
  if (a instanceof ObjectValue || a instanceof ListValue || a instanceof MapValue) throw b;
  return false;
}

/** Parts of data that are not what their schema says equal nothing: that is no error here. */
export function unequal(a: Value, b: Value): boolean {
  try {
    return !equals(a, b);
  } catch (error) {
    if (error instanceof EvaluationError) return true;
    throw error;
  }
}

function deepEquals(a: Value, b: Value, depth: number): boolean {
  if (depth > depthMax) throw new EvaluationCancelled('operation cancelled: values nest too deep');
  spendSteps(workPerNode);
  const left = numberOf(a);
  if (left !== undefined) {
    const right = numberOf(b);
    return right !== undefined && compareNumbers(a, left, b, right) === 0;
  }
  if (typeof a !== 'object' || a === null) return a === b;
  if (typeof b !== 'object' || b === null) return false;
  if (a instanceof ObjectValue) return a.equalTo(b);
  if (b instanceof ObjectValue) return b.equalTo(a);
  if (isList(a)) return isList(b) && listsEqual(a, b, depth);
  if (isMap(a)) return isMap(b) && mapsEqual(a, b, depth);
  return boxedEqual(a, b, depth);
}

function listsEqual(a: AnyList, b: AnyList, depth: number): boolean {
  // The left one decides: a literal asks for its order, also of a set.
  const own = a instanceof ListValue ? a.equalTo(b) : undefined;
  if (own !== undefined) return own;
  if (listSize(a) !== listSize(b)) return false;
  const others = attemptedElements(b)[Symbol.iterator]();
  for (const one of elementsOf(a)) {
    const other = others.next().value as Attempted;
    if (typeof one !== 'object' && typeof other !== 'object') {
      spendSteps(1);
      if (one !== other) return false;
    } else if (other instanceof EvaluationError) {
      return equalsAttempted(one, other);
    } else if (!deepEquals(one, other, depth + 1)) {
      return false;
    }
  }
  return true;
}

type AnyMap = Parameters<typeof mapSize>[0];

function mapsEqual(a: AnyMap, b: AnyMap, depth: number): boolean {
  if (mapSize(a) !== mapSize(b)) return false;
  for (const key of mapKeys(a)) {
    spendSteps(workPerKey);
    const right = attempted(() => mapFind(b, key));
    if (right === undefined) return false;
    const left = mapFind(a, key) as Value;
    if (right instanceof EvaluationError) return equalsAttempted(left, right);
    if (!deepEquals(left, right, depth + 1)) return false;
  }
  return true;
}

function boxedEqual(a: Value, b: Value, depth: number): boolean {
  if (a instanceof OpaqueValue) return a.equalTo(b);
  if (a instanceof Timestamp) {
    return b instanceof Timestamp && a.seconds === b.seconds && a.nanos === b.nanos;
  }
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (a instanceof Type) return b instanceof Type && a.name === b.name;
  if (a instanceof OptionalValue) {
    if (!(b instanceof OptionalValue)) return false;
    if (a.value === undefined || b.value === undefined) return a.value === b.value;
    return deepEquals(a.value, b.value, depth + 1);
  }
  return false;
}
