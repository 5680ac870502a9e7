/** Endpoints: the addresses behind a service, as one object. */
import { required } from '../../../apimachinery/field-error.ts';
import { items, objects, text } from '../../../apimachinery/members.ts';
import type { JsonObject } from '../../../apimachinery/unstructured.ts';
import {
  checkDns1123Label,
  checkDns1123Subdomain,
  checkQualifiedName,
} from '../../../apimachinery/validation/names.ts';
import { hostPort, shownMax } from '../../tables/cells.ts';
import { ageColumn, column, firstOf, nameColumn, table } from '../../tables/columns.ts';
import { countAt, objectsAt, printedAt } from '../../tables/fields.ts';
import type { Problems } from '../../validation/checks.ts';
import { checkReachableIp, form, givenForm, portNumber } from '../../validation/checks.ts';
import type { KindRules } from '../../validation/kind-rules.ts';
import { ipsOf, writtenBy } from '../../warnings/ip-addresses.ts';
import type { KindWarnings } from '../../warnings/kind-warnings.ts';
import { noWarnings, onWrite, warningsOfEach } from '../../warnings/kind-warnings.ts';
import type { DefaultTable } from '../../../apimachinery/typed/defaulting.ts';
import type { KindDefinition } from '../../kind-definition.ts';

function endpointAddresses(endpointsTable: JsonObject): string {
  const all = objectsAt(endpointsTable, 'subsets').flatMap((subset) => {
    const ips = objectsAt(subset, 'addresses').map((address) => printedAt(address, 'ip'));
    const ports = objectsAt(subset, 'ports');
    if (ports.length === 0) return ips;
    return ports.flatMap((port) => ips.map((ip) => hostPort(ip, countAt(port, 'port'))));
  });
  return firstOf(all, shownMax, objectsAt(endpointsTable, 'subsets').length === 0 ? '<none>' : '');
}

const endpointsTable = table([
  nameColumn,
  column('Endpoints', 'Addresses and ports that are ready.', endpointAddresses),
  ageColumn,
]);

const endpointsRules: KindRules = {
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
    ...givenForm(`${path}.ip`, text(address, 'ip'), checkReachableIp),
    ...form(`${path}.hostname`, text(address, 'hostname'), checkDns1123Label),
    ...givenForm(`${path}.nodeName`, address['nodeName'], checkDns1123Subdomain),
  ];
}

function endpointPortRules(port: JsonObject, path: string, count: number): Problems {
  const name = text(port, 'name');
  return [
    ...(name === '' && count > 1 ? [required(`${path}.name`)] : []),
    ...form(`${path}.name`, name, checkDns1123Label),
    ...portNumber(`${path}.port`, port['port']),
    ...givenForm(`${path}.appProtocol`, port['appProtocol'], checkQualifiedName),
  ];
}

function endpointsWarnings(managedBy: string): KindWarnings {
  return onWrite((object) => {
    if (writtenBy(object, managedBy, ['endpoint-controller'])) return noWarnings;
    return warningsOfEach(objects(object, 'subsets'), (subset, at) =>
      warningsOfEach(['addresses', 'notReadyAddresses'], (list) =>
        ipsOf(objects(subset, list), `subsets[${at}].${list}`),
      ),
    );
  });
}

const endpointsDefaults: DefaultTable = {
  fields: { 'core/v1.EndpointPort': { protocol: 'TCP' } },
};

export const endpoints: KindDefinition = {
  resource: '/endpoints',
  createOnUpdate: true,
  defaults: endpointsDefaults,
  validation: endpointsRules,
  warnings: ({ fill }) => endpointsWarnings(fill('endpoints.{labelDomain}/managed-by')),
  table: endpointsTable,
  versions: { v1: { deprecated: 33, replacement: 'discovery.{domain}/v1/EndpointSlice' } },
};
