/** Namespaces: what exists from the start, what they forbid, how they end (spec 1, 1.8 and 3.1). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { identityOf } from '../../src/apimachinery/identity.ts';
import { absent } from '../support/checks/partial-equal.ts';
import { runScenarios } from '../support/checks/scenario.ts';
import type { Scenario, Step } from '../support/checks/scenario.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { ApiClient } from '../support/servers/test-server.ts';
import { podSpec, workloadSpec } from '../support/data/valid-objects.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-restart');

const held = { metadata: { name: 'held', finalizers: ['x.io/hold'] } };

const defaults: Scenario = {
  title: 'the default namespaces exist, and three of them cannot be deleted',
  steps: [
    ...['default', 'kube-system', 'kube-public'].flatMap((name): Step[] => [
      {
        request: `GET /api/v1/namespaces/${name}`,
        status: 200,
        expect: {
          metadata: { labels: { '$labelDomain/metadata.name': name } },
          spec: { finalizers: ['$finalizer'] },
          status: { phase: 'Active' },
        },
      },
      {
        request: `DELETE /api/v1/namespaces/${name}`,
        status: 403,
        reason: 'Forbidden',
        message: `namespaces "${name}" is forbidden: this namespace may not be deleted`,
      },
      { request: `DELETE /api/v1/namespaces/${name}?dryRun=All`, status: 403, reason: 'Forbidden' },
    ]),
    { request: 'GET /api/v1/namespaces/kube-node-lease', status: 200 },
  ],
};

const label: Scenario = {
  title: 'the name label and the finalizer of a namespace cannot be taken away',
  steps: [
    {
      request: 'PUT /api/v1/namespaces/$ns',
      body: {
        metadata: { name: '$ns', labels: { '$labelDomain/metadata.name': 'other', a: 'b' } },
        spec: {},
      },
      status: 200,
      expect: {
        metadata: { labels: { '$labelDomain/metadata.name': '$ns', a: 'b' } },
        spec: { finalizers: ['$finalizer'] },
        status: { phase: 'Active' },
      },
    },
    {
      request: 'GET /api/v1/namespaces?fieldSelector=status.phase%3DActive,metadata.name%3D$ns',
      status: 200,
      expect: { items: [{ metadata: { name: '$ns' } }] },
    },
    {
      request: 'POST /api/v1/namespaces',
      body: { metadata: { name: 'born-$ns' }, status: { phase: 'Terminating' } },
      status: 201,
      expect: { status: { phase: 'Active' } },
    },
  ],
};

const status: Scenario = {
  title: 'a status write keeps the name label, and cannot invent a phase',
  steps: [
    {
      request: 'PUT /api/v1/namespaces/$ns/status',
      body: { metadata: { name: '$ns', labels: { a: 'b' } }, status: {} },
      status: 200,
      expect: {
        metadata: { labels: { '$labelDomain/metadata.name': '$ns', a: 'b' } },
        status: { phase: 'Active' },
      },
    },
    {
      request: 'PUT /api/v1/namespaces/$ns/status',
      body: { metadata: { name: '$ns' }, status: { phase: 'Terminating' } },
      status: 422,
      reason: 'Invalid',
      message: /status\.Phase: Invalid value: "Terminating": may only be 'Active'/,
    },
    {
      request: 'GET /api/v1/namespaces/$ns',
      status: 200,
      expect: {
        metadata: { labels: { '$labelDomain/metadata.name': '$ns' } },
        status: { phase: 'Active' },
      },
    },
  ],
};

const refusedCreate: Step = {
  request: 'POST /api/v1/namespaces/$ns/configmaps',
  body: { metadata: { name: 'late' } },
  status: 403,
  reason: 'Forbidden',
  message:
    'configmaps "late" is forbidden: unable to create new content in namespace $ns because it ' +
    'is being terminated',
  expect: {
    details: {
      name: 'late',
      kind: 'configmaps',
      causes: [
        {
          reason: 'NamespaceTerminating',
          message: 'namespace $ns is being terminated',
          field: 'metadata.namespace',
        },
      ],
    },
  },
};

const terminating: Scenario = {
  title: 'a terminating namespace takes nothing new, and lets what is in it finish',
  steps: [
    { request: 'POST /api/v1/namespaces/$ns/configmaps', body: held, status: 201 },
    {
      request: 'DELETE /api/v1/namespaces/$ns',
      status: 200,
      expect: {
        kind: 'Namespace',
        metadata: { deletionTimestamp: /Z$/ },
        spec: { finalizers: ['$finalizer'] },
        status: { phase: 'Terminating' },
      },
    },
    refusedCreate,
    { ...refusedCreate, request: `${refusedCreate.request}?dryRun=All` },
    {
      request: 'PUT /api/v1/namespaces/$ns/services/late',
      body: { metadata: { name: 'late' }, spec: { ports: [{ port: 80 }] } },
      status: 403,
      reason: 'Forbidden',
    },
    {
      request: 'POST /api/v1/namespaces',
      body: { metadata: { name: '$ns' } },
      status: 409,
      reason: 'AlreadyExists',
      message: 'object is being deleted: namespaces "$ns" already exists',
    },
    {
      request: 'PUT /api/v1/namespaces/$ns/configmaps/held',
      body: { ...held, data: { still: 'writable' } },
      status: 200,
      expect: { data: { still: 'writable' } },
    },
    {
      request: 'PUT /api/v1/namespaces/$ns/configmaps/held',
      body: { metadata: { name: 'held' } },
      status: 200,
      expect: { metadata: { finalizers: absent } },
    },
  ],
};

const foreign: Scenario = {
  title: 'a finalizer of somebody else holds a namespace until it is taken off by finalize',
  steps: [
    {
      request: 'POST /api/v1/namespaces',
      body: { metadata: { name: 'foreign-$ns' }, spec: { finalizers: ['x.io/mine'] } },
      status: 201,
      expect: { spec: { finalizers: ['x.io/mine', '$finalizer'] } },
    },
    {
      request: 'PUT /api/v1/namespaces/foreign-$ns',
      body: { metadata: { name: 'foreign-$ns' }, spec: { finalizers: [] } },
      status: 200,
      expect: { spec: { finalizers: ['x.io/mine', '$finalizer'] } },
    },
    {
      request: 'PUT /api/v1/namespaces/foreign-$ns/finalize',
      body: { metadata: { name: 'foreign-$ns' }, spec: { finalizers: ['nonsense'] } },
      status: 422,
      reason: 'Invalid',
      message:
        /spec\.finalizers\[0\]: Invalid value: "nonsense": name is neither a standard finalizer/,
    },
    {
      request: 'PUT /api/v1/namespaces/foreign-$ns/finalize',
      body: { metadata: { name: 'foreign-$ns', uid: 'other' }, spec: {} },
      status: 409,
      reason: 'Conflict',
    },
    {
      request: 'PUT /api/v1/namespaces/foreign-$ns/finalize',
      body: {
        metadata: { name: 'foreign-$ns', labels: { team: 'a' } },
        spec: { finalizers: ['x.io/mine'] },
      },
      status: 200,
      expect: { metadata: { labels: { team: 'a', '$labelDomain/metadata.name': 'foreign-$ns' } } },
    },
    { request: 'GET /api/v1/namespaces/foreign-$ns/finalize', status: 405 },
    {
      request: 'DELETE /api/v1/namespaces/foreign-$ns?gracePeriodSeconds=30',
      status: 200,
      expect: { metadata: { deletionGracePeriodSeconds: absent, deletionTimestamp: /Z$/ } },
    },
    {
      request: 'DELETE /api/v1/namespaces/foreign-$ns',
      status: 200,
      expect: { kind: 'Namespace', status: { phase: 'Terminating' } },
    },
    {
      request: 'PUT /api/v1/namespaces/foreign-$ns/finalize?dryRun=All',
      body: { metadata: { name: 'foreign-$ns' }, spec: { finalizers: [] } },
      status: 200,
      expect: { kind: 'Namespace', spec: { finalizers: absent } },
    },
    {
      request: 'PUT /api/v1/namespaces/foreign-$ns/finalize',
      body: { metadata: { name: 'foreign-$ns' }, spec: { finalizers: [] } },
      status: 200,
      expect: { kind: 'Namespace', spec: { finalizers: absent } },
    },
    { request: 'GET /api/v1/namespaces/foreign-$ns', status: 404, reason: 'NotFound' },
  ],
};

runScenarios('namespaces', [defaults, label, status, terminating, foreign]);

/** Polls: the controller works behind the requests. */
async function eventually(
  client: ApiClient,
  target: string,
  holds: (text: string) => boolean,
): Promise<string> {
  for (let attempt = 0; attempt < 8000; attempt += 1) {
    const { text } = await client.request('GET', target);
    if (holds(text)) return text;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return assert.fail(`${target} is not as it should be`);
}

async function eventuallyGone(client: ApiClient, target: string): Promise<void> {
  for (let attempt = 0; attempt < 8000; attempt += 1) {
    if ((await client.request('GET', target)).status === 404) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  assert.fail(`${target} is still there`);
}

test('deletion empties a namespace of every kind, then it disappears', async () => {
  const server = await startTestServer();
  const { request } = server;
  await request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'full' } } });
  const contents = {
    '/api/v1/namespaces/full/configmaps': {},
    '/api/v1/namespaces/full/pods': { spec: podSpec({ nodeName: 'n' }) },
    '/apis/apps/v1/namespaces/full/deployments': { spec: workloadSpec() },
    '/apis/coordination.k8s.io/v1/namespaces/full/leases': {},
  };
  const collections = Object.keys(contents);
  for (const [collection, content] of Object.entries(contents)) {
    for (let i = 0; i < 20; i += 1) {
      const body = { metadata: { name: `o${i}` }, ...content };
      assert.equal((await request('POST', collection, { body })).status, 201);
    }
  }
  await request('POST', '/api/v1/namespaces/full/configmaps', { body: held });
  const other = await request('POST', '/api/v1/namespaces/default/configmaps', {
    body: { metadata: { name: 'stays' } },
  });
  assert.equal(other.status, 201);
  assert.equal((await request('DELETE', '/api/v1/namespaces/full')).status, 200);
  // Pods on a node keep their grace period; a node would end them.
  for (let i = 0; i < 20; i += 1) {
    await request('DELETE', `/api/v1/namespaces/full/pods/o${i}?gracePeriodSeconds=0`);
  }
  assert.equal((await request('GET', '/api/v1/namespaces/full')).status, 200);
  await request('PUT', '/api/v1/namespaces/full/configmaps/held', {
    body: { metadata: { name: 'held' } },
  });
  await eventuallyGone(server, '/api/v1/namespaces/full');
  for (const collection of collections) {
    assert.deepEqual((await request('GET', collection)).body['items'], [], collection);
  }
  assert.equal((await request('GET', '/api/v1/namespaces/default/configmaps/stays')).status, 200);
  const again = await request('POST', '/api/v1/namespaces', {
    body: { metadata: { name: 'full' } },
  });
  assert.equal(again.status, 201, 'the name is free again');
  await server.remove();
});

test('a namespace whose deletion a restart interrupts is emptied after it', async () => {
  const dataDir = directories.make();
  const options = { store: 'lmdb', 'data-dir': dataDir } as const;
  const before = await startTestServer(options);
  await before.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'half' } } });
  await before.request('POST', '/api/v1/namespaces/half/configmaps', { body: held });
  await before.request('DELETE', '/api/v1/namespaces/half');
  await before.stop();

  const after = await startTestServer(options);
  const shown = await after.request('GET', '/api/v1/namespaces/half');
  assert.equal((shown.body['status'] as { phase: string }).phase, 'Terminating');
  await after.request('PUT', '/api/v1/namespaces/half/configmaps/held', {
    body: { metadata: { name: 'held' } },
  });
  await eventuallyGone(after, '/api/v1/namespaces/half');
  await after.stop();
  await directories.removeAll();
});

interface NamespaceCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

for (const [held, namespace] of [
  ['in its metadata', { metadata: { name: 'left', finalizers: ['x.io/mine'] } }],
  ['of its spec', { metadata: { name: 'left' }, spec: { finalizers: ['x.io/mine'] } }],
] as const) {
  test(`an emptied namespace that a finalizer ${held} holds says that it is empty`, async (t) => {
    const server = await startTestServer({ identity: 'kubernetes' });
    t.after(() => server.remove());
    const { request } = server;
    const target = '/api/v1/namespaces/left';
    await request('POST', '/api/v1/namespaces', { body: namespace });
    const pod = { metadata: { name: 'p' }, spec: podSpec({ nodeName: 'n' }) };
    await request('POST', `${target}/pods`, { body: pod });
    await request('DELETE', target);
    await eventually(server, target, (text) => text.includes('pods. has 1'));
    await request('DELETE', `${target}/pods/p?gracePeriodSeconds=0`);
    const finalizer = identityOf('kubernetes').finalizers.namespace;
    const text = await eventually(server, target, (seen) => !seen.includes(`"${finalizer}"`));
    assert.match(text, /"NamespaceContentRemaining","status":"False","reason":"ContentRemoved"/);
    const revision = /"resourceVersion":"\d+"/.exec(text)?.[0] ?? 'none';
    const headers = { 'content-type': 'application/merge-patch+json' };
    const touched = await request('PATCH', target, { headers, body: {} });
    assert(touched.text.includes(revision), 'what the controller wrote has its stored form');
  });
}

test('nothing of a terminating namespace is deleted before its pods are gone', async (t) => {
  const server = await startTestServer({ identity: 'kubernetes' });
  t.after(() => server.remove());
  const { request } = server;
  const target = '/api/v1/namespaces/ordered';
  await request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'ordered' } } });
  await request('POST', `${target}/configmaps`, { body: { metadata: { name: 'c' } } });
  const pod = { metadata: { name: 'p', finalizers: ['x.io/hold'] }, spec: podSpec() };
  assert.equal((await request('POST', `${target}/pods`, { body: pod })).status, 201);
  await request('DELETE', target);
  await eventually(server, `${target}/pods/p`, (text) => text.includes('"deletionTimestamp"'));
  const shown = await eventually(server, target, (text) => text.includes('pods. has 1'));
  assert.match(shown, /remaining: pods\. has 1 resource instances"/);
  assert.match(shown, /finalizers remaining: x\.io\/hold in 1 resource instances"/);
  const kept = await request('GET', `${target}/configmaps/c`);
  assert.equal(kept.status, 200);
  assert.doesNotMatch(kept.text, /deletionTimestamp/);

  const headers = { 'content-type': 'application/merge-patch+json' };
  await request('PATCH', `${target}/pods/p`, { headers, body: { metadata: { finalizers: null } } });
  await eventuallyGone(server, target);
  assert.equal((await request('GET', `${target}/configmaps/c`)).status, 404);
});

test('the conditions of a terminating namespace say what is left, and why', async () => {
  const server = await startTestServer();
  const { request } = server;
  await request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'said' } } });
  await request('POST', '/api/v1/namespaces/said/configmaps', { body: held });
  const secret = { metadata: { name: 's', finalizers: ['x.io/hold', 'x.io/other'] } };
  await request('POST', '/api/v1/namespaces/said/secrets', { body: secret });
  await request('DELETE', '/api/v1/namespaces/said');
  let conditions: readonly NamespaceCondition[] = [];
  for (let attempt = 0; attempt < 8000 && conditions.length === 0; attempt += 1) {
    const { status } = (await request('GET', '/api/v1/namespaces/said')).body;
    conditions = (status as { conditions?: NamespaceCondition[] }).conditions ?? [];
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const said = conditions.map((each) => [each.type, each.status, each.reason, each.message]);
  assert.deepEqual(said, [
    [
      'NamespaceDeletionDiscoveryFailure',
      'False',
      'ResourcesDiscovered',
      'All resources successfully discovered',
    ],
    [
      'NamespaceDeletionGroupVersionParsingFailure',
      'False',
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ],
    [
      'NamespaceDeletionContentFailure',
      'False',
      'ContentDeleted',
      'All content successfully deleted, may be waiting on finalization',
    ],
    [
      'NamespaceContentRemaining',
      'True',
      'SomeResourcesRemain',
      'Some resources are remaining: configmaps. has 1 resource instances, ' +
        'secrets. has 1 resource instances',
    ],
    [
      'NamespaceFinalizersRemaining',
      'True',
      'SomeFinalizersRemain',
      'Some content in the namespace has finalizers remaining: ' +
        'x.io/hold in 2 resource instances, x.io/other in 1 resource instances',
    ],
  ]);
  await request('PUT', '/api/v1/namespaces/said/secrets/s', { body: { metadata: { name: 's' } } });
  await request('PUT', '/api/v1/namespaces/said/configmaps/held', {
    body: { metadata: { name: 'held' } },
  });
  await eventuallyGone(server, '/api/v1/namespaces/said');
  await server.remove();
});
