/**
 * Cost functions that many library functions share: a walk over a text, a walk over a list, a match
 * of a pattern. Each has the cost of a call, charged before the call, and an upper bound for the
 * estimate. The figures are the reference's. Changing one would change which rules are accepted.
 *
 * Invariant: within the sizes that an estimate assumed, no call costs more than its estimate.
 */
import { addRanges, costMax, fixed, multiplyRanges, scaleRange } from '../cost.ts';
import type {
  CallEstimate,
  EstimateContext,
  OverloadCost,
  SizedNode,
  SizeEstimate,
} from '../cost.ts';
import { EvaluationError } from '../evaluation-error.ts';
import type { Value } from '../value.ts';
import { attemptedElements, isList } from '../evaluate/lists.ts';
import type { Attempted } from '../evaluate/lists.ts';
import { sizeForCost } from '../evaluate/size.ts';

/** Per character of a text. */
export const walkFactor = 0.1;
/** Per character of a pattern. */
export const patternFactor = 0.25;
export const listLiteralCost = 10;
export const structLiteralCost = 40;

/** Of all operands, the target first. */
function operands(target: SizedNode | undefined, args: readonly SizedNode[]): readonly SizedNode[] {
  return target === undefined ? args : [target, ...args];
}

/** The size of an operand by its number, the target being 0. */
export function operandSize(
  context: EstimateContext,
  target: SizedNode | undefined,
  args: readonly SizedNode[],
  index: number,
): SizeEstimate {
  const node = operands(target, args)[index];
  return node === undefined ? { min: 0, max: costMax } : context.sizeOf(node);
}

export function sizeOfArgument(args: readonly Value[], index: number): number {
  return sizeForCost(args[index] as Value);
}

export interface WalkOptions {
  /** How often the text is walked. */
  readonly times?: number;
  /** The result is as long as the text. */
  readonly sameSize?: boolean;
  readonly operand?: number;
}

/** The first operand is walked. */
export function walk(options: WalkOptions = {}): OverloadCost {
  const { times = 1, sameSize = false, operand = 0 } = options;
  const factor = times * walkFactor;
  return {
    before: (args) => Math.ceil(sizeOfArgument(args, operand) * factor),
    estimate: (context, target, args) => {
      const size = operandSize(context, target, args, operand);
      const cost = scaleRange(size, factor);
      return sameSize ? { cost, resultSize: size } : { cost };
    },
  };
}

/** The second operand is the pattern. */
export const patternCost: OverloadCost = {
  before: (args) => {
    const text = Math.ceil((1 + sizeOfArgument(args, 0)) * walkFactor);
    return text * Math.ceil(sizeOfArgument(args, 1) * patternFactor);
  },
  estimate: (context, target, args) => {
    const size = operandSize(context, target, args, 0);
    const text = scaleRange(addRanges(size, fixed(1)), walkFactor);
    const pattern = scaleRange(operandSize(context, target, args, 1), patternFactor);
    return { cost: multiplyRanges(text, pattern), resultSize: { min: 0, max: size.max } };
  },
};

/** Every element of the first operand is looked at; what is in it counts, too. */
export const elementsCost: OverloadCost = {
  before: (args) => depthOf(args[0] as Value),
  estimate: (context, target, args) => estimateElements(context, target, args),
};

/** The same where the target may be no list. */
export const includesCost: OverloadCost = {
  ...elementsCost,
  estimate: (context, target, args) => {
    const list = operands(target, args)[0];
    if (list === undefined || elementOf(list) !== undefined) {
      return estimateElements(context, target, args);
    }
    return { cost: context.sizeOf(list) };
  },
};

function estimateElements(
  context: EstimateContext,
  target: SizedNode | undefined,
  args: readonly SizedNode[],
): CallEstimate | undefined {
  const list = operands(target, args)[0];
  if (list === undefined) return undefined;
  const size = context.sizeOf(list);
  const element = elementOf(list);
  if (element === undefined) return { cost: scaleRange(size, walkFactor) };
  const text = element.type.kind === 'string' || element.type.kind === 'bytes';
  const each = text ? scaleRange(sizeOfElement(context, element), walkFactor) : fixed(0);
  return { cost: multiplyRanges(size, addRanges(fixed(1), each)) };
}

/** What is known of the data; nothing is known of the elements of a literal. */
export function sizeOfElement(context: EstimateContext, element: SizedNode): SizeEstimate {
  return context.hintFor(element) ?? { min: 0, max: costMax };
}

/** Any element of a list; undefined for what is no list. */
export function elementOf(list: SizedNode): SizedNode | undefined {
  const type = list.type.parameters[0];
  if (type === undefined) return undefined;
  const path = list.path === undefined ? undefined : [...list.path, '@items'];
  return { expr: list.expr, type, path, computedSize: undefined };
}

/** The whole tree of a value; texts by their bytes, rounded down; what has no value is a scalar. */
function depthOf(value: Attempted): number {
  if (value instanceof EvaluationError) return 1;
  if (typeof value === 'string') return Math.floor(Buffer.byteLength(value, 'utf8') * walkFactor);
  if (value instanceof Uint8Array) return Math.floor(value.length * walkFactor);
  if (!isList(value)) return 1;
  let cost = 0;
  for (const element of attemptedElements(value)) cost += depthOf(element);
  return cost;
}
