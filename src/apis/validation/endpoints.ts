/** Rules of endpoints and endpoint slices. */
import { notSupported, required, tooMany } from '../../apimachinery/field-error.ts';
import { items, objects, part, text, textMap, texts } from '../../apimachinery/members.ts';
import {
  checkDns1123Label,
  checkDns1123Subdomain,
  checkQualifiedName,
} from '../../apimachinery/validation/names.ts';
import { validateLabels } from '../../apimachinery/validation/object-meta.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { lookup } from '../../stdx/lookup.ts';
import {
  checkReachableIp,
  ipFamily,
  form,
  formEach,
  noProblems,
  portNumber,
  unchanged,
  uniqueBy,
} from './checks.ts';
import type { Problems } from './checks.ts';
import type { KindRules } from './kind-rules.ts';

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
            endpointAddressRules(address, `${path}.${name}[${i}]`),
          ),
        ),
        ...ports.flatMap((port, i) => endpointPortRules(port, `${path}.ports[${i}]`, ports.length)),
      ];
    }),
};

function endpointAddressRules(address: JsonObject, path: string): Problems {
  return [
    ...form(`${path}.ip`, text(address, 'ip'), checkReachableIp),
    ...form(`${path}.hostname`, text(address, 'hostname'), checkDns1123Label),
    ...form(`${path}.nodeName`, text(address, 'nodeName'), checkDns1123Subdomain),
  ];
}

function endpointPortRules(port: JsonObject, path: string, count: number): Problems {
  const name = text(port, 'name');
  return [
    ...(name === '' && count > 1 ? [required(`${path}.name`)] : []),
    ...form(`${path}.name`, name, checkDns1123Label),
    ...portNumber(`${path}.port`, port['port']),
    ...form(`${path}.appProtocol`, text(port, 'appProtocol'), checkQualifiedName),
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
    const type = text(object, 'addressType');
    const check = addressChecks[type];
    return [
      ...(type === '' || check !== undefined
        ? noProblems
        : [notSupported('addressType', type, ['FQDN', 'IPv4', 'IPv6'])]),
      ...endpoints.flatMap((endpoint, at) => endpointRules(endpoint, `endpoints[${at}]`, check)),
      ...(ports.length > slicePortsMax ? [tooMany('ports', ports.length, slicePortsMax)] : []),
      ...ports.flatMap((port, at) => [
        ...form(`ports[${at}].name`, text(port, 'name'), checkDns1123Label),
        ...portNumber(`ports[${at}].port`, port['port']),
        ...form(`ports[${at}].appProtocol`, text(port, 'appProtocol'), checkQualifiedName),
      ]),
      ...uniqueBy(ports, 'ports', 'name'),
    ];
  },
  validateUpdate: (next, current) =>
    unchanged('addressType', next['addressType'], current['addressType']),
};

/** Of one family each, or names. The oldest type was of either family. */
const addressChecks: Readonly<Record<string, (value: string) => readonly string[]>> = lookup({
  IPv4: (value) =>
    ipFamily(value) === 4 ? checkReachableIp(value) : ['must be a valid IPv4 address'],
  IPv6: (value) =>
    ipFamily(value) === 6 ? checkReachableIp(value) : ['must be a valid IPv6 address'],
  IP: checkReachableIp,
  FQDN: (value) => checkDns1123Subdomain(value),
});

const hintsMax = 8;

function endpointRules(
  endpoint: JsonObject,
  path: string,
  check: ((value: string) => readonly string[]) | undefined,
): Problems {
  const addresses = texts(endpoint, 'addresses');
  const zones = objects(part(endpoint, 'hints'), 'forZones');
  const topology = Object.keys(part(endpoint, 'deprecatedTopology'));
  if (addresses.length > addressesMax) {
    return [tooMany(`${path}.addresses`, addresses.length, addressesMax)];
  }
  return [
    ...(check === undefined ? [] : formEach(`${path}.addresses`, addresses, check)),
    ...form(`${path}.nodeName`, text(endpoint, 'nodeName'), checkDns1123Subdomain),
    ...form(`${path}.hostname`, text(endpoint, 'hostname'), checkDns1123Label),
    ...validateLabels(`${path}.deprecatedTopology`, textMap(endpoint, 'deprecatedTopology')),
    ...(topology.length > topologyMax
      ? [tooMany(`${path}.deprecatedTopology`, topology.length, topologyMax)]
      : []),
    ...(zones.length > hintsMax
      ? [tooMany(`${path}.hints.forZones`, zones.length, hintsMax)]
      : uniqueBy(zones, `${path}.hints.forZones`, 'name')),
  ];
}

const topologyMax = 16;
