/**
 * What the suite writes trees of an optimiser with: cel.block([a, b], result) names values that
 * cel.index(0), cel.index(1) stand for, and cel.iterVar(0, 0) names a variable of a macro.
 */
import type { Expr } from '../../src/cel/ast.ts';
import type { Library, Macro } from '../../src/cel/declaration.ts';

const number = (expr: Expr | undefined): string =>
  expr?.kind === 'constant' ? String(expr.value) : '';

const isCel = (target: Expr | undefined): boolean =>
  target?.kind === 'ident' && target.name === 'cel';

const named = (name: string, argumentCount: number, prefix: string): Macro => ({
  name,
  argumentCount,
  member: true,
  expand: (context, target, args) =>
    isCel(target) ? context.ident(`${prefix}${args.map(number).join('_')}`) : undefined,
});

export const blocks: Library = {
  name: 'blocks',
  macros: [
    named('index', 1, '@index'),
    named('iterVar', 2, '@it'),
    named('accuVar', 2, '@ac'),
    {
      name: 'block',
      argumentCount: 2,
      member: true,
      expand(context, target, [values, result]) {
        if (!isCel(target) || values?.kind !== 'list') return undefined;
        const { optionalIndices } = values;
        return values.elements.reduceRight<Expr>((inner, value, i) => {
          const isOptional = optionalIndices.includes(i);
          const made = isOptional ? context.memberCall('value', value) : value;
          return context.comprehension({
            ...{ range: context.list(), iterVar: '#unused', accuVar: `@index${i}` },
            init: context.call('dyn', made),
            condition: context.constant(false),
            step: context.ident(`@index${i}`),
            result: inner,
          });
        }, result as Expr);
      },
    },
  ],
};
