/** cel.bind(name, value, result): gives a value a name; it is computed once. */
import type { Expr } from '../ast.ts';
import type { Library } from '../declaration.ts';

export const bindings: Library = {
  name: 'bindings',
  macros: [
    {
      name: 'bind',
      argumentCount: 3,
      member: true,
      expand(context, target, [name, value, result]) {
        if (target?.kind !== 'ident' || target.name !== 'cel') return undefined;
        const variable = name as Expr;
        if (variable.kind !== 'ident') {
          return context.fail(variable, 'cel.bind() variable names must be simple identifiers');
        }
        return context.comprehension({
          ...{ range: context.list(), iterVar: '#unused', accuVar: variable.name },
          init: value as Expr,
          condition: context.constant(false),
          step: context.ident(variable.name),
          result: result as Expr,
        });
      },
    },
  ],
};
