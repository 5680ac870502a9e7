/**
 * What the containers of a pod have least and most of, by resource: enough to tell whether a limit
 * is kept by all of them, without asking each.
 *
 * Invariant: `isBroken` says what asking each container would say.
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
  const amounts = part(resources, list);
  const found = new Map<string, Quantity>();
  for (const name of Object.keys(amounts)) {
    const amount = parseQuantity(String(amounts[name]));
    if (amount !== undefined) found.set(name, amount);
  }
  return found;
}

/** Of all containers together. */
export interface Extremes {
  readonly least: Amounts;
  readonly most: Amounts;
  /** How many say anything of it. */
  readonly requesting: ReadonlyMap<string, number>;
  readonly limiting: ReadonlyMap<string, number>;
  /** For each resource those whose limit is furthest above its request. */
  readonly widest: ReadonlyMap<string, Amounts>;
}

export function extremesOf(all: readonly Amounts[]): Extremes {
  const least = { requests: new Map<string, Quantity>(), limits: new Map<string, Quantity>() };
  const most = { requests: new Map<string, Quantity>(), limits: new Map<string, Quantity>() };
  const counts = { requests: new Map<string, number>(), limits: new Map<string, number>() };
  const widest = new Map<string, Amounts>();
  for (const amounts of all) {
    for (const list of ['requests', 'limits'] as const) {
      for (const [name, amount] of amounts[list]) {
        keep(least[list], name, amount, -1);
        keep(most[list], name, amount, 1);
        counts[list].set(name, (counts[list].get(name) ?? 0) + 1);
      }
    }
    for (const name of amounts.limits.keys()) {
      const known = widest.get(name);
      if (known === undefined || isWider(amounts, known, name)) widest.set(name, amounts);
    }
  }
  return { least, most, requesting: counts.requests, limiting: counts.limits, widest };
}

function keep(to: Map<string, Quantity>, name: string, amount: Quantity, sign: number): void {
  const known = to.get(name);
  if (known === undefined || compareQuantities(amount, known) * sign > 0) to.set(name, amount);
}

/** What has no request, or none above zero, counts as the widest: no ratio allows it. */
function isWider(a: Amounts, b: Amounts, name: string): boolean {
  const [requestA, requestB] = [a.requests.get(name), b.requests.get(name)];
  if (requestB === undefined || requestB.unscaled === 0n) return false;
  if (requestA === undefined || requestA.unscaled === 0n) return true;
  const [limitA, limitB] = [a.limits.get(name), b.limits.get(name)];
  // It says nothing of the limit, or zero: no ratio allows that either.
  if (limitB === undefined || limitB.unscaled === 0n) return false;
  if (limitA === undefined || limitA.unscaled === 0n) return true;
  return compareQuantities(product(limitA, requestB), product(limitB, requestA)) > 0;
}

/** Whether any of so many containers does not keep it. */
export function isBroken(item: LimitItem, extremes: Extremes, count: number): boolean {
  if (count === 0) return false;
  const { least, limiting, most, requesting, widest } = extremes;
  const { max, min, ratio, type } = item;
  return (
    min.some(
      (bound) =>
        requesting.get(bound.resource) !== count || atLeast(type, bound, least) !== undefined,
    ) ||
    max.some(
      (bound) =>
        limiting.get(bound.resource) !== count || atMost(type, bound, most) !== undefined,
    ) ||
    ratio.some((bound) => {
      const worst = widest.get(bound.resource);
      const isSaid = limiting.get(bound.resource) === count && worst !== undefined;
      return !isSaid || ratioAtMost(type, bound, worst) !== undefined;
    })
  );
}

