/**
 * One call of a webhook about a write: sends an AdmissionReview, reads the answer, and counts the
 * outcome (spec 1, section 4.7: dry runs; spec 2, section 8: timeout).
 *
 * mutating.ts applies the patches.
 *
 * Invariants: a webhook with side effects is not called for a dry run. A call takes at most the
 * webhook's timeout or the request's remaining time, and is cut when its client goes: it counts as
 * a call then, and neither as a rejection nor as let through. Annotations and warnings of every
 * answer are kept, also of a denial.
 */
import { jsonSteps } from '../../apimachinery/codecs/json.ts';
import { stringifyJson } from '../../apimachinery/codecs/lossless.ts';
import { newRequestTimeout } from '../../apimachinery/status-error.ts';
import type { StatusError } from '../../apimachinery/status-error.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { after } from '../../stdx/awaitable.ts';
import type { Awaitable } from '../../stdx/awaitable.ts';
import { finished, runToEnd } from '../../stdx/stepwise.ts';
import { wholeTurnMs } from '../../stdx/turns.ts';
import type { Review, AdmissionRecorder } from '../admission.ts';
import { readAnswer, reviewBody } from './admission-review.ts';
import type { ReviewAnswer } from './admission-review.ts';
import type { Invocation, ShownObjects } from './invocation.ts';
import { callProblem, denial, dryRunRefusal, failedCall } from './refusals.ts';
import type { WebhookCall, WebhookType } from './webhook-counts.ts';
import type { Webhook } from './webhook-spec.ts';
import { CallError } from './webhooks.ts';
import type { WebhookPorts } from './webhooks.ts';

export type CallOutcome =
  | { readonly kind: 'allowed'; readonly answer: ReviewAnswer }
  | { readonly kind: 'denied'; readonly error: StatusError }
  /** It could not be asked, or its answer is none. `why`: in words. `left`: nobody waited for it
   * any more. */
  | {
      readonly kind: 'failed';
      readonly why: string;
      readonly code: number;
      readonly left?: boolean | undefined;
    }
  /** It was not asked, and the write cannot happen without. */
  | { readonly kind: 'unsupported'; readonly error: StatusError };

export async function callWebhook(
  review: Review,
  invocation: Invocation,
  type: WebhookType,
  recorder: AdmissionRecorder,
  ports: WebhookPorts,
): Promise<CallOutcome> {
  const { webhook } = invocation;
  if (review.dryRun && !webhook.isQuiet) {
    return { kind: 'unsupported', error: dryRunRefusal(webhook.name) };
  }
  const outcome = await sendReview(review, invocation, type, ports);
  if (outcome.kind !== 'allowed') return outcome;
  const { answer } = outcome;
  for (const [key, value] of answer.auditAnnotations)
    recorder.annotate(`${webhook.name}/${key}`, value);
  for (const text of answer.warnings) recorder.warn(text);
  if (answer.allowed) return outcome;
  return { kind: 'denied', error: denial(webhook.name, answer.result) };
}

const unavailable = 503;

async function sendReview(
  { deadlineMs, requester }: Review,
  { request, shown, webhook }: Invocation,
  type: WebhookType,
  { clock, identity, post, prng, turns }: WebhookPorts,
): Promise<Exclude<CallOutcome, { kind: 'denied' }>> {
  const { clientConfig, version } = webhook;
  if (version === undefined) {
    const why = 'webhook does not accept known AdmissionReview versions (v1, v1beta1)';
    return { kind: 'failed', why: `could not create admission objects: ${why}`, code: 400 };
  }
  const uid = prng.uuid();
  const objects = await objectsText(shown, turns);
  const body = reviewBody(identity, { uid, version, request, objects });
  const timeoutMs = Math.min(webhook.timeoutMs, Math.max(1, deadlineMs - clock.monotonicMs()));
  let document: JsonObject;
  let isLarge: boolean;
  try {
    const answer = await post(clientConfig, body, timeoutMs, requester);
    isLarge = answer.length > largeText;
    if (isLarge) await turns.pause(wholeTurnMs);
    document = await documentOf(answer, turns);
    if (isLarge) await turns.pause(wholeTurnMs);
  } catch (error) {
    const { cause, url } = error instanceof CallError ? error : { cause: error, url: undefined };
    const { code, left, message } = callProblem(cause, url);
    return { kind: 'failed', why: `failed to call webhook: ${message}`, code, left };
  }
  const read = readAnswer(identity, document, { uid, version, mutating: type === 'admit' });
  if (isLarge) await turns.pause(wholeTurnMs);
  if (read.kind === 'ok') return { kind: 'allowed', answer: read.answer };
  const why = `received invalid webhook response: ${read.problem}`;
  return { kind: 'failed', why, code: unavailable };
}

/** Of what the webhooks of a write are shown: made once for all of them. */
const ofShown = new WeakMap<ShownObjects, Awaitable<string | Buffer>>();
const ofObjects = new WeakMap<ApiObject, string>();

/** Characters: to write more takes a turn of its own, and so does sending it; each step of reading
 * as many bytes of an answer does, too. */
const largeText = 100_000;

function objectsText(
  shown: ShownObjects,
  turns: WebhookPorts['turns'],
): Awaitable<string | Buffer> {
  const known = ofShown.get(shown);
  if (known !== undefined) return known;
  const made = after(objectText(shown.object, turns), (object) =>
    after(objectText(shown.oldObject, turns), (oldObject) => {
      const text = `"object":${object},"oldObject":${oldObject}`;
      return text.length < largeText ? text : Buffer.from(text);
    }),
  );
  ofShown.set(shown, made);
  return made;
}

function objectText(
  object: ApiObject | undefined,
  turns: WebhookPorts['turns'],
): Awaitable<string> {
  if (object === undefined) return 'null';
  const known = ofObjects.get(object);
  if (known !== undefined) return known;
  const text = stringifyJson(object);
  ofObjects.set(object, text);
  return text.length < largeText ? text : turns.pause(wholeTurnMs).then(() => text);
}

async function documentOf(answer: Buffer, turns: WebhookPorts['turns']): Promise<JsonObject> {
  const reading = jsonSteps(answer);
  const isLarge = answer.length > largeText;
  const decoded = isLarge ? await runToEnd(turns, reading) : finished(reading);
  if (decoded.kind === 'value' && isJsonObject(decoded.value)) return decoded.value;
  throw new CallError('the answer is not a JSON object', undefined);
}

/** Why the write ends with this call; undefined: it goes on. `place`: what the audit event calls
 * the call, `mutation.webhook.GROUP/PLACE`. */
export function refusalOf(
  outcome: CallOutcome,
  { failsOpen, name }: Pick<Webhook, 'failsOpen' | 'name'>,
  { deadlineMs }: Review,
  call: { readonly phase: 'mutation' | 'validating'; readonly call: string },
  recorder: AdmissionRecorder,
  { clock, identity }: WebhookPorts,
): StatusError | undefined {
  switch (outcome.kind) {
    case 'allowed':
      return undefined;
    case 'denied':
    case 'unsupported':
      return outcome.error;
    case 'failed':
      break;
  }
  // As the reference: the write has not been let through, for nobody waits for it.
  if (outcome.left === true || clock.monotonicMs() >= deadlineMs) return newRequestTimeout();
  if (!failsOpen) return failedCall(name, outcome.why);
  const group = `${call.phase}.webhook.${identity.fill('admission.{domain}')}`;
  recorder.annotate(`failed-open.${group}/${call.call}`, name);
  return undefined;
}

/** Counts what came of a call. `rejected`: the write ends here. */
export function count(
  { counts }: Pick<WebhookPorts, 'counts'>,
  call: WebhookCall,
  outcome: CallOutcome,
  failsOpen: boolean,
  startedMs: number,
): void {
  switch (outcome.kind) {
    case 'allowed':
      counts.called(call, 200, false, startedMs);
      return;
    case 'denied':
    case 'unsupported': {
      const { code } = outcome.error;
      const isCall = outcome.kind === 'denied';
      if (isCall) counts.rejected(call, 'no_error', code);
      else counts.rejected(call, 'apiserver_internal_error', 0);
      counts.called(call, isCall ? code : 0, true, startedMs);
      return;
    }
    case 'failed':
      if (outcome.left !== true) {
        if (failsOpen) counts.failedOpen(call);
        else counts.rejected(call, 'calling_webhook_error', outcome.code);
      }
      counts.called(call, outcome.code, !failsOpen, startedMs);
      return;
  }
}
