/** Where a service is: its own address, or that of somebody ready behind it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { seededPrng } from '../../src/stdx/prng.ts';
import { clusterResolver, endpointResolver } from '../../src/webhooks/service-resolver.ts';

interface Row {
  readonly title: string;
  /** Of the service; undefined: there is none. */
  readonly spec: JsonObject | undefined;
  readonly slices?: readonly JsonObject[];
  /** `host port`, or why there is none: at the cluster's address, and at endpoints. */
  readonly cluster: string;
  readonly endpoints: string;
}

const ports = [{ port: 443, name: 'web' }];
const nobody = 'no endpoints available for service "s"';
const slice = (addressType: string, addresses: readonly string[], more: JsonObject = {}) => ({
  addressType,
  ports: [
    { name: 'other', port: 1 },
    { name: 'web', port: 9443 },
  ],
  endpoints: addresses.map((address) => ({ addresses: [address] })),
  ...more,
});

const rows: readonly Row[] = [
  {
    title: 'none',
    spec: undefined,
    cluster: 'service "s" not found',
    endpoints: 'service "s" not found',
  },
  {
    title: 'without anybody behind it',
    spec: { clusterIP: '10.0.0.7', ports },
    cluster: '10.0.0.7 443',
    endpoints: nobody,
  },
  {
    title: 'of a load balancer',
    spec: { type: 'LoadBalancer', clusterIP: 'fd00::7', ports },
    slices: [slice('IPv6', ['fd00::1:7'])],
    cluster: 'fd00::7 443',
    endpoints: 'fd00::1:7 9443',
  },
  {
    title: 'without the port',
    spec: { clusterIP: '10.0.0.7', ports: [{ port: 80, name: 'web' }] },
    slices: [slice('IPv4', ['10.1.0.1'])],
    cluster: 'no service port 443 found for service "s"',
    endpoints: 'no service port 443 found for service "s"',
  },
  {
    title: 'without an address of its own',
    spec: { clusterIP: 'None', ports },
    slices: [slice('IPv4', ['10.1.0.1'])],
    cluster: 'cannot route to service with ClusterIP "None"',
    endpoints: '10.1.0.1 9443',
  },
  {
    title: 'that was given no address',
    spec: { ports },
    cluster: 's.ns.svc 443',
    endpoints: nobody,
  },
  {
    title: 'elsewhere',
    spec: { type: 'ExternalName', externalName: 'hook.example.com' },
    cluster: 'hook.example.com 443',
    endpoints: 'unsupported service type "ExternalName"',
  },
  {
    title: 'with endpoints of both families, of which its own is first',
    spec: { clusterIP: '10.0.0.7', ipFamilies: ['IPv4', 'IPv6'], ports },
    slices: [slice('IPv6', ['fd00::1']), slice('IPv4', ['10.1.0.1'])],
    cluster: '10.0.0.7 443',
    endpoints: '10.1.0.1 9443',
  },
  {
    title: 'with endpoints that are not ready, or at other ports',
    spec: { clusterIP: '10.0.0.7', ipFamilies: ['IPv4'], ports },
    slices: [
      slice('IPv4', [], {
        endpoints: [{ addresses: ['10.1.0.1'], conditions: { ready: false } }],
      }),
      slice('IPv4', ['10.1.0.2'], { ports: [{ name: 'other', port: 1 }] }),
      slice('IPv4', ['10.1.0.3'], { ports: [{ name: 'web' }] }),
      slice('IPv6', [], {
        endpoints: [{ addresses: ['fd00::1'], conditions: { ready: true } }],
      }),
    ],
    cluster: '10.0.0.7 443',
    endpoints: 'fd00::1 9443',
  },
];

describe('a service', () => {
  const said = (resolve: () => { readonly host: string; readonly port: number }): string => {
    try {
      const { host, port } = resolve();
      return `${host} ${port}`;
    } catch (error) {
      return (error as Error).message;
    }
  };
  for (const { cluster, endpoints, slices = [], spec, title } of rows) {
    it(`${title}: ${cluster}; ${endpoints}`, () => {
      const find = () => (spec === undefined ? undefined : { spec });
      const byAddress = clusterResolver(find);
      const byEndpoint = endpointResolver(find, () => slices, seededPrng(1));
      assert.equal(
        said(() => byAddress('ns', 's', 443)),
        cluster,
      );
      assert.equal(
        said(() => byEndpoint('ns', 's', 443)),
        endpoints,
      );
    });
  }

  it('is called at all of its endpoints, sooner or later', () => {
    const addresses = ['10.1.0.1', '10.1.0.2', '10.1.0.3'];
    const slices = [slice('IPv4', addresses.slice(0, 2)), slice('IPv4', addresses.slice(2))];
    const spec = { clusterIP: '10.0.0.7', ports };
    const find = () => ({ spec });
    const resolve = endpointResolver(find, () => slices, seededPrng(7));
    const seen = new Set(Array.from({ length: 60 }, () => resolve('ns', 's', 443).host));
    assert.deepEqual([...seen].sort(), addresses);
  });
});
