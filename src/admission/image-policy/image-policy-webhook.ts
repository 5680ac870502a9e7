/**
 * ImagePolicyWebhook: another server decides which images may run.
 *
 *     a pod's images, its annotations `*.image-policy.<domain>/*`, its namespace ▶ ImageReview
 *     status.allowed ▶ the pod is written | 403 with status.reason
 *     no answer      ▶ `defaultAllow` decides; the audit event says if a pod was let through
 *
 * Elsewhere: a single call (src/webhooks).
 *
 * Invariants: an answer without `allowed` refuses. An answer without kind or version counts as one
 * of those that were sent.
 * Bounds: answers are kept for their time to live, the `keptMax` most recently used ones. Requests
 * longer than `keyCharsMax` are not cached. `reviewMs` for an answer, with all tries, which are at
 * most `triesMax`, and none for a client that has gone.
 */
import { decodeJson } from '../../apimachinery/codecs/json.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import { objects, part, text, textMap } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import type { Clock, Timers } from '../../stdx/clock.ts';
import { messageOf } from '../../stdx/message-of.ts';
import { sleepFor } from '../../stdx/requester.ts';
import type { Requester } from '../../stdx/requester.ts';
import { WebhookError } from '../../webhooks/webhook-poster.ts';
import type { WebhookPoster } from '../../webhooks/webhook-poster.ts';
import type { AdmissionPlugin, Refusal, Review, AdmissionRecorder } from '../admission.ts';
import type { ImagePolicySettings } from './settings.ts';

const keptMax = 1024;
const keyCharsMax = 10_000;
const reviewMs = 30_000;
const triesMax = 5;
const pauseGrowth = 1.5;

export interface ImagePolicyPorts {
  readonly poster: Pick<WebhookPoster, 'post'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly timers: Timers;
}

interface Answer {
  readonly allowed: boolean;
  readonly reason: string;
  readonly annotations: Readonly<Record<string, string>>;
}

export function imagePolicyWebhook(
  identity: Identity,
  settings: ImagePolicySettings,
  ports: ImagePolicyPorts,
): AdmissionPlugin {
  const kept = new Map<string, { readonly answer: Answer; readonly untilMs: number }>();
  const { clock } = ports;
  const prefix = `imagepolicywebhook.image-policy.${identity.domain}`;
  const keep = (key: string, answer: Answer): void => {
    const ttlMs = answer.allowed ? settings.allowedMs : settings.deniedMs;
    if (ttlMs <= 0 || key.length > keyCharsMax) return;
    const [oldest] = kept.keys();
    if (kept.size >= keptMax && oldest !== undefined) kept.delete(oldest);
    kept.set(key, { answer, untilMs: clock.monotonicMs() + ttlMs });
  };
  const refusalOf = (answer: Answer, recorder: AdmissionRecorder): Refusal => {
    for (const [key, value] of Object.entries(answer.annotations)) {
      recorder.annotate(`${prefix}/${key}`, value);
    }
    if (answer.allowed) return undefined;
    return answer.reason === ''
      ? 'one or more images rejected by webhook backend'
      : `image policy webhook backend denied one or more images: ${answer.reason}`;
  };
  return {
    name: 'ImagePolicyWebhook',
    resources: ['/pods', '/pods/ephemeralcontainers'],
    concerns: (_user, { operations }) => !operations.includes('DELETE'),
    async validate(review, { recorder }) {
      const spec = reviewedSpec(review, identity.domain);
      const key = JSON.stringify(spec);
      const known = kept.get(key);
      kept.delete(key);
      if (known !== undefined && known.untilMs > clock.monotonicMs()) {
        // To the end of the order: used last.
        kept.set(key, known);
        return refusalOf(known.answer, recorder);
      }
      try {
        const answer = await requestReview(spec, identity, settings, ports, review.requester);
        keep(key, answer);
        return refusalOf(answer, recorder);
      } catch (error) {
        if (!settings.allowsWithoutAnswer) return messageOf(error);
        recorder.annotate(`${prefix}/failed-open`, 'true');
        return undefined;
      }
    },
  };
}

function reviewedSpec({ namespace, next, subresource }: Review, domain: string): JsonObject {
  const spec = part(next, 'spec');
  const lists = subresource === '' ? ['containers', 'initContainers'] : ['ephemeralContainers'];
  const containers = lists.flatMap((list) =>
    objects(spec, list).map((container) => ({ image: text(container, 'image') })),
  );
  const suffix = `.image-policy.${domain}/`;
  // In order, so that the same ones are the same question.
  const annotations = Object.entries(next?.metadata.annotations ?? {})
    .filter(([key]) => key.includes(suffix))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const extra = annotations.length === 0 ? {} : { annotations: Object.fromEntries(annotations) };
  return { containers, ...extra, namespace };
}

async function requestReview(
  spec: JsonObject,
  { fill }: Identity,
  { firstPauseMs }: ImagePolicySettings,
  { clock, poster, timers }: ImagePolicyPorts,
  requester: Requester | undefined,
): Promise<Answer> {
  const apiVersion = `${fill('imagepolicy.{domain}')}/v1alpha1`;
  const review = { kind: 'ImageReview', apiVersion, metadata: {}, spec };
  const body = JSON.stringify({ ...review, status: { allowed: false } });
  const endMs = clock.monotonicMs() + reviewMs;
  let pauseMs = firstPauseMs;
  for (let tries = 1; ; tries += 1) {
    try {
      const leftMs = Math.max(1, endMs - clock.monotonicMs());
      return answerOf(await poster.post(body, leftMs, undefined, requester), apiVersion);
    } catch (error) {
      const again = error instanceof WebhookError && error.mayTryAgain;
      const isLate = clock.monotonicMs() + pauseMs >= endMs;
      if (!again || isLate || tries >= triesMax) throw error;
    }
    await sleepFor(requester, timers, pauseMs);
    pauseMs *= pauseGrowth;
  }
}

/** @throws WebhookError. */
function answerOf(bytes: Buffer, apiVersion: string): Answer {
  const decoded = decodeJson(bytes, { findDuplicates: false });
  const review = decoded.kind === 'refused' ? undefined : decoded.value;
  const isOne = isJsonObject(review) && isReview(review, apiVersion);
  const status = isOne ? part(review, 'status') : {};
  const allowed = status['allowed'] ?? false;
  if (!isOne || typeof allowed !== 'boolean') {
    throw new WebhookError('the answer of the image policy webhook is no ImageReview', false);
  }
  const annotations = textMap(status, 'auditAnnotations');
  return { allowed, reason: text(status, 'reason'), annotations };
}

function isReview(answer: JsonObject, apiVersion: string): boolean {
  const wanted = { kind: 'ImageReview', apiVersion };
  return Object.entries(wanted).every(([field, value]) => {
    const said = answer[field] ?? '';
    return said === '' || said === value;
  });
}
