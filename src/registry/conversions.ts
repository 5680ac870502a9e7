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
import type { Steps } from '../stdx/stepwise.ts';
import { refused } from './registry.ts';

const conversionsMax = 8;

/** Why it could not be converted; undefined: it was, and the result is cached. */
export async function convertMissing(
  { custom }: KindInfo,
  object: ApiObject,
  apiVersion: string,
): Promise<StatusError | undefined> {
  const webhook = custom?.webhook;
  if (webhook === undefined) return undefined;
  const converted = await webhook.convert([object], apiVersion, asItIs);
  if (converted.kind === 'refused') return converted.error;
  const [shown] = converted.objects;
  if (shown === undefined) return undefined;
  await webhook.remember(object, apiVersion, shown);
  // The way back is known as well.
  await webhook.remember(shown, object.apiVersion, object);
  return undefined;
}

function* asItIs(object: ApiObject): Steps<ApiObject> {
  yield;
  return object;
}

export async function withConversions<T>(
  kind: KindInfo,
  work: () => Promise<T>,
): Promise<T | ReturnType<typeof refused>> {
  if (kind.custom?.webhook === undefined) return work();
  for (let asked = 0; ; asked += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ConversionMissing) || asked >= conversionsMax) throw error;
      const refusal = await convertMissing(kind, error.object, error.apiVersion);
      if (refusal !== undefined) return refused(refusal);
    }
  }
}
