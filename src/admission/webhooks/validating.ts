/**
 * Validating webhooks: all that match are called at once, and all of them have to allow the write.
 *
 * Calls of many are begun a few at a time, in turns with those of other writes.
 *
 * Invariants: if matching a webhook fails, by its selectors or conditions, the write ends before
 * any webhook is called. Of several refusals the client gets the first in the order of the
 * webhooks, whichever came first.
 */
import { newRequestTimeout, StatusError } from '../../apimachinery/status-error.ts';
import type { Review, AdmissionRecorder } from '../admission.ts';
import { nothingSpent } from '../../cel/expression.ts';
import { lookAt } from './invocation.ts';
import type { Invocation } from './invocation.ts';
import { callWebhook, count, refusalOf } from './webhook-call.ts';
import { turnTaker } from './taking-turns.ts';
import type { Webhook } from './webhook-spec.ts';
import type { WebhookPorts } from './webhooks.ts';

/** Calls that are begun together, and what each counts for in a turn. */
const callsAtOnce = 4;
const callMs = 0.25;

/** Undefined: nobody refuses. */
export async function validateByWebhooks(
  webhooks: readonly Webhook[],
  review: Review,
  recorder: AdmissionRecorder,
  ports: WebhookPorts,
): Promise<StatusError | undefined> {
  const looked = lookAt(review, 'validating', nothingSpent(), ports);
  const invocations: Invocation[] = [];
  const turn = turnTaker(ports);
  for (const webhook of webhooks) {
    await turn();
    const invocation = await looked.invocation(webhook);
    if (invocation instanceof StatusError) return invocation;
    if (invocation !== undefined) invocations.push(invocation);
  }
  const calls: Promise<StatusError | undefined>[] = [];
  for (const [at, invocation] of invocations.entries()) {
    const isNext = at > 0 && at % callsAtOnce === 0;
    await (isNext ? ports.turns.pause(callsAtOnce * callMs) : turn());
    if (review.requester?.closed === true) return newRequestTimeout();
    const call = validateByOne(invocation, at, review, recorder, ports);
    // It is waited for below, and may fail before.
    call.catch(() => undefined);
    calls.push(call);
  }
  const refusals = await Promise.all(calls);
  return refusals.find((refusal) => refusal !== undefined);
}

async function validateByOne(
  invocation: Invocation,
  at: number,
  review: Review,
  recorder: AdmissionRecorder,
  ports: WebhookPorts,
): Promise<StatusError | undefined> {
  const { failsOpen, name } = invocation.webhook;
  const startedMs = ports.counts.nowMs();
  const outcome = await callWebhook(review, invocation, 'validating', recorder, ports);
  const call = { name, type: 'validating', operation: review.operation } as const;
  count(ports, call, outcome, failsOpen, startedMs);
  const place = { phase: 'validating', call: `round_0_index_${at}` } as const;
  return refusalOf(outcome, invocation.webhook, review, place, recorder, ports);
}
