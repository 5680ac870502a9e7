/**
 * The versions of a definition whose objects a webhook converts.
 *
 *     read     stored objects ─▶ convert, in batches ─▶ shown
 *     decide   an object in another version ─ remembered? ─▶ it
 *                      └─ no: ConversionMissing ─▶ convert ─▶ remember ─▶ decided again
 *
 * Invariants: what comes back is read by the schema of its version. A webhook that is slow or dead
 * holds up those who ask for its own type, and nobody else.
 * Bounds: `batchMax` objects a call; conversions are remembered up to `rememberedMax`, those that
 * were asked for longest ago go first.
 */
import { stringifyJson } from '../../apimachinery/codecs/lossless.ts';
import { ConversionMissing } from '../../apimachinery/object-version.ts';
import type { ConversionWebhook, ConvertedObjects } from '../../apimachinery/scheme.ts';
import { StatusError } from '../../apimachinery/status-error.ts';
import { StatusReason } from '../../apimachinery/status-table.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { messageOf } from '../../stdx/message-of.ts';
import { conversionReview, readReview } from '../conversion/conversion-review.ts';
import type { ReviewAnswer } from '../conversion/conversion-review.ts';

const batchMax = 500;
const rememberedMax = 256;

export interface WebhookConversionDeps {
  /** The group of definitions. */
  readonly group: string;
  readonly reviewVersions: () => readonly string[];
  /** Rejects when there is no answer. */
  readonly call: (review: JsonObject) => Promise<JsonObject>;
  readonly uuid: () => string;
  /** By apiVersion: an object as its schema reads it. */
  readonly read: (object: ApiObject) => ApiObject;
}

export interface WebhookConversion extends ConversionWebhook {
  /** @throws ConversionMissing. */
  need(object: ApiObject, apiVersion: string): ApiObject;
}

export function webhookConversion(deps: WebhookConversionDeps): WebhookConversion {
  const remembered = new Map<string, ApiObject>();
  const convertBatch = async (
    objects: readonly ApiObject[],
    apiVersion: string,
  ): Promise<ConvertedObjects> => {
    const answer = await ask(deps, objects, apiVersion);
    if (answer.kind === 'ok') return { kind: 'ok', objects: answer.objects.map(deps.read) };
    const [{ apiVersion: from, kind } = { apiVersion: '', kind: '' }] = objects;
    const verb = answer.kind === 'failed' ? 'failed:' : 'returned';
    const message = `conversion webhook for ${from}, Kind=${kind} ${verb} ${answer.problem}`;
    const error = new StatusError({ reason: StatusReason.internalError, message });
    return { kind: 'refused', error };
  };
  return {
    async convert(objects, apiVersion) {
      const all = [...objects];
      const places = all.flatMap((object, at) => (object.apiVersion === apiVersion ? [] : [at]));
      for (let from = 0; from < places.length; from += batchMax) {
        const batch = places.slice(from, from + batchMax);
        const given = batch.map((at) => all[at] as ApiObject);
        const converted = await convertBatch(given, apiVersion);
        if (converted.kind === 'refused') return converted;
        for (const [i, at] of batch.entries()) all[at] = converted.objects[i] as ApiObject;
      }
      return { kind: 'ok', objects: all };
    },
    remember(object, apiVersion, converted) {
      remembered.set(nameOf(object, apiVersion), converted);
      for (const oldest of remembered.keys()) {
        if (remembered.size <= rememberedMax) break;
        remembered.delete(oldest);
      }
    },
    need(object, apiVersion) {
      if (object.apiVersion === apiVersion) return object;
      const name = nameOf(object, apiVersion);
      const known = remembered.get(name);
      if (known === undefined) throw new ConversionMissing(object, apiVersion);
      remembered.delete(name);
      remembered.set(name, known);
      return known;
    },
  };
}

function nameOf(object: ApiObject, apiVersion: string): string {
  return `${apiVersion} ${stringifyJson(object)}`;
}

async function ask(
  { call, group, reviewVersions, uuid }: WebhookConversionDeps,
  objects: readonly ApiObject[],
  apiVersion: string,
): Promise<ReviewAnswer> {
  const request = { group, reviewVersions: reviewVersions(), uid: uuid(), apiVersion, objects };
  const review = conversionReview(request);
  if (review === undefined) {
    return { kind: 'failed', problem: 'it understands no version of ConversionReview' };
  }
  try {
    return readReview(request, review, await call(review));
  } catch (error) {
    return { kind: 'failed', problem: messageOf(error) };
  }
}
