/**
 * Fast paths for the most frequent operators (`==`, `!=`, order, sums of ints), which skip the
 * table of overloads. Each tests the most frequent types first.
 */
import type { Value } from '../value.ts';
import { addInts, subtractInts } from './arithmetic.ts';
import { orderOf } from './comparison.ts';
import { equals, unequal } from './equality.ts';
import { failedOperand } from './failure.ts';
import { noOperator } from './no-overload.ts';
import type { Planned, Run } from './frame.ts';
import { sizeForCost } from './size.ts';

/** A tenth of the smaller size: what equality costs; 1 for scalars. */
function equalityCost(a: Value, b: Value, perUnit: number): number {
  if (typeof a === 'string' && typeof b === 'string') {
    // Between 1 and 10 units of code there are between 1 and 10 code points.
    const smaller = Math.min(a.length, b.length);
    if (smaller * perUnit <= 1) return smaller === 0 ? 0 : 1;
  }
  return Math.ceil(Math.min(sizeForCost(a), sizeForCost(b)) * perUnit);
}

export function planEquality(
  left: Planned,
  right: Planned,
  negated: boolean,
  perUnit: number,
): Planned {
  const { run: first } = left;
  const { run: second } = right;
  const price = (a: Value, b: Value): number => equalityCost(a, b, perUnit);
  const run: Run = (frame) => {
    let a: Value | undefined;
    let b: Value;
    try {
      a = first(frame);
      b = second(frame);
    } catch (error) {
      return failedOperand(error, a, second, frame, price);
    }
    if (typeof a === 'number' && typeof b === 'number') {
      frame.cost += 1;
      return (a === b) !== negated;
    }
    frame.charge(price(a, b));
    return negated ? unequal(a, b) : equals(a, b);
  };
  return { run };
}

type Order = '_<_' | '_<=_' | '_>_' | '_>=_';

export const isOrder = (name: string): name is Order =>
  name === '_<_' || name === '_<=_' || name === '_>_' || name === '_>=_';

const decisions: Readonly<Record<Order, (order: number) => boolean>> = {
  '_<_': (order) => order < 0,
  '_<=_': (order) => order <= 0,
  '_>_': (order) => order > 0,
  '_>=_': (order) => order >= 0,
};

const numberOrders: Readonly<Record<Order, (a: Run, b: Run, other: Other) => Run>> = {
  '_<_': (first, second, other) => (frame) => {
    frame.cost += 1;
    let a: Value | undefined;
    let b: Value;
    try {
      a = first(frame);
      b = second(frame);
    } catch (error) {
      return failedOperand(error, a, second, frame);
    }
    return typeof a === 'number' && typeof b === 'number' ? a < b : other(a, b);
  },
  '_<=_': (first, second, other) => (frame) => {
    frame.cost += 1;
    let a: Value | undefined;
    let b: Value;
    try {
      a = first(frame);
      b = second(frame);
    } catch (error) {
      return failedOperand(error, a, second, frame);
    }
    return typeof a === 'number' && typeof b === 'number' ? a <= b : other(a, b);
  },
  '_>_': (first, second, other) => (frame) => {
    frame.cost += 1;
    let a: Value | undefined;
    let b: Value;
    try {
      a = first(frame);
      b = second(frame);
    } catch (error) {
      return failedOperand(error, a, second, frame);
    }
    return typeof a === 'number' && typeof b === 'number' ? a > b : other(a, b);
  },
  '_>=_': (first, second, other) => (frame) => {
    frame.cost += 1;
    let a: Value | undefined;
    let b: Value;
    try {
      a = first(frame);
      b = second(frame);
    } catch (error) {
      return failedOperand(error, a, second, frame);
    }
    return typeof a === 'number' && typeof b === 'number' ? a >= b : other(a, b);
  },
};

type Other = (a: Value, b: Value) => boolean;

function ordered(name: Order, a: Value, b: Value): number {
  const order = orderOf(a, b);
  if (order === undefined) throw noOperator(name, a);
  return order;
}

/** Of operands that have no size: it costs 1. */
export function planScalarOrder(name: Order, left: Planned, right: Planned): Planned {
  const decide = decisions[name];
  const run = numberOrders[name](left.run, right.run, (a, b) => decide(ordered(name, a, b)));
  return { run };
}

/** Of strings or bytes. */
export function planSizedOrder(
  name: Order,
  left: Planned,
  right: Planned,
  perUnit: number,
): Planned {
  const { run: first } = left;
  const { run: second } = right;
  const decide = decisions[name];
  const price = (a: Value, b: Value): number => equalityCost(a, b, perUnit);
  const run: Run = (frame) => {
    let a: Value | undefined;
    let b: Value;
    try {
      a = first(frame);
      b = second(frame);
    } catch (error) {
      return failedOperand(error, a, second, frame, price);
    }
    frame.charge(price(a, b));
    return decide(ordered(name, a, b));
  };
  return { run };
}

/** `+` or `-` of ints. */
export function planIntSum(name: '_+_' | '_-_', left: Planned, right: Planned): Planned {
  const { run: first } = left;
  const { run: second } = right;
  const sum = name === '_+_' ? addInts : subtractInts;
  const run: Run = (frame) => {
    frame.cost += 1;
    let a: Value | undefined;
    let b: Value;
    try {
      a = first(frame);
      b = second(frame);
    } catch (error) {
      return failedOperand(error, a, second, frame);
    }
    return sum(a as number | bigint, b as number | bigint);
  };
  return { run };
}
