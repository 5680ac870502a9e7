/** Laws of ownership for random objects and managers, and the merge types of the built-in kinds. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { OwnedKind } from '../../src/apimachinery/fieldmanager/field-manager.ts';
import type { FieldSet } from '../../src/apimachinery/fieldmanager/fieldpath/field-set.ts';
import {
  difference,
  emptySet,
  intersection,
  isEmptySet,
  leaves,
  setsEqual,
  union,
} from '../../src/apimachinery/fieldmanager/fieldpath/field-set.ts';
import {
  decodeManaged,
  encodeManaged,
  sameOwners,
  timesOf,
} from '../../src/apimachinery/fieldmanager/managers/managed-fields.ts';
import { withoutOwnerless } from '../../src/apimachinery/fieldmanager/managers/ownerless-fields.ts';
import { deducedType } from '../../src/apimachinery/fieldmanager/schema/deduced.ts';
import { structuralObjectType } from '../../src/apimachinery/fieldmanager/schema/structural.ts';
import {
  emptyObjectOf,
  mergeTypeOf,
} from '../../src/apimachinery/fieldmanager/schema/from-type-schema.ts';
import type { MergeType } from '../../src/apimachinery/fieldmanager/schema/merge-type.ts';
import { compareValuesOf, noChange } from '../../src/apimachinery/fieldmanager/typed/compare.ts';
import { extractItems, removeItems } from '../../src/apimachinery/fieldmanager/typed/items.ts';
import { mergeValues } from '../../src/apimachinery/fieldmanager/typed/merge.ts';
import { reconcileFields } from '../../src/apimachinery/fieldmanager/typed/reconcile.ts';
import { addShape, ShapePieces } from '../../src/apimachinery/fieldmanager/typed/shape.ts';
import { claimedFields } from '../../src/apimachinery/fieldmanager/typed/to-field-set.ts';
import { validateValue } from '../../src/apimachinery/fieldmanager/typed/validate.ts';
import { identityOf } from '../../src/apimachinery/identity.ts';
import { decodeObject, encodeObject } from '../../src/apimachinery/object-encoding.ts';
import { metaTypes } from '../../src/apimachinery/typed/meta-types.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import { fieldTypes } from '../../src/apis/field-types.ts';
import { applyPatch } from '../../src/apimachinery/fieldmanager/managers/apply-patch.ts';
import { ownedKindOf } from '../../src/apimachinery/fieldmanager/managers/owned-kind.ts';
import { trackUpdate } from '../../src/apimachinery/fieldmanager/managers/track-update.ts';
import { parseGroupVersion } from '../../src/apimachinery/schema.ts';
import { corpusPath, noVectors } from '../support/data/corpora.ts';
import { OwnedObject, ownedKind, scheme } from '../support/checks/field-ownership.ts';

const value = fc.constantFrom('1', '2', '3');
const names = (...of: string[]) => fc.subarray(of);

const env = names('A', 'B', 'C').chain((of) =>
  fc.tuple(...of.map((name) => value.map((v) => ({ name, value: v })))),
);
const ports = names('80', '81').map((of) => of.map((port) => ({ containerPort: Number(port) })));
const container = (name: string) =>
  fc.record({ name: fc.constant(name), image: value, env, ports }, { requiredKeys: ['name'] });
const containers = names('x', 'y', 'z').chain((of) => fc.tuple(...of.map(container)));
const labels = fc.dictionary(fc.constantFrom('a', 'b', 'constructor'), value, { maxKeys: 3 });

/** Parts of a pod: lists by key and by value, granular and atomic maps, scalars. */
const pod = fc.record(
  {
    metadata: fc.record({ labels, finalizers: names('f/1', 'f/2') }, { requiredKeys: [] }),
    spec: fc.record(
      {
        containers,
        nodeSelector: labels,
        hostname: value,
        priority: fc.integer({ max: 2, min: 0 }),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<JsonObject>;

const manager = fc.constantFrom('m1', 'm2', 'm3');
const applyStep = fc.record({ manager, parts: pod, force: fc.boolean(), apply: fc.constant(true) });
const updateStep = fc.record({
  manager,
  parts: pod,
  force: fc.boolean(),
  apply: fc.constant(false),
});

interface Step {
  readonly manager: string;
  readonly parts: JsonObject;
  readonly force: boolean;
  readonly apply: boolean;
}

const podType = ownedKind('v1', 'Pod').typeAt('v1') as MergeType;

function run(object: OwnedObject, step: Step): boolean {
  if (!step.apply) object.update(step.manager, step.parts);
  else return object.apply(step.manager, step.parts, { force: step.force }) === undefined;
  return true;
}

function ownedBy(object: OwnedObject, of: (manager: string) => boolean): FieldSet {
  return object.entries
    .filter((e) => of(e.manager))
    .reduce<FieldSet>((set, e) => union(set, e.fieldsV1), emptySet);
}

describe('the laws of ownership', () => {
  const many = { numRuns: 300 };

  it('apply is idempotent: again, it gives back the very object', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(applyStep, updateStep)), applyStep, (steps, last) => {
        const object = new OwnedObject('v1', 'Pod');
        for (const step of steps) run(object, step);
        run(object, { ...last, force: true });
        // Whoever claims nothing does not own what there is: what was there before him does.
        if (isEmptySet(withoutOwnerless(claimedFields(podType, last.parts)))) run(object, last);
        const once = object.live;
        run(object, last);
        assert.equal(object.live, once);
      }),
      many,
    );
  });

  it('what a forced apply changes is its own alone, and has its values', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(applyStep, updateStep)), applyStep, (steps, last) => {
        const object = new OwnedObject('v1', 'Pod');
        for (const step of steps) run(object, step);
        const before = object.live ?? {};
        run(object, { ...last, force: true });
        const changes = compareValuesOf(podType, before, object.object);
        const claimed = leaves(claimedFields(podType, last.parts));
        const changed = union(changes?.modified ?? emptySet, changes?.added ?? emptySet);
        const mine = intersection(claimed, changed);
        const others = ownedBy(object, (name) => name !== last.manager);
        assert.deepEqual(intersection(mine, others), {});
        const applied = withoutOwnerless(claimedFields(podType, object.complete(last.parts)));
        assert.deepEqual(object.fieldsOf(last.manager, 'Apply') ?? {}, applied);
        const merged = mergeValues(podType, object.object, last.parts) as JsonValue;
        assert.equal(compareValuesOf(podType, object.object, merged), undefined);
      }),
      many,
    );
  });

  it('what appliers own together is what there is', () => {
    fc.assert(
      fc.property(fc.array(applyStep, { minLength: 1 }), (steps) => {
        const object = new OwnedObject('v1', 'Pod');
        for (const step of steps) run(object, { ...step, force: step.force || !object.live });
        const there = withoutOwnerless(claimedFields(podType, object.object));
        const owned = ownedBy(object, () => true);
        assert.deepEqual(leaves(difference(there, owned)), {});
        // Empty lists are claimed by nobody, but may have been there before the first claim.
        const all = compareValuesOf(podType, {}, object.object)?.added ?? emptySet;
        assert.deepEqual(difference(leaves(owned), all), {});
      }),
      many,
    );
  });

  it('no field that is gone has an owner, and nobody owns nothing', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(applyStep, updateStep), { minLength: 1 }), (steps) => {
        const object = new OwnedObject('v1', 'Pod');
        for (const step of steps) run(object, step);
        if (object.live === undefined) return;
        const all = compareValuesOf(podType, {}, object.object)?.added ?? emptySet;
        assert.deepEqual(
          difference(
            ownedBy(object, () => true),
            all,
          ),
          {},
        );
        for (const entry of object.entries) assert.equal(isEmptySet(entry.fieldsV1), false);
      }),
      many,
    );
  });

  it('managedFields are the same after they have been written and read', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(applyStep, updateStep), { minLength: 1 }), (steps) => {
        const object = new OwnedObject('v1', 'Pod');
        for (const step of steps) run(object, step);
        const text = JSON.stringify(object.entries);
        const before = decodeManaged(object.entries);
        const after = decodeManaged(JSON.parse(text) as JsonValue);
        assert.ok(before && after && sameOwners(before.owners, after.owners));
        assert.equal(
          JSON.stringify(encodeManaged(after.owners, after, timesOf(after)) ?? []),
          text,
        );
      }),
      many,
    );
  });

  it('an update by the sole owner adds what it changes to what it owns, and is dated', () => {
    fc.assert(
      fc.property(pod, pod, (first, second) => {
        const object = new OwnedObject('v1', 'Pod');
        object.update('m', first);
        const [before, owned] = [object.object, object.fieldsOf('m')];
        if (owned === undefined) return;
        object.update('m', second);
        const changes = compareValuesOf(podType, before, object.object) ?? noChange;
        const changed = withoutOwnerless(union(changes.modified, changes.added));
        const kept = difference(owned, changes.removed);
        assert.deepEqual(object.fieldsOf('m') ?? {}, union(kept, changed));
        const written = isEmptySet(changed) ? 1 : 2;
        assert.equal(object.entries[0]?.time ?? object.timeOf(written), object.timeOf(written));
      }),
      many,
    );
  });

  it('a refused apply changes nothing', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(applyStep, updateStep)), applyStep, (steps, last) => {
        const object = new OwnedObject('v1', 'Pod');
        for (const step of steps) run(object, step);
        const text = JSON.stringify(object.live);
        if (!run(object, { ...last, force: false })) {
          assert.equal(JSON.stringify(object.live), text);
        }
      }),
      many,
    );
  });

  it('comparing finds what merging changes, and taking that out brings back what was', () => {
    fc.assert(
      fc.property(pod, pod, (first, second) => {
        const merged = (mergeValues(podType, first, second) ?? null) as JsonObject;
        const changes = compareValuesOf(podType, first, merged);
        assert.equal(isEmptySet(changes?.removed ?? emptySet), true);
        const bare = removeItems(podType, merged, changes?.added ?? emptySet);
        const left = compareValuesOf(podType, first, bare);
        assert.equal(isEmptySet(left?.added ?? emptySet), true);
        const claimed = claimedFields(podType, second);
        const taken = extractItems(podType, merged, leaves(claimed));
        if (!isEmptySet(claimed)) {
          assert.deepEqual(
            difference(claimedFields(podType, taken), union(claimed, leaves(claimed))),
            {},
          );
        }
      }),
      many,
    );
  });
});

describe('what the maker of an object owns', () => {
  const entriesOf = (kind: string, parts: JsonObject, managedFields?: JsonValue) => {
    const writer = { kind: ownedKind('v1', kind), apiVersion: 'v1', subresource: '', nowMs: 0 };
    const { metadata, ...rest } = parts;
    const meta = { ...(metadata as JsonObject | undefined), name: 'n', managedFields };
    const next = { apiVersion: 'v1', kind, metadata: meta, ...rest } as ApiObject;
    const made = trackUpdate({ ...writer, manager: 'm', live: undefined, next });
    assert.deepEqual(decodeObject(encodeObject(made).bytes), JSON.parse(JSON.stringify(made)));
    return made.metadata['managedFields'];
  };
  // A client that clears what nobody owns yet changes nothing, but no shape is asked for then.
  const cleared: JsonValue = [{}];

  /** Few names and texts, some that look like parts of shapes, so that shapes come close. */
  const text = fc.constantFrom('', 'a', 'b', '1:a', '}', '[1:a.', '__proto__');
  const { any } = fc.letrec<{ any: JsonValue }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(null, true, 0, 1, -1),
      text,
      fc.array(tie('any'), { maxLength: 2 }),
      fc.array(fc.tuple(text, tie('any')), { maxLength: 3 }).map((of) => Object.fromEntries(of)),
    ),
  }));
  const port = fc.record(
    { containerPort: fc.constantFrom(1, 11, '1'), protocol: text, name: text },
    { requiredKeys: [] },
  );
  const odd = fc.record(
    {
      name: text,
      image: any,
      ports: fc.oneof(any, fc.array(port, { maxLength: 3 })),
      env: fc.array(fc.record({ name: text, value: text }, { requiredKeys: [] })),
    },
    { requiredKeys: [] },
  );
  const oddPod = fc.record(
    {
      metadata: fc.record(
        { labels: fc.dictionary(text, any, { maxKeys: 3 }), finalizers: fc.array(text) },
        { requiredKeys: [] },
      ),
      spec: fc.oneof(
        any,
        fc.record(
          { containers: fc.oneof(any, fc.array(odd, { maxLength: 2 })), nodeSelector: any },
          { requiredKeys: [] },
        ),
      ),
      status: any,
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<JsonObject>;

  it('is the same whether its shape has been seen before or nothing is known of it', () => {
    fc.assert(
      fc.property(fc.oneof(pod, oddPod), (parts) => {
        const worked = entriesOf('Pod', parts, cleared);
        assert.deepEqual(entriesOf('Pod', parts), worked);
        assert.deepEqual(entriesOf('Pod', parts), worked);
      }),
      { numRuns: 3000 },
    );
  });

  it('is the same for a kind of which nothing is known', () => {
    const bare: OwnedKind = { ...ownedKind('v1', 'Pod'), typeAt: () => deducedType };
    const entries = (parts: JsonObject, managedFields?: JsonValue) => {
      const next = { ...parts, metadata: { managedFields } } as unknown as ApiObject;
      const writer = { kind: bare, apiVersion: 'v1', subresource: '', nowMs: 0, manager: 'm' };
      return trackUpdate({ ...writer, live: undefined, next }).metadata['managedFields'];
    };
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('spec', 'status', 'x'), any), (parts) => {
        const worked = entries(parts, cleared);
        assert.deepEqual(entries(parts), worked);
        assert.deepEqual(entries(parts), worked);
      }),
      { numRuns: 2000 },
    );
  });

  /** Pairs of parts that come close to having one shape, and have different fields. */
  const close: readonly (readonly [what: string, first: JsonObject, second: JsonObject])[] = [
    ['keys with marks in them', { data: { a: '', b: '' } }, { data: { 'a.b': '' } }],
    ['keys with lengths in them', { data: { a: '', b: '' } }, { data: { 'a.1:b': '' } }],
    ['nothing and null', { data: {} }, { data: { a: null } }],
    ['what is declared and what is not', { data: {} }, { other: {} }],
    [
      'labels and annotations',
      { metadata: { labels: { a: '' } } },
      { metadata: { annotations: { a: '' } } },
    ],
    [
      'items and their order',
      { metadata: { finalizers: ['a', 'b'] } },
      { metadata: { finalizers: ['ab'] } },
    ],
    [
      'one item and two',
      { metadata: { finalizers: ['a', 'a'] } },
      { metadata: { finalizers: ['b'] } },
    ],
  ];
  const port8 = { containerPort: 8 };
  const withPorts = (...ports: JsonObject[]) => ({ spec: { containers: [{ name: 'a', ports }] } });
  const closePods: typeof close = [
    ['a port and another', withPorts(port8), withPorts({ containerPort: 9 })],
    ['a number and a text', withPorts(port8), withPorts({ containerPort: '8' })],
    ['two ports and one twice', withPorts(port8, { containerPort: 9 }), withPorts(port8, port8)],
    ['a default and another value', withPorts(port8), withPorts({ ...port8, protocol: 'UDP' })],
    ['names', { spec: { containers: [{ name: 'a' }] } }, { spec: { containers: [{ name: 'b' }] } }],
    ['empty and full', { spec: { containers: [] } }, { spec: { containers: [{ name: 'b' }] } }],
    ['zero and what is written', { spec: { containers: null } }, { spec: { containers: [] } }],
  ];
  for (const [kind, pairs] of [
    ['ConfigMap', close],
    ['Pod', closePods],
  ] as const) {
    for (const [what, first, second] of pairs) {
      it(`differs where the fields do: ${kind}, ${what}`, () => {
        const [one, other] = [entriesOf(kind, first), entriesOf(kind, second)];
        assert.notDeepEqual(one, other);
        assert.deepEqual(one, entriesOf(kind, first, cleared));
        assert.deepEqual(other, entriesOf(kind, second, cleared));
      });
    }
  }

  it('tells what is as before from what is not', () => {
    const type: MergeType = { scalar: 'untyped' };
    const list: MergeType = { list: { items: type, atomic: true, keys: [] } };
    for (const [of, value, changed] of [
      [type, 1, 2],
      [list, [1], [2]],
    ] as const) {
      const shape = (...asked: readonly JsonValue[]): readonly string[] => {
        const pieces = new ShapePieces();
        addShape(pieces, of, asked[0] as JsonValue, asked[1]);
        assert.ok(pieces.areThose(pieces.all()));
        return pieces.all();
      };
      assert.notDeepEqual(shape(value, value), shape(changed, value));
      assert.deepEqual(shape(value), shape(changed));
    }
  });

  it('is one set in memory for objects of one shape', () => {
    const fieldsOf = (value: string) =>
      ((entriesOf('ConfigMap', { data: { k: value } }) as readonly JsonObject[])[0] ?? {})[
        'fieldsV1'
      ];
    assert.equal(fieldsOf('a'), fieldsOf('b'));
    assert.ok(fieldsOf('a') !== undefined);
  });
});

describe('merge types', () => {
  const types = fieldTypes(identityOf('kubernetes'));

  it('of every built-in type can be made, and its empty object is one of them', () => {
    for (const name of types.names()) {
      const schema = types.find(name);
      if (schema?.kind !== 'object') continue;
      const type = mergeTypeOf(schema);
      for (const [, field] of type.map?.fields ?? []) assert.ok(field.type);
      assert.deepEqual(validateValue(type, emptyObjectOf(schema)), [], name);
    }
  });

  it('follow the markers: keys with their defaults, sets, atomic structs and lists', () => {
    const field = (type: string, ...path: string[]) =>
      path.reduce<MergeType | undefined>(
        (t, name) => t?.map?.fields.get(name)?.type,
        mergeTypeOf(types.object(type)),
      );
    const portList = field('core/v1.Container', 'ports')?.list;
    assert.deepEqual([portList?.atomic, portList?.keys], [false, ['containerPort', 'protocol']]);
    assert.equal(portList?.items.map?.fields.get('protocol')?.default, 'TCP');
    assert.deepEqual(field('meta/v1.ObjectMeta', 'finalizers')?.list?.keys, []);
    assert.equal(field('meta/v1.ObjectMeta', 'finalizers')?.list?.atomic, false);
    assert.equal(field('apps/v1.DeploymentSpec', 'selector')?.map?.atomic, true);
    assert.equal(field('core/v1.PodSpec', 'nodeSelector')?.map?.atomic, true);
    assert.equal(field('core/v1.Container', 'args')?.list?.atomic, true);
    assert.equal(field('meta/v1.ObjectMeta', 'labels')?.map?.atomic, false);
    assert.equal(
      field('apps/v1.ControllerRevision', 'data')?.map?.atomic,
      true,
      'a foreign object',
    );
  });

  it('are the same object each time', () => {
    assert.equal(
      mergeTypeOf(types.object('core/v1.Pod')),
      mergeTypeOf(types.object('core/v1.Pod')),
    );
  });

  it('of a kind without a schema own keys one by one and lists as a whole', () => {
    const set = claimedFields(deducedType, { a: { b: [1, { c: 2 }], d: {} }, e: null });
    assert.deepEqual(set, { 'f:a': { '.': {}, 'f:b': {}, 'f:d': {} }, 'f:e': {} });
  });

  it('of a described kind have the metadata of every kind', () => {
    const spec = {
      type: 'object',
      properties: { l: { type: 'array', items: { type: 'string' } } },
    };
    const schema = { type: 'object', properties: { spec } };
    const type = structuralObjectType(schema, mergeTypeOf(metaTypes.object('meta/v1.ObjectMeta')));
    const object = { kind: 'X', metadata: { finalizers: ['a'] }, spec: { l: ['a'] } };
    assert.deepEqual(validateValue(type, { ...object, other: 1 }), [
      '.other: field not declared in schema',
    ]);
    assert.deepEqual(claimedFields(type, object), {
      'f:kind': {},
      'f:metadata': { 'f:finalizers': { 'v:"a"': {} } },
      'f:spec': { 'f:l': {} },
    });
  });

  it('of resources that are embedded have that metadata, too', () => {
    const open = {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    };
    // What is declared of their metadata is for validation.
    const named = {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      properties: {
        metadata: { type: 'object', properties: { name: { type: 'string' } } },
        spec: { type: 'object', properties: { a: { type: 'string' } } },
      },
    };
    const schema = {
      type: 'object',
      properties: { open, named, all: { type: 'array', items: open } },
    };
    const type = structuralObjectType(schema, mergeTypeOf(metaTypes.object('meta/v1.ObjectMeta')));
    const metadata = {
      name: 'a',
      labels: { a: 'b' },
      finalizers: ['f'],
      ownerReferences: [{ apiVersion: 'v1', kind: 'A', name: 'b', uid: 'c' }],
    };
    const owned = {
      'f:name': {},
      'f:labels': { 'f:a': {} },
      'f:finalizers': { 'v:"f"': {} },
      'f:ownerReferences': { 'k:{"uid":"c"}': {} },
    };
    const object = { open: { metadata, spec: { x: 1 } }, named: { metadata, spec: { a: 'x' } } };
    assert.deepEqual(validateValue(type, object), []);
    assert.deepEqual(claimedFields(type, object), {
      'f:open': { 'f:metadata': owned, 'f:spec': { '.': {}, 'f:x': {} } },
      'f:named': { 'f:metadata': owned, 'f:spec': { 'f:a': {} } },
    });
  });

  it('that became atomic make owners of parts owners of the whole; not the reverse', () => {
    const part = { 'f:s': { 'f:x': {} }, 'f:l': { '.': {}, 'k:{"n":1}': { '.': {} } } };
    const scalar: MergeType = { scalar: 'untyped' };
    const type = (atomic: boolean): MergeType => {
      const map = { fields: new Map([['x', { type: scalar, default: undefined }]]), atomic };
      const list = { items: { map: { ...map, values: scalar } }, atomic, keys: ['n'] };
      const fields = new Map<string, { type: MergeType; default: undefined }>([
        ['s', { type: { map: { ...map, values: undefined } }, default: undefined }],
        ['l', { type: { list }, default: undefined }],
      ]);
      return { map: { fields, values: undefined, atomic: false } };
    };
    assert.deepEqual(reconcileFields(type(true), part), { 'f:s': {}, 'f:l': {} });
    const whole = reconcileFields(type(true), part);
    assert.equal(reconcileFields(type(false), whole), whole);
    assert.ok(setsEqual(reconcileFields(type(false), part), part));
  });
});

describe('every built-in kind, with every field filled', { skip: noVectors }, () => {
  const folder = corpusPath('fixtures-1.33');
  const files = readdirSync(folder).filter((f) => f.endsWith('.json') && !f.includes('after_'));
  const objects = files.map((f) => JSON.parse(readFileSync(`${folder}/${f}`, 'utf8')) as ApiObject);
  // The others are options and answers, which are not stored, or kinds that are not served.
  const stored = objects.flatMap((object) => {
    const version = parseGroupVersion(object.apiVersion ?? '');
    const info = version && scheme.findKind(version.group, version.version, object.kind);
    return info === undefined ? [] : [{ object, kind: ownedKindOf(info, scheme) }];
  });

  it('is among the kinds that are served', () => assert.ok(stored.length > 20));

  for (const { object, kind } of stored) {
    it(`${object.apiVersion} ${object.kind} is created, applied and applied again`, () => {
      const writer = { kind, apiVersion: object.apiVersion, subresource: '', nowMs: 0 };
      const { managedFields: _old, ...metadata } = object.metadata;
      const next = { ...object, metadata };
      assert.deepEqual(validateValue(kind.typeAt(object.apiVersion)!, next), []);
      const live = trackUpdate({ ...writer, manager: 'creator', live: undefined, next });
      const again = structuredClone(next);
      const same = trackUpdate({ ...writer, manager: 'other', live, next: again });
      assert.equal(same.metadata['managedFields'], live.metadata['managedFields']);
      const request = { ...writer, manager: 'applier', force: false, lastAppliedAnnotation: 'x' };
      const first = applyPatch({ ...request, live, applied: next });
      assert.equal(first.kind, 'ok', JSON.stringify(first));
      const shared = (first as { object: ApiObject }).object;
      const second = applyPatch({ ...request, live: shared, applied: structuredClone(next) });
      assert.equal((second as { object: ApiObject }).object, shared);
      // Who applies nothing any more gives up everything; its creator keeps it.
      const { apiVersion, kind: name } = object;
      const nothing = { apiVersion, kind: name, metadata: { name: metadata.name } } as ApiObject;
      const third = applyPatch({ ...request, live: shared, applied: nothing });
      assert.deepEqual((third as { object: ApiObject }).object, live);
    });
  }
});
