/**
 * What comparing two values of the libraries' own types can cost. An estimate
 * does not know their size, and would otherwise assume the largest possible.
 */
import { scaleRange } from '../cost.ts';
import type { OverloadCost } from '../cost.ts';
import { formatType } from './format-library.ts';
import { cidrType, ipType } from './network-library.ts';
import { walkFactor } from './prices.ts';
import { quantityType } from './quantity-library.ts';
import { semverType } from './semver-library.ts';
import { standardCosts } from './standard-costs.ts';
import { urlType } from './url-library.ts';

const atOnce: ReadonlySet<string> = new Set(
  [ipType, cidrType, quantityType, semverType].map((type) => type.name),
);
/** Characters of the name of a format. */
const formatNameMax = 64;
const standard = standardCosts['equals'] as OverloadCost;

export const equalityCost: OverloadCost = {
  ...standard,
  estimate: (context, target, args) => {
    const [left, right] = args;
    const name = left?.type.name ?? '';
    if (left === undefined || right === undefined || right.type.name !== name) {
      return standard.estimate?.(context, target, args);
    }
    if (atOnce.has(name)) return { cost: { min: 1, max: 1 } };
    if (name === formatType.name) {
      return { cost: scaleRange({ min: 1, max: formatNameMax }, walkFactor) };
    }
    if (name === urlType.name) {
      const max = right.computedSize?.max ?? 1;
      return { cost: scaleRange({ min: 1, max }, walkFactor) };
    }
    return standard.estimate?.(context, target, args);
  },
};
