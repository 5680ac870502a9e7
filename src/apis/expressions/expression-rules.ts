/**
 * Which kinds hold expressions, by resource: they are checked when an object is written.
 *
 *     'resource.{domain}/deviceclasses'      `<group template>/<resource>`, as in validation.ts
 */
import type { Language } from '../../cel/language.ts';
import { lookup } from '../../stdx/lookup.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import {
  mutatingPolicyExpressions,
  validatingPolicyExpressions,
  webhookExpressions,
} from './admission-expressions.ts';
import { definitionExpressions } from './definition-expressions.ts';
import {
  claimExpressions,
  claimTemplateExpressions,
  deviceClassExpressions,
  deviceTaintRuleExpressions,
} from './device-expressions.ts';

export function expressionRulesOf(language: Language): Readonly<Record<string, KindRules>> {
  const admission = 'admissionregistration.{domain}';
  const devices = 'resource.{domain}';
  const webhooks = webhookExpressions(language);
  return lookup({
    [`${admission}/mutatingadmissionpolicies`]: mutatingPolicyExpressions(language),
    [`${admission}/mutatingwebhookconfigurations`]: webhooks,
    [`${admission}/validatingadmissionpolicies`]: validatingPolicyExpressions(language),
    [`${admission}/validatingwebhookconfigurations`]: webhooks,
    'apiextensions.{domain}/customresourcedefinitions': definitionExpressions(language),
    [`${devices}/deviceclasses`]: deviceClassExpressions(language),
    [`${devices}/devicetaintrules`]: deviceTaintRuleExpressions(language),
    [`${devices}/resourceclaims`]: claimExpressions(language),
    [`${devices}/resourceclaimtemplates`]: claimTemplateExpressions(language),
  });
}
