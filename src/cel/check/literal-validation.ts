/**
 * Checks that go beyond types and need no data: invalid literal durations, timestamps and patterns,
 * list and map literals with elements of different types, and comprehensions that are nested too
 * deeply.
 */
import type { CheckedAst, Expr, ListExpr, MapExpr } from '../ast.ts';
import type { EnvironmentOptions } from '../cel.ts';
import { lookup } from '../../stdx/lookup.ts';
import { toDuration, toTimestamp } from '../library/conversions.ts';
import { compilePattern } from '../library/regular-expression.ts';
import type { Issues } from '../syntax/issues.ts';
import { locationOf } from '../syntax/source.ts';
import { dynType, isOptional, sameType } from '../type.ts';
import type { Type } from '../type.ts';
import type { Value } from '../value.ts';
import { childrenOf } from './children.ts';

/** What a literal argument must be; the pattern is the first argument of both forms. */
const arguments_: Readonly<Record<string, (value: Value) => unknown>> = lookup({
  duration: (value: Value) => (typeof value === 'string' ? toDuration(value) : value),
  timestamp: (value: Value) => toTimestamp(value),
  matches: (value: Value) => (typeof value === 'string' ? compilePattern(value) : value),
});

export function validateLiterals(
  ast: CheckedAst,
  issues: Issues,
  options: EnvironmentOptions,
): void {
  const report = (id: number, message: string): void => {
    issues.add(locationOf(issues.source, ast.positions.get(id) ?? 0), message);
  };
  const typeOf = (expr: Expr): Type => ast.types.get(expr.id) ?? dynType;
  const visit = (expr: Expr, isFormatted: boolean, loops: number): void => {
    let inner = loops;
    if (expr.kind === 'call' && options.validateLiterals === true) checkArgument(expr, report);
    if (options.homogeneousLiterals === true && !isFormatted) {
      if (expr.kind === 'list') checkList(expr, typeOf, report);
      if (expr.kind === 'map') checkMap(expr, typeOf, report);
    }
    if (expr.kind === 'comprehension' && !isEmptyList(expr.range)) {
      inner += 1;
      const { comprehensionNestingMax: max } = options;
      if (max !== undefined && inner > max) {
        report(expr.id, `comprehension exceeds nesting limit`);
      }
    }
    const formats = isFormatted || (expr.kind === 'call' && expr.function === 'format');
    for (const child of childrenOf(expr)) visit(child, formats, inner);
  };
  visit(ast.expr, false, 0);
}

const isEmptyList = (expr: Expr): boolean => expr.kind === 'list' && expr.elements.length === 0;

type Report = (id: number, message: string) => void;

function checkArgument(expr: Expr & { readonly kind: 'call' }, report: Report): void {
  const check = arguments_[expr.function];
  const arg = expr.args[0];
  if (check === undefined || arg?.kind !== 'constant') return;
  try {
    check(arg.value);
  } catch {
    report(arg.id, `invalid ${expr.function} argument`);
  }
}

const mismatch = (expected: Type, actual: Type): string =>
  `expected type '${expected.text}' but found '${actual.text}'`;

const withoutOptional = (type: Type): Type =>
  isOptional(type) ? (type.parameters[0] as Type) : type;

function checkList(expr: ListExpr, typeOf: (expr: Expr) => Type, report: Report): void {
  let first: Type | undefined;
  for (const [i, element] of expr.elements.entries()) {
    const whole = typeOf(element);
    const type = expr.optionalIndices.includes(i) ? withoutOptional(whole) : whole;
    first ??= type;
    if (!sameType(first, type)) return report(element.id, mismatch(first, type));
  }
}

function checkMap(expr: MapExpr, typeOf: (expr: Expr) => Type, report: Report): void {
  let keyType: Type | undefined;
  let valueType: Type | undefined;
  for (const { key, value, optional } of expr.entries) {
    const type = optional ? withoutOptional(typeOf(value)) : typeOf(value);
    keyType ??= typeOf(key);
    valueType ??= type;
    if (!sameType(keyType, typeOf(key))) report(key.id, mismatch(keyType, typeOf(key)));
    if (!sameType(valueType, type)) report(value.id, mismatch(valueType, type));
  }
}
