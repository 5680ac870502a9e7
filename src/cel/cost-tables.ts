/**
 * The two tables of figures: the specification's, where a list literal costs 40 (access control,
 * section 8), and the reference's. Functions have their prices with them; both tables share those.
 */
import type { CostTable } from './cost.ts';

const shared = {
  mapLiteral: 30,
  structLiteral: 40,
  select: 1,
  presenceTest: 0,
  stringTraversal: 0.1,
  overloads: {},
} as const;

export const costTables: Readonly<Record<'svc' | 'kubernetes', CostTable>> = {
  svc: { ...shared, listLiteral: 40 },
  kubernetes: { ...shared, listLiteral: 10 },
};
