/** What the metrics page says of services' addresses, of tokens that are known, of the store. */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';
import { eventually } from '../support/clients/watch-client.ts';

const services = '/api/v1/namespaces/default/services';
const addresses = 'kube_apiserver_clusterip_allocator';
const ports = 'kube_apiserver_nodeport_allocator';
const cidr = '10.9.0.0/24';

describe('what the metrics page says of services, tokens and the store', () => {
  let server: TestServer;
  const valueOf = async (series: string): Promise<number | undefined> => {
    const { text } = await server.request('GET', '/metrics');
    const line = text.split('\n').find((each) => each.startsWith(`${series} `));
    return line === undefined ? undefined : Number(line.split(' ').at(-1));
  };
  const create = async (name: string, spec: object, query = ''): Promise<number> => {
    const body = { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } };
    return (await server.request('POST', `${services}${query}`, { body })).status;
  };
  const node = (nodePort?: number): object => ({
    type: 'NodePort',
    ports: [{ port: 80, nodePort }],
  });

  before(async () => {
    server = await startTestServer({ store: 'lmdb', 'service-cluster-ip-range': cidr });
  });
  after(() => server.remove());

  it('addresses: taken and free ones of each range, chosen, named, and not had', async () => {
    const had = (await valueOf(`${addresses}_allocated_ips{cidr="${cidr}"}`)) ?? NaN;
    const of = (what: string, scope: string) =>
      valueOf(`${addresses}_${what}_total{cidr="${cidr}",scope="${scope}"}`);
    const chosen = (await of('allocation', 'dynamic')) ?? NaN;
    const named = (await of('allocation', 'static')) ?? NaN;
    assert.equal(await create('a', {}), 201);
    assert.equal(await create('b', { clusterIP: '10.9.0.9' }), 201);
    assert.equal(await create('c', { clusterIP: '10.9.0.9' }), 422);
    assert.equal(await create('d', { clusterIP: '10.8.0.9' }), 422);
    assert.equal(await create('e', { clusterIP: 'None' }), 201);
    assert.equal(await create('f', {}, '?dryRun=All'), 201);
    assert.equal(await of('allocation', 'dynamic'), chosen + 1);
    assert.equal(await of('allocation', 'static'), named + 1);
    assert.equal(await of('allocation_errors', 'static'), 1);
    assert.equal(await of('allocation_errors', 'dynamic'), 0);
    const allocated = `${addresses}_allocated_ips{cidr="${cidr}"}`;
    const available = `${addresses}_available_ips{cidr="${cidr}"}`;
    await eventually('both are counted', async () => (await valueOf(allocated)) === had + 2);
    assert.equal(await valueOf(available), 254 - had - 2);
    await server.request('DELETE', `${services}/a`);
    await eventually('one is free again', async () => (await valueOf(allocated)) === had + 1);
  });

  it('addresses: those of a range that comes later are counted by it from then on', async () => {
    const all = await valueOf(`${addresses}_allocated_ips{cidr="${cidr}"}`);
    const body = { metadata: { name: 'more' }, spec: { cidrs: ['10.9.0.0/28'] } };
    const made = await server.request('POST', '/apis/networking.k8s.io/v1/servicecidrs', { body });
    assert.equal(made.status, 201, made.text);
    const series = `${addresses}_allocated_ips{cidr="10.9.0.0/28"}`;
    await eventually('all are low ones', async () => (await valueOf(series)) === all);
  });

  it('node ports: likewise', async () => {
    assert.equal(await create('n', node()), 201);
    assert.equal(await create('n2', node(30_500)), 201);
    assert.equal(await create('n3', node(30_500)), 422);
    assert.equal(await create('n4', node(3_050)), 422);
    assert.equal(await create('n5', node(), '?dryRun=All'), 201);
    const of = (what: string, scope: string) => valueOf(`${ports}_${what}_total{scope="${scope}"}`);
    assert.equal(await of('allocation', 'dynamic'), 1);
    assert.equal(await of('allocation', 'static'), 1);
    assert.equal(await of('allocation_errors', 'static'), 2);
    const taken = `${ports}_allocated_ports`;
    await eventually('both are counted', async () => (await valueOf(taken)) === 2);
    assert.equal(await valueOf(`${ports}_available_ports`), 2_766);
  });

  it('tokens: found out once, known from then on', async () => {
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    const account = `${accounts}/a`;
    await server.request('POST', accounts, { body: { metadata: { name: 'a' } } });
    const made = await server.request('POST', `${account}/token`, { body: { spec: {} } });
    const { token } = made.body['status'] as unknown as { readonly token: string };
    const review = () =>
      server.request('POST', '/apis/authentication.k8s.io/v1/tokenreviews', {
        body: { spec: { token } },
      });
    const wrong = `${token.slice(0, -8)}AAAAAAAA`;
    for (let times = 0; times < 3; times += 1) assert.equal((await review()).status, 201);
    await server.request('POST', '/apis/authentication.k8s.io/v1/tokenreviews', {
      body: { spec: { token: wrong } },
    });
    const of = (what: string, status: string) =>
      valueOf(`authentication_token_cache_${what}{status="${status}"}`);
    assert.equal(await of('request_total', 'hit'), 2);
    assert.equal(await of('request_total', 'miss'), 2);
    assert.equal(await of('fetch_total', 'ok'), 1);
    assert.equal(await of('fetch_total', 'error'), 1);
    assert.equal(await of('active_fetch_count', 'in_flight'), 0);
    assert.equal(await of('active_fetch_count', 'blocked'), 0);
    assert.equal(await of('request_duration_seconds_count', 'miss'), 2);
  });

  it('the store: what its file takes', async () => {
    const size = await valueOf('apiserver_storage_size_bytes{storage_cluster_id="etcd-0"}');
    assert.equal(size, statSync(path.join(server.dataDir, 'data.mdb')).size);
  });
});
