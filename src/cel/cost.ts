/**
 * What the language costs: the shapes of prices and estimates, and their arithmetic.
 *
 * A unit is about one simple operation. There are two figures for one expression: the estimate
 * (before any data is seen, least and most) and the run-time cost (what an evaluation used). The
 * run-time cost of an evaluation lies within the estimate when the data keep to the sizes that the
 * estimate assumed.
 *
 * Invariants: figures are whole, not negative, and stop growing at `costMax`.
 */
import type { Expr } from './ast.ts';
import type { Type } from './type.ts';
import type { Value } from './value.ts';

/** Unsigned 64-bit arithmetic of the reference saturates here (numbers are exact to 2^53). */
export const costMax = 2 ** 64;

export interface Range {
  readonly min: number;
  readonly max: number;
}

/** Characters of a string, bytes, elements of a list, entries of a map; 1 for a scalar. */
export type SizeEstimate = Range;
export type CostEstimate = Range;

export const unknownSize: SizeEstimate = { min: 0, max: costMax };

const saturate = (figure: number): number => (figure >= costMax ? costMax : figure);

export const fixed = (figure: number): Range => ({ min: figure, max: figure });

export const addRanges = (a: Range, b: Range): Range => ({
  min: saturate(a.min + b.min),
  max: saturate(a.max + b.max),
});

const product = (a: number, b: number): number => (a === 0 || b === 0 ? 0 : saturate(a * b));

export const multiplyRanges = (a: Range, b: Range): Range => ({
  min: product(a.min, b.min),
  max: product(a.max, b.max),
});

/** By a factor such as 0.1, rounded up. */
export const scaleRange = (range: Range, factor: number): Range => ({
  min: saturate(Math.ceil(range.min * factor)),
  max: saturate(Math.ceil(range.max * factor)),
});

/** The smallest range that has both in it. */
export const unionRanges = (a: Range, b: Range): Range => ({
  min: Math.min(a.min, b.min),
  max: Math.max(a.max, b.max),
});

/** A node as estimates see it. */
export interface SizedNode {
  readonly expr: Expr;
  readonly type: Type;
  /**
   * How declared data reach it: a variable, then field names, `@items`, `@keys`, `@values` or
   * `@indices`. Undefined: it does not come from data.
   */
  readonly path: readonly string[] | undefined;
  /** Known from the expression itself: literals, sums of known sizes. */
  readonly computedSize: SizeEstimate | undefined;
}

/** What is known of the data, for example from a schema. Undefined: nothing. */
export type SizeHints = (node: SizedNode) => SizeEstimate | undefined;

export interface CallEstimate {
  /** Of the call alone, without its arguments. */
  readonly cost: CostEstimate;
  readonly resultSize?: SizeEstimate | undefined;
}

export interface EstimateContext {
  /** What the expression, the hints or the type say; else anything from 0 to `costMax`. */
  sizeOf(node: SizedNode): SizeEstimate;
  /** The hints alone, for nodes that an overload makes up (elements of a list: path + `@items`). */
  hintFor(node: SizedNode): SizeEstimate | undefined;
}

/**
 * The price of one overload. What is left out costs 1.
 *
 * `before` is asked with the arguments (the target first) before the call, so that a budget ends
 * before the work is done. It gives a whole number for arguments of any type: a call that fails for
 * its types costs as much, and null stands for a last argument that failed itself.
 */
export interface OverloadCost {
  readonly before?: ((args: readonly Value[]) => number) | undefined;
  /** Undefined: 1. */
  readonly estimate?:
    | ((
        context: EstimateContext,
        target: SizedNode | undefined,
        args: readonly SizedNode[],
      ) => CallEstimate | undefined)
    | undefined;
}

/** All prices of a language, as data. */
export interface CostTable {
  readonly listLiteral: number;
  readonly mapLiteral: number;
  readonly structLiteral: number;
  /** An identifier, a field selection or an index by a constant. */
  readonly select: number;
  /** `has(x.y)` and the like, on top of its operand. */
  readonly presenceTest: number;
  /** Per character, of a walk over a string. */
  readonly stringTraversal: number;
  /** By overload id. Goes before the price that a library gives with its overload. */
  readonly overloads: Readonly<Record<string, OverloadCost>>;
}
