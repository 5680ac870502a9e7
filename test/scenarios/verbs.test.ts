/** Every verb, on a namespaced and a cluster-scoped kind, in every path shape (spec 1, 4.1). */
import assert from 'node:assert/strict';
import { absent, present } from '../support/checks/partial-equal.ts';
import { runScenarios } from '../support/checks/scenario.ts';
import type { Scenario, Step } from '../support/checks/scenario.ts';
import { workloadSpec } from '../support/data/valid-objects.ts';

interface Shape {
  readonly what: string;
  readonly collection: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly resource: string;
  readonly namespaced: boolean;
  /** What the kind cannot do without. */
  readonly required?: object;
}

const shapes: readonly Shape[] = [
  {
    what: 'core, namespaced',
    collection: '/api/v1/namespaces/$ns/configmaps',
    apiVersion: 'v1',
    kind: 'ConfigMap',
    resource: 'configmaps',
    namespaced: true,
  },
  {
    what: 'core, cluster',
    collection: '/api/v1/nodes',
    apiVersion: 'v1',
    kind: 'Node',
    resource: 'nodes',
    namespaced: false,
  },
  {
    what: 'group, namespaced',
    collection: '/apis/apps/v1/namespaces/$ns/deployments',
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    resource: 'deployments.apps',
    namespaced: true,
    required: { spec: workloadSpec() },
  },
  {
    what: 'group of the domain, cluster',
    collection: '/apis/scheduling.$domain/v1/priorityclasses',
    apiVersion: 'scheduling.$domain/v1',
    kind: 'PriorityClass',
    resource: 'priorityclasses.scheduling.$domain',
    namespaced: false,
    required: { value: 1 },
  },
];

function life(shape: Shape): Scenario {
  const { collection, apiVersion, kind, resource, required = {} } = shape;
  const name = 'one-$ns';
  const object = `${collection}/${name}`;
  const identity = { kind, apiVersion, metadata: { name, uid: '$uid' } };
  const steps: Step[] = [
    {
      request: `POST ${collection}`,
      body: { metadata: { name, labels: { own: '$ns' } }, ...required, extra: { a: 1 } },
      status: 201,
      expect: {
        kind,
        apiVersion,
        extra: absent,
        metadata: {
          name,
          namespace: shape.namespaced ? '$ns' : absent,
          uid: /^[0-9a-f-]{36}$/,
          resourceVersion: /^[1-9][0-9]*$/,
          creationTimestamp: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
          selfLink: absent,
        },
      },
      headersExpected: { warning: '299 - "unknown field \\"extra\\""' },
      save: { uid: 'metadata.uid', rv: 'metadata.resourceVersion' },
    },
    {
      request: `POST ${collection}`,
      body: { apiVersion, kind, metadata: { name }, ...required },
      status: 409,
      reason: 'AlreadyExists',
      message: `${resource} "${name}" already exists`,
      expect: { metadata: {}, details: { name, kind: resource.split('.')[0] } },
    },
    {
      request: `GET ${object}`,
      status: 200,
      expect: { ...identity, metadata: { ...identity.metadata, resourceVersion: '$rv' } },
    },
    { request: `GET ${object}/`, status: 200, expect: identity },
    { request: `HEAD ${object}`, status: 200, headersExpected: { 'content-length': /^\d\d+$/ } },
    {
      request: `GET ${collection}?labelSelector=own%3D$ns`,
      status: 200,
      expect: {
        kind: `${kind}List`,
        apiVersion,
        metadata: { resourceVersion: /^\d+$/, continue: absent, remainingItemCount: absent },
        items: [{ metadata: { name } }],
      },
    },
    {
      request: `PUT ${object}`,
      body: { apiVersion, kind, metadata: { name, resourceVersion: '$rv' }, ...required },
      status: 200,
      expect: { ...identity, metadata: { uid: '$uid', labels: absent } },
      save: { rv2: 'metadata.resourceVersion' },
    },
    {
      request: `GET ${collection}?watch=true&resourceVersion=$rv&timeoutSeconds=1`,
      status: 200,
      headersExpected: { 'content-type': 'application/json' },
      check: (reply) => assert.match(reply.text, /"type":"MODIFIED"/),
    },
    {
      request: `GET ${watchPrefix(collection)}?resourceVersion=$rv&timeoutSeconds=1`,
      status: 200,
      check: (reply) => assert.match(reply.text, /"type":"MODIFIED"/),
    },
    {
      request: `GET ${watchPrefix(object)}?resourceVersion=$rv&timeoutSeconds=1`,
      status: 200,
      check: (reply) => assert.match(reply.text, /"type":"MODIFIED"/),
    },
    { request: `DELETE ${object}`, status: 200 },
    {
      request: `GET ${object}`,
      status: 404,
      reason: 'NotFound',
      message: `${resource} "${name}" not found`,
    },
    { request: `DELETE ${object}`, status: 404, reason: 'NotFound' },
    {
      request: `PUT ${object}`,
      body: { metadata: { name } },
      status: 404,
      reason: 'NotFound',
      message: `${resource} "${name}" not found`,
    },
  ];
  return { title: `${shape.what}: an object lives and dies through every verb`, steps };
}

function watchPrefix(path: string): string {
  return path.replace(/^(\/api\/v1|\/apis\/[^/]+\/[^/]+)\//, '$1/watch/');
}

const paths: readonly Scenario[] = [
  {
    title: 'a namespaced kind is listed and watched across namespaces, and only that',
    steps: [
      {
        request: 'POST /api/v1/namespaces/$ns/secrets',
        body: { metadata: { name: 'a', labels: { x: '$ns' } }, data: {} },
        status: 201,
        save: { rv: 'metadata.resourceVersion' },
      },
      {
        request: 'GET /api/v1/secrets?labelSelector=x%3D$ns',
        status: 200,
        expect: { kind: 'SecretList', items: [{ metadata: { namespace: '$ns', name: 'a' } }] },
      },
      {
        request: 'GET /api/v1/watch/secrets?labelSelector=x%3D$ns&timeoutSeconds=1',
        status: 200,
        check: (reply) => assert.match(reply.text, /"type":"ADDED".*"name":"a"/),
      },
      {
        request: 'POST /api/v1/secrets',
        body: { metadata: { name: 'a' } },
        status: 405,
        reason: 'MethodNotAllowed',
        message: 'create is not supported on resources of kind "secrets"',
      },
      { request: 'DELETE /api/v1/secrets', status: 405, reason: 'MethodNotAllowed' },
      { request: 'GET /api/v1/secrets/a', status: 404, reason: 'NotFound' },
    ],
  },
  {
    title: 'what is not served is 404, and a verb that is not is 405',
    steps: [
      ...[
        'GET /nope',
        'GET /api/v2/pods',
        'GET /api/v1/nope',
        'GET /apis/nope/v1/pods',
        'GET /apis/apps/v1/pods',
        'GET /apis/apps/v9/deployments',
        'GET /api/v1/namespaces/$ns/nodes',
        'GET /api/v1/namespaces/$ns/pods/a/nope',
        'POST /api/v1/nope',
        // An empty or slashed part names nothing.
        'GET /api/v1/namespaces/$ns//status',
        'GET /api/v1//pods',
        'GET /api//v1/pods',
        'GET //api/v1/pods',
        'GET /api/v1/namespaces//nodes',
        'GET /api/v1/namespaces/$ns/pods/a%2Fb',
        'GET /api/v1/namespaces/$ns/pods//nope',
        'GET /api/v1/pods//status',
        'GET /api/v1/pods/a/status',
        'GET /api/v1/proxy/namespaces/$ns/pods/a',
        'GET /api/v1/proxy/nodes/a/stats',
        'GET /api/v1/watch',
        'PUT /api/v1/namespaces/$ns/pods/a/status/more',
        'GET /api/v1/namespaces/$ns/pods/a/exec/more',
        'GET /api/v1/nodes/a/status/x//y',
        'GET /version/more',
        'GET /metrics/more',
        'GET /api/v1/namespaces/$ns/pods/a/status/more',
      ].map((request): Step => ({
        request,
        status: 404,
        reason: 'NotFound',
        message: 'the server could not find the requested resource',
        expect: { metadata: {}, details: {} },
      })),
      ...[
        ['PATCH /api/v1/namespaces', 'patch', 'namespaces'],
        ['PUT /api/v1/namespaces/$ns/pods', 'update', 'pods'],
        ['POST /api/v1/namespaces/$ns/pods/a', 'create', 'pods'],
        ['DELETE /api/v1/namespaces', 'deletecollection', 'namespaces'],
        ['DELETE /api/v1/namespaces/$ns/pods/a/status', 'delete', 'pods'],
        ['PATCH /apis/apps/v1/namespaces/$ns/deployments', 'patch', 'deployments.apps'],
        ['POST /api/v1/watch/namespaces/$ns/pods', 'post', 'pods'],
        ['DELETE /api/v1/watch/namespaces/$ns/pods', 'delete', 'pods'],
        ['OPTIONS /api/v1/namespaces/$ns/pods/a', 'options', 'pods'],
      ].map(([request = '', verb, resource]): Step => ({
        request,
        body: {},
        status: 405,
        reason: 'MethodNotAllowed',
        message: `${verb} is not supported on resources of kind "${resource}"`,
      })),
      { request: 'POST /version', body: {}, status: 405, reason: 'MethodNotAllowed' },
    ],
  },
  {
    title: 'the empty namespace is read as all of them, and nothing is written or named in it',
    steps: [
      {
        request: 'POST /api/v1/namespaces/$ns/configmaps',
        body: { metadata: { name: 'kept', labels: { in: '$ns' } } },
        status: 201,
      },
      ...['/api/v1/namespaces//configmaps', '/api/v1/namespaces//configmaps//'].map(
        (path): Step => ({
          request: `GET ${path}?labelSelector=in%3D$ns`,
          status: 200,
          expect: { kind: 'ConfigMapList', items: [{ metadata: { name: 'kept' } }] },
        }),
      ),
      ...[
        'GET /api/v1/watch/namespaces//configmaps?labelSelector=in%3D$ns&timeoutSeconds=1',
        'GET /api/v1/namespaces//configmaps?labelSelector=in%3D$ns&watch=1&timeoutSeconds=1',
      ].map((request): Step => ({
        request,
        status: 200,
        check: (reply) => assert.match(reply.text, /"type":"ADDED".*"name":"kept"/),
      })),
      ...[
        'GET /api/v1/namespaces//configmaps/kept',
        'DELETE /api/v1/namespaces//configmaps/kept',
        'DELETE /api/v1/namespaces//configmaps',
        'PUT /api/v1/namespaces//configmaps/kept',
        'PATCH /api/v1/namespaces//configmaps/kept',
        'POST /api/v1/namespaces//configmaps',
        'GET /api/v1/namespaces//pods/p/log',
      ].map((request): Step => ({
        request,
        status: 400,
        reason: 'BadRequest',
        message: 'Namespace parameter required.',
      })),
      ...[
        'GET /api/v1/namespaces//status',
        'PUT /api/v1/namespaces//finalize',
        'GET /api/v1/namespaces/$ns/pods//status',
        'POST /api/v1/namespaces/$ns/pods//exec',
        'GET /api/v1/nodes//proxy/stats',
      ].map((request): Step => ({
        request,
        status: 400,
        reason: 'BadRequest',
        message: 'name must be provided',
      })),
      { request: 'GET /api/v1/namespaces/$ns/configmaps/kept', status: 200 },
    ],
  },
  {
    title: 'escapes in a path are decoded once; what does not decode is 400',
    steps: [
      {
        request: 'POST /apis/rbac.authorization.$domain/v1/clusterroles',
        body: { metadata: { name: 'a:b-$ns' }, rules: [] },
        status: 201,
      },
      {
        request: 'GET /apis/rbac.authorization.$domain/v1/clusterroles/a%3Ab-$ns',
        status: 200,
        expect: { metadata: { name: 'a:b-$ns' } },
      },
      { request: 'GET /api/v1/namespaces/%zz/pods', status: 400, reason: 'BadRequest' },
      { request: 'GET /api/v1/pods?labelSelector=%zz', status: 400, reason: 'BadRequest' },
      { request: 'GET /api/v1/pods?labelSelector=a%3D%ff', status: 400, reason: 'BadRequest' },
    ],
  },
  {
    title: 'an object that is sent without apiVersion and kind gets those of the path',
    steps: [
      {
        request: 'POST /apis/coordination.$domain/v1/namespaces/$ns/leases',
        body: { metadata: { name: 'l' }, spec: { holderIdentity: 'me' } },
        status: 201,
        expect: { apiVersion: 'coordination.$domain/v1', kind: 'Lease', spec: present },
      },
    ],
  },
];

runScenarios('verbs', [...shapes.map(life), ...paths]);
