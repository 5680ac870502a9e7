/** RBAC in a running server: its defaults, aggregates, reviews, and grants that come and go. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { reconcileRbacDefaults } from '../../src/controllers/rbac-defaults.ts';
import {
  asAdmin,
  bind,
  bindingObject,
  mayAccess,
  rbacPath,
  untilAllowed,
  untilRefused,
} from '../support/clients/access-setup.ts';
import { definition, established, object } from '../support/data/custom-definitions.ts';
import { startSecureServer, tokens } from '../support/servers/secure-server.ts';
import type { SecureServer } from '../support/servers/secure-server.ts';
import type { ApiClient, Reply } from '../support/servers/test-server.ts';

const group = 'rbac.authorization.k8s.io';
const alice = { authorization: `Bearer ${tokens.alice}` };

describe('a server with RBAC', () => {
  let server: SecureServer;
  before(async () => {
    server = await startSecureServer();
  });
  after(() => server.remove());
  const admin = (method: string, path: string, body?: object, headers = {}): Promise<Reply> =>
    asAdmin(server, method, path, body, headers);
  const clusterRole = (
    name: string,
    rules: JsonObject[],
    labels: Record<string, string> = {},
  ): JsonObject => ({
    apiVersion: `${group}/v1`,
    kind: 'ClusterRole',
    metadata: { name, labels },
    rules,
  });
  const things = { apiGroups: ['x.example'], resources: ['things'], verbs: ['get'] };

  it('has the default roles and bindings before it answers the first request', async () => {
    const roles = (await admin('GET', rbacPath('', 'clusterroles'))).body['items'] as JsonObject[];
    const bindings = (await admin('GET', rbacPath('', 'clusterrolebindings'))).body[
      'items'
    ] as JsonObject[];
    assert.equal(roles.length, 67);
    assert.equal(bindings.length, 48);
    const ready = await server.request('GET', '/readyz', {});
    assert.equal(ready.status, 200);
  });

  it('adds to defaults what they lack at the next start, keeps what is more, and leaves protected ones alone', async () => {
    const patch = (name: string, body: object) =>
      server.request('PATCH', rbacPath('', 'clusterroles', name), {
        body: JSON.stringify(body),
        headers: {
          authorization: `Bearer ${tokens.admin}`,
          'content-type': 'application/merge-patch+json',
        },
      });
    await patch('system:basic-user', { rules: [things] });
    await patch('system:kube-dns', {
      rules: [],
      metadata: { annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'false' } },
    });
    await admin('DELETE', rbacPath('', 'clusterroles', 'system:heapster'));
    await admin('DELETE', rbacPath('', 'clusterrolebindings', 'system:discovery'));
    await admin(
      'POST',
      rbacPath('', 'clusterrolebindings'),
      bindingObject('', 'system:discovery', 'view', { kind: 'User', name: 'x' }),
    );

    await reconcileRbacDefaults(server.running.parts.registry);

    const rules = async (name: string) =>
      (await admin('GET', rbacPath('', 'clusterroles', name))).body['rules'];
    const basic = (await rules('system:basic-user')) as JsonObject[];
    assert.deepEqual(basic[0], things);
    assert.ok(JSON.stringify(basic).includes('selfsubjectaccessreviews'));
    assert.deepEqual((await rules('system:kube-dns')) ?? [], []);
    assert.ok(Array.isArray(await rules('system:heapster')));
    const discovery = (await admin('GET', rbacPath('', 'clusterrolebindings', 'system:discovery')))
      .body;
    assert.equal((discovery['roleRef'] as JsonObject)['name'], 'system:discovery');

    const revision = server.running.parts.streams.revision;
    await reconcileRbacDefaults(server.running.parts.registry);
    assert.equal(
      server.running.parts.streams.revision,
      revision,
      'what is as it should be is not written',
    );
  });

  it('fills roles made of others, and takes back what is no part any more', async () => {
    await bind(server, '', 'viewer', 'view', { kind: 'User', name: 'viewer' });
    await bind(server, '', 'administrator', 'admin', { kind: 'User', name: 'administrator' });
    const label = { [`${group}/aggregate-to-view`]: 'true' };
    assert.equal(
      (await admin('POST', rbacPath('', 'clusterroles'), clusterRole('more', [things], label)))
        .status,
      201,
    );
    for (const user of ['viewer', 'administrator'])
      await untilAllowed(
        server,
        { user },
        { verb: 'get', resource: 'things', namespace: 'ns', group: 'x.example' },
      );
    await admin('DELETE', rbacPath('', 'clusterroles', 'more'));
    for (const user of ['viewer', 'administrator'])
      await untilRefused(
        server,
        { user },
        { verb: 'get', resource: 'things', namespace: 'ns', group: 'x.example' },
      );
  });

  it('overwrites rules that are set by hand in such a role', async () => {
    const view = (await admin('GET', rbacPath('', 'clusterroles', 'view'))).body;
    const { resourceVersion: _version, ...metadata } = view['metadata'] as JsonObject;
    await admin('PUT', rbacPath('', 'clusterroles', 'view'), {
      ...view,
      metadata,
      rules: [things],
    });
    await untilAllowed(
      server,
      { user: 'viewer' },
      { verb: 'list', resource: 'pods', namespace: 'ns' },
    );
    await untilRefused(
      server,
      { user: 'viewer' },
      { verb: 'get', resource: 'things', namespace: 'ns', group: 'x.example' },
    );
  });

  it('answers what a user may, in JSON, YAML and Protobuf', async () => {
    await bind(server, '', 'alice', 'view', { kind: 'User', name: 'alice' });
    await untilAllowed(
      server,
      { user: 'alice' },
      { verb: 'list', resource: 'pods', namespace: 'ns' },
    );
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    const spec = { resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'ns' } };
    const json = await server.request('POST', path, { body: { spec }, headers: alice });
    assert.equal(json.status, 201, json.text);
    assert.deepEqual(json.body['spec'], spec);
    assert.deepEqual(json.body['status'], {
      allowed: true,
      reason: 'RBAC: allowed by ClusterRoleBinding "alice" of ClusterRole "view" to User "alice"',
    });
    const yaml = await server.request('POST', path, {
      body: 'spec: {resourceAttributes: {verb: delete, resource: pods, namespace: ns}}',
      headers: { ...alice, 'content-type': 'application/yaml', accept: 'application/yaml' },
    });
    assert.equal(yaml.status, 201);
    assert.match(yaml.text, /allowed: false/);
    const protobuf = await server.request('POST', path, {
      body: { spec },
      headers: { ...alice, accept: 'application/vnd.kubernetes.protobuf' },
    });
    assert.equal(protobuf.status, 201);
    assert.equal(protobuf.bytes.subarray(0, 4).toString('latin1'), 'k8s\0');
    const again = await server.request('POST', path, {
      body: protobuf.bytes,
      headers: { ...alice, 'content-type': 'application/vnd.kubernetes.protobuf' },
    });
    assert.equal(again.status, 201, again.text);
    assert.deepEqual(again.body['spec'], spec);
  });

  it('lists the rules of a user, and says who they are', async () => {
    const rules = await server.request(
      'POST',
      '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
      { body: { spec: { namespace: 'ns' } }, headers: alice },
    );
    const status = rules.body['status'] as JsonObject;
    assert.equal(status['incomplete'], false);
    assert.ok(JSON.stringify(status['resourceRules']).includes('configmaps'));
    assert.ok(JSON.stringify(status['nonResourceRules']).includes('/healthz'));
    const none = await server.request(
      'POST',
      '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
      { body: { spec: {} }, headers: alice },
    );
    assert.equal(none.status, 400);
    assert.equal(none.body['message'], 'no namespace on request');
    const me = await server.request('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      body: {},
      headers: alice,
    });
    assert.deepEqual(me.body['status'], {
      userInfo: { username: 'alice', uid: 'uid-1', groups: ['system:authenticated'] },
    });
  });

  const sar = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
  const resourceAttributes = { verb: 'get', resource: 'pods', namespace: 'ns' };
  const refusals: readonly [string, string, object, string][] = [
    ['nothing is asked', sar, { spec: { user: 'u' } }, 'spec.resourceAttributes'],
    [
      'two things are asked',
      sar,
      {
        spec: { user: 'u', resourceAttributes, nonResourceAttributes: { path: '/', verb: 'get' } },
      },
      'spec.nonResourceAttributes',
    ],
    ['nobody is named', sar, { spec: { resourceAttributes } }, 'spec.user'],
    [
      'it has a name',
      sar,
      { metadata: { name: 'x' }, spec: { user: 'u', resourceAttributes } },
      'metadata',
    ],
    [
      'the namespaces differ',
      '/apis/authorization.k8s.io/v1/namespaces/other/localsubjectaccessreviews',
      { spec: { user: 'u', resourceAttributes } },
      'spec.resourceAttributes.namespace',
    ],
  ];
  for (const [why, path, body, field] of refusals) {
    it(`refuses a review when ${why}`, async () => {
      const reply = await admin('POST', path, body);
      assert.equal(reply.status, 422, reply.text);
      const causes = (reply.body['details'] as JsonObject)['causes'] as JsonObject[];
      assert.ok(
        causes.some((cause) => cause['field'] === field),
        reply.text,
      );
    });
  }

  it('stores no review, and offers nothing but create', async () => {
    assert.equal((await admin('GET', sar)).status, 405);
    const resources = (await admin('GET', '/apis/authorization.k8s.io/v1')).body[
      'resources'
    ] as JsonObject[];
    assert.deepEqual(resources.map((each) => each['name']).sort(), [
      'localsubjectaccessreviews',
      'selfsubjectaccessreviews',
      'selfsubjectrulesreviews',
      'subjectaccessreviews',
    ]);
    for (const each of resources) assert.deepEqual(each['verbs'], ['create']);
  });

  it('grants objects of a custom type by name, their subresources apart, and to who is impersonated', async () => {
    const headers = { authorization: `Bearer ${tokens.admin}` };
    const asked: ApiClient = {
      ...server,
      request: (method, path, options) => server.request(method, path, { ...options, headers }),
    };
    const version = { subresources: { status: {} } };
    await established(asked, definition({ plural: 'lamps', kind: 'Lamp', version }));
    const lamps = '/apis/shop.example/v1/namespaces/default/lamps';
    for (const name of ['a', 'b']) {
      const made = await admin('POST', lamps, object('Lamp', name, { spec: { on: 1 } }));
      assert.equal(made.status, 201, made.text);
    }
    const lamp = { apiGroups: ['shop.example'], resourceNames: ['a'] };
    const role = clusterRole('lamp-a', [
      { ...lamp, resources: ['lamps'], verbs: ['get', 'list', 'patch'] },
      { ...lamp, resources: ['lamps/status'], verbs: ['patch'] },
    ]);
    await admin('POST', rbacPath('', 'clusterroles'), role);
    await bind(server, 'default', 'lamp-a', 'lamp-a', { kind: 'User', name: 'alice' });
    const patch = { body: '{"spec":{"on":2}}', type: 'application/merge-patch+json' };
    const forbidden = (verb: string, name: string, resource = 'lamps'): string =>
      `lamps.shop.example${name === '' ? '' : ` "${name}"`} is forbidden: User "alice" cannot ` +
      `${verb} resource "${resource}" in API group "shop.example" in the namespace "default"`;
    const rows: readonly (readonly [string, string, string | undefined])[] = [
      ['GET', '/a', undefined],
      ['GET', '/b', forbidden('get', 'b')],
      ['GET', '', forbidden('list', '')],
      ['GET', '?fieldSelector=metadata.name%3Da', undefined],
      ['PATCH', '/a', undefined],
      ['PATCH', '/a/status', undefined],
      ['PATCH', '/b/status', forbidden('patch', 'b', 'lamps/status')],
      ['GET', '/a/status', forbidden('get', 'a', 'lamps/status')],
      ['DELETE', '/a', forbidden('delete', 'a')],
    ];
    const impersonating = { ...headers, 'impersonate-user': 'alice' };
    for (const who of [alice, impersonating]) {
      const send = (method: string, target: string): Promise<Reply> =>
        server.request(method, `${lamps}${target}`, {
          body: method === 'PATCH' ? patch.body : undefined,
          headers: { ...who, ...(method === 'PATCH' ? { 'content-type': patch.type } : {}) },
        });
      while ((await send('GET', '/a')).status !== 200);
      for (const [method, target, message] of rows) {
        const reply = await send(method, target);
        const label = `${method} ${target}: ${reply.text}`;
        assert.equal(reply.status, message === undefined ? 200 : 403, label);
        if (message !== undefined) assert.equal(reply.body['message'], message);
      }
    }
  });

  it('lets a watch go on to its end when the grant for it is taken away, and admits no new one', async () => {
    await bind(server, '', 'watcher', 'view', { kind: 'User', name: 'bob' });
    const bob = { authorization: `Bearer ${tokens.bob}` };
    await untilAllowed(
      server,
      { user: 'bob' },
      { verb: 'watch', resource: 'configmaps', namespace: 'default' },
    );
    const target = '/api/v1/namespaces/default/configmaps?watch=true';
    const watch = await server.openWatch(target, bob);
    await admin('DELETE', rbacPath('', 'clusterrolebindings', 'watcher'));
    await untilRefused(
      server,
      { user: 'bob' },
      { verb: 'watch', resource: 'configmaps', namespace: 'default' },
    );
    const made = await admin('POST', '/api/v1/namespaces/default/configmaps', {
      metadata: { name: 'after' },
    });
    assert.equal(made.status, 201);
    for (;;) {
      const event = await watch.next();
      assert.ok(event !== undefined, 'the watch ended');
      if ((event.object['metadata'] as JsonObject)['name'] === 'after') break;
    }
    watch.close();
    assert.equal((await server.request('GET', target, { headers: bob })).status, 403);
    assert.equal(
      await mayAccess(
        server,
        { user: 'bob' },
        { verb: 'get', resource: 'configmaps', namespace: 'default' },
      ),
      false,
    );
  });
});
