/**
 * What the reference was seen to answer where Sluice once answered otherwise: definitions that are
 * refused with one cause more, and updates of objects that were wrong before.
 */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { part } from '../../src/apimachinery/members.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import type { StructuralSchema } from '../../src/apiextensions/schema/structural-schema.ts';
import { correlate } from '../../src/apiextensions/validate/correlation.ts';
import { customWrites, writeDefinition } from './custom-writes.ts';
import type { CustomWrites } from './custom-writes.ts';

interface Changes {
  readonly spec?: JsonObject;
  readonly names?: JsonObject;
  readonly version?: JsonObject;
}

function definition(root: JsonObject, { names, spec, version }: Changes = {}): JsonObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'xs.check.example.org' },
    spec: {
      group: 'check.example.org',
      scope: 'Cluster',
      names: { plural: 'xs', kind: 'X', ...names },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', ...root } },
          ...version,
        },
      ],
      ...spec,
    },
  };
}

function fieldsOf(sent: JsonObject): readonly string[] {
  return (writeDefinition(sent).causes ?? []).map(({ field }) => field).sort();
}

const withDefault = { properties: { a: { type: 'string', default: 'x' } } };
const ofItsOwn = { strategy: 'None', webhook: { conversionReviewVersions: ['v1'] } };

const textFields: JsonObject = {
  type: 'object',
  properties: { a: { type: 'string' }, b: { type: 'string' } },
};

type SelectingVersion = readonly [schema: JsonObject, paths: readonly string[]];

function versionsOf(versions: readonly SelectingVersion[]): JsonObject {
  return definition(
    {},
    {
      spec: {
        versions: versions.map(([openAPIV3Schema, paths], at) => ({
          name: `v${at + 1}`,
          served: true,
          storage: at === 0,
          schema: { openAPIV3Schema },
          selectableFields: paths.map((jsonPath) => ({ jsonPath })),
        })),
      },
    },
  );
}

test('versions that share neither or both of schema and selectable fields are accepted', () => {
  const other = { ...textFields, description: 'the second' };
  const accepted: readonly (readonly SelectingVersion[])[] = [
    [
      [textFields, ['.a']],
      [textFields, ['.a']],
    ],
    [
      [textFields, ['.a']],
      [other, ['.b']],
    ],
    [
      [textFields, []],
      [other, []],
    ],
  ];
  for (const versions of accepted) equal(writeDefinition(versionsOf(versions)).code, 201);
});

const refused: readonly (readonly [what: string, sent: JsonObject, fields: readonly string[]])[] = [
  [
    'defaults beside unknown fields that are kept',
    definition(withDefault, { spec: { preserveUnknownFields: true } }),
    ['spec.preserveUnknownFields', 'spec.preserveUnknownFields'],
  ],
  [
    'a first version with a bad name, also where the first one is kept by itself',
    definition({}, { version: { name: 'V1' } }),
    ['spec.version', 'spec.versions[0].name'],
  ],
  [
    'an empty category and an empty short name',
    definition({}, { names: { categories: [''], shortNames: [''] } }),
    ['spec.names.categories[0]', 'spec.names.shortNames[0]'],
  ],
  [
    'a reason that no rule can have, once',
    definition({ 'x-kubernetes-validations': [{ rule: 'true', reason: 'InternalError' }] }),
    ['spec.validation.openAPIV3Schema.x-kubernetes-validations[0].reason'],
  ],
  [
    'selectable fields of their own beside a schema that versions share',
    versionsOf([
      [textFields, ['.a']],
      [textFields, ['.b']],
    ]),
    ['spec.versions[0].selectableFields', 'spec.versions[1].selectableFields'],
  ],
  [
    'selectable fields that versions share beside schemas of their own',
    versionsOf([
      [textFields, ['.a']],
      [{ ...textFields, description: 'the second' }, ['.a']],
    ]),
    ['spec.selectableFields'],
  ],
  [
    'versions of reviews without a webhook',
    definition({}, { spec: { conversion: ofItsOwn } }),
    ['spec.conversion.conversionReviewVersions'],
  ],
  [
    'a column without a name, once',
    definition(
      {},
      { version: { additionalPrinterColumns: [{ name: '', type: 'string', jsonPath: '.a' }] } },
    ),
    ['spec.additionalPrinterColumns[0].name'],
  ],
  [
    'a scale without paths, once',
    definition({}, { version: { subresources: { scale: {} } } }),
    ['spec.subresources.scale.specReplicasPath', 'spec.subresources.scale.statusReplicasPath'],
  ],
];

for (const [what, sent, fields] of refused) {
  test(`a definition is refused for ${what}`, () => {
    deepEqual(fieldsOf(sent), fields);
  });
}

function served(root: JsonObject, more: Changes = {}): CustomWrites {
  const writes = customWrites();
  deepEqual(writes.define(definition(root, more)), []);
  return writes;
}

const thing = (members: JsonObject, metadata: JsonValue = { name: 'x' }): JsonObject => ({
  apiVersion: 'check.example.org/v1',
  kind: 'X',
  metadata,
  ...members,
});

test('what a whole object lacks is said of an update, too: its metadata is never compared', () => {
  const writes = served({ required: ['a'], properties: { a: { type: 'string' } } });
  equal(writes.write(thing({}), thing({}), false).code, 422);
});

test('an unchanged part is judged where it keeps fields that no schema describes', () => {
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, maxProperties: 1 };
  const writes = served({ properties: { open } });
  const [bad, fine] = [{ open: { b: 1, c: 2 } }, { open: { b: 1 } }];
  equal(writes.write(thing(bad), thing(bad), false).code, 422);
  equal(writes.write(thing(fine), thing(bad), false).code, 200);
});

test('an unchanged part whose members are all described is let pass', () => {
  const properties = { b: { type: 'integer' }, c: { type: 'integer' } };
  const closed = { type: 'object', maxProperties: 1, properties };
  const writes = served({ properties: { closed } });
  const bad = { closed: { b: 1, c: 2 } };
  equal(writes.write(thing(bad), thing(bad), false).code, 200);
});

test('a list with a key twice has changed where its entries differ, also beside itself', () => {
  const schema: StructuralSchema = {
    type: 'array',
    items: { type: 'object', properties: { k: { type: 'string' }, v: { type: 'integer' } } },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k'],
  };
  const twice = [
    { k: 'a', v: 1 },
    { k: 'a', v: 2 },
  ];
  equal(correlate(twice, twice, schema).isUnchanged(), false);
  const [first] = twice;
  const same = [first, first] as readonly JsonObject[];
  equal(correlate(same, same, schema).isUnchanged(), true);
});

test('entries whose key is no scalar have no old value', () => {
  const items = {
    type: 'object',
    required: ['k'],
    properties: { k: { type: 'string' }, n: { type: 'integer' } },
  };
  const list = {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k'],
    items,
  };
  const writes = served({ properties: { list } });
  const old = thing({ list: [{ k: [1], n: 1 }] });
  equal(writes.write(thing({ list: [{ k: [1], n: 2 }] }), old, false).code, 422);
});

test('rules are not asked of a new object without a name, and it is said', () => {
  const writes = served({ 'x-kubernetes-validations': [{ rule: 'self.metadata.name != ""' }] });
  const { causes = [] } = writes.write(thing({}, {}), undefined, false);
  deepEqual(causes.map(({ field }) => field).sort(), ['<nil>', 'metadata.name']);
});

test('metadata of a wrong type is refused in the words of the decoder', () => {
  const writes = served({});
  const owners = [{ apiVersion: true }];
  const messages = ['a', { name: 1 }, { labels: { a: [] } }, { ownerReferences: owners }].map(
    (metadata) => writes.write(thing({}, metadata), undefined, false).message?.split(': json: ')[1],
  );
  deepEqual(messages, [
    'cannot unmarshal string into Go value of type v1.ObjectMeta',
    'cannot unmarshal number into Go struct field ObjectMeta.name of type string',
    'cannot unmarshal array into Go struct field ObjectMeta.labels of type string',
    'cannot unmarshal bool into Go struct field OwnerReference.ownerReferences.apiVersion of type string',
  ]);
});

test('a rule that meets data of another type names both types', () => {
  const rule = { rule: "self.name == 'a'", message: 'no' };
  const part = {
    type: 'object',
    properties: { name: { type: 'string' }, more: { type: 'string' } },
    'x-kubernetes-validations': [rule],
  };
  const writes = served({ properties: { part } });
  const old = thing({ part: { name: 7 } });
  const { causes = [] } = writes.write(thing({ part: { name: 7, more: 'x' } }), old, false);
  const [cause] = causes;
  equal(
    cause?.message,
    'Invalid value: "object": invalid data, expected string, got int64 evaluating rule: no',
  );
});

test('replicas below what is no object name the whole path', () => {
  const count = { type: 'object', properties: { replicas: { type: 'integer' } } };
  const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
  const version = { subresources: { scale } };
  const writes = served({ properties: { spec: count, status: count } }, { version });
  const { causes = [] } = writes.write(thing({ spec: 1 }), undefined, false);
  const found = causes.find(({ field }) => field === '.spec.replicas');
  equal(
    found?.message,
    'Invalid value: 0: .spec.replicas accessor error: 1 is of the type int64, ' +
      'expected map[string]interface{}',
  );
});

test('a time in metadata that is none is refused with where it goes wrong', () => {
  const writes = served({});
  const rows = [
    ['x', ' as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"'],
    ['', ' as "2006-01-02T15:04:05Z07:00": cannot parse "" as "2006"'],
    ['2020/01/01', ' as "2006-01-02T15:04:05Z07:00": cannot parse "/01/01" as "-"'],
    ['2020-01-01T00:00:00', ' as "2006-01-02T15:04:05Z07:00": cannot parse "" as "Z07:00"'],
    ['2020-01-01T00:00:00.Z', ' as "2006-01-02T15:04:05Z07:00": cannot parse ".Z" as "Z07:00"'],
    ['2020-13-01T00:00:00Z', ': month out of range'],
    ['2020-02-30T00:00:00Z', ': day out of range'],
    ['2020-01-01T25:00:00Z', ': hour out of range'],
    ['2020-01-01T00:00:61Z', ': second out of range'],
    ['2020-01-01T00:00:00+25:00', ': time zone offset hour out of range'],
    ['2020-01-01T00:00:00Zx', ': extra text: "x"'],
  ] as const;
  for (const [text, problem] of rows) {
    const sent = thing({}, { name: 'x', creationTimestamp: text });
    equal(
      writes.write(sent, undefined, false).message,
      `X in version "v1" cannot be handled as a X: parsing time "${text}"${problem}`,
    );
  }
  const bytes = thing({}, { name: 'x', deletionTimestamp: '\u00e9"' });
  equal(
    writes.write(bytes, undefined, false).message?.split(': parsing time ')[1],
    String.raw`"\xc3\xa9\"" as "2006-01-02T15:04:05Z07:00": cannot parse "\xc3\xa9\"" as "2006"`,
  );
});

test('what is no text where a time belongs is refused with the name of its field', () => {
  const writes = served({});
  const of = (metadata: JsonObject): string | undefined =>
    writes.write(thing({}, metadata), undefined, false).message?.split(': json: ')[1];
  equal(
    of({ creationTimestamp: 5 }),
    'cannot unmarshal number into Go struct field ObjectMeta.creationTimestamp of type string',
  );
  equal(
    of({ managedFields: [{ time: [] }] }),
    'cannot unmarshal array into Go struct field ManagedFieldsEntry.managedFields.time ' +
      'of type string',
  );
});

function causesOf(a: JsonObject, value: JsonValue): readonly string[] {
  const writes = served({ properties: { a } });
  const { causes = [] } = writes.write(thing({ a: value }), undefined, false);
  return causes.map(({ message }) => message.replace(/^Invalid value: /, ''));
}

test('a number beyond a bound that its own format cannot hold is shown as a double, as the bound', () => {
  const a = { type: 'integer', format: 'int32', maximum: 4294967295, minimum: -4294967296 };
  deepEqual(
    causesOf(a, 4294967297).at(2),
    '4.294967297e+09: a in body should be less than or equal to 4.294967295e+09',
  );
  deepEqual(causesOf({ type: 'integer', format: 'int32', multipleOf: 4294967298 }, 3), [
    '"": MultipleOf value must be of type integer with format int32 in a',
    '3: a in body should be a multiple of 4.294967298e+09',
  ]);
});

test('a number that rounds to the greatest float is one', () => {
  const float = { type: 'number', format: 'float' };
  deepEqual(causesOf(float, 3.4028235e38), []);
  deepEqual(causesOf(float, -3.4028235e38), []);
  deepEqual(causesOf(float, 3.4028236e38), [
    '"": Checked value must be of type number with format float in a',
  ]);
});

test('a bound that integers are compared with is shown with all its digits', () => {
  const large = { type: 'integer', maximum: 9223372036854775000 };
  deepEqual(causesOf(large, 9223372036854775807n), [
    '9223372036854775807: a in body should be less than or equal to 9223372036854774784',
  ]);
  deepEqual(causesOf({ type: 'number', maximum: 1e17 }, 100000000000000001n), [
    '100000000000000001: a in body should be less than or equal to 100000000000000000',
  ]);
});

test('a key that is a long integer is shown with all its digits', () => {
  const items = { type: 'object', required: ['k'], properties: { k: { type: 'integer' } } };
  const list = { type: 'array', 'x-kubernetes-list-type': 'map', items };
  const a = { ...list, 'x-kubernetes-list-map-keys': ['k'] };
  const entry = { k: 9007199254740993n };
  deepEqual(causesOf(a, [entry, entry]), ['Duplicate value: {"k":9007199254740993}']);
});

test('what a version has always cost is let pass, and not what another one says after it', () => {
  const messageExpression = Array.from({ length: 9 }, (_, at) => `self[${at}]`).join(' + ');
  const dear: JsonObject = {
    type: 'object',
    properties: {
      f: {
        type: 'array',
        items: { type: 'string' },
        'x-kubernetes-validations': [{ rule: 'true', messageExpression }],
      },
    },
  };
  const version = (name: string, schema: JsonObject): JsonObject => ({
    name,
    served: true,
    storage: name === 'v1',
    schema: { openAPIV3Schema: schema },
  });
  const sent = (...versions: JsonObject[]): JsonObject => definition({}, { spec: { versions } });
  const plain = { type: 'object' };
  const stored = writeDefinition(sent(version('v1', plain), version('v2', plain))).object;
  const before = {
    ...stored,
    spec: part(sent(version('v1', dear), version('v2', plain)), 'spec'),
  } as unknown as ApiObject;
  const causes = (next: JsonObject): readonly string[] => {
    const answer = writeDefinition({ ...next, metadata: part(before, 'metadata') }, before);
    return (answer.causes ?? []).map(({ field }) => field);
  };
  deepEqual(causes(sent(version('v1', dear), version('v2', { ...plain, title: 'x' }))), []);
  deepEqual(causes(sent(version('v1', dear), version('v2', plain), version('v3', dear))), [
    'spec.versions[2].schema.openAPIV3Schema.properties[f].x-kubernetes-validations[0].messageExpression',
  ]);
});

test('versions that are not given are shown as such, and none as an empty list', () => {
  const shown = (versions: JsonValue): readonly string[] =>
    (writeDefinition(definition({}, { spec: { versions } })).causes ?? [])
      .filter(({ field }) => field === 'spec.versions')
      .map(({ message }) => message);
  const message = 'must have exactly one version marked as storage version';
  deepEqual(shown(null), [`Invalid value: null: ${message}`]);
  deepEqual(shown([]), [`Invalid value: []: ${message}`]);
});

test('a new definition shows its conditions before there are any', () => {
  const { object } = writeDefinition(definition({}));
  equal(part(object, 'status')['conditions'], null);
});
