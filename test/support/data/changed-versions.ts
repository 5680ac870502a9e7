/**
 * The notable changes of spec 2, section 9.3, as data: objects that one version writes and what the
 * others show of them.
 */
import {
  assured,
  bareWebhook,
  budgets,
  columned,
  daemonSets,
  definition,
  definitions,
  deployments,
  drivers,
  emptyMatch,
  event,
  events,
  flow,
  hooks,
  ingressPath,
  ingresses,
  level,
  levels,
  names,
  nominal,
  olderHook,
  request,
  requests,
  scaler,
  scalers,
  second,
  selector,
  service,
  signing,
  slice,
  slices,
  statefulSets,
  structural,
  template,
  utilization,
  webhook,
  zeroKept,
} from './changed-version-objects.ts';
import type { Resource } from './changed-version-objects.ts';
import { absent } from '../checks/partial-equal.ts';

export interface Row {
  readonly title: string;
  readonly resource: Resource;
  readonly version: string;
  readonly object: object;
  /** Version by version: what is looked at of the object, after it was made. */
  readonly shown: Readonly<Record<string, object>>;
}

export const shownRows: readonly Row[] = [
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
  {
    title: 'the utilization of a v2 metric, in each version',
    resource: scalers,
    version: 'autoscaling/v2',
    object: scaler(utilization(60)),
    shown: {
      'autoscaling/v2beta2': { spec: utilization(60) },
      'autoscaling/v2beta1': {
        spec: {
          metrics: [{ type: 'Resource', resource: { name: 'cpu', targetAverageUtilization: 60 } }],
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
  {
    title: 'no shares that somebody names stay none',
    resource: levels,
    version: `${flow}/v1`,
    object: level({ nominalConcurrencyShares: 0 }),
    shown: { [`${flow}/v1`]: nominal(0) },
  },
  {
    title: 'an event may warn',
    resource: events,
    version: 'events.k8s.io/v1',
    object: event({ type: 'Warning' }),
    shown: { v1: { type: 'Warning' }, 'events.k8s.io/v1': { type: 'Warning' } },
  },
  {
    title: 'an event of the older form needs no action, reason or reporter',
    resource: events,
    version: 'events.k8s.io/v1beta1',
    object: {
      regarding: { kind: 'Pod', name: 'p', namespace: 'default' },
      deprecatedCount: 2,
      deprecatedSource: { component: 'c' },
    },
    shown: {
      v1: { count: 2, source: { component: 'c' }, involvedObject: { name: 'p' } },
      'events.k8s.io/v1': { deprecatedCount: 2, action: absent, eventTime: absent },
    },
  },
  ...['Prefix', 'Exact', 'ImplementationSpecific'].map((pathType) => ({
    title: `a path may be of type ${pathType}`,
    resource: ingresses,
    version: 'networking.k8s.io/v1',
    object: ingressPath({ path: '/a', pathType, backend: service }),
    shown: { 'networking.k8s.io/v1': ingressPath({ path: '/a', pathType, backend: service }) },
  })),
  {
    title: 'backends of v1 have their older names in extensions, numbers as numbers',
    resource: ingresses,
    version: 'networking.k8s.io/v1',
    object: {
      spec: {
        defaultBackend: { service: { name: 'd', port: { name: 'http' } } },
        ...ingressPath({ path: '/a', pathType: 'Exact', backend: service }).spec,
      },
    },
    shown: {
      'extensions/v1beta1': {
        spec: {
          defaultBackend: absent,
          backend: { serviceName: 'd', servicePort: 'http' },
          ...ingressPath({ pathType: 'Exact', backend: { serviceName: 's', servicePort: 80 } })
            .spec,
        },
      },
    },
  },
  {
    title: 'a webhook may be quiet on a dry run only',
    resource: hooks,
    version: 'admissionregistration.k8s.io/v1',
    object: { webhooks: [{ ...webhook, sideEffects: 'NoneOnDryRun' }] },
    shown: { 'admissionregistration.k8s.io/v1': { webhooks: [{ sideEffects: 'NoneOnDryRun' }] } },
  },
  {
    title: 'two webhooks of v1beta1 may have one name',
    resource: hooks,
    version: 'admissionregistration.k8s.io/v1beta1',
    object: { webhooks: [bareWebhook, bareWebhook] },
    shown: {
      'admissionregistration.k8s.io/v1': {
        webhooks: [{ name: bareWebhook.name }, { name: bareWebhook.name }],
      },
    },
  },
  {
    title: 'what all versions of a definition say stands beside them in v1beta1',
    resource: definitions,
    version: 'apiextensions.k8s.io/v1',
    object: { spec: { ...definition, versions: [columned('a'), { ...columned('a'), ...second }] } },
    shown: {
      'apiextensions.k8s.io/v1beta1': {
        spec: {
          version: 'v1',
          preserveUnknownFields: false,
          validation: structural.schema,
          additionalPrinterColumns: [{ name: 'a', JSONPath: '.a' }],
          versions: [{ additionalPrinterColumns: absent, schema: absent }, { name: 'v2' }],
        },
      },
    },
  },
  {
    title: 'what the versions of a definition say each for itself stays there in v1beta1',
    resource: definitions,
    version: 'apiextensions.k8s.io/v1',
    object: { spec: { ...definition, versions: [columned('a'), { ...columned('b'), ...second }] } },
    shown: {
      'apiextensions.k8s.io/v1beta1': {
        spec: {
          additionalPrinterColumns: absent,
          versions: [
            { additionalPrinterColumns: [{ name: 'a', JSONPath: '.a' }] },
            { additionalPrinterColumns: [{ name: 'b', JSONPath: '.b' }] },
          ],
        },
      },
    },
  },
  {
    // The removal table says that v1 can be used since 1.19; the release before served it already.
    title: 'a driver of 1.18 is the same in both versions',
    resource: drivers,
    version: 'storage.k8s.io/v1',
    object: { spec: {} },
    shown: {
      'storage.k8s.io/v1': { spec: { attachRequired: true, podInfoOnMount: false } },
      'storage.k8s.io/v1beta1': { spec: { attachRequired: true, podInfoOnMount: false } },
    },
  },
  {
    title: 'usages of a v1beta1 request may be named twice',
    resource: requests,
    version: 'certificates.k8s.io/v1beta1',
    object: request({ ...signing, usages: ['digital signature', 'digital signature'] }),
    shown: {
      'certificates.k8s.io/v1': { spec: { usages: ['digital signature', 'digital signature'] } },
    },
  },
];
