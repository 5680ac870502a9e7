/** What a mutating webhook may do with the metadata of an object, and what is the server's. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { part } from '../../src/apimachinery/members.ts';
import type { JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import { patching, startAdmissionHook } from '../support/servers/admission-hook.ts';
import type { AdmissionHook } from '../support/servers/admission-hook.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';

const configurations = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
const maps = '/api/v1/namespaces/default/configmaps';

describe('a mutating webhook and the metadata of an object', () => {
  let server: TestServer;
  let hook: AdmissionHook;
  const map = (name: string): JsonObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name },
  });
  const patchWith = (field: string, value: JsonValue): void => {
    hook.moods.set('/', () => patching([{ op: 'add', path: `/metadata/${field}`, value }]));
  };

  before(async () => {
    hook = await startAdmissionHook();
    server = await startTestServer({ identity: 'kubernetes' });
    const rule = { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };
    const webhook = {
      name: 'metadata.example.com',
      clientConfig: { url: `${hook.url}/`, caBundle: hook.caBundle },
      rules: [{ ...rule, operations: ['CREATE', 'UPDATE'] }],
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
    };
    const body = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: 'metadata' },
      webhooks: [webhook],
    };
    assert.equal((await server.request('POST', configurations, { body })).status, 201);
    while (hook.asked.length === 0) {
      await server.request('POST', `${maps}?dryRun=All`, { body: map('probe') });
    }
  });
  after(async () => {
    hook.close();
    await server.remove();
  });

  it('cannot make it one that is being deleted, nor give it a uid or a time', async () => {
    const old = '2020-01-01T00:00:00Z';
    for (const [field, value] of [
      ['deletionTimestamp', old],
      ['deletionGracePeriodSeconds', 30],
      ['uid', 'mine'],
      ['creationTimestamp', old],
    ] as const) {
      patchWith(field, value);
      const name = `new-${field.toLowerCase()}`;
      const made = await server.request('POST', maps, { body: map(name) });
      assert.equal(made.status, 201, made.text);
      assert.notEqual(part(made.body, 'metadata')[field], value);
      const found = await server.request('GET', `${maps}/${name}`);
      assert.notEqual(part(found.body, 'metadata')[field], value);
    }
  });

  it('may give it another name, under which it then is and under no other', async () => {
    patchWith('name', 'renamed');
    const made = await server.request('POST', maps, { body: map('posted') });
    assert.equal(made.status, 201, made.text);
    assert.equal(part(made.body, 'metadata')['name'], 'renamed');
    assert.equal((await server.request('GET', `${maps}/renamed`)).status, 200);
    assert.equal((await server.request('GET', `${maps}/posted`)).status, 404);
    const again = await server.request('POST', maps, { body: map('posted') });
    assert.equal(again.status, 409, again.text);
    assert.match(again.text, /\\"renamed\\" already exists/);
  });

  it('cannot give it another name than that of the URL', async () => {
    patchWith('name', 'elsewhere');
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    const options = { body: map('here'), headers };
    const applied = await server.request('PATCH', `${maps}/here?fieldManager=a`, options);
    assert.equal(applied.status, 400, applied.text);
    assert.match(applied.text, /\(elsewhere\) does not match the name on the URL \(here\)/);
    for (const name of ['here', 'elsewhere']) {
      assert.equal((await server.request('GET', `${maps}/${name}`)).status, 404);
    }
  });

  it('cannot make another object of one that is updated', async () => {
    hook.moods.clear();
    assert.equal((await server.request('POST', maps, { body: map('stays') })).status, 201);
    for (const [field, status] of [
      ['name', 422],
      ['namespace', 400],
    ] as const) {
      patchWith(field, 'elsewhere');
      const body = { ...map('stays'), data: { a: 'b' } };
      const reply = await server.request('PUT', `${maps}/stays`, { body });
      assert.equal(reply.status, status, reply.text);
      assert.equal(status === 422, reply.text.includes('"field":"metadata.name"'));
    }
    const found = await server.request('GET', `${maps}/stays`);
    assert.equal(found.body['data'], undefined);
  });

  it('may name an owner twice, who is kept once, with a warning', async () => {
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'a', uid: '1' };
    hook.moods.clear();
    await server.request('POST', maps, { body: map('owned') });
    patchWith('ownerReferences', [owner, owner]);
    const body = { ...map('owned'), data: { a: 'b' } };
    const applied = { 'content-type': 'application/apply-patch+yaml' };
    for (const [method, target, headers] of [
      ['POST', `${maps}?dryRun=All`, {}],
      ['PUT', `${maps}/owned`, {}],
      ['PATCH', `${maps}/owned-by-apply?fieldManager=a`, applied],
    ] as const) {
      const name = target.includes('apply') ? 'owned-by-apply' : method === 'POST' ? 'x' : 'owned';
      const options = { body: { ...body, metadata: { name } }, headers };
      const reply = await server.request(method, target, options);
      assert.ok(reply.status < 300, reply.text);
      assert.deepEqual(part(reply.body, 'metadata')['ownerReferences'], [owner], method);
      assert.match(String(reply.headers['warning']), /ownerReferences contains duplicate/);
    }
  });
});
