/** EndpointSlices: the addresses behind a service, divided among several objects. */
import { notSupported, tooMany } from '../../apimachinery/field-error.ts';
import { objects, part, text, textMap, texts } from '../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import {
  checkDns1123Label,
  checkDns1123Subdomain,
  checkQualifiedName,
} from '../../apimachinery/validation/names.ts';
import { validateLabels } from '../../apimachinery/validation/object-meta.ts';
import { shownMax } from '../tables/cells.ts';
import { ageColumn, column, firstOf, nameColumn, table } from '../tables/columns.ts';
import { objectsAt, printedAt, textsAt } from '../tables/fields.ts';
import {
  checkReachableIp,
  form,
  formEach,
  ipFamily,
  noProblems,
  portNumber,
  unchanged,
  uniqueBy,
} from '../validation/checks.ts';
import type { Problems } from '../validation/checks.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import { ipWarnings, writtenBy } from '../warnings/ip-addresses.ts';
import type { KindWarnings, Warnings } from '../warnings/kind-warnings.ts';
import { allWarnings, noWarnings, warningsOfEach } from '../warnings/kind-warnings.ts';
import { lookup } from '../../stdx/lookup.ts';
import type { TypeDefaults, DefaultTable } from '../../apimachinery/typed/defaulting.ts';
import type { KindDefinition } from '../kind-definition.ts';
import { stableSliceStrategy, endpointSliceMaps } from './topology.ts';

const endpointSliceTable = table([
  nameColumn,
  column('AddressType', 'What its addresses are.', (object) => printedAt(object, 'addressType')),
  column('Ports', 'Ports of all its addresses.', (object) =>
    firstOf(
      objectsAt(object, 'ports').map(
        (port) => printedAt(port, 'port') || printedAt(port, 'name') || '*',
      ),
      shownMax,
      '<unset>',
    ),
  ),
  column('Endpoints', 'Its addresses.', (object) =>
    firstOf(
      objectsAt(object, 'endpoints').flatMap((endpoint) => textsAt(endpoint, 'addresses')),
      shownMax,
      '<unset>',
    ),
  ),
  ageColumn,
]);

const portDefaults: TypeDefaults = { name: '', protocol: 'TCP' };

const endpointSliceDefaults: DefaultTable = {
  fields: {
    'discovery/v1.EndpointPort': portDefaults,
    'discovery/v1beta1.EndpointPort': portDefaults,
  },
};

const endpointsMax = 1000;

const addressesMax = 100;

const slicePortsMax = 20_000;

const endpointSliceRules: KindRules = {
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

const sliceControllers = [
  'endpointslice-controller.{domain}',
  'endpointslicemirroring-controller.{domain}',
];

function endpointSliceWarnings(
  managedBy: string,
  fill: (template: string) => string,
): KindWarnings {
  const controllers = sliceControllers.map(fill);
  const addresses = (slice: ApiObject): Warnings =>
    writtenBy(slice, managedBy, controllers)
      ? noWarnings
      : warningsOfEach(objects(slice, 'endpoints'), (endpoint, at) =>
          warningsOfEach(texts(endpoint, 'addresses'), (address, which) =>
            ipWarnings(`endpoints[${at}].addresses[${which}]`, address),
          ),
        );
  return {
    onCreate: (slice) =>
      allWarnings(
        slice['addressType'] === 'FQDN'
          ? ['spec.addressType: FQDN endpoints are deprecated']
          : noWarnings,
        addresses(slice),
      ),
    onUpdate: addresses,
  };
}

export const endpointSlices: KindDefinition = {
  resource: 'discovery.{domain}/endpointslices',
  tracksGeneration: true,
  // They select slices.
  countedMetadata: 'labels',
  defaults: endpointSliceDefaults,
  validation: endpointSliceRules,
  schemaExemptions: { optional: 'discovery.EndpointSlice.endpoints' },
  warnings: ({ fill }) =>
    endpointSliceWarnings(fill('endpointslice.{labelDomain}/managed-by'), fill),
  table: endpointSliceTable,
  versions: {
    v1: { preparation: stableSliceStrategy },
    v1beta1: {
      conversion: ({ fill }) =>
        endpointSliceMaps(fill('topology.{labelDomain}/zone'), fill('{labelDomain}/hostname')),
    },
  },
};
