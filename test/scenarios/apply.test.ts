/** Server-side apply over HTTP: who owns what, conflicts, force (spec 1, sections 3.2 and 4.5). */
import assert from 'node:assert/strict';
import { absent, present } from '../support/checks/partial-equal.ts';
import { runScenarios } from '../support/checks/scenario.ts';
import type { Scenario, Step } from '../support/checks/scenario.ts';
import type { Reply } from '../support/servers/test-server.ts';

const maps = '/api/v1/namespaces/$ns/configmaps';
const deployments = '/apis/apps/v1/namespaces/$ns/deployments';
const applied = { 'content-type': 'application/apply-patch+yaml' };
const merge = { 'content-type': 'application/merge-patch+json' };
const jsonPatch = { 'content-type': 'application/json-patch+json' };

const labels = { app: 'd' };

type Data = Readonly<Record<string, string>>;

/** An apply of a ConfigMap's data by a manager. */
function apply(manager: string, data: Data, more: Partial<Step> & { query?: string } = {}): Step {
  const { query = '', ...step } = more;
  return {
    request: `PATCH ${maps}/m?fieldManager=${manager}${query}`,
    headers: applied,
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' }, data },
    status: 200,
    ...step,
  };
}

interface Managed {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly apiVersion: string;
  readonly time: string;
  readonly fieldsType: string;
  readonly fieldsV1: Readonly<Record<string, object>>;
}

function managedOf(reply: Reply): readonly Managed[] {
  const { metadata } = reply.body as unknown as { metadata: { managedFields?: Managed[] } };
  return metadata.managedFields ?? [];
}

/** `manager operation key,key` of each owner of members of `data`. */
function ownersAre(...expected: readonly string[]): Pick<Step, 'check'> {
  return {
    check: (reply) => {
      const found = managedOf(reply).map(({ manager, operation, fieldsV1 }) => {
        const keys = Object.keys(fieldsV1['f:data'] ?? {}).filter((key) => key !== '.');
        return `${manager} ${operation} ${keys.map((key) => key.slice(2)).join()}`;
      });
      assert.deepEqual(found.sort(), [...expected].sort());
    },
  };
}

const get = (expect: object, more: Partial<Step> = {}): Step => ({
  request: `GET ${maps}/m`,
  status: 200,
  expect,
  ...more,
});

const created = apply('a', { x: '1' }, { status: 201, save: { rv: 'metadata.resourceVersion' } });

/** The rows of the table of field ownership, in its order. */
const table: readonly Scenario[] = [
  {
    title: 'a field of another manager with another value is a conflict, and nothing changes',
    steps: [
      created,
      apply(
        'b',
        { x: '2' },
        {
          status: 409,
          reason: 'Conflict',
          message: 'Apply failed with 1 conflict: conflict with "a": .data.x',
          expect: {
            status: 'Failure',
            details: {
              name: absent,
              kind: absent,
              causes: [
                { reason: 'FieldManagerConflict', message: 'conflict with "a"', field: '.data.x' },
              ],
            },
          },
        },
      ),
      get({ metadata: { resourceVersion: '$rv' }, data: { x: '1' } }, ownersAre('a Apply x')),
    ],
  },
  {
    title: 'forced, the value changes and its owner is the one who forced it',
    steps: [
      created,
      apply(
        'b',
        { x: '2' },
        { query: '&force=true', expect: { data: { x: '2' } }, ...ownersAre('b Apply x') },
      ),
    ],
  },
  {
    title: 'the same value is shared',
    steps: [created, apply('b', { x: '1' }, ownersAre('a Apply x', 'b Apply x'))],
  },
  {
    title: 'a shared field is a conflict for each of its owners',
    steps: [
      created,
      apply('b', { x: '1' }),
      apply('a', { x: '2' }, { status: 409, message: /conflict with "b": .data.x$/ }),
      apply('b', { x: '2' }, { status: 409, message: /conflict with "a": .data.x$/ }),
    ],
  },
  {
    title: 'an owner that leaves a shared field out gives up its claim',
    steps: [
      created,
      apply('b', { x: '1' }),
      apply(
        'b',
        { y: '1' },
        { expect: { data: { x: '1', y: '1' } }, ...ownersAre('a Apply x', 'b Apply y') },
      ),
    ],
  },
  {
    title: 'a field that its only owner leaves out goes, or has its default again',
    steps: [
      created,
      apply('a', { y: '1' }, { expect: { data: { x: absent, y: '1' } } }),
      deploy('a', { replicas: 3 }, 201),
      deploy('a', {}, 200, { expect: { spec: { replicas: 1 } } }),
    ],
  },
  {
    title: 'any other write takes what it changes, whoever owns it',
    steps: [
      apply('a', { x: '1', y: '1' }, { status: 201 }),
      {
        request: `PATCH ${maps}/m?fieldManager=c`,
        headers: merge,
        body: { data: { x: '2' } },
        status: 200,
        ...ownersAre('a Apply y', 'c Update x'),
      },
      apply(
        'a',
        { x: '1', y: '1' },
        {
          status: 409,
          message: 'Apply failed with 1 conflict: conflict with "c" using v1: .data.x',
        },
      ),
      get({}, { save: { now: 'metadata.resourceVersion' } }),
      {
        request: `PUT ${maps}/m?fieldManager=d`,
        body: { metadata: { name: 'm', resourceVersion: '$now' }, data: { x: '2', y: '3' } },
        status: 200,
        ...ownersAre('c Update x', 'd Update y'),
      },
    ],
  },
];

function deploy(manager: string, spec: object, status: number, more: Partial<Step> = {}): Step {
  const containers = [{ name: 'c', image: 'x:1' }];
  return {
    request: `PATCH ${deployments}/d?fieldManager=${manager}`,
    headers: applied,
    body: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd' },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers } },
        ...spec,
      },
    },
    status,
    ...more,
  };
}

const requests: readonly Scenario[] = [
  {
    title: 'an apply creates what is not there, and again changes nothing',
    steps: [
      {
        request: `GET ${maps}/m`,
        status: 404,
      },
      {
        ...created,
        expect: { kind: 'ConfigMap', metadata: { uid: present, creationTimestamp: present } },
        check: (reply) => {
          const [entry] = managedOf(reply);
          assert.deepEqual(
            { ...entry, time: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(entry?.time ?? '') },
            {
              manager: 'a',
              operation: 'Apply',
              apiVersion: 'v1',
              time: true,
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:data': { 'f:x': {} } },
            },
          );
        },
      },
      apply('a', { x: '1' }, { expect: { metadata: { resourceVersion: '$rv' } } }),
      {
        request: `GET ${maps}`,
        status: 200,
        expect: { metadata: { resourceVersion: '$rv' } },
      },
    ],
  },
  {
    title: 'a resourceVersion in an intent is a condition, a uid a field that does not change',
    steps: [
      applyWith({ uid: 'u' }, { status: 409, message: /uid u, and no existing object was found$/ }),
      created,
      applyWith({ uid: 'u' }, { status: 422, message: /metadata\.uid: .*field is immutable$/ }),
      applyWith({ resourceVersion: '1' }, { status: 409, reason: 'Conflict' }),
      applyWith({ resourceVersion: '$rv' }, { status: 200 }),
    ],
  },
  {
    title: 'conflicts with several managers are listed by manager',
    steps: [
      apply('a', { x: '1', y: '1' }, { status: 201 }),
      {
        request: `PATCH ${maps}/m?fieldManager=b`,
        headers: merge,
        body: { data: { z: '1' } },
        status: 200,
      },
      apply(
        'c',
        { x: '2', y: '2', z: '2' },
        {
          status: 409,
          message:
            'Apply failed with 3 conflicts: conflicts with "a":\n- .data.x\n- .data.y\n' +
            'conflicts with "b" using v1:\n- .data.z',
        },
      ),
    ],
  },
  {
    title: 'an apply says who it is; force is for an apply alone',
    steps: [
      {
        ...apply('', {}),
        request: `PATCH ${maps}/m`,
        status: 422,
        message: /fieldManager: Required value: is required for apply patch/,
      },
      apply('a'.repeat(129), {}, { status: 422, message: /may not be more than 128 bytes/ }),
      apply('a%07b', {}, { status: 422, message: /invalid character U\+0007/ }),
      apply('a'.repeat(128), { x: '1' }, { status: 201 }),
      ...[merge, jsonPatch].map((headers): Step => ({
        request: `PATCH ${maps}/m?force=true`,
        headers,
        body: headers === merge ? {} : [],
        status: 422,
        message: /force: Forbidden: may not be specified for non-apply patch/,
      })),
    ],
  },
  {
    title: 'other writes are owned by the User-Agent when they do not say by whom',
    steps: [
      {
        request: `POST ${maps}`,
        headers: { 'user-agent': 'tool/v1.2 (linux)' },
        body: { metadata: { name: 'm' }, data: { x: '1' } },
        status: 201,
        ...ownersAre('tool Update x'),
      },
      {
        request: `PATCH ${maps}/m?fieldManager=named`,
        headers: { ...merge, 'user-agent': 'tool/v1.2' },
        body: { data: { y: '1' } },
        status: 200,
        ...ownersAre('tool Update x', 'named Update y'),
      },
    ],
  },
  {
    title: 'an intent is an object of the URL, without managedFields',
    steps: [
      ...[[{ manager: 'x' }], []].map((managedFields) =>
        applyWith({ managedFields }, { status: 400, message: /managedFields must be nil/ }),
      ),
      ...[
        { kind: 'ConfigMap', metadata: { name: 'm' } },
        { apiVersion: 'v1', metadata: { name: 'm' } },
        ...['', null].map((kind) => ({ apiVersion: 'v1', kind, metadata: { name: 'm' } })),
        { apiVersion: 'v2', kind: 'ConfigMap', metadata: { name: 'm' } },
        { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'm' } },
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'other' } },
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm', namespace: 'other' } },
      ].map((body): Step => ({ ...apply('a', {}), body, status: 400, reason: 'BadRequest' })),
      { ...apply('a', {}), body: '[]', status: 400 },
      { ...apply('a', {}), body: '{ not: [yaml', status: 400 },
      { ...apply('a', {}), body: '', status: 400 },
      { request: `GET ${maps}/m`, status: 404 },
    ],
  },
  {
    title: 'an intent comes in YAML or in JSON, which is YAML too',
    steps: [
      {
        ...apply('a', {}),
        body: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: m\ndata:\n  x: "1"\n',
        status: 201,
        expect: { data: { x: '1' } },
      },
      {
        ...apply('a', {}),
        body: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m"},"data":{"x":"2"}}',
        expect: { data: { x: '2' } },
      },
    ],
  },
  {
    title: 'an intent that makes no valid object is refused',
    steps: [
      { ...deploy('a', {}, 422), body: deploymentWithout(), reason: 'Invalid' },
      created,
      apply('a', { 'not a key': '1' }, { query: '&fieldValidation=Ignore', status: 422 }),
      applyWith({ labels: { 'not a key!': 'x' } }, { status: 422, reason: 'Invalid' }),
      applyWith({ labels: { k: 1 } }, { status: 400 }),
    ],
  },
  {
    title: 'unknown and duplicate fields of an intent are refused, warned about or ignored',
    steps: [
      ...(['Strict', 'Warn', 'Ignore'] as const).map((mode): Step => {
        const warned = /unknown field \\"sizes\\"/;
        const refused = { status: 400, message: / \.sizes: field not declared in schema$/ };
        return {
          request: `PATCH ${maps}/m?fieldManager=a&fieldValidation=${mode}`,
          headers: applied,
          body: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\nsizes: 1\ndata: {x: "1"}\n',
          ...(mode === 'Strict' ? refused : { status: mode === 'Warn' ? 201 : 200 }),
          headersExpected: { warning: mode === 'Warn' ? warned : null },
        };
      }),
      {
        request: `PATCH ${maps}/m?fieldManager=a&fieldValidation=Strict`,
        headers: applied,
        body: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata:\n  x: "1"\n  x: "2"\n',
        status: 400,
        message: /duplicate field "data.x" \(line 6: key "x" already set in map\)/,
      },
    ],
  },
  {
    title: 'a dry run of an apply answers as the apply would, conflicts included',
    steps: [
      { ...apply('a', { x: '1' }, { query: '&dryRun=All', status: 201 }) },
      { request: `GET ${maps}/m`, status: 404 },
      created,
      apply('b', { x: '2' }, { query: '&dryRun=All', status: 409 }),
      apply('b', { x: '2' }, { query: '&dryRun=All&force=true', expect: { data: { x: '2' } } }),
      get({ metadata: { resourceVersion: '$rv' }, data: { x: '1' } }),
    ],
  },
];

function applyWith(metadata: object, more: Partial<Step>): Step {
  return {
    ...apply('a', { x: '1' }),
    body: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'm', ...metadata },
      data: { x: '1' },
    },
    ...more,
  };
}

function deploymentWithout(): object {
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec: {} };
}

const parts: readonly Scenario[] = [
  {
    title: 'status and scale are applied apart from the object, and owned apart',
    steps: [
      deploy('a', { replicas: 1 }, 201),
      {
        request: `PATCH ${deployments}/d/status?fieldManager=s`,
        headers: applied,
        body: {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: 'd' },
          spec: { replicas: 9 },
          status: { replicas: 2 },
        },
        status: 200,
        expect: { spec: { replicas: 1 }, status: { replicas: 2 } },
        check: (reply) => {
          const entry = managedOf(reply).find(({ manager }) => manager === 's');
          assert.equal(entry?.subresource, 'status');
          assert.deepEqual(entry.fieldsV1, { 'f:status': { 'f:replicas': {} } });
        },
      },
      scale(5, '', { status: 409, message: /conflict with "a": .spec.replicas/ }),
      scale(5, '&force=true', { expect: { kind: 'Scale', spec: { replicas: 5 } } }),
      {
        request: `GET ${deployments}/d`,
        status: 200,
        expect: { spec: { replicas: 5 }, metadata: { generation: 2 } },
        check: (reply) => {
          const [scaled] = managedOf(reply).filter((entry) => entry.subresource === 'scale');
          assert.equal(scaled?.apiVersion, 'apps/v1');
          assert.deepEqual(scaled.fieldsV1, { 'f:spec': { 'f:replicas': {} } });
        },
      },
      deploy('a', { replicas: 1 }, 409, {
        message: /conflict with "autoscaler" with subresource "scale": .spec.replicas/,
      }),
      deploy('a', {}, 200, { expect: { spec: { replicas: 5 } } }),
      {
        ...scale(5, ''),
        request: `PATCH ${deployments}/absent/scale?fieldManager=autoscaler`,
        body: { apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas: 1 } },
        status: 404,
      },
    ],
  },
  {
    title: 'items of keyed lists have owners of their own',
    steps: [
      containers('a', [{ name: 'one', image: 'x:1' }], 201),
      containers('b', [{ name: 'two', image: 'y:1' }], 200, ['one x:1', 'two y:1']),
      containers('b', [{ name: 'one', image: 'z:1' }], 409),
      containers('a', [{ name: 'one', image: 'x:2' }], 200, ['one x:2', 'two y:1']),
      containers('b', [], 200, ['one x:2']),
    ],
  },
  {
    title: 'managedFields are cleared by one empty entry, and by nothing else',
    steps: [
      created,
      {
        request: `PATCH ${maps}/m?fieldManager=c`,
        headers: merge,
        body: { metadata: { managedFields: [] } },
        status: 200,
        expect: { metadata: { resourceVersion: '$rv' } },
        ...ownersAre('a Apply x'),
      },
      {
        request: `PATCH ${maps}/m?fieldManager=c`,
        headers: merge,
        body: { metadata: { managedFields: [{}] } },
        status: 200,
        check: (reply) => assert.deepEqual(managedOf(reply), []),
      },
      apply('a', { x: '1' }),
      {
        request: `PATCH ${maps}/m?fieldManager=c`,
        headers: { ...jsonPatch, 'if-match': '*' },
        body: [
          { op: 'replace', path: '/metadata/managedFields', value: [{}] },
          { op: 'add', path: '/data/y', value: '1' },
        ],
        status: 200,
        ...ownersAre('c Update y'),
      },
    ],
  },
  {
    title: 'what client-side apply has written is taken over without a conflict',
    steps: [
      {
        request: `POST ${maps}?fieldManager=kubectl-client-side-apply`,
        body: {
          metadata: {
            name: 'm',
            annotations: {
              'kubectl.$labelDomain/last-applied-configuration':
                '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m"},"data":{"x":"1"}}',
            },
          },
          data: { x: '1', other: '1' },
        },
        status: 201,
      },
      apply('kubectl', { x: '2' }, { expect: { data: { x: '2', other: '1' } } }),
      apply(
        'kubectl',
        { x: '2', other: '2' },
        { status: 409, message: /"kubectl-client-side-apply" using v1: .data.other/ },
      ),
    ],
  },
  {
    title: 'metadata alone shows managedFields, too',
    steps: [
      created,
      {
        request: `GET ${maps}/m`,
        headers: { accept: 'application/json;as=PartialObjectMetadata;g=meta.$domain;v=v1' },
        status: 200,
        expect: { kind: 'PartialObjectMetadata', data: absent },
        check: (reply) => assert.equal(managedOf(reply)[0]?.manager, 'a'),
      },
    ],
  },
  {
    title: 'an apply does not bring back an object that goes, nor add finalizers to it',
    steps: [
      {
        request: `POST ${maps}`,
        body: { metadata: { name: 'm', finalizers: ['example.com/hold'] } },
        status: 201,
      },
      { request: `DELETE ${maps}/m`, status: 200 },
      apply('a', { x: '1' }, { expect: { metadata: { deletionTimestamp: present } } }),
      applyWith({ finalizers: ['example.com/more'] }, { status: 422, reason: 'Invalid' }),
    ],
  },
  {
    title: 'at most ten managers that update are remembered one by one',
    steps: [
      created,
      ...Array.from({ length: 14 }, (_, i): Step => ({
        request: `PATCH ${maps}/m?fieldManager=u${i}`,
        headers: merge,
        body: { data: { [`k${i}`]: '1' } },
        status: 200,
      })),
      get(
        {},
        {
          check: (reply) => {
            const updates = managedOf(reply).filter(({ operation }) => operation === 'Update');
            assert.equal(updates.length, 10);
            assert.ok(updates.some(({ manager }) => manager === 'ancient-changes'));
          },
        },
      ),
    ],
  },
];

function scale(replicas: number, query: string, more: Partial<Step> = {}): Step {
  return {
    request: `PATCH ${deployments}/d/scale?fieldManager=autoscaler${query}`,
    headers: applied,
    body: {
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: 'd' },
      spec: { replicas },
    },
    status: 200,
    ...more,
  };
}

function containers(
  manager: string,
  list: readonly object[],
  status: number,
  found?: readonly string[],
): Step {
  const template = { metadata: { labels }, spec: { containers: list } };
  return {
    ...deploy(manager, { template }, status),
    ...(found === undefined
      ? {}
      : {
          check: ({ body }: Reply) => {
            const { spec } = body as unknown as {
              spec: { template: { spec: { containers: { name: string; image: string }[] } } };
            };
            const names = spec.template.spec.containers.map(
              ({ name, image }) => `${name} ${image}`,
            );
            assert.deepEqual(names, found);
          },
        }),
  };
}

runScenarios('apply', [...table, ...requests, ...parts]);
