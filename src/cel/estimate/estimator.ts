/**
 * What an expression can cost, least and most, before there is data.
 *
 * Two things are followed through the tree: how data reach a node (its path, so that a schema can
 * say how large it gets), and sizes that the expression itself decides (literals, sums of known
 * sizes, what a comprehension makes). Where nothing is known, any size is assumed.
 *
 * The estimates equal the reference's. A change here needs a matching change in the planner,
 * because the run-time cost must stay within the estimate.
 */
import type { CallExpr, CheckedAst, ComprehensionExpr, Expr, ListExpr, MapExpr } from '../ast.ts';
import { addRanges, costMax, fixed, multiplyRanges, unionRanges, unknownSize } from '../cost.ts';
import type {
  CallEstimate,
  CostEstimate,
  CostTable,
  EstimateContext,
  OverloadCost,
  Range,
  SizedNode,
  SizeEstimate,
  SizeHints,
} from '../cost.ts';
import { dynType } from '../type.ts';
import type { Type } from '../type.ts';
import { codePointCount } from '../evaluate/text.ts';

/** Of what is in a list or map. */
interface EntrySize {
  readonly kind: 'list' | 'map';
  readonly key: SizeEstimate;
  readonly value: SizeEstimate;
}

interface Local {
  readonly name: string;
  readonly path: readonly string[] | undefined;
  readonly size: SizeEstimate | undefined;
  readonly entrySize: EntrySize | undefined;
}

const nothing: Range = { min: 0, max: 0 };
/** The union with this is the other one. */
const noRange: Range = { min: costMax, max: 0 };

function isScalar(type: Type): boolean {
  if (type.kind === 'opaque' && type.name === 'optional_type') {
    return isScalar(type.parameters[0] as Type);
  }
  if (type.kind === 'wrapper') return isScalar(type.parameters[0] as Type);
  return ['bool', 'int', 'uint', 'double', 'timestamp', 'duration'].includes(type.kind);
}

function literalSize(expr: Expr): SizeEstimate | undefined {
  if (expr.kind === 'list') return fixed(expr.elements.length);
  if (expr.kind === 'map') return fixed(expr.entries.length);
  if (expr.kind !== 'constant') return undefined;
  const { value } = expr;
  if (typeof value === 'string') return fixed(codePointCount(value));
  return fixed(value instanceof Uint8Array ? value.length : 1);
}

const sum = (ranges: readonly Range[]): Range => ranges.reduce(addRanges, nothing);

export interface EstimateOptions {
  readonly costs: CostTable;
  readonly hints: SizeHints | undefined;
  readonly overloadCost: (id: string) => OverloadCost | undefined;
}

export class Estimator implements EstimateContext {
  readonly #ast: CheckedAst;
  readonly #options: EstimateOptions;
  readonly #locals: Local[] = [];
  readonly #paths = new Map<number, readonly string[]>();
  readonly #sizes = new Map<number, SizeEstimate>();
  readonly #entrySizes = new Map<number, EntrySize>();

  constructor(ast: CheckedAst, options: EstimateOptions) {
    this.#ast = ast;
    this.#options = options;
  }

  estimate(): CostEstimate {
    return this.#cost(this.#ast.expr);
  }

  sizeOf(node: SizedNode): SizeEstimate {
    return node.computedSize ?? unknownSize;
  }

  hintFor(node: SizedNode): SizeEstimate | undefined {
    return this.#options.hints?.(node);
  }

  #type(expr: Expr): Type {
    return this.#ast.types.get(expr.id) ?? dynType;
  }

  #local(name: string): Local | undefined {
    return this.#locals.findLast((local) => local.name === name);
  }

  #path(expr: Expr): readonly string[] | undefined {
    if (expr.kind === 'ident') {
      const local = this.#local(expr.name);
      if (local !== undefined) return local.path;
    }
    return this.#paths.get(expr.id);
  }

  #subPath(expr: Expr, name: string): readonly string[] {
    return [...(this.#path(expr) ?? []), name];
  }

  #size(expr: Expr): SizeEstimate | undefined {
    const known = this.#sizes.get(expr.id) ?? literalSize(expr);
    if (known !== undefined) return known;
    const type = this.#type(expr);
    const hint = this.hintFor({ expr, type, path: this.#path(expr), computedSize: undefined });
    if (hint !== undefined) {
      this.#sizes.set(expr.id, hint);
      return hint;
    }
    if (isScalar(type)) return fixed(1);
    return expr.kind === 'ident' ? this.#local(expr.name)?.size : undefined;
  }

  #sizeOrUnknown(expr: Expr): SizeEstimate {
    return this.#size(expr) ?? unknownSize;
  }

  #entrySize(expr: Expr): EntrySize | undefined {
    const known = this.#entrySizes.get(expr.id);
    if (known !== undefined || expr.kind !== 'ident') return known;
    return this.#local(expr.name)?.entrySize;
  }

  #node(expr: Expr): SizedNode {
    const path = this.#path(expr);
    const isData = path !== undefined && path[0] !== '@result' && path[0] !== '__result__';
    return {
      expr,
      type: this.#type(expr),
      path: isData ? path : undefined,
      computedSize: this.#size(expr),
    };
  }

  #cost(expr: Expr): CostEstimate {
    const { costs } = this.#options;
    switch (expr.kind) {
      case 'constant':
      case 'unspecified':
        return nothing;
      case 'ident':
        this.#paths.set(expr.id, this.#local(expr.name)?.path ?? [expr.name]);
        return fixed(costs.select);
      case 'select': {
        const operand = this.#cost(expr.operand);
        if (expr.testOnly) return addRanges(fixed(costs.presenceTest), operand);
        this.#paths.set(expr.id, this.#subPath(expr.operand, expr.field));
        const { kind } = this.#type(expr.operand);
        const isPriced = kind === 'map' || kind === 'object' || kind === 'parameter';
        return isPriced ? addRanges(operand, fixed(costs.select)) : operand;
      }
      case 'call':
        return this.#call(expr);
      case 'list':
        return this.#list(expr);
      case 'map':
        return this.#map(expr);
      case 'struct': {
        const fields = expr.fields.map((field) => this.#cost(field.value));
        return addRanges(sum(fields), fixed(costs.structLiteral));
      }
      case 'comprehension':
        return this.#isBind(expr) ? this.#bind(expr) : this.#comprehension(expr);
    }
  }

  #list(expr: ListExpr): CostEstimate {
    const costs = expr.elements.map((element) => this.#cost(element));
    const value = expr.elements.reduce(
      (size, element) => unionRanges(size, this.#sizeOrUnknown(element)),
      expr.elements.length === 0 ? nothing : noRange,
    );
    this.#entrySizes.set(expr.id, { kind: 'list', key: fixed(1), value });
    return addRanges(sum(costs), fixed(this.#options.costs.listLiteral));
  }

  #map(expr: MapExpr): CostEstimate {
    let key = expr.entries.length === 0 ? nothing : noRange;
    let value = key;
    const costs = expr.entries.flatMap((entry) => {
      const pair = [this.#cost(entry.key), this.#cost(entry.value)];
      key = unionRanges(key, this.#sizeOrUnknown(entry.key));
      value = unionRanges(value, this.#sizeOrUnknown(entry.value));
      return pair;
    });
    this.#entrySizes.set(expr.id, { kind: 'map', key, value });
    return addRanges(sum(costs), fixed(this.#options.costs.mapLiteral));
  }

  #call(expr: CallExpr): CostEstimate {
    if (expr.function === 'dyn' && expr.target === undefined) {
      const arg = expr.args[0] as Expr;
      const cost = this.#cost(arg);
      this.#copySizes(expr, arg);
      return addRanges(fixed(1), cost);
    }
    const argCosts = expr.args.map((arg) => this.#cost(arg));
    const args = expr.args.map((arg) => this.#node(arg));
    const reference = this.#ast.references.get(expr.id);
    const ids = reference?.kind === 'function' ? reference.overloadIds : [];
    if (ids.length === 0) return nothing;
    const targetCost = expr.target === undefined ? nothing : this.#cost(expr.target);
    const target = expr.target && this.#node(expr.target);
    let cost = noRange;
    let resultSize: SizeEstimate | undefined;
    for (const id of ids) {
      const estimate = this.#overload(expr, id, target, args, argCosts);
      cost = unionRanges(cost, estimate.cost);
      const size = estimate.resultSize;
      if (size !== undefined) resultSize = resultSize ? unionRanges(resultSize, size) : size;
      if (id === 'index_list' || id === 'index_map') {
        const container = expr.args[0] as Expr;
        resultSize = this.#entrySize(container)?.value;
        const part = id === 'index_list' ? '@items' : '@values';
        this.#paths.set(expr.id, this.#subPath(container, part));
      }
      resultSize ??= this.#size(expr);
    }
    if (resultSize !== undefined) this.#sizes.set(expr.id, resultSize);
    return addRanges(targetCost, cost);
  }

  /** With the arguments, without the target. */
  #overload(
    expr: CallExpr,
    id: string,
    target: SizedNode | undefined,
    args: readonly SizedNode[],
    argCosts: readonly CostEstimate[],
  ): CallEstimate {
    const all = sum(argCosts);
    if (id === 'logical_and' || id === 'logical_or') {
      return { cost: { min: (argCosts[0] as Range).min, max: all.max } };
    }
    if (id === 'conditional') return this.#conditional(expr, args, argCosts);
    if (id.startsWith('add_') && args.length === 2) {
      const [left, right] = expr.args.map((arg) => this.#entrySize(arg));
      const joined = unionEntries(left, right);
      if (joined !== undefined) this.#entrySizes.set(expr.id, joined);
    }
    const price = this.#options.overloadCost(id);
    const estimate = price?.estimate?.(this, target, args);
    if (estimate === undefined) return { cost: addRanges(fixed(1), all) };
    return { ...estimate, cost: addRanges(estimate.cost, all) };
  }

  #conditional(
    expr: CallExpr,
    args: readonly SizedNode[],
    [condition, yes, no]: readonly CostEstimate[],
  ): CallEstimate {
    const [, whenTrue, whenFalse] = args as [SizedNode, SizedNode, SizedNode];
    const resultSize = unionRanges(this.sizeOf(whenTrue), this.sizeOf(whenFalse));
    const entries = unionEntries(this.#entrySize(whenTrue.expr), this.#entrySize(whenFalse.expr));
    if (entries !== undefined) this.#entrySizes.set(expr.id, entries);
    const branches = unionRanges(yes as Range, no as Range);
    return { cost: addRanges(condition as Range, branches), resultSize };
  }

  #copySizes(to: Expr, from: Expr): void {
    const size = this.#size(from);
    if (size !== undefined) this.#sizes.set(to.id, size);
    const entries = this.#entrySize(from);
    if (entries !== undefined) this.#entrySizes.set(to.id, entries);
  }

  #isBind({ range, condition, accuVar }: ComprehensionExpr): boolean {
    const isEmpty = range.kind === 'list' && range.elements.length === 0;
    const isNever = condition.kind === 'constant' && condition.value === false;
    return isEmpty && isNever && accuVar !== '__result__';
  }

  #pushAccumulator({ accuVar, init }: ComprehensionExpr): void {
    this.#locals.push({
      name: accuVar,
      path: this.#path(init),
      size: this.#size(init),
      entrySize: this.#entrySize(init),
    });
  }

  #bind(expr: ComprehensionExpr): CostEstimate {
    const before = addRanges(this.#cost(expr.range), this.#cost(expr.init));
    this.#pushAccumulator(expr);
    const result = this.#cost(expr.result);
    this.#locals.pop();
    this.#copySizes(expr, expr.result);
    return addRanges(before, result);
  }

  #pushIteration({ iterVar, iterVar2, range }: ComprehensionExpr): number {
    const entries = this.#entrySize(range);
    const kind = entries?.kind ?? this.#type(range).kind;
    const isList = kind === 'list';
    const push = (name: string, size: SizeEstimate | undefined, part: string): void => {
      const path = this.#subPath(range, part);
      this.#locals.push({ name, path, size, entrySize: undefined });
    };
    if (iterVar2 === undefined) {
      push(iterVar, isList ? entries?.value : entries?.key, isList ? '@items' : '@keys');
      return 1;
    }
    push(iterVar, entries?.key, isList ? '@indices' : '@keys');
    push(iterVar2, entries?.value, isList ? '@items' : '@values');
    return 2;
  }

  #comprehension(expr: ComprehensionExpr): CostEstimate {
    const { range, init, condition, step, result } = expr;
    const before = addRanges(this.#cost(range), this.#cost(init));
    this.#pushAccumulator(expr);
    const pushed = this.#pushIteration(expr);
    const turn = addRanges(this.#cost(condition), this.#cost(step));
    this.#locals.length -= pushed;
    const after = this.#cost(result);
    this.#locals.pop();
    const count = this.#sizeOrUnknown(range);
    this.#setComprehensionSize(expr, count, init, step);
    return sum([before, after, multiplyRanges(count, turn)]);
  }

  #setComprehensionSize(expr: Expr, count: SizeEstimate, init: Expr, step: Expr): void {
    if (init.kind === 'constant') {
      this.#sizes.set(expr.id, literalSize(init) as SizeEstimate);
    } else if (init.kind === 'list' || init.kind === 'map') {
      this.#sizes.set(expr.id, count);
      const entries = this.#entrySize(step);
      if (entries !== undefined) this.#entrySizes.set(expr.id, entries);
    }
  }
}

function unionEntries(a: EntrySize | undefined, b: EntrySize | undefined): EntrySize | undefined {
  if (a === undefined || b === undefined) return undefined;
  return { kind: a.kind, key: unionRanges(a.key, b.key), value: unionRanges(a.value, b.value) };
}
