/**
 * Work on objects of a kind with a conversion webhook: missing conversions are requested, and then
 * the work is done again.
 *
 * Invariants: work that throws ConversionMissing has changed nothing. For all other kinds it does
 * nothing. Bound: `conversionsMax` conversions for one piece of work.
 */
import { ConversionMissing } from '../apimachinery/object-version.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import type { StatusError } from '../apimachinery/status-error.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import type { Requester } from '../stdx/requester.ts';
import type { Steps } from '../stdx/stepwise.ts';
import { refused } from './registry.ts';

const conversionsMax = 8;

/** Whoever is to do his work again keeps `held` until it is done: what was converted is found that
 * long. */
export type MissingConverted =
  | { readonly kind: 'converted'; readonly held: readonly ApiObject[] }
  | { readonly kind: 'refused'; readonly error: StatusError };

export async function convertMissing(
  { custom }: KindInfo,
  object: ApiObject,
  apiVersion: string,
  requester?: Requester,
): Promise<MissingConverted> {
  const webhook = custom?.webhook;
  if (webhook === undefined) return { kind: 'converted', held: [] };
  const converted = await webhook.convert([object], apiVersion, asItIs, requester);
  if (converted.kind === 'refused') return converted;
  const [shown] = converted.objects;
  if (shown === undefined) return { kind: 'converted', held: [] };
  await webhook.remember(object, apiVersion, shown);
  // The way back is known as well.
  await webhook.remember(shown, object.apiVersion, object);
  return { kind: 'converted', held: [object, shown] };
}

function* asItIs(object: ApiObject): Steps<ApiObject> {
  yield;
  return object;
}

export async function withConversions<T>(
  kind: KindInfo,
  work: () => Promise<T>,
  requester?: Requester,
): Promise<T | ReturnType<typeof refused>> {
  if (kind.custom?.webhook === undefined) return work();
  for (const held: (readonly ApiObject[])[] = []; ;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ConversionMissing) || held.length >= conversionsMax) throw error;
      const found = await convertMissing(kind, error.object, error.apiVersion, requester);
      if (found.kind === 'refused') return refused(found.error);
      held.push(found.held);
    }
  }
}
