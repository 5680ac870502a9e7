/**
 * Names, and what is selected from them.
 *
 * In a tree that was not checked, `a.b.c` may be a variable `a.b.c`, a field of `a.b`, or a field
 * of a field of `a`: the longest name that there is a variable for wins, when it runs.
 */
import type { Expr, SelectExpr } from '../ast.ts';
import { candidateNames } from '../check/scope.ts';
import type { Declarations } from '../check/scope.ts';
import type { CostTable } from '../cost.ts';
import { evaluationError } from '../evaluation-error.ts';
import type { Value } from '../value.ts';
import { hasField, index, indexOptional, selectField, selectOptional } from './access.ts';
import { constantPlan } from './frame.ts';
import type { Frame, Planned } from './frame.ts';

/** What comes from a computed value costs one unit more than what comes from a name. */
const fromComputed = (operand: Planned): number => (operand.isAttribute === true ? 0 : 1);

export function planVariable(name: string, { select }: CostTable): Planned {
  return { run: (frame) => frame.variable(name), cost: select, isAttribute: true };
}

/** `mayFail`: what is in it may be the error that making it ended with. */
export function planLocal(slot: number, mayFail: boolean, { select }: CostTable): Planned {
  const run = mayFail
    ? (frame: Frame): Value => {
        const value: unknown = frame.locals[slot];
        if (value instanceof Error) throw value;
        return value as Value;
      }
    : (frame: Frame): Value => frame.locals[slot] as Value;
  return { run, cost: select, isAttribute: true };
}

export function planSelect(
  operand: Planned,
  { field, testOnly }: Pick<SelectExpr, 'field' | 'testOnly'>,
  { select, presenceTest }: CostTable,
): Planned {
  const { run: target } = operand;
  const cost = operand.cost + select + fromComputed(operand);
  if (testOnly) {
    const run = (frame: Frame): Value => hasField(target(frame), field);
    return { run, cost: cost - 1 + presenceTest };
  }
  return { run: (frame) => selectField(target(frame), field), cost, isAttribute: true };
}

export function planOptionalSelect(operand: Planned, field: string, costs: CostTable): Planned {
  const { run: target } = operand;
  const cost = operand.cost + costs.select + fromComputed(operand);
  return { run: (frame) => selectOptional(target(frame), field), cost, isAttribute: true };
}

export function planIndex(
  operand: Planned,
  key: Planned,
  optional: boolean,
  { select }: CostTable,
): Planned {
  const { run: target } = operand;
  const { run: at } = key;
  const access = optional ? indexOptional : index;
  // A name as the key costs what the name costs, and nothing for the index.
  const indexCost = key.isAttribute === true ? 0 : select;
  return {
    run: (frame) => access(target(frame), at(frame)),
    cost: operand.cost + key.cost + indexCost + fromComputed(operand),
    isAttribute: true,
  };
}

/** `a.b.c` as names, first to last; undefined when it is not made of names only. */
export function namesOf(expr: Expr): string[] | undefined {
  if (expr.kind === 'ident') return [expr.name];
  if (expr.kind !== 'select' || expr.testOnly) return undefined;
  const names = namesOf(expr.operand);
  names?.push(expr.field);
  return names;
}

interface Possible {
  readonly name: string;
  readonly fields: readonly string[];
}

function knownConstant(name: string, declarations: Declarations): Value | undefined {
  const constant = declarations.variables.get(name)?.value ?? declarations.types.get(name);
  if (constant !== undefined) return constant;
  for (const provider of declarations.providers) {
    const found = provider.findType(name) ?? provider.findConstant?.(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Names of a tree that was not checked; the first of them is no local variable. */
export function planUnresolved(
  names: readonly string[],
  declarations: Declarations,
  costs: CostTable,
): Planned {
  const possible: Possible[] = [];
  for (let count = names.length; count > 0; count -= 1) {
    const prefix = names.slice(0, count).join('.');
    for (const name of candidateNames(declarations.container, prefix)) {
      possible.push({ name, fields: names.slice(count) });
    }
  }
  const constant = possible.find(({ name }) => knownConstant(name, declarations) !== undefined);
  if (constant !== undefined && constant.fields.length === 0) {
    const value = knownConstant(constant.name, declarations) as Value;
    if (possible.every(({ name }) => !declarations.variables.has(name))) return constantPlan(value);
  }
  const run = (frame: Frame): Value => {
    for (const { name, fields } of possible) {
      const value = frame.find(name) ?? knownConstant(name, declarations);
      if (value !== undefined) return fields.reduce<Value>(selectField, value);
    }
    throw evaluationError(`undeclared reference to '${names[0]}' (in container '')`);
  };
  return { run, cost: costs.select * names.length, isAttribute: true };
}
