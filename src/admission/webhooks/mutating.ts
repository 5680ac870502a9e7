/**
 * Mutating webhooks: called one after the other, each with the result of the one before.
 *
 *     round 0   all that match; if one changes the object, all plugins get another round
 *     round 1   those of round 0 that want to be called again (IfNeeded), if the object has changed
 *               since; no webhook for the first time
 *
 * Invariants: the patched object is stored as a whole, or the write fails. A patch that cannot be
 * read is a failure of its webhook; one that cannot be applied ends the write, whatever the failure
 * policy says. The object of a deletion is not changed.
 */
import { stringifyJson } from '../../apimachinery/codecs/lossless.ts';
import { newRequestTimeout, StatusError } from '../../apimachinery/status-error.ts';
import type { ApiObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { nothingSpent } from '../../cel/expression.ts';
import type { SpentUnits } from '../../cel/expression.ts';
import { assert } from '../../stdx/assert.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import type { MutatePass, Proposed, Review } from '../admission.ts';
import { jsonPatchType } from './admission-review.ts';
import { lookAt } from './invocation.ts';
import type { Invocation } from './invocation.ts';
import { isLargePatch, patchedBy, readPatch } from './patched-object.ts';
import { changedDeletion } from './refusals.ts';
import { turnTaker } from './taking-turns.ts';
import { callWebhook, count, refusalOf } from './webhook-call.ts';
import type { CallOutcome } from './webhook-call.ts';
import type { Webhook } from './webhook-spec.ts';
import type { WebhookPorts } from './webhooks.ts';

/** What round 1 knows of round 0. */
interface Memory {
  /** As the last webhook has left it. */
  output: ApiObject | undefined;
  /** Have been asked, and want to be again if the object changes. */
  readonly invoked: Set<string>;
  /** The object has changed since they were asked. */
  readonly outdated: Set<string>;
  /** On match conditions, in all rounds. */
  readonly spent: SpentUnits;
}

const memoryNote = 'webhooks';
const unavailable = 503;

/** The object as they leave it; the very same one where nobody has changed it. */
export async function mutateByWebhooks(
  webhooks: readonly Webhook[],
  proposed: Proposed,
  pass: MutatePass,
  ports: WebhookPorts,
): Promise<ApiObject | StatusError> {
  const memory = memoryOf(pass);
  if (pass.round === 1 && !deepEqual(memory.output, proposed.next)) outdate(memory);
  let now = proposed;
  let looked = lookAt(now, 'admit', memory.spent, ports);
  const turn = turnTaker(ports);
  for (const webhook of webhooks) {
    await turn();
    const id = idOf(webhook);
    if (pass.round === 1 && !memory.outdated.has(id)) continue;
    const invocation = await looked.invocation(webhook);
    if (invocation instanceof StatusError) return invocation;
    if (invocation === undefined) continue;
    if (now.requester?.closed === true) return newRequestTimeout();
    const next = await mutateByOne(invocation, now, pass, ports);
    if (next instanceof StatusError) return next;
    if (next !== now.next) {
      outdate(memory);
      pass.askAgain();
      now = { ...now, next };
      looked = lookAt(now, 'admit', memory.spent, ports);
    }
    if (webhook.reinvoked) memory.invoked.add(id);
  }
  memory.output = now.next;
  return now.next;
}

/** All are shown the object, nobody may change it. */
export async function admitDeletion(
  webhooks: readonly Webhook[],
  review: Review,
  pass: MutatePass,
  ports: WebhookPorts,
): Promise<StatusError | undefined> {
  const looked = lookAt(review, 'admit', nothingSpent(), ports);
  const turn = turnTaker(ports);
  for (const webhook of webhooks) {
    await turn();
    const invocation = await looked.invocation(webhook);
    if (invocation instanceof StatusError) return invocation;
    if (invocation === undefined) continue;
    if (review.requester?.closed === true) return newRequestTimeout();
    const outcome = await counted(invocation, review, pass, ports, () =>
      changedDeletion(webhook.name),
    );
    annotateCall(invocation, pass, ports, false);
    if (outcome instanceof StatusError) return outcome;
  }
  return undefined;
}

function memoryOf({ notes }: MutatePass): Memory {
  const known = notes.get(memoryNote) as Memory | undefined;
  if (known !== undefined) return known;
  const memory: Memory = {
    output: undefined,
    invoked: new Set<string>(),
    outdated: new Set<string>(),
    spent: nothingSpent(),
  };
  notes.set(memoryNote, memory);
  return memory;
}

function outdate({ invoked, outdated }: Memory): void {
  for (const id of invoked) outdated.add(id);
  invoked.clear();
}

function idOf({ configuration, index, name }: Webhook): string {
  return `${configuration}/${name}/${index}`;
}

async function mutateByOne(
  invocation: Invocation,
  proposed: Proposed,
  pass: MutatePass,
  ports: WebhookPorts,
): Promise<ApiObject | StatusError> {
  let found = proposed.next;
  let patch: JsonValue | undefined;
  const refusal = await counted(invocation, proposed, pass, ports, async (operations, isLarge) => {
    const { object: shown } = invocation.shown;
    assert(shown !== undefined, 'what is written is shown');
    const { kind } = invocation.as;
    const patched = await patchedBy(operations, proposed, shown, kind, isLarge, ports);
    if (patched instanceof StatusError) return patched;
    found = patched.object;
    patch = patched.patch;
    return undefined;
  });
  annotateCall(invocation, pass, ports, found !== proposed.next, patch);
  return refusal ?? found;
}

type UsePatch = (
  operations: readonly JsonValue[],
  isLarge: boolean,
) => Promise<StatusError | undefined> | StatusError | undefined;

/** Calls it, has its patch used, if it gives one that does something, and counts both as one.
 * Undefined: go on. */
async function counted(
  invocation: Invocation,
  review: Review,
  { round, recorder }: MutatePass,
  ports: WebhookPorts,
  use: UsePatch,
): Promise<StatusError | undefined> {
  const { webhook } = invocation;
  const { failsOpen, name } = webhook;
  const startedMs = ports.counts.nowMs();
  const called = await callWebhook(review, invocation, 'admit', recorder, ports);
  const outcome = called.kind === 'allowed' ? await applyAnswer(called, use, ports) : called;
  count(ports, { name, type: 'admit', operation: review.operation }, outcome, failsOpen, startedMs);
  const call = { phase: 'mutation', call: `round_${round}_index_${webhook.index}` } as const;
  return refusalOf(outcome, webhook, review, call, recorder, ports);
}

async function applyAnswer(
  allowed: Extract<CallOutcome, { kind: 'allowed' }>,
  use: UsePatch,
  { turns }: WebhookPorts,
): Promise<CallOutcome> {
  const { patch, patchType } = allowed.answer;
  if (patch === undefined) return allowed;
  const read = await readPatch(patch, turns);
  if (read.kind === 'undecodable') {
    const why = `received undecodable patch in webhook response: ${read.problem}`;
    return { kind: 'failed', why, code: unavailable };
  }
  if (read.operations.length === 0) return allowed;
  if (patchType !== jsonPatchType) {
    return { kind: 'failed', why: `unsupported patch type "${patchType}"`, code: 400 };
  }
  const error = await use(read.operations, isLargePatch(patch));
  return error === undefined ? allowed : { kind: 'unsupported', error };
}

/** What the audit event says of the call. */
function annotateCall(
  { webhook }: Invocation,
  { round, recorder }: MutatePass,
  { identity }: WebhookPorts,
  mutated: boolean,
  patch?: JsonValue,
): void {
  const { configuration, index, name } = webhook;
  const group = `webhook.${identity.fill('admission.{domain}')}`;
  const call = `round_${round}_index_${index}`;
  const who = { configuration, webhook: name };
  recorder.annotate(`mutation.${group}/${call}`, stringifyJson({ ...who, mutated }));
  if (patch === undefined) return;
  const what = stringifyJson({ ...who, patch, patchType: jsonPatchType });
  recorder.annotate(`patch.${group}/${call}`, what, 'Request');
}
