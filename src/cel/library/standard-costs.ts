/**
 * Prices of the standard functions, by overload, that are not 1. `n` is a size: characters, bytes
 * or elements.
 *
 *   x in list                       n
 *   s == t, s < t (also bytes)      a tenth of the smaller one
 *   s + t                           a tenth of both
 *   startsWith, endsWith            a tenth of the argument
 *   contains                        a tenth of one times a tenth of the other
 *   matches                         a tenth of the text times a quarter of the pattern
 *   bytes(s), string(b)             a tenth
 */
import { lookup } from '../../stdx/lookup.ts';
import { addRanges, costMax, fixed, multiplyRanges, scaleRange } from '../cost.ts';
import type { CostEstimate, EstimateContext, OverloadCost, SizedNode } from '../cost.ts';
import type { Value } from '../value.ts';
import { sizeForCost } from '../evaluate/size.ts';
import { patternFactor, walkFactor } from './prices.ts';

const size = (args: readonly Value[], i: number): number => sizeForCost(args[i] as Value);
const tenth = (n: number): number => Math.ceil(n * walkFactor);

function smallerTenth(context: EstimateContext, a: SizedNode, b: SizedNode): CostEstimate {
  const left = context.sizeOf(a);
  const right = context.sizeOf(b);
  const max = Math.min(left.max, right.max);
  return scaleRange({ min: max > 0 ? 1 : 0, max }, walkFactor);
}

const smaller: OverloadCost = {
  before: (args) => tenth(Math.min(size(args, 0), size(args, 1))),
  estimate: (context, _target, args) => ({
    cost: smallerTenth(context, args[0] as SizedNode, args[1] as SizedNode),
  }),
};

const both: OverloadCost = {
  before: (args) => tenth(size(args, 0) + size(args, 1)),
  estimate(context, _target, args) {
    const resultSize = addRanges(
      context.sizeOf(args[0] as SizedNode),
      context.sizeOf(args[1] as SizedNode),
    );
    return { cost: scaleRange(resultSize, walkFactor), resultSize };
  },
};

const joinedLists: OverloadCost = {
  estimate(context, _target, args) {
    const resultSize = addRanges(
      context.sizeOf(args[0] as SizedNode),
      context.sizeOf(args[1] as SizedNode),
    );
    return { cost: fixed(1), resultSize };
  },
};

const prefix: OverloadCost = {
  before: (args) => tenth(size(args, 1)),
  estimate: (context, _target, args) => ({
    cost: scaleRange(context.sizeOf(args[0] as SizedNode), walkFactor),
  }),
};

/** The size changes by a factor between `least` and `most`. */
const converted = (least: number, most: number): OverloadCost => ({
  before: (args) => tenth(size(args, 0)),
  estimate(context, _target, args) {
    const { min, max } = context.sizeOf(args[0] as SizedNode);
    const resultSize = {
      min: Math.floor(min * least),
      max: Math.min(costMax, max * most),
    };
    return { cost: scaleRange({ min, max }, walkFactor), resultSize };
  },
});

export const standardCosts: Readonly<Record<string, OverloadCost>> = lookup<OverloadCost>({
  equals: smaller,
  not_equals: smaller,
  ...Object.fromEntries(
    ['less', 'less_equals', 'greater', 'greater_equals'].flatMap((name) => [
      [`${name}_string`, smaller],
      [`${name}_bytes`, smaller],
    ]),
  ),
  add_string: both,
  add_bytes: both,
  add_list: joinedLists,
  in_list: {
    before: (args) => size(args, 1),
    estimate: (context, _target, args) => ({ cost: context.sizeOf(args[1] as SizedNode) }),
  },
  starts_with_string: prefix,
  ends_with_string: prefix,
  contains_string: {
    before: (args) => tenth(size(args, 0)) * tenth(size(args, 1)),
    estimate: (context, target, args) => ({
      cost: multiplyRanges(
        scaleRange(context.sizeOf(target as SizedNode), walkFactor),
        scaleRange(context.sizeOf(args[0] as SizedNode), walkFactor),
      ),
    }),
  },
  matches_string: {
    // One more than the text: a pattern is not free because the text is empty.
    before: (args) => tenth(size(args, 0) + 1) * Math.ceil(size(args, 1) * patternFactor),
    estimate: (context, target, args) => ({
      cost: multiplyRanges(
        scaleRange(addRanges(context.sizeOf(target as SizedNode), fixed(1)), walkFactor),
        scaleRange(context.sizeOf(args[0] as SizedNode), patternFactor),
      ),
    }),
  },
  string_to_bytes: converted(1, 4),
  bytes_to_string: converted(0.25, 1),
});
