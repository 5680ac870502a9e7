/**
 * Comprehensions: a loop over a list or the keys of a map that carries one value along.
 *
 * The comprehensions that macros produce are recognised and run as plain loops: `all` and `exists`
 * stop early and remember failures instead of throwing them, `map` and `filter` push to one array.
 * The cost equals that of the general form, step by step.
 *
 * Bounds: each turn of a loop is charged before it runs. When an evaluation runs
 * in parts, a loop can pause before each turn.
 */
import type { CallExpr, ComprehensionExpr, Expr } from '../ast.ts';
import type { CostTable } from '../cost.ts';
import { EvaluationError } from '../evaluation-error.ts';
import type { Value } from '../value.ts';
import { Deferred, deferredInParts } from './deferred.ts';
import { attempt, kept, mergeFailures } from './failure.ts';
import type { Failure } from './failure.ts';
import type { Planned, Run, RunInParts } from './frame.ts';
import { attemptInParts, isLong, keptInParts, valueInParts } from './in-parts.ts';
import { loopOver, iterate } from './iteration.ts';
import type { LoopSlots } from './iteration.ts';
import { spendSteps } from './step-allowance.ts';

export interface ComprehensionContext {
  readonly costs: CostTable;
  plan(expr: Expr): Planned;
  /** Literals of constants are made once and cost nothing. */
  readonly foldConstants: boolean;
  /** New local variables, visible while `body` plans. */
  withLocals<T>(names: readonly string[], body: (slots: readonly number[]) => T): T;
}

const isCall = (expr: Expr, name: string): expr is CallExpr =>
  expr.kind === 'call' && expr.function === name && expr.target === undefined;

const isIdent = (expr: Expr | undefined, name: string): boolean =>
  expr?.kind === 'ident' && expr.name === name;

const isConstant = (expr: Expr, value: Value): boolean =>
  expr.kind === 'constant' && expr.value === value;

/** `all` or `exists`: what to look for, and for what answer. */
function quantifierOf(expr: ComprehensionExpr): { predicate: Expr; decisive: boolean } | undefined {
  const { accuVar, init, condition, step, result } = expr;
  if (!isIdent(result, accuVar) || !isCall(condition, '@not_strictly_false')) return undefined;
  const tested = condition.args[0] as Expr;
  if (isConstant(init, true) && isIdent(tested, accuVar) && isCall(step, '_&&_')) {
    return isIdent(step.args[0], accuVar)
      ? { predicate: step.args[1] as Expr, decisive: false }
      : undefined;
  }
  const negated = isCall(tested, '!_') && isIdent(tested.args[0], accuVar);
  if (isConstant(init, false) && negated && isCall(step, '_||_')) {
    return isIdent(step.args[0], accuVar)
      ? { predicate: step.args[1] as Expr, decisive: true }
      : undefined;
  }
  return undefined;
}

/** `map` or `filter`: what is added, and when. */
function appendOf(expr: ComprehensionExpr): { element: Expr; filter?: Expr } | undefined {
  const { accuVar, init, condition, step, result } = expr;
  if (!isIdent(result, accuVar) || !isConstant(condition, true)) return undefined;
  if (init.kind !== 'list' || init.elements.length > 0) return undefined;
  const added = (grown: Expr | undefined): Expr | undefined => {
    if (grown === undefined || !isCall(grown, '_+_')) return undefined;
    const [left, right] = grown.args;
    if (!isIdent(left, accuVar) || right?.kind !== 'list') return undefined;
    return right.elements.length === 1 && right.optionalIndices.length === 0
      ? right.elements[0]
      : undefined;
  };
  const element = added(step);
  if (element !== undefined) return { element };
  if (!isCall(step, '_?_:_') || !isIdent(step.args[2], accuVar)) return undefined;
  const filtered = added(step.args[1]);
  return filtered && { element: filtered, filter: step.args[0] as Expr };
}

const loopNames = (expr: ComprehensionExpr): readonly string[] =>
  expr.iterVar2 === undefined ? [expr.iterVar] : [expr.iterVar, expr.iterVar2];

const loopSlots = (slots: readonly number[]): LoopSlots => ({
  first: slots[0] as number,
  second: slots[1],
});

export function planComprehension(expr: ComprehensionExpr, context: ComprehensionContext): Planned {
  const range = context.plan(expr.range);
  const quantifier = quantifierOf(expr);
  if (quantifier !== undefined) {
    const { predicate, decisive } = quantifier;
    return context.withLocals(loopNames(expr), (slots) =>
      planQuantifier(range, context.plan(predicate), decisive, loopSlots(slots), context.costs),
    );
  }
  const append = appendOf(expr);
  if (append !== undefined) {
    const { element, filter } = append;
    const init = context.plan(expr.init);
    return context.withLocals(loopNames(expr), (slots) => {
      const planned = { element: context.plan(element), filter: filter && context.plan(filter) };
      return planAppend(range, init, planned, loopSlots(slots), context);
    });
  }
  return planFold(expr, range, context);
}

function planQuantifier(
  range: Planned,
  predicate: Planned,
  decisive: boolean,
  slots: LoopSlots,
  { select }: CostTable,
): Planned {
  const { run: over } = range;
  const { run: test } = predicate;
  // The accumulator is looked at, `exists` negates it, and the answer is tested.
  const conditionCost = select + (decisive ? 2 : 1);
  // The predicate charges for itself; what it has charged is seen with the next turn.
  const turnCost = conditionCost + select;
  const run: Run = (frame) => {
    const answer = new Quantified(decisive);
    iterate(over(frame), frame, slots, () => {
      if (answer.decided) {
        frame.charge(conditionCost);
        return true;
      }
      frame.charge(turnCost);
      answer.take(attempt(test, frame));
      return false;
    });
    frame.cost += select;
    return answer.value();
  };
  const runInParts: RunInParts = function* (frame) {
    const answer = new Quantified(decisive);
    const next = loopOver(yield* valueInParts(range, frame), frame, slots);
    while (next()) {
      if (frame.isPartOver()) yield;
      if (answer.decided) {
        frame.charge(conditionCost);
        break;
      }
      frame.charge(turnCost);
      answer.take(yield* attemptInParts(predicate, frame));
    }
    frame.cost += select;
    return answer.value();
  };
  return { run, runInParts };
}

/** What `all` (decided by a false) or `exists` (by a true) has come to. */
class Quantified {
  decided = false;
  readonly #decisive: boolean;
  #failure: Failure | undefined;
  constructor(decisive: boolean) {
    this.#decisive = decisive;
  }
  take(found: boolean | Failure): void {
    if (found === this.#decisive) {
      this.decided = true;
      this.#failure = undefined;
    } else if (typeof found !== 'boolean') {
      this.#failure = mergeFailures(this.#failure, found);
    }
  }
  value(): boolean {
    if (this.#failure !== undefined) throw this.#failure;
    return this.decided === this.#decisive;
  }
}

function planAppend(
  range: Planned,
  init: Planned,
  { element, filter }: { readonly element: Planned; readonly filter: Planned | undefined },
  slots: LoopSlots,
  { costs: { select, listLiteral }, foldConstants }: ComprehensionContext,
): Planned {
  const { run: over } = range;
  const { run: start } = init;
  const { run: make } = element;
  const isFolded = foldConstants && element.constant !== undefined;
  const test = filter?.run;
  // The accumulator, a list of one element, and the sum of both.
  const addedCost = select + (isFolded ? 0 : listLiteral) + 1;
  const run: Run = (frame) => {
    const elements = over(frame);
    start(frame);
    const grown = new Grown();
    iterate(elements, frame, slots, () => {
      frame.checkLimit();
      if (test !== undefined && !grown.wants(attempt(test, frame))) return false;
      frame.cost += addedCost;
      grown.take(kept(make, frame));
      return false;
    });
    frame.cost += select;
    return grown.value();
  };
  const runInParts: RunInParts = function* (frame) {
    const elements = yield* valueInParts(range, frame);
    yield* valueInParts(init, frame);
    const grown = new Grown();
    const next = loopOver(elements, frame, slots);
    while (next()) {
      if (frame.isPartOver()) yield;
      frame.checkLimit();
      if (filter !== undefined && !grown.wants(yield* attemptInParts(filter, frame))) continue;
      frame.cost += addedCost;
      grown.take(yield* keptInParts(element, frame));
    }
    frame.cost += select;
    return grown.value();
  };
  return { run, runInParts };
}

/** What `map` or `filter` has come to: a list, or an error. After an error the rest of the loop is
 * still run; an error of an element stays, one of a test takes the place of the error before it. */
class Grown {
  #failure: EvaluationError | undefined;
  readonly #made: Value[] = [];
  take(element: Value | EvaluationError): void {
    if (this.#failure !== undefined) return;
    if (element instanceof EvaluationError) this.#failure = element;
    else this.#made.push(element);
  }
  wants(found: boolean | Failure): boolean {
    if (found === true) return true;
    if (found !== false) {
      if (!(found instanceof EvaluationError)) throw found;
      this.#failure = found;
    }
    spendSteps(1);
    return false;
  }
  value(): Value {
    if (this.#failure !== undefined) throw this.#failure;
    return this.#made;
  }
}

/** Any comprehension, as it is written. */
function planFold(expr: ComprehensionExpr, range: Planned, context: ComprehensionContext): Planned {
  const init = context.plan(expr.init);
  return context.withLocals([expr.accuVar], ([accuSlot]) => {
    const accu = accuSlot as number;
    const result = context.plan(expr.result);
    if (expr.range.kind === 'list' && expr.range.elements.length === 0) {
      return planBind(range, init, result, accu);
    }
    return context.withLocals(loopNames(expr), (slots) => {
      const condition = context.plan(expr.condition);
      const step = context.plan(expr.step);
      const { run: over } = range;
      const { run: start } = init;
      const { run: goOn } = condition;
      const { run: next } = step;
      const { run: finish } = result;
      const names = loopSlots(slots);
      const run: Run = (frame) => {
        const elements = over(frame);
        frame.locals[accu] = new Deferred(start) as unknown as Value;
        iterate(elements, frame, names, () => {
          frame.checkLimit();
          if (kept(goOn, frame) === false) return true;
          spendSteps(1);
          // A step that fails is what the accumulator is: the steps after it see the error.
          frame.locals[accu] = kept(next, frame) as Value;
          return false;
        });
        return finish(frame);
      };
      const runInParts: RunInParts = function* (frame) {
        const elements = yield* valueInParts(range, frame);
        frame.locals[accu] = (yield* deferredInParts(init, frame)) as unknown as Value;
        const turn = loopOver(elements, frame, names);
        while (turn()) {
          if (frame.isPartOver()) yield;
          frame.checkLimit();
          if ((yield* keptInParts(condition, frame)) === false) break;
          spendSteps(1);
          frame.locals[accu] = (yield* keptInParts(step, frame)) as Value;
        }
        return yield* valueInParts(result, frame);
      };
      return { run, runInParts };
    });
  });
}

/** A comprehension over nothing names a value: cel.bind(name, value, result). */
function planBind(range: Planned, init: Planned, result: Planned, slot: number): Planned {
  const { run: start } = init;
  const { run: finish } = result;
  const { run: over } = range;
  const run: Run = (frame) => {
    over(frame);
    frame.locals[slot] = new Deferred(start) as unknown as Value;
    return finish(frame);
  };
  const runInParts: RunInParts = function* (frame) {
    over(frame);
    frame.locals[slot] = (yield* deferredInParts(init, frame)) as unknown as Value;
    return yield* valueInParts(result, frame);
  };
  return { run, runInParts: isLong(init) || isLong(result) ? runInParts : undefined };
}
