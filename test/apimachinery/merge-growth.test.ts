/**
 * No patch and no ownership of fields costs more than its length: strategic merge, server-side apply
 * and what other writes leave of it, each with n and 4n items, managers, or both.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { duplicatesMax } from '../../src/apimachinery/codecs/json-structure.ts';
import { decodeJson } from '../../src/apimachinery/codecs/json.ts';
import { decodeYaml } from '../../src/apimachinery/codecs/yaml.ts';
import { applyPatch } from '../../src/apimachinery/fieldmanager/managers/apply-patch.ts';
import { trackUpdate } from '../../src/apimachinery/fieldmanager/managers/track-update.ts';
import { jsonPatchSteps, readJsonPatch } from '../../src/apimachinery/patch/json-patch.ts';
import { applyMergePatch } from '../../src/apimachinery/patch/merge-patch.ts';
import { strategicSchemaOf } from '../../src/apimachinery/patch/strategic-schema.ts';
import { conform } from '../../src/apimachinery/typed/conform.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import { finished } from '../../src/stdx/stepwise.ts';
import { lastAppliedAnnotation, ownedKind, scheme } from '../support/checks/field-ownership.ts';
import { assertLinear } from '../support/checks/processor-growth.ts';
import { applyStrategicMergePatch } from '../support/checks/strategic-merge.ts';

type Many = (count: number, from?: number) => JsonValue;
type Row = readonly [name: string, prepare: (count: number) => () => unknown];

const numbers = (count: number, from = 0): number[] =>
  Array.from({ length: count }, (_, at) => from + at);
const map: Many = (count, from) =>
  Object.fromEntries(numbers(count, from).map((at) => [`k${at}`, `${at}`]));
const ports: Many = (count, from) =>
  numbers(count, from).map((at) => ({ port: at + 1, protocol: 'TCP', name: `p${at}` }));
const finalizers: Many = (count, from) => numbers(count, from).map((at) => `a.b/f${at}`);
const owners: Many = (count, from) =>
  numbers(count, from).map((at) => ({ apiVersion: 'v1', kind: 'K', name: `o${at}`, uid: `${at}` }));
const addresses: Many = (count, from) => numbers(count, from).map((at) => `10.0.0.${at}`);

function kindOf(apiVersion: string, kind: string) {
  const found = scheme.findKind('', apiVersion, kind);
  assert.ok(found?.schema, kind);
  return { ...found, schema: found.schema };
}

const service = kindOf('v1', 'Service');
const rules = strategicSchemaOf(service.schema);

/** A Service with these things in these places. */
function serviceOf(places: { readonly [K in keyof typeof manyIn]?: JsonValue }): JsonObject {
  const { map: annotations, finalizers: named, owners: of, ports: listed, atomic } = places;
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: 'x',
      ...(annotations === undefined ? {} : { annotations }),
      ...(named === undefined ? {} : { finalizers: named }),
      ...(of === undefined ? {} : { ownerReferences: of }),
    },
    spec: {
      ...(listed === undefined ? {} : { ports: listed }),
      ...(atomic === undefined ? {} : { loadBalancerSourceRanges: atomic }),
    },
  };
}

/** How each of the ways to merge fills a Service. */
const manyIn = { map, ports, finalizers, owners, atomic: addresses };
const ways = Object.entries(manyIn) as [keyof typeof manyIn, Many][];

function strategic(original: JsonObject, patch: JsonObject): () => unknown {
  const result = applyStrategicMergePatch(original, patch, rules);
  assert.equal(result.kind, 'ok', JSON.stringify(result).slice(0, 200));
  return () => applyStrategicMergePatch(original, patch, rules);
}

const portKeys = (count: number): JsonValue => numbers(count).map((at) => ({ port: at + 1 }));
const gone = (count: number): JsonValue =>
  numbers(count).map((at) => ({ $patch: 'delete', port: at + 1 }));

const strategicRows: readonly Row[] = [
  ...ways.flatMap(([way, many]): Row[] => [
    [
      `${way}: the same`,
      (n) => strategic(serviceOf({ [way]: many(n) }), serviceOf({ [way]: many(n) })),
    ],
    [
      `${way}: others`,
      (n) => strategic(serviceOf({ [way]: many(n) }), serviceOf({ [way]: many(n, n) })),
    ],
  ]),
  ['items deleted', (n) => strategic(serviceOf({ ports: ports(n) }), { spec: { ports: gone(n) } })],
  [
    'members deleted',
    (n) => {
      const annotations = Object.fromEntries(numbers(n).map((at) => [`k${at}`, null]));
      return strategic(serviceOf({ map: map(n) }), { metadata: { annotations } });
    },
  ],
  [
    'items in a given order',
    (n) => {
      const order = (portKeys(n) as JsonValue[]).toReversed();
      return strategic(serviceOf({ ports: ports(n) }), {
        spec: { '$setElementOrder/ports': order },
      });
    },
  ],
  [
    'items in a given order, half of them new and half of the others deleted',
    (n) => {
      const change = [...(ports(n, n / 2) as JsonValue[]), ...(gone(n / 4) as JsonValue[])];
      const order = numbers(n, n / 2).map((at) => ({ port: at + 1 }));
      return strategic(serviceOf({ ports: ports(n) }), {
        spec: { '$setElementOrder/ports': order, ports: change },
      });
    },
  ],
  [
    'scalars in a given order',
    (n) => {
      const order = (finalizers(n) as JsonValue[]).toReversed();
      return strategic(serviceOf({ finalizers: finalizers(n) }), {
        metadata: { '$setElementOrder/finalizers': order },
      });
    },
  ],
  [
    'scalars deleted',
    (n) =>
      strategic(serviceOf({ finalizers: finalizers(n) }), {
        metadata: { '$deleteFromPrimitiveList/finalizers': finalizers(n) },
      }),
  ],
  [
    'members retained',
    (n) => {
      const names = Object.keys(map(n) as JsonObject);
      return strategic(serviceOf({ map: map(n) }), {
        metadata: { annotations: { $retainKeys: names, ...(map(n) as JsonObject) } },
      });
    },
  ],
];

const kind = ownedKind('v1', 'Service');
const writer = { kind, apiVersion: 'v1', subresource: '', nowMs: 0, lastAppliedAnnotation };

/** Applied by this manager: what is stored then. */
function apply(
  manager: string,
  applied: JsonObject,
  live: ApiObject | undefined,
  force = false,
): ApiObject | undefined {
  const outcome = applyPatch({ ...writer, manager, live, applied: applied as ApiObject, force });
  return outcome.kind === 'ok' ? outcome.object : undefined;
}

function update(manager: string, live: ApiObject | undefined, next: JsonObject): ApiObject {
  return trackUpdate({ ...writer, manager, live, next: next as ApiObject });
}

/** A fresh copy: what is kept by identity is not what is tried. */
const fresh = <T extends JsonValue | undefined>(value: T): T => structuredClone(value);

/** Who has applied one member each. */
function appliers(count: number, operation: 'Apply' | 'Update'): JsonValue {
  return numbers(count).map((at) => ({
    manager: `m${at}`,
    operation,
    apiVersion: 'v1',
    time: '2026-01-01T00:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:metadata': { 'f:annotations': { [`f:k${at}`]: {} } } },
  }));
}

function managedBy(count: number, operation: 'Apply' | 'Update'): ApiObject {
  const object = serviceOf({ map: map(count) });
  const metadata = {
    ...(object['metadata'] as JsonObject),
    managedFields: appliers(count, operation),
  };
  return { ...object, metadata } as unknown as ApiObject;
}

const changed = (count: number): JsonValue =>
  Object.fromEntries(numbers(count).map((at) => [`k${at}`, `${at}!`]));

const ownershipRows: readonly Row[] = [
  ...ways.flatMap(([way, many]): Row[] => {
    const intent = (n: number, from = 0): JsonObject => serviceOf({ [way]: many(n, from) });
    return [
      [`${way}: applied for the first time`, (n) => () => apply('a', intent(n), undefined)],
      [
        `${way}: applied again`,
        (n) => {
          const live = fresh(apply('a', intent(n), undefined));
          return () => apply('a', intent(n), live);
        },
      ],
      [
        `${way}: replaced by an apply`,
        (n) => {
          const live = fresh(apply('a', intent(n), undefined));
          return () => apply('a', intent(n, n), live);
        },
      ],
      [
        `${way}: applied by a second one`,
        (n) => {
          const live = fresh(apply('a', intent(n), undefined));
          return () => apply('b', intent(n), live);
        },
      ],
      [
        `${way}: no longer applied by one of two`,
        (n) => {
          const live = fresh(apply('b', intent(n), apply('a', intent(n), undefined)));
          return () => apply('a', serviceOf({}), live);
        },
      ],
      [
        `${way}: updated over an apply`,
        (n) => {
          const live = fresh(apply('a', intent(n), undefined)) as ApiObject;
          const patch = { metadata: intent(n, n)['metadata'], spec: intent(n, n)['spec'] };
          const next = applyMergePatch(live, patch) as JsonObject;
          return () => update('u', live, next);
        },
      ],
    ];
  }),
  [
    'a conflict in every member',
    (n) => {
      const live = fresh(apply('a', serviceOf({ map: map(n) }), undefined));
      return () => apply('b', serviceOf({ map: changed(n) }), live);
    },
  ],
  [
    'a conflict in every member, forced',
    (n) => {
      const live = fresh(apply('a', serviceOf({ map: map(n) }), undefined));
      return () => apply('b', serviceOf({ map: changed(n) }), live, true);
    },
  ],
  ...(['Apply', 'Update'] as const).flatMap((operation): Row[] => [
    [
      `as many managers by ${operation} as members, one changed`,
      (n) => {
        const live = managedBy(n, operation);
        const next = applyMergePatch(live, { metadata: { annotations: { k1: '!' } } });
        return () => update('u', fresh(live), next as JsonObject);
      },
    ],
    [
      `as many managers by ${operation} as members, all changed`,
      (n) => {
        const live = managedBy(n, operation);
        const next = applyMergePatch(live, { metadata: { annotations: changed(n) } });
        return () => update('u', fresh(live), next as JsonObject);
      },
    ],
    [
      `as many managers by ${operation} as members, all removed`,
      (n) => {
        const live = managedBy(n, operation);
        const next = applyMergePatch(live, { metadata: { annotations: null } });
        return () => update('u', fresh(live), next as JsonObject);
      },
    ],
    [
      `as many managers by ${operation} as members, all applied by another`,
      (n) => {
        const live = managedBy(n, operation);
        return () => apply('z', serviceOf({ map: changed(n) }), fresh(live), true);
      },
    ],
    [
      `as many managers by ${operation} as members, and as many conflicts`,
      (n) => {
        const live = managedBy(n, operation);
        return () => apply('z', serviceOf({ map: changed(n) }), fresh(live));
      },
    ],
    [
      `managers by ${operation} that a client has sent`,
      (n) => {
        const live = managedBy(1, operation);
        return () => update('u', live, fresh(managedBy(n, operation)));
      },
    ],
  ]),
  [
    'a JSON Patch of a managed object',
    (n) => {
      const live = fresh(apply('a', serviceOf({ map: map(n), ports: ports(n) }), undefined));
      const operations = numbers(500).map((at) => ({
        op: 'replace',
        path: `/metadata/annotations/k${at}`,
        value: '!',
      }));
      const read = readJsonPatch(operations);
      return () => {
        assert.ok(read.kind === 'ok');
        const patched = finished(jsonPatchSteps(live as ApiObject, read.patch));
        const { value } = patched as { value: JsonObject };
        const conformed = conform(service.schema, value);
        assert.equal(conformed.kind, 'ok');
        return update('u', live, value);
      };
    },
  ],
];

/** Keys that come twice behind a long or deep path, and in many objects of one path. */
const long = 'l'.repeat(100);
const repeating: readonly (readonly [name: string, text: (count: number) => string])[] = [
  ['in one object', (n) => `{${'"a":1,'.repeat(n)}"b":1}`],
  [
    'each in one object',
    (n) =>
      `{${numbers(n)
        .map((at) => `"a${at}":1,"a${at}":2,`)
        .join('')}"b":1}`,
  ],
  ['behind a long key', (n) => `{"${long.repeat(n / 10)}":{${'"a":1,'.repeat(n)}"b":1}}`],
  [
    'behind a long key, in many objects',
    (n) => `{"${long.repeat(n / 10)}":[${'{"a":1,"a":1},'.repeat(n)}1]}`,
  ],
  [
    'behind a long key, in many objects of one path',
    (n) => `{"${long.repeat(n / 10)}":{${'"x":{"a":1,"a":1},'.repeat(n)}"y":1}}`,
  ],
  [
    'below many levels',
    (n) => `${'{"a":'.repeat(500)}{${'"a":{"b":1,"b":1},'.repeat(n)}"b":1}${'}'.repeat(500)}`,
  ],
];

const items = 500;

describe('four times the items of a strategic merge patch cost at most six times the time', () => {
  for (const [name, prepare] of strategicRows) {
    it(name, () => assertLinear({ name, prepare }, items));
  }
});

describe('four times the fields and managers cost at most six times the time', () => {
  for (const [name, prepare] of ownershipRows) {
    it(name, () => assertLinear({ name, prepare }, items));
  }
});

describe('four times the repeated keys cost at most six times the time', () => {
  for (const [name, text] of repeating) {
    for (const decode of [decodeJson, decodeYaml]) {
      it(`${decode.name}: ${name}`, () => {
        const prepare = (count: number) => {
          const body = Buffer.from(text(count));
          return () => void decode(body, { findDuplicates: true });
        };
        assertLinear({ name, prepare }, 2000);
      });
    }
  }

  it('no more of them are told than the bound says, in paths that are cut', () => {
    const body = Buffer.from(`{"${long.repeat(1000)}":[${'{"a":1,"a":1},'.repeat(300)}1]}`);
    for (const decode of [decodeJson, decodeYaml]) {
      const decoded = decode(body, { findDuplicates: true });
      assert.equal(decoded.kind, 'value');
      const { duplicates = [] } = decoded as { duplicates?: readonly string[] };
      assert.ok(duplicates.length > 0 && duplicates.length <= duplicatesMax);
      for (const path of duplicates) assert.ok(path.length < 1100 && path.endsWith('...'));
    }
  });
});
