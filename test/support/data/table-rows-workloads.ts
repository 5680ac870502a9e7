/** Rows for test/apis/tables.test.ts: an object of what runs pods, and the cells it has. */
import type { JsonObject, JsonValue } from '../../../src/apimachinery/unstructured.ts';

export interface TableCase {
  readonly title: string;
  readonly key: string;
  readonly object: JsonObject;
  /** By the name of the column; those that are not named are not looked at. */
  readonly cells: Readonly<Record<string, JsonValue>>;
}

/** Of every object; the test's clock stands five minutes later. */
export const metadata = { name: 'a', creationTimestamp: '2026-01-10T11:55:00Z' };
const selector = {
  matchLabels: { app: 'web' },
  matchExpressions: [
    { key: 'tier', operator: 'In', values: ['b', 'a'] },
    { key: 'old', operator: 'DoesNotExist' },
  ],
};
const template = {
  spec: {
    nodeSelector: { disk: 'ssd' },
    containers: [
      { name: 'one', image: 'i1' },
      { name: 'two', image: 'i2' },
    ],
  },
};

export function pod(spec: JsonObject, status: JsonObject, more: JsonObject = {}): JsonObject {
  return { metadata: { ...metadata, ...more }, spec, status };
}
export const two = { containers: [{ name: 'x' }, { name: 'y' }] };
const running = { running: {} };
const init = { ...two, initContainers: [{ name: 'i' }, { name: 's', restartPolicy: 'Always' }] };

export const podRows: readonly TableCase[] = [
  {
    title: 'runs',
    key: '/pods',
    object: pod(
      { ...two, nodeName: 'n1', readinessGates: [{ conditionType: 'g' }, { conditionType: 'h' }] },
      {
        phase: 'Running',
        podIPs: [{ ip: '10.0.0.1' }],
        conditions: [{ type: 'g', status: 'True' }],
        containerStatuses: [
          { name: 'x', ready: true, restartCount: 0, state: running },
          { name: 'y', ready: false, restartCount: 0, state: running },
        ],
      },
    ),
    cells: {
      Name: 'a',
      Ready: '1/2',
      Status: 'Running',
      Restarts: '0',
      Age: '5m',
      IP: '10.0.0.1',
      Node: 'n1',
      'Nominated Node': '<none>',
      'Readiness Gates': '1/2',
    },
  },
  {
    title: 'is new',
    key: '/pods',
    object: pod(two, { phase: 'Pending' }),
    cells: { Ready: '0/2', Status: 'Pending', IP: '<none>', Node: '<none>' },
  },
  {
    title: 'waits for its gates',
    key: '/pods',
    object: pod(two, {
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }],
    }),
    cells: { Status: 'SchedulingGated', 'Readiness Gates': '<none>' },
  },
  {
    title: 'crashes',
    key: '/pods',
    object: pod(two, {
      phase: 'Running',
      containerStatuses: [
        { name: 'x', ready: true, restartCount: 0, state: running },
        {
          name: 'y',
          restartCount: 7,
          state: { waiting: { reason: 'CrashLoopBackOff' } },
          lastState: { terminated: { exitCode: 1, finishedAt: '2026-01-10T11:59:10Z' } },
        },
      ],
    }),
    cells: { Ready: '1/2', Status: 'CrashLoopBackOff', Restarts: '7 (50s ago)' },
  },
  {
    title: 'ended with an exit code',
    key: '/pods',
    object: pod(two, {
      phase: 'Failed',
      containerStatuses: [{ name: 'x', state: { terminated: { exitCode: 3 } } }],
    }),
    cells: { Status: 'ExitCode:3' },
  },
  {
    title: 'was killed',
    key: '/pods',
    object: pod(two, { containerStatuses: [{ state: { terminated: { signal: 9 } } }] }),
    cells: { Status: 'Signal:9' },
  },
  {
    title: 'has a container that is done and one that runs',
    key: '/pods',
    object: pod(two, {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [
        { name: 'x', state: { terminated: { exitCode: 0, reason: 'Completed' } } },
        { name: 'y', ready: true, state: running },
      ],
    }),
    cells: { Ready: '1/2', Status: 'Running' },
  },
  {
    title: 'initializes',
    key: '/pods',
    object: pod(init, {
      phase: 'Pending',
      initContainerStatuses: [{ name: 'i', restartCount: 2, state: running }],
    }),
    cells: { Ready: '0/3', Status: 'Init:0/2', Restarts: '2' },
  },
  {
    title: 'fails to initialize',
    key: '/pods',
    object: pod(init, {
      initContainerStatuses: [
        { name: 'i', state: { terminated: { exitCode: 1, reason: 'Error' } } },
      ],
    }),
    cells: { Status: 'Init:Error' },
  },
  {
    title: 'has a sidecar that runs: its restarts count, those of init containers no more',
    key: '/pods',
    object: pod(init, {
      phase: 'Running',
      initContainerStatuses: [
        { name: 'i', restartCount: 4, state: { terminated: { exitCode: 0 } } },
        { name: 's', restartCount: 1, started: true, ready: true, state: running },
      ],
      containerStatuses: [{ name: 'x', ready: true, restartCount: 1, state: running }],
    }),
    cells: { Ready: '2/3', Status: 'Running', Restarts: '2' },
  },
  {
    title: 'goes',
    key: '/pods',
    object: pod(two, { phase: 'Running' }, { deletionTimestamp: '2026-01-10T11:59:00Z' }),
    cells: { Status: 'Terminating' },
  },
  {
    title: 'goes with its node',
    key: '/pods',
    object: pod(
      two,
      { phase: 'Running', reason: 'NodeLost' },
      { deletionTimestamp: '2026-01-10T11:59:00Z' },
    ),
    cells: { Status: 'Unknown' },
  },
];

export const workloadRows: readonly TableCase[] = [
  {
    title: 'counts its pods',
    key: 'apps/deployments',
    object: {
      metadata,
      spec: { replicas: 3, selector, template },
      status: { readyReplicas: 2, updatedReplicas: 1, availableReplicas: 2 },
    },
    cells: {
      Ready: '2/3',
      'Up-to-date': 1,
      Available: 2,
      Age: '5m',
      Containers: 'one,two',
      Images: 'i1,i2',
      Selector: 'app=web,!old,tier in (a,b)',
    },
  },
  {
    title: 'counts its pods',
    key: 'apps/replicasets',
    object: { metadata, spec: { replicas: 3 }, status: { replicas: 2, readyReplicas: 1 } },
    cells: { Desired: 3, Current: 2, Ready: 1, Selector: '<none>' },
  },
  {
    title: 'counts its pods',
    key: 'apps/statefulsets',
    object: { metadata, spec: { replicas: 3, template }, status: { readyReplicas: 1 } },
    cells: { Ready: '1/3', Images: 'i1,i2' },
  },
  {
    title: 'counts its nodes',
    key: 'apps/daemonsets',
    object: {
      metadata,
      spec: { template },
      status: {
        desiredNumberScheduled: 5,
        currentNumberScheduled: 4,
        numberReady: 3,
        updatedNumberScheduled: 2,
        numberAvailable: 1,
      },
    },
    cells: {
      Desired: 5,
      Current: 4,
      Ready: 3,
      'Up-to-date': 2,
      Available: 1,
      'Node Selector': 'disk=ssd',
    },
  },
  {
    title: 'names its owner',
    key: 'apps/controllerrevisions',
    object: {
      metadata: {
        ...metadata,
        ownerReferences: [
          { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', controller: true },
        ],
      },
      revision: 4,
    },
    cells: { Controller: 'daemonset.apps/d', Revision: 4 },
  },
  {
    title: 'says how many of its pods have ended',
    key: 'batch/jobs',
    object: {
      metadata,
      spec: { completions: 3 },
      status: { succeeded: 1, startTime: '2026-01-10T11:58:00Z' },
    },
    cells: { Status: 'Running', Completions: '1/3', Duration: '2m' },
  },
  {
    title: 'that is done says how long it took',
    key: 'batch/jobs',
    object: {
      metadata,
      spec: { parallelism: 2 },
      status: {
        succeeded: 1,
        startTime: '2026-01-10T11:00:00Z',
        completionTime: '2026-01-10T11:00:45Z',
        conditions: [{ type: 'Complete', status: 'True' }],
      },
    },
    cells: { Status: 'Complete', Completions: '1/1 of 2', Duration: '45s' },
  },
  {
    title: 'says when it ran',
    key: 'batch/cronjobs',
    object: {
      metadata,
      spec: { schedule: '* * * * *', suspend: false, jobTemplate: { spec: { template } } },
      status: { active: [{}, {}], lastScheduleTime: '2026-01-10T11:59:30Z' },
    },
    cells: {
      Schedule: '* * * * *',
      Timezone: '<none>',
      Suspend: 'False',
      Active: 2,
      'Last Schedule': '30s',
      Containers: 'one,two',
      Selector: '<none>',
    },
  },
  {
    title: 'shows numbers and percentages',
    key: 'policy/poddisruptionbudgets',
    object: { metadata, spec: { minAvailable: '50%' }, status: { disruptionsAllowed: 2 } },
    cells: { 'Min Available': '50%', 'Max Unavailable': 'N/A', 'Allowed Disruptions': 2 },
  },
  {
    title: 'shows what it measures',
    key: 'autoscaling/horizontalpodautoscalers',
    object: {
      metadata,
      spec: {
        scaleTargetRef: { kind: 'Deployment', name: 'web' },
        maxReplicas: 9,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { averageUtilization: 80 } } },
          { type: 'Pods', pods: { target: { averageValue: '10' } } },
          { type: 'External', external: { target: { value: '1' } } },
        ],
      },
      status: {
        currentReplicas: 4,
        currentMetrics: [{ type: 'Resource', resource: { current: { averageUtilization: 55 } } }],
      },
    },
    cells: {
      Reference: 'Deployment/web',
      Targets: 'cpu: 55%/80%, <unknown>/10 + 1 more...',
      MinPods: '<unset>',
      MaxPods: 9,
      Replicas: 4,
    },
  },
  {
    title: 'of the older version shows its percentage',
    key: 'autoscaling/horizontalpodautoscalers',
    object: { metadata, spec: { minReplicas: 1, targetCPUUtilizationPercentage: 50 } },
    cells: { Targets: 'cpu: <unknown>/50%', MinPods: '1' },
  },
];
