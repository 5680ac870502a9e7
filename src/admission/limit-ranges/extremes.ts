/**
 * The smallest and largest amounts in a pod's containers, by resource: enough to check a limit for
 * all of them at once.
 *
 * Invariant: `isBroken` gives the same result as checking each container would.
 */
import { part } from '../../apimachinery/members.ts';
import { compareQuantities, parseQuantity } from '../../apimachinery/quantity.ts';
import type { Quantity } from '../../apimachinery/quantity.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { atLeast, atMost, product, ratioAtMost } from './constraints.ts';
import type { Amounts } from './constraints.ts';
import type { LimitItem } from './namespace-limits.ts';

export function amountsOf(container: JsonObject): Amounts {
  const resources = part(container, 'resources');
  return { requests: quantities(resources, 'requests'), limits: quantities(resources, 'limits') };
}

function quantities(resources: JsonObject, list: string): ReadonlyMap<string, Quantity> {
  const found = new Map<string, Quantity>();
  eachAmount(part(resources, list), (name, amount) => void found.set(name, amount));
  return found;
}

/** No map is made for each of many containers. */
export function eachAmount(
  amounts: JsonObject,
  take: (name: string, amount: Quantity) => void,
): void {
  for (const name in amounts) {
    const amount = parseQuantity(String(amounts[name]));
    if (amount !== undefined) take(name, amount);
  }
}

/** Of one resource, of all containers that say anything of it. */
interface Range {
  least: Quantity;
  most: Quantity;
  count: number;
}

export interface Extremes {
  /** Containers that were taken. */
  readonly count: number;
  take(container: JsonObject): void;
  /** Whether any of them does not keep it. */
  isBroken(item: LimitItem): boolean;
}

export function createExtremes(): Extremes {
  const requests = new Map<string, Range>();
  const limits = new Map<string, Range>();
  /** For each resource one whose limit is furthest above its request. */
  const widest = new Map<string, Pair>();
  let count = 0;
  return {
    get count() {
      return count;
    },
    take(container) {
      count += 1;
      const resources = part(container, 'resources');
      const requested = part(resources, 'requests');
      eachAmount(requested, (name, amount) => extend(requests, name, amount));
      eachAmount(part(resources, 'limits'), (name, limit) => {
        extend(limits, name, limit);
        const given = Object.hasOwn(requested, name) ? requested[name] : undefined;
        const request = given === undefined ? undefined : parseQuantity(String(given));
        const known = widest.get(name);
        const pair = { limit, request };
        if (known === undefined || isWider(pair, known)) widest.set(name, pair);
      });
    },
    isBroken: (item) => count > 0 && breaks(item, { requests, limits, widest, count }),
  };
}

interface Pair {
  readonly limit: Quantity;
  readonly request: Quantity | undefined;
}

function extend(ranges: Map<string, Range>, name: string, amount: Quantity): void {
  const known = ranges.get(name);
  if (known === undefined) {
    ranges.set(name, { least: amount, most: amount, count: 1 });
    return;
  }
  known.count += 1;
  if (amount === known.most || amount === known.least) return;
  if (compareQuantities(amount, known.least) < 0) known.least = amount;
  if (compareQuantities(amount, known.most) > 0) known.most = amount;
}

/** What has no request, or none above zero, counts as the widest: no ratio allows it. Nor does any
 * allow a limit of zero. */
function isWider(a: Pair, b: Pair): boolean {
  if (b.request === undefined || b.request.unscaled === 0n || b.limit.unscaled === 0n) return false;
  if (a.request === undefined || a.request.unscaled === 0n || a.limit.unscaled === 0n) return true;
  if (a.limit === b.limit && a.request === b.request) return false;
  return compareQuantities(product(a.limit, b.request), product(b.limit, a.request)) > 0;
}

interface Found {
  readonly requests: ReadonlyMap<string, Range>;
  readonly limits: ReadonlyMap<string, Range>;
  readonly widest: ReadonlyMap<string, Pair>;
  readonly count: number;
}

function breaks({ max, min, ratio, type }: LimitItem, found: Found): boolean {
  const { count, limits, requests, widest } = found;
  const amounts = (name: string, which: 'least' | 'most'): Amounts => ({
    requests: one(name, requests.get(name)?.[which]),
    limits: one(name, limits.get(name)?.[which]),
  });
  return (
    min.some(
      (bound) =>
        requests.get(bound.resource)?.count !== count ||
        atLeast(type, bound, amounts(bound.resource, 'least')) !== undefined,
    ) ||
    max.some(
      (bound) =>
        limits.get(bound.resource)?.count !== count ||
        atMost(type, bound, amounts(bound.resource, 'most')) !== undefined,
    ) ||
    ratio.some((bound) => {
      const name = bound.resource;
      const pair = widest.get(name);
      if (limits.get(name)?.count !== count || pair === undefined) return true;
      const worst = { requests: one(name, pair.request), limits: one(name, pair.limit) };
      return ratioAtMost(type, bound, worst) !== undefined;
    })
  );
}

function one(name: string, amount: Quantity | undefined): ReadonlyMap<string, Quantity> {
  return new Map(amount === undefined ? [] : [[name, amount]]);
}
