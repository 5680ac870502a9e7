/**
 * Resources that changed between versions, and small objects of them (spec 2, section 9.3). Data.
 */
import type { JsonObject } from '../../../src/apimachinery/unstructured.ts';
import { eventDemands } from './event-requirements.ts';

export interface Resource {
  readonly kind: string;
  /** With the namespace, where it has one. */
  readonly path: string;
  readonly name?: string;
}

const namespaced = (kind: string, resource: string): Resource => ({
  kind,
  path: `namespaces/default/${resource}`,
});
export const cluster = (kind: string, resource: string): Resource => ({ kind, path: resource });

export const required = 'FieldValueRequired';
export const invalid = 'FieldValueInvalid';
export const unsupported = 'FieldValueNotSupported';
export const duplicate = 'FieldValueDuplicate';

export const flow = 'flowcontrol.apiserver.k8s.io';
export const levels = cluster('PriorityLevelConfiguration', 'prioritylevelconfigurations');
export const level = (shares: JsonObject) => ({
  spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' }, ...shares } },
});
export const nominal = (shares: number) => ({
  spec: { limited: { nominalConcurrencyShares: shares } },
});
/** v1beta3 leaves out what is zero: that it was said is an annotation. */
export const zeroKept = {
  metadata: { annotations: { 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares': '' } },
};
export const assured = (shares: number) => ({
  spec: { limited: { assuredConcurrencyShares: shares } },
});

export const scalers = namespaced('HorizontalPodAutoscaler', 'horizontalpodautoscalers');
export const scaler = (spec: object) => ({
  spec: { scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }, ...spec },
});
export const utilization = (percentage: number) => ({
  maxReplicas: 3,
  metrics: [
    {
      type: 'Resource',
      resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: percentage } },
    },
  ],
});

export const slices = namespaced('EndpointSlice', 'endpointslices');
export const slice = (endpoint: object) => ({
  addressType: 'IPv4',
  endpoints: [{ addresses: ['10.0.0.1'], ...endpoint }],
});

export const events = namespaced('Event', 'events');
export const event = (more: object) => ({
  ...eventDemands,
  regarding: { kind: 'Pod', name: 'p', namespace: 'default' },
  ...more,
});

export const budgets = namespaced('PodDisruptionBudget', 'poddisruptionbudgets');
export const emptyMatch = 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match';

export const hooks = cluster('ValidatingWebhookConfiguration', 'validatingwebhookconfigurations');
export const webhook = {
  name: 'w.example.org',
  clientConfig: { url: 'https://example.org/' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};
export const {
  sideEffects: _effects,
  admissionReviewVersions: _versions,
  ...bareWebhook
} = webhook;
export const olderHook = {
  failurePolicy: 'Ignore',
  matchPolicy: 'Exact',
  timeoutSeconds: 30,
  sideEffects: 'Unknown',
  admissionReviewVersions: ['v1beta1'],
};

export const definitions: Resource = {
  kind: 'CustomResourceDefinition',
  path: 'customresourcedefinitions',
  name: 'wheels.example.org',
};
export const names = { plural: 'wheels', kind: 'Wheel' };
export const structural = { schema: { openAPIV3Schema: { type: 'object' } } };
export const version = { name: 'v1', served: true, storage: true, ...structural };
export const definition = { group: 'example.org', names, scope: 'Cluster', versions: [version] };
export const { schema: _schema, ...bareVersion } = version;
export const { scope: _scope, ...unscoped } = definition;

/** A version with a column of that name. */
export const columned = (name: string) => ({
  ...version,
  additionalPrinterColumns: [{ name, type: 'string', jsonPath: `.${name}` }],
});
export const second = { name: 'v2', storage: false };

export const drivers = cluster('CSIDriver', 'csidrivers');

export const requests = cluster('CertificateSigningRequest', 'certificatesigningrequests');
const pem = `-----BEGIN CERTIFICATE REQUEST-----
MIHGMG4CAQAwDDEKMAgGA1UEAwwBdTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IA
BI0WJUezDQgpWgLb4/zmOYkNisle6Yzue9LtcU5cHnOiTZjBAl8quiKn4RE1rpsp
yM7LiCC9N2qfWtVK/Wy6LsKgADAKBggqhkjOPQQDAgNIADBFAiBpDNvXagEqbVNc
J1oIM70MnxzQbC8ZB2JtchleDyTC1gIhAPGXGZ5UjX9cTX3xal41aijvUQai4ucX
UwqtiXeCBGsQ
-----END CERTIFICATE REQUEST-----
`;
export const request = (more: object) => ({
  spec: { request: Buffer.from(pem).toString('base64'), ...more },
});
export const signing = { signerName: 'example.org/s', usages: ['digital signature'] };

export const ingresses = namespaced('Ingress', 'ingresses');
export const ingressPath = (path: object) => ({ spec: { rules: [{ http: { paths: [path] } }] } });
export const service = { service: { name: 's', port: { number: 80 } } };

const containers = [{ name: 'c', image: 'i' }];
export const template = { metadata: { labels: { app: 'a' } }, spec: { containers } };
export const selector = { matchLabels: { app: 'a' } };
export const deployments = namespaced('Deployment', 'deployments');
export const daemonSets = namespaced('DaemonSet', 'daemonsets');
export const statefulSets = namespaced('StatefulSet', 'statefulsets');
export const replicaSets = namespaced('ReplicaSet', 'replicasets');
