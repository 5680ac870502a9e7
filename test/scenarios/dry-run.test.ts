/** Dry run and the other options of writes: refused as a real request is, nothing changes
 * (spec 1, 4.7). */
import assert from 'node:assert/strict';
import { absent } from '../support/checks/partial-equal.ts';
import { runScenarios } from '../support/checks/scenario.ts';
import type { Scenario, Step } from '../support/checks/scenario.ts';

const configmaps = '/api/v1/namespaces/$ns/configmaps';
const services = '/api/v1/namespaces/$ns/services';

/** The list's resourceVersion is that of the last write of anything: it tells that nothing was. */
function unchanged(): Step {
  return {
    request: `GET ${configmaps}`,
    status: 200,
    expect: { metadata: { resourceVersion: '$rv' }, items: [{ data: { k: '1' } }] },
  };
}

const nothing: Scenario = {
  title: 'a dry run answers like the real request and writes nothing',
  steps: [
    {
      request: `POST ${configmaps}`,
      body: { metadata: { name: 'a' }, data: { k: '1' } },
      status: 201,
      save: { rv: 'metadata.resourceVersion', uid: 'metadata.uid' },
    },
    {
      request: `POST ${configmaps}?dryRun=All`,
      body: { metadata: { generateName: 'b-' } },
      status: 201,
      expect: { kind: 'ConfigMap', metadata: { name: /^b-.{5}$/, uid: /./ } },
    },
    { request: `POST ${configmaps}?dryRun`, body: { metadata: { name: 'b' } }, status: 201 },
    {
      request: `POST ${configmaps}?dryRun=All`,
      body: { metadata: { name: 'b' } },
      headers: { accept: 'application/json;as=Table;g=meta.$domain;v=v1' },
      status: 201,
      expect: { kind: 'Table', metadata: { resourceVersion: absent } },
    },
    {
      request: `POST ${configmaps}?dryRun=All`,
      body: { metadata: { name: 'a' } },
      status: 409,
      reason: 'AlreadyExists',
      message: 'configmaps "a" already exists',
    },
    {
      request: `POST ${configmaps}?dryRun=All`,
      body: { metadata: { name: 'B' } },
      status: 422,
      reason: 'Invalid',
    },
    {
      request: `PUT ${configmaps}/a?dryRun=All`,
      body: { metadata: { name: 'a' }, data: { k: '2' } },
      status: 200,
      expect: { data: { k: '2' }, metadata: { uid: '$uid' } },
    },
    {
      request: `PUT ${configmaps}/a?dryRun=All`,
      body: { metadata: { name: 'a', resourceVersion: '1' } },
      status: 409,
      reason: 'Conflict',
    },
    {
      request: `PUT ${services}/s?dryRun=All`,
      body: { metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } },
      status: 201,
    },
    { request: `GET ${services}/s`, status: 404, reason: 'NotFound' },
    { request: `DELETE ${configmaps}/a?dryRun=All`, status: 200, expect: { kind: 'Status' } },
    { request: `DELETE ${configmaps}/a`, body: { dryRun: ['All'] }, status: 200 },
    { request: `DELETE ${configmaps}?dryRun=All`, status: 200 },
    { request: `DELETE /api/v1/namespaces/$ns?dryRun=All`, status: 200 },
    {
      request: 'GET /api/v1/namespaces/$ns',
      status: 200,
      expect: { metadata: { deletionTimestamp: absent }, status: { phase: 'Active' } },
    },
    unchanged(),
    {
      request: `GET ${configmaps}?watch=1&resourceVersion=$rv&timeoutSeconds=1`,
      status: 200,
      check: (reply) => assert.equal(reply.text.trim(), ''),
    },
  ],
};

const missing = 'namespaces "gone-$ns" not found';

const sameRefusal: Scenario = {
  title: 'a dry run in a missing namespace is refused like the real request',
  steps: ['', '?dryRun=All'].flatMap((query): Step[] => [
    {
      request: `POST /api/v1/namespaces/gone-$ns/configmaps${query}`,
      body: { metadata: { name: 'a' } },
      status: 404,
      reason: 'NotFound',
      message: missing,
      expect: { details: { name: 'gone-$ns', kind: 'namespaces' } },
    },
    {
      request: `POST /api/v1/namespaces/gone-$ns/configmaps${query}`,
      body: { metadata: { generateName: 'a-' } },
      status: 404,
      reason: 'NotFound',
      message: missing,
    },
    {
      request: `PUT /api/v1/namespaces/gone-$ns/services/s${query}`,
      body: { metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } },
      status: 404,
      reason: 'NotFound',
      message: missing,
    },
    {
      request: `PUT /api/v1/namespaces/gone-$ns/configmaps/c${query}`,
      body: { metadata: { name: 'c' } },
      status: 404,
      reason: 'NotFound',
      message: /not found$/,
    },
  ]),
};

function badOption(query: string, message: string | RegExp): Step[] {
  return [
    {
      request: `POST ${configmaps}?${query}`,
      body: { metadata: { name: 'x' } },
      status: 422,
      reason: 'Invalid',
      message,
      expect: { details: { kind: 'CreateOptions', group: 'meta.$domain' } },
    },
    {
      request: `PUT ${services}/x?${query}`,
      body: { metadata: { name: 'x' } },
      status: 422,
      reason: 'Invalid',
      expect: { details: { kind: 'UpdateOptions', group: 'meta.$domain' } },
    },
  ];
}

const badValues: Scenario = {
  title: 'bad values of dryRun, fieldManager and fieldValidation are refused and change nothing',
  steps: [
    ...badOption(
      'dryRun=Most',
      /^CreateOptions\.meta\.(k8s|svc)\.io "" is invalid: dryRun: Unsupported value: .*: supported values: "All"$/,
    ),
    ...badOption('dryRun=All&dryRun=x', /dryRun: Unsupported value/),
    ...badOption('fieldManager=a%0Ab', /fieldManager: Invalid value: .*invalid character U\+000A/),
    ...badOption(`fieldManager=${'m'.repeat(129)}`, /fieldManager: Too long: .*128/),
    ...badOption('fieldValidation=Loose', /fieldValidation: Unsupported value: "Loose"/),
    { request: `GET ${configmaps}`, status: 200, expect: { items: [] } },
    { request: `GET ${services}`, status: 200, expect: { items: [] } },
    {
      request: `POST ${configmaps}?fieldManager=ok&fieldValidation=Strict&dryRun=All&pretty=true`,
      body: { metadata: { name: 'x' } },
      status: 201,
    },
  ],
};

const jsonPatch = { 'content-type': 'application/json-patch+json' };
const mergePatch = { 'content-type': 'application/merge-patch+json' };
const applyPatch = { 'content-type': 'application/apply-patch+yaml' };
const metadata = { name: 'a' };

/** Every verb that writes, with what a real request of that sort answers. */
const writes: readonly Pick<Step, 'request' | 'body' | 'headers' | 'status'>[] = [
  { request: `POST ${configmaps}`, body: { metadata: { name: 'b' } }, status: 201 },
  { request: `PUT ${configmaps}/a`, body: { metadata, data: { k: '2' } }, status: 200 },
  {
    request: `PATCH ${configmaps}/a`,
    headers: jsonPatch,
    body: JSON.stringify([{ op: 'replace', path: '/data/k', value: '2' }]),
    status: 200,
  },
  {
    request: `PATCH ${configmaps}/a`,
    headers: mergePatch,
    body: JSON.stringify({ data: { k: '2' } }),
    status: 200,
  },
  {
    request: `PATCH ${configmaps}/a?fieldManager=m&force=true`,
    headers: applyPatch,
    body: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { k: '2' } }),
    status: 200,
  },
  {
    request: `PATCH ${configmaps}/new?fieldManager=m`,
    headers: applyPatch,
    body: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'new' } }),
    status: 201,
  },
  { request: `DELETE ${configmaps}/a`, status: 200 },
  { request: `DELETE ${configmaps}/a?propagationPolicy=Foreground`, status: 200 },
  { request: `DELETE ${configmaps}/a?propagationPolicy=Orphan`, status: 200 },
  { request: `DELETE ${configmaps}/a?orphanDependents=false`, status: 200 },
  { request: `DELETE ${configmaps}/missing`, status: 404 },
  { request: `DELETE ${configmaps}`, status: 200 },
  { request: `DELETE ${configmaps}?propagationPolicy=Orphan`, status: 200 },
  { request: 'DELETE /api/v1/namespaces/$ns', status: 200 },
  {
    request: 'PUT /api/v1/namespaces/$ns/finalize',
    body: { metadata: { name: '$ns' }, spec: {} },
    status: 200,
  },
  {
    request: 'PUT /api/v1/namespaces/$ns/status',
    body: { metadata: { name: '$ns' }, status: { phase: 'Active' } },
    status: 200,
  },
];

const everyVerb: Scenario = {
  title: 'every verb that writes can be tried: the status of a real request, and nothing written',
  steps: [
    {
      request: `POST ${configmaps}`,
      body: { metadata, data: { k: '1' } },
      status: 201,
      save: { rv: 'metadata.resourceVersion' },
    },
    ...writes.flatMap((write): Step[] => {
      const mark = write.request.includes('?') ? '&' : '?';
      return [{ ...write, request: `${write.request}${mark}dryRun=All` }, unchanged()];
    }),
  ],
};

runScenarios('dry run', [nothing, sameRefusal, badValues, everyVerb]);
