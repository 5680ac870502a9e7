/**
 * Whether a webhook is called for a write, in which version, and with which objects.
 *
 * Invariants: selectors and rules are checked first, then match conditions, so an expression is
 * only evaluated if everything else matches. The objects of a version are made once for a write.
 */
import { formatGroupVersion } from '../../apimachinery/schema.ts';
import type { GroupVersionKind } from '../../apimachinery/schema.ts';
import { newForbidden, StatusError } from '../../apimachinery/status-error.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import type { Bindings } from '../../cel/cel.ts';
import type { SpentUnits } from '../../cel/expression.ts';
import { lateValues } from '../../cel/late-values.ts';
import { after } from '../../stdx/awaitable.ts';
import type { Awaitable } from '../../stdx/awaitable.ts';
import type { Review } from '../admission.ts';
import { admissionBindings, requestData, requestInput } from '../expressions/admission-input.ts';
import type { RequestInput } from '../expressions/admission-input.ts';
import { authorizerSource } from '../expressions/authorizer-source.ts';
import type { EvaluationPorts } from '../expressions/filter.ts';
import { matchOf } from '../matching/matched-review.ts';
import type { MatchedAs } from '../matching/matching.ts';
import { requestedName } from '../requested-name.ts';
import { shownObject, shownToChange } from '../shown-object.ts';
import type { WebhookType } from './webhook-counts.ts';
import type { Webhook } from './webhook-spec.ts';
import { webhookLimits } from './webhooks.ts';
import type { WebhookPorts } from './webhooks.ts';

export interface ShownObjects {
  readonly object: ApiObject | undefined;
  readonly oldObject: ApiObject | undefined;
}

export interface Invocation {
  readonly webhook: Webhook;
  readonly as: MatchedAs;
  readonly shown: ShownObjects;
  /** As the webhook is sent it, but for the objects. */
  readonly request: JsonObject;
}

/** A write as it is now, before the webhooks that may match it. */
export interface Looked {
  readonly review: Review;
  /** Undefined: it is not asked. An error ends the write. */
  invocation(webhook: Webhook): Awaitable<Invocation | StatusError | undefined>;
}

/** `spent`: what match conditions have cost the write so far, all rounds together. */
export function lookAt(
  review: Review,
  type: WebhookType,
  spent: SpentUnits,
  ports: WebhookPorts,
): Looked {
  const match = matchOf(review, type === 'admit' ? 'admit' : 'validate', ports);
  const shownAs = new Map<string, Awaitable<ShownObjects | StatusError>>();
  const show = (kind: GroupVersionKind): Awaitable<ShownObjects | StatusError> => {
    const key = `${formatGroupVersion(kind)} ${kind.kind}`;
    const made = shownAs.get(key) ?? shownObjects(review, type, kind, ports);
    shownAs.set(key, made);
    return made;
  };
  let compared = 0;
  return {
    review,
    invocation(webhook) {
      compared += webhook.matcher.requirements;
      if (compared < comparedAtOnce) return looked(webhook);
      compared = 0;
      return ports.turns.pause().then(() => looked(webhook));
    },
  };

  function looked(webhook: Webhook): Awaitable<Invocation | StatusError | undefined> {
    const found = webhook.matcher.match(match);
    if (found.kind === 'none') return undefined;
    if (found.kind === 'error') return found.error;
    const { as } = found;
    return after(show(as.kind), (shown) => {
      if (shown instanceof StatusError) return shown;
      const input = requestInput(review, match, as);
      const asked = { webhook, as, shown, request: requestData(input) };
      if (webhook.conditions.count === 0) return asked;
      return after(conditionsVerdict({ review, type, spent }, asked, input, ports), (verdict) =>
        verdict === 'asked' ? asked : verdict,
      );
    });
  }
}

/** Requirements of selectors, of all webhooks, before others have a turn. */
const comparedAtOnce = 20_000;

function shownObjects(
  review: Review,
  type: WebhookType,
  kind: GroupVersionKind,
  { scheme }: WebhookPorts,
): Awaitable<ShownObjects | StatusError> {
  const { next } = review;
  const shown =
    type === 'admit' && next !== undefined
      ? shownToChange(scheme, review, next, kind)
      : shownObject(scheme, review, next, kind);
  return after(shown, (object) =>
    after(shownObject(scheme, review, review.current, kind), (oldObject) => {
      if (object instanceof StatusError) return object;
      return oldObject instanceof StatusError ? oldObject : { object, oldObject };
    }),
  );
}

type Asked = Pick<Invocation, 'shown' | 'webhook'>;

interface ConditionsOf {
  readonly review: Review;
  readonly type: WebhookType;
  readonly spent: SpentUnits;
}

/** Undefined: a condition is false, or nobody minds that it could not be found out. */
function conditionsVerdict(
  { review, spent, type }: ConditionsOf,
  { shown, webhook }: Asked,
  request: RequestInput,
  ports: WebhookPorts,
): Awaitable<'asked' | StatusError | undefined> {
  const { conditions, failsOpen, name } = webhook;
  const late = lateValues();
  const evaluation: EvaluationPorts = { late, turns: ports.turns, spent };
  const source = authorizerSource(ports.access, review.user, late, review.requester);
  const bindings: Bindings = admissionBindings({ ...shown, request }, source);
  const startedMs = ports.clock.monotonicMs();
  return after(conditions.evaluate(bindings, evaluation), (verdict) => {
    const errors = verdict.kind === 'match' ? 0 : verdict.errors;
    const excluded = verdict.kind === 'excluded';
    const phase = type === 'admit' ? 'admit' : 'validate';
    const labels = { name, kind: 'webhook', type: phase, operation: review.operation } as const;
    const seconds = (ports.clock.monotonicMs() - startedMs) / 1000;
    ports.conditions.observe(labels, errors, excluded, seconds);
    if (spent.total > webhookLimits.unitsOfConditions) {
      return newForbidden(review.resource, requestedName(review), tooCostly);
    }
    if (verdict.kind === 'match') return 'asked';
    if (excluded || failsOpen) return undefined;
    return newForbidden(review.resource, requestedName(review), verdict.message);
  });
}

const tooCostly =
  'the match conditions of the webhooks for this request cost more than ' +
  `${webhookLimits.unitsOfConditions} units together; make them cost less`;
