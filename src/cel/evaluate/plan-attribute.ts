/**
 * Variables, and fields selected from them.
 *
 * In a tree that was not checked, `a.b.c` may be a variable `a.b.c`, a field of `a.b`, or a field
 * of a field of `a`: at run time, the longest name that is a variable wins.
 */
import type { Expr, SelectExpr } from '../ast.ts';
import { candidateNames } from '../check/scope.ts';
import type { Declarations } from '../check/scope.ts';
import type { CostTable } from '../cost.ts';
import { evaluationError } from '../evaluation-error.ts';
import { none, OptionalValue } from '../value.ts';
import type { Value } from '../value.ts';
import { Deferred } from './deferred.ts';
import { hasField, index, indexOptional, selectField, selectOptional } from './access.ts';
import { constantPlan } from './frame.ts';
import type { Frame, Planned } from './frame.ts';

/** What comes from a computed value costs one unit more than what comes from a name. */
function attributeOf(operand: Planned): Pick<Planned, 'run' | 'isAttribute' | 'nameCost'> {
  const { run, isAttribute, nameCost } = operand;
  if (isAttribute === true) return { run, isAttribute, nameCost };
  const counted = (frame: Frame): Value => {
    frame.cost += 1;
    return run(frame);
  };
  return { run: counted, isAttribute: true, nameCost: 1 };
}

export function planVariable(name: string, { select }: CostTable): Planned {
  const run = (frame: Frame): Value => {
    frame.cost += select;
    return frame.variable(name);
  };
  return { run, isAttribute: true, nameCost: select };
}

/** `mayFail`: what is in it may be the error that making it ended with. */
export function planLocal(slot: number, mayFail: boolean, { select }: CostTable): Planned {
  const run = mayFail
    ? (frame: Frame): Value => {
        frame.cost += select;
        const value: unknown = frame.locals[slot];
        if (value instanceof Error) throw value;
        return value instanceof Deferred ? value.read(frame) : (value as Value);
      }
    : (frame: Frame): Value => {
        frame.cost += select;
        return frame.locals[slot] as Value;
      };
  return { run, isAttribute: true, nameCost: select };
}

export function planSelect(
  operand: Planned,
  { field, testOnly }: Pick<SelectExpr, 'field' | 'testOnly'>,
  { select, presenceTest }: CostTable,
): Planned {
  const { run: target, ...attribute } = attributeOf(operand);
  if (testOnly) {
    // The test of a name costs nothing for the name.
    const ofTest = presenceTest - 1;
    const run = (frame: Frame): Value => {
      frame.cost += ofTest;
      const value = target(frame);
      if (value === none) return false;
      frame.cost += select;
      return hasField(value, field);
    };
    return { run };
  }
  const run = (frame: Frame): Value => {
    const value = target(frame);
    if (value instanceof OptionalValue) return chosen(selectField(value, field), frame, select);
    frame.cost += select;
    return selectField(value, field);
  };
  return { run, ...attribute };
}

/** What is optional and not there costs nothing, and so does what would be selected from it. */
function chosen(value: Value, frame: Frame, select: number): Value {
  if (value !== none) frame.cost += select;
  return value;
}

export function planOptionalSelect(operand: Planned, field: string, costs: CostTable): Planned {
  const { run: target, ...attribute } = attributeOf(operand);
  const { select } = costs;
  const run = (frame: Frame): Value => chosen(selectOptional(target(frame), field), frame, select);
  return { run, ...attribute };
}

export function planIndex(
  operand: Planned,
  key: Planned,
  optional: boolean,
  { select }: CostTable,
): Planned {
  const { run: target, ...attribute } = attributeOf(operand);
  const { run: at } = key;
  // A name as the key costs what the name costs, and nothing for the index.
  const freeWhenAbsent = key.nameCost ?? 0;
  const indexCost = select - freeWhenAbsent;
  const ofOptional = (value: Value, frame: Frame): Value => {
    if (value === none) return none;
    frame.cost -= freeWhenAbsent;
    const name = at(frame);
    const found = optional ? indexOptional(value, name) : index(value, name);
    return chosen(found, frame, indexCost + freeWhenAbsent);
  };
  const run = (frame: Frame): Value => {
    const value = target(frame);
    if (optional || value instanceof OptionalValue) return ofOptional(value, frame);
    frame.cost += indexCost;
    return index(value, at(frame));
  };
  return { run, ...attribute };
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
  const fieldOf = (frame: Frame) => (value: Value, field: string) => {
    frame.cost += costs.select;
    return selectField(value, field);
  };
  const run = (frame: Frame): Value => {
    frame.cost += costs.select;
    for (const { name, fields } of possible) {
      const value = frame.find(name) ?? knownConstant(name, declarations);
      if (value !== undefined) return fields.reduce<Value>(fieldOf(frame), value);
    }
    throw evaluationError(`undeclared reference to '${names[0]}' (in container '')`);
  };
  return { run, isAttribute: true, nameCost: costs.select };
}
