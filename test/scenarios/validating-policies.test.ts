/** Validating admission policies over HTTP: what is refused, warned about, counted and checked. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { objects, part } from '../../src/apimachinery/members.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { definition, established } from '../support/data/custom-definitions.ts';
import { validatingExamples } from '../support/data/policy-examples.ts';
import { bindingOf, policiesOn, policyOf, ruleOf } from '../support/data/policy-objects.ts';
import { makeStages, tryExample } from '../support/data/policy-tries.ts';
import { startAuthorizationHook } from '../support/servers/authorization-hook.ts';
import type { AuthorizationHook } from '../support/servers/authorization-hook.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { Reply, TestServer } from '../support/servers/test-server.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-policies');

const maps = '/api/v1/namespaces/default/configmaps';
const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';

const configMap = (name: string, data: JsonObject = {}, labels: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels },
  data,
});

const deployment = (name: string, replicas: number): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    },
  },
});

describe('validating admission policies', () => {
  let server: TestServer;
  const { clear, inForce, post } = policiesOn(() => server);
  // Who may do what is asked of another server.
  let authorizer: AuthorizationHook;
  before(async () => {
    const folder = directories.make();
    const file = path.join(folder, 'authorizer.json');
    authorizer = await startAuthorizationHook(
      file,
      ({ name, verb }) => verb !== 'judge' || name === 'ok',
    );
    server = await startTestServer({
      controllers: 'validatingadmissionpolicystatus',
      'authorization-mode': 'Webhook',
      'authorization-webhook-config-file': file,
      'authorization-webhook-version': 'v1',
    });
    await directories.removeAll();
  });
  after(async () => {
    await server.remove();
    authorizer.close();
  });
  afterEach(clear);

  let count = 0;
  /** Why a configuration map may not be created; undefined: it may. */
  async function refusal(
    data: JsonObject = {},
    labels: JsonObject = {},
  ): Promise<Reply | undefined> {
    count += 1;
    const reply = await post(maps, configMap(`m${count}`, data, labels));
    return reply.status === 201 ? undefined : reply;
  }
  const warningsOf = (reply: Reply): string => [reply.headers['warning'] ?? ''].flat().join();

  test('one that is not met refuses the write, in the words of the reference', async () => {
    await inForce(
      policyOf('short', '/v1/configmaps', {
        validations: [{ expression: 'size(object.data) < 2' }],
      }),
      bindingOf('short'),
    );
    assert.equal((await post(maps, configMap('good', { a: 'b' }))).status, 201);
    const bad = await post(maps, configMap('bad', { a: 'b', c: 'd' }));
    const said =
      `ValidatingAdmissionPolicy 'short' with binding 'short' ` +
      `denied request: failed expression: size(object.data) < 2`;
    assert.equal(bad.status, 422, bad.text);
    assert.equal(bad.body['message'], `configmaps "bad" is forbidden: ${said}`);
    assert.equal(bad.body['reason'], 'Invalid');
    assert.deepEqual(part(bad.body, 'details')['causes'], [{ message: said }]);
    // That a new object has a version is said last.
    const again = { ...configMap('bad', { a: 'b', c: 'd' }) };
    again['metadata'] = { name: 'bad', resourceVersion: '1' };
    assert.equal((await post(maps, again)).body['message'], bad.body['message']);
    again['metadata'] = { name: 'BAD', resourceVersion: '1' };
    assert.match(String((await post(maps, again)).body['message']), /"BAD" is invalid/);
    again['metadata'] = { name: 'good', resourceVersion: '1' };
    again['data'] = { a: 'b' };
    assert.match(String((await post(maps, again)).body['message']), /^resourceVersion should not/);
    await clear();
    assert.equal((await post(maps, configMap('bad', { a: 'b', c: 'd' }))).status, 201);
  });

  test('a message, a message that is made, and a reason', async () => {
    const validations = [
      {
        expression: "!('a' in object.data)",
        message: 'plain',
        messageExpression: "'made of ' + object.data.a",
        reason: 'Forbidden',
      },
      {
        expression: "!('b' in object.data)",
        message: 'second',
        messageExpression: "'two\\nlines'",
      },
    ];
    await inForce(policyOf('words', '/v1/configmaps', { validations }), bindingOf('words'));
    const made = await refusal({ a: 'this' });
    assert.equal(made?.status, 403);
    assert.match(String(made.body['message']), /denied request: made of this$/);
    const plain = await refusal({ b: 'x' });
    assert.equal(plain?.status, 422);
    assert.match(String(plain.body['message']), /denied request: second$/);
  });

  test('what cannot be evaluated is decided by the failure policy', async () => {
    const validations = [{ expression: "object.data.there == 'x'" }];
    await inForce(policyOf('strict', '/v1/configmaps', { validations }), bindingOf('strict'));
    const reply = await refusal({ a: 'b' });
    const expected =
      "denied request: expression 'object.data.there == 'x'' resulted in error: " +
      'no such key: there';
    assert.ok(String(reply?.body['message']).endsWith(expected), reply?.text);
    await clear();
    await inForce(
      policyOf('lenient', '/v1/configmaps', { validations, failurePolicy: 'Ignore' }),
      bindingOf('lenient'),
    );
    assert.equal(await refusal({ a: 'b' }), undefined);
    assert.notEqual(await refusal({ there: 'b' }), undefined);
  });

  test('Warn warns, and the write goes on', async () => {
    const validations = [{ expression: 'false', message: 'think again' }];
    await inForce(
      policyOf('warns', '/v1/configmaps', { validations }),
      bindingOf('warns', { validationActions: ['Warn', 'Audit'] }),
    );
    const reply = await post(maps, configMap('warned'));
    assert.equal(reply.status, 201);
    assert.ok(
      warningsOf(reply).includes(
        "Validation failed for ValidatingAdmissionPolicy 'warns' with binding 'warns': think again",
      ),
      warningsOf(reply),
    );
  });

  test('match conditions, variables, the namespace and the authorizer', async () => {
    await inForce(
      policyOf('all', '/v1/configmaps', {
        matchConditions: [{ name: 'judged', expression: "'judge' in object.data" }],
        variables: [
          { name: 'word', expression: 'object.data.judge' },
          { name: 'long', expression: 'size(variables.word) > 3' },
        ],
        validations: [
          { expression: '!variables.long', messageExpression: "variables.word + ' is long'" },
          { expression: "namespaceObject.metadata.name == 'default'" },
          { expression: "authorizer.requestResource.check('create').allowed()" },
          { expression: "request.operation == 'CREATE' && !request.dryRun" },
        ],
      }),
      bindingOf('all'),
    );
    assert.equal(await refusal({ other: 'x' }), undefined);
    assert.equal(await refusal({ judge: 'abc' }), undefined);
    const long = await refusal({ judge: 'abcd' });
    assert.match(String(long?.body['message']), /abcd is long$/);
    const dry = await post(`${maps}?dryRun=All`, configMap('dry', { judge: 'a' }));
    assert.equal(dry.status, 422);
  });

  test('an authorizer that has to ask elsewhere is asked once for each question of a write', async () => {
    const check = (name: string): string =>
      `authorizer.group('shop.example').resource('things').namespace('default').name('${name}')` +
      ".check('judge').allowed()";
    await inForce(
      policyOf('first', '/v1/configmaps', {
        matchConditions: [{ name: 'judged', expression: check('ok') }],
        variables: [{ name: 'may', expression: check('var') }],
        validations: [
          { expression: `${check('ok')} && !variables.may && !${check('no')}` },
          { expression: check('no'), message: 'you may not judge' },
        ],
      }),
      policyOf('second', '/v1/configmaps', {
        matchConditions: [{ name: 'unjudged', expression: `!${check('ok')}` }],
        validations: [{ expression: 'false' }],
      }),
      bindingOf('first', { validationActions: ['Warn'] }),
      bindingOf('second'),
    );
    count += 1;
    const reply = await post(`${maps}?dryRun=All`, configMap(`m${count}`));
    assert.equal(reply.status, 201, reply.text);
    assert.match(warningsOf(reply), /'first' with binding 'first': you may not judge"$/);
    const asked = authorizer.asked.filter(({ verb }) => verb === 'judge');
    assert.deepEqual(asked.map(({ name, resource }) => `${resource}/${name}`).sort(), [
      'things/no',
      'things/ok',
      'things/var',
    ]);
  });

  describe('as documentation teaches them', () => {
    before(() => makeStages({ post }));
    for (const example of validatingExamples) {
      test(example.title, () => tryExample(example, { inForce, post }));
    }
  });

  test('connections are judged by what they ask for', async () => {
    const pods = '/api/v1/namespaces/default/pods';
    const pod = (name: string): JsonObject => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    });
    for (const name of ['open', 'shut']) {
      assert.equal((await post(pods, pod(name))).status, 201);
    }
    const connect = (resource: string): JsonObject => ({
      matchConstraints: { resourceRules: [ruleOf(resource, ['CONNECT'])] },
    });
    await inForce(
      policyOf('shells', '', {
        ...connect('/v1/pods/exec'),
        validations: [
          { expression: "!object.command.exists(c, c.endsWith('sh'))", message: 'no shells' },
          {
            expression:
              "oldObject == null && request.operation == 'CONNECT' && object.kind == 'PodExecOptions'",
          },
        ],
      }),
      policyOf('streams', '', {
        ...connect('/v1/pods/*'),
        matchConditions: [{ name: 'shut', expression: "request.name == 'shut'" }],
        validations: [
          { expression: 'false', messageExpression: "'no ' + request.subResource + ' here'" },
        ],
      }),
      policyOf('proxied', '', {
        ...connect('/v1/services/proxy'),
        validations: [{ expression: "!object.path.startsWith('/admin')" }],
      }),
      ...['shells', 'streams', 'proxied'].map((name) => bindingOf(name)),
    );
    const said = async (method: string, place: string): Promise<readonly [number, string]> => {
      const { body, status } = await server.request(method, place);
      return [status, String(body['message'])];
    };
    const exec = `${pods}/open/exec?stdout=true&container=c`;
    const [status, words] = await said('POST', `${exec}&command=/bin/sh`);
    assert.equal(status, 422);
    assert.equal(
      words,
      "pods \"open\" is forbidden: ValidatingAdmissionPolicy 'shells' with binding 'shells' " +
        'denied request: no shells',
    );
    // They come to what is behind admission: the pod is on no node.
    for (const method of ['GET', 'POST']) {
      assert.match((await said(method, `${exec}&command=ls`))[1], /pod open does not have a host/);
    }
    for (const [place, below] of [
      ['exec?command=ls&stdout=true', 'exec'],
      ['attach?stdout=true', 'attach'],
      ['portforward?ports=80', 'portforward'],
      ['proxy/x', 'proxy'],
    ] as const) {
      assert.match(
        (await said('GET', `${pods}/shut/${place}`))[1],
        new RegExp(`no ${below} here$`),
      );
    }
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web' },
      spec: { ports: [{ port: 80 }] },
    };
    const services = '/api/v1/namespaces/default/services';
    assert.equal((await post(services, service)).status, 201);
    assert.equal((await said('GET', `${services}/web:80/proxy/admin/x`))[0], 422);
    assert.match((await said('GET', `${services}/web:80/proxy/public`))[1], /no endpoints/);
    for (const name of ['open', 'shut']) {
      await server.request('DELETE', `${pods}/${name}?gracePeriodSeconds=0`);
    }
  });

  test('what is cluster-scoped has no namespace object', async () => {
    await inForce(
      policyOf('cluster', '/v1/namespaces', {
        validations: [{ expression: 'namespaceObject == null && object.metadata.name != "no"' }],
      }),
      bindingOf('cluster'),
    );
    const named = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    assert.equal((await post('/api/v1/namespaces', named('yes'))).status, 201);
    assert.equal((await post('/api/v1/namespaces', named('no'))).status, 422);
  });

  test('deletions are judged by what there was', async () => {
    const resourceRules = [ruleOf('/v1/configmaps', ['DELETE'])];
    const validations = [{ expression: 'object == null && !has(oldObject.data)' }];
    await inForce(
      policyOf('keeps', '', { matchConstraints: { resourceRules }, validations }),
      bindingOf('keeps'),
    );
    await post(maps, configMap('kept', { keep: 'x' }));
    await post(maps, configMap('lost'));
    assert.equal((await server.request('DELETE', `${maps}/kept`)).status, 422);
    assert.equal((await server.request('DELETE', `${maps}/lost`)).status, 200);
  });

  test('a scale is judged as a Scale', async () => {
    await inForce(
      policyOf('scales', 'apps/v1/deployments/scale', {
        validations: [{ expression: "object.kind == 'Scale' && object.spec.replicas <= 3" }],
      }),
      bindingOf('scales'),
    );
    const place = '/apis/apps/v1/namespaces/default/deployments';
    assert.equal((await post(place, deployment('web', 9))).status, 201);
    const scaled = (replicas: number) =>
      server.request('PATCH', `${place}/web/scale`, {
        body: JSON.stringify({ spec: { replicas } }),
        headers: { 'content-type': 'application/merge-patch+json' },
      });
    const refused = await scaled(4);
    assert.equal(refused.status, 422, refused.text);
    assert.match(String(refused.body['message']), /^deployments.apps "web" is forbidden: /);
    assert.equal((await scaled(2)).status, 200);
  });

  test('a policy cannot keep anybody from taking it away', async () => {
    const everything = {
      apiGroups: ['*'],
      apiVersions: ['*'],
      resources: ['*/*'],
      operations: ['*'],
    };
    await inForce(
      policyOf('no', '', {
        matchConstraints: { resourceRules: [everything] },
        validations: [{ expression: 'false' }],
      }),
      bindingOf('no'),
    );
    assert.notEqual(await refusal(), undefined);
    const review = await post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { nonResourceAttributes: { path: '/', verb: 'get' } },
    });
    assert.equal(review.status, 201, review.text);
    await clear();
    assert.equal(await refusal(), undefined);
  });

  test('selectors of a binding narrow its policy, and excluded resources are left alone', async () => {
    const resourceRules = [ruleOf('/v1/configmaps')];
    const excludeResourceRules = [{ ...ruleOf('/v1/configmaps'), resourceNames: ['spared'] }];
    await inForce(
      policyOf('narrow', '', {
        matchConstraints: { resourceRules, excludeResourceRules },
        validations: [{ expression: 'false' }],
      }),
      bindingOf('narrow', {
        matchResources: { objectSelector: { matchLabels: { strict: 'yes' } } },
      }),
    );
    assert.equal(await refusal(), undefined);
    assert.notEqual(await refusal({}, { strict: 'yes' }), undefined);
    assert.equal((await post(maps, configMap('spared', {}, { strict: 'yes' }))).status, 201);
  });

  test('the budget of all expressions ends them', async () => {
    const list = `[${'1,'.repeat(100)}1]`;
    const nested = `${list}.all(a, ${list}.all(b, ${list}.all(c, a + b + c == 3)))`;
    await inForce(
      policyOf('endless', '/v1/configmaps', { validations: [{ expression: nested }] }),
      bindingOf('endless'),
    );
    const reply = await refusal();
    assert.match(String(reply?.body['message']), /actual cost limit exceeded/);
  });

  describe('with params', () => {
    const kind = { apiVersion: 'v1', kind: 'ConfigMap' };
    const validations = [{ expression: 'size(object.data) <= int(params.data.most)' }];
    const limits = (name: string, most: string, labels: JsonObject = {}) =>
      post('/api/v1/namespaces/limits/configmaps', configMap(name, { most }, labels));
    const inDefault = { resourceRules: [ruleOf('/v1/configmaps')] };
    const matchResources = {
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } },
    };
    const bound = (paramRef: JsonObject) => [
      policyOf('limited', '', { paramKind: kind, matchConstraints: inDefault, validations }),
      bindingOf('limited', { matchResources, paramRef }),
    ];
    before(async () => {
      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'limits' } };
      assert.equal((await post('/api/v1/namespaces', namespace)).status, 201);
    });

    test('by name, and as they are now', async () => {
      await limits('one', '1');
      await inForce(
        ...bound({ name: 'one', namespace: 'limits', parameterNotFoundAction: 'Deny' }),
      );
      assert.equal(await refusal({ a: 'x' }), undefined);
      assert.notEqual(await refusal({ a: 'x', b: 'x' }), undefined);
      const patch = { body: JSON.stringify({ data: { most: '2' } }) };
      const headers = { 'content-type': 'application/merge-patch+json' };
      await server.request('PATCH', '/api/v1/namespaces/limits/configmaps/one', {
        ...patch,
        headers,
      });
      await server.running.parts.streams.waitUntilCurrent();
      assert.equal(await refusal({ a: 'x', b: 'x' }), undefined);
    });

    test('by selector: all of them have to be met', async () => {
      await limits('wide', '3', { pick: 'me' });
      await limits('tight', '1', { pick: 'me' });
      const selector = { matchLabels: { pick: 'me' } };
      await inForce(...bound({ selector, namespace: 'limits', parameterNotFoundAction: 'Deny' }));
      assert.equal(await refusal({ a: 'x' }), undefined);
      assert.notEqual(await refusal({ a: 'x', b: 'x' }), undefined);
    });

    test('none found is refused, or allowed, as the binding says', async () => {
      const none = { name: 'none', namespace: 'limits' };
      await inForce(...bound({ ...none, parameterNotFoundAction: 'Deny' }));
      const reply = await refusal();
      assert.ok(
        String(reply?.body['message']).endsWith(
          "ValidatingAdmissionPolicy 'limited' with binding 'limited' denied request: failed to " +
            'configure binding: no params found for policy binding with `Deny` ' +
            'parameterNotFoundAction',
        ),
        reply?.text,
      );
      await clear();
      await inForce(...bound({ ...none, parameterNotFoundAction: 'Allow' }));
      assert.equal(await refusal(), undefined);
    });

    test('of a kind that is not served', async () => {
      const paramKind = { apiVersion: 'rules.example.com/v1', kind: 'Limit' };
      await inForce(
        policyOf('unknown', '/v1/configmaps', { paramKind, validations }),
        bindingOf('unknown', { paramRef: { name: 'a', parameterNotFoundAction: 'Allow' } }),
      );
      const reply = await refusal();
      assert.ok(
        String(reply?.body['message']).endsWith(
          "ValidatingAdmissionPolicy 'unknown' denied request: failed to configure policy: failed " +
            "to find resource referenced by paramKind: 'rules.example.com/v1, Kind=Limit'",
        ),
        reply?.text,
      );
    });

    test('of a kind that users define', async () => {
      const names = { plural: 'limits', group: 'rules.example', kind: 'Limit' };
      await established(server, definition({ ...names, scope: 'Cluster' }));
      await post('/apis/rules.example/v1/limits', {
        apiVersion: 'rules.example/v1',
        kind: 'Limit',
        metadata: { name: 'tiny' },
        spec: { most: 0 },
      });
      await inForce(
        policyOf('custom', '/v1/configmaps', {
          paramKind: { apiVersion: 'rules.example/v1', kind: 'Limit' },
          validations: [{ expression: 'size(object.data) <= params.spec.most' }],
        }),
        bindingOf('custom', { paramRef: { name: 'tiny', parameterNotFoundAction: 'Deny' } }),
      );
      assert.notEqual(await refusal({ a: 'x' }), undefined);
    });

    test('without a reference they are null', async () => {
      await inForce(
        policyOf('nulls', '/v1/configmaps', {
          paramKind: kind,
          validations: [{ expression: 'params == null' }],
        }),
        bindingOf('nulls'),
      );
      assert.equal(await refusal(), undefined);
    });
  });

  const typeWarnings = async (name: string): Promise<readonly JsonObject[]> => {
    let status: JsonObject = {};
    while (status['observedGeneration'] === undefined) {
      status = part((await server.request('GET', `${policies}/${name}`)).body, 'status');
    }
    assert.equal(status['observedGeneration'], 1);
    return objects(part(status, 'typeChecking'), 'expressionWarnings');
  };

  test('the status says whether the expressions fit the kinds', async () => {
    await inForce(
      policyOf('typed', 'apps/v1/deployments', {
        validations: [
          { expression: 'object.replicas > 1' },
          { expression: 'object.spec.replicas > 1' },
        ],
      }),
    );
    assert.deepEqual(await typeWarnings('typed'), [
      {
        fieldRef: 'spec.validations[0].expression',
        warning:
          `apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'replicas'\n` +
          ' | object.replicas > 1\n | ......^\n',
      },
    ]);
  });

  test('quantities have no type, so the status takes fields of them for unknown', async () => {
    const expression = 'object.spec.containers.all(c, has(c.resources.limits))';
    await inForce(policyOf('amounts', '/v1/pods', { validations: [{ expression }] }));
    const [found] = await typeWarnings('amounts');
    assert.equal(
      found?.['warning'],
      `/v1, Kind=Pod: ERROR: <input>:1:34: undefined field 'limits'\n` +
        ` | ${expression}\n | ${'.'.repeat(33)}^\n`,
    );
  });

  test('checks are counted under the names of the reference', async () => {
    await inForce(
      policyOf('counted', '/v1/configmaps', {
        matchConditions: [{ name: 'some', expression: 'has(object.data)' }],
        validations: [{ expression: 'false' }],
      }),
      bindingOf('counted'),
    );
    await refusal();
    await refusal({ c: 'x' });
    const { text } = await server.request('GET', '/metrics');
    const check =
      /apiserver_validating_admission_policy_check_total\{[^}]*"deny"[^}]*policy="counted"[^}]*\} 1/;
    assert.match(text, check);
    const excluded =
      /apiserver_admission_match_condition_exclusions_total\{[^}]*name="counted"[^}]*\} 1/;
    assert.match(text, excluded);
  });
});
