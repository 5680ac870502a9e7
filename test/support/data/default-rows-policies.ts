/** Least objects of the kinds that make no pods, and what they are with their defaults. */
import type { DefaultRow } from './default-rows.ts';

export const policyDefaultRows: readonly DefaultRow[] = [
  {
    version: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    object: { provisioner: 'p' },
    filled: { provisioner: 'p', reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' },
  },
  {
    version: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    object: { spec: {} },
    filled: {
      spec: {
        attachRequired: true,
        podInfoOnMount: false,
        volumeLifecycleModes: ['Persistent'],
        storageCapacity: false,
        fsGroupPolicy: 'ReadWriteOnceWithFSType',
        requiresRepublish: false,
        seLinuxMount: false,
      },
    },
  },
  {
    version: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    object: { spec: { podSelector: {}, ingress: [{ ports: [{ port: 1 }] }] } },
    filled: {
      spec: {
        podSelector: {},
        ingress: [{ ports: [{ port: 1, protocol: 'TCP' }] }],
        policyTypes: ['Ingress'],
      },
    },
  },
  {
    version: 'networking.k8s.io/v1',
    kind: 'IngressClass',
    object: { spec: { controller: 'c.io/c', parameters: { kind: 'k', name: 'n' } } },
    filled: {
      spec: { controller: 'c.io/c', parameters: { kind: 'k', name: 'n', scope: 'Cluster' } },
    },
  },
  {
    version: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    object: {
      roleRef: { kind: 'Role', name: 'r' },
      subjects: [
        { kind: 'User', name: 'u' },
        { kind: 'ServiceAccount', name: 's', namespace: 'n' },
      ],
    },
    filled: {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
      subjects: [
        { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'u' },
        { kind: 'ServiceAccount', name: 's', namespace: 'n' },
      ],
    },
  },
  {
    version: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    object: {
      spec: {
        scaleTargetRef: { kind: 'Deployment', name: 'd' },
        maxReplicas: 3,
        behavior: { scaleDown: { selectPolicy: 'Min' } },
      },
    },
    filled: {
      spec: {
        scaleTargetRef: { kind: 'Deployment', name: 'd' },
        maxReplicas: 3,
        minReplicas: 1,
        metrics: [
          {
            type: 'Resource',
            resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
          },
        ],
        behavior: {
          scaleUp: {
            stabilizationWindowSeconds: 0,
            selectPolicy: 'Max',
            policies: [
              { type: 'Pods', value: 4, periodSeconds: 15 },
              { type: 'Percent', value: 100, periodSeconds: 15 },
            ],
          },
          scaleDown: {
            selectPolicy: 'Min',
            policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
          },
        },
      },
      status: { desiredReplicas: 0 },
    },
  },
  {
    version: 'autoscaling/v1',
    kind: 'HorizontalPodAutoscaler',
    object: { spec: { scaleTargetRef: { kind: 'Deployment', name: 'd' }, maxReplicas: 3 } },
    filled: {
      spec: {
        scaleTargetRef: { kind: 'Deployment', name: 'd' },
        maxReplicas: 3,
        minReplicas: 1,
        targetCPUUtilizationPercentage: 80,
      },
      status: { currentReplicas: 0, desiredReplicas: 0 },
    },
  },
  ...[
    { about: 'that measures something else', metrics: '[{"type":"External"}]', target: {} },
    {
      about: 'that measures nothing',
      metrics: '[]',
      target: { targetCPUUtilizationPercentage: 80 },
    },
  ].map(({ about, metrics, target }) => {
    const metadata = { annotations: { 'autoscaling.alpha.kubernetes.io/metrics': metrics } };
    const scaleTargetRef = { kind: 'Deployment', name: 'd' };
    return {
      version: 'autoscaling/v1',
      kind: 'HorizontalPodAutoscaler',
      about,
      object: { metadata, spec: { scaleTargetRef, maxReplicas: 3, minReplicas: 2 } },
      filled: {
        metadata,
        spec: { scaleTargetRef, maxReplicas: 3, minReplicas: 2, ...target },
        status: { currentReplicas: 0, desiredReplicas: 0 },
      },
    };
  }),
  {
    version: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    object: {
      webhooks: [
        {
          name: 'w.x.io',
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          clientConfig: { service: { name: 's', namespace: 'n' } },
          rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }],
        },
      ],
    },
    filled: {
      webhooks: [
        {
          name: 'w.x.io',
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          clientConfig: { service: { name: 's', namespace: 'n', port: 443 } },
          rules: [
            {
              operations: ['*'],
              apiGroups: ['*'],
              apiVersions: ['*'],
              resources: ['*'],
              scope: '*',
            },
          ],
          failurePolicy: 'Fail',
          matchPolicy: 'Equivalent',
          namespaceSelector: {},
          objectSelector: {},
          reinvocationPolicy: 'Never',
          timeoutSeconds: 10,
        },
      ],
    },
  },
  {
    version: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    object: { spec: { matchConstraints: {} } },
    filled: {
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          matchPolicy: 'Equivalent',
          namespaceSelector: {},
          objectSelector: {},
        },
      },
      status: {},
    },
  },
  {
    version: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'FlowSchema',
    object: { spec: { priorityLevelConfiguration: { name: 'p' } } },
    filled: {
      spec: { priorityLevelConfiguration: { name: 'p' }, matchingPrecedence: 1000 },
      status: {},
    },
  },
  {
    version: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'PriorityLevelConfiguration',
    object: {
      spec: { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: {} } } },
    },
    filled: {
      spec: {
        type: 'Limited',
        limited: {
          nominalConcurrencyShares: 30,
          lendablePercent: 0,
          limitResponse: {
            type: 'Queue',
            queuing: { queues: 64, handSize: 8, queueLengthLimit: 50 },
          },
        },
      },
      status: {},
    },
  },
  {
    version: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'PriorityLevelConfiguration',
    about: 'that keeps its zero shares',
    object: {
      spec: {
        type: 'Limited',
        limited: { nominalConcurrencyShares: 0, limitResponse: { type: 'Reject' } },
      },
    },
    filled: {
      spec: {
        type: 'Limited',
        limited: {
          nominalConcurrencyShares: 0,
          lendablePercent: 0,
          limitResponse: { type: 'Reject' },
        },
      },
      status: {},
    },
  },
  {
    version: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    object: { value: 1 },
    filled: { value: 1, preemptionPolicy: 'PreemptLowerPriority' },
  },
  {
    version: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    object: { addressType: 'IPv4', endpoints: [], ports: [{ port: 1 }] },
    filled: {
      addressType: 'IPv4',
      endpoints: [],
      ports: [{ port: 1, name: '', protocol: 'TCP' }],
    },
  },
  {
    version: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    object: { handler: 'h', overhead: { podFixed: { cpu: '1500u' } } },
    filled: { handler: 'h', overhead: { podFixed: { cpu: '2m' } } },
  },
  ...['v1', 'v1beta1'].map((version) => ({
    version: `apiregistration.k8s.io/${version}`,
    kind: 'APIService',
    object: { spec: { service: { name: 's' }, groupPriorityMinimum: 1, versionPriority: 1 } },
    filled: {
      spec: { service: { name: 's', port: 443 }, groupPriorityMinimum: 1, versionPriority: 1 },
      status: {},
    },
  })),
  {
    version: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    object: {
      spec: {
        group: 'x.io',
        scope: 'Cluster',
        names: { plural: 'foos', kind: 'Foo' },
        versions: [],
      },
    },
    filled: {
      spec: {
        group: 'x.io',
        scope: 'Cluster',
        names: { plural: 'foos', kind: 'Foo', singular: 'foo', listKind: 'FooList' },
        versions: [],
        conversion: { strategy: 'None' },
      },
      status: { acceptedNames: { plural: '', kind: '' } },
    },
  },
  {
    version: 'resource.k8s.io/v1beta1',
    kind: 'ResourceClaim',
    object: { spec: { devices: { requests: [{ name: 'r', deviceClassName: 'c' }] } } },
    filled: {
      spec: {
        devices: {
          requests: [{ name: 'r', deviceClassName: 'c', allocationMode: 'ExactCount', count: 1 }],
        },
      },
      status: {},
    },
  },
];
