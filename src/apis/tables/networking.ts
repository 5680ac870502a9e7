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
import { count, objects, record, text, texts, valueAt } from './fields.ts';

const shownMax = 3;

function loadBalancerText(object: JsonObject): string {
  const points = objects(object, 'status', 'loadBalancer', 'ingress')
    .map((point) => text(point, 'ip') || text(point, 'hostname'))
    .filter((point) => point !== '');
  return [...new Set(points)].sort().join(',');
}

function externalIp(service: JsonObject): string {
  const given = texts(service, 'spec', 'externalIPs');
  switch (text(service, 'spec', 'type') || 'ClusterIP') {
    case 'ClusterIP':
    case 'NodePort':
      return given.join(',') || '<none>';
    case 'LoadBalancer': {
      const points = loadBalancerText(service);
      if (given.length > 0) return [...(points === '' ? [] : [points]), ...given].join(',');
      return points || '<pending>';
    }
    case 'ExternalName':
      return text(service, 'spec', 'externalName');
    default:
      return '<unknown>';
  }
}

function portsText(service: JsonObject): string {
  const ports = objects(service, 'spec', 'ports').map((port) => {
    const nodePort = count(port, 'nodePort');
    const number = `${count(port, 'port')}${nodePort === 0 ? '' : `:${nodePort}`}`;
    return `${number}/${text(port, 'protocol') || 'TCP'}`;
  });
  return ports.join(',') || '<none>';
}

export const services = table([
  nameColumn,
  column('Type', 'Who can reach the service.', (object) => text(object, 'spec', 'type')),
  column(
    'Cluster-IP',
    'Address in the cluster.',
    (object) =>
      texts(object, 'spec', 'clusterIPs')[0] || text(object, 'spec', 'clusterIP') || '<none>',
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
  const all = objects(endpoints, 'subsets').flatMap((subset) => {
    const ips = objects(subset, 'addresses').map((address) => text(address, 'ip'));
    const ports = objects(subset, 'ports');
    if (ports.length === 0) return ips;
    return ports.flatMap((port) => ips.map((ip) => hostPort(ip, count(port, 'port'))));
  });
  return firstOf(all, shownMax, objects(endpoints, 'subsets').length === 0 ? '<none>' : '');
}

export const endpoints = table([
  nameColumn,
  column('Endpoints', 'Addresses and ports that are ready.', endpointAddresses),
  ageColumn,
]);

export const endpointSlices = table([
  nameColumn,
  column('AddressType', 'What its addresses are.', (object) => text(object, 'addressType')),
  column('Ports', 'Ports of all its addresses.', (object) =>
    firstOf(
      objects(object, 'ports').map((port) => text(port, 'port') || text(port, 'name') || '*'),
      shownMax,
      '<unset>',
    ),
  ),
  column('Endpoints', 'Its addresses.', (object) =>
    firstOf(
      objects(object, 'endpoints').flatMap((endpoint) => texts(endpoint, 'addresses')),
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
    (object) => text(object, 'spec', 'ingressClassName') || '<none>',
  ),
  column('Hosts', 'Hosts it has rules for.', (object) => {
    const hosts = objects(object, 'spec', 'rules').map((rule) => text(rule, 'host'));
    return firstOf(
      hosts.filter((host) => host !== ''),
      shownMax,
      '*',
    );
  }),
  column('Address', 'Where it can be reached.', loadBalancerText),
  column('Ports', 'Ports it listens on.', (object) =>
    objects(object, 'spec', 'tls').length > 0 ? '80, 443' : '80',
  ),
  ageColumn,
]);

export const ingressClasses = table([
  nameColumn,
  column('Controller', 'What implements the class.', (object) =>
    text(object, 'spec', 'controller'),
  ),
  column('Parameters', 'Where its settings are.', (object) => {
    const parameters = valueAt(object, 'spec', 'parameters');
    if (parameters === undefined) return '<none>';
    const group = text(parameters, 'apiGroup');
    const kind = `${text(parameters, 'kind')}${group === '' ? '' : `.${group}`}`;
    return `${kind}/${text(parameters, 'name')}`;
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
  column('CIDRs', 'Ranges of addresses.', (object) => texts(object, 'spec', 'cidrs').join(',')),
  ageColumn,
]);

export const ipAddresses = table([
  nameColumn,
  column('ParentRef', 'What the address belongs to.', (object) => {
    if (valueAt(object, 'spec', 'parentRef') === undefined) return '<none>';
    const parent = record(object, 'spec', 'parentRef');
    const group = text(parent, 'group');
    const resource = `${text(parent, 'resource')}${group === '' ? '' : `.${group}`}`.toLowerCase();
    const namespace = text(parent, 'namespace');
    return [resource, ...(namespace === '' ? [] : [namespace]), text(parent, 'name')].join('/');
  }),
]);
