/**
 * Defaults of versions that newer ones replaced, where they differ from those or where the types
 * are their own (spec 2, section 9.3).
 *
 * What it is not: the defaults of what these versions share with newer ones (pods, selectors).
 */
import { when } from '../../apimachinery/typed/defaulting.ts';
import type { DefaultOf, DefaultTable, TypeDefaults } from '../../apimachinery/typed/defaulting.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { zeroSharesAnnotation } from '../conversion/conversions.ts';

const int32Max = 2_147_483_647;
const sharesByDefault = 30;
const precedenceByDefault = 1000;

/** Stable webhooks fail closed, match equivalent requests and wait 10 seconds. */
const webhook: TypeDefaults = {
  failurePolicy: 'Ignore',
  matchPolicy: 'Exact',
  namespaceSelector: {},
  objectSelector: {},
  sideEffects: 'Unknown',
  timeoutSeconds: 30,
  admissionReviewVersions: ['v1beta1'],
};

const selectorOfTemplate: DefaultOf = (spec) => {
  const { template } = spec;
  const metadata = isJsonObject(template) ? template['metadata'] : undefined;
  const labels = isJsonObject(metadata) ? metadata['labels'] : undefined;
  const some = isJsonObject(labels) && Object.keys(labels).length > 0;
  return some ? { matchLabels: labels } : undefined;
};

const rollingUpdate: TypeDefaults = {
  type: 'RollingUpdate',
  rollingUpdate: when({ type: 'RollingUpdate' }, {}),
};

function replicas(historyMax: number): TypeDefaults {
  return { replicas: 1, revisionHistoryLimit: historyMax };
}

const workloads: DefaultTable['fields'] = {
  'extensions/v1beta1.DeploymentSpec': {
    selector: selectorOfTemplate,
    ...replicas(int32Max),
    progressDeadlineSeconds: int32Max,
  },
  'extensions/v1beta1.DeploymentStrategy': rollingUpdate,
  'extensions/v1beta1.RollingUpdateDeployment': { maxUnavailable: 1, maxSurge: 1 },
  'apps/v1beta1.DeploymentSpec': {
    selector: selectorOfTemplate,
    ...replicas(2),
    progressDeadlineSeconds: 600,
  },
  'apps/v1beta1.DeploymentStrategy': rollingUpdate,
  'apps/v1beta1.RollingUpdateDeployment': { maxUnavailable: '25%', maxSurge: '25%' },
  'apps/v1beta2.DeploymentSpec': { ...replicas(10), progressDeadlineSeconds: 600 },
  'apps/v1beta2.DeploymentStrategy': rollingUpdate,
  'apps/v1beta2.RollingUpdateDeployment': { maxUnavailable: '25%', maxSurge: '25%' },
  'extensions/v1beta1.DaemonSetSpec': { selector: selectorOfTemplate, revisionHistoryLimit: 10 },
  'extensions/v1beta1.DaemonSetUpdateStrategy': { type: 'OnDelete' },
  'extensions/v1beta1.RollingUpdateDaemonSet': { maxUnavailable: 1 },
  'apps/v1beta2.DaemonSetSpec': { revisionHistoryLimit: 10 },
  'apps/v1beta2.DaemonSetUpdateStrategy': rollingUpdate,
  'apps/v1beta2.RollingUpdateDaemonSet': { maxUnavailable: 1 },
  'apps/v1beta1.StatefulSetSpec': {
    selector: selectorOfTemplate,
    ...replicas(10),
    podManagementPolicy: 'OrderedReady',
  },
  'apps/v1beta1.StatefulSetUpdateStrategy': { type: 'OnDelete' },
  'apps/v1beta2.StatefulSetSpec': { ...replicas(10), podManagementPolicy: 'OrderedReady' },
  'apps/v1beta2.StatefulSetUpdateStrategy': rollingUpdate,
  'apps/v1beta2.RollingUpdateStatefulSetStrategy': { partition: 0 },
  'extensions/v1beta1.ReplicaSetSpec': { selector: selectorOfTemplate, replicas: 1 },
  'apps/v1beta2.ReplicaSetSpec': { replicas: 1 },
  'batch/v1beta1.CronJobSpec': {
    concurrencyPolicy: 'Allow',
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
  },
};

const cpuAt80: JsonObject = { name: 'cpu', targetAverageUtilization: 80 };
const cpuTargetAt80: JsonObject = {
  name: 'cpu',
  target: { type: 'Utilization', averageUtilization: 80 },
};

/** No shares are 30 shares, unless the level is marked to mean what it says. */
const nominalShares: DefaultOf = (_limited, { root, identity }) => {
  const metadata = root['metadata'];
  const annotations = isJsonObject(metadata) ? metadata['annotations'] : undefined;
  const marked = isJsonObject(annotations) && zeroSharesAnnotation(identity) in annotations;
  return marked ? undefined : sharesByDefault;
};

const flowSchema: TypeDefaults = { matchingPrecedence: precedenceByDefault };
const exempt: TypeDefaults = { nominalConcurrencyShares: 0, lendablePercent: 0 };
const queuing: TypeDefaults = { queues: 64, handSize: 8, queueLengthLimit: 50 };

const flowcontrol: DefaultTable['fields'] = {
  'flowcontrol/v1beta1.FlowSchemaSpec': flowSchema,
  'flowcontrol/v1beta2.FlowSchemaSpec': flowSchema,
  'flowcontrol/v1beta3.FlowSchemaSpec': flowSchema,
  'flowcontrol/v1beta1.LimitedPriorityLevelConfiguration': {
    assuredConcurrencyShares: sharesByDefault,
    lendablePercent: 0,
  },
  'flowcontrol/v1beta2.LimitedPriorityLevelConfiguration': {
    assuredConcurrencyShares: sharesByDefault,
    lendablePercent: 0,
  },
  'flowcontrol/v1beta3.LimitedPriorityLevelConfiguration': {
    nominalConcurrencyShares: nominalShares,
    lendablePercent: 0,
  },
  'flowcontrol/v1beta1.ExemptPriorityLevelConfiguration': exempt,
  'flowcontrol/v1beta2.ExemptPriorityLevelConfiguration': exempt,
  'flowcontrol/v1beta3.ExemptPriorityLevelConfiguration': exempt,
  'flowcontrol/v1beta1.QueuingConfiguration': queuing,
  'flowcontrol/v1beta2.QueuingConfiguration': queuing,
  'flowcontrol/v1beta3.QueuingConfiguration': queuing,
};

const subjectGroup: DefaultOf = (subject, { identity }) =>
  subject['kind'] === 'User' || subject['kind'] === 'Group' ? identity.groups.rbac : undefined;

const others: DefaultTable['fields'] = {
  'admissionregistration/v1beta1.MutatingWebhook': { ...webhook, reinvocationPolicy: 'Never' },
  'admissionregistration/v1beta1.ValidatingWebhook': webhook,
  'admissionregistration/v1beta1.ServiceReference': { port: 443 },
  'apiextensions/v1beta1.CustomResourceDefinitionSpec': {
    scope: 'Namespaced',
    conversion: { strategy: 'None' },
    preserveUnknownFields: true,
  },
  'apiextensions/v1beta1.CustomResourceConversion': {
    conversionReviewVersions: when({ strategy: 'Webhook' }, ['v1beta1']),
  },
  'apiextensions/v1beta1.CustomResourceDefinitionNames': {
    singular: ({ kind }) => (typeof kind === 'string' ? kind.toLowerCase() : undefined),
    listKind: ({ kind }) => (typeof kind === 'string' ? `${kind}List` : undefined),
  },
  'apiextensions/v1beta1.ServiceReference': { port: 443 },
  'autoscaling/v2beta1.HorizontalPodAutoscalerSpec': {
    minReplicas: 1,
    metrics: [{ type: 'Resource', resource: cpuAt80 }],
  },
  'autoscaling/v2beta2.HorizontalPodAutoscalerSpec': {
    minReplicas: 1,
    metrics: [{ type: 'Resource', resource: cpuTargetAt80 }],
  },
  'certificates/v1beta1.CertificateSigningRequestSpec': {
    signerName: (_spec, { identity }) => identity.signers.legacyUnknown,
    usages: ['digital signature', 'key encipherment'],
  },
  // Conditions were granted before they had a status.
  'certificates/v1beta1.CertificateSigningRequestCondition': { status: 'True' },
  'discovery/v1beta1.EndpointPort': { name: '', protocol: 'TCP' },
  'extensions/v1beta1.HTTPIngressPath': { pathType: 'ImplementationSpecific' },
  'extensions/v1beta1.NetworkPolicyPort': { protocol: 'TCP' },
  'extensions/v1beta1.NetworkPolicySpec': {
    policyTypes: ({ egress }) => (egress === undefined ? ['Ingress'] : ['Ingress', 'Egress']),
  },
  'networking/v1beta1.HTTPIngressPath': { pathType: 'ImplementationSpecific' },
  'networking/v1beta1.IngressClassParametersReference': { scope: 'Cluster' },
  'policy/v1beta1.PodSecurityPolicySpec': { allowPrivilegeEscalation: true },
  'rbac/v1beta1.RoleRef': { apiGroup: (_ref, { identity }) => identity.groups.rbac },
  'rbac/v1beta1.Subject': { apiGroup: subjectGroup },
  'scheduling/v1beta1.PriorityClass': { preemptionPolicy: 'PreemptLowerPriority' },
  'storage/v1beta1.CSIDriverSpec': {
    attachRequired: true,
    podInfoOnMount: false,
    volumeLifecycleModes: ['Persistent'],
    storageCapacity: false,
    fsGroupPolicy: 'ReadWriteOnceWithFSType',
    requiresRepublish: false,
    seLinuxMount: false,
  },
  'storage/v1beta1.StorageClass': { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' },
};

export const olderVersionDefaults: DefaultTable = {
  fields: { ...workloads, ...flowcontrol, ...others },
};
