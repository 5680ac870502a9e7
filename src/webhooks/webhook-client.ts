/**
 * Calls a webhook: sends one JSON document and returns the one that comes back, with retries.
 *
 * It caches nothing and does not know what the documents mean. webhook-poster.ts sends a request
 * once.
 *
 * Invariants: all tries of a call together end within `timeoutMs`. Only failures that a retry may
 * cure (no connection, 429, 5xx) are tried again. Redirects are failures. An error contains neither
 * the request nor a credential.
 * Bounds: `webhookLimits.triesMax` tries, with pauses that double.
 */
import type { JsonObject } from '../apimachinery/unstructured.ts';
import { jsonSteps } from '../apimachinery/codecs/json.ts';
import { isJsonObject } from '../apimachinery/unstructured.ts';
import type { Clock, Timers } from '../stdx/clock.ts';
import { sleepFor } from '../stdx/requester.ts';
import type { Requester } from '../stdx/requester.ts';
import { finished, runToEnd } from '../stdx/stepwise.ts';
import type { Turns } from '../stdx/turns.ts';
import type { WebhookTarget } from './kubeconfig-target.ts';
import { createWebhookPoster, WebhookError } from './webhook-poster.ts';

export const webhookLimits = {
  triesMax: 4,
  firstPauseMs: 250,
} as const;

export interface WebhookClient {
  /** `requester`: when it goes the call is cut. @throws WebhookError. */
  call(document: JsonObject, requester?: Requester): Promise<JsonObject>;
  close(): void;
}

export interface WebhookClientDeps {
  readonly clock: Clock;
  readonly timers: Timers;
  /** For answers that are long. */
  readonly turns: Pick<Turns, 'run'>;
}

/** Bytes: a smaller answer is read at once. */
const largeAnswer = 16 * 1024;

export function createWebhookClient(
  target: WebhookTarget,
  timeoutMs: number,
  { clock, timers, turns }: WebhookClientDeps,
): WebhookClient {
  const poster = createWebhookPoster(target, timers);
  return {
    async call(document, requester) {
      const body = JSON.stringify(document);
      const endMs = clock.monotonicMs() + timeoutMs;
      let pauseMs: number = webhookLimits.firstPauseMs;
      for (let tries = 1; ; tries += 1) {
        try {
          const leftMs = Math.max(1, endMs - clock.monotonicMs());
          return await documentOf(await poster.post(body, leftMs, target.url, requester), turns);
        } catch (error) {
          const again = error instanceof WebhookError && error.mayTryAgain;
          const late = clock.monotonicMs() + pauseMs >= endMs;
          if (!again || late || tries >= webhookLimits.triesMax) throw error;
        }
        await sleepFor(requester, timers, pauseMs);
        pauseMs *= 2;
      }
    },
    close: () => poster.close(),
  };
}

/** @throws WebhookError. */
async function documentOf(answer: Buffer, turns: Pick<Turns, 'run'>): Promise<JsonObject> {
  const reading = jsonSteps(answer);
  const isLarge = answer.length > largeAnswer;
  const decoded = isLarge ? await runToEnd(turns, reading) : finished(reading);
  if (decoded.kind === 'refused' || !isJsonObject(decoded.value)) {
    throw new WebhookError('the answer is not a JSON object', false);
  }
  return decoded.value;
}
