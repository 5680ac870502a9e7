/**
 * Calls conversion webhooks: where a `clientConfig` leads, with connections that are kept.
 *
 * Elsewhere: what is asked and what is made of the answer (src/apiextensions/conversion).
 *
 * Invariants: a call ends within `timeoutMs` and is not tried again.
 */
import { decodeJson } from '../../apimachinery/codecs/json.ts';
import { stringifyJson } from '../../apimachinery/codecs/lossless.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import type { Timers } from '../../stdx/clock.ts';
import { clientPlace } from '../../webhooks/client-config.ts';
import { posterPool } from '../../webhooks/poster-pool.ts';
import type { ResolveService } from '../../webhooks/service-resolver.ts';
import { WebhookError } from '../../webhooks/webhook-poster.ts';

const limits = {
  timeoutMs: 30_000,
  /** As many objects as are sent at a time may come back, each as large as objects are. */
  answerBytesMax: 64 * 1024 * 1024,
  postersMax: 64,
} as const;

export type CallWebhook = (clientConfig: JsonObject, review: JsonObject) => Promise<JsonObject>;

export function conversionWebhooks(resolve: ResolveService, timers: Timers): CallWebhook {
  const { answerBytesMax, postersMax } = limits;
  const posterTo = posterPool(timers, postersMax, { answerBytesMax });
  return async (clientConfig, review) => {
    const target = clientPlace(clientConfig).target(resolve);
    const body = stringifyJson(review);
    const answer = await posterTo(target).post(body, limits.timeoutMs, target.url);
    const decoded = decodeJson(answer, { findDuplicates: false });
    if (decoded.kind === 'refused' || !isJsonObject(decoded.value)) {
      throw new WebhookError('the answer is not a JSON object', false);
    }
    return decoded.value;
  };
}
