/**
 * Admission webhooks behind a service of the cluster: called at its address, at one of its
 * endpoints as they come and go, and the server itself, each under the service's name in DNS.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { makeAuthority, makeCertificate } from '../../src/pki/certificate-authority.ts';
import { keyPurposes } from '../../src/pki/certificates.ts';
import { decodeRecord, encodeRecord } from '../../src/storage/record-codec.ts';
import type { StoreKey } from '../../src/storage/storage.ts';
import { webhookOf, webhooksOn } from '../support/data/webhook-objects.ts';
import { startAdmissionHook } from '../support/servers/admission-hook.ts';
import type { AdmissionHook } from '../support/servers/admission-hook.ts';
import { startSecureServer, tokens } from '../support/servers/secure-server.ts';
import type { SecureServer } from '../support/servers/secure-server.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';

const hourMs = 3_600_000;
const services = '/api/v1/namespaces/default/services';
const slices = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';

async function startHook(): Promise<AdmissionHook> {
  const nowMs = Date.now();
  const validity = { notBeforeMs: nowMs - hourMs, notAfterMs: nowMs + hourMs };
  const authority = await makeAuthority({ commonName: 'of the webhook', ...validity });
  const leaf = { commonName: 'hook', dnsNames: ['hook.default.svc'], ...validity };
  const pair = await makeCertificate(leaf, keyPurposes.serverAuth, authority);
  return startAdmissionHook({ pair, authority: authority.certificatePem });
}

async function made(server: TestServer, place: string, body: JsonObject): Promise<void> {
  const reply = await server.request('POST', place, { body });
  assert.equal(reply.status, 201, reply.text);
}

const service = (spec: JsonObject): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'hook' },
  spec,
});

/** '': it has been made. */
async function refusalOf(server: TestServer, name: string): Promise<string> {
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
  const reply = await server.request('POST', '/api/v1/namespaces/default/configmaps', { body });
  return reply.status === 201 ? '' : String(reply.body['message']);
}

describe('an admission webhook behind the address of a service', () => {
  let server: TestServer;
  let hook: AdmissionHook;
  const webhooks = webhooksOn(() => server);
  before(async () => {
    hook = await startHook();
    server = await startTestServer({ 'service-cluster-ip-range': '127.0.0.0/24' });
  });
  after(async () => {
    await server.remove();
    hook.close();
  });

  it('is called there, and judges', async () => {
    const { caBundle, port } = hook;
    await made(server, services, service({ clusterIP: '127.0.0.1', ports: [{ port }] }));
    const clientConfig = { service: { namespace: 'default', name: 'hook', port, path: '/judge' } };
    hook.moods.set('/judge', ({ request }) => ({
      allowed: request['name'] !== 'bad',
      status: { message: 'not this one' },
    }));
    const { service: place } = clientConfig;
    await webhooks.inForce('Validating', 'x', webhookOf('x', { service: place, caBundle }));
    assert.equal(await refusalOf(server, 'good'), '');
    assert.match(await refusalOf(server, 'bad'), /denied the request: not this one$/);
    const [first] = hook.asked;
    assert.deepEqual([first?.path, first?.serverName], ['/judge', 'hook.default.svc']);
  });
});

describe('an admission webhook behind the endpoints of a service', () => {
  let server: TestServer;
  let hook: AdmissionHook;
  const webhooks = webhooksOn(() => server);
  before(async () => {
    hook = await startHook();
    server = await startTestServer({ 'enable-aggregator-routing': 'true' });
    await made(server, services, service({ ports: [{ port: 443, name: 'https' }] }));
    const { caBundle } = hook;
    const place = { namespace: 'default', name: 'hook', path: '/endpoint' };
    await webhooks.inForce('Validating', 'x', webhookOf('x', { service: place, caBundle }));
  });
  after(async () => {
    await server.remove();
    hook.close();
  });
  afterEach(() => hook.asked.splice(0));

  const slice = (name: string, port: number, more: JsonObject = {}): JsonObject => ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name, labels: { 'kubernetes.io/service-name': 'hook' } },
    addressType: 'IPv4',
    ports: [{ name: 'https', port }],
    endpoints: [{ addresses: ['192.0.2.255'] }],
    ...more,
  });

  /** No endpoint may be on the loopback, which is all that a test has: its record says otherwise. */
  const onLoopback = (name: string) => remade(name, '192.0.2.255', '127.0.0.1');

  async function remade(name: string, from: string, to: string): Promise<void> {
    const { storage, streams } = server.running.parts;
    const key = `discovery.k8s.io/endpointslices/default/${name}` as StoreKey;
    const read = await storage.read(key);
    assert(read.kind === 'ok' && read.value !== undefined, key);
    const { revision, state } = read.value;
    const record = decodeRecord(read.value);
    const object = Buffer.from(Buffer.from(record.object).toString().replace(from, to));
    const labels = {
      'kubernetes.io/service-name': to.startsWith('service-name') ? to.slice(-4) : 'hook',
    };
    const value = encodeRecord({ ...record, labels, object }, { key, state });
    const operation = { kind: 'put', state, value } as const;
    const expect = { kind: 'revision', revision } as const;
    const [outcome] = await storage.commit([{ key, expect, conditions: [], operation }]);
    assert.equal(outcome?.kind, 'applied');
    await streams.waitUntilCurrent();
  }
  const nobody = /no endpoints available for service "hook"$/;

  it('has nobody to call while there is no slice', async () => {
    assert.match(await refusalOf(server, 'none'), nobody);
  });

  it('is called at an endpoint, at its own port', async () => {
    await made(server, slices, slice('a', hook.port));
    await onLoopback('a');
    assert.equal(await refusalOf(server, 'at-endpoint'), '');
    const [first] = hook.asked;
    assert.deepEqual([first?.path, first?.serverName], ['/endpoint', 'hook.default.svc']);
  });

  it('is not called where nobody is ready any more, and again when somebody is', async () => {
    const merge = { 'content-type': 'application/merge-patch+json' };
    const ready = async (is: boolean): Promise<void> => {
      const endpoints = [{ addresses: ['192.0.2.255'], conditions: { ready: is } }];
      const options = { body: { endpoints }, headers: merge };
      const reply = await server.request('PATCH', `${slices}/a`, options);
      assert.equal(reply.status, 200, reply.text);
      await onLoopback('a');
    };
    await ready(false);
    assert.match(await refusalOf(server, 'not-ready'), nobody);
    assert.equal(hook.asked.length, 0);
    await ready(true);
    assert.equal(await refusalOf(server, 'ready-again'), '');
  });

  it('follows a slice that goes over to another service, and comes back', async () => {
    await remade('a', 'service-name":"hook', 'service-name":"none');
    assert.match(await refusalOf(server, 'of-another'), nobody);
    await remade('a', 'service-name":"none', 'service-name":"hook');
    assert.equal(await refusalOf(server, 'back'), '');
  });

  it('is called at what is left when a slice goes, and nowhere when the last one goes', async () => {
    await made(server, slices, slice('b', hook.port));
    await onLoopback('b');
    const gone = async (name: string): Promise<void> => {
      const reply = await server.request('DELETE', `${slices}/${name}`);
      assert.equal(reply.status, 200, reply.text);
      await server.running.parts.streams.waitUntilCurrent();
    };
    await gone('a');
    assert.equal(await refusalOf(server, 'one-left'), '');
    await gone('b');
    assert.match(await refusalOf(server, 'all-gone'), nobody);
  });
});

describe('an admission webhook behind the service of the server itself', () => {
  let server: SecureServer;
  const webhooks = webhooksOn(() => server);
  before(async () => {
    server = await startSecureServer({
      'authorization-mode': 'AlwaysAllow',
      'anonymous-auth': 'true',
    });
  });
  after(() => server.remove());

  it('is looked for in this process, without the network of the cluster', async () => {
    const place = { namespace: 'default', name: 'kubernetes', path: '/nowhere' };
    const caBundle = Buffer.from(server.caPem).toString('base64');
    await webhooks.inForce('Validating', 'own', webhookOf('own', { service: place, caBundle }));
    const reply = await server.secure('/api/v1/namespaces/default/configmaps', {
      method: 'POST',
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } },
      token: tokens.admin,
    });
    assert.equal(reply.status, 500, reply.text);
    const own = /: the server could not find the requested resource$/;
    assert.match(String(reply.body['message']), own);
  });
});
