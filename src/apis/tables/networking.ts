/** Services and what leads to them: core, discovery, networking. */
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import {
  ageColumn,
  column,
  firstOf,
  formatLabels,
  formatSelector,
  nameColumn,
  selectorColumn,
  table,
} from './columns.ts';
import { countAt, objectsAt, partAt, printedAt, textsAt, valueAt } from './fields.ts';

const shownMax = 3;

function loadBalancerText(object: JsonObject): string {
  const points = objectsAt(object, 'status', 'loadBalancer', 'ingress')
    .map((point) => printedAt(point, 'ip') || printedAt(point, 'hostname'))
    .filter((point) => point !== '');
  return [...new Set(points)].sort().join(',');
}

function externalIp(service: JsonObject): string {
  const given = textsAt(service, 'spec', 'externalIPs');
  switch (printedAt(service, 'spec', 'type') || 'ClusterIP') {
    case 'ClusterIP':
    case 'NodePort':
      return given.join(',') || '<none>';
    case 'LoadBalancer': {
      const points = loadBalancerText(service);
      if (given.length > 0) return [...(points === '' ? [] : [points]), ...given].join(',');
      return points || '<pending>';
    }
    case 'ExternalName':
      return printedAt(service, 'spec', 'externalName');
    default:
      return '<unknown>';
  }
}

function portsText(service: JsonObject): string {
  const ports = objectsAt(service, 'spec', 'ports').map((port) => {
    const nodePort = countAt(port, 'nodePort');
    const number = `${countAt(port, 'port')}${nodePort === 0 ? '' : `:${nodePort}`}`;
    return `${number}/${printedAt(port, 'protocol') || 'TCP'}`;
  });
  return ports.join(',') || '<none>';
}

export const services = table([
  nameColumn,
  column('Type', 'Who can reach the service.', (object) => printedAt(object, 'spec', 'type')),
  column(
    'Cluster-IP',
    'Address in the cluster.',
    (object) =>
      textsAt(object, 'spec', 'clusterIPs')[0] ||
      printedAt(object, 'spec', 'clusterIP') ||
      '<none>',
  ),
  column('External-IP', 'Addresses outside of it.', externalIp),
  column('Port(s)', 'Ports, with those of the nodes.', portsText),
  ageColumn,
  selectorColumn((object) => formatLabels(valueAt(object, 'spec', 'selector'))),
]);

/** IPv6 addresses stand in brackets before a port. */
function hostPort(ip: string, port: number): string {
  return ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`;
}

function endpointAddresses(endpoints: JsonObject): string {
  const all = objectsAt(endpoints, 'subsets').flatMap((subset) => {
    const ips = objectsAt(subset, 'addresses').map((address) => printedAt(address, 'ip'));
    const ports = objectsAt(subset, 'ports');
    if (ports.length === 0) return ips;
    return ports.flatMap((port) => ips.map((ip) => hostPort(ip, countAt(port, 'port'))));
  });
  return firstOf(all, shownMax, objectsAt(endpoints, 'subsets').length === 0 ? '<none>' : '');
}

export const endpoints = table([
  nameColumn,
  column('Endpoints', 'Addresses and ports that are ready.', endpointAddresses),
  ageColumn,
]);

export const endpointSlices = table([
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

export const ingresses = table([
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

export const ingressClasses = table([
  nameColumn,
  column('Controller', 'What implements the class.', (object) =>
    printedAt(object, 'spec', 'controller'),
  ),
  column('Parameters', 'Where its settings are.', (object) => {
    const parameters = valueAt(object, 'spec', 'parameters');
    if (parameters === undefined) return '<none>';
    const group = printedAt(parameters, 'apiGroup');
    const kind = `${printedAt(parameters, 'kind')}${group === '' ? '' : `.${group}`}`;
    return `${kind}/${printedAt(parameters, 'name')}`;
  }),
  ageColumn,
]);

export const networkPolicies = table([
  nameColumn,
  column('Pod-Selector', 'Labels of the pods that it is for.', (object) =>
    formatSelector(valueAt(object, 'spec', 'podSelector')),
  ),
  ageColumn,
]);

export const serviceCidrs = table([
  nameColumn,
  column('CIDRs', 'Ranges of addresses.', (object) => textsAt(object, 'spec', 'cidrs').join(',')),
  ageColumn,
]);

export const ipAddresses = table([
  nameColumn,
  column('ParentRef', 'What the address belongs to.', (object) => {
    if (valueAt(object, 'spec', 'parentRef') === undefined) return '<none>';
    const parent = partAt(object, 'spec', 'parentRef');
    const group = printedAt(parent, 'group');
    const resource =
      `${printedAt(parent, 'resource')}${group === '' ? '' : `.${group}`}`.toLowerCase();
    const namespace = printedAt(parent, 'namespace');
    return [resource, ...(namespace === '' ? [] : [namespace]), printedAt(parent, 'name')].join(
      '/',
    );
  }),
]);
