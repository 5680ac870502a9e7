/** Rules of webhook configurations and of flow control. */
import { forbidden, invalid, required } from '../../apimachinery/field-error.ts';
import { checkDns1035Label, checkDns1123Subdomain } from '../../apimachinery/validation/names.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { form, needed, numberOf, objects, part, portNumber, text, texts } from './checks.ts';
import type { Problems } from './checks.ts';
import { labelSelectorRules } from './labels.ts';
import type { KindRules } from './kind-rules.ts';

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
    ...objects(hook, 'rules').flatMap((rule, at) => matchRules(rule, `${path}.rules[${at}]`)),
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
  const given = (what: string, value: string): Problems =>
    value === '' ? [] : [invalid(field, value, `${what} are not permitted in the URL`)];
  return [
    ...given('user information', parsed.username).map((problem) => ({
      ...problem,
      detail: 'user information is not permitted in the URL',
    })),
    ...given('fragments', parsed.hash.slice(1)),
    ...given('query parameters', parsed.search.slice(1)),
  ];
}

function matchRules(rule: JsonObject, path: string): Problems {
  return ['operations', 'apiGroups', 'apiVersions', 'resources'].flatMap((name) => {
    const values = texts(rule, name);
    if (values.length === 0) return [required(`${path}.${name}`)];
    if (name === 'resources' || values.length === 1 || !values.includes('*')) return [];
    const detail = "if '*' is present, must not specify other " + `${phrases[name] ?? name}`;
    return [invalid(`${path}.${name}`, values, detail)];
  });
}

const phrases: Readonly<Record<string, string>> = {
  apiGroups: 'API groups',
  apiVersions: 'API versions',
};

export const policyBindingRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    return [...needed(spec, 'spec', 'policyName'), ...needed(spec, 'spec', 'validationActions')];
  },
};

const precedenceMax = 10_000;

/** The schema that is matched first, before any other. */
const first = 'exempt';

export const flowSchemaRules: KindRules = {
  validate: (object) => {
    const precedence = numberOf(part(object, 'spec')['matchingPrecedence']) ?? 0;
    const field = 'spec.matchingPrecedence';
    return [
      ...(precedence <= 0 ? [invalid(field, precedence, 'must be a positive value')] : []),
      ...(precedence > precedenceMax
        ? [invalid(field, precedence, `must not be greater than ${precedenceMax}`)]
        : []),
      ...(precedence === 1 && object.metadata.name !== first
        ? [
            invalid(
              field,
              precedence,
              `only the schema named '${first}' may have matchingPrecedence 1`,
            ),
          ]
        : []),
    ];
  },
};

export const priorityLevelRules: KindRules = {
  validate: (object: ApiObject) => {
    const spec = part(object, 'spec');
    const limited = spec['limited'] !== undefined;
    switch (text(spec, 'type')) {
      case 'Exempt':
        return limited ? [forbidden('spec.limited', 'must be nil if the type is not Limited')] : [];
      case 'Limited':
        if (!limited) return [required('spec.limited', 'must not be empty when type is Limited')];
        return limitResponseRules(
          part(part(spec, 'limited'), 'limitResponse'),
          'spec.limited.limitResponse',
        );
      default:
        return [];
    }
  },
};

function limitResponseRules(response: JsonObject, path: string): Problems {
  const queuing = response['queuing'] !== undefined;
  const type = text(response, 'type');
  if (type === 'Reject') {
    const detail = 'must be nil if limited.limitResponse.type is not Limited';
    return queuing ? [forbidden(`${path}.queuing`, detail)] : [];
  }
  if (type !== 'Queue') return [];
  if (!queuing) {
    const detail = 'must not be empty if limited.limitResponse.type is Limited';
    return [required(`${path}.queuing`, detail)];
  }
  const values = part(response, 'queuing');
  const queues = numberOf(values['queues']) ?? 0;
  const handSize = numberOf(values['handSize']) ?? 0;
  const least = ['queueLengthLimit', 'queues', 'handSize'].flatMap((name) => {
    const value = numberOf(values[name]) ?? 0;
    return value > 0 ? [] : [invalid(`${path}.queuing.${name}`, value, 'must be positive')];
  });
  const wide = `should not be greater than queues (${queues})`;
  return [
    ...least,
    ...(queues > 0 && handSize > queues
      ? [invalid(`${path}.queuing.handSize`, handSize, wide)]
      : []),
  ];
}
