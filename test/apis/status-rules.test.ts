/** Rules of the status of workloads and policies: a wrong status gets exactly the errors that clients know. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatFieldError } from '../../src/apimachinery/field-error.ts';
import type { ApiObject, JsonObject } from '../../src/apimachinery/unstructured.ts';
import { kubernetes } from '../support/data/versioned-kinds.ts';
import { rulesByResource } from './rules-by-resource.ts';

const rules = rulesByResource(kubernetes);

interface Row {
  readonly resource: string;
  readonly title: string;
  readonly spec?: JsonObject;
  readonly from?: JsonObject;
  readonly status: JsonObject;
  /** Field, then a part of what is said of it. */
  readonly errors?: readonly (readonly [field: string, words: string])[];
}

const when = (type: string, status = 'True'): JsonObject => ({ type, status });
const indexed = { completionMode: 'Indexed', completions: 5, backoffLimitPerIndex: 1 };
const ended = {
  startTime: '2024-01-01T00:00:00Z',
  completionTime: '2024-01-01T01:00:00Z',
  succeeded: 1,
  conditions: [when('SuccessCriteriaMet'), when('Complete')],
};
const container = (state: JsonObject): JsonObject => ({
  containerStatuses: [{ name: 'c', state }],
});

const rows: readonly Row[] = [
  {
    resource: 'admissionregistration.{domain}/validatingadmissionpolicies',
    title: 'findings that do not say where or what',
    status: {
      typeChecking: { expressionWarnings: [{ fieldRef: 'spec', warning: 'w' }, {}] },
    },
    errors: [
      ['status.typeChecking.expressionWarnings[1].warning', ''],
      ['status.typeChecking.expressionWarnings[1].fieldRef', ''],
    ],
  },
  {
    resource: 'apps/deployments',
    title: 'more pods of a sort than pods',
    from: { collisionCount: 2 },
    status: {
      replicas: 1,
      updatedReplicas: 2,
      readyReplicas: 0,
      availableReplicas: 1,
      unavailableReplicas: -1,
      collisionCount: 1,
    },
    errors: [
      ['status.unavailableReplicas', 'greater than or equal to 0'],
      ['status.updatedReplicas', 'greater than status.replicas'],
      ['status.availableReplicas', 'greater than readyReplicas'],
      ['status.collisionCount', 'cannot be decremented'],
    ],
  },
  ...['apps/replicasets', '/replicationcontrollers'].map((resource): Row => ({
    resource,
    title: 'more pods of a sort than pods',
    status: { replicas: 1, fullyLabeledReplicas: 2, readyReplicas: 1, availableReplicas: 1 },
    errors: [['status.fullyLabeledReplicas', 'greater than status.replicas']],
  })),
  {
    resource: 'apps/statefulsets',
    title: 'more pods of a sort than pods',
    status: { replicas: 1, currentReplicas: 2, updatedReplicas: 2 },
    errors: [
      ['status.currentReplicas', 'greater than status.replicas'],
      ['status.updatedReplicas', 'greater than status.replicas'],
    ],
  },
  {
    resource: 'apps/daemonsets',
    title: 'fewer nodes than none',
    status: { numberReady: -1 },
    errors: [['status.numberReady', 'greater than or equal to 0']],
  },
  { resource: 'batch/jobs', title: 'right: it ends', status: ended },
  {
    resource: 'batch/jobs',
    title: 'it ends with pods and without times',
    status: {
      active: 1,
      terminating: 1,
      ready: 2,
      uncountedTerminatedPods: { succeeded: ['a', 'a'], failed: [''] },
      conditions: [when('Complete')],
    },
    errors: [
      ['status.uncountedTerminatedPods.succeeded[1]', 'Duplicate'],
      ['status.uncountedTerminatedPods.failed[0]', 'must not be empty'],
      ['status.conditions', 'without the SuccessCriteriaMet=true condition'],
      ['status.active', 'invalid for finished job'],
      ['status.startTime', 'Required'],
      ['status.uncountedTerminatedPods', 'must be empty'],
      ['status.terminating', 'invalid for finished job'],
      ['status.completionTime', 'Required'],
      ['status.ready', 'more ready pods than active'],
    ],
  },
  {
    resource: 'batch/jobs',
    title: 'what has ended begins again',
    from: ended,
    status: {
      startTime: '2024-01-02T00:00:00Z',
      completionTime: '2024-01-01T02:00:00Z',
      conditions: [when('SuccessCriteriaMet'), when('Failed')],
    },
    errors: [
      ['status.conditions', 'Failed=True condition without the FailureTarget'],
      ['status.conditions', 'SuccessCriteriaMet=True and Failed=true'],
      ['status.conditions', 'terminal Complete=True'],
      ['status.completionTime', 'no Complete=True condition'],
      ['status.completionTime', 'after `startTime`'],
      ['status.completionTime', 'immutable'],
      ['status.startTime', 'immutable'],
      ['status.succeeded', 'cannot decrease'],
    ],
  },
  {
    resource: 'batch/jobs',
    title: 'right: a job that goes on begins anew',
    from: { startTime: '2024-01-01T00:00:00Z', conditions: [when('Suspended')] },
    status: { startTime: '2024-01-02T00:00:00Z', conditions: [when('Suspended', 'False')] },
  },
  {
    resource: 'batch/jobs',
    title: 'indexes that overlap, and that there are not',
    spec: indexed,
    status: { completedIndexes: '0-2,4', failedIndexes: '2,7' },
    errors: [
      ['status.failedIndexes', 'too large index: "7"'],
      ['status.failedIndexes', 'overlap at index: 2'],
    ],
  },
  {
    resource: 'batch/jobs',
    title: 'indexes of a job without',
    status: { completedIndexes: '0', failedIndexes: '' },
    errors: [
      ['status.completedIndexes', 'requires indexed'],
      ['status.failedIndexes', 'requires backoffLimitPerIndex'],
    ],
  },
  {
    resource: 'batch/jobs',
    title: 'right: what was wrong and stays',
    spec: { ...indexed, completions: 1 },
    from: { completedIndexes: '0-2', ready: 2 },
    status: { completedIndexes: '0-2', ready: 2, failed: 1 },
  },
  {
    resource: '/pods',
    title: 'addresses, a node and a condition that are none, and another class',
    from: { qosClass: 'Burstable' },
    status: {
      qosClass: 'BestEffort',
      nominatedNodeName: 'A_b',
      conditions: [when('a b')],
      hostIP: '10.0.0.1',
      hostIPs: [{ ip: '10.0.0.2' }],
      podIPs: [{ ip: 'x' }],
    },
    errors: [
      ['status.conditions[0].Type', 'name part must consist'],
      ['status.nominatedNodeName', 'RFC 1123'],
      ['status.qosClass', 'immutable'],
      ['status.podIPs[0]', 'valid IP'],
      ['status.hostIPs[0].ip', 'must be equal to `hostIP`'],
    ],
  },
  {
    resource: '/pods',
    title: 'two addresses of one family',
    status: { podIPs: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }] },
    errors: [['status.podIPs', 'no more than one IP for each IP family']],
  },
  {
    resource: '/pods',
    title: 'a container that has ended runs again',
    spec: { restartPolicy: 'Never', containers: [{ name: 'c' }] },
    from: container({ terminated: { exitCode: 1 } }),
    status: container({ running: {} }),
    errors: [['status.containerStatuses[0].state', 'Forbidden']],
  },
  {
    resource: '/pods',
    title: 'right: one that failed is tried again',
    spec: { restartPolicy: 'OnFailure', containers: [{ name: 'c' }] },
    from: container({ terminated: { exitCode: 1 } }),
    status: container({ running: {} }),
  },
  {
    resource: '/pods',
    title: 'right: a sidecar runs again',
    spec: { restartPolicy: 'Never', initContainers: [{ name: 'c', restartPolicy: 'Always' }] },
    from: { initContainerStatuses: [{ name: 'c', state: { terminated: { exitCode: 0 } } }] },
    status: { initContainerStatuses: [{ name: 'c', state: { running: {} } }] },
  },
];

describe('a status', () => {
  for (const { resource, title, spec = {}, from = {}, status, errors = [] } of rows) {
    it(`${resource}: ${title}`, () => {
      const base = { apiVersion: 'v1', kind: 'K', metadata: { name: 'x' }, spec };
      const next: ApiObject = { ...base, status };
      const found = rules[resource]?.validateStatusUpdate?.(next, { ...base, status: from }) ?? [];
      const said = found.map(formatFieldError);
      assert.deepEqual(
        found.map(({ field }) => field),
        errors.map(([field]) => field),
        said.join('\n'),
      );
      for (const [at, [, words]] of errors.entries())
        assert.ok(said[at]?.includes(words), said[at]);
    });
  }
});
