/**
 * Admission webhooks: other servers that validate or change writes. The contract of this folder
 * (spec 1, section 4.7).
 *
 *     configurations ─▶ webhook-source: followed, compiled in turns, indexed
 *     a write ─▶ who can match (one look-up) ─▶ invocation: rules, selectors, conditions
 *             ─▶ webhook-call: AdmissionReview there and back
 *                 mutating.ts: one after the other      validating.ts: all at once
 *
 * What it is not: the rules of the configurations (apis/admissionregistration), or the connections
 * (src/webhooks).
 *
 * Invariants: nobody is called about a write that it does not match. A webhook that cannot be asked
 * costs its timeout at most, and the request's deadline ends the wait for all. What went wrong is
 * decided by the failure policy.
 */
import type { Identity } from '../../apimachinery/identity.ts';
import type { Scheme } from '../../apimachinery/scheme.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import type { AccessChecker } from '../../authorization/authorizer.ts';
import type { Clock } from '../../stdx/clock.ts';
import type { Prng } from '../../stdx/prng.ts';
import type { Turns } from '../../stdx/turns.ts';
import type { ConditionCounts } from '../matching/condition-counts.ts';
import type { NamespaceReader } from '../matching/matched-review.ts';
import type { WebhookCounts } from './webhook-counts.ts';

/** Posts a document to where a `clientConfig` leads; the answer is the body.
 * @throws CallError. */
export type PostReview = (
  clientConfig: JsonObject,
  body: string,
  timeoutMs: number,
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
