/**
 * Expressions: the language that users write policies, validation rules and match conditions in
 * (CEL). Serves spec 2.2 and 9.2 of access control. This folder knows nothing of HTTP, storage
 * or kinds.
 *
 * How such a language is built, in the order to read it:
 *
 *   text --parse--> tree --check--> typed tree --plan--> program --evaluate--> value and cost
 *                                        \--estimate--> least and most that it can cost
 *
 *   value.ts, type.ts   the values and types of the language; JSON data is not copied
 *   ast.ts              the tree
 *   declaration.ts      functions, macros, variables, types: what an environment is made of
 *   cost.ts             prices and estimates, the two tables of figures in cost-tables.ts
 *   syntax/             text to tree: tokens, recursive descent, macros; and back to text
 *   check/              names are resolved, overloads chosen, types inferred
 *   large-parts.ts      checks and estimates a large tree in short steps
 *   evaluate/           a tree becomes closures, chosen by the types that the check found
 *   estimate/           the worst case, from the sizes that are known of the data
 *   library/            the functions
 *   environment.ts      puts all of this together; callers outside this folder start here
 *
 * Invariants: the same text in the same environment gives the same tree, the same errors and, on
 * the same data, the same value and cost. A checked expression can fail at run time because
 * of a value (a missing key, an overflow), but not because of a type, unless it uses dyn.
 *
 * Bounds: length, depth and nodes of an expression (ExpressionLimits); every evaluation has a
 * budget, and work is charged before it is done.
 */
import type { Ast, CheckedAst } from './ast.ts';
import type { CostEstimate, CostTable, SizeHints } from './cost.ts';
import type { Library, TypeProvider, VariableDeclaration } from './declaration.ts';
import type { Value } from './value.ts';

export interface ExpressionLimits {
  /** Code points. */
  readonly sizeMax: number;
  /** Nesting of the text. */
  readonly recursionMax: number;
  /** Tokens that are skipped to get back into step after a mistake, and how often. */
  readonly recoveryTokensMax: number;
  readonly recoveriesMax: number;
  readonly errorsMax: number;
  /** Nodes of the tree, with what macros make. */
  readonly nodesMax: number;
}

export interface EnvironmentOptions {
  /** The standard library is always there. */
  readonly libraries?: readonly Library[] | undefined;
  readonly variables?: readonly VariableDeclaration[] | undefined;
  /** Types with fields. The first that knows a name answers. */
  readonly providers?: readonly TypeProvider[] | undefined;
  /** The namespace that names are looked up in first, `a.b` for example. */
  readonly container?: string | undefined;
  /**
   * What came in a later release is unknown to this environment. Undefined: everything is there,
   * which is what expressions that are stored already are compiled with.
   */
  readonly release?: number | undefined;
  readonly costs: CostTable;
  readonly limits?: Partial<ExpressionLimits> | undefined;
  /** What stands for the expression in messages; `<input>` when left out. */
  readonly sourceName?: string | undefined;
  /** `?` in fields, indexes and literals, and `optional.of`. */
  readonly optionals?: boolean | undefined;
  /** `` a.`b-c` ``. */
  readonly escapedIdentifiers?: boolean | undefined;
  /** Elements of a literal have one type. */
  readonly homogeneousLiterals?: boolean | undefined;
  /** Comparisons between int, uint and double type check. */
  readonly crossTypeComparisons?: boolean | undefined;
  /** Literal durations, timestamps and patterns are checked when an expression is compiled. */
  readonly validateLiterals?: boolean | undefined;
  /** Comprehensions inside each other; undefined: no limit but the budget. */
  readonly comprehensionNestingMax?: number | undefined;
}

/** A mistake in an expression. `line` counts from 1, `column` from 0, both in code points. */
export interface Issue {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

export type Parsed =
  | { readonly ast: Ast; readonly issues?: undefined; readonly text?: undefined }
  /** `text` is all of them as users see them, with the source line and a caret. */
  | { readonly ast?: undefined; readonly issues: readonly Issue[]; readonly text: string };

export type Compiled =
  | { readonly ast: CheckedAst; readonly issues?: undefined; readonly text?: undefined }
  | { readonly ast?: undefined; readonly issues: readonly Issue[]; readonly text: string };

/**
 * Values by the names of variables. A function is called once, when its variable is first needed.
 * Undefined: `no such attribute(s): name`.
 */
export type Bindings = Readonly<Record<string, Value | (() => Value | undefined) | undefined>>;

export interface EvaluateOptions {
  /** In units; undefined: 10,000,000. */
  readonly budget?: number | undefined;
  /** Variables whose values are not known: what needs them has no value, and is no error. */
  readonly unknown?: ReadonlySet<string> | undefined;
}

export type Outcome =
  | { readonly kind: 'value'; readonly value: Value; readonly cost: number }
  | { readonly kind: 'error'; readonly message: string; readonly cost: number }
  /** The budget is used up. `cost` is what was charged, which is above it. */
  | { readonly kind: 'budget-exceeded'; readonly message: string; readonly cost: number }
  | { readonly kind: 'unknown'; readonly variables: readonly string[]; readonly cost: number };

export interface ProgramOptions {
  /**
   * Literals of constants and conversions of constants are made once, and then cost nothing, as
   * the reference's servers do. True when left out.
   */
  readonly foldConstants?: boolean | undefined;
}

export interface Program {
  /** There is no loop in it: `evaluate` is one part. */
  readonly isShort: boolean;
  /** Whole, in one turn: for what is known to be small, and for what nobody waits beside. */
  evaluate(bindings: Bindings, options?: EvaluateOptions): Outcome;
  /** The same in parts: see evaluateInTurns (expression.ts). */
  begin(bindings: Bindings, options?: EvaluateOptions): Evaluation;
}

/** An evaluation under way. Others may be evaluated between its parts. */
export interface Evaluation {
  /**
   * Does one part, which is short whatever the expression. Undefined: there is more to do. Most
   * expressions end with their first part. What it comes to, and costs, is what `evaluate` gives.
   */
  next(): Outcome | undefined;
}

export interface Environment {
  parse(text: string): Parsed;
  check(ast: Ast): Compiled;
  /** Parse and check. */
  compile(text: string): Compiled;
  /** The same, yielding where others may have a turn. */
  compileSteps(text: string): Generator<undefined, Compiled, undefined>;
  /** Of a tree that was not checked: all decisions on types are made at run time. */
  program(ast: Ast | CheckedAst, options?: ProgramOptions): Program;
  programInParts(ast: CheckedAst): Generator<undefined, Program, undefined>;
  /** Why it fails each time, whatever the data: a pattern or a conversion of a constant that is
   * none. The reference makes no program of it. Undefined: nothing of the kind. */
  instantiationProblemInParts(ast: CheckedAst): Generator<undefined, string | undefined, undefined>;
  estimate(ast: CheckedAst, hints?: SizeHints): CostEstimate;
  /** This environment and more. */
  extend(
    options: Pick<EnvironmentOptions, 'libraries' | 'variables' | 'providers' | 'container'>,
  ): Environment;
}
