/** What the removal table says of fields, version by version (spec 2, section 9.3). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ApiObject, JsonObject } from '../../src/apimachinery/unstructured.ts';
import { convert } from '../support/data/versioned-kinds.ts';

interface Row {
  readonly title: string;
  readonly kind: string;
  readonly from: string;
  readonly object: JsonObject;
  readonly to: string;
  readonly expected: JsonObject;
}

const residue = 'conversion.kubernetes.io/';
const path = (backend: JsonObject, more: JsonObject = {}) => ({
  http: { paths: [{ path: '/', ...more, backend }] },
});
const cpu = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } },
};
const memory = {
  type: 'Resource',
  resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } },
};

const measured = {
  type: 'Resource',
  resource: { name: 'cpu', current: { averageUtilization: 7 } },
};

function scalerWithRules(said: string): JsonObject {
  return {
    metadata: { annotations: { 'autoscaling.alpha.kubernetes.io/behavior': said } },
    spec: { maxReplicas: 3, targetCPUUtilizationPercentage: 60 },
  };
}

const rows: readonly Row[] = [
  {
    title: 'a core Event in the events group has its fields under their new names',
    kind: 'Event',
    from: 'v1',
    object: {
      involvedObject: { kind: 'Pod', name: 'p' },
      message: 'm',
      source: { component: 'c' },
      count: 3,
      firstTimestamp: '2020-01-02T03:04:05Z',
      lastTimestamp: '2020-01-02T03:04:06Z',
      reportingComponent: 'r',
      series: { count: 4, lastObservedTime: '2020-01-02T03:04:05.000006Z' },
    },
    to: 'events.k8s.io/v1',
    expected: {
      regarding: { kind: 'Pod', name: 'p' },
      note: 'm',
      deprecatedSource: { component: 'c' },
      deprecatedCount: 3,
      deprecatedFirstTimestamp: '2020-01-02T03:04:05Z',
      deprecatedLastTimestamp: '2020-01-02T03:04:06Z',
      reportingController: 'r',
      series: { count: 4, lastObservedTime: '2020-01-02T03:04:05.000006Z' },
    },
  },
  {
    title: 'a number of a port of an older Ingress is a number, the default backend has its name',
    kind: 'Ingress',
    from: 'networking.k8s.io/v1beta1',
    object: {
      spec: {
        backend: { serviceName: 'd', servicePort: 'http' },
        rules: [path({ serviceName: 's', servicePort: 80 }, { pathType: 'Exact' })],
      },
    },
    to: 'networking.k8s.io/v1',
    expected: {
      spec: {
        defaultBackend: { service: { name: 'd', port: { name: 'http' } } },
        rules: [path({ service: { name: 's', port: { number: 80 } } }, { pathType: 'Exact' })],
      },
    },
  },
  {
    title: 'an Ingress shows itself in extensions',
    kind: 'Ingress',
    from: 'networking.k8s.io/v1',
    object: {
      spec: {
        defaultBackend: { resource: { kind: 'Bucket', name: 'b' } },
        rules: [path({ service: { name: 's', port: { name: 'x' } } })],
      },
    },
    to: 'extensions/v1beta1',
    expected: {
      spec: {
        backend: { resource: { kind: 'Bucket', name: 'b' } },
        rules: [path({ serviceName: 's', servicePort: 'x' })],
      },
    },
  },
  {
    title: 'the CPU metric of an autoscaler is the number of v1, the others are an annotation',
    kind: 'HorizontalPodAutoscaler',
    from: 'autoscaling/v2',
    object: {
      spec: {
        maxReplicas: 3,
        metrics: [memory, cpu],
        behavior: { scaleDown: { stabilizationWindowSeconds: 5 } },
      },
      status: {
        currentReplicas: 1,
        currentMetrics: [measured],
        conditions: [{ type: 'AbleToScale', status: 'True' }],
      },
    },
    to: 'autoscaling/v1',
    expected: {
      metadata: {
        annotations: {
          'autoscaling.alpha.kubernetes.io/metrics':
            '[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1Gi"}}]',
          'autoscaling.alpha.kubernetes.io/behavior':
            '{"ScaleUp":null,"ScaleDown":{"StabilizationWindowSeconds":5,"SelectPolicy":null,' +
            '"Policies":null,"Tolerance":null}}',
          'autoscaling.alpha.kubernetes.io/current-metrics':
            '[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":7,' +
            '"currentAverageValue":"0"}}]',
          'autoscaling.alpha.kubernetes.io/conditions': '[{"type":"AbleToScale","status":"True"}]',
        },
      },
      spec: { maxReplicas: 3, targetCPUUtilizationPercentage: 60 },
      status: { currentReplicas: 1, currentCPUUtilizationPercentage: 7 },
    },
  },
  ...[
    ['ScaleUp', 'StabilizationWindowSeconds', 'Policies', 'Type', 'Value', 'PeriodSeconds'],
    ['scaleUp', 'stabilizationWindowSeconds', 'policies', 'type', 'value', 'periodSeconds'],
  ].map(([up, seconds, policies, type, value, period]): Row => ({
    title: `scaling rules are read in any case (${up}), and what they leave out is the default`,
    kind: 'HorizontalPodAutoscaler',
    from: 'autoscaling/v1',
    object: scalerWithRules(
      `{"${up}":{"${seconds}":5,"${policies}":[{"${type}":"Pods","${value}":1,"${period}":9}],` +
        '"Other":1}}',
    ),
    to: 'autoscaling/v2',
    expected: {
      spec: {
        maxReplicas: 3,
        metrics: [cpu],
        behavior: {
          scaleUp: {
            stabilizationWindowSeconds: 5,
            policies: [{ type: 'Pods', value: 1, periodSeconds: 9 }],
          },
          scaleDown: {
            selectPolicy: 'Max',
            policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
          },
        },
      },
    },
  })),
  ...['{"scaleUp":{"policies":"none"}}', '{"ScaleUp":[]}', '{}', 'null', '7', '{'].map(
    (said): Row => ({
      title: `scaling rules of another form say nothing: ${said}`,
      kind: 'HorizontalPodAutoscaler',
      from: 'autoscaling/v1',
      object: scalerWithRules(said),
      to: 'autoscaling/v2',
      expected: { spec: { maxReplicas: 3, metrics: [cpu] } },
    }),
  ),
  {
    title: 'the number of v1 is a metric of v2',
    kind: 'HorizontalPodAutoscaler',
    from: 'autoscaling/v1',
    object: { spec: { maxReplicas: 3, targetCPUUtilizationPercentage: 60 } },
    to: 'autoscaling/v2',
    expected: { spec: { maxReplicas: 3, metrics: [cpu] } },
  },
  {
    title: 'v2beta1 names the average in a field of its own',
    kind: 'HorizontalPodAutoscaler',
    from: 'autoscaling/v2beta1',
    object: {
      spec: {
        maxReplicas: 3,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', targetAverageUtilization: 60 } },
          { type: 'Pods', pods: { metricName: 'm', targetAverageValue: '2' } },
          {
            type: 'Object',
            object: { target: { kind: 'S', name: 's' }, metricName: 'o', targetValue: '3' },
          },
        ],
      },
    },
    to: 'autoscaling/v2',
    expected: {
      spec: {
        maxReplicas: 3,
        metrics: [
          cpu,
          {
            type: 'Pods',
            pods: { metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '2' } },
          },
          {
            type: 'Object',
            object: {
              describedObject: { kind: 'S', name: 's' },
              metric: { name: 'o' },
              target: { type: 'Value', value: '3' },
            },
          },
        ],
      },
    },
  },
  {
    title: 'an empty selector of a v1beta1 budget selects nothing in v1 either',
    kind: 'PodDisruptionBudget',
    from: 'policy/v1beta1',
    object: { spec: { selector: {} } },
    to: 'policy/v1',
    expected: {
      spec: {
        selector: {
          matchExpressions: [
            {
              key: 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match',
              operator: 'Exists',
            },
          ],
        },
      },
    },
  },
  {
    title: 'an empty selector of a v1 budget selects everything in v1beta1 too',
    kind: 'PodDisruptionBudget',
    from: 'policy/v1',
    object: { spec: { selector: {} } },
    to: 'policy/v1beta1',
    expected: {
      spec: {
        selector: {
          matchExpressions: [
            {
              key: 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match',
              operator: 'DoesNotExist',
            },
          ],
        },
      },
    },
  },
  {
    title: 'zone and node leave the topology of an endpoint',
    kind: 'EndpointSlice',
    from: 'discovery.k8s.io/v1beta1',
    object: {
      endpoints: [
        {
          addresses: ['10.0.0.1'],
          nodeName: 'n',
          topology: {
            'topology.kubernetes.io/zone': 'z',
            'kubernetes.io/hostname': 'n',
            other: 'o',
          },
        },
      ],
    },
    to: 'discovery.k8s.io/v1',
    expected: {
      endpoints: [
        { addresses: ['10.0.0.1'], nodeName: 'n', zone: 'z', deprecatedTopology: { other: 'o' } },
      ],
    },
  },
  {
    title: 'shares of a priority level have a new name',
    kind: 'PriorityLevelConfiguration',
    from: 'flowcontrol.apiserver.k8s.io/v1beta2',
    object: { spec: { limited: { assuredConcurrencyShares: 7 } } },
    to: 'flowcontrol.apiserver.k8s.io/v1',
    expected: { spec: { limited: { nominalConcurrencyShares: 7 } } },
  },
  {
    title: 'no shares are no shares in v1beta3 too',
    kind: 'PriorityLevelConfiguration',
    from: 'flowcontrol.apiserver.k8s.io/v1',
    object: { spec: { limited: { nominalConcurrencyShares: 0 } } },
    to: 'flowcontrol.apiserver.k8s.io/v1beta3',
    expected: {
      metadata: {
        annotations: { 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares': '' },
      },
      spec: { limited: { nominalConcurrencyShares: 0 } },
    },
  },
  {
    title: 'the rollback of a Deployment is an annotation',
    kind: 'Deployment',
    from: 'extensions/v1beta1',
    object: { spec: { replicas: 2, rollbackTo: { revision: 4 } } },
    to: 'apps/v1',
    expected: {
      metadata: { annotations: { 'deprecated.deployment.rollback.to': '4' } },
      spec: { replicas: 2 },
    },
  },
  {
    title: 'the generation of a DaemonSet template is an annotation',
    kind: 'DaemonSet',
    from: 'extensions/v1beta1',
    object: { spec: { templateGeneration: 5 } },
    to: 'apps/v1beta2',
    expected: {
      metadata: { annotations: { 'deprecated.daemonset.template.generation': '5' } },
      spec: {},
    },
  },
  {
    title: 'what the versions of a CustomResourceDefinition share moves into each',
    kind: 'CustomResourceDefinition',
    from: 'apiextensions.k8s.io/v1beta1',
    object: {
      spec: {
        group: 'example.org',
        version: 'v1',
        scope: 'Cluster',
        validation: { openAPIV3Schema: { type: 'object' } },
        subresources: { status: {} },
        additionalPrinterColumns: [{ name: 'Age', type: 'date', JSONPath: '.a' }],
        versions: [
          { name: 'v1', served: true, storage: true },
          { name: 'v2', served: true, storage: false },
        ],
        conversion: {
          strategy: 'Webhook',
          webhookClientConfig: { url: 'https://x' },
          conversionReviewVersions: ['v1beta1'],
        },
        preserveUnknownFields: false,
      },
    },
    to: 'apiextensions.k8s.io/v1',
    expected: {
      spec: {
        group: 'example.org',
        scope: 'Cluster',
        versions: ['v1', 'v2'].map((name) => ({
          name,
          served: true,
          storage: name === 'v1',
          schema: { openAPIV3Schema: { type: 'object' } },
          subresources: { status: {} },
          additionalPrinterColumns: [{ name: 'Age', type: 'date', jsonPath: '.a' }],
        })),
        conversion: {
          strategy: 'Webhook',
          webhook: { clientConfig: { url: 'https://x' }, conversionReviewVersions: ['v1beta1'] },
        },
      },
    },
  },
  {
    title: 'a CustomResourceDefinition with one name of a version has that version',
    kind: 'CustomResourceDefinition',
    from: 'apiextensions.k8s.io/v1beta1',
    object: { spec: { group: 'e.org', version: 'v1', preserveUnknownFields: true } },
    to: 'apiextensions.k8s.io/v1',
    expected: {
      spec: {
        group: 'e.org',
        versions: [{ name: 'v1', served: true, storage: true }],
        preserveUnknownFields: true,
      },
    },
  },
  {
    title: 'the group of a review is its groups',
    kind: 'SubjectAccessReview',
    from: 'authorization.k8s.io/v1beta1',
    object: { spec: { user: 'u', group: ['g'] } },
    to: 'authorization.k8s.io/v1',
    expected: { spec: { user: 'u', groups: ['g'] } },
  },
  {
    title: 'a device request is exact, or offers alternatives',
    kind: 'ResourceClaim',
    from: 'resource.k8s.io/v1beta1',
    object: {
      spec: {
        devices: {
          requests: [
            { name: 'a', deviceClassName: 'c', count: 2 },
            { name: 'b', firstAvailable: [{ name: 'x' }] },
          ],
        },
      },
    },
    to: 'resource.k8s.io/v1beta2',
    expected: {
      spec: {
        devices: {
          requests: [
            { name: 'a', exactly: { deviceClassName: 'c', count: 2 } },
            { name: 'b', firstAvailable: [{ name: 'x' }] },
          ],
        },
      },
    },
  },
  {
    title: 'a device of a slice has its attributes beside its name, or under basic',
    kind: 'ResourceSlice',
    from: 'resource.k8s.io/v1beta2',
    object: { spec: { devices: [{ name: 'd', attributes: { a: { int: 1 } }, nodeName: 'n' }] } },
    to: 'resource.k8s.io/v1alpha3',
    expected: {
      spec: { devices: [{ name: 'd', basic: { attributes: { a: { int: 1 } }, nodeName: 'n' } }] },
    },
  },
  {
    title: 'the fields of a v1alpha1 RuntimeClass lie in a spec',
    kind: 'RuntimeClass',
    from: 'node.k8s.io/v1alpha1',
    object: { spec: { runtimeHandler: 'h', overhead: { podFixed: { cpu: '1' } } } },
    to: 'node.k8s.io/v1',
    expected: { handler: 'h', overhead: { podFixed: { cpu: '1' } } },
  },
  {
    title: 'a v1alpha1 subject names an apiVersion',
    kind: 'RoleBinding',
    from: 'rbac.authorization.k8s.io/v1',
    object: {
      subjects: [
        { kind: 'User', name: 'u', apiGroup: 'rbac.authorization.k8s.io' },
        { kind: 'ServiceAccount', name: 's', namespace: 'n' },
      ],
    },
    to: 'rbac.authorization.k8s.io/v1alpha1',
    expected: {
      subjects: [
        { kind: 'User', name: 'u', apiVersion: 'rbac.authorization.k8s.io/v1alpha1' },
        { kind: 'ServiceAccount', name: 's', namespace: 'n', apiVersion: 'v1' },
      ],
    },
  },
];

/** Annotations that keep what a version cannot hold are not part of these expectations. */
function withoutResidue(object: ApiObject): JsonObject {
  const { metadata, ...rest } = object;
  const kept = Object.entries(metadata.annotations ?? {}).filter(
    ([name]) => !name.startsWith(residue),
  );
  const annotations = Object.fromEntries(kept);
  return { ...rest, metadata: kept.length === 0 ? {} : { annotations } };
}

describe('fields that changed between versions', () => {
  for (const row of rows) {
    it(row.title, () => {
      const object = { kind: row.kind, apiVersion: row.from, metadata: {}, ...row.object };
      const there = convert(object, row.to);
      assert.deepEqual(withoutResidue(there), {
        kind: row.kind,
        apiVersion: row.to,
        metadata: {},
        ...row.expected,
      });
      assert.deepEqual(convert(there, row.from), object);
    });
  }
});
