/**
 * The syntax tree, before and after the check.
 *
 * Nodes are plain data. `id` is unique in its tree and is what positions, types and references are
 * kept by; ids count up in the order in which the reference gives them. `position` is an offset in
 * code points of the source. What a macro became is a comprehension; `macroCalls` keeps what the
 * user wrote, by the id of the node that took its place.
 */
import type { Type } from './type.ts';
import type { Value } from './value.ts';

export type Expr =
  | ConstantExpr
  | IdentExpr
  | SelectExpr
  | CallExpr
  | ListExpr
  | MapExpr
  | StructExpr
  | ComprehensionExpr
  /** What is left of something that did not parse. */
  | { readonly kind: 'unspecified'; readonly id: number };

export interface ConstantExpr {
  readonly kind: 'constant';
  readonly id: number;
  /** null, boolean, int, Uint, Double, string or bytes. */
  readonly value: Value;
}

export interface IdentExpr {
  readonly kind: 'ident';
  readonly id: number;
  /** With its leading dot when it had one. */
  readonly name: string;
}

export interface SelectExpr {
  readonly kind: 'select';
  readonly id: number;
  readonly operand: Expr;
  readonly field: string;
  /** From `has(operand.field)`. */
  readonly testOnly: boolean;
}

/** A function, a method (then with a target), or an operator: `_+_`, `_[_]`, `_?._`, `@in`. */
export interface CallExpr {
  readonly kind: 'call';
  readonly id: number;
  readonly target: Expr | undefined;
  readonly function: string;
  readonly args: readonly Expr[];
}

export interface ListExpr {
  readonly kind: 'list';
  readonly id: number;
  readonly elements: readonly Expr[];
  /** Indexes of the elements that were written with `?`. */
  readonly optionalIndices: readonly number[];
}

export interface MapEntry {
  readonly id: number;
  readonly key: Expr;
  readonly value: Expr;
  readonly optional: boolean;
}

export interface MapExpr {
  readonly kind: 'map';
  readonly id: number;
  readonly entries: readonly MapEntry[];
}

export interface StructField {
  readonly id: number;
  readonly name: string;
  readonly value: Expr;
  readonly optional: boolean;
}

export interface StructExpr {
  readonly kind: 'struct';
  readonly id: number;
  readonly typeName: string;
  readonly fields: readonly StructField[];
}

/**
 * accu = init; for (iterVar [, iterVar2]) of range while condition: accu = step; result.
 * With one variable it is the element of a list or the key of a map; with two they are index and
 * element, or key and value.
 */
export interface ComprehensionExpr {
  readonly kind: 'comprehension';
  readonly id: number;
  readonly iterVar: string;
  readonly iterVar2: string | undefined;
  readonly range: Expr;
  readonly accuVar: string;
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

export interface Ast {
  readonly expr: Expr;
  readonly source: string;
  /** Offsets in code points, by node id. */
  readonly positions: ReadonlyMap<number, number>;
  readonly macroCalls: ReadonlyMap<number, Expr>;
}

/** What a name or a call was found to mean. */
export type Reference =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'constant'; readonly name: string; readonly value: Value }
  | { readonly kind: 'function'; readonly overloadIds: readonly string[] };

export interface CheckedAst extends Ast {
  /** By node id. A node without an entry is dyn. */
  readonly types: ReadonlyMap<number, Type>;
  readonly references: ReadonlyMap<number, Reference>;
  readonly type: Type;
}
