/**
 * Calls conversion webhooks: where a `clientConfig` leads, with connections that are kept.
 *
 * What it is not: what is asked, or what is made of the answer (src/apiextensions/conversion).
 *
 * Invariants: a call ends within `timeoutMs` and is not tried again.
 */
import { decodeJson } from '../../apimachinery/codecs/json.ts';
import { stringifyJson } from '../../apimachinery/codecs/lossless.ts';
import { decodeObject } from '../../apimachinery/object-encoding.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import type { Timers } from '../../stdx/clock.ts';
import type { Streams } from '../../../streams/streams.ts';
import { clientTarget } from '../../webhooks/client-config.ts';
import type { FindService } from '../../webhooks/client-config.ts';
import { posterPool } from '../../webhooks/poster-pool.ts';
import { WebhookError } from '../../webhooks/webhook-poster.ts';

const limits = {
  timeoutMs: 30_000,
  /** As many objects as are sent at a time may come back, each as large as objects are. */
  answerBytesMax: 64 * 1024 * 1024,
  postersMax: 64,
} as const;

export type CallWebhook = (clientConfig: JsonObject, review: JsonObject) => Promise<JsonObject>;

export function conversionWebhooks(
  streams: Pick<Streams, 'snapshot'>,
  timers: Timers,
): CallWebhook {
  const { answerBytesMax, postersMax } = limits;
  const posterTo = posterPool(timers, postersMax, { answerBytesMax });
  const find = serviceFinder(streams);
  return async (clientConfig, review) => {
    const { target } = clientTarget(clientConfig, find);
    const body = stringifyJson(review);
    const answer = await posterTo(target).post(body, limits.timeoutMs, target.url);
    const decoded = decodeJson(answer, { findDuplicates: false });
    if (decoded.kind === 'refused' || !isJsonObject(decoded.value)) {
      throw new WebhookError('the answer is not a JSON object', false);
    }
    return decoded.value;
  };
}

/** Services as this server knows them. */
export function serviceFinder(streams: Pick<Streams, 'snapshot'>): FindService {
  return (namespace, name) => {
    const entry = streams.snapshot({ group: '', resource: 'services' }).get(namespace, name);
    return entry && decodeObject(entry.bytes);
  };
}
