/** Rules of services, endpoints and endpoint slices. */
import {
  duplicate,
  forbidden,
  invalid,
  required,
  tooMany,
} from '../../apimachinery/field-error.ts';
import { checkDns1123Label, checkDns1123Subdomain } from '../../apimachinery/validation/names.ts';
import { validateLabels } from '../../apimachinery/validation/object-meta.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import {
  checkCidr,
  checkIp,
  form,
  items,
  numberOf,
  objects,
  part,
  portNumber,
  portNumberOrName,
  text,
  textMap,
  texts,
  unchanged,
  uniqueBy,
} from './checks.ts';
import type { Problems } from './checks.ts';
import type { KindRules } from './kind-rules.ts';

const affinitySecondsMax = 86_400;
const headless = 'None';

export const serviceRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    const ports = objects(spec, 'ports');
    const type = text(spec, 'type');
    const needsPorts = type !== 'ExternalName' && text(spec, 'clusterIP') !== headless;
    return [
      ...(needsPorts && ports.length === 0 ? [required('spec.ports')] : []),
      ...portsRules(ports, type),
      ...validateLabels('spec.selector', textMap(spec, 'selector')),
      ...addressRules(spec),
      ...typeRules(spec, type),
      ...affinityRules(spec),
    ];
  },
  validateUpdate: (next, current) => clusterIpRules(next, current),
};

function portsRules(ports: readonly JsonObject[], type: string): Problems {
  const used = new Set<string>();
  const each = ports.flatMap((port, at) => {
    const path = `spec.ports[${at}]`;
    const name = text(port, 'name');
    const node = numberOf(port['nodePort']) ?? 0;
    const taken = `${text(port, 'protocol')}/${numberOf(port['port'])}`;
    const repeated = used.has(taken);
    used.add(taken);
    return [
      ...(name === '' && ports.length > 1 ? [required(`${path}.name`)] : []),
      ...form(`${path}.name`, name, checkDns1123Label),
      ...portNumber(`${path}.port`, port['port']),
      ...portNumberOrName(`${path}.targetPort`, port['targetPort']),
      ...(node !== 0 && type === 'ClusterIP'
        ? [forbidden(`${path}.nodePort`, "may not be used when `type` is 'ClusterIP'")]
        : []),
      ...(repeated
        ? [duplicate(path, { protocol: text(port, 'protocol'), port: port['port'] ?? null })]
        : []),
    ];
  });
  return [...each, ...uniqueBy(ports, 'spec.ports', 'name')];
}

function addressRules(spec: JsonObject): Problems {
  const clusterIp = text(spec, 'clusterIP');
  return [
    ...(clusterIp === headless ? [] : form('spec.clusterIPs[0]', clusterIp, checkIp)),
    ...texts(spec, 'externalIPs').flatMap((ip, at) => form(`spec.externalIPs[${at}]`, ip, checkIp)),
    ...texts(spec, 'loadBalancerSourceRanges').flatMap((range, at) =>
      form(`spec.loadBalancerSourceRanges[${at}]`, range.trim(), checkCidr),
    ),
  ];
}

/** What only services of one type have. */
function typeRules(spec: JsonObject, type: string): Problems {
  const problems: Problems[number][] = [];
  const onlyBalanced = "may only be used when `type` is 'LoadBalancer'";
  if (type !== 'LoadBalancer') {
    for (const name of ['loadBalancerSourceRanges', 'allocateLoadBalancerNodePorts']) {
      if (spec[name] !== undefined) problems.push(forbidden(`spec.${name}`, onlyBalanced));
    }
  }
  if (type !== 'ExternalName') return problems;
  const name = text(spec, 'externalName');
  if (name === '') problems.push(required('spec.externalName'));
  problems.push(...form('spec.externalName', name.replace(/\.$/, ''), checkDns1123Subdomain));
  if (text(spec, 'clusterIP') !== '') {
    const detail = "may not be set when `type` is 'ExternalName'";
    problems.push(forbidden('spec.clusterIPs[0]', detail));
  }
  return problems;
}

function affinityRules(spec: JsonObject): Problems {
  const config = part(part(spec, 'sessionAffinityConfig'), 'clientIP');
  const seconds = numberOf(config['timeoutSeconds']);
  if (seconds === undefined || (seconds > 0 && seconds <= affinitySecondsMax)) return [];
  const detail = `must be greater than 0 and less than ${affinitySecondsMax}`;
  return [invalid('spec.sessionAffinityConfig.clientIP.timeoutSeconds', seconds, detail)];
}

/** Once a service has an address it keeps it for as long as it has one. */
function clusterIpRules(next: ApiObject, current: ApiObject): Problems {
  const [spec, before] = [part(next, 'spec'), part(current, 'spec')];
  const [now, was] = [text(spec, 'clusterIP'), text(before, 'clusterIP')];
  if (text(spec, 'type') === 'ExternalName' || text(before, 'type') === 'ExternalName') return [];
  if (was === '' || now === '' || now === was) return [];
  return [invalid('spec.clusterIPs[0]', [now], 'may not change once set')];
}

export const endpointsRules: KindRules = {
  validate: (object) =>
    objects(object, 'subsets').flatMap((subset, at) => {
      const path = `subsets[${at}]`;
      const lists = ['addresses', 'notReadyAddresses'] as const;
      const none = lists.every((name) => items(subset, name).length === 0);
      const detail = 'must specify `addresses` or `notReadyAddresses`';
      const ports = objects(subset, 'ports');
      return [
        ...(none ? [required(path, detail)] : []),
        ...lists.flatMap((name) =>
          objects(subset, name).flatMap((address, i) =>
            form(`${path}.${name}[${i}].ip`, text(address, 'ip'), checkIp),
          ),
        ),
        ...ports.flatMap((port, i) => endpointPortRules(port, `${path}.ports[${i}]`, ports.length)),
      ];
    }),
};

function endpointPortRules(port: JsonObject, path: string, count: number): Problems {
  const name = text(port, 'name');
  return [
    ...(name === '' && count > 1 ? [required(`${path}.name`)] : []),
    ...form(`${path}.name`, name, checkDns1123Label),
    ...portNumber(`${path}.port`, port['port']),
  ];
}

const endpointsMax = 1000;
const addressesMax = 100;
const slicePortsMax = 20_000;

export const endpointSliceRules: KindRules = {
  validate: (object) => {
    const endpoints = objects(object, 'endpoints');
    const ports = objects(object, 'ports');
    if (endpoints.length > endpointsMax) {
      return [tooMany('endpoints', endpoints.length, endpointsMax)];
    }
    const ofIp = text(object, 'addressType') !== 'FQDN';
    return [
      ...endpoints.flatMap((endpoint, at) => endpointRules(endpoint, `endpoints[${at}]`, ofIp)),
      ...(ports.length > slicePortsMax ? [tooMany('ports', ports.length, slicePortsMax)] : []),
      ...ports.flatMap((port, at) => [
        ...form(`ports[${at}].name`, text(port, 'name'), checkDns1123Label),
        ...portNumber(`ports[${at}].port`, port['port']),
      ]),
      ...uniqueBy(ports, 'ports', 'name'),
    ];
  },
  validateUpdate: (next, current) =>
    unchanged('addressType', next['addressType'], current['addressType']),
};

function endpointRules(endpoint: JsonObject, path: string, ofIp: boolean): Problems {
  const addresses = texts(endpoint, 'addresses');
  if (addresses.length > addressesMax) {
    return [tooMany(`${path}.addresses`, addresses.length, addressesMax)];
  }
  return [
    ...addresses.flatMap((address, at) =>
      form(`${path}.addresses[${at}]`, address, ofIp ? checkIp : checkDns1123Subdomain),
    ),
    ...form(`${path}.nodeName`, text(endpoint, 'nodeName'), checkDns1123Subdomain),
    ...form(`${path}.hostname`, text(endpoint, 'hostname'), checkDns1123Label),
  ];
}
