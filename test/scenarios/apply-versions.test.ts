/**
 * A manager that applies at another version than before gives up what it no longer names; what its
 * old version could not leave out, and what that version implies, stays (spec 1, section 4.5).
 */
import { absent } from '../support/checks/partial-equal.ts';
import { runScenarios } from '../support/checks/scenario.ts';
import type { Scenario, Step } from '../support/checks/scenario.ts';

const headers = { 'content-type': 'application/apply-patch+yaml' };
const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' };
const needed = { scaleTargetRef, maxReplicas: 3 };

type Version = 'v1' | 'v2';

const url = (version: Version) =>
  `/apis/autoscaling/${version}/namespaces/$ns/horizontalpodautoscalers`;

function apply(version: Version, manager: string, parts: object, more: Partial<Step> = {}): Step {
  const apiVersion = `autoscaling/${version}`;
  return {
    request: `PATCH ${url(version)}/h?fieldManager=${manager}`,
    headers,
    body: { apiVersion, kind: 'HorizontalPodAutoscaler', metadata: { name: 'h' }, ...parts },
    status: 200,
    ...more,
  };
}

function uses(name: string, averageUtilization: number): object {
  return {
    type: 'Resource',
    resource: { name, target: { type: 'Utilization', averageUtilization } },
  };
}

const first = { status: 201 };
const isStored = (spec: object): Step => ({
  request: `GET ${url('v2')}/h`,
  status: 200,
  expect: { spec },
});

const measured: readonly (readonly [title: string, metrics: readonly object[]])[] = [
  ['a metric that v1 has no field for', [uses('memory', 50)]],
  ['the metric that v1 has a field for', [uses('cpu', 50)]],
  ['both', [uses('memory', 50), uses('cpu', 50)]],
];

const kept = measured.map(([title, metrics]): Scenario => ({
  title: `applied at v2, then without metrics at v1: ${title} stays, for v1 implies some`,
  steps: [
    apply('v2', 'm', { spec: { ...needed, minReplicas: 2, metrics } }, first),
    apply('v1', 'm', { spec: needed }),
    isStored({ ...needed, minReplicas: 1, metrics }),
  ],
}));

const table: readonly Scenario[] = [
  ...kept,
  {
    title: 'applied at v1, then at v2 without a target: the target stays, its minimum goes',
    steps: [
      apply(
        'v1',
        'm',
        { spec: { ...needed, minReplicas: 2, targetCPUUtilizationPercentage: 52 } },
        first,
      ),
      apply('v2', 'm', { spec: needed }),
      isStored({ ...needed, minReplicas: 1, metrics: [uses('cpu', 52)] }),
    ],
  },
  {
    title: 'applied at v1, then at v2 without a spec: what v1 always writes stays',
    steps: [
      apply('v1', 'm', { spec: needed }, first),
      apply('v2', 'm', { metadata: { name: 'h', annotations: { a: '1' } } }),
      isStored(needed),
    ],
  },
  {
    title: 'applied at v2 with a behavior, then at v1 without: it goes, for v1 implies none',
    steps: [
      apply(
        'v2',
        'm',
        { spec: { ...needed, behavior: { scaleUp: { stabilizationWindowSeconds: 3 } } } },
        first,
      ),
      apply('v1', 'm', { spec: needed }),
      isStored({ ...needed, behavior: absent }),
    ],
  },
];

runScenarios('apply-versions', table);
