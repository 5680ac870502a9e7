/** The nodes right below a node, in the order of the text. */
import type { Expr } from '../ast.ts';

export function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'constant':
    case 'ident':
    case 'unspecified':
      return [];
    case 'select':
      return [expr.operand];
    case 'call':
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    case 'list':
      return expr.elements;
    case 'map':
      return expr.entries.flatMap(({ key, value }) => [key, value]);
    case 'struct':
      return expr.fields.map(({ value }) => value);
    case 'comprehension':
      return [expr.range, expr.init, expr.condition, expr.step, expr.result];
  }
}
