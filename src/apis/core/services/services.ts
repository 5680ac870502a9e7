/** Services: one name and one address for a group of pods. */
import type { Identity } from '../../../apimachinery/identity.ts';
import { part, text, texts } from '../../../apimachinery/members.ts';
import { quote } from '../../../apimachinery/quote.ts';
import type { ApiObject, JsonObject } from '../../../apimachinery/unstructured.ts';
import {
  ageColumn,
  column,
  formatLabels,
  nameColumn,
  selectorColumn,
  table,
} from '../../tables/columns.ts';
import { countAt, objectsAt, printedAt, textsAt, valueAt } from '../../tables/fields.ts';
import { balancerWarnings, cidrWarnings, ipWarnings } from '../../warnings/ip-addresses.ts';
import type { KindWarnings, Warnings } from '../../warnings/kind-warnings.ts';
import { allWarnings, noWarnings, onWrite, warningsOfEach } from '../../warnings/kind-warnings.ts';
import type { KindDefinition } from '../../kind-definition.ts';
import { serviceProxy } from './connection.ts';
import { serviceDefaults } from './defaults.ts';
import { serviceRules } from './validation.ts';
import { serviceStrategy } from './strategy.ts';
import { proxySubresource } from '../../subresources.ts';

export function loadBalancerText(object: JsonObject): string {
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

const serviceTable = table([
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

function serviceWarnings({ fill }: Identity): KindWarnings {
  const [hints, mode] = ['topology-aware-hints', 'topology-mode'].map((name) =>
    fill(`service.{labelDomain}/${name}`),
  ) as [string, string];
  const found = (service: ApiObject): Warnings => {
    const spec = part(service, 'spec');
    const deprecated = service.metadata.annotations?.[hints] !== undefined;
    return allWarnings(
      deprecated ? [`annotation ${hints} is deprecated, please use ${mode} instead`] : noWarnings,
      isHeadless(spec) ? ignoredByHeadless(spec) : addressWarnings(spec, 'clusterIPs'),
      addressWarnings(spec, 'externalIPs'),
      ipWarnings('spec.loadBalancerIP', text(spec, 'loadBalancerIP')),
      warningsOfEach(texts(spec, 'loadBalancerSourceRanges'), (range, at) =>
        cidrWarnings(`spec.loadBalancerSourceRanges[${at}]`, range.trim()),
      ),
      nameElsewhere(spec),
    );
  };
  return { ...onWrite(found), onStatusUpdate: balancerWarnings };
}

function addressWarnings(spec: JsonObject, list: string): Warnings {
  return warningsOfEach(texts(spec, list), (address, at) =>
    ipWarnings(`spec.${list}[${at}]`, address),
  );
}

function isHeadless(spec: JsonObject): boolean {
  return text(spec, 'type') === 'ClusterIP' && text(spec, 'clusterIP') === 'None';
}

function ignoredByHeadless(spec: JsonObject): Warnings {
  const ignored = (field: string, given: boolean): Warnings =>
    given ? [`spec.${field} is ignored for headless services`] : noWarnings;
  return allWarnings(
    ignored('loadBalancerIP', text(spec, 'loadBalancerIP') !== ''),
    ignored('externalIPs', texts(spec, 'externalIPs').length > 0),
    ignored('SessionAffinity', text(spec, 'sessionAffinity') !== 'None'),
  );
}

/** A name outside the cluster has no addresses, and what has addresses no such name. */
function nameElsewhere(spec: JsonObject): Warnings {
  const type = 'ExternalName';
  if (text(spec, 'type') === type) {
    const ignored = `spec.externalIPs is ignored when spec.type is ${quote(type)}`;
    return texts(spec, 'externalIPs').length > 0 ? [ignored] : noWarnings;
  }
  if (text(spec, 'externalName') === '') return noWarnings;
  return [`spec.externalName is ignored when spec.type is not ${quote(type)}`];
}

export const services: KindDefinition = {
  resource: '/services',
  names: 'dns-1035-label',
  createOnUpdate: true,
  returnsDeletedObject: true,
  selectableFields: 'spec.clusterIP spec.type!ClusterIP',
  defaults: serviceDefaults,
  validation: serviceRules,
  warnings: serviceWarnings,
  strategy: serviceStrategy,
  table: serviceTable,
  subresources: { proxy: proxySubresource('ServiceProxyOptions', serviceProxy) },
};
