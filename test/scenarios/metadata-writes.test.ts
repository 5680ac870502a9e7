/** What a write may say of metadata that is not its client's, in each of its forms: the answers and
 * the texts are those that clients know (spec 1, sections 2.2, 2.7, 4.4). */
import { absent } from '../support/checks/partial-equal.ts';
import { runScenarios } from '../support/checks/scenario.ts';
import type { Scenario, Step } from '../support/checks/scenario.ts';
import { podSpec, workloadSpec } from '../support/data/valid-objects.ts';

const maps = '/api/v1/namespaces/$ns/configmaps';
const pods = '/api/v1/namespaces/$ns/pods';
const deployments = '/apis/apps/v1/namespaces/$ns/deployments';
const leases = '/apis/coordination.$domain/v1/namespaces/$ns/leases';
const merge = { 'content-type': 'application/merge-patch+json' };
const json = { 'content-type': 'application/json-patch+json' };
const applied = { 'content-type': 'application/apply-patch+yaml' };
const save = { rv: 'metadata.resourceVersion', uid: 'metadata.uid' };

const createMap: Step = {
  request: `POST ${maps}`,
  body: { metadata: { name: 'm' }, data: { x: '1' } },
  status: 201,
  save,
};
const unchanged: Step = {
  request: `GET ${maps}/m`,
  status: 200,
  expect: { metadata: { resourceVersion: '$rv', uid: '$uid' }, data: { x: '1' } },
};

const unnamed = /^the name of the object \(\S+ based on URL\) was undeterminable: name must be/;

const names: Scenario = {
  title: 'a body says its name, in PUT, in what a patch leaves, in an apply that creates',
  steps: [
    createMap,
    ...['', 'null', '{"name":""}', '{"name":null}'].map((metadata): Step => ({
      request: `PUT ${maps}/m`,
      body: metadata === '' ? '{"data":{}}' : `{"metadata":${metadata},"data":{}}`,
      status: 400,
      reason: 'BadRequest',
      message: unnamed,
    })),
    {
      request: `PUT ${leases}/new`,
      body: { metadata: {}, spec: {} },
      status: 400,
      message: unnamed,
    },
    {
      request: `PATCH ${maps}/m`,
      headers: merge,
      body: { metadata: { name: null } },
      status: 400,
      message: unnamed,
    },
    {
      request: `PATCH ${maps}/m`,
      headers: json,
      body: [{ op: 'remove', path: '/metadata/name' }],
      status: 400,
      message: unnamed,
    },
    {
      request: `PATCH ${maps}/m`,
      headers: merge,
      body: { metadata: { name: 'n' } },
      status: 400,
      message: 'the name of the object (n) does not match the name on the URL (m)',
    },
    {
      request: `PATCH ${maps}/m`,
      headers: merge,
      body: { metadata: { namespace: 'other' } },
      status: 400,
      message:
        'the namespace of the provided object does not match the namespace sent on the request',
    },
    {
      request: `PATCH ${maps}/new?fieldManager=a`,
      headers: applied,
      body: { apiVersion: 'v1', kind: 'ConfigMap', data: {} },
      status: 400,
      message: unnamed,
    },
    unchanged,
  ],
};

/** Metadata that no write changes, by the member of it that is told. */
const immutable: readonly [string, object][] = [
  ['deletionTimestamp', { deletionTimestamp: '2030-01-01T00:00:00Z' }],
  ['deletionGracePeriodSeconds', { deletionGracePeriodSeconds: 0 }],
  ['deletionGracePeriodSeconds', { deletionGracePeriodSeconds: 30 }],
];

function refusesImmutable(step: (metadata: object) => Step): readonly Step[] {
  return immutable.map(([name, metadata]) => ({
    ...step(metadata),
    status: 422,
    reason: 'Invalid',
    message: new RegExp(`^ConfigMap "m" is invalid: metadata\\.${name}: .*: field is immutable$`),
    expect: { details: { causes: [{ field: `metadata.${name}` }] } },
  }));
}

const fixed: Scenario = {
  title: 'a deletion that nobody has asked for, or another uid, is told to be immutable',
  steps: [
    createMap,
    ...refusesImmutable((metadata) => ({
      request: `PUT ${maps}/m`,
      body: { metadata: { name: 'm', ...metadata }, data: { x: '2' } },
      status: 422,
    })),
    ...[{ uid: 'another' }, ...immutable.map(([, metadata]) => metadata)].flatMap(
      (metadata): Step[] => {
        const message = /metadata\.(?:uid|deletion\w+): Invalid value: .*: field is immutable$/;
        const body = { metadata, data: { x: '2' } };
        const intent = { apiVersion: 'v1', kind: 'ConfigMap', ...body };
        const ask = `PATCH ${maps}/m`;
        const named = { ...intent, metadata: { name: 'm', ...metadata } };
        const forced = `${ask}?fieldManager=a&force=true`;
        return [
          { request: ask, headers: merge, body, status: 422, message },
          { request: `${ask}?fieldManager=a`, headers: applied, body: named, status: 409 },
          { request: forced, headers: applied, body: named, status: 422, message },
        ];
      },
    ),
    {
      request: `PUT ${maps}/m`,
      body: {
        metadata: {
          name: 'm',
          uid: '$uid',
          creationTimestamp: '2001-01-01T00:00:00Z',
          generation: 7,
          deletionTimestamp: null,
          deletionGracePeriodSeconds: null,
        },
        data: { x: '1' },
      },
      status: 200,
      expect: { metadata: { generation: absent, deletionTimestamp: absent } },
    },
    unchanged,
  ],
};

const versions: Scenario = {
  title: 'a kind that is not overwritten unseen demands a version of a patch, too',
  steps: [
    { request: `POST ${leases}`, body: { metadata: { name: 'l' }, spec: {} }, status: 201 },
    ...[null, '', '0'].map((resourceVersion): Step => ({
      request: `PATCH ${leases}/l`,
      headers: merge,
      body: { metadata: { resourceVersion }, spec: { holderIdentity: 'a' } },
      status: 422,
      reason: 'Invalid',
      message:
        'leases.coordination.$domain "l" is invalid: metadata.resourceVersion: ' +
        'Invalid value: 0x0: must be specified for an update',
    })),
    {
      request: `PATCH ${leases}/l`,
      headers: json,
      body: [{ op: 'remove', path: '/metadata/resourceVersion' }],
      status: 422,
    },
    {
      request: `PATCH ${leases}/l`,
      headers: merge,
      body: { spec: { holderIdentity: 'a' } },
      status: 200,
    },
    createMap,
    {
      request: `PATCH ${maps}/m`,
      headers: merge,
      body: { metadata: { resourceVersion: null }, data: { x: '2' } },
      status: 200,
    },
  ],
};

const creations: Scenario = {
  title: 'POST takes the version 0, and owners of fields that say nothing',
  steps: [
    ...[
      { resourceVersion: '0' },
      { resourceVersion: '' },
      { managedFields: [{}] },
      { managedFields: [] },
      { managedFields: [{ manager: 'x' }] },
    ].map((metadata, i): Step => ({
      request: `POST ${maps}?fieldManager=maker`,
      body: { metadata: { name: `n${i}`, ...metadata }, data: { x: '1' } },
      status: 201,
      expect: { metadata: { managedFields: [{ manager: 'maker', operation: 'Update' }] } },
    })),
    {
      request: `POST ${maps}`,
      body: { metadata: { name: 'o', resourceVersion: '1' } },
      status: 400,
      message: /resourceVersion should not be set on objects to be created/,
    },
  ],
};

const owner = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' };
const duplicates = (when: string): RegExp =>
  new RegExp(
    `^299 - "\\.metadata\\.ownerReferences contains duplicate entries${when}; API server dedups ` +
      'owner references in 1\\.20\\+, .*; please fix your requests; duplicate UID\\(s\\) ' +
      'observed: u, u"$',
  );

const owners: Scenario = {
  title: 'owners that are named twice are dropped with the warning that clients know',
  steps: [
    {
      request: `POST ${maps}?dryRun=All`,
      body: { metadata: { name: 'm', ownerReferences: [owner, owner, owner] } },
      status: 201,
      expect: { metadata: { ownerReferences: [owner] } },
      headersExpected: { warning: duplicates('') },
    },
    createMap,
    {
      request: `PUT ${maps}/m?dryRun=All`,
      body: { metadata: { name: 'm', ownerReferences: [owner, owner, owner] } },
      status: 200,
      headersExpected: { warning: duplicates('') },
    },
    {
      request: `PATCH ${maps}/m?dryRun=All`,
      headers: merge,
      body: { metadata: { ownerReferences: [owner, owner, { ...owner, name: 'o' }, owner] } },
      status: 200,
      expect: { metadata: { ownerReferences: [owner, { ...owner, name: 'o' }] } },
      headersExpected: { warning: duplicates(' after mutating admission happens') },
    },
    {
      request: `POST ${maps}`,
      body: { metadata: { name: 'b', ownerReferences: [{ ...owner, uid: '' }] } },
      status: 422,
      message:
        'ConfigMap "b" is invalid: metadata.ownerReferences.uid: ' +
        'Invalid value: "": must not be empty',
    },
  ],
};

const deletions: Scenario = {
  title: 'a DELETE with a body does what that says, whatever the query says; null says nothing',
  steps: [
    createMap,
    {
      request: `DELETE ${maps}/m?propagationPolicy=nonsense&gracePeriodSeconds=x&uid=other`,
      body: { kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['All'] },
      status: 200,
    },
    { request: `DELETE ${maps}/m?dryRun=All`, body: {}, status: 200 },
    { request: `DELETE ${maps}/m?uid=other`, status: 409 },
    unchanged,
    { request: `DELETE ${maps}/m?propagationPolicy=nonsense`, body: '[]', status: 400 },
    { request: `DELETE ${maps}/m?propagationPolicy=nonsense`, body: 'null', status: 200 },
    { request: `GET ${maps}/m`, status: 404 },
    { request: `DELETE ${maps}?propagationPolicy=nonsense`, body: 'null', status: 200 },
  ],
};

const statuses: Scenario = {
  title: 'a status takes the metadata that its kind takes there',
  steps: [
    { request: `POST ${pods}`, body: { metadata: { name: 'p' }, spec: podSpec() }, status: 201 },
    {
      request: `POST ${deployments}`,
      body: { metadata: { name: 'd', labels: { l: '1' } }, spec: workloadSpec() },
      status: 201,
    },
    {
      request: `PATCH ${deployments}/d/status?fieldManager=s`,
      headers: merge,
      body: { metadata: { labels: { l: '2' }, annotations: { a: '1' } }, status: { replicas: 1 } },
      status: 200,
      expect: {
        metadata: { labels: { l: '1' }, annotations: { a: '1' }, generation: 1 },
        status: { replicas: 1 },
      },
    },
    {
      request: `PATCH ${pods}/p/status`,
      headers: merge,
      body: {
        metadata: {
          labels: { l: '2' },
          ownerReferences: [owner],
          deletionTimestamp: '2030-01-01T00:00:00Z',
        },
        status: { message: 'm' },
      },
      status: 200,
      expect: {
        metadata: { labels: { l: '2' }, ownerReferences: absent, deletionTimestamp: absent },
        status: { message: 'm' },
      },
    },
    {
      request: `PATCH ${deployments}/d/status`,
      headers: merge,
      body: { metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } },
      status: 422,
      message: /metadata\.deletionTimestamp: .*: field is immutable$/,
    },
  ],
};

const generations: Scenario = {
  title:
    'the generation of a pod counts what changes in its spec; of a deployment, annotations too',
  steps: [
    {
      request: `POST ${pods}`,
      body: { metadata: { name: 'p', generation: 9 }, spec: podSpec() },
      status: 201,
      expect: { metadata: { generation: 1 } },
    },
    ...[
      [{ metadata: { labels: { l: '1' }, annotations: { a: '1' }, generation: 9 } }, 1],
      [{ spec: { activeDeadlineSeconds: 50 } }, 2],
      [{ spec: { activeDeadlineSeconds: 50 } }, 2],
      [{ spec: { activeDeadlineSeconds: 40 } }, 3],
    ].map(([body, generation]): Step => ({
      request: `PATCH ${pods}/p`,
      headers: merge,
      body: body as object,
      status: 200,
      expect: { metadata: { generation } },
    })),
    {
      request: `PATCH ${pods}/p/status`,
      headers: merge,
      body: { status: { message: 'm' } },
      status: 200,
      expect: { metadata: { generation: 3 } },
    },
    {
      request: `POST ${deployments}`,
      body: { metadata: { name: 'd' }, spec: workloadSpec() },
      status: 201,
      expect: { metadata: { generation: 1 } },
    },
    ...[
      [{ metadata: { labels: { l: '1' } } }, 1],
      [{ metadata: { annotations: { a: '1' } } }, 2],
      [{ metadata: { annotations: { a: '1' } } }, 2],
      [{ metadata: { annotations: null } }, 3],
      [{ metadata: { annotations: {} } }, 3],
    ].map(([body, generation]): Step => ({
      request: `PATCH ${deployments}/d`,
      headers: merge,
      body: body as object,
      status: 200,
      expect: { metadata: { generation } },
    })),
  ],
};

const operations: Scenario = {
  title: 'what is done to a pod says the name of the pod',
  steps: [
    { request: `POST ${pods}`, body: { metadata: { name: 'p' }, spec: podSpec() }, status: 201 },
    ...[{}, { name: 'other' }].flatMap((metadata): Step[] => [
      {
        request: `POST ${pods}/p/eviction`,
        body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata },
        status: 400,
        message: 'name in URL does not match name in Eviction object',
      },
      {
        request: `POST ${pods}/p/binding`,
        body: { metadata, target: { name: 'n' } },
        status: 400,
        message: 'name in URL does not match name in Binding object',
      },
    ]),
    { request: `GET ${pods}/p`, status: 200, expect: { spec: { nodeName: absent } } },
  ],
};

runScenarios('writes of metadata', [
  names,
  fixed,
  versions,
  creations,
  owners,
  deletions,
  statuses,
  generations,
  operations,
]);
