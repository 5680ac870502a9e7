/** Ingresses: which requests from outside lead to which service. */
import { invalid, notSupported, required } from '../../apimachinery/field-error.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import { objects, part, text, texts } from '../../apimachinery/members.ts';
import { quote } from '../../apimachinery/quote.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import {
  checkDns1035Label,
  checkDns1123Subdomain,
  checkPathSegmentName,
} from '../../apimachinery/validation/names.ts';
import { balancerStatusRules } from '../core/services/balancer-status.ts';
import { loadBalancerText } from '../core/services/services.ts';
import { shownMax } from '../tables/cells.ts';
import { ageColumn, column, firstOf, nameColumn, table } from '../tables/columns.ts';
import { objectsAt, printedAt } from '../tables/fields.ts';
import type { Problems } from '../validation/checks.ts';
import {
  checkPortName,
  form,
  givenAmong,
  givenForm,
  ipFamily,
  noProblems,
  numberOf,
  portNumber,
} from '../validation/checks.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import { balancerWarnings } from '../warnings/ip-addresses.ts';
import type { KindWarnings } from '../warnings/kind-warnings.ts';
import { noWarnings } from '../warnings/kind-warnings.ts';
import type { DefaultTable } from '../../apimachinery/typed/defaulting.ts';
import type { KindDefinition } from '../kind-definition.ts';
import { ingressMaps } from './ingress-conversion.ts';

export const ingressTable = table([
  nameColumn,
  column(
    'Class',
    'Who implements it.',
    (object) => printedAt(object, 'spec', 'ingressClassName') || '<none>',
  ),
  column('Hosts', 'Hosts it has rules for.', (object) => {
    const hosts = objectsAt(object, 'spec', 'rules').map((rule) => printedAt(rule, 'host'));
    return firstOf(
      hosts.filter((host) => host !== ''),
      shownMax,
      '*',
    );
  }),
  column('Address', 'Where it can be reached.', loadBalancerText),
  column('Ports', 'Ports it listens on.', (object) =>
    objectsAt(object, 'spec', 'tls').length > 0 ? '80, 443' : '80',
  ),
  ageColumn,
]);

const ingressDefaults: DefaultTable = {
  fields: { 'networking/v1beta1.HTTPIngressPath': { pathType: 'ImplementationSpecific' } },
};

function ingressRules(identity: Identity): KindRules {
  const annotation = identity.fill('{labelDomain}/ingress.class');
  return {
    validate: ingressProblems,
    validateCreate: (object) => classRules(object, annotation),
    validateStatusUpdate: (next) => balancerStatusRules(next),
  };
}

/** The class was an annotation before it was a field. */
function classRules({ metadata, spec }: ApiObject, annotation: string): Problems {
  const named = metadata.annotations?.[annotation];
  const name = isJsonObject(spec) ? spec['ingressClassName'] : undefined;
  if (named === undefined || name === undefined || named === name) return [];
  const why = 'must match `ingressClassName` when both are specified';
  return [invalid(`annotations.${annotation}`, named, why)];
}

function ingressProblems(object: ApiObject): Problems {
  const spec = part(object, 'spec');
  const rules = objects(spec, 'rules');
  const neither = rules.length === 0 && spec['defaultBackend'] === undefined;
  const detail = 'either `defaultBackend` or `rules` must be specified';
  return [
    ...(neither ? [invalid('spec', rules, detail)] : []),
    ...(spec['defaultBackend'] === undefined
      ? []
      : backendRules(part(spec, 'defaultBackend'), 'spec.defaultBackend')),
    ...rules.flatMap((rule, at) => ruleRules(rule, `spec.rules[${at}]`)),
    ...objects(spec, 'tls').flatMap((tls, at) => [
      ...texts(tls, 'hosts').flatMap((host, i) => hostRules(host, `spec.tls[${at}].hosts[${i}]`)),
      ...form(`spec.tls[${at}].secretName`, text(tls, 'secretName'), checkDns1123Subdomain),
    ]),
    ...givenForm('spec.ingressClassName', spec['ingressClassName'], checkDns1123Subdomain),
  ];
}

function ruleRules(rule: JsonObject, path: string): Problems {
  const host = text(rule, 'host');
  const address = ipFamily(host) !== 0;
  return [
    ...(address ? [invalid(`${path}.host`, host, 'must be a DNS name, not an IP address')] : []),
    ...(address || host === '' ? [] : hostRules(host, `${path}.host`)),
    ...objects(part(rule, 'http'), 'paths').flatMap((each, at) =>
      pathRules(each, `${path}.http.paths[${at}]`),
    ),
  ];
}

const wildcard = /^\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

const wildcardMessage =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which " +
  "must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric " +
  "character (e.g. '*.example.com', regex used for validation is " +
  "'\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

function hostRules(host: string, field: string): Problems {
  if (!host.includes('*')) return givenForm(field, host, checkDns1123Subdomain);
  return wildcard.test(host) ? [] : [invalid(field, host, wildcardMessage)];
}

const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix'] as const;

const refusedParts = ['//', '/./', '/../', '%2f', '%2F'];

const refusedEnds = ['/..', '/.'];

function pathRules(each: JsonObject, at: string): Problems {
  const path = text(each, 'path');
  const type = text(each, 'pathType');
  const field = `${at}.path`;
  const relative = !path.startsWith('/');
  const backend = backendRules(part(each, 'backend'), `${at}.backend`);
  if (type === 'ImplementationSpecific') {
    const wrong = path !== '' && relative;
    return [...(wrong ? [invalid(field, path, 'must be an absolute path')] : []), ...backend];
  }
  if (each['pathType'] === undefined) return noProblems;
  if (type !== 'Exact' && type !== 'Prefix') {
    return [notSupported(`${at}.pathType`, type, pathTypes), ...backend];
  }
  return [
    ...(relative ? [invalid(field, path, 'must be an absolute path')] : []),
    ...refusedParts
      .filter((each) => !relative && path.includes(each))
      .map((each) => invalid(field, path, `must not contain '${each}'`)),
    ...refusedEnds
      .filter((each) => !relative && path.endsWith(each))
      .map((each) => invalid(field, path, `cannot end with '${each}'`)),
    ...backend,
  ];
}

function backendRules(backend: JsonObject, path: string): Problems {
  const given = givenAmong(backend, ['service', 'resource']);
  if (given.length === 0) return [invalid(path, '', 'resource or service backend is required')];
  if (given.length === 2) {
    return [invalid(path, '', 'cannot set both resource and service backends')];
  }
  if (given[0] === 'resource') {
    return referenceRules(part(backend, 'resource'), `${path}.resource`);
  }
  const here = `${path}.service`;
  const service = part(backend, 'service');
  const port = part(service, 'port');
  const named = text(port, 'name') !== '';
  const numbered = (numberOf(port['number']) ?? 0) !== 0;
  return [
    ...form(`${here}.name`, text(service, 'name'), checkDns1035Label),
    ...(named && numbered ? [invalid(path, '', 'cannot set both port name & port number')] : []),
    ...(named || numbered ? [] : [required(path, 'port name or number is required')]),
    ...(named && !numbered ? form(`${here}.port.name`, text(port, 'name'), checkPortName) : []),
    ...(numbered && !named ? portNumber(`${here}.port.number`, port['number']) : []),
  ];
}

export function referenceRules(reference: JsonObject, path: string): Problems {
  return [
    ...givenForm(`${path}.apiGroup`, reference['apiGroup'], checkDns1123Subdomain),
    ...['kind', 'name'].flatMap((name) =>
      form(`${path}.${name}`, text(reference, name), checkPathSegmentName),
    ),
  ];
}

function ingressWarnings({ fill }: Identity): KindWarnings {
  const annotation = fill('{labelDomain}/ingress.class');
  return {
    onCreate: (ingress) =>
      ingress.metadata.annotations?.[annotation] !== undefined &&
      part(ingress, 'spec')['ingressClassName'] === undefined
        ? [
            `annotation ${quote(annotation)} is deprecated, ` +
              "please use 'spec.ingressClassName' instead",
          ]
        : noWarnings,
    onStatusUpdate: balancerWarnings,
  };
}

export const ingresses: KindDefinition = {
  resource: 'networking.{domain}/ingresses',
  tracksGeneration: true,
  defaults: ingressDefaults,
  validation: ingressRules,
  warnings: ingressWarnings,
  table: ingressTable,
  versions: { v1beta1: { conversion: ingressMaps } },
};
