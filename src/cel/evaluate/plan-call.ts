/**
 * Calls of functions: the overload that the check chose, or, if several remain, the first
 * whose parameter types fit the values.
 *
 * Bounds: the part of the cost that depends on the arguments is charged before the call.
 */
import { conversions } from '../check/literal-patterns.ts';
import type { CostTable } from '../cost.ts';
import type { Overload } from '../declaration.ts';
import { noSuchOverload } from '../evaluation-error.ts';
import { isDynamic } from '../type.ts';
import type { Type } from '../type.ts';
import type { Value } from '../value.ts';
import type { Frame, Planned, Run } from './frame.ts';
import { failedOperand, isFailure } from './failure.ts';
import { isOperator, noOverload } from './no-overload.ts';
import { hasType } from './run-time-type.ts';

export interface CallParts {
  readonly name: string;
  /** The target of a method first. */
  readonly operands: readonly Planned[];
  /** What the check found; undefined where nothing was checked. */
  readonly operandTypes: readonly (Type | undefined)[];
  /** Those that the check left. */
  readonly overloads: readonly Overload[];
}

/** Positions whose values must be looked at, because the check did not see their types. */
function guardsOf(overload: Overload, types: readonly (Type | undefined)[]): number[] {
  return overload.args.flatMap((expected, i) => {
    if (expected.kind === 'dyn' || expected.kind === 'parameter') return [];
    const type = types[i];
    return type === undefined || isDynamic(type) || type.kind !== expected.kind ? [i] : [];
  });
}

const accepts = (overload: Overload, guards: readonly number[], args: readonly Value[]): boolean =>
  guards.every((i) => hasType(args[i] as Value, overload.args[i] as Type));

type PriceOf = (args: readonly Value[]) => number;

/** What most calls cost. */
const inTheMain: PriceOf = () => 1;

/** Of arguments that the function has no overload for. Some prices look into what they price. */
function priceOfFailed(price: PriceOf, args: readonly Value[]): number {
  try {
    return price(args);
  } catch (error) {
    if (isFailure(error)) return inTheMain(args);
    throw error;
  }
}

/** Functions whose constant patterns the reference prepares, and then treats as calls of many. */
const ofPatterns: ReadonlySet<string> = new Set(['matches', 'find', 'findAll']);

const isPrepared = (name: string, operands: readonly Planned[]): boolean =>
  ofPatterns.has(name) && operands[1]?.constant !== undefined;

/** Whether an operand is evaluated when the one before it has failed. */
export const evaluatesAll = (
  name: string,
  operands: readonly Planned[],
  overloads: number,
): boolean =>
  operands.length === 2 && (overloads === 1 || isOperator(name)) && !isPrepared(name, operands);

/** Undefined: what most cost. */
const priceOf = (costs: CostTable, overload: Overload): PriceOf | undefined =>
  (costs.overloads[overload.id] ?? overload.cost)?.before;

export function planCall(parts: CallParts, costs: CostTable): Planned {
  const { name, operands, overloads } = parts;
  if (overloads.length === 1) {
    const overload = overloads[0] as Overload;
    const guards = guardsOf(overload, parts.operandTypes);
    const price = priceOf(costs, overload);
    if (price === undefined && !isPrepared(name, operands)) {
      return { run: planPlain(name, operands, overload, guards) };
    }
    return { run: planPriced(name, operands, overload, guards, price ?? inTheMain) };
  }
  return { run: planDispatch(parts, costs) };
}

function planPlain(
  name: string,
  operands: readonly Planned[],
  overload: Overload,
  guards: readonly number[],
): Run {
  const { implementation } = overload;
  const [first, second] = operands.map(({ run }) => run);
  if (first !== undefined && operands.length === 1) {
    return (frame) => {
      frame.cost += 1;
      const a = first(frame);
      if (guards.length > 0 && !accepts(overload, guards, [a])) throw noOverload(name, [a]);
      return implementation(a);
    };
  }
  if (first !== undefined && second !== undefined && operands.length === 2) {
    return (frame) => {
      frame.cost += 1;
      let a: Value | undefined;
      let b: Value;
      try {
        a = first(frame);
        b = second(frame);
      } catch (error) {
        return failedOperand(error, a, second, frame);
      }
      if (guards.length > 0 && !accepts(overload, guards, [a, b])) throw noOverload(name, [a, b]);
      return implementation(a, b);
    };
  }
  const runs = operands.map(({ run }) => run);
  const last = runs.length - 1;
  return (frame) => {
    if (last < 0) frame.cost += 1;
    const args = runs.map((run, at) => {
      if (at === last) frame.cost += 1;
      return run(frame);
    });
    if (!accepts(overload, guards, args)) throw noOverload(name, args);
    return implementation(...args);
  };
}

/**
 * The values of the operands, in their order. Most calls have one or two. With `all`, both of two
 * are evaluated and paid for; else none after one that fails, and a call is paid for only where its
 * last one is evaluated, with a scalar in the place of an error.
 */
function argumentsPlan(
  operands: readonly Planned[],
  all: boolean,
  priceOf: PriceOf,
): (frame: Frame) => Value[] {
  const runs = operands.map(({ run }) => run);
  const [first] = runs;
  const last = runs[runs.length - 1];
  if (first === undefined || last === undefined) return () => [];
  const lastOf = (frame: Frame, before: readonly Value[]): Value => {
    try {
      return last(frame);
    } catch (error) {
      if (isFailure(error)) frame.charge(priceOfFailed(priceOf, [...before, null]));
      throw error;
    }
  };
  if (runs.length === 1) {
    return (frame) => {
      try {
        return [first(frame)];
      } catch (error) {
        if (isFailure(error)) frame.charge(priceOfFailed(priceOf, [null]));
        throw error;
      }
    };
  }
  if (all && runs.length === 2) {
    const priceOfBoth = (a: Value, b: Value): number => priceOfFailed(priceOf, [a, b]);
    return (frame) => {
      let a: Value | undefined;
      try {
        a = first(frame);
        return [a, last(frame)];
      } catch (error) {
        return failedOperand(error, a, last, frame, priceOfBoth);
      }
    };
  }
  const others = runs.slice(0, -1);
  return (frame) => {
    const args = others.map((run) => run(frame));
    args.push(lastOf(frame, args));
    return args;
  };
}

function planPriced(
  name: string,
  operands: readonly Planned[],
  overload: Overload,
  guards: readonly number[],
  priceOf: PriceOf,
): Run {
  const { implementation } = overload;
  const isPattern = isPrepared(name, operands);
  const all = evaluatesAll(name, operands, 1);
  const argumentsOf = argumentsPlan(operands, all, priceOf);
  const isPair = operands.length === 2;
  return (frame) => {
    const args = argumentsOf(frame);
    if (guards.length > 0 && !accepts(overload, guards, args)) {
      frame.charge(priceOfFailed(priceOf, args));
      throw isPattern ? noSuchOverload() : noOverload(name, args);
    }
    frame.charge(priceOf(args));
    // Most are pairs, and to spread them takes as long as the call.
    if (isPair) return implementation(args[0] as Value, args[1] as Value);
    return implementation(...args);
  };
}

function planDispatch(parts: CallParts, costs: CostTable): Run {
  const { name, operands, overloads, operandTypes } = parts;
  // Operators and conversions of types that are only known now cost 1, whatever their size.
  const isStandard = isOperator(name) || conversions.has(name);
  const candidates = overloads.map((overload) => ({
    overload,
    guards: guardsOf(overload, operandTypes),
    priceOf: (!isStandard && priceOf(costs, overload)) || inTheMain,
  }));
  const all = evaluatesAll(name, operands, overloads.length);
  const argumentsOf = argumentsPlan(operands, all, inTheMain);
  return (frame) => {
    const args = argumentsOf(frame);
    for (const { overload, guards, priceOf } of candidates) {
      if (!accepts(overload, guards, args)) continue;
      if (priceOf === inTheMain) frame.cost += 1;
      else frame.charge(priceOf(args));
      return overload.implementation(...args);
    }
    frame.charge(inTheMain(args));
    throw noOverload(name, args);
  };
}
