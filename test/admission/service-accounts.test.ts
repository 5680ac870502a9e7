/** ServiceAccount over HTTP: which account pods run as, and when there is none (spec 2, 5.1). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { Reply, TestServer } from '../support/servers/test-server.ts';

const container = { name: 'c', image: 'i' };
const mirror = { 'kubernetes.io/config.mirror': 'x' };

describe('the account of a pod', () => {
  let server: TestServer;
  const post = (target: string, body: object): Promise<Reply> =>
    server.request('POST', target, { body });
  const create = (namespace: string, name: string, spec: object = {}, metadata: object = {}) =>
    post(`/api/v1/namespaces/${namespace}/pods`, {
      metadata: { name, ...metadata },
      spec: { containers: [container], ...spec },
    });
  const specOf = (reply: Reply): JsonObject => {
    assert.equal(reply.status, 201, reply.text);
    return reply.body['spec'] as JsonObject;
  };
  const refusalOf = (reply: Reply): string => {
    assert.equal(reply.status, 403, reply.text);
    assert.equal(reply.body['reason'], 'Forbidden');
    return String(reply.body['message']);
  };

  before(async () => {
    server = await startTestServer({ 'disable-admission-plugins': '', controllers: '*' });
    await post('/api/v1/namespaces', { metadata: { name: 'team' } });
    await post('/api/v1/namespaces/team/serviceaccounts', {
      metadata: { name: 'robot' },
      imagePullSecrets: [{ name: 'registry' }],
    });
  });
  after(() => server.remove());

  it('is the one called default, also in a namespace that is being made', async () => {
    await post('/api/v1/namespaces', { metadata: { name: 'fresh' } });
    const spec = specOf(await create('fresh', 'at-once'));
    assert.equal(spec['serviceAccountName'], 'default');
    assert.equal(spec['serviceAccount'], 'default');
  });

  it('exists, whichever field and verb names it', async () => {
    const missing =
      'error looking up service account team/nobody: serviceaccount "nobody" not found';
    for (const field of ['serviceAccountName', 'serviceAccount']) {
      const refused = await create('team', 'p', { [field]: 'nobody' });
      assert.equal(refusalOf(refused), `pods "p" is forbidden: ${missing}`);
    }
    const applied = await server.request(
      'PATCH',
      '/api/v1/namespaces/team/pods/p?fieldManager=m&dryRun=All',
      {
        headers: { 'content-type': 'application/apply-patch+yaml' },
        body: {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'p' },
          spec: { containers: [container], serviceAccountName: 'nobody' },
        },
      },
    );
    assert.equal(refusalOf(applied), `pods "p" is forbidden: ${missing}`);
    assert.equal(
      await server.request('GET', '/api/v1/namespaces/team/pods/p').then(({ status }) => status),
      404,
    );
  });

  it('lends the pod its secrets for images, unless the pod has its own', async () => {
    const lent = specOf(await create('team', 'lent', { serviceAccountName: 'robot' }));
    assert.deepEqual(lent['imagePullSecrets'], [{ name: 'registry' }]);
    const imagePullSecrets = [{ name: 'mine' }];
    const own = await create('team', 'own', { serviceAccountName: 'robot', imagePullSecrets });
    assert.deepEqual(specOf(own)['imagePullSecrets'], imagePullSecrets);
  });

  it('is not looked for in a namespace that there is not', async () => {
    const reply = await create('nowhere', 'p');
    assert.equal(reply.status, 404, reply.text);
    assert.equal(reply.body['message'], 'namespaces "nowhere" not found');
  });

  it('is none for the image of a static pod, which refers to nothing', async () => {
    const made = specOf(await create('team', 'static', {}, { annotations: mirror }));
    assert.equal(made['serviceAccountName'], undefined);
    const volumes = [{ name: 'v', secret: { secretName: 's' } }];
    const token = { projected: { sources: [{ serviceAccountToken: { path: 't' } }] } };
    for (const [spec, why] of [
      [{ serviceAccountName: 'robot' }, 'a mirror pod may not reference service accounts'],
      [{ volumes }, 'a mirror pod may not reference secrets'],
      [{ imagePullSecrets: [{ name: 's' }] }, 'a mirror pod may not reference secrets'],
      [
        { volumes: [{ name: 'v', ...token }] },
        'a mirror pod may not use ServiceAccountToken volume projections',
      ],
    ] as const) {
      const refused = await create('team', 'wrong', spec, { annotations: mirror });
      assert.equal(refusalOf(refused), `pods "wrong" is forbidden: ${why}`);
    }
  });

  it('is not owned by the client that did not name it', async () => {
    const reply = await create('team', 'unnamed');
    assert.equal(specOf(reply)['serviceAccountName'], 'default');
    const { managedFields } = reply.body['metadata'] as { managedFields: unknown };
    assert.doesNotMatch(JSON.stringify(managedFields), /serviceAccount|priority|preemption/i);
  });
});
