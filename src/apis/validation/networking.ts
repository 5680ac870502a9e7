/** Rules of ingresses and network policies. */
import { BlockList } from 'node:net';
import {
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
} from '../../apimachinery/field-error.ts';
import { parseCidr } from '../../apimachinery/ip-address.ts';
import { items, objects, part, text, texts } from '../../apimachinery/members.ts';
import {
  checkDns1035Label,
  checkDns1123Label,
  checkDns1123Subdomain,
  checkPathSegmentName,
} from '../../apimachinery/validation/names.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import {
  checkCidr,
  ipFamily,
  checkPortName,
  form,
  givenAmong,
  needed,
  numberOf,
  oneOf,
  portNumber,
  portNumberOrName,
  unchanged,
} from './checks.ts';
import type { Problems } from './checks.ts';
import { checkDomainPath } from './domain-path.ts';
import { labelSelectorRules } from './labels.ts';
import type { KindRules } from './kind-rules.ts';

export function ingressRules(identity: Identity): KindRules {
  const annotation = identity.fill('{labelDomain}/ingress.class');
  return {
    validate: ingressProblems,
    validateCreate: (object) => classRules(object, annotation),
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
    ...form('spec.ingressClassName', text(spec, 'ingressClassName'), checkDns1123Subdomain),
  ];
}

function ruleRules(rule: JsonObject, path: string): Problems {
  const host = text(rule, 'host');
  const address = ipFamily(host) !== 0;
  return [
    ...(address ? [invalid(`${path}.host`, host, 'must be a DNS name, not an IP address')] : []),
    ...(address ? [] : hostRules(host, `${path}.host`)),
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
  if (!host.includes('*')) return form(field, host, checkDns1123Subdomain);
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
  if (type === '') return backend;
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
    ...form(`${here}.port.name`, text(port, 'name'), checkPortName),
    ...(numbered ? portNumber(`${here}.port.number`, port['number']) : []),
  ];
}

function referenceRules(reference: JsonObject, path: string): Problems {
  return [
    ...form(`${path}.apiGroup`, text(reference, 'apiGroup'), checkDns1123Subdomain),
    ...['kind', 'name'].flatMap((name) =>
      form(`${path}.${name}`, text(reference, name), checkPathSegmentName),
    ),
  ];
}

const controllerBytesMax = 250;

export const ingressClassRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    const controller = text(spec, 'controller');
    return [
      ...needed(spec, 'spec', 'controller'),
      ...(Buffer.byteLength(controller, 'utf8') > controllerBytesMax
        ? [tooLong('spec.controller', controllerBytesMax)]
        : []),
      ...form('spec.controller', controller, checkDomainPath),
      ...(spec['parameters'] === undefined
        ? []
        : parametersRules(part(spec, 'parameters'), 'spec.parameters')),
    ];
  },
  validateUpdate: (next, current) =>
    unchanged(
      'spec.controller',
      part(next, 'spec')['controller'],
      part(current, 'spec')['controller'],
    ),
};

/** What a class is configured with: in one namespace, or in none. */
function parametersRules(parameters: JsonObject, path: string): Problems {
  const scope = text(parameters, 'scope');
  const named = parameters['namespace'] !== undefined;
  const because = `\`parameters.scope\` is set to '${scope}'`;
  const field = `${path}.namespace`;
  return [
    ...referenceRules(parameters, path),
    ...form(field, text(parameters, 'namespace'), checkDns1123Label),
    ...oneOf(`${path}.scope`, scope, ['Cluster', 'Namespace']),
    ...(scope === 'Namespace' && !named ? [required(field, because)] : []),
    ...(scope === 'Cluster' && named ? [forbidden(field, because)] : []),
  ];
}

export const networkPolicyRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    const types = texts(spec, 'policyTypes');
    return [
      ...labelSelectorRules(part(spec, 'podSelector'), 'spec.podSelector'),
      ...directionRules(objects(spec, 'ingress'), 'spec.ingress', 'from'),
      ...directionRules(objects(spec, 'egress'), 'spec.egress', 'to'),
      ...(types.length > 2
        ? [invalid('spec.policyTypes', types, 'may not specify more than two policyTypes')]
        : []),
    ];
  },
};

function directionRules(
  rules: readonly JsonObject[],
  path: string,
  peers: 'from' | 'to',
): Problems {
  return rules.flatMap((rule, at) => [
    ...objects(rule, 'ports').flatMap((port, i) =>
      policyPortRules(port, `${path}[${at}].ports[${i}]`),
    ),
    ...objects(rule, peers).flatMap((peer, i) => peerRules(peer, `${path}[${at}].${peers}[${i}]`)),
  ]);
}

function policyPortRules(port: JsonObject, path: string): Problems {
  const [first, last] = [port['port'], numberOf(port['endPort'])];
  if (last === undefined) return portNumberOrName(`${path}.port`, first);
  if (first === undefined) {
    return [invalid(`${path}.endPort`, last, 'may not be specified when `port` is not specified')];
  }
  if (typeof first === 'string') {
    return [invalid(`${path}.endPort`, last, 'may not be specified when `port` is non-numeric')];
  }
  const below = last < (numberOf(first) ?? 0);
  return [
    ...portNumber(`${path}.port`, first),
    ...(below
      ? [invalid(`${path}.endPort`, last, 'must be greater than or equal to `port`')]
      : portNumber(`${path}.endPort`, last)),
  ];
}

function peerRules(peer: JsonObject, path: string): Problems {
  const selectors = givenAmong(peer, ['podSelector', 'namespaceSelector']);
  const block = peer['ipBlock'] !== undefined;
  if (selectors.length === 0 && !block) return [required(path, 'must specify a peer')];
  if (selectors.length > 0 && block) {
    return [forbidden(path, 'may not specify both ipBlock and another peer')];
  }
  return [
    ...selectors.flatMap((name) => labelSelectorRules(part(peer, name), `${path}.${name}`)),
    ...(block ? blockRules(part(peer, 'ipBlock'), `${path}.ipBlock`) : []),
  ];
}

function blockRules(block: JsonObject, path: string): Problems {
  const cidr = text(block, 'cidr');
  const problems = form(`${path}.cidr`, cidr, checkCidr);
  if (problems.length > 0 || cidr === '') return problems;
  return items(block, 'except').flatMap((each, at) => {
    if (typeof each !== 'string') return [];
    const field = `${path}.except[${at}]`;
    const wrong = form(field, each, checkCidr);
    if (wrong.length > 0) return wrong;
    return isStrictlyInside(each, cidr)
      ? []
      : [invalid(field, each, 'must be a strict subset of `cidr`')];
  });
}

/** Both are valid. */
function isStrictlyInside(inner: string, outer: string): boolean {
  const [within, around] = [parseCidr(inner), parseCidr(outer)];
  if (within === undefined || around === undefined) return false;
  if (within.address.family !== around.address.family) return false;
  const family = around.address.family === 6 ? 'ipv6' : 'ipv4';
  const list = new BlockList();
  list.addSubnet(around.address.text, around.prefix, family);
  return list.check(within.address.text, family) && within.prefix > around.prefix;
}
