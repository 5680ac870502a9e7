/**
 * The contract of admission webhooks: other servers that validate or change writes (spec 1, section
 * 4.7: dry runs; spec 2, sections 8 and 9.3: limits and defaults).
 *
 *     configurations ─▶ webhook-source: followed, compiled in steps, indexed
 *     a write ─▶ which can match (one look-up) ─▶ invocation: rules, selectors, conditions
 *             ─▶ webhook-call: AdmissionReview sent and answered
 *                 mutating.ts: one after the other      validating.ts: all at once
 *
 * The validation of the configurations is in apis/admissionregistration, the connections are in
 * src/webhooks.
 *
 * Invariants: no webhook is called about a write that it does not match. A webhook that does not
 * answer costs at most its timeout, and the request's deadline ends all waiting, as its client's
 * going does. The failure policy
 * decides about failures.
 * Bounds: `webhookLimits`.
 */
import type { Identity } from '../../apimachinery/identity.ts';
import type { Scheme } from '../../apimachinery/scheme.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import type { AccessChecker } from '../../authorization/authorizer.ts';
import type { Clock } from '../../stdx/clock.ts';
import type { Prng } from '../../stdx/prng.ts';
import type { Requester } from '../../stdx/requester.ts';
import type { Turns } from '../../stdx/turns.ts';
import type { HttpBody } from '../../webhooks/body-turns.ts';
import type { ConditionCounts } from '../matching/condition-counts.ts';
import type { NamespaceReader } from '../matching/matched-review.ts';
import type { WebhookCounts } from './webhook-counts.ts';

/** Posts a document to where a `clientConfig` leads; the answer is the body. `requester`: when it
 * goes the call is cut. @throws CallError. */
export type PostReview = (
  clientConfig: JsonObject,
  body: HttpBody,
  timeoutMs: number,
  requester: Requester | undefined,
) => Promise<Buffer>;

/** `url`: what was called, where that is known. */
export class CallError extends Error {
  override readonly name = 'CallError';
  readonly url: string | undefined;
  constructor(cause: unknown, url: string | undefined) {
    super('a webhook could not be called', { cause });
    this.url = url;
  }
}

export const webhookLimits = {
  /** The match conditions of all webhooks of one kind for one write: some five seconds. Policy: the
   * write is refused, whatever failure policies say: no webhook is left out because of others. */
  unitsOfConditions: 50_000_000,
} as const;

export interface WebhookPorts {
  readonly identity: Identity;
  readonly scheme: Scheme;
  readonly access: Pick<AccessChecker, 'check'>;
  readonly namespaces: NamespaceReader;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly prng: Prng;
  readonly turns: Turns;
  readonly post: PostReview;
  readonly counts: WebhookCounts;
  readonly conditions: ConditionCounts;
}
