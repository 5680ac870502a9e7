/**
 * One compiled webhook of a stored configuration: what it matches, how it is called, and its
 * failure policy.
 */
import { objects, part, text, texts } from '../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import type { Environment } from '../../cel/cel.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { compileMatchConditions } from '../matching/match-conditions.ts';
import type { MatchConditions } from '../matching/match-conditions.ts';
import { webhookMatcher } from '../matching/matcher.ts';
import type { Matcher } from '../matching/matching.ts';
import { reviewVersionOf } from './admission-review.ts';
import type { ReviewVersion } from './admission-review.ts';

export interface Webhook {
  /** Its configuration's name. */
  readonly configuration: string;
  readonly name: string;
  /** Among all webhooks of its type: by the names of configurations, then as they stand there. */
  readonly index: number;
  readonly matcher: Matcher;
  readonly conditions: MatchConditions;
  /** What it cannot be asked about happens nevertheless. */
  readonly failsOpen: boolean;
  /** It does nothing else on a dry run. */
  readonly isQuiet: boolean;
  readonly timeoutMs: number;
  /** Undefined: it understands none that is understood here. */
  readonly version: ReviewVersion | undefined;
  /** It wants to be asked again when others have changed the object behind it. */
  readonly reinvoked: boolean;
  readonly clientConfig: JsonObject;
}

const defaultTimeoutSeconds = 10;

/** In the order in which they stand there, from index 0. */
export function* compileWebhooks(
  configuration: ApiObject,
  environment: Environment,
): Steps<readonly Webhook[]> {
  const found: Webhook[] = [];
  for (const [index, hook] of objects(configuration, 'webhooks').entries()) {
    const conditions = yield* compileMatchConditions(environment, hook);
    found.push({
      configuration: configuration.metadata.name ?? '',
      name: text(hook, 'name'),
      index,
      matcher: webhookMatcher(hook),
      conditions,
      failsOpen: text(hook, 'failurePolicy') === 'Ignore',
      isQuiet: ['None', 'NoneOnDryRun'].includes(text(hook, 'sideEffects')),
      timeoutMs: Number(hook['timeoutSeconds'] ?? defaultTimeoutSeconds) * 1000,
      version: reviewVersionOf(texts(hook, 'admissionReviewVersions')),
      reinvoked: text(hook, 'reinvocationPolicy') === 'IfNeeded',
      clientConfig: part(hook, 'clientConfig'),
    });
    yield;
  }
  return found;
}
