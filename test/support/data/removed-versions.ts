/**
 * The removal table of spec 2, section 9.3, one row per resource of a removed version: since when
 * it is gone, what replaces it, and one object as both write it. Data, under the kubernetes names.
 */
import type { JsonObject } from '../../../src/apimachinery/unstructured.ts';
import { eventDemands } from './event-requirements.ts';

export interface RemovedVersion {
  /** Minor release of 1 that serves it no longer. */
  readonly gone: number;
  /** Minor release of 1 that served it first. */
  readonly came: number;
  readonly version: string;
  readonly kind: string;
  readonly resource: string;
  readonly namespaced: boolean;
  /** Versions that replace it, with the releases that served them first. */
  readonly by: Readonly<Record<string, number>>;
  /** An object without its type and metadata; undefined where no release serves the version. */
  readonly old: JsonObject | undefined;
  /** The same object as the first replacement shows it; what is not named is not looked at. */
  readonly now: JsonObject;
  /** It is asked, answered and not kept. */
  readonly review?: true;
}

type Change = Pick<RemovedVersion, 'old' | 'now'> & Partial<RemovedVersion>;

/** `<gone> <came> <version> <kind> <resource> <scope>`, then replacements `<version>:<since>`. */
function row(text: string, change: Change): RemovedVersion {
  const [gone, came, version = '', kind = '', resource = '', scope, ...by] = text.split(' ');
  return {
    gone: Number(gone),
    came: Number(came),
    version,
    kind,
    resource,
    namespaced: scope === 'namespaced',
    by: Object.fromEntries(
      by.map((each): [string, number] => {
        const at = each.lastIndexOf(':');
        return [each.slice(0, at), Number(each.slice(at + 1))];
      }),
    ),
    ...change,
  };
}

const same = (object: JsonObject): Change => ({ old: object, now: object });
/** No release that can be emulated serves the old version. */
const only = (now: JsonObject): Change => ({ old: undefined, now });

const flow = 'flowcontrol.apiserver.k8s.io';
const flowSchema = same({
  spec: {
    priorityLevelConfiguration: { name: 'exempt' },
    matchingPrecedence: 900,
    rules: [
      {
        subjects: [{ kind: 'Group', group: { name: 'g' } }],
        nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }],
      },
    ],
  },
});
const level = (name: string, shares: number): JsonObject => ({
  spec: { type: 'Limited', limited: { [name]: shares, limitResponse: { type: 'Reject' } } },
});
const nominal = same(level('nominalConcurrencyShares', 7));
const assured: Change = {
  old: level('assuredConcurrencyShares', 7),
  now: level('nominalConcurrencyShares', 7),
};
const stillAssured = same(level('assuredConcurrencyShares', 7));

const scaled = { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } };
const autoscaler = (metric: JsonObject): JsonObject => ({
  spec: { ...scaled, maxReplicas: 3, metrics: [{ type: 'Resource', resource: metric }] },
});
const averageCpu = autoscaler({
  name: 'cpu',
  target: { type: 'Utilization', averageUtilization: 60 },
});

const containers = [{ name: 'c', image: 'i' }];
const labelled = { metadata: { labels: { app: 'a' } }, spec: { containers } };
const selector = { matchLabels: { app: 'a' } };
const jobTemplate = {
  spec: { template: { spec: { restartPolicy: 'Never', containers } } },
};

const webhook = {
  name: 'w.example.org',
  clientConfig: { url: 'https://example.org/' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
};
const webhooks: Change = {
  old: { webhooks: [webhook] },
  now: { webhooks: [{ ...webhook, failurePolicy: 'Ignore', matchPolicy: 'Exact' }] },
};

const wheels = { plural: 'wheels', singular: 'wheel', kind: 'Wheel', listKind: 'WheelList' };
const column = { name: 'Size', type: 'integer' };
const openAPIV3Schema = {
  type: 'object',
  properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
};
const definition: Change = {
  old: {
    spec: {
      group: 'example.org',
      version: 'v1',
      names: wheels,
      scope: 'Namespaced',
      preserveUnknownFields: false,
      validation: { openAPIV3Schema },
      subresources: { status: {} },
      additionalPrinterColumns: [{ ...column, JSONPath: '.spec.size' }],
    },
  },
  now: {
    spec: {
      group: 'example.org',
      names: wheels,
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema },
          subresources: { status: {} },
          additionalPrinterColumns: [{ ...column, jsonPath: '.spec.size' }],
        },
      ],
    },
  },
};

const ingressPath = (backend: JsonObject): JsonObject => ({
  rules: [{ http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }],
});
const ingress: Change = {
  old: {
    spec: {
      backend: { serviceName: 'd', servicePort: 'http' },
      ...ingressPath({ serviceName: 's', servicePort: 80 }),
    },
  },
  now: {
    spec: {
      defaultBackend: { service: { name: 'd', port: { name: 'http' } } },
      ...ingressPath({ service: { name: 's', port: { number: 80 } } }),
    },
  },
};

const access = { resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'default' } };
const about: Change = {
  old: { spec: { ...access, user: 'u', group: ['g'] } },
  now: { spec: { ...access, user: 'u', groups: ['g'] } },
  review: true,
};
const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
const bound = (kind: string): Change =>
  same({ roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: 'r' } });
const pathsOfHosts: JsonObject = {
  podSelector: {},
  ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.0/8' } }] }],
};
const policy = {
  seLinux: { rule: 'RunAsAny' },
  runAsUser: { rule: 'RunAsAny' },
  supplementalGroups: { rule: 'RunAsAny' },
  fsGroup: { rule: 'RunAsAny' },
};
const volume = {
  spec: { attacher: 'a.example.org', nodeName: 'n', source: { persistentVolumeName: 'v' } },
};
const event = {
  ...eventDemands,
  regarding: { kind: 'Pod', name: 'p', namespace: 'default' },
  note: 'n',
};
const slice: Change = {
  old: {
    addressType: 'IPv4',
    endpoints: [
      {
        addresses: ['10.0.0.1'],
        nodeName: 'n',
        topology: { 'kubernetes.io/hostname': 'n', 'topology.kubernetes.io/zone': 'z' },
      },
    ],
  },
  now: {
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.0.0.1'], nodeName: 'n', zone: 'z' }],
  },
};
/** A signing request in PEM, and the usages of one that a user makes. */
const request = {
  request: Buffer.from(
    `-----BEGIN CERTIFICATE REQUEST-----
MIHGMG4CAQAwDDEKMAgGA1UEAwwBdTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IA
BI0WJUezDQgpWgLb4/zmOYkNisle6Yzue9LtcU5cHnOiTZjBAl8quiKn4RE1rpsp
yM7LiCC9N2qfWtVK/Wy6LsKgADAKBggqhkjOPQQDAgNIADBFAiBpDNvXagEqbVNc
J1oIM70MnxzQbC8ZB2JtchleDyTC1gIhAPGXGZ5UjX9cTX3xal41aijvUQai4ucX
UwqtiXeCBGsQ
-----END CERTIFICATE REQUEST-----
`,
  ).toString('base64'),
  signerName: 'example.org/s',
  usages: ['digital signature'],
};
const rbac = 'rbac.authorization.k8s.io';
const reviews = 'authorization.k8s.io';
const storage = 'storage.k8s.io';
const hooks = 'admissionregistration.k8s.io';

export const removedVersions: readonly RemovedVersion[] = [
  row(`32 26 ${flow}/v1beta3 FlowSchema flowschemas cluster ${flow}/v1:29`, flowSchema),
  row(
    `32 26 ${flow}/v1beta3 PriorityLevelConfiguration prioritylevelconfigurations cluster ${flow}/v1:29`,
    nominal,
  ),
  row(
    `29 23 ${flow}/v1beta2 FlowSchema flowschemas cluster ${flow}/v1beta3:26 ${flow}/v1:29`,
    flowSchema,
  ),
  row(
    `29 23 ${flow}/v1beta2 PriorityLevelConfiguration prioritylevelconfigurations cluster ${flow}/v1beta3:26 ${flow}/v1:29`,
    assured,
  ),
  row(
    `27 21 ${storage}/v1beta1 CSIStorageCapacity csistoragecapacities namespaced ${storage}/v1:24`,
    same({ storageClassName: 's', capacity: '1Gi' }),
  ),
  row(`26 20 ${flow}/v1beta1 FlowSchema flowschemas cluster ${flow}/v1beta2:23`, flowSchema),
  row(
    `26 20 ${flow}/v1beta1 PriorityLevelConfiguration prioritylevelconfigurations cluster ${flow}/v1beta2:23`,
    stillAssured,
  ),
  row(
    '26 12 autoscaling/v2beta2 HorizontalPodAutoscaler horizontalpodautoscalers namespaced autoscaling/v2:23',
    same(averageCpu),
  ),
  row('25 8 batch/v1beta1 CronJob cronjobs namespaced batch/v1:21', {
    ...same({ spec: { schedule: '* * * * *', jobTemplate } }),
  }),
  row(
    '25 16 discovery.k8s.io/v1beta1 EndpointSlice endpointslices namespaced discovery.k8s.io/v1:21',
    slice,
  ),
  row('25 8 events.k8s.io/v1beta1 Event events namespaced events.k8s.io/v1:19', same(event)),
  row(
    '25 8 autoscaling/v2beta1 HorizontalPodAutoscaler horizontalpodautoscalers namespaced autoscaling/v2:23',
    { old: autoscaler({ name: 'cpu', targetAverageUtilization: 60 }), now: averageCpu },
  ),
  row(
    '25 5 policy/v1beta1 PodDisruptionBudget poddisruptionbudgets namespaced policy/v1:21',
    same({ spec: { minAvailable: 1, selector } }),
  ),
  row('25 10 policy/v1beta1 PodSecurityPolicy podsecuritypolicies cluster', {
    ...same({ spec: policy }),
  }),
  row('25 13 node.k8s.io/v1beta1 RuntimeClass runtimeclasses cluster node.k8s.io/v1:20', {
    ...same({ handler: 'h' }),
  }),
  ...['Mutating', 'Validating'].map((what) =>
    row(
      `22 9 ${hooks}/v1beta1 ${what}WebhookConfiguration ${what.toLowerCase()}webhookconfigurations cluster ${hooks}/v1:16`,
      webhooks,
    ),
  ),
  row(
    '22 7 apiregistration.k8s.io/v1beta1 APIService apiservices cluster apiregistration.k8s.io/v1:10',
    same({
      spec: { group: 'example.org', version: 'v1', groupPriorityMinimum: 5, versionPriority: 5 },
    }),
  ),
  row(
    '22 7 apiextensions.k8s.io/v1beta1 CustomResourceDefinition customresourcedefinitions cluster apiextensions.k8s.io/v1:16',
    definition,
  ),
  row(
    '22 4 authentication.k8s.io/v1beta1 TokenReview tokenreviews cluster authentication.k8s.io/v1:6',
    { ...same({ spec: { token: 'nobody.knows.it' } }), review: true },
  ),
  row('22 12 coordination.k8s.io/v1beta1 Lease leases namespaced coordination.k8s.io/v1:14', {
    ...same({ spec: { holderIdentity: 'h', leaseDurationSeconds: 5 } }),
  }),
  row(
    '22 18 networking.k8s.io/v1beta1 IngressClass ingressclasses cluster networking.k8s.io/v1:19',
    same({ spec: { controller: 'example.org/c' } }),
  ),
  row(`22 6 ${rbac}/v1beta1 ClusterRole clusterroles cluster ${rbac}/v1:8`, same({ rules })),
  row(
    `22 6 ${rbac}/v1beta1 ClusterRoleBinding clusterrolebindings cluster ${rbac}/v1:8`,
    bound('ClusterRole'),
  ),
  row(`22 6 ${rbac}/v1beta1 Role roles namespaced ${rbac}/v1:8`, same({ rules })),
  row(`22 6 ${rbac}/v1beta1 RoleBinding rolebindings namespaced ${rbac}/v1:8`, bound('Role')),
  row(
    '22 11 scheduling.k8s.io/v1beta1 PriorityClass priorityclasses cluster scheduling.k8s.io/v1:14',
    same({ value: 5 }),
  ),
  row(
    `22 2 ${reviews}/v1beta1 SubjectAccessReview subjectaccessreviews cluster ${reviews}/v1:6`,
    about,
  ),
  row(
    `22 2 ${reviews}/v1beta1 LocalSubjectAccessReview localsubjectaccessreviews namespaced ${reviews}/v1:6`,
    about,
  ),
  row(
    `22 2 ${reviews}/v1beta1 SelfSubjectAccessReview selfsubjectaccessreviews cluster ${reviews}/v1:6`,
    { ...same({ spec: access }), review: true },
  ),
  row(
    `22 8 ${reviews}/v1beta1 SelfSubjectRulesReview selfsubjectrulesreviews cluster ${reviews}/v1:8`,
    { ...same({ spec: { namespace: 'default' } }), review: true },
  ),
  row(
    '22 12 certificates.k8s.io/v1beta1 CertificateSigningRequest certificatesigningrequests cluster certificates.k8s.io/v1:19',
    same({ spec: request }),
  ),
  row('22 1 extensions/v1beta1 Ingress ingresses namespaced networking.k8s.io/v1:19', ingress),
  row(
    '22 14 networking.k8s.io/v1beta1 Ingress ingresses namespaced networking.k8s.io/v1:19',
    ingress,
  ),
  row(
    `22 14 ${storage}/v1beta1 CSIDriver csidrivers cluster ${storage}/v1:19`,
    same({ spec: { attachRequired: false, podInfoOnMount: true } }),
  ),
  row(
    `22 14 ${storage}/v1beta1 CSINode csinodes cluster ${storage}/v1:17`,
    same({ spec: { drivers: [{ name: 'd', nodeID: 'n', topologyKeys: ['k'] }] } }),
  ),
  row(
    `22 4 ${storage}/v1beta1 StorageClass storageclasses cluster ${storage}/v1:6`,
    same({ provisioner: 'example.org/p', parameters: { a: 'b' } }),
  ),
  row(
    `22 10 ${storage}/v1beta1 VolumeAttachment volumeattachments cluster ${storage}/v1:13`,
    same(volume),
  ),
  row(
    '16 3 extensions/v1beta1 NetworkPolicy networkpolicies namespaced networking.k8s.io/v1:8',
    only({ spec: pathsOfHosts }),
  ),
  ...['extensions/v1beta1', 'apps/v1beta2'].map((version) =>
    row(
      `16 1 ${version} DaemonSet daemonsets namespaced apps/v1:9`,
      only({ spec: { selector, template: labelled } }),
    ),
  ),
  ...['extensions/v1beta1', 'apps/v1beta1', 'apps/v1beta2'].map((version) =>
    row(
      `16 1 ${version} Deployment deployments namespaced apps/v1:9`,
      only({ spec: { selector, template: labelled } }),
    ),
  ),
  ...['apps/v1beta1', 'apps/v1beta2'].map((version) =>
    row(
      `16 5 ${version} StatefulSet statefulsets namespaced apps/v1:9`,
      only({ spec: { selector, template: labelled, serviceName: 's' } }),
    ),
  ),
  ...['extensions/v1beta1', 'apps/v1beta1', 'apps/v1beta2'].map((version) =>
    row(
      `16 2 ${version} ReplicaSet replicasets namespaced apps/v1:9`,
      only({ spec: { selector, template: labelled } }),
    ),
  ),
  row(
    '16 2 extensions/v1beta1 PodSecurityPolicy podsecuritypolicies cluster policy/v1beta1:10',
    only({ spec: policy }),
  ),
];
