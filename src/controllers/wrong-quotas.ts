/**
 * Quotas of a namespace whose status does not say what there is.
 *
 * What it is not: what is done about them (quota-counter.ts).
 *
 * Invariants: quotas and objects are looked at as they are at one moment. A quota that limits what
 * cannot be read yet is not looked at: nobody knows what there is.
 * Bounds: a step for each quota and for each object.
 */
import { part } from '../apimachinery/members.ts';
import { decodeObject } from '../apimachinery/object-encoding.ts';
import { compareQuantities, parseQuantity } from '../apimachinery/quantity.ts';
import type { GroupResource } from '../apimachinery/schema.ts';
import type { ApiObject, JsonObject } from '../apimachinery/unstructured.ts';
import { deepEqual } from '../stdx/deep-equal.ts';
import type { Steps } from '../stdx/stepwise.ts';
import type { Entry } from '../../streams/streams.ts';
import { countQuotas, isCountable } from './quota-usage.ts';
import type { Counted } from './quota-usage.ts';

const quotas: GroupResource = { group: '', resource: 'resourcequotas' };

type WrongDeps = Parameters<typeof countQuotas>[0];

export interface WrongQuota {
  readonly quota: ApiObject;
  readonly status: Counted;
}

/** A step for each quota that is read, each object, and each quota that is compared. What was
 * charged while others were read is read again: quotas and objects are of one moment. */
export function* wrongQuotas(
  deps: WrongDeps,
  namespace: string,
  names: readonly string[],
  isMeant: (quota: ApiObject) => boolean,
): Steps<readonly WrongQuota[]> {
  const read: { readonly entry: Entry; readonly quota: ApiObject }[] = [];
  for (const name of names) {
    const entry = deps.streams.snapshot(quotas).get(namespace, name);
    const quota = entry && decodeObject(entry.bytes);
    if (entry !== undefined && quota !== undefined && isMeant(quota)) read.push({ entry, quota });
    yield;
  }
  if (read.length === 0) return [];
  const now = deps.streams.snapshot(quotas);
  const looked: ApiObject[] = [];
  for (const { entry, quota } of read) {
    const found = now.get(namespace, entry.name);
    if (found?.revision === entry.revision) looked.push(quota);
    else if (found !== undefined) {
      looked.push(decodeObject(found.bytes));
      yield;
    }
  }
  const countable = looked.filter((quota) => isCountable(deps, quota));
  const counted = yield* countQuotas(deps, namespace, countable);
  const wrong: WrongQuota[] = [];
  for (const [at, quota] of countable.entries()) {
    const status = counted[at];
    // What it limits may have been whole at the start of that alone.
    const isKnown = status !== undefined && isCountable(deps, quota);
    if (isKnown && !isRight(quota, status)) wrong.push({ quota, status });
    yield;
  }
  return wrong;
}

function isRight(quota: ApiObject, { hard, used }: Counted): boolean {
  const status = part(quota, 'status');
  const shown = part(status, 'used');
  return (
    deepEqual(hard, part(status, 'hard')) &&
    sameNames(used, shown) &&
    Object.entries(used).every(([name, amount]) => {
      const [a, b] = [parseQuantity(amount), parseQuantity(String(shown[name]))];
      return a !== undefined && b !== undefined && compareQuantities(a, b) === 0;
    })
  );
}

export function sameNames(a: JsonObject, b: JsonObject): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name));
}
