/** What a write through a subresource of a pod leaves alone: what it does not own, and what it
 * does not say (spec 1, section 3.2). */
import assert from 'node:assert/strict';
import { runScenarios } from '../support/checks/scenario.ts';
import type { Scenario, Step } from '../support/checks/scenario.ts';
import { podSpec } from '../support/data/valid-objects.ts';

const pods = '/api/v1/namespaces/$ns/pods';
const merge = { 'content-type': 'application/merge-patch+json' };
const applied = { 'content-type': 'application/apply-patch+yaml' };

function createPod(name: string, more: object = {}): Step {
  return {
    request: `POST ${pods}`,
    body: { metadata: { name }, spec: podSpec(more) },
    status: 201,
  };
}

/** A client that applies the object as it would be, through a subresource. */
function applyThrough(subresource: string, more: object, owned: object): Step {
  const whole = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', ownerReferences: [nodeReference] },
    spec: { containers: [{ name: 'c', image: 'example.io/other:1' }] },
  };
  return {
    request: `PATCH ${pods}/p/${subresource}?fieldManager=whole&force=true`,
    headers: applied,
    body: { ...whole, ...more },
    status: 200,
    check: ({ body }) => {
      const { metadata } = body as unknown as { metadata: { managedFields: FieldOwner[] } };
      const owner = metadata.managedFields.find(({ manager }) => manager === 'whole');
      assert.equal(owner?.subresource, subresource);
      assert.deepEqual(owner.fieldsV1, owned);
    },
  };
}

interface FieldOwner {
  readonly manager: string;
  readonly subresource?: string;
  readonly fieldsV1: object;
}

const nodeReference = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' };
const cpu = { requests: { cpu: '1' } };
const resizable = { containers: [{ name: 'c', image: 'example.io/c:1', resources: cpu }] };
const wanted = [{ name: 'c', image: 'example.io/other:1', resources: { requests: { cpu: '2' } } }];

const owners: readonly Scenario[] = (
  [
    ['status', { status: { message: 'm' } }, { 'f:status': { 'f:message': {} } }],
    [
      'resize',
      { spec: { containers: wanted } },
      {
        'f:spec': {
          'f:containers': {
            'k:{"name":"c"}': { '.': {}, 'f:resources': { 'f:requests': { 'f:cpu': {} } } },
          },
        },
      },
    ],
    [
      'ephemeralcontainers',
      { spec: { ephemeralContainers: [{ name: 'e', image: 'example.io/e:1' }] } },
      {
        'f:spec': {
          'f:ephemeralContainers': {
            'k:{"name":"e"}': { '.': {}, 'f:image': {}, 'f:name': {} },
          },
        },
      },
    ],
  ] as const
).map(([subresource, more, owned]) => ({
  title: `who applies a whole pod through ${subresource} owns what can be written there`,
  steps: [createPod('p', resizable), applyThrough(subresource, more, owned)],
}));

const statuses: readonly Scenario[] = [
  {
    title: 'the class of service of a pod stays when a status is written without it',
    steps: [
      createPod('p'),
      {
        request: `PUT ${pods}/p/status`,
        body: { metadata: { name: 'p' }, status: { phase: 'Running' } },
        status: 200,
        expect: { status: { phase: 'Running', qosClass: 'BestEffort' } },
      },
      {
        request: `PATCH ${pods}/p/status`,
        headers: merge,
        body: { status: { qosClass: null, message: 'm' } },
        status: 200,
        expect: { status: { message: 'm', qosClass: 'BestEffort' } },
      },
    ],
  },
];

runScenarios('parts of a pod', [...statuses, ...owners]);
