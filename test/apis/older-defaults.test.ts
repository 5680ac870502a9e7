/** Defaults of replaced versions, and what becomes of them in the version that replaced them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ApiObject, JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import { isJsonObject } from '../../src/apimachinery/unstructured.ts';
import { defaultersOf } from '../../src/apis/defaults/defaulters.ts';
import { builtInKinds } from '../../src/apis/kind-set.ts';
import { fieldTypes } from '../../src/apis/field-types.ts';
import { convert, kindOf, kubernetes } from '../support/data/versioned-kinds.ts';

const types = fieldTypes(kubernetes);
const defaultsOf = defaultersOf(kubernetes);

function valueAt(object: JsonObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const part of path.split('.')) {
    if (Array.isArray(value)) value = (value as readonly JsonValue[])[Number(part)];
    else value = isJsonObject(value) ? value[part] : undefined;
  }
  return value;
}

interface Row {
  readonly version: string;
  readonly kind: string;
  readonly object: JsonObject;
  readonly expect: Readonly<Record<string, JsonValue | undefined>>;
  readonly to?: string;
}

const limited = (shares: JsonObject): JsonObject => ({ type: 'Limited', limited: shares });
const level = 'PriorityLevelConfiguration';
const flow = 'flowcontrol.apiserver.k8s.io';
const template = { metadata: { labels: { app: 'a' } }, spec: {} };

const rows: readonly Row[] = [
  {
    version: 'admissionregistration.k8s.io/v1beta1',
    kind: 'ValidatingWebhookConfiguration',
    object: { webhooks: [{ name: 'w' }] },
    expect: {
      'webhooks.0.failurePolicy': 'Ignore',
      'webhooks.0.matchPolicy': 'Exact',
      'webhooks.0.timeoutSeconds': 30,
      'webhooks.0.sideEffects': 'Unknown',
      'webhooks.0.admissionReviewVersions': ['v1beta1'],
    },
    to: 'admissionregistration.k8s.io/v1',
  },
  {
    version: 'certificates.k8s.io/v1beta1',
    kind: 'CertificateSigningRequest',
    object: { spec: {} },
    expect: {
      'spec.signerName': 'kubernetes.io/legacy-unknown',
      'spec.usages': ['digital signature', 'key encipherment'],
    },
    to: 'certificates.k8s.io/v1',
  },
  {
    version: 'extensions/v1beta1',
    kind: 'Ingress',
    object: {
      spec: { rules: [{ http: { paths: [{ backend: { serviceName: 's', servicePort: 1 } }] } }] },
    },
    expect: { 'spec.rules.0.http.paths.0.pathType': 'ImplementationSpecific' },
    to: 'networking.k8s.io/v1',
  },
  {
    version: 'extensions/v1beta1',
    kind: 'Deployment',
    object: { spec: { template, strategy: {} } },
    expect: {
      'spec.selector.matchLabels.app': 'a',
      'spec.replicas': 1,
      'spec.progressDeadlineSeconds': 2147483647,
      'spec.revisionHistoryLimit': 2147483647,
      'spec.strategy.rollingUpdate.maxSurge': 1,
    },
    to: 'apps/v1',
  },
  {
    version: 'apps/v1beta1',
    kind: 'Deployment',
    object: { spec: { template, strategy: {} } },
    expect: {
      'spec.progressDeadlineSeconds': 600,
      'spec.revisionHistoryLimit': 2,
      'spec.strategy.rollingUpdate.maxSurge': '25%',
    },
  },
  {
    version: 'apps/v1beta2',
    kind: 'Deployment',
    object: { spec: { template, strategy: {} } },
    expect: { 'spec.selector': undefined, 'spec.revisionHistoryLimit': 10 },
  },
  {
    version: 'extensions/v1beta1',
    kind: 'DaemonSet',
    object: { spec: { template, updateStrategy: {} } },
    expect: { 'spec.updateStrategy.type': 'OnDelete' },
  },
  {
    version: 'apps/v1beta2',
    kind: 'DaemonSet',
    object: { spec: { template, updateStrategy: {} } },
    expect: { 'spec.updateStrategy.type': 'RollingUpdate' },
  },
  {
    version: 'apps/v1beta1',
    kind: 'StatefulSet',
    object: { spec: { template, updateStrategy: {} } },
    expect: { 'spec.updateStrategy.type': 'OnDelete' },
  },
  ...['v1beta1', 'v1beta2'].map((version) => ({
    version: `${flow}/${version}`,
    kind: level,
    object: { spec: limited({ assuredConcurrencyShares: 0 }) },
    expect: { 'spec.limited.assuredConcurrencyShares': 30 },
  })),
  {
    version: `${flow}/v1beta3`,
    kind: level,
    object: { metadata: {}, spec: limited({}) },
    expect: { 'spec.limited.nominalConcurrencyShares': 30 },
    to: `${flow}/v1`,
  },
  {
    version: `${flow}/v1beta3`,
    kind: level,
    object: {
      metadata: {
        annotations: { 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares': '' },
      },
      spec: limited({ nominalConcurrencyShares: 0 }),
    },
    expect: { 'spec.limited.nominalConcurrencyShares': 0 },
    to: `${flow}/v1`,
  },
  {
    version: 'apiextensions.k8s.io/v1beta1',
    kind: 'CustomResourceDefinition',
    object: { spec: { names: { kind: 'Wheel', plural: 'wheels' } } },
    expect: {
      'spec.scope': 'Namespaced',
      'spec.preserveUnknownFields': true,
      'spec.conversion.strategy': 'None',
      'spec.names.singular': 'wheel',
      'spec.names.listKind': 'WheelList',
    },
  },
  ...['v1beta1', 'v1beta2', 'v1beta3'].map((version) => ({
    version: `${flow}/${version}`,
    kind: level,
    object: { spec: { type: 'Exempt', exempt: {} } },
    expect: { 'spec.exempt.nominalConcurrencyShares': 0, 'spec.exempt.lendablePercent': 0 },
    to: `${flow}/v1`,
  })),
  {
    version: 'apiextensions.k8s.io/v1beta1',
    kind: 'CustomResourceDefinition',
    object: {
      spec: {
        conversion: {
          strategy: 'Webhook',
          webhookClientConfig: { service: { namespace: 'n', name: 's' } },
        },
      },
    },
    expect: {
      'spec.conversion.webhookClientConfig.service.port': 443,
      'spec.conversion.conversionReviewVersions': ['v1beta1'],
    },
  },
  {
    version: 'certificates.k8s.io/v1beta1',
    kind: 'CertificateSigningRequest',
    object: { spec: {}, status: { conditions: [{ type: 'Approved' }] } },
    expect: { 'status.conditions.0.status': 'True' },
    to: 'certificates.k8s.io/v1',
  },
  {
    version: 'policy/v1beta1',
    kind: 'PodSecurityPolicy',
    object: { spec: {} },
    expect: { 'spec.allowPrivilegeEscalation': true },
  },
  {
    version: 'autoscaling/v2beta2',
    kind: 'HorizontalPodAutoscaler',
    object: { spec: { behavior: { scaleUp: { stabilizationWindowSeconds: 5 } } } },
    expect: {
      'spec.behavior.scaleUp.stabilizationWindowSeconds': 5,
      'spec.behavior.scaleUp.selectPolicy': 'Max',
      'spec.behavior.scaleDown.policies.0.type': 'Percent',
    },
    to: 'autoscaling/v2',
  },
  {
    version: 'autoscaling/v2beta1',
    kind: 'HorizontalPodAutoscaler',
    object: { spec: {} },
    expect: { 'spec.minReplicas': 1, 'spec.metrics.0.resource.targetAverageUtilization': 80 },
  },
];

describe('defaults of replaced versions', () => {
  for (const row of rows) {
    it(`${row.version} ${row.kind}: ${Object.keys(row.expect).join(', ')}`, () => {
      const schema = types.object(kindOf(row.version, row.kind).type);
      const object = { apiVersion: row.version, kind: row.kind, metadata: {}, ...row.object };
      const filled = defaultsOf(schema)(object) as ApiObject;
      for (const [path, value] of Object.entries(row.expect)) {
        assert.deepEqual(valueAt(filled, path), value, path);
      }
      assert.deepEqual(defaultsOf(schema)(filled), filled, 'filling twice is filling once');
      if (row.to === undefined) return;
      // Stored in the newer version, they stay what the older one meant.
      const stored = convert(filled, row.to);
      for (const [path, value] of Object.entries(row.expect)) {
        assert.deepEqual(valueAt(stored, path), value, path);
      }
    });
  }

  it('are of fields that their types have', () => {
    for (const { defaults } of builtInKinds.definitions) {
      for (const [type, fields] of Object.entries(defaults?.fields ?? {})) {
        const { members } = types.object(type);
        for (const field of Object.keys(fields)) assert.ok(members.has(field), `${type} ${field}`);
      }
    }
  });
});
