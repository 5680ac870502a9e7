/**
 * The notable changes of spec 2, section 9.3, as data: what only an older version takes, and what no
 * write may change any more.
 */
import {
  bareVersion,
  bareWebhook,
  cluster,
  daemonSets,
  definition,
  definitions,
  deployments,
  duplicate,
  event,
  events,
  flow,
  hooks,
  ingressPath,
  ingresses,
  invalid,
  level,
  levels,
  replicaSets,
  request,
  requests,
  required,
  scaler,
  scalers,
  selector,
  service,
  signing,
  slice,
  slices,
  statefulSets,
  template,
  unscoped,
  unsupported,
  version,
  webhook,
} from './changed-version-objects.ts';
import type { Resource } from './changed-version-objects.ts';
/** `spec.validation`: all versions say it, as in the older version. */
const untyped = { schema: { openAPIV3Schema: { type: 'object', properties: { a: {} } } } };

export interface Refusal {
  readonly title: string;
  readonly resource: Resource;
  readonly version: string;
  readonly object: object;
  /** `<field> <reason>` of causes that must be among those of the answer. */
  readonly causes: readonly string[];
}

export const refusals: readonly Refusal[] = [
  ...[deployments, daemonSets, statefulSets, replicaSets].map((resource) => ({
    title: `a ${resource.kind} without a selector`,
    resource,
    version: 'apps/v1',
    object: { spec: { template, serviceName: 's' } },
    // A set of daemons without one selects nothing, its own template neither.
    causes: [
      resource === daemonSets
        ? `spec.template.metadata.labels ${invalid}`
        : `spec.selector ${required}`,
    ],
  })),
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
      ...['count', 'source', 'firstTimestamp', 'lastTimestamp'].map((name) => `${name} ${invalid}`),
    ],
  },
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
  {
    title: 'an event without a time of its own',
    resource: events,
    version: 'events.k8s.io/v1',
    object: event({ eventTime: undefined }),
    causes: [`eventTime ${required}`],
  },
  {
    title: 'a series of one event, seen never',
    resource: events,
    version: 'events.k8s.io/v1',
    object: event({ series: { count: 1, lastObservedTime: null } }),
    causes: [`series.count ${invalid}`, `series.lastObservedTime ${required}`],
  },
  {
    title: 'a definition whose schema does not give the type of a field',
    resource: definitions,
    version: 'apiextensions.k8s.io/v1',
    object: { spec: { ...definition, versions: [{ ...version, ...untyped }] } },
    causes: [`spec.validation.openAPIV3Schema.properties[a].type ${required}`],
  },
];

/** A name that the newer version does not know: what an older one, or a type that is gone, had. */
export interface OlderName {
  readonly resource: Resource;
  readonly version: string;
  readonly object: object;
  readonly unknown: readonly string[];
}

const workload = { selector, template };

export const olderNames: readonly OlderName[] = [
  {
    resource: levels,
    version: `${flow}/v1`,
    object: level({ assuredConcurrencyShares: 7 }),
    unknown: ['spec.limited.assuredConcurrencyShares'],
  },
  {
    resource: scalers,
    version: 'autoscaling/v2',
    object: scaler({
      maxReplicas: 3,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', targetAverageUtilization: 60 } }],
    }),
    unknown: ['spec.metrics[0].resource.targetAverageUtilization'],
  },
  {
    resource: slices,
    version: 'discovery.k8s.io/v1',
    object: slice({ topology: { a: 'b' } }),
    unknown: ['endpoints[0].topology'],
  },
  {
    resource: events,
    version: 'events.k8s.io/v1',
    object: event({
      involvedObject: {},
      firstTimestamp: null,
      lastTimestamp: null,
      count: 1,
      source: {},
    }),
    unknown: ['count', 'firstTimestamp', 'involvedObject', 'lastTimestamp', 'source'],
  },
  {
    resource: definitions,
    version: 'apiextensions.k8s.io/v1',
    object: {
      spec: {
        ...definition,
        version: 'v1',
        validation: {},
        subresources: {},
        additionalPrinterColumns: [],
        conversion: { strategy: 'None', webhookClientConfig: {}, conversionReviewVersions: [] },
        versions: [{ ...version, additionalPrinterColumns: [{ name: 'a', JSONPath: '.a' }] }],
      },
    },
    unknown: [
      'spec.additionalPrinterColumns',
      'spec.conversion.conversionReviewVersions',
      'spec.conversion.webhookClientConfig',
      'spec.subresources',
      'spec.validation',
      'spec.version',
      'spec.versions[0].additionalPrinterColumns[0].JSONPath',
    ],
  },
  {
    resource: cluster('SubjectAccessReview', 'subjectaccessreviews'),
    version: 'authorization.k8s.io/v1',
    object: {
      spec: { user: 'u', group: ['g'], nonResourceAttributes: { path: '/', verb: 'get' } },
    },
    unknown: ['spec.group'],
  },
  {
    resource: ingresses,
    version: 'networking.k8s.io/v1',
    object: {
      spec: {
        backend: {},
        ...ingressPath({ pathType: 'Exact', backend: { serviceName: 's', servicePort: 80 } }).spec,
      },
    },
    unknown: [
      'spec.backend',
      'spec.rules[0].http.paths[0].backend.serviceName',
      'spec.rules[0].http.paths[0].backend.servicePort',
    ],
  },
  {
    resource: daemonSets,
    version: 'apps/v1',
    object: { spec: { ...workload, templateGeneration: 1 } },
    unknown: ['spec.templateGeneration'],
  },
  {
    resource: deployments,
    version: 'apps/v1',
    object: { spec: { ...workload, rollbackTo: { revision: 1 } } },
    unknown: ['spec.rollbackTo'],
  },
];

/** A write to an object that is there, and what is wrong with it; nothing: what it shows. */
export interface Change {
  readonly title: string;
  readonly resource: Resource;
  readonly version: string;
  readonly object: object;
  readonly subresource?: string;
  /** A merge patch. */
  readonly patch: object;
  readonly causes?: readonly string[];
  readonly shown?: object;
}

const approval = (...conditions: object[]) => ({ status: { conditions } });
const approved = { type: 'Approved', status: 'True', reason: 'r' };
const asked = {
  resource: requests,
  version: 'certificates.k8s.io/v1',
  object: request(signing),
  subresource: 'approval',
};
const issued = (text: string) => ({
  status: { certificate: Buffer.from(text).toString('base64') },
});

export const changes: readonly Change[] = [
  ...[deployments, daemonSets, statefulSets, replicaSets].map((resource) => ({
    title: `the selector of a ${resource.kind} stays`,
    resource,
    version: 'apps/v1',
    object: { spec: { ...workload, serviceName: 's' } },
    patch: {
      spec: {
        selector: { matchLabels: { app: 'b' } },
        template: { metadata: { labels: { app: 'b' } } },
      },
    },
    causes: [resource === statefulSets ? 'spec FieldValueForbidden' : `spec.selector ${invalid}`],
  })),
  {
    ...asked,
    title: 'conditions of a request have each their own type',
    patch: approval(approved, approved),
    causes: [`status.conditions[1].type ${duplicate}`],
  },
  {
    ...asked,
    title: 'conditions of a request have a status',
    patch: approval({ type: 'Approved', reason: 'r' }),
    causes: [`status.conditions[0].status ${required}`],
  },
  {
    ...asked,
    version: 'certificates.k8s.io/v1beta1',
    title: 'conditions of a v1beta1 request are true unless they say otherwise',
    patch: approval({ type: 'Approved', reason: 'r' }),
    shown: approval(approved),
  },
  {
    ...asked,
    title: 'what is issued is PEM',
    subresource: 'status',
    patch: issued('x'),
    causes: [`status.certificate ${invalid}`],
  },
  {
    ...asked,
    title: 'what is issued holds certificates alone',
    subresource: 'status',
    patch: issued('-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n'),
    causes: [`status.certificate ${invalid}`],
  },
];
