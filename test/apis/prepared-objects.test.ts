/** What the server itself changes in objects that are written, beside their defaults. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { identityOf } from '../../src/apimachinery/identity.ts';
import type { KindInfo } from '../../src/apimachinery/scheme.ts';
import type { ApiObject, JsonObject } from '../../src/apimachinery/unstructured.ts';
import { buildScheme } from '../../src/apis/build-scheme.ts';
import { parseRuntimeConfig } from '../../src/apis/runtime-config.ts';
import { strategiesOf } from '../../src/apis/strategies.ts';
import { metadataForCreate, withGeneration } from '../../src/registry/object-metadata.ts';

const identity = identityOf('kubernetes');
const config = parseRuntimeConfig('api/all=true');
assert(config.kind === 'ok');
const built = buildScheme({ identity, runtimeConfig: config.value, featureGates: new Set() });
assert(built.kind === 'ok');
const { kinds } = built.scheme;
const strategyOf = strategiesOf(identity);
const born = '2024-01-01T00:00:00Z';
const later = '2024-01-01T00:01:00Z';

function kindOf(resource: string): KindInfo {
  const found = kinds.find((kind) => `${kind.group}/${kind.resource}` === resource);
  assert(found !== undefined, resource);
  return found;
}

function objectOf(content: JsonObject): ApiObject {
  return {
    apiVersion: 'v1',
    kind: 'K',
    metadata: { name: 'x', creationTimestamp: born },
    ...content,
  };
}

const snapshot = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' };
const other = { apiGroup: 'g.io', kind: 'Thing', name: 't' };
const claim = { kind: 'PersistentVolumeClaim', name: 'c' };

describe('the source of a claim', () => {
  const rows: readonly (readonly [string, JsonObject, JsonObject, JsonObject?])[] = [
    ['of the old sort is in both fields', { dataSource: snapshot }, { both: snapshot }],
    ['that is a claim is in both fields', { dataSource: claim }, { both: claim }],
    ['of another sort is in both fields', { dataSourceRef: other }, { both: other }],
    ['of another sort is ignored in the old field', { dataSource: other }, {}],
    ['in another namespace is ignored', { dataSourceRef: { ...other, namespace: 'n' } }, {}],
    [
      'stays when one field is left out',
      { dataSourceRef: other },
      { both: other },
      { both: other },
    ],
    ['stays in the old field', { dataSource: other }, { both: other }, { both: other }],
  ];
  const spelt = ({ both, ...spec }: JsonObject): JsonObject =>
    both === undefined ? spec : { ...spec, dataSource: both, dataSourceRef: both };
  const strategy = strategyOf(kindOf('/persistentvolumeclaims'));
  for (const [title, spec, wanted, before] of rows) {
    it(title, () => {
      const next = objectOf({ spec });
      const made =
        before === undefined
          ? strategy.prepareForCreate(next)
          : strategy.prepareForUpdate(next, objectOf({ spec: spelt(before) }), 0);
      assert.deepEqual(made['spec'], spelt(wanted));
    });
  }

  it('may be written by clients that know one field, where both are stored', () => {
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const stored = objectOf({ spec: { ...spec, dataSource: snapshot } });
    const next = strategy.prepareForUpdate(stored, stored, 0);
    assert.deepEqual(strategy.validateUpdate(next, stored), []);
  });
});

describe('the time of the last phase of a volume', () => {
  const strategy = strategyOf(kindOf('/persistentvolumes'));
  const bound = { phase: 'Bound', lastPhaseTransitionTime: born };

  it('is that of its creation at first', () => {
    const made = strategy.prepareForCreate(objectOf({ spec: {}, status: { phase: 'Bound' } }));
    assert.deepEqual(made['status'], { phase: 'Pending', lastPhaseTransitionTime: born });
  });

  const rows: readonly (readonly [string, JsonObject, JsonObject])[] = [
    ['stays with the phase', { phase: 'Bound' }, bound],
    ['is now for another phase', { phase: 'Released' }, { lastPhaseTransitionTime: later }],
    [
      'is now for another phase with the time of the old one',
      { ...bound, phase: 'Released' },
      { lastPhaseTransitionTime: later },
    ],
    [
      'is what the writer says',
      { phase: 'Released', lastPhaseTransitionTime: '2023-01-01T00:00:00Z' },
      { lastPhaseTransitionTime: '2023-01-01T00:00:00Z' },
    ],
  ];
  for (const [title, status, wanted] of rows) {
    it(title, () => {
      const current = objectOf({ status: bound });
      const made = strategy.prepareForStatusUpdate(
        objectOf({ status }),
        current,
        Date.parse(later),
      );
      assert.deepEqual(made['status'], { ...status, ...wanted });
    });
  }
});

describe('prepared objects', () => {
  it('of service accounts keep the names of their secrets alone', () => {
    const strategy = strategyOf(kindOf('/serviceaccounts'));
    const account = objectOf({ secrets: [{ name: 'a', kind: 'Secret', namespace: 'n' }, {}] });
    const wanted = [{ name: 'a' }, {}];
    assert.deepEqual(strategy.prepareForCreate(account)['secrets'], wanted);
    assert.deepEqual(strategy.prepareForUpdate(account, account, 0)['secrets'], wanted);
  });

  it('of nodes have no settings of kubelets that were not there before', () => {
    const strategy = strategyOf(kindOf('/nodes'));
    const node = objectOf({ spec: { configSource: {} }, status: { config: {}, phase: 'Running' } });
    const made = strategy.prepareForCreate(node);
    assert.deepEqual([made['spec'], made['status']], [{}, { phase: 'Running' }]);
    assert.deepEqual(strategy.prepareForStatusUpdate(node, made, 0)['status'], {
      phase: 'Running',
    });
    assert.equal(strategy.prepareForStatusUpdate(node, node, 0), node);
  });

  it('of CSI drivers count their changes from none', () => {
    const kind = kindOf('storage.k8s.io/csidrivers');
    const birth = { name: 'x', namespace: '', uid: 'u', creationTimestamp: born };
    const made = metadataForCreate(objectOf({ spec: {} }), kind, birth);
    assert.equal(made.metadata.generation, undefined);
    const next = { ...made, spec: { requiresRepublish: true } };
    assert.equal(withGeneration(next, made, kind).metadata.generation, 1);
  });

  it('of priority classes say generation 1, whatever changes', () => {
    const kind = kindOf('scheduling.k8s.io/priorityclasses');
    const birth = { name: 'x', namespace: '', uid: 'u', creationTimestamp: born };
    const made = metadataForCreate(objectOf({ value: 1 }), kind, birth);
    assert.equal(made.metadata.generation, 1);
    const next = { ...made, description: 'of batch work' };
    assert.equal(withGeneration(next, made, kind).metadata.generation, 1);
  });
});
