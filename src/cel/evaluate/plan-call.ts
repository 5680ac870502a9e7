/**
 * Calls of functions: one overload when the check left one, else the first whose argument types
 * the values have.
 *
 * Bounds: what the arguments decide of the price is charged before the call.
 */
import type { CostTable, OverloadCost } from '../cost.ts';
import type { Overload } from '../declaration.ts';
import { evaluationError } from '../evaluation-error.ts';
import { isDynamic } from '../type.ts';
import type { Type } from '../type.ts';
import type { Value } from '../value.ts';
import type { Frame, Planned, Run } from './frame.ts';
import { hasType, typeOf } from './run-time-type.ts';

export interface CallParts {
  readonly name: string;
  /** The target of a method first. */
  readonly operands: readonly Planned[];
  /** What the check found; undefined where nothing was checked. */
  readonly operandTypes: readonly (Type | undefined)[];
  readonly overloads: readonly Overload[];
  /** Which of them the check left: one of them then has its own price, else all cost 1. */
  readonly isResolved: boolean;
}

const isOperator = (name: string): boolean => /^[@_!-]/.test(name);

function noOverload(name: string, args: readonly Value[]): Error {
  if (isOperator(name)) return evaluationError('no such overload');
  const types = args.map((arg) => typeOf(arg).name).join(', ');
  return evaluationError(`no such overload: ${name}(${types})`);
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

function chargeBefore(frame: Frame, cost: OverloadCost, args: readonly Value[]): void {
  if (cost.before !== undefined) frame.charge(cost.before(args));
}

export function planCall(parts: CallParts, costs: CostTable): Planned {
  const { name, operands, overloads } = parts;
  const cost = operands.reduce((sum, operand) => sum + operand.cost, 0);
  if (overloads.length === 1) {
    const overload = overloads[0] as Overload;
    const guards = guardsOf(overload, parts.operandTypes);
    const price = costs.overloads[overload.id] ?? overload.cost;
    if (price === undefined || (price.before === undefined && price.after === undefined)) {
      return { run: planPlain(name, operands, overload, guards), cost: cost + 1 };
    }
    return { run: planPriced(name, operands, overload, guards, price), cost };
  }
  return { run: planDispatch(parts, costs), cost };
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
      const a = first(frame);
      if (guards.length > 0 && !accepts(overload, guards, [a])) throw noOverload(name, [a]);
      return implementation(a);
    };
  }
  if (first !== undefined && second !== undefined && operands.length === 2) {
    return (frame) => {
      const a = first(frame);
      const b = second(frame);
      if (guards.length > 0 && !accepts(overload, guards, [a, b])) throw noOverload(name, [a, b]);
      return implementation(a, b);
    };
  }
  return (frame) => {
    const args = operands.map(({ run }) => run(frame));
    if (!accepts(overload, guards, args)) throw noOverload(name, args);
    return implementation(...args);
  };
}

/** The values of the operands, in their order. Most calls have one or two. */
function argumentsPlan(operands: readonly Planned[]): (frame: Frame) => Value[] {
  const [first, second] = operands.map(({ run }) => run);
  if (first !== undefined && operands.length === 1) return (frame) => [first(frame)];
  if (first !== undefined && second !== undefined && operands.length === 2) {
    return (frame) => [first(frame), second(frame)];
  }
  return (frame) => operands.map(({ run }) => run(frame));
}

function planPriced(
  name: string,
  operands: readonly Planned[],
  overload: Overload,
  guards: readonly number[],
  price: OverloadCost,
): Run {
  const { implementation } = overload;
  const { after } = price;
  const argumentsOf = argumentsPlan(operands);
  return (frame) => {
    const args = argumentsOf(frame);
    if (guards.length > 0 && !accepts(overload, guards, args)) throw noOverload(name, args);
    chargeBefore(frame, price, args);
    const result = implementation(...args);
    if (after !== undefined) frame.charge(after(args, result));
    return result;
  };
}

function planDispatch(parts: CallParts, costs: CostTable): Run {
  const { name, operands, overloads, operandTypes } = parts;
  const candidates = overloads.map((overload) => ({
    overload,
    guards: guardsOf(overload, operandTypes),
    // Operators whose types are only known now cost 1 in the reference, whatever their size.
    price: isOperator(name) ? {} : (costs.overloads[overload.id] ?? overload.cost ?? {}),
  }));
  const argumentsOf = argumentsPlan(operands);
  return (frame) => {
    const args = argumentsOf(frame);
    for (const { overload, guards, price } of candidates) {
      if (!accepts(overload, guards, args)) continue;
      if (price.before === undefined && price.after === undefined) frame.charge(1);
      else chargeBefore(frame, price, args);
      const result = overload.implementation(...args);
      if (price.after !== undefined) frame.charge(price.after(args, result));
      return result;
    }
    throw noOverload(name, args);
  };
}
