/**
 * An authorizer that asks another service (spec 2, section 5.5).
 *
 *     attributes ▶ conditions ▶ kept decision? ▶ call ▶ allow | deny | no opinion, kept for a time
 *                      │                           └ failed, or malformed ▶ by the failure policy
 *                      │                           └ all who asked have gone ▶ none, and not kept
 *                      ├ one is false ▶ no opinion
 *                      └ one fails, none is false ▶ by the failure policy
 *
 * Elsewhere: the call (src/webhooks) and the language of conditions (match-conditions.ts).
 *
 * Invariants: questions that are the same while the first is out share its answer; it is cut when
 * the last who asked has gone. A failure never
 * allows.
 */
import type { Clock } from '../../stdx/clock.ts';
import { SharedWork } from '../../stdx/requester.ts';
import type { Requester } from '../../stdx/requester.ts';
import type { Turns } from '../../stdx/turns.ts';
import type { WebhookClient } from '../../webhooks/webhook-client.ts';
import { WebhookError } from '../../webhooks/webhook-poster.ts';
import type { Attributes, Authorizer, Decision, RuleResolver } from '../authorizer.ts';
import { accessReviewOf, readAccessReview } from './access-review.ts';
import type { AccessReviewVersion } from './access-review.ts';
import type { EvaluatedConditions } from '../../cel/expression.ts';
import type { MatchConditions } from './match-conditions.ts';
import { noOpinion } from '../authorizer.ts';
import { createDecisionCache } from './decision-cache.ts';

export interface WebhookAuthorizerOptions {
  readonly name: string;
  /** authorization.<domain> */
  readonly reviewGroup: string;
  readonly version: AccessReviewVersion;
  readonly authorizedTtlMs: number;
  readonly unauthorizedTtlMs: number;
  readonly failurePolicy: 'NoOpinion' | 'Deny';
  readonly conditions?: MatchConditions | undefined;
}

/** What the conditions of a webhook said of one request. */
export interface ConditionsOutcome {
  readonly name: string;
  readonly result: 'match' | 'excluded' | 'error';
  readonly durationMs: number;
}

export interface WebhookCall {
  readonly name: string;
  readonly result: 'success' | 'timeout' | 'error' | 'canceled';
  readonly durationMs: number;
  /** It failed, and the request went on to the next authorizer. */
  readonly failedOpen: boolean;
}

export interface WebhookAuthorizerDeps {
  readonly client: WebhookClient;
  readonly clock: Clock;
  /** For conditions that take long. */
  readonly turns: Pick<Turns, 'run'>;
  readonly onCall: (call: WebhookCall) => void;
  readonly onConditions: (outcome: ConditionsOutcome) => void;
}

export interface WebhookAuthorizer extends Authorizer, RuleResolver {
  close(): void;
}

export function createWebhookAuthorizer(
  options: WebhookAuthorizerOptions,
  { client, clock, onCall, ...deps }: WebhookAuthorizerDeps,
): WebhookAuthorizer {
  const { name, reviewGroup, version, failurePolicy } = options;
  const cache = createDecisionCache(clock);
  const asking = new SharedWork<Decision>();

  const failed = (why: string): Decision => ({
    kind: failurePolicy === 'Deny' ? 'deny' : 'no-opinion',
    reason: '',
    error: `webhook ${name}: ${why}`,
  });
  const left = (): Decision => failed('the client went away');
  const call = async (attributes: Attributes, key: string, all: Requester): Promise<Decision> => {
    const startMs = clock.monotonicMs();
    const done = (result: WebhookCall['result']): void => {
      const durationMs = clock.monotonicMs() - startMs;
      const failedOpen = failurePolicy === 'NoOpinion' && failures.has(result);
      onCall({ name, result, durationMs, failedOpen });
    };
    try {
      const review = accessReviewOf(attributes, reviewGroup, version);
      const answer = await client.call(review, all);
      const read = readAccessReview(answer, reviewGroup, version);
      if (read.kind === 'malformed') {
        done('error');
        return failed(read.problem);
      }
      done('success');
      const { decision } = read;
      const ttlMs = decision.kind === 'allow' ? options.authorizedTtlMs : options.unauthorizedTtlMs;
      cache.set(key, decision, ttlMs);
      return decision;
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error;
      done(resultOf(error));
      return failed(error.message);
    }
  };

  const ask = (attributes: Attributes, requester?: Requester): Decision | Promise<Decision> => {
    const key = keyOf(attributes);
    const known = cache.get(key);
    if (known !== undefined) return known;
    const begin = (all: Requester): Promise<Decision> => call(attributes, key, all);
    return asking.ask(key, requester, begin, left);
  };

  return {
    name,
    authorize(attributes, requester) {
      const decided = decidedBefore(attributes, options, { clock, ...deps }, failed);
      if (!(decided instanceof Promise)) return decided ?? ask(attributes, requester);
      return decided.then((late) => late ?? ask(attributes, requester));
    },
    rulesFor: () => ({
      resourceRules: [],
      nonResourceRules: [],
      incomplete: true,
      evaluationError: 'webhook authorizer does not support user rule resolution',
    }),
    close: () => client.close(),
  };
}

const failures: ReadonlySet<WebhookCall['result']> = new Set(['timeout', 'error']);

function resultOf({ ended }: WebhookError): WebhookCall['result'] {
  if (ended === undefined) return 'error';
  return ended === 'late' ? 'timeout' : 'canceled';
}

/** The decision that the conditions make; undefined: ask. */
function decidedBefore(
  attributes: Attributes,
  { name, conditions }: WebhookAuthorizerOptions,
  { clock, onConditions, turns }: Pick<WebhookAuthorizerDeps, 'clock' | 'onConditions' | 'turns'>,
  failed: (why: string) => Decision,
): Decision | undefined | Promise<Decision | undefined> {
  if (conditions === undefined) return undefined;
  const startMs = clock.monotonicMs();
  const decide = ({ errors, match }: EvaluatedConditions): Decision | undefined => {
    const result = match === undefined ? 'error' : match ? 'match' : 'excluded';
    onConditions({ name, result, durationMs: clock.monotonicMs() - startMs });
    if (match === undefined) return failed(`cel evaluation error: ${errors.join(', ')}`);
    return match ? undefined : noOpinion;
  };
  const evaluated = conditions.evaluate(attributes, turns);
  return evaluated instanceof Promise ? evaluated.then(decide) : decide(evaluated);
}

/** Everything that the question holds, and nothing else. */
function keyOf(attributes: Attributes): string {
  return JSON.stringify(accessReviewOf(attributes, '', 'v1')['spec']);
}
