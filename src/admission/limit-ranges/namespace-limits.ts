/**
 * The LimitRanges of a namespace, read once: default amounts for containers, and the limits of each
 * range.
 *
 * pod-limits.ts applies them.
 *
 * Invariants: ranges are applied in the order of their names. The default amount of a resource is
 * that of the first range that has one; within a range the last one counts.
 * Bounds: `limitsMax` amounts in a namespace. Policy: in a namespace with more, pods are refused
 * until there are fewer.
 */
import { objects, part, text } from '../../apimachinery/members.ts';
import { formatQuantity, parseQuantity } from '../../apimachinery/quantity.ts';
import type { Quantity } from '../../apimachinery/quantity.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import type { Steps } from '../../stdx/stepwise.ts';

export const limitsMax = 5000;

/** One amount of one resource. */
export interface Bound {
  readonly resource: string;
  readonly amount: Quantity;
  /** Canonical. */
  readonly text: string;
}

export interface LimitItem {
  /** `Container`, `Pod`, `PersistentVolumeClaim`, or one that means nothing here. */
  readonly type: string;
  readonly min: readonly Bound[];
  readonly max: readonly Bound[];
  /** Of limits to requests. */
  readonly ratio: readonly Bound[];
}

/** What containers get that say nothing: canonical amounts by resource. */
export interface UsualAmounts {
  readonly limits: ReadonlyMap<string, string>;
  readonly requests: ReadonlyMap<string, string>;
}

export interface NamespaceLimits {
  readonly usual: UsualAmounts;
  /** Those of each range. */
  readonly ranges: readonly (readonly LimitItem[])[];
}

/** `too many`: nothing of them is known. A step for each range. */
export function* readLimits(ranges: Iterable<ApiObject>): Steps<NamespaceLimits | 'too many'> {
  const limits = new Map<string, string>();
  const requests = new Map<string, string>();
  const read: (readonly LimitItem[])[] = [];
  let count = 0;
  for (const range of ranges) {
    count += 1;
    const own = { limits: new Map<string, string>(), requests: new Map<string, string>() };
    const items: LimitItem[] = [];
    for (const item of objects(part(range, 'spec'), 'limits')) {
      const type = text(item, 'type');
      const [min, max] = [boundsIn(item, 'min'), boundsIn(item, 'max')];
      const ratio = boundsIn(item, 'maxLimitRequestRatio');
      if (type === 'Container') {
        for (const [list, name] of [
          [own.limits, 'default'],
          [own.requests, 'defaultRequest'],
        ] as const) {
          for (const bound of boundsIn(item, name)) list.set(bound.resource, bound.text);
        }
      }
      items.push({ type, min, max, ratio });
      count += min.length + max.length + ratio.length;
    }
    count += own.limits.size + own.requests.size;
    if (count > limitsMax) return 'too many';
    addMissing(limits, own.limits);
    addMissing(requests, own.requests);
    read.push(items);
    yield;
  }
  return { usual: { limits, requests }, ranges: read };
}

function addMissing(to: Map<string, string>, from: ReadonlyMap<string, string>): void {
  for (const [name, amount] of from) if (!to.has(name)) to.set(name, amount);
}

/** By the name of the resource. */
function boundsIn(item: JsonObject, list: string): readonly Bound[] {
  const amounts = part(item, list);
  const bounds: Bound[] = [];
  for (const resource of Object.keys(amounts).sort()) {
    const amount = parseQuantity(String(amounts[resource]));
    // What is no amount has been refused when it was written.
    if (amount !== undefined) bounds.push({ resource, amount, text: formatQuantity(amount) });
  }
  return bounds;
}
