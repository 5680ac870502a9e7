/** New objects in admission: what they have before and after those who may change them. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { objects, part } from '../../src/apimachinery/members.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { patching, startAdmissionHook } from '../support/servers/admission-hook.ts';
import type { AdmissionHook } from '../support/servers/admission-hook.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';

const group = 'admissionregistration.k8s.io';
const maps = '/api/v1/namespaces/default/configmaps';
const given = ['creationTimestamp', 'name', 'uid'] as const;

describe('a new object', () => {
  let server: TestServer;
  let hook: AdmissionHook;

  async function install(type: 'Mutating' | 'Validating'): Promise<void> {
    const kind = `${type}WebhookConfiguration`;
    const rule = { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };
    const webhook = {
      name: `${type.toLowerCase()}.example.com`,
      clientConfig: { url: `${hook.url}/${type}`, caBundle: hook.caBundle },
      rules: [{ ...rule, operations: ['CREATE'] }],
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
    };
    const body = { apiVersion: `${group}/v1`, kind, metadata: { name: 'c' }, webhooks: [webhook] };
    const reply = await server.request('POST', `/apis/${group}/v1/${kind.toLowerCase()}s`, {
      body,
    });
    assert.equal(reply.status, 201, reply.text);
    const probe = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'probe' } };
    while (hook.take(`/${type}`).length === 0) {
      await server.request('POST', `${maps}?dryRun=All`, { body: probe });
    }
    hook.asked.length = 0;
  }

  before(async () => {
    hook = await startAdmissionHook();
    server = await startTestServer();
    await install('Mutating');
    await install('Validating');
  });
  after(async () => {
    hook.close();
    await server.remove();
  });

  /** Of the object that was shown there. */
  function shownAt(path: string): JsonObject {
    const [request] = hook.take(path);
    return part(part(request, 'object'), 'metadata');
  }

  it('has no uid, time and made name until it is only judged, and then keeps them', async () => {
    hook.asked.length = 0;
    const labels = [
      { op: 'add', path: '/metadata/labels', value: { a: 'b' } },
      { op: 'add', path: '/metadata/uid', value: 'own' },
    ];
    hook.moods.set('/Mutating', () => patching(labels));
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'x-' } };
    const reply = await server.request('POST', maps, { body });
    assert.equal(reply.status, 201, reply.text);
    const made = part(reply.body, 'metadata');
    const [open, judged] = [shownAt('/Mutating'), shownAt('/Validating')];
    for (const name of given) {
      assert.equal(open[name], undefined, name);
      assert.equal(judged[name], made[name], name);
    }
    assert.match(String(made['name']), /^x-.{5}$/);
    assert.notEqual(made['uid'], 'own');
    assert.deepEqual(made['labels'], { a: 'b' });
  });

  it('has its owners before admission, and what admission writes is nobody’s', async () => {
    hook.asked.length = 0;
    const labels = { op: 'add', path: '/metadata/labels', value: { added: 'x' } };
    hook.moods.set('/Mutating', () => patching([labels]));
    const body = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'own' },
      data: { k: 'v' },
    };
    const reply = await server.request('POST', `${maps}?fieldManager=me`, { body });
    const made = part(reply.body, 'metadata');
    assert.deepEqual(made['labels'], { added: 'x' });
    const [entry, ...others] = objects(made, 'managedFields');
    assert.deepEqual(others, []);
    assert.equal(entry?.['manager'], 'me');
    assert.deepEqual(entry['fieldsV1'], { 'f:data': { '.': {}, 'f:k': {} } });
    assert.deepEqual(shownAt('/Mutating')['managedFields'], made['managedFields']);
  });

  it('is neither moved to another namespace nor made another kind', async () => {
    const replaced = async (at: string, value: string): Promise<readonly unknown[]> => {
      hook.moods.set('/Mutating', () => patching([{ op: 'replace', path: at, value }]));
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'moved' } };
      const reply = await server.request('POST', maps, { body });
      return [reply.status, reply.body['message']];
    };
    assert.deepEqual(await replaced('/metadata/namespace', 'kube-system'), [
      400,
      'the namespace of the provided object does not match the namespace sent on the request',
    ]);
    const [status, message] = await replaced('/kind', 'Secret');
    assert.equal(status, 500);
    assert.match(String(message), /kind: Invalid value: "Secret": must be ConfigMap/);
    hook.moods.delete('/Mutating');
  });

  it('is called by its prefix where it is refused before it has a name', async () => {
    const metadata = { generateName: 'x-' };
    const spec = { priorityClassName: 'none', containers: [{ name: 'c', image: 'i' }] };
    const body = { apiVersion: 'v1', kind: 'Pod', metadata, spec };
    const reply = await server.request('POST', '/api/v1/namespaces/default/pods', { body });
    assert.equal(reply.status, 403, reply.text);
    assert.match(String(reply.body['message']), /^pods "x-" is forbidden: no PriorityClass/);
    assert.equal(part(reply.body, 'details')['name'], 'x-');
  });
});
