/**
 * The versions of a definition whose objects a webhook converts.
 *
 *     read     stored objects ─▶ convert, in batches ─▶ shown
 *     decide   an object in another version ─ remembered? ─▶ it
 *                      └─ no: ConversionMissing ─▶ convert ─▶ remember ─▶ decided again
 *
 * Invariants: what comes back is read by the schema of its version. A webhook that is slow or dead
 * holds up those who ask for its own type, and nobody else; what is written for it and read of its
 * answer shares the turns of the event loop, an object at a time. A call ends when who asked goes.
 * Bounds: those of `batchLimits` a call, but at least one object; what is remembered is bounded by
 * remembered-conversions.ts.
 */
import { bodyValuesMax, countValues } from '../../apimachinery/codecs/body-bounds.ts';
import { stringifyJson } from '../../apimachinery/codecs/lossless.ts';
import { ConversionMissing } from '../../apimachinery/object-version.ts';
import type { ConversionWebhook, ConvertedObjects } from '../../apimachinery/scheme.ts';
import { newClientGone, StatusError } from '../../apimachinery/status-error.ts';
import { StatusReason } from '../../apimachinery/status-table.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { messageOf } from '../../stdx/message-of.ts';
import type { Requester } from '../../stdx/requester.ts';
import { runToEnd } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { Turns } from '../../stdx/turns.ts';
import { conversionReview, readReview } from '../conversion/conversion-review.ts';
import type { ReviewAnswer } from '../conversion/conversion-review.ts';
import type { RememberedConversions } from './remembered-conversions.ts';

/** The answer is read at once by the engine, so what is asked for at a time is small. */
const batchLimits = {
  objectsMax: 500,
  charsMax: 1024 * 1024,
  /** Members and items. */
  valuesMax: bodyValuesMax,
} as const;

export interface WebhookConversionDeps {
  /** The group of definitions. */
  readonly group: string;
  readonly reviewVersions: () => readonly string[];
  /** Sends the JSON of a review. Rejects when there is no answer. */
  readonly call: (review: string, requester: Requester | undefined) => Promise<JsonObject>;
  readonly uuid: () => string;
  readonly turns: Pick<Turns, 'run'>;
  readonly remembered: RememberedConversions;
  /** By apiVersion: an object as its schema reads it. */
  readonly read: (object: ApiObject) => ApiObject;
}

export interface WebhookConversion extends ConversionWebhook {
  /** @throws ConversionMissing. */
  need(object: ApiObject, apiVersion: string): ApiObject;
}

export function webhookConversion(deps: WebhookConversionDeps): WebhookConversion {
  // Another schema reads the same answers in another way.
  const own = deps.uuid();
  // A decision that is made again asks for the same object, which may be a large one.
  const texts = new WeakMap<ApiObject, string>();
  const textOf = (object: ApiObject): string => {
    const text = texts.get(object) ?? stringifyJson(object);
    texts.set(object, text);
    return text;
  };
  const nameOf = (object: ApiObject, apiVersion: string): string =>
    `${own} ${apiVersion} ${textOf(object)}`;
  const inTurns = <T>(work: Steps<T>): Promise<T> => runToEnd(deps.turns, work);
  return {
    id: own,
    async convert<T>(
      objects: Iterable<ApiObject | undefined>,
      apiVersion: string,
      shown: (object: ApiObject) => Steps<T>,
      requester?: Requester,
    ): Promise<ConvertedObjects<T>> {
      const results: T[] = [];
      const batches = takeBatches(objects[Symbol.iterator](), apiVersion, function* (object, at) {
        results[at] = yield* shown(object);
      });
      for (;;) {
        const batch = await inTurns(batches.next());
        if (batch.objects.length === 0) return { kind: 'ok', objects: results };
        const answer = await ask(deps, batch, apiVersion, inTurns, requester);
        if (requester?.closed === true) return left;
        if (answer.kind !== 'ok') return { kind: 'refused', error: errorOf(answer, batch) };
        await inTurns(
          showAll(answer.objects, function* (object, i) {
            results[batch.places[i] as number] = yield* shown(object);
          }),
        );
      }
    },
    remember: (object, apiVersion, converted) =>
      inTurns(
        (function* () {
          const name = nameOf(object, apiVersion);
          yield;
          deps.remembered.set(name, converted);
        })(),
      ),
    need(object, apiVersion) {
      if (object.apiVersion === apiVersion) return object;
      const known = deps.remembered.get(nameOf(object, apiVersion));
      if (known === undefined) throw new ConversionMissing(object, apiVersion);
      return known;
    },
  };
}

const left = { kind: 'refused', error: newClientGone('its objects were converted') } as const;

interface Batch {
  readonly objects: ApiObject[];
  /** Their JSON. */
  readonly texts: string[];
  /** Where they stand among all. */
  readonly places: number[];
}

/** `keep`: for those that are in the version already. */
function takeBatches(
  objects: Iterator<ApiObject | undefined>,
  apiVersion: string,
  keep: (object: ApiObject, at: number) => Steps<void>,
): { next(): Steps<Batch> } {
  let at = 0;
  return {
    *next() {
      const batch: Batch = { objects: [], texts: [], places: [] };
      let [chars, values] = [0, 0];
      while (
        batch.objects.length < batchLimits.objectsMax &&
        chars < batchLimits.charsMax &&
        values < batchLimits.valuesMax
      ) {
        const next = objects.next();
        if (next.done === true) break;
        yield;
        const object = next.value;
        if (object === undefined) continue;
        if (object.apiVersion === apiVersion) yield* keep(object, at);
        else {
          const json = stringifyJson(object);
          yield;
          batch.objects.push(object);
          batch.texts.push(json);
          batch.places.push(at);
          chars += json.length;
          values += countValues(object);
        }
        at += 1;
        yield;
      }
      return batch;
    },
  };
}

function* showAll(
  objects: readonly ApiObject[],
  show: (object: ApiObject, i: number) => Steps<void>,
): Steps<void> {
  for (const [i, object] of objects.entries()) {
    yield* show(object, i);
    yield;
  }
}

async function ask(
  { call, group, read, reviewVersions, uuid }: WebhookConversionDeps,
  { objects, texts }: Batch,
  apiVersion: string,
  inTurns: <T>(work: Steps<T>) => Promise<T>,
  requester: Requester | undefined,
): Promise<ReviewAnswer> {
  const request = {
    group,
    reviewVersions: reviewVersions(),
    uid: uuid(),
    apiVersion,
    objects,
    texts,
  };
  const review = conversionReview(request);
  if (review === undefined) {
    return { kind: 'failed', problem: 'it understands no version of ConversionReview' };
  }
  try {
    const answer = await call(review.body, requester);
    return await inTurns(readReview(request, review, answer, read));
  } catch (error) {
    return { kind: 'failed', problem: messageOf(error) };
  }
}

function errorOf(
  answer: Exclude<ReviewAnswer, { readonly kind: 'ok' }>,
  { objects }: Batch,
): StatusError {
  const [{ apiVersion: from, kind } = { apiVersion: '', kind: '' }] = objects;
  const verb = answer.kind === 'failed' ? 'failed:' : 'returned';
  const message = `conversion webhook for ${from}, Kind=${kind} ${verb} ${answer.problem}`;
  return new StatusError({ reason: StatusReason.internalError, message });
}
