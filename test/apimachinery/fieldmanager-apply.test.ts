/** Server-side apply of real kinds: the ownership table row by row, conflicts as clients read them,
 * and the way in from client-side apply. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { structuralType } from '../../src/apimachinery/fieldmanager/schema/structural.ts';
import {
  validateValue,
  validationSteps,
} from '../../src/apimachinery/fieldmanager/typed/validate.ts';
import type { ApiObject, JsonObject } from '../../src/apimachinery/unstructured.ts';
import { bodyValuesMax } from '../../src/apimachinery/codecs/body-bounds.ts';
import { ownableFieldsMax } from '../../src/apimachinery/fieldmanager/typed/count-fields.ts';
import { lastAppliedAnnotation, OwnedObject } from '../support/checks/field-ownership.ts';

const data = (values: JsonObject) => ({ data: values });
const owns = (...keys: string[]) => ({
  'f:data': Object.fromEntries(keys.map((key) => [`f:${key}`, {}])),
});

function configMap(): OwnedObject {
  return new OwnedObject('v1', 'ConfigMap');
}

describe('the ownership table', () => {
  it('another value of a field that another manager owns is a conflict and changes nothing', () => {
    const object = configMap();
    object.mustApply('a', data({ x: '1' }));
    const before = object.live;
    const error = object.apply('b', data({ x: '2' }));
    assert.equal(error?.code, 409);
    assert.equal(object.live, before);
  });

  it('forced, the value changes and the field is its new owner alone', () => {
    const object = configMap();
    object.mustApply('a', data({ x: '1', y: '1' }));
    object.mustApply('b', data({ x: '2' }), { force: true });
    assert.deepEqual(object.object['data'], { x: '2', y: '1' });
    assert.deepEqual(object.fieldsOf('a'), owns('y'));
    assert.deepEqual(object.fieldsOf('b'), owns('x'));
  });

  it('the same value is shared', () => {
    const object = configMap();
    object.mustApply('a', data({ x: '1' }));
    object.mustApply('b', data({ x: '1' }));
    assert.deepEqual(object.fieldsOf('a'), owns('x'));
    assert.deepEqual(object.fieldsOf('b'), owns('x'));
    assert.equal('time' in (object.entries.find((e) => e.manager === 'b') ?? {}), false);
  });

  it('a shared field is a conflict with the others for whichever owner changes it', () => {
    const object = configMap();
    object.mustApply('a', data({ x: '1' }));
    object.mustApply('b', data({ x: '1' }));
    const error = object.apply('a', data({ x: '2' }));
    assert.match(error?.message ?? '', /conflict with "b": \.data\.x$/);
  });

  it('an owner that applies without a shared field gives up its claim; others keep it', () => {
    const object = configMap();
    object.mustApply('a', data({ x: '1', y: '1' }));
    object.mustApply('b', data({ x: '1' }));
    object.mustApply('a', data({ y: '1' }));
    assert.deepEqual(object.object['data'], { x: '1', y: '1' });
    assert.deepEqual(object.fieldsOf('a'), owns('y'));
    assert.deepEqual(object.fieldsOf('b'), owns('x'));
  });

  it('a field that its only owner does not apply again goes, or has its default back', () => {
    const object = configMap();
    const withDefault = (o: ApiObject): ApiObject => ({
      ...o,
      data: { x: 'default', ...(o['data'] as JsonObject | undefined) },
    });
    object.apply('a', data({ x: '1', y: '1' }), { complete: withDefault });
    object.apply('a', data({}), { complete: withDefault });
    assert.deepEqual(object.object['data'], { x: 'default' });
    assert.deepEqual(object.fieldsOf('a'), { 'f:data': {} });
    object.mustApply('b', data({ x: 'default', z: '1' }));
    object.mustApply('b', {});
    assert.deepEqual(object.object['data'] ?? {}, {});
  });

  it('any other write takes what it changes, whoever owns it', () => {
    const object = configMap();
    object.mustApply('a', data({ x: '1', y: '1' }));
    object.change('b', data({ x: '2', y: '1' }));
    assert.deepEqual(object.fieldsOf('a', 'Apply'), owns('y'));
    assert.deepEqual(object.fieldsOf('b', 'Update'), owns('x'));
    const error = object.apply('a', data({ x: '1', y: '1' }));
    assert.equal(
      error?.message,
      'Apply failed with 1 conflict: conflict with "b" using v1: .data.x',
    );
  });

  it('one manager that updates and applies is two owners', () => {
    const object = configMap();
    object.update('a', data({ x: '1' }));
    const error = object.apply('a', data({ x: '2' }));
    assert.match(error?.message ?? '', /"a" using v1/);
    object.mustApply('a', data({ x: '1' }));
    assert.deepEqual(
      object.entries.map((e) => e.operation),
      ['Apply', 'Update'],
    );
  });
});

describe('an apply', () => {
  it('creates the object, and its manager owns what it names alone', () => {
    const object = new OwnedObject('apps/v1', 'Deployment');
    const spec = {
      replicas: 3,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'web', image: 'nginx', resources: {} }] },
      },
    };
    object.mustApply('a', { spec, status: { replicas: 3 } });
    assert.deepEqual(object.entries, [
      {
        manager: 'a',
        operation: 'Apply',
        apiVersion: 'apps/v1',
        time: object.timeOf(1),
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:spec': {
            'f:replicas': {},
            'f:selector': {},
            'f:template': {
              'f:metadata': { 'f:labels': { 'f:app': {} } },
              'f:spec': {
                'f:containers': {
                  'k:{"name":"web"}': { '.': {}, 'f:image': {}, 'f:name': {}, 'f:resources': {} },
                },
              },
            },
          },
        },
      },
    ]);
  });

  it('that changes nothing gives back the live object itself', () => {
    const object = configMap();
    object.mustApply('a', { ...data({ x: '1' }), metadata: { labels: { a: 'b' } } });
    const before = object.live;
    object.mustApply('a', {
      ...data({ x: '1' }),
      metadata: { labels: { a: 'b' }, creationTimestamp: null, uid: '', resourceVersion: '7' },
    });
    assert.equal(object.live, before);
  });

  it('leaves a struct with an empty list in it, which nobody owns, where the intent names it', () => {
    const rows: readonly (readonly [first: JsonObject, then: JsonObject])[] = [
      [{ containers: [], priority: 0 }, {}],
      [{ priority: 0 }, { containers: [] }],
    ];
    for (const [first, then] of rows) {
      const object = new OwnedObject('v1', 'Pod');
      object.mustApply('a', { spec: first });
      object.mustApply('a', { spec: then });
      assert.deepEqual(object.object['spec'], { containers: [] });
      // Then nobody owns any of it, which the next intent finds.
      object.mustApply('a', { spec: then });
      const once = object.live;
      object.mustApply('a', { spec: then });
      assert.equal(object.live, once);
    }
  });

  it('dates its manager when the object changes, not when the claim alone does', () => {
    const object = configMap();
    object.update('u', data({ x: '1', y: '1' }));
    const times = () => object.entries.map((e) => [e.operation, e.time]);
    object.mustApply('a', data({ x: '1' }));
    assert.deepEqual(times(), [
      ['Apply', undefined],
      ['Update', object.timeOf(1)],
    ]);
    object.mustApply('a', data({ x: '1', z: '1' }));
    object.mustApply('a', data({ x: '1', y: '1', z: '1' }));
    assert.deepEqual(times(), [
      ['Apply', object.timeOf(3)],
      ['Update', object.timeOf(1)],
    ]);
  });

  it('merges lists by their keys and keeps items of others in place', () => {
    const object = new OwnedObject('v1', 'Pod');
    const env = (...names: string[]) => ({
      spec: {
        containers: [{ name: 'c', image: 'i', env: names.map((n) => ({ name: n, value: n })) }],
      },
    });
    object.mustApply('a', env('A', 'B'));
    object.mustApply('b', {
      spec: { containers: [{ name: 'c', env: [{ name: 'C', value: 'C' }] }] },
    });
    object.mustApply('a', env('A'));
    const [container] = object.spec()['containers'] as unknown as [{ env: { name: string }[] }];
    assert.deepEqual(
      container.env.map((e) => e.name),
      ['A', 'C'],
    );
  });

  it('treats ports of one number and two protocols as two', () => {
    const object = new OwnedObject('v1', 'Pod');
    const ports = [{ containerPort: 53 }, { containerPort: 53, protocol: 'UDP' }];
    object.mustApply('a', { spec: { containers: [{ name: 'c', image: 'i', ports }] } });
    const again = [{ containerPort: 53, protocol: 'TCP', hostPort: 1 }];
    object.mustApply('b', { spec: { containers: [{ name: 'c', ports: again }] } });
    const [container] = object.spec()['containers'] as unknown as [{ ports: JsonObject[] }];
    assert.deepEqual(container.ports, [
      { containerPort: 53, protocol: 'TCP', hostPort: 1 },
      { containerPort: 53, protocol: 'UDP' },
    ]);
  });

  it('treats sets as sets, and atomic structs as one value', () => {
    const object = new OwnedObject('v1', 'Service');
    object.mustApply('a', { metadata: { finalizers: ['x/a'] }, spec: { selector: { app: 'a' } } });
    object.mustApply('b', { metadata: { finalizers: ['x/b'] } });
    assert.deepEqual(object.object.metadata.finalizers, ['x/a', 'x/b']);
    const error = object.apply('b', { spec: { selector: { tier: 'b' } } });
    assert.equal(error?.details?.causes?.[0]?.field, '.spec.selector');
    object.mustApply('a', { spec: { selector: { app: 'a' } } });
    assert.deepEqual(object.object.metadata.finalizers, ['x/b']);
  });

  it('owns the scale and the status of an object apart from the object', () => {
    const object = new OwnedObject('apps/v1', 'Deployment');
    object.mustApply('a', { spec: { replicas: 1 } });
    const error = object.apply('b', { spec: { replicas: 2 } }, { subresource: 'scale' });
    assert.equal(error?.code, 409);
    object.apply('b', { spec: { replicas: 2 } }, { subresource: 'scale', force: true });
    const again = object.apply('a', { spec: { replicas: 1 } });
    assert.equal(
      again?.message,
      'Apply failed with 1 conflict: conflict with "b" with subresource "scale": .spec.replicas',
    );
    object.apply('s', { status: { replicas: 2 } }, { subresource: 'status' });
    assert.deepEqual(object.fieldsOf('s'), { 'f:status': { 'f:replicas': {} } });
  });

  it('of a scale whose replicas nobody owns is like that of an object that nobody owns', () => {
    const object = new OwnedObject('apps/v1', 'Deployment');
    object.mustApply('a', { spec: { paused: true } });
    object.change('hpa', { spec: { ...object.spec(), replicas: 3 } }, 'scale');
    assert.deepEqual(
      object.entries.map((e) => e.manager),
      ['a'],
    );
    const scale = (replicas: number) =>
      object.apply('s', { spec: { replicas } }, { subresource: 'scale' });
    assert.equal(
      scale(2)?.message,
      'Apply failed with 1 conflict: ' +
        'conflict with "before-first-apply" with subresource "scale" using apps/v1: .spec.replicas',
    );
    assert.equal(object.apply('b', { spec: { replicas: 2 } }), undefined);
    object.change('hpa', { spec: { ...object.spec(), replicas: 4 } }, 'scale');
    assert.deepEqual(
      object.entries.map((e) => [e.manager, e.fieldsV1]),
      [
        ['a', { 'f:spec': { 'f:paused': {} } }],
        ['hpa', { 'f:spec': { 'f:replicas': {} } }],
      ],
    );
  });

  it('is refused for an object that is not of the kind, and says where', () => {
    const object = new OwnedObject('apps/v1', 'Deployment');
    const shape = object.apply('a', { spec: { replicas: 'x', unknown: 1 } });
    assert.equal(shape?.code, 400);
    assert.equal(
      shape?.message,
      'failed to create typed patch object (default/web; apps/v1, Kind=Deployment): errors:\n' +
        '  .spec.replicas: expected numeric (int or float), got "x"\n' +
        '  .spec.unknown: field not declared in schema',
    );
    const containers = [{ name: 'a' }, { name: 'a' }];
    const twice = object.apply('a', { spec: { template: { spec: { containers } } } });
    const path = '.spec.template.spec.containers';
    assert.ok(twice?.message.endsWith(`: ${path}: duplicate entries for key [name="a"]`));
    const managed = object.apply('a', { metadata: { managedFields: [] } });
    assert.equal(managed?.message, 'metadata.managedFields must be nil');
    const kind = object.apply('a', { apiVersion: 'v1', kind: 'Pod' });
    assert.equal(kind?.message, 'invalid object type: /v1, Kind=Pod');
    assert.equal(object.live, undefined);
  });

  it('of an object that nobody owns gives what is there to a manager of its own', () => {
    const object = configMap();
    object.live = object.complete({ ...data({ x: '1', y: '1' }), metadata: { uid: 'u' } });
    const error = object.apply('a', data({ x: '2' }));
    assert.equal(
      error?.message,
      'Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.x',
    );
    object.mustApply('a', data({ x: '1' }));
    assert.deepEqual(
      object.entries.map((e) => [e.manager, e.operation]),
      [
        ['a', 'Apply'],
        ['before-first-apply', 'Update'],
      ],
    );
    const unclaimed = configMap();
    unclaimed.live = unclaimed.complete({ ...data({ x: '1' }), metadata: { uid: 'u' } });
    unclaimed.mustApply('a', {});
    assert.deepEqual(
      unclaimed.entries.map((e) => e.manager),
      ['before-first-apply'],
    );
  });
});

describe('a conflict', () => {
  it('is one cause per field, and a text by manager', () => {
    const object = configMap();
    object.mustApply('foo', data({ x: '1', y: '1' }));
    object.change('bar', data({ x: '1', y: '1', z: '1' }));
    const error = object.apply('me', data({ x: '2', y: '2', z: '2' }));
    assert.deepEqual(error?.toStatus(), {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message:
        'Apply failed with 3 conflicts: conflicts with "bar" using v1:\n- .data.z\n' +
        'conflicts with "foo":\n- .data.x\n- .data.y',
      reason: 'Conflict',
      details: {
        causes: [
          {
            reason: 'FieldManagerConflict',
            message: 'conflict with "bar" using v1',
            field: '.data.z',
          },
          { reason: 'FieldManagerConflict', message: 'conflict with "foo"', field: '.data.x' },
          { reason: 'FieldManagerConflict', message: 'conflict with "foo"', field: '.data.y' },
        ],
      },
      code: 409,
    });
  });

  it('names an item of a list by its keys', () => {
    const object = new OwnedObject('v1', 'Pod');
    object.mustApply('a', { spec: { containers: [{ name: 'web', image: 'a' }] } });
    const error = object.apply('b', { spec: { containers: [{ name: 'web', image: 'b' }] } });
    assert.equal(error?.details?.causes?.[0]?.field, '.spec.containers[name="web"].image');
  });
});

describe('the way in from client-side apply', () => {
  const clientSide = (values: JsonObject): JsonObject => {
    const intent = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' }, data: values };
    const annotations = { [lastAppliedAnnotation]: JSON.stringify(intent) };
    return { metadata: { annotations }, data: values };
  };

  it('takes over without a conflict what the annotation lists and is still so', () => {
    const object = configMap();
    object.update('kubectl-client-side-apply', clientSide({ x: '1', y: '1' }));
    assert.equal(object.apply('other', data({ x: '2' }))?.code, 409);
    object.mustApply('kubectl', data({ x: '2', y: '1' }));
    assert.deepEqual(object.object['data'], { x: '2', y: '1' });
    assert.deepEqual(JSON.parse(object.object.metadata.annotations![lastAppliedAnnotation]!), {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'web', namespace: 'default' },
      data: { x: '2', y: '1' },
    });
  });

  it('is not taken where the annotation lists more than an object may have', () => {
    const names = (count: number): JsonObject =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, '']));
    for (const [listed, code] of [
      [names(ownableFieldsMax - 100), undefined],
      [names(ownableFieldsMax + 1), 409],
      [{ list: Array.from({ length: bodyValuesMax + 1 }, () => '') } as JsonObject, 409],
    ] as const) {
      const object = configMap();
      const { metadata } = clientSide({ ...listed, x: '1' });
      object.update('kubectl-client-side-apply', { metadata, data: { x: '1' } });
      assert.equal(object.apply('kubectl', data({ x: '2' }))?.code, code);
    }
  });

  it('still conflicts on what somebody has changed since', () => {
    const object = configMap();
    object.update('kubectl-client-side-apply', clientSide({ x: '1', y: '1' }));
    object.change('other', data({ x: '5', y: '1' }));
    const error = object.apply('kubectl', data({ x: '2', y: '2' }));
    assert.equal(
      error?.message,
      'Apply failed with 1 conflict: conflict with "other" using v1: .data.x',
    );
  });
});

it('a text with a format, and what is an integer or a text, is left to the validation', () => {
  const time = { type: 'string', format: 'date-time' };
  const either = { 'x-kubernetes-int-or-string': true };
  const type = structuralType({ type: 'object', properties: { time, either } });
  assert.deepEqual(validateValue(type, { time: 5, either: [1] }), []);
  assert.equal(validateValue(type, { time: [] }).length, 1);
  const plain = structuralType({ type: 'string', format: 'byte' });
  assert.equal(validateValue(plain, 5).length, 1);
});

it('what lies below a part that preserves unknown fields takes them, too, as does a bare object', () => {
  const open = { 'x-kubernetes-preserve-unknown-fields': true };
  const item = { type: 'object', properties: { a: { type: 'string' } } };
  const list = structuralType({ type: 'array', items: item, ...open });
  assert.deepEqual(validateValue(list, [{ a: 'x', 'b.c': [1] }]), []);
  assert.equal(validateValue(list, [{ a: 1 }]).length, 1);
  assert.equal(validateValue(structuralType({ type: 'array', items: item }), [{ b: 1 }]).length, 1);
  assert.deepEqual(validateValue(structuralType({ type: 'object' }), { b: { c: 1 } }), []);
});

it('a large value is looked through in parts, and what is wrong stands in its order', () => {
  const names = { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' };
  const entry = { type: 'object', properties: { name: { type: 'string' }, names } };
  const keyed = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] };
  const type = structuralType({ type: 'array', items: entry, ...keyed });
  const items = Array.from({ length: 2_000 }, (_, at) => ({ name: `n${at}`, names: ['a', 'b'] }));
  const partsOf = (count: number): number =>
    [...validationSteps(type, items.slice(0, count))].length;
  assert.equal(partsOf(10), 0, 'a small one is looked through at once');
  assert.ok(partsOf(2_000) >= 4, `${partsOf(2_000)}`);
  const wrong = items.map((item, at) =>
    at === 3 ? { ...item, names: ['a', 'a', 5, {}], x: 1 } : at === 1_999 ? { names: [] } : item,
  );
  const found = validateValue(type, wrong).map((each) => each.replace(/(element \d+): .*/, '$1'));
  assert.deepEqual(found, [
    '[name="n3"].names: duplicate entries for key [="a"]',
    '[name="n3"].names[=5]: expected string, got 5',
    '[name="n3"].names: element 3',
    '[name="n3"].x: field not declared in schema',
    'element 1999',
  ]);
});
