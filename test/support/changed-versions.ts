/**
 * The notable changes of spec 2, section 9.3, as data: objects that one version writes and what the
 * others show of them, and objects that only an older version would take.
 */
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { absent } from './partial-equal.ts';

export interface Resource {
  readonly kind: string;
  /** With the namespace, where it has one. */
  readonly path: string;
  readonly name?: string;
}

export interface Row {
  readonly title: string;
  readonly resource: Resource;
  readonly version: string;
  readonly object: object;
  /** Version by version: what is looked at of the object, after it was made. */
  readonly shown: Readonly<Record<string, object>>;
}

export interface Refusal {
  readonly title: string;
  readonly resource: Resource;
  readonly version: string;
  readonly object: object;
  /** `<field> <reason>` of causes that must be among those of the answer. */
  readonly causes: readonly string[];
}

const namespaced = (kind: string, resource: string): Resource => ({
  kind,
  path: `namespaces/default/${resource}`,
});
const cluster = (kind: string, resource: string): Resource => ({ kind, path: resource });

const required = 'FieldValueRequired';
const invalid = 'FieldValueInvalid';
const unsupported = 'FieldValueNotSupported';
const duplicate = 'FieldValueDuplicate';

const flow = 'flowcontrol.apiserver.k8s.io';
const levels = cluster('PriorityLevelConfiguration', 'prioritylevelconfigurations');
const level = (shares: JsonObject) => ({
  spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' }, ...shares } },
});
const nominal = (shares: number) => ({ spec: { limited: { nominalConcurrencyShares: shares } } });
/** v1beta3 leaves out what is zero: that it was said is an annotation. */
const zeroKept = {
  metadata: { annotations: { 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares': '' } },
};
const assured = (shares: number) => ({ spec: { limited: { assuredConcurrencyShares: shares } } });

const scalers = namespaced('HorizontalPodAutoscaler', 'horizontalpodautoscalers');
const scaler = (spec: object) => ({
  spec: { scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }, ...spec },
});
const utilization = (percentage: number) => ({
  maxReplicas: 3,
  metrics: [
    {
      type: 'Resource',
      resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: percentage } },
    },
  ],
});

const slices = namespaced('EndpointSlice', 'endpointslices');
const slice = (endpoint: object) => ({
  addressType: 'IPv4',
  endpoints: [{ addresses: ['10.0.0.1'], ...endpoint }],
});

const events = namespaced('Event', 'events');
const event = (more: object) => ({
  eventTime: '2020-01-02T03:04:05.000006Z',
  reportingController: 'example.org/c',
  reportingInstance: 'c-1',
  action: 'Look',
  reason: 'Seen',
  type: 'Normal',
  regarding: { kind: 'Pod', name: 'p', namespace: 'default' },
  ...more,
});

const budgets = namespaced('PodDisruptionBudget', 'poddisruptionbudgets');
const emptyMatch = 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match';

const hooks = cluster('ValidatingWebhookConfiguration', 'validatingwebhookconfigurations');
const webhook = {
  name: 'w.example.org',
  clientConfig: { url: 'https://example.org/' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};
const { sideEffects: _effects, admissionReviewVersions: _versions, ...bareWebhook } = webhook;
const olderHook = {
  failurePolicy: 'Ignore',
  matchPolicy: 'Exact',
  timeoutSeconds: 30,
  sideEffects: 'Unknown',
  admissionReviewVersions: ['v1beta1'],
};

const definitions: Resource = {
  kind: 'CustomResourceDefinition',
  path: 'customresourcedefinitions',
  name: 'wheels.example.org',
};
const names = { plural: 'wheels', kind: 'Wheel' };
const structural = { schema: { openAPIV3Schema: { type: 'object' } } };
const version = { name: 'v1', served: true, storage: true, ...structural };
const definition = { group: 'example.org', names, scope: 'Cluster', versions: [version] };
const { schema: _schema, ...bareVersion } = version;
const { scope: _scope, ...unscoped } = definition;

const requests = cluster('CertificateSigningRequest', 'certificatesigningrequests');
const pem = `-----BEGIN CERTIFICATE REQUEST-----
MIHGMG4CAQAwDDEKMAgGA1UEAwwBdTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IA
BI0WJUezDQgpWgLb4/zmOYkNisle6Yzue9LtcU5cHnOiTZjBAl8quiKn4RE1rpsp
yM7LiCC9N2qfWtVK/Wy6LsKgADAKBggqhkjOPQQDAgNIADBFAiBpDNvXagEqbVNc
J1oIM70MnxzQbC8ZB2JtchleDyTC1gIhAPGXGZ5UjX9cTX3xal41aijvUQai4ucX
UwqtiXeCBGsQ
-----END CERTIFICATE REQUEST-----
`;
const request = (more: object) => ({
  spec: { request: Buffer.from(pem).toString('base64'), ...more },
});
const signing = { signerName: 'example.org/s', usages: ['digital signature'] };

const ingresses = namespaced('Ingress', 'ingresses');
const ingressPath = (path: object) => ({ spec: { rules: [{ http: { paths: [path] } }] } });
const service = { service: { name: 's', port: { number: 80 } } };

const containers = [{ name: 'c', image: 'i' }];
const template = { metadata: { labels: { app: 'a' } }, spec: { containers } };
const selector = { matchLabels: { app: 'a' } };
const deployments = namespaced('Deployment', 'deployments');
const daemonSets = namespaced('DaemonSet', 'daemonsets');
const statefulSets = namespaced('StatefulSet', 'statefulsets');
const replicaSets = namespaced('ReplicaSet', 'replicasets');

/** By release, of 1. */
export const shownRows: Readonly<Record<number, readonly Row[]>> = {
  33: [
    {
      title: 'a Deployment has ten revisions, ten minutes and a quarter of its pods to roll',
      resource: deployments,
      version: 'apps/v1',
      object: { spec: { selector, template } },
      shown: {
        'apps/v1': {
          spec: {
            progressDeadlineSeconds: 600,
            revisionHistoryLimit: 10,
            strategy: {
              type: 'RollingUpdate',
              rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' },
            },
          },
        },
      },
    },
    {
      title: 'a DaemonSet rolls by itself, and has no template generation',
      resource: daemonSets,
      version: 'apps/v1',
      object: { spec: { selector, template } },
      shown: {
        'apps/v1': {
          spec: { updateStrategy: { type: 'RollingUpdate' }, templateGeneration: absent },
        },
      },
    },
    {
      title: 'a StatefulSet rolls by itself',
      resource: statefulSets,
      version: 'apps/v1',
      object: { spec: { selector, template, serviceName: 's' } },
      shown: { 'apps/v1': { spec: { updateStrategy: { type: 'RollingUpdate' } } } },
    },
    {
      title: 'shares that nobody names are 30',
      resource: levels,
      version: `${flow}/v1`,
      object: level({}),
      shown: { [`${flow}/v1`]: nominal(30) },
    },
  ],
  29: [
    {
      title: 'no shares stay no shares, in v1beta3 too',
      resource: levels,
      version: `${flow}/v1`,
      object: level({ nominalConcurrencyShares: 0 }),
      shown: { [`${flow}/v1`]: nominal(0), [`${flow}/v1beta3`]: zeroKept },
    },
    {
      title: 'no shares of a v1beta3 level are 30 in both',
      resource: levels,
      version: `${flow}/v1beta3`,
      object: level({ nominalConcurrencyShares: 0 }),
      shown: { [`${flow}/v1`]: nominal(30), [`${flow}/v1beta3`]: nominal(30) },
    },
  ],
  26: [
    {
      title: 'shares that nobody names in v1beta2 are 30 under their new name',
      resource: levels,
      version: `${flow}/v1beta2`,
      object: level({}),
      shown: { [`${flow}/v1beta2`]: assured(30), [`${flow}/v1beta3`]: nominal(30) },
    },
    {
      title: 'shares have their old name in v1beta2',
      resource: levels,
      version: `${flow}/v1beta3`,
      object: level({ nominalConcurrencyShares: 7 }),
      shown: { [`${flow}/v1beta2`]: assured(7) },
    },
  ],
  24: [
    {
      title: 'the utilization of a v2 metric, in each version',
      resource: scalers,
      version: 'autoscaling/v2',
      object: scaler(utilization(60)),
      shown: {
        'autoscaling/v2beta2': { spec: utilization(60) },
        'autoscaling/v2beta1': {
          spec: {
            metrics: [
              { type: 'Resource', resource: { name: 'cpu', targetAverageUtilization: 60 } },
            ],
          },
        },
        'autoscaling/v1': { spec: { targetCPUUtilizationPercentage: 60, metrics: absent } },
      },
    },
    {
      title: 'the topology of an endpoint is its node, its zone, and a rest that is only read',
      resource: slices,
      version: 'discovery.k8s.io/v1beta1',
      object: slice({
        nodeName: 'n',
        topology: { 'topology.kubernetes.io/zone': 'z', other: 'o' },
      }),
      shown: {
        'discovery.k8s.io/v1': slice({
          nodeName: 'n',
          zone: 'z',
          deprecatedTopology: { other: 'o' },
        }),
      },
    },
    {
      title: 'node and zone of an endpoint are its older topology, which v1 does not take',
      resource: slices,
      version: 'discovery.k8s.io/v1',
      object: slice({ nodeName: 'n', zone: 'z', deprecatedTopology: { other: 'o' } }),
      shown: {
        'discovery.k8s.io/v1': {
          endpoints: [{ nodeName: 'n', zone: 'z', deprecatedTopology: absent }],
        },
        'discovery.k8s.io/v1beta1': {
          endpoints: [
            {
              nodeName: 'n',
              topology: { 'topology.kubernetes.io/zone': 'z', 'kubernetes.io/hostname': 'n' },
            },
          ],
        },
      },
    },
    {
      title: 'an event in core names and in those of its group',
      resource: events,
      version: 'events.k8s.io/v1',
      object: event({ note: 'm', series: { count: 2, lastObservedTime: '2020-01-02T03:04:06Z' } }),
      shown: {
        v1: {
          involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
          message: 'm',
          reportingComponent: 'example.org/c',
          reportingInstance: 'c-1',
          series: { count: 2, lastObservedTime: '2020-01-02T03:04:06.000000Z' },
        },
        'events.k8s.io/v1beta1': { regarding: { name: 'p' }, note: 'm', action: 'Look' },
      },
    },
    {
      title: 'the older fields of an event are deprecated ones of its group',
      resource: events,
      version: 'v1',
      object: {
        involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
        count: 3,
        firstTimestamp: '2020-01-02T03:04:05Z',
        lastTimestamp: '2020-01-02T03:04:06Z',
        source: { component: 'c', host: 'h' },
      },
      shown: {
        'events.k8s.io/v1': {
          deprecatedCount: 3,
          deprecatedFirstTimestamp: '2020-01-02T03:04:05Z',
          deprecatedLastTimestamp: '2020-01-02T03:04:06Z',
          deprecatedSource: { component: 'c', host: 'h' },
        },
      },
    },
    {
      title: 'an empty selector of a v1beta1 budget goes on to select nothing',
      resource: budgets,
      version: 'policy/v1beta1',
      object: { spec: { minAvailable: 1, selector: {} } },
      shown: {
        'policy/v1': {
          spec: { selector: { matchExpressions: [{ key: emptyMatch, operator: 'Exists' }] } },
        },
        'policy/v1beta1': { spec: { selector: { matchExpressions: absent } } },
      },
    },
    {
      title: 'an empty selector of a v1 budget goes on to select everything',
      resource: budgets,
      version: 'policy/v1',
      object: { spec: { minAvailable: 1, selector: {} } },
      shown: {
        'policy/v1beta1': {
          spec: { selector: { matchExpressions: [{ key: emptyMatch, operator: 'DoesNotExist' }] } },
        },
        'policy/v1': { spec: { selector: { matchExpressions: absent } } },
      },
    },
    {
      title: 'a budget without a selector has none in either version',
      resource: budgets,
      version: 'policy/v1beta1',
      object: { spec: { minAvailable: 1 } },
      shown: {
        'policy/v1': { spec: { selector: absent } },
        'policy/v1beta1': { spec: { selector: absent } },
      },
    },
  ],
  21: [
    {
      title: 'a webhook of v1 fails closed, matches what is equivalent, and waits ten seconds',
      resource: hooks,
      version: 'admissionregistration.k8s.io/v1',
      object: { webhooks: [webhook] },
      shown: {
        'admissionregistration.k8s.io/v1': {
          webhooks: [{ failurePolicy: 'Fail', matchPolicy: 'Equivalent', timeoutSeconds: 10 }],
        },
        'admissionregistration.k8s.io/v1beta1': {
          webhooks: [{ failurePolicy: 'Fail', matchPolicy: 'Equivalent', timeoutSeconds: 10 }],
        },
      },
    },
    {
      title: 'a webhook of v1beta1 keeps its older defaults in v1',
      resource: hooks,
      version: 'admissionregistration.k8s.io/v1beta1',
      object: { webhooks: [bareWebhook] },
      shown: {
        'admissionregistration.k8s.io/v1beta1': { webhooks: [olderHook] },
        'admissionregistration.k8s.io/v1': { webhooks: [olderHook] },
      },
    },
    {
      title: 'a definition with a webhook of conversion has it in a field of its own',
      resource: definitions,
      version: 'apiextensions.k8s.io/v1beta1',
      object: {
        spec: {
          ...definition,
          preserveUnknownFields: false,
          conversion: {
            strategy: 'Webhook',
            webhookClientConfig: { url: 'https://example.org/' },
            conversionReviewVersions: ['v1'],
          },
        },
      },
      shown: {
        'apiextensions.k8s.io/v1': {
          spec: {
            versions: [{ name: 'v1', ...structural }],
            conversion: {
              strategy: 'Webhook',
              webhook: {
                clientConfig: { url: 'https://example.org/' },
                conversionReviewVersions: ['v1'],
              },
            },
          },
        },
      },
    },
    {
      title: 'a v1beta1 definition without a scope is namespaced, and keeps unknown fields',
      resource: definitions,
      version: 'apiextensions.k8s.io/v1beta1',
      object: { spec: { group: 'example.org', names, version: 'v1' } },
      shown: {
        'apiextensions.k8s.io/v1': {
          spec: {
            scope: 'Namespaced',
            preserveUnknownFields: true,
            versions: [{ name: 'v1', served: true, storage: true }],
          },
        },
      },
    },
    {
      title: 'a v1beta1 request without signer and usages has those that it meant',
      resource: requests,
      version: 'certificates.k8s.io/v1beta1',
      object: request({}),
      shown: {
        'certificates.k8s.io/v1': {
          spec: {
            signerName: 'kubernetes.io/legacy-unknown',
            usages: ['digital signature', 'key encipherment'],
          },
        },
      },
    },
    {
      title: 'a path without a type is for the implementation to read',
      resource: ingresses,
      version: 'extensions/v1beta1',
      object: ingressPath({ path: '/a', backend: { serviceName: 's', servicePort: 'http' } }),
      shown: {
        'networking.k8s.io/v1': ingressPath({
          path: '/a',
          pathType: 'ImplementationSpecific',
          backend: { service: { name: 's', port: { name: 'http' } } },
        }),
      },
    },
  ],
};

export const refusals: Readonly<Record<number, readonly Refusal[]>> = {
  33: [
    ...[deployments, daemonSets, statefulSets, replicaSets].map((resource) => ({
      title: `a ${resource.kind} without a selector`,
      resource,
      version: 'apps/v1',
      object: { spec: { template, serviceName: 's' } },
      causes: [`spec.selector ${required}`],
    })),
  ],
  24: [
    ...(['action', 'reason', 'reportingController', 'reportingInstance'] as const).map((name) => ({
      title: `an event without ${name}`,
      resource: events,
      version: 'events.k8s.io/v1',
      object: event({ [name]: undefined }),
      causes: [`${name} ${required}`],
    })),
    {
      title: 'an event of a type that there is not',
      resource: events,
      version: 'events.k8s.io/v1',
      object: event({ type: 'Other' }),
      causes: [`type ${invalid}`],
    },
    {
      // They are named as in the core group, as the reference does.
      title: 'an event with fields that only older ones have',
      resource: events,
      version: 'events.k8s.io/v1',
      object: event({
        deprecatedCount: 1,
        deprecatedSource: { component: 'c' },
        deprecatedFirstTimestamp: '2020-01-02T03:04:05Z',
        deprecatedLastTimestamp: '2020-01-02T03:04:05Z',
      }),
      causes: [
        ...['count', 'source', 'firstTimestamp', 'lastTimestamp'].map(
          (name) => `${name} ${invalid}`,
        ),
      ],
    },
  ],
  21: [
    {
      title: 'a webhook that says nothing of side effects and reviews',
      resource: hooks,
      version: 'admissionregistration.k8s.io/v1',
      object: { webhooks: [bareWebhook] },
      causes: [
        `webhooks[0].sideEffects ${required}`,
        `webhooks[0].admissionReviewVersions ${required}`,
      ],
    },
    {
      title: 'a webhook with side effects',
      resource: hooks,
      version: 'admissionregistration.k8s.io/v1',
      object: { webhooks: [{ ...webhook, sideEffects: 'Some' }] },
      causes: [`webhooks[0].sideEffects ${unsupported}`],
    },
    {
      title: 'two webhooks of one name',
      resource: hooks,
      version: 'admissionregistration.k8s.io/v1',
      object: { webhooks: [webhook, webhook] },
      causes: [`webhooks[1].name ${duplicate}`],
    },
    {
      title: 'a definition without a scope',
      resource: definitions,
      version: 'apiextensions.k8s.io/v1',
      object: { spec: unscoped },
      causes: [`spec.scope ${required}`],
    },
    {
      title: 'a definition without a schema',
      resource: definitions,
      version: 'apiextensions.k8s.io/v1',
      object: { spec: { ...definition, versions: [bareVersion] } },
      causes: [`spec.versions[0].schema.openAPIV3Schema ${required}`],
    },
    {
      title: 'a definition that keeps unknown fields',
      resource: definitions,
      version: 'apiextensions.k8s.io/v1',
      object: { spec: { ...definition, preserveUnknownFields: true } },
      causes: [`spec.preserveUnknownFields ${invalid}`],
    },
    {
      title: 'a request without signer and usages',
      resource: requests,
      version: 'certificates.k8s.io/v1',
      object: request({}),
      causes: [`spec.signerName ${required}`, `spec.usages ${required}`],
    },
    {
      title: 'a request with usages that are not known, or named twice',
      resource: requests,
      version: 'certificates.k8s.io/v1',
      object: request({ ...signing, usages: ['digital signature', 'digital signature', 'fun'] }),
      causes: [`spec.usages[1] ${duplicate}`, `spec.usages[2] ${unsupported}`],
    },
    {
      title: 'a request to the signer that nobody knows',
      resource: requests,
      version: 'certificates.k8s.io/v1',
      object: request({ ...signing, signerName: 'kubernetes.io/legacy-unknown' }),
      causes: [`spec.signerName ${invalid}`],
    },
    {
      title: 'a path without a type',
      resource: ingresses,
      version: 'networking.k8s.io/v1',
      object: ingressPath({ path: '/a', backend: service }),
      causes: [`spec.rules[0].http.paths[0].pathType ${required}`],
    },
    {
      title: 'a path of a type that there is not',
      resource: ingresses,
      version: 'networking.k8s.io/v1',
      object: ingressPath({ path: '/a', pathType: 'Suffix', backend: service }),
      causes: [`spec.rules[0].http.paths[0].pathType ${unsupported}`],
    },
  ],
};
