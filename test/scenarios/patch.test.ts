/** PATCH over HTTP: each format, what is refused, and races (spec 1, section 4.4). */
import assert from 'node:assert/strict';
import { absent, present } from '../support/checks/partial-equal.ts';
import { runScenarios } from '../support/checks/scenario.ts';
import type { Scenario, Step } from '../support/checks/scenario.ts';

const maps = '/api/v1/namespaces/$ns/configmaps';
const deployments = '/apis/apps/v1/namespaces/$ns/deployments';
const json = { 'content-type': 'application/json-patch+json' };
const merge = { 'content-type': 'application/merge-patch+json' };
const strategic = { 'content-type': 'application/strategic-merge-patch+json' };

const createMap: Step = {
  request: `POST ${maps}`,
  body: { metadata: { name: 'm', labels: { a: '1' } }, data: { x: '1', y: '2' } },
  status: 201,
  save: { rv: 'metadata.resourceVersion', uid: 'metadata.uid' },
};

const createDeployment: Step = {
  request: `POST ${deployments}`,
  body: {
    metadata: { name: 'd' },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'd' } },
      template: {
        metadata: { labels: { app: 'd' } },
        spec: {
          containers: [
            { name: 'one', image: 'a:1', env: [{ name: 'K', value: 'v' }] },
            { name: 'two', image: 'b:1' },
          ],
        },
      },
    },
  },
  status: 201,
};

/** A patch with a field that there is not, and one that comes twice. */
function validation(headers: Readonly<Record<string, string>>, body: string): readonly Scenario[] {
  const type = headers['content-type'];
  const patch = (mode: string, more: Partial<Step>): Scenario => ({
    title: `${type}: fieldValidation ${mode} of what the kind does not have`,
    steps: [
      createMap,
      { request: `PATCH ${maps}/m?fieldValidation=${mode}`, headers, body, status: 200, ...more },
    ],
  });
  const kept = { datum: absent, data: { x: '2' } };
  const warned = /unknown field \\"datum\\".*duplicate field \\".*x\\"/;
  return [
    patch('Strict', {
      status: 400,
      reason: 'BadRequest',
      message:
        /strict decoding error: unknown field "datum", (?:json patch )?duplicate field ".*x"/,
    }),
    patch('Warn', { expect: kept, headersExpected: { warning: warned } }),
    patch('Ignore', { expect: kept, headersExpected: { warning: null } }),
    patch('Maybe', { status: 422, reason: 'Invalid' }),
  ];
}

/** A strategic patch of the containers of a deployment: who is there before and after. */
function containersOrder(before: string, order: string, patch: string, after: string): Scenario {
  const items = (names: string): object[] =>
    names.split(' ').map((name) => {
      if (name.startsWith('-')) return { $patch: 'delete', name: name.slice(1) };
      return { name, image: 'a:1' };
    });
  const named = (names: string): object[] => names.split(' ').map((name) => ({ name }));
  const template = { metadata: { labels: { app: 'o' } }, spec: { containers: items(before) } };
  const spec = { selector: { matchLabels: { app: 'o' } }, template };
  const change = { containers: items(patch), '$setElementOrder/containers': named(order) };
  return {
    title: `containers ${before}, patched with ${patch} in the order ${order}, are ${after}`,
    steps: [
      { request: `POST ${deployments}`, body: { metadata: { name: 'o' }, spec }, status: 201 },
      {
        request: `PATCH ${deployments}/o`,
        headers: strategic,
        body: { spec: { template: { spec: change } } },
        status: 200,
        expect: { spec: { template: { spec: { containers: named(after) } } } },
      },
    ],
  };
}

const scenarios: readonly Scenario[] = [
  containersOrder('c1 c2 c4', 'c2 c3', 'c3 -c1', 'c2 c4 c3'),
  containersOrder('c1 c4', 'c2 c3', 'c2 c3 -c1', 'c4 c2 c3'),
  containersOrder('c1 c2', 'c2 c1', 'c2 c1', 'c2 c1'),
  {
    title: 'a merge patch sets, replaces and removes; what it does not name stays',
    steps: [
      createMap,
      {
        request: `PATCH ${maps}/m`,
        headers: merge,
        body: { metadata: { labels: { b: '2' } }, data: { x: null, z: '3' } },
        status: 200,
        expect: {
          kind: 'ConfigMap',
          metadata: { uid: '$uid', labels: { a: '1', b: '2' } },
          data: { x: absent, y: '2', z: '3' },
        },
        save: { patched: 'metadata.resourceVersion' },
      },
      {
        request: `GET ${maps}/m`,
        status: 200,
        expect: { metadata: { resourceVersion: '$patched' }, data: { x: absent, z: '3' } },
      },
    ],
  },
  {
    title: 'a patch that changes nothing makes no new revision',
    steps: [
      createMap,
      {
        request: `PATCH ${maps}/m`,
        headers: merge,
        body: { data: { x: '1' } },
        status: 200,
        expect: { metadata: { resourceVersion: '$rv' } },
      },
      {
        request: `PATCH ${maps}/m`,
        headers: json,
        body: [{ op: 'test', path: '/data/x', value: '1' }],
        status: 200,
        expect: { metadata: { resourceVersion: '$rv' } },
      },
    ],
  },
  {
    title: 'a JSON patch applies all of its operations or none',
    steps: [
      createMap,
      {
        request: `PATCH ${maps}/m`,
        headers: json,
        body: [
          { op: 'test', path: '/metadata/resourceVersion', value: '$rv' },
          { op: 'replace', path: '/data/x', value: 'new' },
          { op: 'remove', path: '/data/y' },
        ],
        status: 200,
        expect: { data: { x: 'new', y: absent } },
        save: { rv2: 'metadata.resourceVersion' },
      },
      {
        request: `PATCH ${maps}/m`,
        headers: json,
        body: [
          { op: 'replace', path: '/data/x', value: 'lost' },
          { op: 'test', path: '/data/x', value: 'something else' },
        ],
        status: 422,
        reason: 'Invalid',
        message: /operation 1 \(test "\/data\/x"\): test failed/,
        // kubectl leaves the message out where the details name something.
        expect: { details: { name: absent, kind: absent, causes: absent } },
      },
      {
        request: `GET ${maps}/m`,
        status: 200,
        expect: { metadata: { resourceVersion: '$rv2' }, data: { x: 'new' } },
      },
    ],
  },
  {
    title: 'a resourceVersion in the patch is a condition: stale is 409, current is not',
    steps: [
      createMap,
      {
        request: `PATCH ${maps}/m`,
        headers: merge,
        body: { metadata: { resourceVersion: '$rv' }, data: { x: '2' } },
        status: 200,
      },
      {
        request: `PATCH ${maps}/m`,
        headers: merge,
        body: { metadata: { resourceVersion: '$rv' }, data: { x: '3' } },
        status: 409,
        reason: 'Conflict',
      },
      {
        request: `PATCH ${maps}/m`,
        headers: merge,
        body: { metadata: { uid: 'another' }, data: { x: '3' } },
        status: 422,
        reason: 'Invalid',
        message:
          'ConfigMap "m" is invalid: metadata.uid: Invalid value: "another": field is immutable',
      },
      { request: `GET ${maps}/m`, status: 200, expect: { data: { x: '2' } } },
    ],
  },
  {
    title: 'a strategic merge patch merges keyed lists by their key',
    steps: [
      createDeployment,
      {
        request: `PATCH ${deployments}/d`,
        headers: strategic,
        body: {
          spec: {
            template: {
              spec: {
                '$setElementOrder/containers': [{ name: 'two' }, { name: 'one' }],
                containers: [{ name: 'one', image: 'a:2' }],
              },
            },
          },
        },
        status: 200,
        expect: { metadata: { generation: 2 } },
        check: (reply) => {
          const object = reply.body as unknown as Deployment;
          const found = object.spec.template.spec.containers;
          assert.deepEqual(
            found.map(({ name, image }) => [name, image]),
            [
              ['two', 'b:1'],
              ['one', 'a:2'],
            ],
          );
          assert.equal(found[1]?.env?.[0]?.value, 'v');
        },
      },
      {
        request: `PATCH ${deployments}/d`,
        headers: strategic,
        body: { spec: { template: { spec: { containers: [{ image: 'nameless' }] } } } },
        status: 422,
        reason: 'Invalid',
        message: /merge key: name/,
        expect: { details: { name: absent, kind: absent, causes: absent } },
      },
      {
        request: `PATCH ${deployments}/d`,
        headers: strategic,
        body: { spec: { $patch: 'explode' } },
        status: 400,
        reason: 'BadRequest',
      },
    ],
  },
  {
    title: 'the status is patched on its own, the rest is not; and the other way round',
    steps: [
      createDeployment,
      {
        request: `PATCH ${deployments}/d/status`,
        headers: merge,
        body: { spec: { replicas: 9 }, status: { replicas: 3 } },
        status: 200,
        expect: { spec: { replicas: 1 }, status: { replicas: 3 }, metadata: { generation: 1 } },
      },
      {
        request: `PATCH ${deployments}/d`,
        headers: merge,
        body: { spec: { replicas: 2 }, status: { replicas: 7 } },
        status: 200,
        expect: { spec: { replicas: 2 }, status: { replicas: 3 }, metadata: { generation: 2 } },
      },
    ],
  },
  {
    title: 'a scale is patched in every format',
    steps: [
      createDeployment,
      {
        request: `PATCH ${deployments}/d/scale`,
        headers: merge,
        body: { spec: { replicas: 4 } },
        status: 200,
        expect: { kind: 'Scale', spec: { replicas: 4 }, metadata: { name: 'd' } },
      },
      {
        request: `PATCH ${deployments}/d/scale`,
        headers: json,
        body: [{ op: 'replace', path: '/spec/replicas', value: 5 }],
        status: 200,
        expect: { spec: { replicas: 5 } },
      },
      {
        request: `PATCH ${deployments}/d/scale`,
        headers: merge,
        body: { spec: { replicas: 5, replica: 6 } },
        status: 200,
        expect: { spec: { replicas: 5 } },
        headersExpected: { warning: /unknown field \\"spec\.replica\\"/ },
      },
      {
        request: `PATCH ${deployments}/d/scale?fieldValidation=Strict`,
        headers: merge,
        body: { spec: { replica: 6 } },
        status: 400,
        message: /unknown field "spec\.replica"/,
      },
      {
        request: `PATCH ${deployments}/d/scale`,
        headers: merge,
        body: { spec: { replicas: -1 } },
        status: 422,
        reason: 'Invalid',
      },
      { request: `GET ${deployments}/d`, status: 200, expect: { spec: { replicas: 5 } } },
    ],
  },
  {
    title: 'what a patch may not change is said, and nothing changes',
    steps: [
      createMap,
      ...[
        { metadata: { name: 'other' } },
        { metadata: { namespace: 'other' } },
        { kind: 'Secret' },
        { apiVersion: 'v2' },
        { metadata: { labels: 'none' } },
      ].map((body): Step => ({
        request: `PATCH ${maps}/m`,
        headers: merge,
        body,
        status: 400,
        reason: 'BadRequest',
      })),
      {
        request: `PATCH ${maps}/m`,
        headers: merge,
        body: { metadata: { labels: { 'not a key!': 'x' } } },
        status: 422,
        reason: 'Invalid',
      },
      { request: `GET ${maps}/m`, status: 200, expect: { metadata: { resourceVersion: '$rv' } } },
    ],
  },
  {
    title: 'a body in another format is 415 with the list of what is taken, a broken one is 400',
    steps: [
      createMap,
      {
        request: `PATCH ${maps}/m`,
        headers: { 'content-type': 'application/json' },
        body: { data: {} },
        status: 415,
        reason: 'UnsupportedMediaType',
        message:
          /json-patch\+json.*merge-patch\+json.*strategic-merge-patch\+json.*apply-patch\+yaml/,
      },
      { request: `PATCH ${maps}/m`, headers: merge, body: '{', status: 400 },
      { request: `PATCH ${maps}/m`, headers: merge, body: '[]', status: 400 },
      { request: `PATCH ${maps}/m`, headers: merge, body: '', status: 400 },
      { request: `PATCH ${maps}/m`, headers: json, body: '{}', status: 400 },
      { request: `PATCH ${maps}/absent`, headers: merge, body: '{}', status: 404 },
      { request: `PATCH ${maps}`, headers: merge, body: '{}', status: 405 },
    ],
  },
  {
    title: 'too many operations are 413',
    steps: [
      createMap,
      {
        request: `PATCH ${maps}/m`,
        headers: json,
        body: new Array(10_001).fill({ op: 'test', path: '/data/x', value: '1' }),
        status: 413,
        reason: 'RequestEntityTooLarge',
        message:
          /^Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001$/,
      },
    ],
  },
  {
    title: 'a JSON patch that copies without end, or nests too deep, is refused',
    steps: [
      {
        request: `POST ${maps}`,
        body: { metadata: { name: 'm' }, data: { x: 'y'.repeat(64 * 1024) } },
        status: 201,
        save: { rv: 'metadata.resourceVersion' },
      },
      {
        request: `PATCH ${maps}/m`,
        headers: json,
        body: Array.from({ length: 60 }, (_, i) => ({
          op: 'copy',
          from: '/data/x',
          path: `/data/x${i}`,
        })),
        status: 422,
        reason: 'Invalid',
        message: /operation \d+ copies more than 3145728 bytes/,
      },
      {
        request: `PATCH ${maps}/m`,
        headers: json,
        body:
          `[{"op":"add","path":"/deep","value":${'{"a":'.repeat(990)}{}${'}'.repeat(990)}},` +
          `${new Array(20).fill('{"op":"copy","from":"/deep","path":"/deep/a"}').join()}]`,
        status: 422,
        reason: 'Invalid',
        message: /nests deeper than 1000 levels/,
      },
      {
        request: `PATCH ${maps}/m`,
        headers: merge,
        body: `{"data":${'{"a":'.repeat(1001)}1${'}'.repeat(1001)}}`,
        status: 400,
        reason: 'BadRequest',
        message: /nests deeper than 1000 levels/,
      },
      { request: `GET ${maps}/m`, status: 200, expect: { metadata: { resourceVersion: '$rv' } } },
    ],
  },
  ...validation(merge, '{"datum":{},"data":{"x":"1","x":"2"}}'),
  ...validation(strategic, '{"datum":{},"data":{"x":"1","x":"2"}}'),
  ...validation(
    json,
    '[{"op":"add","path":"/datum","value":{}},' +
      '{"op":"replace","path":"/data","value":{"x":"1","x":"2"}}]',
  ),
  {
    title: 'a dry run answers as the patch would and changes nothing',
    steps: [
      createMap,
      {
        request: `PATCH ${maps}/m?dryRun=All`,
        headers: merge,
        body: { data: { x: 'dry' } },
        status: 200,
        expect: { data: { x: 'dry' } },
      },
      { request: `GET ${maps}/m`, status: 200, expect: { data: { x: '1' } } },
    ],
  },
  {
    title: 'a patch that takes the last finalizer of a deleted object removes it',
    steps: [
      {
        request: `POST ${maps}`,
        body: { metadata: { name: 'f', finalizers: ['example.com/hold'] } },
        status: 201,
      },
      {
        request: `DELETE ${maps}/f`,
        status: 200,
        expect: { metadata: { deletionTimestamp: present } },
      },
      {
        request: `PATCH ${maps}/f`,
        headers: json,
        body: [{ op: 'remove', path: '/metadata/finalizers' }],
        status: 200,
      },
      { request: `GET ${maps}/f`, status: 404 },
    ],
  },
];

interface Deployment {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly {
          readonly name: string;
          readonly image: string;
          readonly env?: readonly { readonly value: string }[];
        }[];
      };
    };
  };
}

runScenarios('patch', scenarios);
