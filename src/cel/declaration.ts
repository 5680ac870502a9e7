/**
 * What an environment is made of: functions with their overloads, macros, variables, types, and
 * libraries that bundle them.
 *
 * An overload is found by the types of its arguments, at the check when they are known and at run
 * time when they are not. Releases are numbers that grow; what came in a release that the
 * environment does not have yet is not there for new expressions (see Environment).
 */
import type { Expr } from './ast.ts';
import type { OverloadCost } from './cost.ts';
import type { Type } from './type.ts';
import type { Value } from './value.ts';

/**
 * Called with the arguments one by one, the target of a method first. They have the declared
 * types; `dyn` and type parameters may be anything. It is pure, throws evaluationError, and its
 * work is bounded by its price.
 */
export type Implementation = (...args: Value[]) => Value;

export interface Overload {
  /** Unique in an environment, `string_index_of_int` for example: prices are kept by it. */
  readonly id: string;
  /** The target of a method first. */
  readonly args: readonly Type[];
  readonly result: Type;
  /** `a.f(b)` rather than `f(a, b)`. */
  readonly member: boolean;
  readonly implementation: Implementation;
  readonly cost?: OverloadCost | undefined;
  /** The release that it came in; undefined: always there. */
  readonly since?: number | undefined;
}

export interface FunctionDeclaration {
  /** `size`, `math.greatest`, `_+_`. */
  readonly name: string;
  readonly overloads: readonly Overload[];
}

export interface VariableDeclaration {
  readonly name: string;
  readonly type: Type;
  /** With a value it is a constant. */
  readonly value?: Value | undefined;
}

/** What a macro can do: make nodes (with new ids, at the place of the call), and refuse. */
export interface MacroContext {
  readonly accumulator: string;
  constant(value: Value): Expr;
  ident(name: string): Expr;
  select(operand: Expr, field: string): Expr;
  presenceTest(operand: Expr, field: string): Expr;
  call(name: string, ...args: readonly Expr[]): Expr;
  memberCall(name: string, target: Expr, ...args: readonly Expr[]): Expr;
  list(...elements: readonly Expr[]): Expr;
  map(...entries: readonly (readonly [key: Expr, value: Expr])[]): Expr;
  comprehension(parts: ComprehensionParts): Expr;
  /** A copy with new ids: an argument that is used twice is copied once. */
  copy(expr: Expr): Expr;
  /** Reports an error at this node; the macro returns undefined after it. */
  fail(at: Expr, message: string): undefined;
}

export interface ComprehensionParts {
  readonly iterVar: string;
  readonly iterVar2?: string | undefined;
  readonly range: Expr;
  readonly accuVar: string;
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

export interface Macro {
  readonly name: string;
  /** Arguments without the target; undefined: any number. */
  readonly argumentCount: number | undefined;
  readonly member: boolean;
  /** Undefined without a fail(): no macro here, leave the call as it is. */
  readonly expand: (
    context: MacroContext,
    target: Expr | undefined,
    args: readonly Expr[],
  ) => Expr | undefined;
  readonly since?: number | undefined;
}

/** What has fields, and what can be made with `Name{field: value}`. */
export interface TypeProvider {
  /** The type of this full name; undefined: there is none. */
  findType(name: string): Type | undefined;
  /** The type of a field; undefined: there is no such field. */
  findField(type: Type, field: string): Type | undefined;
  /** A named constant, for example of an enumeration. */
  findConstant?(name: string): Value | undefined;
  /** Fields are checked: they exist and have their types, unless their values were dynamic. */
  create(type: Type, fields: ReadonlyMap<string, Value>): Value;
}

export interface Library {
  readonly name: string;
  readonly functions?: readonly FunctionDeclaration[] | undefined;
  readonly macros?: readonly Macro[] | undefined;
  readonly variables?: readonly VariableDeclaration[] | undefined;
  /** Names of its types, as `ip` or `net.IP`: they stand for the type in expressions. */
  readonly types?: readonly Type[] | undefined;
}
