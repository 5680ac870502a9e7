/**
 * The macros that are always there. Each becomes a comprehension:
 *
 *   list.all(x, p)        accu = true;  while accu: accu = accu && p
 *   list.exists(x, p)     accu = false; while !accu: accu = accu || p
 *   list.exists_one(x, p) accu = 0;     accu = p ? accu + 1 : accu; accu == 1
 *   list.map(x, f)        accu = [];    accu = accu + [f]
 *   list.map(x, p, f)     accu = [];    accu = p ? accu + [f] : accu
 *   list.filter(x, p)     accu = [];    accu = p ? accu + [x] : accu
 *   has(a.b)              a selection that only asks
 *
 * Of a map they go over its keys.
 */
import type { Expr } from '../ast.ts';
import type { Macro, MacroContext } from '../declaration.ts';

const overwrites = 'iteration variable overwrites accumulator variable';

/** The name of an iteration variable, or undefined after `fail`. */
export function iterationVariable(
  context: MacroContext,
  arg: Expr,
  notAName: string,
): string | undefined {
  if (arg.kind !== 'ident') return context.fail(arg, notAName);
  if (arg.name === context.accumulator || arg.name === '__result__') {
    return context.fail(arg, overwrites);
  }
  return arg.name;
}

/** The parts of a quantifier that do not depend on how many variables it has. */
export function quantifierParts(
  kind: 'all' | 'exists' | 'one',
  context: MacroContext,
  predicate: Expr,
): Record<'init' | 'condition' | 'step' | 'result', Expr> {
  const accu = (): Expr => context.ident(context.accumulator);
  if (kind === 'all') {
    const init = context.constant(true);
    const condition = context.call('@not_strictly_false', accu());
    const step = context.call('_&&_', accu(), predicate);
    return { init, condition, step, result: accu() };
  }
  if (kind === 'exists') {
    const init = context.constant(false);
    const condition = context.call('@not_strictly_false', context.call('!_', accu()));
    const step = context.call('_||_', accu(), predicate);
    return { init, condition, step, result: accu() };
  }
  const init = context.constant(0);
  const condition = context.constant(true);
  const more = context.call('_+_', accu(), context.constant(1));
  const step = context.call('_?_:_', predicate, more, accu());
  return { init, condition, step, result: context.call('_==_', accu(), context.constant(1)) };
}

function quantifier(name: string, kind: 'all' | 'exists' | 'one'): Macro {
  return {
    name,
    argumentCount: 2,
    member: true,
    expand(context, target, [variable, predicate]) {
      const arg = variable as Expr;
      const iterVar = iterationVariable(context, arg, 'argument must be a simple name');
      if (iterVar === undefined) return undefined;
      const parts = quantifierParts(kind, context, predicate as Expr);
      const range = target as Expr;
      return context.comprehension({ iterVar, range, accuVar: context.accumulator, ...parts });
    },
  };
}

/** accu = [], and `step` that adds to it when `filter` holds. */
export function transformParts(context: MacroContext, step: Expr, filter: Expr | undefined): Expr {
  if (filter === undefined) return step;
  return context.call('_?_:_', filter, step, context.ident(context.accumulator));
}

function mapOrFilter(name: 'map' | 'filter', argumentCount: number): Macro {
  return {
    name,
    argumentCount,
    member: true,
    expand(context, target, args) {
      const variable = args[0] as Expr;
      const iterVar = iterationVariable(context, variable, 'argument is not an identifier');
      if (iterVar === undefined) return undefined;
      const element = name === 'filter' ? variable : (args[argumentCount - 1] as Expr);
      const filter = name === 'filter' || argumentCount === 3 ? args[1] : undefined;
      const init = context.list();
      const condition = context.constant(true);
      const added = context.call('_+_', context.ident(context.accumulator), context.list(element));
      const step = transformParts(context, added, filter);
      const result = context.ident(context.accumulator);
      const accuVar = context.accumulator;
      const range = target as Expr;
      return context.comprehension({ iterVar, range, accuVar, init, condition, step, result });
    },
  };
}

const has: Macro = {
  name: 'has',
  argumentCount: 1,
  member: false,
  expand(context, _target, [arg]) {
    const tested = arg as Expr;
    if (tested.kind === 'select') return context.presenceTest(tested.operand, tested.field);
    return context.fail(tested, 'invalid argument to has() macro');
  },
};

export const standardMacros: readonly Macro[] = [
  has,
  quantifier('all', 'all'),
  quantifier('exists', 'exists'),
  quantifier('exists_one', 'one'),
  quantifier('existsOne', 'one'),
  mapOrFilter('map', 2),
  mapOrFilter('map', 3),
  mapOrFilter('filter', 2),
];
