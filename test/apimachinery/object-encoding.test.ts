/** The stored form of objects: order, stamp, and nothing lost on the way. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  decodeObject,
  encodeObject,
  identifyingMetadata,
  stampResourceVersion,
} from '../../src/apimachinery/object-encoding.ts';
import { parseJsonText, stringifyJson } from '../../src/apimachinery/codecs/lossless.ts';
import { recordToPut } from '../../src/storage/record-codec.ts';
import type { StoreKey } from '../../src/storage/storage.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import { corpusPath, noVectors } from '../support/data/corpora.ts';

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

const oddKeys = [
  '__proto__',
  'constructor',
  'toJSON',
  'isLosslessNumber',
  '0',
  '12',
  '',
  'kind',
  'fieldsV1',
];

const safeNumber = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  // Minus zero is written as 0, and an integer beyond 2^53 is never a number but a bigint.
  .filter((n) => !Object.is(n, -0) && (!Number.isInteger(n) || Number.isSafeInteger(n)));

const hugeInteger = fc
  .bigInt({ min: -(10n ** 40n), max: 10n ** 40n })
  .filter((n) => n > 2n ** 53n || n < -(2n ** 53n));

const anyString = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('\ud800', 'a\udc00', '\u2028', '"\\', ':12345678901234567', ',1e999', '\u0000'),
);

const { value: anyValue } = fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false),
    fc.integer(),
    safeNumber,
    hugeInteger,
    anyString,
    fc.array(tie('value'), { maxLength: 4 }),
    tie('object'),
  ),
  object: fc
    .array(fc.tuple(fc.oneof(anyString, fc.constantFrom(...oddKeys)), tie('value')), {
      maxLength: 4,
    })
    .map(ownProperties),
}));

/** fromEntries defines own properties, `__proto__` too. */
function ownProperties(entries: readonly (readonly [string, JsonValue])[]): JsonObject {
  return Object.fromEntries(entries);
}

const anyObject = fc
  .record({
    metadata: fc.array(fc.tuple(anyString, anyValue), { maxLength: 3 }).map(ownProperties),
    rest: fc
      .array(fc.tuple(fc.oneof(anyString, fc.constantFrom(...oddKeys)), anyValue), {
        maxLength: 4,
      })
      .map(ownProperties),
    kind: fc.constantFrom('Pod', 'Größe', '"'),
  })
  .map(({ metadata, rest, kind }) => ({
    ...rest,
    kind,
    apiVersion: 'v1',
    metadata: { ...metadata, name: 'a' },
  }));

describe('what an object is, without who owns its fields', () => {
  const managedFields = [{ manager: 'm', fieldsV1: { 'f:a': {}, 'k:{"n":"]"}': { '.': {} } } }];
  const tricky = ',"managedFields":[{';
  const rows: readonly (readonly [what: string, metadata: JsonObject, kept: JsonObject])[] = [
    ['none', { name: 'a', finalizers: ['x', 'y'] }, { name: 'a', finalizers: ['x', 'y'] }],
    ['last', { name: 'a', labels: { b: '}' }, managedFields }, { name: 'a', labels: { b: '}' } }],
    ['a text like it', { name: tricky, managedFields }, { name: tricky }],
    ['a last text like it', { a: '', name: tricky }, { a: '', name: tricky }],
    [
      'a label like it',
      { labels: { a: '', managedFields: '' } },
      { labels: { a: '', managedFields: '' } },
    ],
    ['alone', { managedFields }, { managedFields }],
  ];
  for (const [what, metadata, kept] of rows) {
    it(what, () => {
      const { bytes } = encodeObject({ apiVersion: 'v1', kind: 'X', metadata, spec: { a: [','] } });
      assert.deepEqual(identifyingMetadata(bytes), kept);
    });
  }

  it('they stay where they are not the last member', () => {
    const metadata = { name: 'a', managedFields, uid: 'u' };
    const bytes = Buffer.from(JSON.stringify({ kind: 'X', apiVersion: 'v1', metadata }));
    assert.deepEqual(identifyingMetadata(bytes), metadata);
  });
});

describe('the fields that managers own', () => {
  const fields = { 'f:a': {}, 'k:{"n":"]}\\""}': { '.': {}, 'f:b': {} } };
  const entry = { manager: 'm', operation: 'Update', fieldsV1: fields };
  const other = { ...entry, manager: 'n', fieldsV1: { 'f:c': {} }, subresource: 'status' };
  const decoded = (metadata: JsonObject, rest: JsonObject = {}): ApiObject =>
    decodeObject(Buffer.from(stringifyJson({ kind: 'X', apiVersion: 'v1', metadata, ...rest })));
  const template = { template: { metadata: { managedFields: [entry] } } };
  const rows: readonly (readonly [what: string, metadata: JsonObject, rest?: JsonObject])[] = [
    ['of several managers', { name: 'a', managedFields: [entry, other] }],
    ['beside an entry without any', { managedFields: [{ manager: 'x' }, entry] }],
    ['in a template alone', { name: 'a' }, { spec: template }],
    ['in a template and the object', { managedFields: [entry] }, { spec: template }],
    ['not in a list', { managedFields: { fieldsV1: fields } }],
    ['in a text', { annotations: { a: stringifyJson(entry) }, managedFields: [entry] }],
    ['as data', { managedFields: [entry] }, { data: { fieldsV1: 'x', other: '"fieldsV1":{' } }],
  ];
  for (const [what, metadata, rest] of rows) {
    it(`come back as they were: ${what}`, () => {
      const expected = { kind: 'X', apiVersion: 'v1', metadata, ...rest };
      assert.deepEqual(decoded(metadata, rest), expected);
      assert.deepEqual(decodeObject(encodeObject(decoded(metadata, rest)).bytes), expected);
    });
  }

  it('are one object in memory for all objects in which they are the same', () => {
    const fieldsOf = (name: string): unknown => {
      const { managedFields } = decoded({ name, managedFields: [other, entry] }).metadata;
      return (managedFields as unknown as readonly JsonObject[])[1]?.['fieldsV1'];
    };
    assert.deepEqual(fieldsOf('a'), fields);
    assert.equal(fieldsOf('a'), fieldsOf('b'));
  });
});

describe('object encoding', () => {
  it('puts kind, apiVersion and metadata first and keeps the order of the rest', () => {
    const encoded = encodeObject({
      zeta: 1,
      metadata: { labels: { b: '1', a: '2' }, name: 'x', resourceVersion: '9' },
      apiVersion: 'v1',
      alpha: [],
      kind: 'Thing',
    });
    assert.equal(
      text(encoded.bytes),
      '{"kind":"Thing","apiVersion":"v1","metadata":{"labels":{"b":"1","a":"2"},"name":"x"},' +
        '"zeta":1,"alpha":[]}',
    );
    assert.equal(encoded.metadataAt, text(encoded.bytes).indexOf('{"labels') + 1);
  });

  it('keeps kind first when a top-level key looks like an array index', () => {
    const encoded = encodeObject({ 7: 'x', kind: 'T', apiVersion: 'v1', metadata: { name: 'n' } });
    assert.match(text(encoded.bytes), /^\{"kind":"T","apiVersion":"v1","metadata":\{/);
  });

  it('leaves room around a large object, so that its record is not another piece of memory', () => {
    const metadata = { name: 'n', labels: { app: 'web' } };
    const spec = { text: 'x'.repeat(1024 * 1024), list: [...Array(20_000).keys()] };
    const object = { kind: 'T', apiVersion: 'v1', metadata, spec };
    const { bytes, memory, metadataAt } = encodeObject(object);
    assert.equal(text(bytes), JSON.stringify(object));
    const record = { uid: 'u', labels: metadata.labels, fields: {}, metadataAt, object: bytes };
    const place = { key: '/ts/ns/n' as StoreKey, state: 'live' };
    const { decoded, value } = recordToPut({ ...record, memory, shape: 'a shape' }, place);
    assert.equal(value.buffer, bytes.buffer);
    assert.equal(decoded?.object.byteOffset, bytes.byteOffset);
    assert.deepEqual(value, recordToPut({ ...record, shape: 'a shape' }, place).value);
  });

  it('encodes an object that is only metadata', () => {
    const encoded = encodeObject({ kind: 'T', apiVersion: 'v1', metadata: { name: 'n' } });
    assert.equal(text(encoded.bytes), '{"kind":"T","apiVersion":"v1","metadata":{"name":"n"}}');
  });

  it('stamps the resourceVersion behind the opening brace, into memory of its own', () => {
    const { bytes, metadataAt } = encodeObject({
      kind: 'Größe',
      apiVersion: 'v1',
      metadata: { name: 'n' },
    });
    const before = text(bytes);
    const stamped = stampResourceVersion(bytes, metadataAt, 9223372036854775807n);
    assert.equal(
      text(stamped),
      '{"kind":"Größe","apiVersion":"v1",' +
        '"metadata":{"resourceVersion":"9223372036854775807","name":"n"}}',
    );
    assert.equal(stamped.buffer.byteLength, stamped.byteLength);
    assert.equal(text(bytes), before);
  });

  it('refuses to encode empty metadata and to stamp at a wrong offset', () => {
    assert.throws(() => encodeObject({ kind: 'T', apiVersion: 'v1', metadata: {} }));
    assert.throws(() =>
      encodeObject({ kind: 'T', apiVersion: 'v1', metadata: { resourceVersion: '1' } }),
    );
    const { bytes, metadataAt } = encodeObject({
      kind: 'T',
      apiVersion: 'v1',
      metadata: { name: 'n' },
    });
    assert.throws(() => stampResourceVersion(bytes, metadataAt + 1, 1n));
  });

  it('loses nothing for any object: bigints, odd keys, unicode, lone surrogates', () => {
    fc.assert(
      fc.property(anyObject, fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }), (object, revision) => {
        const { bytes, metadataAt } = encodeObject(object);
        const metadata: Record<string, JsonValue | undefined> = { ...object.metadata };
        delete metadata['resourceVersion'];
        assert.deepEqual(decodeObject(bytes), { ...object, metadata });
        const stamped = decodeObject(stampResourceVersion(bytes, metadataAt, revision));
        assert.equal(stamped.metadata.resourceVersion, String(revision));
        assert.deepEqual(stamped, {
          ...object,
          metadata: { ...metadata, resourceVersion: String(revision) },
        });
        assert.equal(Object.getPrototypeOf(stamped), Object.prototype);
      }),
      { numRuns: 500 },
    );
  });

  it('keeps an own __proto__ without touching a prototype, on both paths', () => {
    for (const number of ['1', '12345678901234567890']) {
      const source =
        `{"kind":"T","apiVersion":"v1","metadata":{"name":"n"},` +
        `"data":{"__proto__":{"polluted":${number}}}}`;
      const object = parseJsonText(source) as ApiObject;
      assert.equal(text(encodeObject(object).bytes), source);
      assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
      assert.equal((object['data'] as JsonObject)['polluted'], undefined);
    }
  });

  it('reads and writes number tokens exactly', () => {
    const rows: readonly [string, JsonValue][] = [
      ['9007199254740991', 9007199254740991],
      ['9007199254740992', 9007199254740992n],
      ['-9007199254740993', -9007199254740993n],
      ['18446744073709551616', 18446744073709551616n],
      ['0.10000000000000001', 0.1],
      ['1e100', 1e100],
      ['[1, 12345678901234567890 ,"1e999"]', [1, 12345678901234567890n, '1e999']],
      ['{"a":1.5e3}', { a: 1500 }],
    ];
    for (const [source, value] of rows) assert.deepEqual(parseJsonText(source), value, source);
    for (const source of ['1e999', '-1e400', '[1E+309]', `{"a": ${'9'.repeat(400)}}`]) {
      assert.throws(() => parseJsonText(source), RangeError, source);
    }
  });

  it('writes a bigint like any other number, compact and indented', () => {
    fc.assert(
      fc.property(anyValue, fc.constantFrom(0, 2), (value, indent) => {
        const marker = 1234567890123456789n;
        const withBigint = stringifyJson([value, marker], indent);
        const plain = stringifyJson([value, 17], indent);
        assert.equal(withBigint.replace(String(marker), '17'), plain);
        assert.deepEqual(parseJsonText(withBigint), [value, marker]);
      }),
      { numRuns: 200 },
    );
  });

  it('round trips every object of the fixtures', { skip: noVectors }, () => {
    const folder = corpusPath('fixtures-1.33');
    const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
    assert.ok(files.length > 50);
    for (const name of files) {
      const object = parseJsonText(readFileSync(path.join(folder, name), 'utf8')) as ApiObject;
      if (object.metadata?.name === undefined) continue;
      const { bytes, metadataAt } = encodeObject(object);
      const stamped = decodeObject(stampResourceVersion(bytes, metadataAt, 77n));
      const metadata = { ...object.metadata, resourceVersion: '77' };
      assert.deepEqual(stamped, { ...object, metadata }, name);
    }
  });
});
