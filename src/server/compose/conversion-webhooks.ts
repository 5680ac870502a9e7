/**
 * Calls conversion webhooks: where a `clientConfig` leads, with connections that are kept.
 *
 * Elsewhere: what is asked and what is made of the answer (src/apiextensions/conversion).
 *
 * Invariants: a call ends within `timeoutMs` and is not tried again. An answer is read in steps;
 * the longest is the engine's own reading of JSON, so it is small.
 */
import { bodyValuesMax } from '../../apimachinery/codecs/body-bounds.ts';
import { jsonSteps } from '../../apimachinery/codecs/json.ts';
import type { StatusError } from '../../apimachinery/status-error.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import type { Timers } from '../../stdx/clock.ts';
import type { Requester } from '../../stdx/requester.ts';
import { runToEnd } from '../../stdx/stepwise.ts';
import type { Turns } from '../../stdx/turns.ts';
import { clientEndpoint } from '../../webhooks/client-config.ts';
import { posterPool } from '../../webhooks/poster-pool.ts';
import type { ResolveService } from '../../webhooks/service-resolver.ts';
import { WebhookError } from '../../webhooks/webhook-poster.ts';

const limits = {
  timeoutMs: 30_000,
  /** What is sent at a time has a quarter of that, or is one object. No object is larger. */
  answerBytesMax: 4 * 1024 * 1024,
  answerValuesMax: 2 * bodyValuesMax,
  postersMax: 64,
} as const;

/** `requester`: when it goes the call is cut. */
export type CallWebhook = (
  clientConfig: JsonObject,
  review: string,
  requester: Requester | undefined,
) => Promise<JsonObject>;

export function conversionWebhooks(
  resolve: ResolveService,
  timers: Timers,
  turns: Pick<Turns, 'run'>,
): CallWebhook {
  const { answerBytesMax, answerValuesMax, postersMax } = limits;
  const posterTo = posterPool(timers, postersMax, { answerBytesMax });
  return async (clientConfig, review, requester) => {
    const target = clientEndpoint(clientConfig).target(resolve);
    const poster = posterTo(target);
    const answer = await poster.post(review, limits.timeoutMs, target.url, requester);
    const reading = jsonSteps(answer, { findDuplicates: false, valuesMax: answerValuesMax });
    const decoded = await runToEnd(turns, reading);
    if (decoded.kind === 'refused') throw new WebhookError(ofAnswer(decoded.error), false);
    if (!isJsonObject(decoded.value)) {
      throw new WebhookError('the answer is not a JSON object', false);
    }
    return decoded.value;
  };
}

/** The decoder speaks of the body of a request. */
function ofAnswer({ message }: StatusError): string {
  return message.replace(/^.*?the body /, 'the answer ');
}
