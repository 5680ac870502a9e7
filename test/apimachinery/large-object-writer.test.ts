/** Large objects are written in parts, and as small ones are. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { writtenLarge } from '../../src/apimachinery/large-object-writer.ts';
import { encodeLargeSteps, encodeObject } from '../../src/apimachinery/object-encoding.ts';
import { writtenObject } from '../../src/apimachinery/object-writer.ts';
import { shareFields } from '../../src/apimachinery/shared-fields.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import { finished } from '../../src/stdx/stepwise.ts';

const head = Buffer.from('{"kind":"A","apiVersion":"v1","metadata":');

function inParts(object: ApiObject): string {
  return finished(writtenLarge(head, object)).bytes.toString();
}

function object(rest: JsonObject, metadata: JsonObject = {}): ApiObject {
  return { kind: 'A', apiVersion: 'v1', metadata: { name: 'a', ...metadata }, ...rest };
}

const items = (count: number, length: number): JsonValue[] =>
  Array.from({ length: count }, (_, i) => ({ name: `é ${i}`, value: '"\n'.repeat(length), no: i }));

const env = items(2_000, 20);
const longFields = Object.fromEntries(env.map((_, i) => [`f:${i}`, { '.': {}, 'f:é"': {} }]));
const sharedFields = { 'f:spec': { 'f:a': {} } };
shareFields(sharedFields);
const entry = { manager: 'a', fieldsV1: longFields, subresource: 'status' };

const rows: readonly (readonly [what: string, object: ApiObject])[] = [
  ['one text', object({ data: 'x'.repeat(300_000) })],
  ['one text that is escaped', object({ data: '"é\u0001'.repeat(30_000) })],
  ['texts of the size of a part', object({ data: Array(20).fill('x'.repeat(64 * 1024 - 3)) })],
  ['a list of lists', object({ list: Array(300).fill(Array(300).fill(7)) })],
  ['many members of its own', object(Object.fromEntries(env.map((item, i) => [`m${i}`, item])))],
  [
    'a name as long as a part',
    object({ ['n'.repeat(70_000)]: 1, b: { ['é'.repeat(70_000)]: [] } }),
  ],
  [
    'names of the size of a part',
    object({ [`"${'n'.repeat(65_530)}`]: { ['m'.repeat(65_000)]: 2 } }),
  ],
  [
    'long labels',
    object({}, { labels: Object.fromEntries(env.map((_, i) => [`l${i}`, 'v'.repeat(63)])) }),
  ],
  ['fields of its managers', object({ spec: { env } }, { managedFields: [entry, entry] })],
  ['members that are not there', object({ a: undefined, env, b: undefined })],
  ['integers beyond 2^53', object({ list: Array(9_000).fill(9007199254740993n) })],
  ['an own __proto__', object({ data: JSON.parse('{"__proto__":{"a":1}}') as JsonObject, env })],
];

describe('a large object that is written in parts', () => {
  for (const [what, each] of rows) {
    it(`is its JSON: ${what}`, () => {
      const text = JSON.stringify(each, (_, value: unknown) => {
        return typeof value === 'bigint' ? 'n' : value;
      }).replaceAll('"n"', '9007199254740993');
      assert(text.length > 60_000);
      assert.equal(inParts(each), text);
    });
  }

  it('is what the writer of small objects writes', () => {
    const managers = fc.constantFrom<JsonValue>(
      [{ ...entry, fieldsV1: sharedFields }, { manager: 'b' }],
      [{ fieldsV1: sharedFields, manager: 'é' }, 'x'],
      'no list',
    );
    const members = fc.dictionary(fc.string(), fc.jsonValue() as fc.Arbitrary<JsonValue>);
    fc.assert(
      fc.property(members, members, managers, (metadata, rest, managedFields) => {
        const each = object(rest, { resourceVersion: '7', managedFields, ...metadata });
        assert.equal(inParts(each), writtenObject(head, each)?.toString());
      }),
    );
  });

  it('others write small objects between its parts', () => {
    const large = object({ spec: { env }, list: items(3_000, 3) });
    const small = object({ data: 'y'.repeat(1_000) });
    const steps = writtenLarge(head, large);
    let partsCount = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) {
      partsCount += 1;
      assert.equal(writtenObject(head, small)?.toString(), JSON.stringify(small));
    }
    assert.equal(step.value.bytes.toString(), JSON.stringify(large));
    assert(partsCount > 4, String(partsCount));
  });

  it('each of many long texts is a part', () => {
    const steps = encodeLargeSteps(object({ data: Array(24).fill('é'.repeat(55_000)) }));
    let partsCount = 0;
    while (steps.next().done !== true) partsCount += 1;
    assert(partsCount >= 24, String(partsCount));
  });

  it('parts that have been written before are the same, wherever they stand now', () => {
    const spec = { template: { spec: { env } }, replicas: 1 };
    const others = [
      object({ spec, status: { ready: 1 } }),
      object({ spec: { ...spec, replicas: 2 } }, { managedFields: [entry] }),
      object({ copies: [spec, { spec }], spec, env }),
    ];
    for (const each of [...others, ...others]) assert.equal(inParts(each), JSON.stringify(each));
  });

  it('has been encoded already when it is asked for, and only the very same', () => {
    const large = object({ spec: { env } });
    const copy = { ...large };
    finished(encodeLargeSteps(large));
    const { bytes } = encodeObject(large);
    assert.equal(encodeObject(large).bytes, bytes);
    assert.notEqual(encodeObject(copy).bytes, bytes);
    assert.deepEqual(encodeObject(copy).bytes, bytes);
  });

  it('any text, anywhere, is written once', () => {
    const texts = fc.tuple(fc.nat({ max: 66_000 }), fc.constantFrom('', '"', 'é', '\ud800'));
    const written = texts.map(([length, odd]) => 'x'.repeat(length) + odd);
    const values = fc.array(fc.oneof(written, fc.record({ a: written, b: fc.array(written) })), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(values, (list) => {
        const each = object({ list });
        assert.equal(inParts(each), JSON.stringify(each));
      }),
      { numRuns: 60 },
    );
  });
});
