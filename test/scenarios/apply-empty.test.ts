/**
 * An intent that says that a field is empty, zero or null owns it, though no object is stored with
 * such a field (spec 1, section 4.5); an empty list of keyed items has nothing to own.
 */
import assert from 'node:assert/strict';
import { absent } from '../support/checks/partial-equal.ts';
import { runScenarios } from '../support/checks/scenario.ts';
import type { Scenario, Step } from '../support/checks/scenario.ts';
import type { Reply } from '../support/servers/test-server.ts';

const deployments = '/apis/apps/v1/namespaces/$ns/deployments';
const headers = { 'content-type': 'application/apply-patch+yaml' };
const labels = { a: 'b' };

interface Parts {
  readonly metadata?: object;
  readonly spec?: object;
  readonly pod?: object;
  readonly container?: object;
}

function intent({ container, metadata, pod, spec }: Parts): object {
  const containers = [{ name: 'c', image: 'i', ...container }];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'd', ...metadata },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers, ...pod } },
      ...spec,
    },
  };
}

function apply(manager: string, parts: Parts, more: Partial<Step> = {}): Step {
  const request = `PATCH ${deployments}/d?fieldManager=${manager}`;
  return { request, headers, body: intent(parts), status: 201, ...more };
}

const usual = { 'f:selector': {} };
const usualLabels = { 'f:labels': { 'f:a': {} } };
const usualContainer = { '.': {}, 'f:image': {}, 'f:name': {} };
const container = (own: object): object => ({
  'f:containers': { 'k:{"name":"c"}': { ...usualContainer, ...own } },
});

/** What the only manager owns. */
function ownedAre(reply: Reply, fields: object): void {
  const { metadata } = reply.body as unknown as {
    metadata: { managedFields: readonly { readonly fieldsV1: object }[] };
  };
  const owned = metadata.managedFields.map(({ fieldsV1 }) => fieldsV1);
  assert.deepEqual(owned, [fields]);
}

function owns(fields: object): Partial<Step> {
  return { check: (reply) => ownedAre(reply, fields) };
}

const template = (spec: object): object => ({
  'f:template': { 'f:metadata': usualLabels, 'f:spec': spec },
});

const scenarios: readonly Scenario[] = [
  {
    title: 'zero values are owned, and not stored',
    steps: [
      apply(
        'm',
        { spec: { paused: false, minReadySeconds: 0 }, pod: { nodeName: '' } },
        owns({
          'f:spec': {
            ...usual,
            'f:minReadySeconds': {},
            'f:paused': {},
            ...template({ ...container({}), 'f:nodeName': {} }),
          },
        }),
      ),
      apply('n', { spec: { paused: true } }, { status: 409, message: /"m": .spec.paused$/ }),
    ],
  },
  {
    title: 'so are empty maps and lists, but for lists whose items have keys',
    steps: [
      apply(
        'm',
        {
          metadata: { annotations: {}, finalizers: [], labels: {} },
          pod: { nodeSelector: {}, volumes: [] },
          container: { args: [], ports: [] },
        },
        owns({
          'f:metadata': { 'f:annotations': {}, 'f:labels': {} },
          'f:spec': {
            ...usual,
            ...template({ ...container({ 'f:args': {} }), 'f:nodeSelector': {} }),
          },
        }),
      ),
    ],
  },
  {
    title: 'null is owned wherever it is said, and means the default',
    steps: [
      apply(
        'm',
        {
          metadata: { finalizers: null, labels: null },
          spec: { replicas: null },
          pod: { volumes: null },
          container: { env: null },
        },
        {
          expect: { spec: { replicas: 1 } },
          ...owns({
            'f:metadata': { 'f:finalizers': {}, 'f:labels': {} },
            'f:spec': {
              ...usual,
              'f:replicas': {},
              ...template({ ...container({ 'f:env': {} }), 'f:volumes': {} }),
            },
          }),
        },
      ),
    ],
  },
  {
    title: 'a namespace that is created owns its name as a label; one that is applied does not',
    steps: [
      {
        request: 'POST /api/v1/namespaces',
        body: { metadata: { name: '$ns-made' } },
        status: 201,
        check: (reply, variables) => {
          const label = `f:${variables.get('labelDomain')}/metadata.name`;
          ownedAre(reply, { 'f:metadata': { 'f:labels': { '.': {}, [label]: {} } } });
        },
      },
      {
        request: 'PATCH /api/v1/namespaces/$ns-applied?fieldManager=m',
        headers,
        body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: '$ns-applied' } },
        status: 201,
        expect: { metadata: { managedFields: absent } },
      },
    ],
  },
  {
    title: 'without a manager it is refused for that first, with all that is wrong in the query',
    steps: [
      {
        request: `PATCH ${deployments}/d?fieldValidation=x`,
        headers,
        body: 'no object',
        status: 422,
        reason: 'Invalid',
        expect: {
          details: {
            kind: 'PatchOptions',
            causes: [
              { reason: 'FieldValueRequired', field: 'fieldManager' },
              { reason: 'FieldValueNotSupported', field: 'fieldValidation' },
            ],
          },
        },
      },
    ],
  },
  {
    title: 'an empty body in a format that is not taken is 415, as one with content is',
    steps: ['POST', 'PUT'].map((method) => ({
      request: `${method} ${deployments}${method === 'PUT' ? '/d' : ''}`,
      headers: { 'content-type': 'text/plain' },
      body: '',
      status: 415,
      reason: 'UnsupportedMediaType',
    })),
  },
];

runScenarios('applying what is empty', scenarios);
