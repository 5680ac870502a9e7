/** Media types, projections, gzip, pretty, warnings (spec 1, 2.6, 4.3, 9). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { parse as parseYaml } from 'yaml';
import { absent, present } from '../support/checks/partial-equal.ts';
import { runScenarios } from '../support/checks/scenario.ts';
import type { Scenario, Step } from '../support/checks/scenario.ts';
import { startTestServer } from '../support/servers/test-server.ts';

const configmaps = '/api/v1/namespaces/$ns/configmaps';
const one: Step = {
  request: `POST ${configmaps}`,
  body: { metadata: { name: 'a', labels: { l: '1' } }, data: { k: 'v' } },
  status: 201,
  save: { rv: 'metadata.resourceVersion', uid: 'metadata.uid' },
};

function accept(value: string): { accept: string } {
  return { accept: value };
}

const table = 'application/json;as=Table;v=v1;g=meta.$domain';
const partial = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.$domain';
const partialList = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.$domain';

const negotiation: Scenario = {
  title: 'Accept chooses what there is; otherwise 406',
  steps: [
    one,
    ...['application/json', '*/*', 'application/*', 'text/html, */*;q=0.1'].map((value): Step => ({
      request: `GET ${configmaps}/a`,
      headers: accept(value),
      status: 200,
      headersExpected: { 'content-type': 'application/json', 'cache-control': 'no-cache, private' },
    })),
    ...[
      'text/html',
      'application/vnd.$domain.protobuf',
      'application/json;as=Nope;v=v1;g=meta.$domain',
    ].map((value): Step => ({
      request: `GET ${configmaps}/a`,
      headers: accept(value),
      status: 406,
      reason: 'NotAcceptable',
      message: new RegExp(
        '^only the following media types are accepted: application/json, application/yaml, ' +
          'application/vnd.(svc|kubernetes).protobuf$',
      ),
    })),
    {
      request: `GET ${configmaps}?watch=1&timeoutSeconds=1`,
      headers: accept('application/yaml'),
      status: 406,
      check: (reply) => assert.match(reply.text, /^reason: NotAcceptable$/m),
    },
    {
      request: `POST ${configmaps}`,
      headers: { 'content-type': 'text/plain' },
      body: '{}',
      status: 415,
      reason: 'UnsupportedMediaType',
      message: /accepted media types include: application\/json, application\/yaml, [a-z./]*$/,
    },
    {
      request: `POST ${configmaps}`,
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: '{}',
      status: 415,
      reason: 'UnsupportedMediaType',
    },
    {
      request: `GET ${configmaps}/a`,
      headers: accept('application/vnd.other.protobuf,application/json'),
      status: 200,
    },
  ],
};

const yaml: Scenario = {
  title: 'YAML is read and written',
  steps: [
    {
      request: `POST ${configmaps}`,
      headers: { 'content-type': 'application/yaml', accept: 'application/yaml' },
      body: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yml\ndata:\n  k: "yes"\n  num: "1"\n',
      status: 201,
      headersExpected: { 'content-type': 'application/yaml' },
      check: (reply) => {
        const object = parseYaml(reply.text) as { kind: string; data: object };
        assert.equal(object.kind, 'ConfigMap');
        assert.deepEqual(object.data, { k: 'yes', num: '1' });
      },
    },
    { request: `GET ${configmaps}/yml`, status: 200, expect: { data: { k: 'yes', num: '1' } } },
    {
      request: `GET ${configmaps}`,
      headers: accept('application/yaml'),
      status: 200,
      check: (reply) => {
        const list = parseYaml(reply.text) as { kind: string; items: unknown[] };
        assert.equal(list.kind, 'ConfigMapList');
        assert.equal(list.items.length, 1);
      },
    },
    {
      request: `GET ${configmaps}/none`,
      headers: accept('application/yaml'),
      status: 404,
      headersExpected: { 'content-type': 'application/yaml' },
      check: (reply) =>
        assert.equal((parseYaml(reply.text) as { reason: string }).reason, 'NotFound'),
    },
    {
      request: `POST ${configmaps}`,
      headers: { 'content-type': 'application/yaml' },
      body: 'metadata: {name: [}',
      status: 400,
      reason: 'BadRequest',
    },
    {
      request: `DELETE ${configmaps}/yml`,
      headers: { 'content-type': 'application/yaml' },
      body: 'preconditions:\n  uid: nope\n',
      status: 409,
      reason: 'Conflict',
    },
  ],
};

const discovered = 'application/json;g=apidiscovery.$domain;v=v2;as=APIGroupDiscoveryList';

const pretty: Scenario = {
  title: 'JSON is indented when asked for, or when a person seems to read it; else it is a line',
  steps: [
    one,
    ...[
      { query: '?pretty=true', agent: 'x', indented: true },
      { query: '?pretty=1', agent: 'x', indented: true },
      { query: '', agent: 'curl/8', indented: true },
      { query: '?pretty=false', agent: 'curl/8', indented: false },
      { query: '', agent: 'kubectl/v1', indented: false },
    ].flatMap(({ query, agent, indented }): Step[] =>
      [
        { path: `${configmaps}/a` },
        { path: `${configmaps}/a`, as: table },
        { path: configmaps },
        { path: configmaps, as: partialList },
        { path: `${configmaps}/none` },
        { path: '/nowhere' },
        { path: '/api' },
        { path: '/apis' },
        { path: '/apis', as: discovered },
        { path: '/apis/apps' },
        { path: '/api/v1' },
      ].map(({ as = 'application/json', path }) => ({
        request: `GET ${path}${query}`,
        headers: { 'user-agent': agent, ...accept(as) },
        status: /none|nowhere/.test(path) ? 404 : 200,
        check: (reply) => {
          assert.equal(reply.text.includes('\n  "kind"'), indented, reply.text);
          assert.match(reply.text, indented ? /\n}$/ : /^\{.*}\n$/);
        },
      })),
    ),
    {
      request: `DELETE ${configmaps}/a`,
      status: 200,
      check: (reply) => assert.match(reply.text, /^\{.*}\n$/),
    },
  ],
};

const projections: Scenario = {
  title: 'Table and PartialObjectMetadata stand for get, list and watch',
  steps: [
    one,
    {
      request: `GET ${configmaps}/a`,
      headers: accept(table),
      status: 200,
      expect: {
        kind: 'Table',
        apiVersion: 'meta.$domain/v1',
        metadata: { resourceVersion: '$rv' },
        columnDefinitions: [
          { name: 'Name', type: 'string', format: 'name' },
          { name: 'Data', type: 'string', format: '', priority: 0 },
          { name: 'Age', type: 'string' },
        ],
        rows: [
          {
            cells: ['a', 1, present],
            object: {
              kind: 'PartialObjectMetadata',
              apiVersion: 'meta.$domain/v1',
              metadata: { name: 'a', uid: '$uid' },
              data: absent,
            },
          },
        ],
      },
    },
    {
      request: `GET ${configmaps}?includeObject=Object`,
      headers: accept(table),
      status: 200,
      expect: { kind: 'Table', rows: [{ object: { kind: 'ConfigMap', data: { k: 'v' } } }] },
    },
    {
      request: `GET ${configmaps}?includeObject=None`,
      headers: accept(table),
      status: 200,
      expect: { kind: 'Table', rows: [{ object: null }] },
    },
    {
      request: `GET ${configmaps}?includeObject=Some`,
      headers: accept(table),
      status: 400,
      reason: 'BadRequest',
    },
    {
      request: `GET ${configmaps}`,
      headers: accept('application/json;as=Table;v=v1beta1;g=meta.$domain'),
      status: 200,
      expect: { kind: 'Table', apiVersion: 'meta.$domain/v1beta1' },
    },
    {
      request: `GET ${configmaps}/a`,
      headers: accept(partial),
      status: 200,
      expect: {
        kind: 'PartialObjectMetadata',
        apiVersion: 'meta.$domain/v1',
        metadata: { name: 'a', labels: { l: '1' }, resourceVersion: '$rv' },
        data: absent,
      },
    },
    {
      request: `GET ${configmaps}?limit=1`,
      headers: accept(partialList),
      status: 200,
      expect: {
        kind: 'PartialObjectMetadataList',
        apiVersion: 'meta.$domain/v1',
        metadata: { resourceVersion: present },
        items: [{ metadata: { name: 'a' }, data: absent }],
      },
    },
    {
      request: `GET ${configmaps}?watch=1&timeoutSeconds=1`,
      headers: accept(partialList),
      status: 200,
      check: (reply) => {
        const event = JSON.parse(reply.text.trim().split('\n')[0] ?? '') as { object: object };
        assert.equal((event.object as { kind: string }).kind, 'PartialObjectMetadata');
        assert(!('data' in event.object));
      },
    },
    {
      request: `GET ${configmaps}?watch=1&timeoutSeconds=1`,
      headers: accept(table),
      status: 200,
      check: (reply) => {
        const event = JSON.parse(reply.text.trim().split('\n')[0] ?? '') as {
          type: string;
          object: { kind: string; rows: { cells: string[] }[]; columnDefinitions: unknown[] };
        };
        assert.equal(event.type, 'ADDED');
        assert.equal(event.object.kind, 'Table');
        assert.equal(event.object.rows[0]?.cells[0], 'a');
        assert.equal(event.object.columnDefinitions.length, 3);
      },
    },
    {
      request: `GET ${configmaps}/none`,
      headers: accept(table),
      status: 404,
      expect: { kind: 'Status', reason: 'NotFound' },
    },
    {
      request: `GET ${configmaps}/a`,
      headers: accept('application/json;as=Table;v=v1;g=meta.nope.io,application/json'),
      status: 200,
      expect: { kind: 'ConfigMap' },
    },
    {
      request: `DELETE ${configmaps}/a`,
      headers: accept(`${table},application/json`),
      status: 200,
      expect: { kind: 'Status', status: 'Success' },
    },
  ],
};

const hpa = (version: string) =>
  `/apis/autoscaling/${version}/namespaces/$ns/horizontalpodautoscalers`;

const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' };

const manyVersions: Scenario = {
  title: 'a kind with several versions is shown in the version of the request',
  steps: [
    {
      request: `POST ${hpa('v1')}`,
      body: { metadata: { name: 'h' }, spec: { maxReplicas: 3, scaleTargetRef } },
      status: 201,
      expect: { apiVersion: 'autoscaling/v1', kind: 'HorizontalPodAutoscaler' },
      save: { rv: 'metadata.resourceVersion' },
    },
    ...['v1', 'v2'].flatMap((version): Step[] => [
      {
        request: `GET ${hpa(version)}/h`,
        status: 200,
        expect: { apiVersion: `autoscaling/${version}`, spec: { maxReplicas: 3 } },
      },
      {
        request: `GET ${hpa(version)}`,
        status: 200,
        expect: {
          apiVersion: `autoscaling/${version}`,
          kind: 'HorizontalPodAutoscalerList',
          items: [{ apiVersion: `autoscaling/${version}` }],
        },
      },
      {
        request: `GET ${hpa(version)}?watch=1&timeoutSeconds=1&allowWatchBookmarks=true`,
        status: 200,
        check: (reply) => {
          const lines = reply.text.trim().split('\n');
          assert.equal(lines.length, 2, reply.text);
          for (const line of lines) {
            const event = JSON.parse(line) as { object: { apiVersion: string } };
            assert.equal(event.object.apiVersion, `autoscaling/${version}`, line);
          }
        },
      },
      {
        request: `GET ${hpa(version)}`,
        headers: accept(table),
        status: 200,
        check: (reply) => assert.match(reply.text, /"rows":\[\{"cells":\["h",/),
      },
    ]),
    {
      request: `PUT ${hpa('v2')}/h`,
      body: {
        apiVersion: 'autoscaling/v2',
        metadata: { name: 'h', resourceVersion: '$rv' },
        spec: { maxReplicas: 4, scaleTargetRef },
      },
      status: 200,
      expect: { apiVersion: 'autoscaling/v2' },
    },
    {
      request: `PUT ${hpa('v2')}/h`,
      body: { apiVersion: 'autoscaling/v1', metadata: { name: 'h' } },
      status: 400,
      reason: 'BadRequest',
      message:
        'the API version in the data (autoscaling/v1) does not match the expected API version ' +
        '(autoscaling/v2)',
    },
  ],
};

const big = { metadata: { name: 'big' }, data: { k: 'x'.repeat(200_000) } };

const gzip: Scenario = {
  title: 'large answers to reads are gzipped for those who take it',
  steps: [
    { request: `POST ${configmaps}`, body: big, status: 201 },
    ...[`${configmaps}/big`, configmaps].flatMap((path): Step[] => [
      {
        request: `GET ${path}`,
        headers: { 'accept-encoding': 'gzip' },
        status: 200,
        headersExpected: { 'content-encoding': 'gzip', vary: /Accept-Encoding/i },
        check: (reply) => {
          const text = gunzipSync(reply.bytes).toString('utf8');
          assert(text.includes('x'.repeat(200_000)));
          JSON.parse(text);
        },
      },
      { request: `GET ${path}`, status: 200, headersExpected: { 'content-encoding': null } },
      {
        request: `GET ${path}`,
        headers: { 'accept-encoding': 'gzip;q=0' },
        status: 200,
        headersExpected: { 'content-encoding': null },
      },
    ]),
    {
      request: `POST ${configmaps}`,
      headers: { 'accept-encoding': 'gzip' },
      body: { ...big, metadata: { name: 'big2' } },
      status: 201,
      headersExpected: { 'content-encoding': null },
    },
    {
      request: `GET ${configmaps}?limit=0`,
      headers: { 'accept-encoding': 'gzip', accept: 'application/yaml' },
      status: 200,
      check: (reply) => {
        const list = parseYaml(gunzipSync(reply.bytes).toString('utf8')) as { items: unknown[] };
        assert.equal(list.items.length, 2);
      },
    },
  ],
};

const tooLarge: Scenario = {
  title: 'a body above the limit is 413, and the connection goes on',
  steps: [
    {
      request: `POST ${configmaps}`,
      body: { metadata: { name: 'huge' }, data: { k: 'x'.repeat(3 * 1024 * 1024) } },
      status: 413,
      reason: 'RequestEntityTooLarge',
      message: 'Request entity too large: limit is 3145728',
    },
    { request: `GET ${configmaps}`, status: 200, expect: { items: [] } },
  ],
};

runScenarios('wire', [negotiation, yaml, pretty, projections, manyVersions, gzip, tooLarge]);

const warned: Scenario = {
  title: 'every answer of a deprecated version carries a Warning',
  steps: [
    {
      request: 'GET /apis/admissionregistration.$domain/v1beta1/validatingadmissionpolicies',
      status: 200,
      headersExpected: {
        warning:
          /^299 - "admissionregistration\.(k8s|svc)\.io\/v1beta1 ValidatingAdmissionPolicy is deprecated in v1\.31\+, unavailable in v1\.34\+"$/,
      },
    },
    {
      request: 'GET /apis/admissionregistration.$domain/v1beta1/validatingadmissionpolicies/none',
      status: 404,
      headersExpected: { warning: /deprecated/ },
    },
    {
      request:
        'GET /apis/admissionregistration.$domain/v1beta1/validatingadmissionpolicies?watch=1&timeoutSeconds=1',
      status: 200,
      headersExpected: { warning: /deprecated/ },
    },
    {
      request: 'GET /apis/admissionregistration.$domain/v1/validatingadmissionpolicies',
      status: 200,
      headersExpected: { warning: null },
    },
  ],
};

for (const domain of ['k8s.io', 'svc.io']) {
  const only = domain === 'k8s.io' ? 'kubernetes' : 'svc';
  runScenarios(
    'deprecated version',
    [warned],
    { 'runtime-config': `admissionregistration.${domain}/v1beta1=true` },
    [{ label: only, identity: only, options: { identity: only } }],
  );
}

test('a gzipped list of many chunks is the same list', async () => {
  const server = await startTestServer();
  for (let i = 0; i < 40; i += 1) {
    const body = { metadata: { name: `c${i}` }, data: { k: `${i}-`.repeat(10_000) } };
    await server.request('POST', '/api/v1/namespaces/default/configmaps', { body });
  }
  const target = '/api/v1/configmaps';
  const plain = await server.request('GET', target);
  const packed = await server.request('GET', target, { headers: { 'accept-encoding': 'gzip' } });
  assert.equal(packed.headers['content-encoding'], 'gzip');
  // Either may begin with the harmless space that carries the head.
  assert(gunzipSync(packed.bytes).toString('utf8').trim() === plain.text.trim(), 'the same list');
  assert.equal((plain.body['items'] as unknown[]).length, 40);
  await server.remove();
});
