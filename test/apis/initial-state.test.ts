/** What the server writes into new objects. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FieldError } from '../../src/apimachinery/field-error.ts';
import { formatFieldError } from '../../src/apimachinery/field-error.ts';
import { part } from '../../src/apimachinery/members.ts';
import { matchKeysRules } from '../../src/apis/core/pods/match-label-keys.ts';
import { identityOf } from '../../src/apimachinery/identity.ts';
import { formatGroupVersion } from '../../src/apimachinery/schema.ts';
import type { KindInfo } from '../../src/apimachinery/scheme.ts';
import { conform } from '../../src/apimachinery/typed/conform.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import { isJsonObject } from '../../src/apimachinery/unstructured.ts';
import { buildScheme } from '../../src/apis/build-scheme.ts';
import { qosClassOf } from '../../src/apis/core/pods/qos-class.ts';
import { parseRuntimeConfig } from '../../src/apis/runtime-config.ts';
import { strategiesOf } from '../../src/apis/strategies.ts';
import { atVersionOf, toStorageVersion } from '../../src/registry/versions.ts';

const identity = identityOf('kubernetes');

const config = parseRuntimeConfig('api/all=true');
assert(config.kind === 'ok');
const built = buildScheme({ identity, runtimeConfig: config.value, featureGates: new Set() });
assert(built.kind === 'ok');
const served = built.scheme;
const strategyOf = strategiesOf(identity);

function kindOf(resource: string): KindInfo {
  const found = served.kinds.find(
    (kind) => `${kind.group}/${kind.resource}` === resource && kind.version === 'v1',
  );
  assert(found !== undefined, resource);
  return found;
}

function created(resource: string, content: JsonObject): JsonObject {
  const metadata = { name: 'x', uid: 'u' };
  const object: ApiObject = { apiVersion: 'v1', kind: 'K', metadata, ...content };
  return strategyOf(kindOf(resource)).prepareForCreate(object);
}

/** A definition shows `conditions: null` until it has one; what is null is not there. */
function withoutNulls(status: JsonValue | undefined): JsonValue {
  assert(isJsonObject(status));
  return Object.fromEntries(Object.entries(status).filter(([, value]) => value !== null));
}

const both = (cpu: string, memory: string): JsonObject => ({
  limits: { cpu, memory },
  requests: { cpu, memory },
});

describe('the quality of service of a pod', () => {
  for (const [quality, ...resources] of [
    ['BestEffort', {}],
    ['BestEffort', { limits: { cpu: '0' } }],
    ['Burstable', { requests: { cpu: '1' } }],
    ['Burstable', both('1', '1Gi'), {}],
    ['Guaranteed', both('1', '1Gi'), both('2', '1Mi')],
    [
      'Guaranteed',
      { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1', memory: '1073741824' } },
    ],
  ] as readonly (readonly [string, ...JsonObject[]])[]) {
    it(`${quality} for ${JSON.stringify(resources)}`, () => {
      const containers = resources.map((each, at) => ({ name: `c${at}`, resources: each }));
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: {}, spec: { containers } };
      assert.equal(qosClassOf(pod), quality);
    });
  }
});

describe('the status of a new object is the one that a write of its status leaves it', () => {
  for (const kind of served.kinds) {
    const { schema } = kind;
    if (schema === undefined || kind.subresources.every(({ name }) => name !== 'status')) continue;
    const apiVersion = formatGroupVersion(kind);
    it(`${apiVersion} ${kind.kind}`, () => {
      const metadata = { name: 'x', uid: 'u', creationTimestamp: '2024-01-01T00:00:00Z' };
      const sent = conform(schema, { apiVersion, kind: kind.kind, metadata });
      assert(sent.kind === 'ok');
      const stored = toStorageVersion(sent.object as ApiObject, kind);
      const born = atVersionOf(strategyOf(kind).prepareForCreate(stored), kind);
      const written = conform(schema, born);
      assert(written.kind === 'ok');
      assert.notEqual(born['status'], undefined);
      assert.deepEqual(withoutNulls(born['status']), written.object['status']);
    });
  }
});

describe('a new object', () => {
  it('starts in the phase Pending, whatever status the client sends', () => {
    const status = { phase: 'Bound' };
    for (const resource of ['/persistentvolumes', '/persistentvolumeclaims']) {
      assert.deepEqual(created(resource, { status })['status'], { phase: 'Pending' });
    }
    const pod = created('/pods', { spec: {}, status });
    assert.deepEqual(pod['status'], { phase: 'Pending', qosClass: 'BestEffort' });
  });

  it('that is a pod with scheduling gates says that it waits for them', () => {
    const spec = { schedulingGates: [{ name: 'x.io/wait' }] };
    const creationTimestamp = '2024-01-01T00:00:00Z';
    const { status } = created('/pods', { metadata: { name: 'x', creationTimestamp }, spec });
    const { conditions } = status as { conditions: readonly JsonObject[] };
    assert.deepEqual(
      conditions.map(({ type, status: said, reason, lastTransitionTime }) => [
        type,
        said,
        reason,
        lastTransitionTime,
      ]),
      [['PodScheduled', 'False', 'SchedulingGated', creationTimestamp]],
    );
  });

  it('that is a pod asks for the values of its own labels where its affinity names keys', () => {
    const labelSelector = { matchLabels: { app: 'a' } };
    const term = { labelSelector, topologyKey: 'zone', matchLabelKeys: ['hash', 'none'] };
    const other = { ...term, matchLabelKeys: [], mismatchLabelKeys: ['tenant'] };
    const required = 'requiredDuringSchedulingIgnoredDuringExecution';
    const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
    const without = { topologyKey: 'zone', matchLabelKeys: ['hash'] };
    const pod = created('/pods', {
      metadata: { name: 'x', labels: { hash: '1', tenant: 't' } },
      spec: {
        affinity: {
          podAffinity: { [required]: [term, without] },
          podAntiAffinity: { [preferred]: [{ weight: 1, podAffinityTerm: other }] },
        },
      },
    });
    const asked = (each: JsonObject, key: string, operator: string, value: string): JsonObject => ({
      ...each,
      labelSelector: { ...labelSelector, matchExpressions: [{ key, operator, values: [value] }] },
    });
    assert.deepEqual(pod['spec'], {
      affinity: {
        podAffinity: { [required]: [asked(term, 'hash', 'In', '1'), without] },
        podAntiAffinity: {
          [preferred]: [{ weight: 1, podAffinityTerm: asked(other, 'tenant', 'NotIn', 't') }],
        },
      },
    });
  });

  it('that is a pod whose affinity names more keys than it can have labels is refused as it is', () => {
    const matchLabelKeys = Array.from({ length: 1001 }, () => 'hash');
    const term = { labelSelector: {}, topologyKey: 'zone', matchLabelKeys };
    const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
    const spec = { affinity };
    const pod = created('/pods', { metadata: { name: 'x', labels: { hash: '1' } }, spec });
    assert.deepEqual(pod['spec'], spec);
    assert.deepEqual(matchKeysRules(spec, 'spec').map(formatFieldError), [
      'spec.affinity: Too many: 1001: must have at most 1000 items',
    ]);
  });

  it('that is a pod has AppArmor fields for annotations that name other profiles than it', () => {
    const prefix = 'container.apparmor.security.beta.kubernetes.io/';
    const names = {
      a: 'unconfined',
      b: 'runtime/default',
      c: 'localhost/f',
      d: 'localhost/',
      e: '',
    };
    const annotations = Object.fromEntries(
      Object.entries(names).map(([name, profile]) => [`${prefix}${name}`, profile]),
    );
    const containers = Object.keys(names).map((name) => ({ name }));
    const securityContext = { appArmorProfile: { type: 'RuntimeDefault' } };
    const metadata = { name: 'x', annotations };
    const own = (spec: JsonObject): readonly (JsonValue | undefined)[] =>
      (created('/pods', { metadata, spec })['spec'] as { containers: JsonObject[] }).containers.map(
        (container) => container['securityContext'],
      );
    const unconfined = { appArmorProfile: { type: 'Unconfined' } };
    const file = { appArmorProfile: { type: 'Localhost', localhostProfile: 'f' } };
    const none = undefined;
    assert.deepEqual(own({ containers }), [unconfined, securityContext, file, none, none]);
    assert.deepEqual(own({ containers, securityContext }), [unconfined, none, file, none, none]);
    assert.deepEqual(own({ containers, os: { name: 'windows' } }), [none, none, none, none, none]);
  });

  it('that is a daemon set counts its templates, from 1 or where the client begins', () => {
    const name = 'deprecated.daemonset.template.generation';
    const strategy = strategyOf(kindOf('apps/daemonsets'));
    const set = (template: JsonObject, given?: string): ApiObject => ({
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'x', annotations: given === undefined ? {} : { [name]: given } },
      spec: { template },
    });
    const countOf = (object: ApiObject): unknown => object.metadata.annotations?.[name];
    for (const [given, first] of [
      [undefined, '1'],
      ['0', '1'],
      ['7', '7'],
    ] as const) {
      const born = strategy.prepareForCreate(set({ spec: {} }, given));
      assert.equal(countOf(born), first);
      const same = strategy.prepareForUpdate(set({ spec: {} }, '99'), born, 0);
      assert.equal(countOf(same), first, 'nobody else counts');
      const status = strategy.prepareForStatusUpdate(set({ spec: {} }, '0'), born, 0);
      assert.equal(countOf(status), first, 'a write to the status counts nothing');
      const next = strategy.prepareForUpdate(set({ spec: { hostPID: true } }), born, 0);
      assert.equal(countOf(next), String(Number(first) + 1));
    }
  });

  it('that is a job selects its own pods and nobody else', () => {
    const spec = { template: { metadata: { labels: { a: 'b' } }, spec: {} } };
    const job = created('batch/jobs', { spec, status: { succeeded: 1 } });
    assert.deepEqual(job['status'], {});
    assert.deepEqual(job['spec'], {
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'u' } },
      template: {
        metadata: {
          labels: {
            a: 'b',
            'batch.kubernetes.io/controller-uid': 'u',
            'batch.kubernetes.io/job-name': 'x',
            'controller-uid': 'u',
            'job-name': 'x',
          },
        },
        spec: {},
      },
    });
  });

  it('that is a job is labelled as its pods are, where it has their labels and none of its own', () => {
    const labels = { a: 'b' };
    const spec = { template: { metadata: { labels }, spec: {} } };
    for (const [own, marked] of [
      [labels, true],
      [{ ...labels }, false],
    ] as const) {
      const metadata = { name: 'x', uid: 'u', labels: own };
      const job = created('batch/jobs', { metadata, spec }) as unknown as ApiObject;
      assert.equal(job.metadata.labels?.['job-name'], marked ? 'x' : undefined);
    }
  });

  it('that is a job whose pods are said to be of another job is refused', () => {
    const labels = { 'job-name': 'y', 'batch.kubernetes.io/controller-uid': 'v' };
    const job = created('batch/jobs', { spec: { template: { metadata: { labels }, spec: {} } } });
    const { validate, prepareForUpdate, validateUpdate } = strategyOf(kindOf('batch/jobs'));
    const marks = (errors: readonly FieldError[]): readonly string[] =>
      errors.map(({ field }) => field).filter((field) => field.includes('labels['));
    assert.deepEqual(marks(validate(job as ApiObject)), [
      'spec.template.metadata.labels[job-name]',
      'spec.template.metadata.labels[batch.kubernetes.io/controller-uid]',
    ]);
    const right = created('batch/jobs', { spec: { suspend: true } }) as ApiObject;
    const bare = { ...right, spec: { ...part(right, 'spec'), template: {} } };
    const next = prepareForUpdate(bare, right, 0);
    assert.equal(marks(validateUpdate(next, right)).length, 4, 'the marks may not go');
  });

  it('that is a job keeps the selector that its client vouches for', () => {
    const spec = { manualSelector: true, selector: { matchLabels: { a: 'b' } } };
    assert.deepEqual(created('batch/jobs', { spec })['spec'], spec);
  });
});
