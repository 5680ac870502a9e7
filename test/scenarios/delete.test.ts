/** Delete: finalizers, grace, preconditions, collections (spec 1, 2.7 and 3.1). */
import assert from 'node:assert/strict';
import { absent } from '../support/checks/partial-equal.ts';
import { runScenarios } from '../support/checks/scenario.ts';
import type { Scenario, Step } from '../support/checks/scenario.ts';
import { podSpec, workloadSpec } from '../support/data/valid-objects.ts';

const configmaps = '/api/v1/namespaces/$ns/configmaps';
const pods = '/api/v1/namespaces/$ns/pods';
const deployments = '/apis/apps/v1/namespaces/$ns/deployments';

function create(collection: string, body: object): Step {
  return {
    request: `POST ${collection}`,
    body,
    status: 201,
    save: { uid: 'metadata.uid', rv: 'metadata.resourceVersion' },
  };
}

function names(expected: readonly string[]) {
  return { items: expected.map((name) => ({ metadata: { name } })) };
}

const answers: Scenario = {
  title: 'a removed object is answered with a Status, or with itself where the kind does that',
  steps: [
    create(configmaps, { metadata: { name: 'a' } }),
    {
      request: `DELETE ${configmaps}/a`,
      status: 200,
      expect: {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Success',
        details: { name: 'a', kind: 'configmaps', uid: '$uid', group: absent },
        code: absent,
      },
    },
    create(deployments, { metadata: { name: 'd' }, spec: workloadSpec() }),
    {
      request: `DELETE ${deployments}/d`,
      status: 200,
      expect: { kind: 'Status', details: { name: 'd', group: 'apps', kind: 'deployments' } },
    },
    create(pods, { metadata: { name: 'p' }, spec: podSpec() }),
    {
      request: `DELETE ${pods}/p`,
      status: 200,
      expect: { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'p', uid: '$uid' } },
    },
  ],
};

const oneEvent: Scenario = {
  title: 'without finalizers there is one DELETED event and nothing before it',
  steps: [
    create(configmaps, { metadata: { name: 'a' }, data: { k: 'v' } }),
    { request: `DELETE ${configmaps}/a`, status: 200 },
    {
      request: `GET ${configmaps}?watch=1&resourceVersion=$rv&timeoutSeconds=1`,
      status: 200,
      check: (reply, variables) => {
        const events = reply.text.trim().split('\n');
        assert.equal(events.length, 1, reply.text);
        const event = JSON.parse(events[0] ?? '') as {
          type: string;
          object: { data: object; metadata: { resourceVersion: string } };
        };
        assert.equal(event.type, 'DELETED');
        assert.deepEqual(event.object.data, { k: 'v' });
        const before = BigInt(variables.get('rv') ?? '');
        assert(BigInt(event.object.metadata.resourceVersion) > before, 'its own version');
      },
    },
  ],
};

const finalizers: Scenario = {
  title: 'finalizers hold an object until the last one is gone',
  steps: [
    create(deployments, {
      metadata: { name: 'd', finalizers: ['x.io/a', 'x.io/b'] },
      spec: workloadSpec({ replicas: 1 }),
    }),
    {
      request: `DELETE ${deployments}/d`,
      status: 200,
      expect: {
        kind: 'Deployment',
        metadata: {
          name: 'd',
          deletionTimestamp: /Z$/,
          deletionGracePeriodSeconds: 0,
          generation: 2,
          finalizers: ['x.io/a', 'x.io/b'],
        },
      },
      save: { marked: 'metadata.resourceVersion', at: 'metadata.deletionTimestamp' },
    },
    {
      request: `DELETE ${deployments}/d`,
      status: 200,
      expect: { metadata: { resourceVersion: '$marked', deletionTimestamp: '$at' } },
    },
    {
      request: `POST ${deployments}`,
      body: { metadata: { name: 'd' }, spec: workloadSpec() },
      status: 409,
      reason: 'AlreadyExists',
      message: 'object is being deleted: deployments.apps "d" already exists',
    },
    {
      request: `PUT ${deployments}/d`,
      body: {
        metadata: { name: 'd', finalizers: ['x.io/a', 'x.io/b', 'x.io/c'] },
        spec: workloadSpec(),
      },
      status: 422,
      reason: 'Invalid',
      message:
        'Deployment.apps "d" is invalid: metadata.finalizers: Forbidden: no new finalizers can ' +
        'be added if the object is being deleted, found new finalizers []string{"x.io/c"}',
      expect: { details: { causes: [{ reason: 'FieldValueForbidden' }] } },
    },
    {
      request: `PUT ${deployments}/d`,
      body: {
        metadata: { name: 'd', finalizers: ['x.io/b'] },
        spec: workloadSpec({ replicas: 1 }),
      },
      status: 200,
      expect: { metadata: { finalizers: ['x.io/b'], deletionTimestamp: '$at' } },
    },
    {
      request: `PUT ${deployments}/d`,
      body: { metadata: { name: 'd' }, spec: workloadSpec({ replicas: 1 }) },
      status: 200,
      expect: { kind: 'Deployment', metadata: { name: 'd', finalizers: absent } },
    },
    { request: `GET ${deployments}/d`, status: 404, reason: 'NotFound' },
    {
      request: `GET ${deployments}?watch=1&resourceVersion=$marked&timeoutSeconds=1`,
      status: 200,
      check: (reply) => {
        const types = [...reply.text.matchAll(/^ ?{"type":"(\w+)"/gm)].map((found) => found[1]);
        assert.deepEqual(types, ['MODIFIED', 'DELETED']);
      },
    },
  ],
};

const preconditions: Scenario = {
  title: 'a precondition that does not hold is a conflict and deletes nothing',
  steps: [
    create(configmaps, { metadata: { name: 'a' } }),
    {
      request: `DELETE ${configmaps}/a`,
      body: { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid: 'other' } },
      status: 409,
      reason: 'Conflict',
      message:
        /^Operation cannot be fulfilled on configmaps "a": the UID in the precondition \(other\) does not match the UID in record \(.*\)/,
    },
    {
      request: `DELETE ${configmaps}/a`,
      body: { preconditions: { resourceVersion: '1' } },
      status: 409,
      reason: 'Conflict',
      message: /the ResourceVersion in the precondition \(1\) does not match/,
    },
    { request: `GET ${configmaps}/a`, status: 200 },
    {
      request: `DELETE ${configmaps}/a`,
      body: { preconditions: { uid: '$uid', resourceVersion: '$rv' } },
      status: 200,
    },
  ],
};

const podGrace: Scenario = {
  title: 'a pod on a node waits for its grace period; a later delete may only shorten it',
  steps: [
    create(pods, {
      metadata: { name: 'p' },
      spec: podSpec({ nodeName: 'n', terminationGracePeriodSeconds: 600 }),
    }),
    {
      request: `DELETE ${pods}/p`,
      status: 200,
      expect: {
        kind: 'Pod',
        metadata: { deletionGracePeriodSeconds: 600, deletionTimestamp: /Z$/ },
      },
      save: { marked: 'metadata.resourceVersion' },
    },
    {
      request: `DELETE ${pods}/p?gracePeriodSeconds=700`,
      status: 200,
      expect: { metadata: { deletionGracePeriodSeconds: 600, resourceVersion: '$marked' } },
    },
    {
      request: `DELETE ${pods}/p`,
      body: { gracePeriodSeconds: 60 },
      status: 200,
      expect: { metadata: { deletionGracePeriodSeconds: 60 } },
    },
    {
      request: `DELETE ${pods}/p?gracePeriodSeconds=-5`,
      status: 200,
      expect: { metadata: { deletionGracePeriodSeconds: 1 } },
    },
    {
      request: `DELETE ${pods}/p?gracePeriodSeconds=0&dryRun=All`,
      status: 200,
      expect: { kind: 'Pod', metadata: { deletionGracePeriodSeconds: 0 } },
    },
    {
      request: `DELETE ${pods}/p?gracePeriodSeconds=0`,
      status: 200,
      expect: { kind: 'Pod', metadata: { deletionGracePeriodSeconds: 0 } },
    },
    { request: `GET ${pods}/p`, status: 404, reason: 'NotFound' },
    {
      request: `GET ${pods}?watch=1&resourceVersion=$marked&timeoutSeconds=1`,
      status: 200,
      check: (reply) => {
        const events = reply.text.trim().split('\n');
        const shown = events.map((line) => {
          const { type, object } = JSON.parse(line) as {
            type: string;
            object: { metadata: { deletionGracePeriodSeconds: number } };
          };
          return `${type} ${object.metadata.deletionGracePeriodSeconds}`;
        });
        assert.deepEqual(shown, ['MODIFIED 60', 'MODIFIED 1', 'MODIFIED 0', 'DELETED 0']);
      },
    },
    create(pods, { metadata: { name: 'unbound' }, spec: podSpec() }),
    {
      request: `DELETE ${pods}/unbound?gracePeriodSeconds=9`,
      status: 200,
      expect: { metadata: { deletionGracePeriodSeconds: 0, deletionTimestamp: /Z$/ } },
    },
    create(pods, { metadata: { name: 'q' }, spec: podSpec({ nodeName: 'n' }) }),
    {
      request: `DELETE ${pods}/q?gracePeriodSeconds=40`,
      body: { gracePeriodSeconds: 50 },
      status: 200,
      expect: { metadata: { deletionGracePeriodSeconds: 50 } },
    },
    create(pods, { metadata: { name: 'r' }, spec: podSpec({ nodeName: 'n' }) }),
    {
      request: `DELETE ${pods}/r`,
      status: 200,
      expect: { metadata: { deletionGracePeriodSeconds: 30 } },
    },
    create(pods, { metadata: { name: 'ended' }, spec: podSpec({ nodeName: 'n' }) }),
    {
      request: `PUT ${pods}/ended/status`,
      body: { metadata: { name: 'ended' }, status: { phase: 'Succeeded' } },
      status: 200,
    },
    { request: `DELETE ${pods}/ended?gracePeriodSeconds=90`, status: 200 },
    { request: `GET ${pods}/ended`, status: 404, reason: 'NotFound' },
  ],
};

const options: Scenario = {
  title: 'delete options that make no sense are refused',
  steps: [
    create(configmaps, { metadata: { name: 'a', finalizers: ['x.io/a'] } }),
    ...[
      ['propagationPolicy=Nope', /propagationPolicy: Unsupported value: "Nope"/],
      ['propagationPolicy=Orphan&orphanDependents=true', /cannot be both set/],
      ['dryRun=Some', /dryRun: Unsupported value: .*supported values: "All"/],
      [
        'ignoreStoreReadErrorWithClusterBreakingPotential=true&gracePeriodSeconds=1',
        /cannot be set together with \.gracePeriodSeconds/,
      ],
    ].map(([query, message]): Step => ({
      request: `DELETE ${configmaps}/a?${String(query)}`,
      status: 422,
      reason: 'Invalid',
      message: message,
      expect: { details: { kind: 'DeleteOptions', group: 'meta.$domain' } },
    })),
    {
      request: `DELETE ${configmaps}/a?gracePeriodSeconds=soon`,
      status: 400,
      reason: 'BadRequest',
    },
    {
      request: `DELETE ${configmaps}/a`,
      body: { ignoreStoreReadErrorWithClusterBreakingPotential: true },
      status: 400,
      reason: 'BadRequest',
      message: /configmaps "a" can be read/,
    },
    {
      request: `DELETE ${configmaps}/a`,
      body: { kind: 'ConfigMap' },
      status: 400,
      reason: 'BadRequest',
    },
    {
      request: `DELETE ${configmaps}/a`,
      body: { gracePeriodSeconds: 'soon' },
      status: 400,
      reason: 'BadRequest',
    },
    {
      request: `GET ${configmaps}/a`,
      status: 200,
      expect: { metadata: { deletionTimestamp: absent, resourceVersion: '$rv' } },
    },
    { request: `DELETE ${configmaps}/a?orphanDependents=false`, status: 202 },
    { request: `DELETE ${configmaps}/a?propagationPolicy=Background`, status: 200 },
  ],
};

const collection: Scenario = {
  title: 'deletecollection deletes what its selectors match, page by page',
  steps: [
    ...['a', 'b', 'c', 'd', 'e'].map((name) =>
      create(configmaps, { metadata: { name, labels: { half: 'ab'.includes(name) ? '1' : '2' } } }),
    ),
    {
      request: `DELETE ${configmaps}?labelSelector=half%3D1`,
      status: 200,
      expect: { metadata: { continue: absent } },
    },
    { request: `GET ${configmaps}`, status: 200, expect: names(['c', 'd', 'e']) },
    { request: `DELETE ${configmaps}?fieldSelector=metadata.name%3Dd`, status: 200 },
    { request: `GET ${configmaps}`, status: 200, expect: names(['c', 'e']) },
    create(configmaps, { metadata: { name: 'f', finalizers: ['x.io/a'] } }),
    {
      request: `DELETE ${configmaps}?limit=2`,
      status: 200,
      save: { token: 'metadata.continue' },
    },
    { request: `GET ${configmaps}`, status: 200, expect: names(['f']) },
    {
      request: `DELETE ${configmaps}?limit=2&continue=$token`,
      status: 200,
      expect: { metadata: { continue: absent } },
    },
    {
      request: `GET ${configmaps}`,
      status: 200,
      expect: { items: [{ metadata: { name: 'f', deletionTimestamp: /Z$/ } }] },
    },
    { request: `DELETE ${configmaps}?labelSelector=a%3D%3D%3Db`, status: 400 },
    {
      request: `DELETE ${configmaps}?fieldSelector=spec.nope%3Dx`,
      status: 400,
      reason: 'BadRequest',
      message:
        '"spec.nope" is not a known field selector: only "metadata.name", "metadata.namespace"',
    },
  ],
};

/** What the object carries after a delete with these options, held by a finalizer of its own. */
const policyRows: readonly (readonly [
  held: readonly string[],
  query: string,
  finalizers: readonly string[],
  status: number,
])[] = [
  [[], '', [], 200],
  [[], 'propagationPolicy=Background', [], 200],
  [[], 'propagationPolicy=Foreground', ['foregroundDeletion'], 200],
  [[], 'propagationPolicy=Orphan', ['orphan'], 200],
  [[], 'orphanDependents=true', ['orphan'], 200],
  [[], 'orphanDependents=false', [], 202],
  [['orphan'], '', ['orphan'], 200],
  [['foregroundDeletion'], '', ['foregroundDeletion'], 200],
  [['orphan'], 'propagationPolicy=Background', [], 200],
  [['orphan'], 'propagationPolicy=Foreground', ['foregroundDeletion'], 200],
  [['foregroundDeletion'], 'propagationPolicy=Orphan', ['orphan'], 200],
  [['foregroundDeletion'], 'orphanDependents=false', [], 202],
];

const policies: Scenario = {
  title: 'the policy of a delete decides which finalizer tells the collector what to do',
  steps: policyRows.flatMap(([held, query, finalizers, status], row): Step[] => [
    create(configmaps, { metadata: { name: `p${row}`, finalizers: ['x.io/hold', ...held] } }),
    {
      request: `DELETE ${configmaps}/p${row}?${query}`,
      status,
      expect: { metadata: { finalizers: ['x.io/hold', ...finalizers], deletionTimestamp: /Z$/ } },
    },
  ]),
};

const jobs = '/apis/batch/v1/namespaces/$ns/jobs';
const podsStay = /^299 - "child pods are preserved by default when jobs are deleted; set prop/;

/** Whose pods stay unless the delete says otherwise. */
const jobWarnings: Scenario = {
  title: 'a delete of a job that leaves the fate of its pods open is answered with a warning',
  steps: [
    [`${jobs}/a`, undefined, podsStay],
    [`${jobs}/b?propagationPolicy=Orphan`, undefined, null],
    [`${jobs}/c`, { propagationPolicy: 'Background' }, null],
    [`${jobs}/d?orphanDependents=false`, undefined, null],
    [jobs, undefined, podsStay],
    [`${configmaps}/a`, undefined, null],
  ].flatMap(([target, body, warning]): Step[] => {
    const path = String(target).split('?')[0] ?? '';
    const name = path.endsWith('jobs') ? 'e' : (path.split('/').at(-1) ?? '');
    const template = { spec: { containers: [{ name: 'c', image: 'i' }], restartPolicy: 'Never' } };
    return [
      create(path.startsWith(configmaps) ? configmaps : jobs, {
        metadata: { name },
        ...(path.startsWith(configmaps) ? {} : { spec: { template } }),
      }),
      {
        request: `DELETE ${String(target)}`,
        body: body as object | undefined,
        status: 200,
        headersExpected: { warning: warning as RegExp | null },
      },
    ];
  }),
};

const again: Scenario = {
  title: 'a delete of what is being deleted may change its policy, not bring it back',
  steps: [
    create(configmaps, { metadata: { name: 'a', finalizers: ['x.io/hold'] } }),
    {
      request: `DELETE ${configmaps}/a?propagationPolicy=Orphan`,
      status: 200,
      save: { at: 'metadata.deletionTimestamp' },
    },
    {
      request: `DELETE ${configmaps}/a?propagationPolicy=Foreground&dryRun=All`,
      status: 200,
      expect: { metadata: { finalizers: ['x.io/hold', 'foregroundDeletion'] } },
    },
    {
      request: `DELETE ${configmaps}/a?propagationPolicy=Background`,
      status: 200,
      expect: { metadata: { finalizers: ['x.io/hold'], deletionTimestamp: '$at' } },
    },
    {
      request: `DELETE ${configmaps}?propagationPolicy=Foreground&dryRun=All`,
      status: 200,
      expect: { kind: 'Status', status: 'Success' },
    },
    {
      request: `GET ${configmaps}/a`,
      status: 200,
      expect: { metadata: { finalizers: ['x.io/hold'] } },
    },
    {
      request: `DELETE ${configmaps}`,
      body: { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Foreground' },
      status: 200,
    },
    // The collector takes its finalizer off by itself: nothing depends on the object.
    {
      request: `GET ${configmaps}/a`,
      status: 200,
      expect: { metadata: { deletionTimestamp: '$at' } },
    },
  ],
};

const events: Scenario = {
  title: 'an event owns nothing: no policy holds it',
  steps: [
    create('/api/v1/namespaces/$ns/events', {
      metadata: { name: 'e' },
      involvedObject: { namespace: '$ns' },
    }),
    {
      request: 'DELETE /api/v1/namespaces/$ns/events/e?propagationPolicy=Foreground',
      status: 200,
      expect: { kind: 'Status', status: 'Success' },
    },
    { request: 'GET /api/v1/namespaces/$ns/events/e', status: 404 },
  ],
};

runScenarios('delete', [
  policies,
  jobWarnings,
  again,
  events,
  answers,
  oneEvent,
  finalizers,
  preconditions,
  podGrace,
  options,
  collection,
]);
