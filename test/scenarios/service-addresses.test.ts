/** Cluster IPs and node ports over HTTP: who gets which, what is refused, and what is given back. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { part } from '../../src/apimachinery/members.ts';
import { eventually } from '../support/clients/watch-client.ts';
import { patching, startAdmissionHook } from '../support/servers/admission-hook.ts';
import type { AdmissionHook, Mood } from '../support/servers/admission-hook.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { Reply, TestOptions, TestServer } from '../support/servers/test-server.ts';

const services = '/api/v1/namespaces/default/services';
const addresses = '/apis/networking.k8s.io/v1/ipaddresses';

function serviceOf(name: string, spec: JsonObject = {}): JsonObject {
  const ports = [{ port: 80 }];
  return { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { ports, ...spec } };
}

const create = (server: TestServer, body: JsonObject, query = ''): Promise<Reply> =>
  server.request('POST', `${services}${query}`, { body });

async function made(server: TestServer, body: JsonObject): Promise<JsonObject> {
  const reply = await create(server, body);
  assert.equal(reply.status, 201, reply.text);
  return reply.body['spec'] as JsonObject;
}

const patch = (server: TestServer, name: string, body: JsonObject): Promise<Reply> =>
  server.request('PATCH', `${services}/${name}`, {
    body,
    headers: { 'content-type': 'application/merge-patch+json' },
  });

async function taken(server: TestServer): Promise<readonly string[]> {
  const { body } = await server.request('GET', addresses);
  return (body['items'] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
}

const portsOf = (spec: JsonObject): readonly number[] =>
  (spec['ports'] as { nodePort?: number }[]).map(({ nodePort = 0 }) => nodePort);

async function withServer(
  options: TestOptions,
  work: (server: TestServer) => Promise<void>,
): Promise<void> {
  const server = await startTestServer(options);
  try {
    await work(server);
  } finally {
    await server.remove();
  }
}

describe('addresses of services', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.remove());

  it('are given from the dynamic band, with an IPAddress, and come back', async () => {
    const spec = await made(server, serviceOf('plain'));
    const address = String(spec['clusterIP']);
    assert.match(address, /^10\.0\.0\.\d+$/);
    const last = Number(address.split('.')[3]);
    assert.ok(last > 16 && last < 255, address);
    assert.deepEqual(spec['clusterIPs'], [address]);
    assert.deepEqual(spec['ipFamilies'], ['IPv4']);
    assert.equal(spec['ipFamilyPolicy'], 'SingleStack');
    const { body } = await server.request('GET', `${addresses}/${address}`);
    const parent = { group: '', resource: 'services', namespace: 'default', name: 'plain' };
    assert.deepEqual((body['spec'] as JsonObject)['parentRef'], parent);
    assert.deepEqual((body['metadata'] as JsonObject)['labels'], {
      'ipaddress.kubernetes.io/ip-family': 'IPv4',
      'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
    });
    assert.equal((await server.request('DELETE', `${services}/plain`)).status, 200);
    assert.ok(!(await taken(server)).includes(address));
  });

  it('that are named are given once, and only from the range', async () => {
    await made(server, serviceOf('named', { clusterIP: '10.0.0.5' }));
    const second = await create(server, serviceOf('second', { clusterIP: '10.0.0.5' }));
    assert.equal(second.status, 422);
    assert.equal(
      second.body['message'],
      'Service "second" is invalid: spec.clusterIPs: Invalid value: []string{"10.0.0.5"}: ' +
        'failed to allocate IP 10.0.0.5: provided IP is already allocated',
    );
    for (const clusterIP of ['1.2.3.4', '10.0.0.0', '10.0.0.255']) {
      const { body, status } = await create(server, serviceOf('outside', { clusterIP }));
      assert.equal(status, 422);
      assert.equal(
        body['message'],
        `Service "outside" is invalid: spec.clusterIPs: Invalid value: []string{"${clusterIP}"}: ` +
          `failed to allocate IP ${clusterIP}: the provided IP (${clusterIP}) is not in the valid ` +
          'range. The range of valid IPs is 10.0.0.0/24',
      );
    }
  });

  it('are not for names elsewhere, nor for headless services', async () => {
    const before = await taken(server);
    const elsewhere = { type: 'ExternalName', externalName: 'example.com' };
    const named = await made(server, serviceOf('elsewhere', elsewhere));
    assert.equal(named['clusterIP'], undefined);
    const headless = await made(server, serviceOf('headless', { clusterIP: 'None' }));
    assert.deepEqual(headless['clusterIPs'], ['None']);
    assert.equal(headless['ipFamilyPolicy'], 'RequireDualStack');
    assert.deepEqual(headless['ipFamilies'], ['IPv4', 'IPv6']);
    const selector = { app: 'a' };
    const picked = await made(server, serviceOf('picked', { clusterIP: 'None', selector }));
    assert.equal(picked['ipFamilyPolicy'], 'SingleStack');
    assert.deepEqual(await taken(server), before);
  });

  it('change with the type of a service', async () => {
    const spec = await made(server, serviceOf('changing', { type: 'NodePort' }));
    const [port = 0] = portsOf(spec);
    assert.ok(port >= 30_096 && port <= 32_767, String(port));
    const other = serviceOf('other', { type: 'NodePort', ports: [{ port: 1, nodePort: port }] });
    const refused = await create(server, other);
    assert.equal(
      refused.body['message'],
      `Service "other" is invalid: spec.ports[0].nodePort: Invalid value: ${port}: ` +
        'provided port is already allocated',
    );
    const plain = await patch(server, 'changing', { spec: { type: 'ClusterIP' } });
    assert.equal(plain.status, 200, plain.text);
    assert.deepEqual(portsOf(plain.body['spec'] as JsonObject), [0]);
    assert.equal((await create(server, other)).status, 201);
    const address = String(spec['clusterIP']);
    const elsewhere = { spec: { type: 'ExternalName', externalName: 'example.com' } };
    assert.equal((await patch(server, 'changing', elsewhere)).status, 200);
    assert.ok(!(await taken(server)).includes(address));
    const back = await patch(server, 'changing', { spec: { type: 'ClusterIP' } });
    assert.ok(
      (await taken(server)).includes(String((back.body['spec'] as JsonObject)['clusterIP'])),
    );
  });

  it('stay with whoever leaves them out', async () => {
    const spec = await made(server, serviceOf('staying', { type: 'NodePort' }));
    const body = serviceOf('staying', { type: 'NodePort' });
    const reply = await server.request('PUT', `${services}/staying`, { body });
    assert.equal(reply.status, 200, reply.text);
    const now = reply.body['spec'] as JsonObject;
    assert.equal(now['clusterIP'], spec['clusterIP']);
    assert.deepEqual(portsOf(now), portsOf(spec));
  });

  it('are given up by a balancer that wants no ports, and stay with the name of a port', async () => {
    const type = 'LoadBalancer';
    const [http, other] = [
      { name: 'http', port: 80 },
      { name: 'other', port: 443 },
    ];
    const both = await made(server, serviceOf('balanced', { type, ports: [http, other] }));
    const [first = 0, second = 0] = portsOf(both);
    const put = async (name: string, spec: JsonObject): Promise<readonly number[]> => {
      const body = serviceOf(name, spec);
      const reply = await server.request('PUT', `${services}/${name}`, { body });
      assert.equal(reply.status, 200, reply.text);
      return portsOf(reply.body['spec'] as JsonObject);
    };
    const moved = { ...http, port: 8080 };
    assert.deepEqual(await put('balanced', { type, ports: [other, moved] }), [second, first]);
    const taken = [{ ...other, nodePort: first }, http];
    const [swapped, fresh] = await put('balanced', { type, ports: taken });
    assert.equal(swapped, first);
    assert.ok(fresh !== first && fresh !== second && fresh !== 0, 'it has another one');
    const none = { type, allocateLoadBalancerNodePorts: false };
    const named = [{ ...other, nodePort: first }, http];
    assert.deepEqual(await put('balanced', { ...none, ports: named }), [first, 0]);
    assert.deepEqual(await put('balanced', { ...none, ports: [http, other] }), [0, 0]);
  });

  it('are ports of the range, one number for two protocols of a port', async () => {
    const outside = { type: 'NodePort', ports: [{ port: 1, nodePort: 80 }] };
    assert.equal(
      (await create(server, serviceOf('outside', outside))).body['message'],
      'Service "outside" is invalid: spec.ports[0].nodePort: Invalid value: 80: provided port is ' +
        'not in the valid range. The range of valid ports is 30000-32767',
    );
    const ports = [
      { name: 'udp', port: 53, protocol: 'UDP' },
      { name: 'tcp', port: 53, protocol: 'TCP' },
      { name: 'web', port: 80 },
    ];
    const [udp, tcp, web] = portsOf(
      await made(server, serviceOf('dns', { type: 'NodePort', ports })),
    );
    assert.equal(udp, tcp);
    assert.notEqual(udp, web);
  });

  it('are a port for health checks, too, which goes with the policy', async () => {
    const local = { type: 'LoadBalancer', externalTrafficPolicy: 'Local' };
    const spec = await made(server, serviceOf('local', local));
    const health = Number(spec['healthCheckNodePort']);
    assert.ok(health >= 30_000 && !portsOf(spec).includes(health));
    const reply = await patch(server, 'local', { spec: { externalTrafficPolicy: 'Cluster' } });
    assert.equal((reply.body['spec'] as JsonObject)['healthCheckNodePort'], undefined);
    const other = { type: 'NodePort', ports: [{ port: 1, nodePort: health }] };
    assert.equal((await create(server, serviceOf('after', other))).status, 201);
  });

  it('are not taken by a dry run, which says when they are', async () => {
    const before = await taken(server);
    const tried = await create(server, serviceOf('tried', { type: 'NodePort' }), '?dryRun=All');
    assert.equal(tried.status, 201, tried.text);
    const spec = tried.body['spec'] as JsonObject;
    assert.equal(spec['clusterIP'], '10.0.0.0', 'the address of the network, which is not given');
    assert.ok(portsOf(spec).every((port) => port >= 30_000));
    assert.deepEqual(await taken(server), before);
    const again = serviceOf('tried', { clusterIP: '10.0.0.5' });
    assert.equal((await create(server, again, '?dryRun=All')).status, 422);
  });

  it('of a cluster of one family are of that one', async () => {
    const dual = await create(server, serviceOf('dual', { ipFamilyPolicy: 'RequireDualStack' }));
    assert.match(dual.text, /this cluster is not configured for dual-stack services/);
    const six = await create(server, serviceOf('six', { ipFamilies: ['IPv6'] }));
    assert.match(
      six.text,
      /spec\.ipFamilies\[0\]: Invalid value: \\"IPv6\\": not configured on this/,
    );
  });

  describe('and webhooks', () => {
    const group = 'admissionregistration.k8s.io';
    let hook: AdmissionHook;
    const installed: string[] = [];
    before(async () => {
      hook = await startAdmissionHook();
    });
    after(async () => {
      for (const target of installed) await server.request('DELETE', target);
      hook.close();
    });

    const webhook = (name: string): JsonObject => ({
      name: `${name}.example.com`,
      clientConfig: { url: `${hook.url}/${name}`, caBundle: hook.caBundle },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['services'], operations: ['*'] }],
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
    });
    const install = async (type: string, ...webhooks: readonly JsonObject[]): Promise<void> => {
      const kind = `${type}WebhookConfiguration`;
      const list = `/apis/${group}/v1/${kind.toLowerCase()}s`;
      const body = { apiVersion: `${group}/v1`, kind, metadata: { name: 'seen' }, webhooks };
      assert.equal((await server.request('POST', list, { body })).status, 201);
      installed.push(`${list}/seen`);
    };
    const annotating =
      (name: string): Mood =>
      ({ request }) => {
        const metadata = part(part(request, 'object'), 'metadata');
        const value = { ...part(metadata, 'annotations'), [name]: 'yes' };
        return patching([{ op: 'add', path: '/metadata/annotations', value }]);
      };
    const seen = (): readonly (readonly [string, unknown, unknown])[] =>
      hook.asked.splice(0).map(({ path, request }) => {
        const spec = part(part(request, 'object'), 'spec');
        return [path, spec['clusterIP'], portsOf(spec)[0]] as const;
      });

    it('who validates sees them, and nobody who changes, in a second pass either', async () => {
      hook.moods.set('/first', annotating('first'));
      hook.moods.set('/second', annotating('second'));
      const again = { reinvocationPolicy: 'IfNeeded' };
      await install('Mutating', { ...webhook('first'), ...again }, webhook('second'));
      await install('Validating', webhook('third'));
      await eventually('all are asked', async () => {
        await create(server, serviceOf('probe'), '?dryRun=All');
        return new Set(hook.asked.map(({ path }) => path)).size === 3;
      });
      seen();
      const spec = await made(server, serviceOf('seen', { type: 'NodePort' }));
      assert.deepEqual(seen(), [
        ['/first', undefined, 0],
        ['/second', undefined, 0],
        ['/first', undefined, 0],
        ['/third', spec['clusterIP'], portsOf(spec)[0]],
      ]);
      await create(server, serviceOf('tried'), '?dryRun=All');
      assert.deepEqual(seen().at(-1), ['/third', '10.0.0.0', 0]);
    });
  });

  it('of both families are given in their order', () =>
    withServer({ 'service-cluster-ip-range': '10.1.0.0/24,fd00:1::/112' }, async (both) => {
      const spec = await made(both, serviceOf('dual', { ipFamilyPolicy: 'PreferDualStack' }));
      assert.deepEqual(spec['ipFamilies'], ['IPv4', 'IPv6']);
      const [four, six] = spec['clusterIPs'] as string[];
      assert.match(four ?? '', /^10\.1\.0\./);
      assert.match(six ?? '', /^fd00:1::/);
      const first = await made(
        both,
        serviceOf('six', { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv6'] }),
      );
      assert.deepEqual(first['ipFamilies'], ['IPv6', 'IPv4']);
      const empty = await patch(both, 'six', { spec: { ipFamilyPolicy: '' } });
      assert.equal(empty.status, 422, 'a policy that is named is not the one from before');
      const single = await patch(both, 'dual', { spec: { ipFamilyPolicy: 'SingleStack' } });
      assert.deepEqual((single.body['spec'] as JsonObject)['clusterIPs'], [four]);
      assert.ok(!(await taken(both)).includes(six ?? ''));
    }));

  it('end when the range is full, and the static band is given last', () =>
    withServer(
      { 'service-cluster-ip-range': '10.1.0.0/27', 'service-node-port-range': '30000-30003' },
      async (small) => {
        const given: string[] = [];
        for (let at = 0; at < 30; at += 1) {
          given.push(String((await made(small, serviceOf(`s${at}`)))['clusterIP']));
        }
        assert.equal(new Set(given).size, 30);
        const dynamic = given.slice(0, 14).map((each) => Number(each.split('.')[3]));
        assert.ok(
          dynamic.every((each) => each > 16),
          String(dynamic),
        );
        const full = await create(small, serviceOf('full'));
        assert.equal(full.status, 500);
        assert.match(full.text, /failed to allocate a serviceIP: range is full/);
        assert.equal((await create(small, serviceOf('full'))).status, 500);
        await small.request('DELETE', `${services}/s9`);
        // This read is current, and so is what the next write is decided on.
        assert.ok(!(await taken(small)).includes(given[9] ?? ''));
        assert.equal((await made(small, serviceOf('again')))['clusterIP'], given[9]);
        assert.equal((await create(small, serviceOf('full'))).status, 500);
        for (let at = 0; at < 4; at += 1) {
          await patch(small, `s${at}`, { spec: { type: 'NodePort' } });
        }
        const nodePort = { spec: { type: 'NodePort' } };
        const ports = await patch(small, 's5', nodePort);
        assert.equal(ports.status, 500);
        assert.match(ports.text, /failed to allocate a nodePort: range is full/);
        assert.equal((await patch(small, 's5', nodePort)).status, 500);
        const [port] = portsOf((await patch(small, 's2', {})).body['spec'] as JsonObject);
        await small.request('DELETE', `${services}/s2`);
        const tried = await create(small, serviceOf('tried', { type: 'NodePort' }), '?dryRun=All');
        assert.equal(tried.status, 201, 'a dry run knows that one was given back');
        const later = await patch(small, 's5', nodePort);
        assert.deepEqual(portsOf(later.body['spec'] as JsonObject), [port]);
        assert.equal((await patch(small, 's6', nodePort)).status, 500);
      },
    ));

  it('of a hundred writers at once are each another’s, as many as there are', () =>
    withServer({ 'service-cluster-ip-range': '10.1.0.0/26' }, async (small) => {
      const replies = await Promise.all(
        Array.from({ length: 100 }, (_, at) => create(small, serviceOf(`s${at}`))),
      );
      const ok = replies.filter(({ status }) => status === 201);
      assert.equal(ok.length, 62);
      assert.ok(replies.every(({ status }) => status === 201 || status === 500));
      const given = new Set(ok.map(({ body }) => (body['spec'] as JsonObject)['clusterIP']));
      assert.equal(given.size, 62);
      assert.deepEqual([...(await taken(small))].sort(), [...given].sort());
    }));

  it('are put right: each gets its record, and only what clients made stays without one', () =>
    withServer({ controllers: 'serviceaddresses' }, async (kept) => {
      const spec = await made(kept, serviceOf('a', { type: 'NodePort' }));
      const address = String(spec['clusterIP']);
      assert.equal((await kept.request('DELETE', `${addresses}/${address}`)).status, 200);
      const managed = { 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' };
      const none = { resource: 'services', namespace: 'default', name: 'none' };
      const other = { group: 'example.com', resource: 'gateways', namespace: 'default', name: 'g' };
      // Below 10.0.0.16, where no service gets one that does not ask for it.
      const rows = [
        { name: '10.0.0.6', labels: managed, parentRef: none },
        { name: '10.0.0.7', labels: managed, parentRef: other },
        { name: '10.0.0.8', labels: {}, parentRef: none },
        { name: '10.0.0.9', labels: {}, parentRef: other },
      ];
      for (const { name, labels, parentRef } of rows) {
        const body = {
          apiVersion: 'networking.k8s.io/v1',
          kind: 'IPAddress',
          metadata: { name, labels },
          spec: { parentRef },
        };
        const reply = await kept.request('POST', addresses, { body });
        assert.equal(reply.status, 201, reply.text);
      }
      await eventually('all are put right', async () =>
        isDeepStrictEqual(
          [...(await taken(kept))].sort(),
          [address, '10.0.0.8', '10.0.0.9'].sort(),
        ),
      );
    }));
});
