/** What the server itself puts into namespaces. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatFieldError } from '../../src/apimachinery/field-error.ts';
import { identityNames, identityOf } from '../../src/apimachinery/identity.ts';
import type { ApiObject } from '../../src/apimachinery/unstructured.ts';
import { defaultNamespaces } from '../../src/apis/core/namespaces/default-namespaces.ts';
import { buildScheme } from '../../src/apis/build-scheme.ts';
import { strategiesOf } from '../../src/apis/strategies.ts';

const identity = identityOf('kubernetes');
const label = 'kubernetes.io/metadata.name';

function namespace(extra: object = {}): ApiObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' }, ...extra };
}

function strategy() {
  const built = buildScheme({ identity });
  assert.equal(built.kind, 'ok');
  const kind = built.kind === 'ok' ? built.scheme.findKind('', 'v1', 'Namespace') : undefined;
  assert.ok(kind);
  return strategiesOf(identity)(kind);
}

describe('namespaces', () => {
  for (const name of identityNames) {
    it(`exist from the first start under ${name}`, () => {
      const { labels } = identityOf(name);
      const objects = defaultNamespaces(identityOf(name));
      assert.deepEqual(
        objects.map((object) => object.metadata.name),
        ['default', 'kube-system', 'kube-public', 'kube-node-lease'],
      );
      for (const object of objects) {
        assert.equal(object.metadata.labels?.[labels.metadataName], object.metadata.name);
      }
    });
  }

  it('always carry their name as a label', () => {
    const sent = namespace({ metadata: { name: 'a', labels: { [label]: 'other', x: 'y' } } });
    const created = strategy().prepareForCreate(sent);
    assert.deepEqual(created.metadata.labels, { [label]: 'a', x: 'y' });
    const updated = strategy().prepareForUpdate(namespace(), created, 0);
    assert.deepEqual(updated.metadata.labels, { [label]: 'a' });
  });

  it('start Active with their finalizer, and keep both through updates', () => {
    const created = strategy().prepareForCreate(namespace({ status: { phase: 'Terminating' } }));
    assert.deepEqual(created['spec'], { finalizers: ['kubernetes'] });
    assert.deepEqual(created['status'], { phase: 'Active' });
    const updated = strategy().prepareForUpdate(
      namespace({ spec: { finalizers: [] } }),
      created,
      0,
    );
    assert.deepEqual(updated['spec'], { finalizers: ['kubernetes'] });
    assert.deepEqual(updated['status'], { phase: 'Active' });
  });

  it('are not created with finalizers that nobody owns', () => {
    const { validateCreated } = strategy();
    const errors = (...finalizers: string[]) =>
      validateCreated(namespace({ spec: { finalizers } })).map(formatFieldError);
    assert.deepEqual(errors('kubernetes', 'example.org/own'), []);
    const why = 'name is neither a standard finalizer name nor is it fully qualified';
    assert.deepEqual(errors('own'), [`spec.finalizers: Invalid value: "own": ${why}`]);
  });

  it('are Terminating, and held, once their deletion is marked', () => {
    const { holdsDeletion, markDeletion, prepareForCreate } = strategy();
    const created = prepareForCreate(namespace());
    const marked = markDeletion(created, created);
    assert.deepEqual(marked['status'], { phase: 'Terminating' });
    assert.ok(holdsDeletion(marked));
    assert.ok(!holdsDeletion(namespace({ spec: { finalizers: [] } })));
  });

  it('of the system cannot be deleted', () => {
    const { forbidDeletion } = strategy();
    for (const name of ['default', 'kube-system', 'kube-public']) {
      const error = forbidDeletion(name);
      assert.equal(error?.code, 403);
      assert.match(error.message, /this namespace may not be deleted/);
    }
    assert.equal(forbidDeletion('kube-node-lease'), undefined);
    assert.equal(forbidDeletion('a'), undefined);
  });
});
