/** What a validating webhook is told of requests: names, namespaces, posted objects; and what the
 * client of a refused write is told beside its refusal. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { part } from '../../src/apimachinery/members.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { startAdmissionHook } from '../support/servers/admission-hook.ts';
import type { AdmissionHook } from '../support/servers/admission-hook.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';

const group = 'admissionregistration.k8s.io';
const core = '/api/v1/namespaces/default';
const deployments = '/apis/apps/v1/namespaces/default/deployments';

describe('a validating webhook', () => {
  let server: TestServer;
  let hook: AdmissionHook;
  const send = async (method: string, target: string, body?: JsonObject): Promise<JsonObject> => {
    hook.take('/');
    await server.request(method, target, body === undefined ? {} : { body });
    return hook.take('/').at(-1) ?? {};
  };

  before(async () => {
    hook = await startAdmissionHook();
    server = await startTestServer({ identity: 'kubernetes' });
    const rule = { apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], operations: ['*'] };
    const webhook = {
      name: 'all.example.com',
      clientConfig: { url: `${hook.url}/`, caBundle: hook.caBundle },
      rules: [rule],
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
    };
    const body = {
      apiVersion: `${group}/v1`,
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'all' },
      webhooks: [webhook],
    };
    const configurations = `/apis/${group}/v1/validatingwebhookconfigurations`;
    assert.equal((await server.request('POST', configurations, { body })).status, 201);
    const probe = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'probe' } };
    while (hook.asked.length === 0) {
      await server.request('POST', `${core}/configmaps?dryRun=All`, { body: probe });
    }
  });
  after(async () => {
    hook.close();
    await server.remove();
  });
  beforeEach(() => void hook.moods.clear());

  it('is told the name that was made for a new object', async () => {
    const metadata = { generateName: 'made-' };
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
    const { name, object } = await send('POST', `${core}/configmaps?dryRun=All`, map);
    assert.match(String(name), /^made-.{5}$/);
    assert.equal(name, part(part({ object }, 'object'), 'metadata')['name']);
  });

  it('is told the name of a new namespace as the namespace of the request', async () => {
    const space = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'fresh' } };
    const { name, namespace } = await send('POST', '/api/v1/namespaces?dryRun=All', space);
    assert.deepEqual([name, namespace], ['fresh', 'fresh']);
  });

  for (const [what, target, body, metadata] of [
    ['an eviction', `${core}/pods/p/eviction`, 'policy/v1 Eviction p', { namespace: 'default' }],
    ['a binding', `${core}/bindings`, 'v1 Binding p', { namespace: 'default' }],
    [
      'a review of the cluster',
      '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      'authentication.k8s.io/v1 SelfSubjectReview  elsewhere',
      {},
    ],
    ['the options of a connection', `${core}/pods/p/exec?command=x`, '', undefined],
  ] as const) {
    it(`sees ${what} in the namespace of the request`, async () => {
      await server.request('POST', `${core}/pods`, {
        body: {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'p' },
          spec: { containers: [{ name: 'c', image: 'i' }] },
        },
      });
      const [apiVersion = '', kind = '', name = '', elsewhere] = body.split(' ');
      const posted: JsonObject = {
        apiVersion,
        kind,
        metadata: {
          ...(name !== '' && { name }),
          ...(elsewhere !== undefined && { namespace: elsewhere }),
        },
        ...(kind === 'Binding' && { target: { kind: 'Node', name: 'n' } }),
      };
      const request = await send('POST', target, body === '' ? undefined : posted);
      const object = part(request, 'object');
      if (metadata === undefined) assert.equal('metadata' in object, false);
      else {
        const { namespace } = part(object, 'metadata');
        assert.deepEqual(namespace === undefined ? {} : { namespace }, metadata);
      }
    });
  }

  it('is told of a deletion as it is carried out', async () => {
    const waiting = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'bound' },
      spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] },
    };
    await server.request('POST', `${core}/pods`, { body: waiting });
    const seen = async (target: string): Promise<JsonObject> => {
      const {
        apiVersion: _version,
        kind: _kind,
        ...options
      } = part(await send('DELETE', `${target}?dryRun=All`), 'options');
      return options;
    };
    const dryRun = ['All'];
    assert.deepEqual(await seen(`${core}/pods/bound`), { dryRun, gracePeriodSeconds: 30 });
    const space = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'going' } };
    const made = await server.request('POST', '/api/v1/namespaces', { body: space });
    const { uid } = part(JSON.parse(made.text) as JsonObject, 'metadata');
    const preconditions = { uid };
    assert.deepEqual(await seen('/api/v1/namespaces/going'), { dryRun, preconditions });
    await server.request('POST', `${core}/configmaps`, {
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'plain' } },
    });
    assert.deepEqual(await seen(`${core}/configmaps/plain`), { dryRun });
  });

  it('is told whose token is asked for, and for whom where nobody was named', async () => {
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'asker' } };
    await server.request('POST', `${core}/serviceaccounts`, { body: account });
    const asked = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    const request = await send('POST', `${core}/serviceaccounts/asker/token`, asked);
    const object = part(request, 'object');
    assert.equal(part(object, 'metadata')['name'], 'asker');
    assert.equal((part(object, 'spec')['audiences'] as readonly string[]).length, 1);
  });

  it('that refuses takes nothing of what the kind warns of', async () => {
    const volumes = [{ name: 'v', glusterfs: { endpoints: 'a', path: 'b' } }];
    const deployment = (replicas: number): JsonObject => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd' },
      spec: {
        replicas,
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { containers: [{ name: 'c', image: 'i' }], volumes },
        },
      },
    });
    const warned = async (method: string, target: string, replicas: number, status: number) => {
      const reply = await server.request(method, target, { body: deployment(replicas) });
      assert.equal(reply.status, status, reply.text);
      return /glusterfs/.test(String(reply.headers['warning']));
    };
    const refuse = (): void => void hook.moods.set('/', () => ({ allowed: false }));
    refuse();
    assert.equal(await warned('POST', deployments, 1, 400), true, 'a creation');
    hook.moods.clear();
    assert.equal(await warned('POST', deployments, 1, 201), true);
    refuse();
    assert.equal(await warned('PUT', `${deployments}/d`, 2, 400), true, 'an update');
  });

  it('whose status has a message that is no text has failed', async () => {
    hook.moods.set('/', () => ({ allowed: false, status: { message: 5 } }));
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } };
    const reply = await server.request('POST', `${core}/configmaps`, { body: map });
    assert.equal(reply.status, 500, reply.text);
  });
});
