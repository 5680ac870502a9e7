/** Validating admission policies over HTTP: what is refused, warned about and audited. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { part, text } from '../../src/apimachinery/members.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { Reply, TestServer } from '../support/servers/test-server.ts';

const group = '/apis/admissionregistration.k8s.io/v1';
const apiVersion = 'admissionregistration.k8s.io/v1';

const ruleOf = (resource: string, version = 'v1', apiGroup = ''): JsonObject => ({
  apiGroups: [apiGroup],
  apiVersions: [version],
  resources: [resource],
  operations: ['CREATE', 'UPDATE'],
});

const policyOf = (name: string, spec: JsonObject): JsonObject => ({
  apiVersion,
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name },
  spec: { matchConstraints: { resourceRules: [ruleOf('configmaps')] }, ...spec },
});

const bindingOf = (name: string, policyName: string, spec: JsonObject = {}): JsonObject => ({
  apiVersion,
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name },
  spec: { policyName, validationActions: ['Deny'], ...spec },
});

const configMap = (name: string, data: JsonObject = {}, labels: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels },
  data,
});

const maps = '/api/v1/namespaces/default/configmaps';

describe('validating admission policies', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.remove());

  const post = (target: string, body: JsonObject): Promise<Reply> =>
    server.request('POST', target, { body });

  /** In force when this resolves. */
  async function inForce(policy: JsonObject, ...bindings: readonly JsonObject[]): Promise<void> {
    const made = await post(`${group}/validatingadmissionpolicies`, policy);
    assert.equal(made.status, 201, made.text);
    for (const binding of bindings) {
      const bound = await post(`${group}/validatingadmissionpolicybindings`, binding);
      assert.equal(bound.status, 201, bound.text);
    }
    await server.running.parts.streams.waitUntilCurrent();
  }

  async function gone(policy: string, ...bindings: readonly string[]): Promise<void> {
    for (const name of bindings) {
      await server.request('DELETE', `${group}/validatingadmissionpolicybindings/${name}`);
    }
    await server.request('DELETE', `${group}/validatingadmissionpolicies/${policy}`);
    await server.running.parts.streams.waitUntilCurrent();
  }

  test('one that is not met refuses the write, in the words of the reference', async () => {
    await inForce(
      policyOf('short', { validations: [{ expression: 'size(object.data) < 2' }] }),
      bindingOf('short-b', 'short'),
    );
    const good = await post(maps, configMap('good', { a: 'b' }));
    assert.equal(good.status, 201, good.text);
    const bad = await post(maps, configMap('bad', { a: 'b', c: 'd' }));
    const message =
      `configmaps "bad" is forbidden: ValidatingAdmissionPolicy 'short' with binding 'short-b' ` +
      `denied request: failed expression: size(object.data) < 2`;
    assert.equal(bad.status, 422, bad.text);
    assert.equal(bad.body['message'], message);
    assert.equal(bad.body['reason'], 'Invalid');
    assert.deepEqual(part(bad.body, 'details')['causes'], [
      { message: message.slice(message.indexOf('Validating')) },
    ]);
    await gone('short', 'short-b');
    assert.equal((await post(maps, configMap('bad', { a: 'b', c: 'd' }))).status, 201);
  });
});
void text;
