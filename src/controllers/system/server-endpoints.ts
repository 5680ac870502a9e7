/**
 * The Endpoints and EndpointSlices of the service default/kubernetes, from the addresses of the
 * servers over one store.
 *
 *     10.0.1.1:6443, 10.0.1.2:6443, 10.0.1.3:7443
 *       ▶ slice kubernetes           port 6443, two endpoints      the port that most servers have
 *       ▶ slice kubernetes-v4-7443   port 7443, one endpoint
 *       ▶ Endpoints kubernetes       a subset for each port
 *
 * Elsewhere: knowing who is there (kubernetes-service.ts).
 *
 * Invariants: pure; the same servers make the same objects, in whichever order they come. Without a
 * server the slice `kubernetes` is there and empty.
 */
import { isIPv6 } from 'node:net';
import type { Identity } from '../../apimachinery/identity.ts';
import { items, objects } from '../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { bracketed } from '../../stdx/url-host.ts';

export const serviceName = 'kubernetes';
const portName = 'https';

export interface ServerAddress {
  readonly address: string;
  readonly port: number;
}

/** `10.0.1.1:6443`, `[2001:db8::1]:6443`: as a Lease has it. */
export function formatAddress({ address, port }: ServerAddress): string {
  return `${bracketed(address)}:${port}`;
}

/** Undefined for what is no address with a port. */
export function parseAddress(text: string): ServerAddress | undefined {
  const match = /^\[?([0-9a-f.:]+?)\]?:(\d{1,5})$/i.exec(text);
  return match === null ? undefined : { address: match[1] ?? '', port: Number(match[2]) };
}

interface Group {
  readonly family: 'IPv4' | 'IPv6';
  readonly port: number;
  readonly addresses: readonly string[];
}

/** `main`: the family of the service, and the port for when there is no server. */
export interface MainPort {
  readonly family: 'IPv4' | 'IPv6';
  readonly port: number;
}

function grouped(servers: readonly ServerAddress[], main: MainPort): readonly [Group, ...Group[]] {
  const groups = new Map<string, { family: Group['family']; port: number; addresses: string[] }>();
  for (const { address, port } of servers) {
    const family = isIPv6(address) ? 'IPv6' : 'IPv4';
    const key = `${family} ${port}`;
    const group = groups.get(key) ?? { family, port, addresses: [] };
    if (!group.addresses.includes(address)) group.addresses.push(address);
    groups.set(key, group);
  }
  const all = [...groups.values()].sort(
    (a, b) =>
      Number(b.family === main.family) - Number(a.family === main.family) ||
      b.addresses.length - a.addresses.length ||
      a.port - b.port,
  );
  for (const { addresses } of all) addresses.sort();
  const [first, ...others] = all;
  const empty: Group = { ...main, addresses: [] };
  if (first === undefined) return [empty];
  return first.family === main.family ? [first, ...others] : [empty, first, ...others];
}

/** In version v1, the main one first. */
export function slicesOf(
  identity: Identity,
  servers: readonly ServerAddress[],
  main: MainPort,
): readonly ApiObject[] {
  return grouped(servers, main).map(({ family, port, addresses }, at) => ({
    apiVersion: identity.fill('discovery.{domain}/v1'),
    kind: 'EndpointSlice',
    metadata: {
      name: at === 0 ? serviceName : `${serviceName}-${family.slice(2).toLowerCase()}-${port}`,
      namespace: identity.namespaces.default,
      labels: { [identity.labels.serviceName]: serviceName },
    },
    addressType: family,
    endpoints: addresses.map((address) => ({
      addresses: [address],
      conditions: { ready: true },
    })),
    ports: [{ name: portName, port, protocol: 'TCP' }],
  }));
}

/** Of the service's own family: what this older kind is read for. */
export function endpointsOf(
  identity: Identity,
  servers: readonly ServerAddress[],
  main: MainPort,
): ApiObject {
  const subsets = grouped(servers, main)
    .filter(({ family, addresses }) => family === main.family && addresses.length > 0)
    .map(({ port, addresses }): JsonObject => ({
      addresses: addresses.map((ip) => ({ ip })),
      ports: [{ name: portName, port, protocol: 'TCP' }],
    }));
  const labels = { [identity.fill('endpointslice.{labelDomain}/skip-mirror')]: 'true' };
  return {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { name: serviceName, namespace: identity.namespaces.default, labels },
    ...(subsets.length === 0 ? {} : { subsets }),
  };
}

/** The servers that a slice names, as `slicesOf` has written it. */
export function serversOf(slice: ApiObject): readonly ServerAddress[] {
  const port = objects(slice, 'ports')[0]?.['port'];
  if (typeof port !== 'number') return [];
  return objects(slice, 'endpoints').flatMap((endpoint) =>
    items(endpoint, 'addresses')
      .filter((address) => typeof address === 'string')
      .map((address) => ({ address, port })),
  );
}

/** The service itself: it is reached at the first address of the range. */
export function kubernetesService(
  identity: Identity,
  clusterIp: string,
  targetPort: number,
): ApiObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: serviceName,
      namespace: identity.namespaces.default,
      labels: { component: 'apiserver', provider: serviceName },
    },
    spec: {
      ports: [{ name: portName, protocol: 'TCP', port: 443, targetPort }],
      clusterIP: clusterIp,
      type: 'ClusterIP',
      sessionAffinity: 'None',
      ipFamilies: [isIPv6(clusterIp) ? 'IPv6' : 'IPv4'],
      ipFamilyPolicy: 'SingleStack',
      internalTrafficPolicy: 'Cluster',
    },
  };
}
