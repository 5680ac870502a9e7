/** EndpointSlices: the addresses behind a service, divided among several objects. */
import { duplicate, invalid, notSupported, tooMany } from '../../apimachinery/field-error.ts';
import { objects, part, text, textMap, texts } from '../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import {
  checkDns1123Label,
  checkDns1123Subdomain,
  checkLabelValue,
  checkQualifiedName,
} from '../../apimachinery/validation/names.ts';
import { validateLabels } from '../../apimachinery/validation/object-meta.ts';
import { shownMax } from '../tables/cells.ts';
import { ageColumn, column, firstOf, nameColumn, table } from '../tables/columns.ts';
import { objectsAt, printedAt, textsAt } from '../tables/fields.ts';
import {
  checkReachableIp,
  form,
  givenForm,
  ipFamily,
  noProblems,
  repetitions,
  requiredForm,
  unchanged,
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
    return [
      ...(type === '' || addressChecks[type] !== undefined
        ? noProblems
        : [notSupported('addressType', type, ['FQDN', 'IPv4', 'IPv6'])]),
      ...endpoints.flatMap((endpoint, at) => endpointRules(endpoint, `endpoints[${at}]`, type)),
      ...(ports.length > slicePortsMax ? [tooMany('ports', ports.length, slicePortsMax)] : []),
      // Of their numbers nothing is asked.
      ...ports.flatMap((port, at) => [
        ...form(`ports[${at}].name`, text(port, 'name'), checkDns1123Label),
        ...givenForm(`ports[${at}].appProtocol`, port['appProtocol'], checkQualifiedName),
      ]),
      ...uniqueNames(ports, 'ports'),
    ];
  },
  validateUpdate: (next, current) =>
    unchanged('addressType', next['addressType'], current['addressType']),
};

/** Of one family each, or names. The oldest type was of either family. */
const addressChecks: Readonly<Record<string, (value: string) => readonly string[]>> = lookup({
  IPv4: checkReachableIp,
  IPv6: checkReachableIp,
  IP: checkReachableIp,
  FQDN: checkFullName,
});

/** A name with its domain, and a dot behind it or none. */
function checkFullName(value: string): readonly string[] {
  const name = value.endsWith('.') ? value.slice(0, -1) : value;
  const problems = checkDns1123Subdomain(name);
  if (problems.length > 0) return problems;
  const labels = name.split('.');
  if (labels.length < 2) return ['should be a domain with at least two segments separated by dots'];
  return labels.flatMap((label) => checkDns1123Label(label));
}

const families: Readonly<Record<string, number>> = lookup({ IPv4: 4, IPv6: 6 });

/** Of addresses that are some, those of the other family: reported of their list. */
function familyRules(addresses: readonly string[], type: string, field: string): Problems {
  const wanted = families[type];
  if (wanted === undefined) return noProblems;
  return addresses.flatMap((address) => {
    const family = ipFamily(address);
    return family === 0 || family === wanted
      ? []
      : [invalid(field, address, `must be an IPv${wanted} address`)];
  });
}

/** Each may stand once, one that is empty, too. */
function uniqueNames(list: readonly JsonObject[], path: string): Problems {
  const isRepeated = repetitions<string>();
  return list.flatMap((item, at) => {
    const name = text(item, 'name');
    return isRepeated(name) ? [duplicate(`${path}[${at}].name`, name)] : [];
  });
}

const hintsMax = 8;

function endpointRules(endpoint: JsonObject, path: string, type: string): Problems {
  const check = addressChecks[type];
  const addresses = texts(endpoint, 'addresses');
  const zones = objects(part(endpoint, 'hints'), 'forZones');
  const topology = Object.keys(part(endpoint, 'deprecatedTopology'));
  if (addresses.length > addressesMax) {
    return [tooMany(`${path}.addresses`, addresses.length, addressesMax)];
  }
  return [
    ...(check === undefined
      ? []
      : addresses.flatMap((address, at) =>
          (type === 'FQDN' ? requiredForm : givenForm)(`${path}.addresses[${at}]`, address, check),
        )),
    ...familyRules(addresses, type, `${path}.addresses`),
    ...givenForm(`${path}.nodeName`, endpoint['nodeName'], checkDns1123Subdomain),
    ...givenForm(`${path}.hostname`, endpoint['hostname'], checkDns1123Label),
    ...validateLabels(`${path}.deprecatedTopology`, textMap(endpoint, 'deprecatedTopology')),
    ...(topology.length > topologyMax
      ? [tooMany(`${path}.deprecatedTopology`, topology.length, topologyMax)]
      : []),
    ...zoneRules(zones, `${path}.hints.forZones`),
  ];
}

function zoneRules(zones: readonly JsonObject[], field: string): Problems {
  if (zones.length > hintsMax) return [tooMany(field, zones.length, hintsMax)];
  return [
    ...uniqueNames(zones, field),
    ...zones.flatMap((zone, at) =>
      givenForm(`${field}[${at}].name`, text(zone, 'name'), checkLabelValue),
    ),
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
  schemaExemptions: { optional: 'discovery.EndpointSlice.endpoints discovery.ForZone.name' },
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
