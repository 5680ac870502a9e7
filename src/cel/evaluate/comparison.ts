/**
 * Order: of bools, numbers of all types with each other, strings and bytes, times and durations.
 *
 * NaN is in no order with anything: every comparison with it is false.
 */
import { noSuchOverload } from '../evaluation-error.ts';
import { Duration, Timestamp } from '../value.ts';
import type { Value } from '../value.ts';
import { compareNumbers, numberOf } from './equality.ts';
import { compareBytes, compareText } from './text.ts';

/** Negative, 0 or positive; NaN: no order. */
export function compare(a: Value, b: Value): number {
  const order = orderOf(a, b);
  if (order === undefined) throw noSuchOverload();
  return order;
}

/** The same; undefined: values of these types have none. */
export function orderOf(a: Value, b: Value): number | undefined {
  if (typeof a === 'string') {
    if (typeof b === 'string') return compareText(a, b);
  } else if (typeof a === 'boolean') {
    if (typeof b === 'boolean') return Number(a) - Number(b);
  } else {
    const left = numberOf(a);
    const right = left === undefined ? undefined : numberOf(b);
    if (left !== undefined && right !== undefined) {
      return compareNumbers(a, left, b, right);
    }
    const order = compareTimes(a, b);
    if (order !== undefined) return order;
    if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b);
  }
  return undefined;
}

function compareTimes(a: Value, b: Value): number | undefined {
  if (a instanceof Timestamp && b instanceof Timestamp) {
    return a.seconds - b.seconds || a.nanos - b.nanos;
  }
  if (a instanceof Duration && b instanceof Duration) {
    return a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0;
  }
  return undefined;
}
