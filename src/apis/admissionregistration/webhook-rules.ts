/** Rules of webhook configurations. */
import { invalid } from '../../apimachinery/field-error.ts';
import { objects, part, text, texts } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { checkDns1123Subdomain } from '../../apimachinery/validation/names.ts';
import { matchConditionRules, operationRules } from './request-matching.ts';
import type { Problems } from '../validation/checks.ts';
import { form, numberOf } from '../validation/checks.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import { labelSelectorRules } from '../validation/labels.ts';
import {
  hasKnownReviewVersion,
  noKnownReviewVersion,
  reviewVersionRules,
  webhookAddressRules,
} from '../validation/webhook-address.ts';

const timeoutSecondsMax = 30;

export const webhookRules: KindRules = {
  validate: (object) => {
    const hooks = objects(object, 'webhooks');
    return hooks.flatMap((hook, at) => hookRules(hook, `webhooks[${at}]`));
  },
};

function hookRules(hook: JsonObject, path: string): Problems {
  const timeout = numberOf(hook['timeoutSeconds']) ?? 1;
  return [
    ...hookNameRules(text(hook, 'name'), `${path}.name`),
    ...(timeout > timeoutSecondsMax || timeout < 1
      ? [
          invalid(
            `${path}.timeoutSeconds`,
            timeout,
            `the timeout value must be between 1 and ${timeoutSecondsMax} seconds`,
          ),
        ]
      : []),
    ...versionRules(texts(hook, 'admissionReviewVersions'), `${path}.admissionReviewVersions`),
    ...['namespaceSelector', 'objectSelector'].flatMap((name) =>
      labelSelectorRules(part(hook, name), `${path}.${name}`),
    ),
    ...webhookAddressRules(part(hook, 'clientConfig'), `${path}.clientConfig`),
    ...objects(hook, 'rules').flatMap((rule, at) => operationRules(rule, `${path}.rules[${at}]`)),
    ...matchConditionRules(objects(hook, 'matchConditions'), `${path}.matchConditions`),
  ];
}

function hookNameRules(name: string, field: string): Problems {
  const problems = form(field, name, checkDns1123Subdomain);
  if (name === '' || problems.length > 0 || name.split('.').length >= 3) return problems;
  const detail = 'should be a domain with at least three segments separated by dots';
  return [invalid(field, name, detail)];
}

function versionRules(versions: readonly string[], field: string): Problems {
  if (versions.length === 0) return [];
  return [
    ...reviewVersionRules(versions, field),
    ...(hasKnownReviewVersion(versions) ? [] : [invalid(field, versions, noKnownReviewVersion)]),
  ];
}
