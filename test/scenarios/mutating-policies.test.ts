/** Mutating admission policies over HTTP, behind their gate. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { objects, part, text } from '../../src/apimachinery/members.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { definition, established } from '../support/data/custom-definitions.ts';
import { mutatingExamples } from '../support/data/policy-examples.ts';
import {
  bindingOf,
  mutatingBindingOf,
  mutatingPolicyOf,
  policiesOn,
  policyOf,
} from '../support/data/policy-objects.ts';
import { makeStages, tryExample } from '../support/data/policy-tries.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';

const pods = '/api/v1/namespaces/default/pods';
const maps = '/api/v1/namespaces/default/configmaps';

const pod = (name: string, spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'app', image: 'app:1' }], ...spec },
});
const configMap = (name: string, labels: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels },
});

const applies = (expression: string): JsonObject => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
});
const patches = (expression: string): JsonObject => ({
  patchType: 'JSONPatch',
  jsonPatch: { expression },
});
/** Adds a label. */
const labels = (name: string, value = `'yes'`): JsonObject =>
  applies(`Object{metadata: Object.metadata{labels: {'${name}': ${value}}}}`);

describe('mutating admission policies', () => {
  let server: TestServer;
  const { clear, inForce, post } = policiesOn(() => server);
  before(async () => {
    server = await startTestServer({
      'feature-gates': 'MutatingAdmissionPolicy=true',
      'runtime-config': 'admissionregistration.k8s.io/v1alpha1=true',
    });
  });
  after(() => server.remove());
  afterEach(clear);

  const labelsOf = (object: JsonObject): JsonObject => part(part(object, 'metadata'), 'labels');

  test('a sidecar is merged into a pod by its name', async () => {
    const sidecar = `Object{spec: Object.spec{initContainers: [
      Object.spec.initContainers{name: "mesh", image: "mesh:1", restartPolicy: "Always"}]}}`;
    await inForce(
      mutatingPolicyOf('sidecar', '/v1/pods', {
        matchConditions: [
          {
            name: 'not-there',
            expression: "!object.spec.?initContainers.orValue([]).exists(c, c.name == 'mesh')",
          },
        ],
        mutations: [applies(sidecar)],
      }),
      mutatingBindingOf('sidecar'),
    );
    const made = await post(pods, pod('a', { initContainers: [{ name: 'own', image: 'i' }] }));
    assert.equal(made.status, 201, made.text);
    const names = objects(part(made.body, 'spec'), 'initContainers').map((c) => text(c, 'name'));
    assert.deepEqual(names.sort(), ['mesh', 'own']);
    const [mesh] = objects(part(made.body, 'spec'), 'initContainers').filter(
      (container) => text(container, 'name') === 'mesh',
    );
    assert.equal(mesh?.['terminationMessagePath'], '/dev/termination-log', 'it has its defaults');
  });

  test('what it would replace as a whole is named by its place', async () => {
    const sidecar = `Object{spec: Object.spec{initContainers: [
      Object.spec.initContainers{name: "mesh", image: "mesh:1", command: ["run"], args: ["x"]}]}}`;
    const policy = mutatingPolicyOf('whole', '/v1/pods', { mutations: [applies(sidecar)] });
    await inForce(policy, mutatingBindingOf('whole'));
    const refused = await post(pods, pod('whole'));
    assert.equal(refused.status, 403, refused.text);
    const places = '.spec.initContainers[0].args, .spec.initContainers[0].command';
    assert.equal(
      refused.body['message'],
      "policy 'whole' with binding 'whole' denied request: error applying patch: invalid " +
        `ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${places}`,
    );
  });

  describe('as documentation teaches them', () => {
    before(() => makeStages({ post }));
    for (const example of mutatingExamples) {
      test(example.title, () => tryExample(example, { inForce, post }));
    }
  });

  test('each mutation sees what the one before it has left, and what validates sees all', async () => {
    await inForce(
      mutatingPolicyOf('chain', '/v1/configmaps', {
        mutations: [
          labels('one'),
          patches(`[JSONPatch{op: "add", path: "/metadata/labels/two",
            value: object.metadata.labels.one + "!"}]`),
        ],
      }),
      mutatingBindingOf('chain'),
      policyOf('sees', '/v1/configmaps', {
        validations: [{ expression: "object.metadata.labels.two == 'yes!'" }],
      }),
      bindingOf('sees'),
    );
    const made = await post(maps, configMap('chained'));
    // A label value takes no exclamation mark: what policies make obeys the rules of the kind.
    assert.equal(made.status, 422, made.text);
    assert.match(made.text, /metadata\.labels/);
  });

  test('a test that fails changes nothing', async () => {
    await inForce(
      mutatingPolicyOf('tests', '/v1/configmaps', {
        mutations: [
          patches(`[JSONPatch{op: "test", path: "/metadata/name", value: "other"},
            JSONPatch{op: "add", path: "/metadata/labels", value: {"a": "b"}}]`),
        ],
      }),
      mutatingBindingOf('tests'),
    );
    const made = await post(maps, configMap('tested'));
    assert.equal(made.status, 201, made.text);
    assert.deepEqual(labelsOf(made.body), {});
  });

  test('an error refuses the write where the failure policy says so', async () => {
    const mutations = [applies('Object{spec: Object.spec{nope: 1}}')];
    await inForce(mutatingPolicyOf('wrong', '/v1/pods', { mutations }), mutatingBindingOf('wrong'));
    const refused = await post(pods, pod('b'));
    assert.equal(refused.status, 403, refused.text);
    assert.equal(
      refused.body['message'],
      "policy 'wrong' with binding 'wrong' denied request: error applying patch: failed to " +
        'convert patch object to typed object: .spec.nope: field not declared in schema',
    );
    await clear();
    await inForce(
      mutatingPolicyOf('ignored', '/v1/pods', { mutations, failurePolicy: 'Ignore' }),
      mutatingBindingOf('ignored'),
    );
    assert.equal((await post(pods, pod('b'))).status, 201);
  });

  test('a mutation that fails keeps no other of its policy from being made', async () => {
    const mutations = [
      labels('before'),
      patches('[JSONPatch{op: "remove", path: "/metadata/labels/nope"}]'),
      labels('behind'),
    ];
    await inForce(
      mutatingPolicyOf('some', '/v1/configmaps', { mutations, failurePolicy: 'Ignore' }),
      mutatingBindingOf('some'),
    );
    const made = await post(maps, configMap('some'));
    assert.deepEqual(labelsOf(made.body), { before: 'yes', behind: 'yes' }, made.text);
  });

  test('each mutation that fails is a cause', async () => {
    const wrong = (name: string) => applies(`Object{data: Object.${name}{a: "b"}}`);
    await inForce(
      mutatingPolicyOf('two', '/v1/configmaps', { mutations: [wrong('x'), wrong('y')] }),
      mutatingBindingOf('two'),
    );
    const refused = await post(maps, configMap('two'));
    assert.equal(refused.status, 403, refused.text);
    const why = (name: string) =>
      "policy 'two' with binding 'two' denied request: type mismatch: unexpected type name " +
      `"Object.${name}", expected "Object.data", which matches field name path from root Object type`;
    assert.equal(refused.body['message'], why('x'));
    const causes = objects(part(refused.body, 'details'), 'causes');
    assert.deepEqual(causes, [{ message: why('x') }, { message: why('y') }]);
  });

  test('a policy that cannot be configured refuses with 403, before what fails', async () => {
    const paramKind = { apiVersion: 'nobody.example/v1', kind: 'Nothing' };
    const mutations = [labels('a')];
    await inForce(
      mutatingPolicyOf('a-fails', '/v1/configmaps', {
        mutations: [applies('Object{data: Object.x{a: "b"}}')],
      }),
      mutatingBindingOf('a-fails'),
      mutatingPolicyOf('unset', '/v1/configmaps', { mutations, paramKind }),
      mutatingBindingOf('unset', { paramRef: { name: 'x', parameterNotFoundAction: 'Deny' } }),
    );
    const refused = await post(maps, configMap('unset'));
    assert.equal(refused.status, 403, refused.text);
    assert.equal(
      refused.body['message'],
      'policy "unset" denied request: failed to configure policy: failed to find resource ' +
        "referenced by paramKind: 'nobody.example/v1, Kind=Nothing'",
    );
    assert.equal(objects(part(refused.body, 'details'), 'causes').length, 2);
  });

  test('params and variables', async () => {
    const params = { ...configMap('marks'), data: { mark: 'blue' } };
    assert.equal((await post(maps, params)).status, 201);
    await inForce(
      mutatingPolicyOf('marks', '/v1/pods', {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        variables: [{ name: 'mark', expression: 'params.data.mark' }],
        mutations: [labels('mark', 'variables.mark')],
      }),
      mutatingBindingOf('marks', { paramRef: { name: 'marks', parameterNotFoundAction: 'Deny' } }),
    );
    const made = await post(pods, pod('marked'));
    assert.deepEqual(labelsOf(made.body), { mark: 'blue' });
  });

  test('an object of a kind that users define', async () => {
    const names = { plural: 'lamps', group: 'shop.example', kind: 'Lamp' };
    await established(server, definition(names));
    await inForce(
      mutatingPolicyOf('lamps', 'shop.example/v1/lamps', {
        mutations: [patches('[JSONPatch{op: "add", path: "/spec", value: {"watts": 5}}]')],
      }),
      mutatingBindingOf('lamps'),
    );
    const made = await post('/apis/shop.example/v1/namespaces/default/lamps', {
      apiVersion: 'shop.example/v1',
      kind: 'Lamp',
      metadata: { name: 'a' },
    });
    assert.deepEqual(part(made.body, 'spec'), { watts: 5 }, made.text);
  });

  test('one that wants to runs again when a later one has changed the object', async () => {
    const counts = patches(`[JSONPatch{op: "add", path: "/metadata/labels/count", value:
      string(int(object.metadata.?labels[?'count'].orValue("0")) + 1)}]`);
    const again = { reinvocationPolicy: 'IfNeeded', mutations: [counts] };
    await inForce(
      mutatingPolicyOf('again', '/v1/configmaps', again),
      mutatingBindingOf('again'),
      mutatingPolicyOf('later', '/v1/configmaps', { mutations: [labels('later')] }),
      mutatingBindingOf('later'),
    );
    const made = await post(maps, configMap('counted', { own: 'x' }));
    assert.equal(made.status, 201, made.text);
    assert.deepEqual(labelsOf(made.body), { own: 'x', count: '2', later: 'yes' });
  });

  test('a dry run shows what would be stored, and stores nothing', async () => {
    await inForce(
      mutatingPolicyOf('shown', '/v1/configmaps', { mutations: [labels('shown')] }),
      mutatingBindingOf('shown'),
    );
    const shown = await post(`${maps}?dryRun=All`, configMap('dry'));
    assert.deepEqual(labelsOf(shown.body), { shown: 'yes' });
    assert.equal((await server.request('GET', `${maps}/dry`)).status, 404);
  });

  test('the fields that a policy adds are nobody’s, as those that a webhook adds', async () => {
    await inForce(
      mutatingPolicyOf('owned', '/v1/configmaps', { mutations: [labels('owned')] }),
      mutatingBindingOf('owned'),
    );
    const made = await post(`${maps}?fieldManager=me`, { ...configMap('owned'), data: { k: 'v' } });
    assert.deepEqual(labelsOf(made.body), { owned: 'yes' });
    const [entry] = objects(part(made.body, 'metadata'), 'managedFields');
    assert.equal(entry?.['manager'], 'me');
    assert.deepEqual(entry['fieldsV1'], { 'f:data': { '.': {}, 'f:k': {} } });
  });
});

test('without the gate they are not served', async () => {
  const server = await startTestServer({
    'runtime-config': 'admissionregistration.k8s.io/v1alpha1=true',
  });
  try {
    const place = '/apis/admissionregistration.k8s.io/v1alpha1/mutatingadmissionpolicies';
    assert.equal((await server.request('GET', place)).status, 404);
  } finally {
    await server.remove();
  }
});
