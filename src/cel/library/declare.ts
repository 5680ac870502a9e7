/**
 * A short notation in which libraries declare functions: one line for each overload.
 */
import type { OverloadCost } from '../cost.ts';
import type { FunctionDeclaration, Implementation, Overload } from '../declaration.ts';
import type { Type } from '../type.ts';

/** `f(a, b)`. */
export function overload(
  id: string,
  args: readonly Type[],
  result: Type,
  implementation: Implementation,
  cost?: OverloadCost,
): Overload {
  return { id, args, result, member: false, implementation, cost };
}

/** `a.f(b)`: the type of the target first. */
export function method(
  id: string,
  args: readonly Type[],
  result: Type,
  implementation: Implementation,
  cost?: OverloadCost,
): Overload {
  return { id, args, result, member: true, implementation, cost };
}

export function functions(
  rows: Readonly<Record<string, readonly Overload[]>>,
): readonly FunctionDeclaration[] {
  return Object.entries(rows).map(([name, overloads]) => ({ name, overloads }));
}
