/**
 * Walks a large tree in short steps: a recursive walk is started for one subtree after the other,
 * and remembers its results.
 *
 * Invariants: subtrees come before the trees that contain them, in the order of the checker, so
 * types, names and messages equal those of one uninterrupted walk. Nothing is split below a loop
 * variable, or inside `a.b.c`, which may be one name.
 */
import type { Expr } from './ast.ts';
import { childrenOf } from './check/children.ts';

/** What is not taken apart, in nodes: some tenths of a millisecond of checking. */
const partNodes = 64;
/** Of a step. */
const stepNodes = 400;

/** Yields after so many parts as are a step; `take` is called with each. */
export function* eachLargePart(
  root: Expr,
  take: (part: Expr) => void,
): Generator<undefined, void, undefined> {
  const sizes = sizesOf(root);
  const size = (expr: Expr): number => sizes.get(expr) ?? 1;
  const open = [{ expr: root, parts: partsOf(root), at: 0 }];
  let nodes = 0;
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const part = top.parts[top.at];
    top.at += 1;
    if (part !== undefined && size(part) > partNodes) {
      open.push({ expr: part, parts: partsOf(part), at: 0 });
      continue;
    }
    if (part === undefined) open.pop();
    if (part === undefined && open.length === 0) return;
    const taken = part ?? top.expr;
    take(taken);
    nodes += part === undefined ? 1 + top.parts.length : size(taken);
    if (nodes < stepNodes) continue;
    nodes = 0;
    yield;
  }
}

/** With what is in them. */
function sizesOf(root: Expr): Map<Expr, number> {
  const sizes = new Map<Expr, number>();
  const order = [root];
  for (let at = 0; at < order.length; at += 1) order.push(...childrenOf(order[at] as Expr));
  for (const expr of order.reverse()) {
    let size = 1;
    for (const child of childrenOf(expr)) size += sizes.get(child) ?? 1;
    sizes.set(expr, size);
  }
  return sizes;
}

const isName = ({ kind }: Expr): boolean => kind === 'ident' || kind === 'select';

/** What is met on its own, in order: arguments come before the target. */
function partsOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'select':
      return isName(expr.operand) ? [] : [expr.operand];
    case 'call': {
      if (expr.function === '_?._') return expr.args.slice(0, 1);
      const { args, target } = expr;
      return target === undefined || isName(target) ? args : [...args, target];
    }
    case 'list':
      return expr.elements;
    case 'map':
      return expr.entries.flatMap(({ key, value }) => [key, value]);
    case 'comprehension':
      return [expr.range];
    default:
      return [];
  }
}
