/**
 * Conditions on what a webhook is asked (spec 2, section 5.5, rule 4): expressions over the
 * content of the review, as it would be in `v1`.
 *
 *     request.resourceAttributes.namespace == 'payments'
 *     !('system:masters' in request.groups)
 *
 * Invariants: one false condition and the webhook is not asked; an error counts only when no
 * condition is false. Bounds: `conditionsMax`; the budget of one webhook's conditions.
 */
import type { Language } from '../../cel/language.ts';
import { compileForStepwiseRun, evaluateConditions } from '../../cel/expression.ts';
import type { EvaluatedConditions, Expression } from '../../cel/expression.ts';
import type { Environment } from '../../cel/cel.ts';
import {
  declaredList,
  declaredMap,
  declaredObject,
  declaredText,
} from '../../cel/schema/declared-types.ts';
import { schemaProvider } from '../../cel/schema/schema-provider.ts';
import { schemaValue } from '../../cel/schema/schema-value.ts';
import { boolType } from '../../cel/type.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { Turns } from '../../stdx/turns.ts';
import type { Attributes } from '../authorizer.ts';
import { selectorMembers } from '../../apimachinery/selectors/selector-requirements.ts';

export const conditionsMax = 64;

const text = declaredText;
const texts = declaredList(text);

const requirement = declaredObject('kubernetes.SelectorRequirement', {
  key: text,
  operator: text,
  values: texts,
});
const selectorFields = { rawSelector: text, requirements: declaredList(requirement) };

/** The spec of a SubjectAccessReview. */
const reviewType = declaredObject('kubernetes.SubjectAccessReviewSpec', {
  resourceAttributes: declaredObject('kubernetes.ResourceAttributes', {
    namespace: text,
    verb: text,
    group: text,
    version: text,
    resource: text,
    subresource: text,
    name: text,
    fieldSelector: declaredObject('kubernetes.FieldSelectorAttributes', selectorFields),
    labelSelector: declaredObject('kubernetes.LabelSelectorAttributes', selectorFields),
  }),
  nonResourceAttributes: declaredObject('kubernetes.NonResourceAttributes', {
    path: text,
    verb: text,
  }),
  user: text,
  groups: texts,
  extra: declaredMap(texts),
  uid: text,
});

/** The environment of these conditions; made once for a server. */
export function conditionEnvironment(language: Language): Environment {
  return language.forStored({
    variables: [{ name: 'request', type: reviewType.type }],
    providers: [schemaProvider(reviewType)],
  });
}

export interface MatchConditions {
  /** At once where they are small; what is long is done in turns. */
  evaluate(
    attributes: Attributes,
    turns: Pick<Turns, 'run'>,
  ): EvaluatedConditions | Promise<EvaluatedConditions>;
}

export type CompiledConditions =
  | { readonly kind: 'ok'; readonly conditions: MatchConditions }
  | {
      readonly kind: 'invalid';
      /** By the index of the expression. */
      readonly problems: readonly (readonly [index: number, problem: string])[];
    };

/** Yields between its steps. */
export function* compileConditions(
  expressions: readonly string[],
  environment: Environment,
): Steps<CompiledConditions> {
  const problems: (readonly [number, string])[] = [];
  const compiled: Expression[] = [];
  for (const [index, expression] of expressions.entries()) {
    if (expression.trim() === '') problems.push([index, 'required']);
    else if (expressions.indexOf(expression) !== index) problems.push([index, 'is given twice']);
    else {
      const result = yield* compileForStepwiseRun(environment, expression, [boolType]);
      yield;
      if (result.kind === 'ok') compiled.push(result.expression);
      else problems.push([index, result.problem]);
    }
  }
  if (problems.length > 0) return { kind: 'invalid', problems };
  return {
    kind: 'ok',
    conditions: {
      evaluate: (attributes, turns) => {
        const request = () => schemaValue(reviewData(attributes), reviewType);
        return evaluateConditions(compiled, { request }, turns);
      },
    },
  };
}

/** With every field that has a text, even an empty one: conditions need not ask before. */
function reviewData(attributes: Attributes): unknown {
  const { user } = attributes;
  const asked = attributes.isResourceRequest
    ? { resourceAttributes: resourceData(attributes) }
    : { nonResourceAttributes: { path: attributes.path, verb: attributes.verb } };
  return { ...asked, user: user.name, groups: user.groups, uid: user.uid, extra: user.extra };
}

function resourceData(attributes: Attributes): unknown {
  const { namespace, verb, apiGroup, apiVersion, resource, subresource, name } = attributes;
  return {
    namespace,
    verb,
    group: apiGroup,
    version: apiVersion,
    resource,
    subresource,
    name,
    ...selectorMembers(attributes.selectors),
  };
}
