/** Rules of webhook configurations. */
import { invalid, required } from '../../apimachinery/field-error.ts';
import { objects, part, text, texts } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { checkDns1035Label, checkDns1123Subdomain } from '../../apimachinery/validation/names.ts';
import { matchConditionRules, operationRules } from './request-matching.ts';
import type { Problems } from '../validation/checks.ts';
import { form, numberOf, portNumber } from '../validation/checks.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import { labelSelectorRules } from '../validation/labels.ts';

const reviewVersions = ['v1', 'v1beta1'];

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
    ...clientConfigRules(part(hook, 'clientConfig'), `${path}.clientConfig`),
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
  const known = versions.some((version) => reviewVersions.includes(version));
  return [
    ...versions.flatMap((version, at) => form(`${field}[${at}]`, version, checkDns1035Label)),
    ...(known
      ? []
      : [invalid(field, versions, `must include at least one of ${reviewVersions.join(', ')}`)]),
  ];
}

function clientConfigRules(config: JsonObject, path: string): Problems {
  const url = config['url'];
  const service = config['service'];
  if ((url === undefined) === (service === undefined)) {
    return [required(path, 'exactly one of url or service is required')];
  }
  if (typeof url === 'string') return urlRules(url, `${path}.url`);
  const port = portNumber(`${path}.service.port`, part(config, 'service')['port']);
  return port.map((problem) => ({ ...problem, detail: `port is not valid: ${problem.detail}` }));
}

const urlForm = '; desired format: https://host[:port]/path';

function urlRules(url: string, field: string): Problems {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined) return [invalid(field, url, `url must be a valid URL${urlForm}`)];
  if (parsed.protocol !== 'https:') {
    const detail = `'https' is the only allowed URL scheme${urlForm}`;
    return [invalid(field, parsed.protocol.slice(0, -1), detail)];
  }
  const notPermitted = (what: string, value: string): Problems =>
    value === '' ? [] : [invalid(field, value, `${what} are not permitted in the URL`)];
  return [
    ...notPermitted('user information', parsed.username).map((problem) => ({
      ...problem,
      detail: 'user information is not permitted in the URL',
    })),
    ...notPermitted('fragments', parsed.hash.slice(1)),
    ...notPermitted('query parameters', parsed.search.slice(1)),
  ];
}
