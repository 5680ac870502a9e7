/** Lists in every encoding, put together item by item: the bytes of the list written at once. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decode as readCbor } from 'cborg';
import fc from 'fast-check';
import { parse as parseYaml } from 'yaml';
import { encodeCbor } from '../../src/apimachinery/codecs/cbor.ts';
import { asLine, encodeJson } from '../../src/apimachinery/codecs/json.ts';
import { parseJsonText } from '../../src/apimachinery/codecs/lossless.ts';
import { openEnvelope } from '../../src/apimachinery/codecs/protobuf.ts';
import { decodeMessage } from '../../src/apimachinery/codecs/protobuf-decode.ts';
import { encodeYaml } from '../../src/apimachinery/codecs/yaml.ts';
import { KeptEncodings } from '../../src/apimachinery/kept-encodings.ts';
import { cborList } from '../../src/apimachinery/lists/cbor-list.ts';
import { indentedList, jsonList } from '../../src/apimachinery/lists/json-list.ts';
import { ListChunks } from '../../src/apimachinery/lists/list-chunks.ts';
import { emptyList, wholeList } from '../../src/apimachinery/lists/list-form.ts';
import type { ListForm, ListMeta } from '../../src/apimachinery/lists/list-form.ts';
import { protobufList } from '../../src/apimachinery/lists/protobuf-list.ts';
import { yamlList } from '../../src/apimachinery/lists/yaml-list.ts';
import { metaTypes, partialMetadataType } from '../../src/apimachinery/typed/meta-types.ts';
import type { JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';

const parse = (json: Uint8Array): JsonValue => parseJsonText(Buffer.from(json).toString('utf8'));
const never = (): boolean => false;

const metas: readonly ListMeta[] = [
  { kind: 'PodList', apiVersion: 'v1', resourceVersion: '9' },
  {
    kind: 'L',
    apiVersion: 'a.io/v1',
    resourceVersion: '',
    continue: 't"\n',
    remainingItemCount: 3,
  },
  { kind: 'Table', apiVersion: 'm/v1', resourceVersion: '1', columns: [{ name: 'Name' }] },
];

function whole(meta: ListMeta, items: readonly JsonValue[]): JsonObject {
  const empty = emptyList(meta);
  return meta.columns === undefined ? { ...empty, items } : { ...empty, rows: items };
}

/** Each encoding beside what writes a whole document in it. */
const encodings: readonly [
  string,
  (meta: ListMeta) => ListForm,
  (list: JsonValue) => Uint8Array,
][] = [
  ['JSON', (meta) => jsonList(meta), (list) => asLine(encodeJson(list))],
  ['indented JSON', (meta) => indentedList(meta, parse), (list) => encodeJson(list, true)],
  ['YAML', (meta) => yamlList(meta, parse), (list) => encodeYaml(list)],
  ['CBOR', (meta) => cborList(meta, parse, undefined), (list) => encodeCbor(list)],
];

const itemsOf = fc.array(
  fc.dictionary(
    fc.string({ minLength: 1, unit: 'grapheme' }).filter((key) => key !== '__proto__'),
    fc.jsonValue() as fc.Arbitrary<JsonValue>,
    { minKeys: 1 },
  ),
  { maxLength: 6 },
);

function chunked(form: ListForm, items: readonly Uint8Array[], size: number): Buffer {
  const measure = {
    count: items.length,
    bytes: items.reduce(
      (sum, item, at) => sum + item.length + form.lead.bytes(item.length, at === 0),
      0,
    ),
  };
  const target = Buffer.alloc(size);
  const chunks = new ListChunks({
    frame: form.frame(measure),
    lead: form.lead,
    entries: items[Symbol.iterator](),
    itemOf: (item: Uint8Array) => item,
    costly: false,
    isPassing: false,
  });
  const given: Buffer[] = [];
  while (!chunks.ended) {
    const used = chunks.fill(target, never);
    assert.ok(used <= size);
    given.push(Buffer.from(target.subarray(0, used)));
    target.fill(0);
  }
  assert.equal(
    chunks.bytes,
    given.reduce((sum, chunk) => sum + chunk.length, 0),
  );
  return Buffer.concat(given);
}

describe('lists', () => {
  for (const [name, formOf, write] of encodings) {
    it(`in ${name} are what writing the whole at once gives, in chunks of any size`, () => {
      const size = fc.integer({ min: 8, max: 300 });
      fc.assert(
        fc.property(fc.constantFrom(...metas), itemsOf, size, (meta, given, chunkBytes) => {
          // As they are after JSON: some numbers are integers then.
          const values = given.map((value) => parse(encodeJson(value)));
          const form = formOf(meta);
          const items = values.map((value) => {
            const json = encodeJson(value);
            return form.item === undefined ? json : form.item(json);
          });
          const expected = Buffer.from(write(whole(meta, values)));
          assert.deepEqual(Buffer.from(wholeList(form, items)), expected);
          assert.deepEqual(chunked(form, items, chunkBytes), expected);
        }),
        { numRuns: 200 },
      );
    });
  }

  it('in YAML and CBOR are read back by readers from elsewhere', () => {
    const values: JsonValue[] = [{ a: 'b: c\n', d: [] }, { e: { f: ['- x'] } }];
    const expected = whole(metas[0] as ListMeta, values);
    const bodyOf = (form: ListForm): Buffer => {
      const items = values.map((value) => (form.item ?? ((x) => x))(encodeJson(value)));
      return chunked(form, items, 8);
    };
    const meta = metas[0] as ListMeta;
    assert.deepEqual(parseYaml(bodyOf(yamlList(meta, parse)).toString()), expected);
    const cbor = bodyOf(cborList(meta, parse, undefined));
    assert.deepEqual([...cbor.subarray(0, 3)], [0xd9, 0xd9, 0xf7]);
    const decoded: unknown = readCbor(cbor.subarray(3), { useMaps: true, allowIndefinite: false });
    // The reference writes texts as byte strings.
    assert.deepEqual(textual(decoded), expected);
  });

  it('in Protobuf say before the items how long all of them are', () => {
    for (const version of ['v1', 'v1beta1']) {
      const schema = metaTypes.object(`meta/${version}.PartialObjectMetadataList`);
      const meta = { kind: 'L', apiVersion: 'v1', resourceVersion: '7' };
      const form = protobufList(schema, partialMetadataType, meta, parse);
      for (const count of [0, 1, 300]) {
        const names = Array.from({ length: count }, (_, i) => 'n'.repeat(i));
        const items = names.map(
          (name) => form.item?.(encodeJson({ metadata: { name } })) as Buffer,
        );
        const body = chunked(form, items, 100);
        assert.deepEqual(body, Buffer.from(wholeList(form, items)));
        const { raw, kind } = openEnvelope(body);
        const list = decodeMessage(schema, raw) as { items?: { metadata: JsonObject }[] };
        assert.equal(kind, 'L');
        assert.deepEqual(
          (list.items ?? []).map(({ metadata }) => metadata['name'] ?? ''),
          names,
        );
      }
    }
  });

  it('take items only as chunks are asked for, and stop where others may go on', () => {
    let taken = 0;
    function* endless(): Generator<Uint8Array | undefined> {
      for (;;) {
        taken += 1;
        yield taken % 10 === 0 ? undefined : Buffer.alloc(100, 97);
      }
    }
    const form = jsonList(metas[0] as ListMeta);
    const frame = form.frame({ count: 1, bytes: 0 });
    const common = { frame, lead: form.lead, itemOf: (item: Uint8Array) => item };
    const cheap = new ListChunks({
      ...common,
      entries: endless(),
      costly: false,
      isPassing: false,
    });
    const target = Buffer.alloc(64 * 1024);
    assert.ok(cheap.fill(target, () => true) > 0);
    assert.equal(taken, 10, 'up to the place to stop');
    taken = 0;
    const entries = endless();
    const costly = new ListChunks({
      ...common,
      entries: skipGaps(entries),
      costly: true,
      isPassing: false,
    });
    assert.ok(costly.fill(target, () => true) < 12 * 1024, 'time was over');
  });
});

function* skipGaps(entries: Iterable<Uint8Array | undefined>): Generator<Uint8Array> {
  for (const entry of entries) if (entry !== undefined) yield entry;
}

function textual(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (Array.isArray(value)) return value.map(textual);
  if (typeof value !== 'object' || value === null) return value;
  const members = value instanceof Map ? [...value.entries()] : Object.entries(value);
  return Object.fromEntries(members.map(([key, each]) => [String(textual(key)), textual(each)]));
}

describe('kept encodings', () => {
  const stateOf = (name: string, revision: bigint, size = 100) => ({
    namespace: 'ns',
    name,
    revision,
    bytes: Buffer.alloc(size, Number(revision % 251n)),
  });

  it('are made once for each revision and form, and never mixed up', () => {
    const kept = new KeptEncodings(64 * 1024 * 1024);
    const twice = (bytes: Uint8Array): Uint8Array => Buffer.concat([bytes, bytes]);
    const one = kept.encoder('one', (bytes) => bytes);
    const two = kept.encoder('two', twice);
    const other = kept.encoder('one', () => assert.fail('it is there'));
    for (let round = 0; round < 2; round += 1) {
      for (let i = 1; i <= 50; i += 1) {
        const state = stateOf(`n${i}`, BigInt(i));
        assert.deepEqual(Buffer.from(one(state)), state.bytes);
        assert.deepEqual(Buffer.from(two(state)), Buffer.from(twice(state.bytes)));
        assert.deepEqual(Buffer.from(other(state)), state.bytes);
      }
    }
    assert.equal(kept.madeCount, 100);
    const changed = stateOf('n1', 99n);
    assert.deepEqual(Buffer.from(one(changed)), changed.bytes, 'another revision');
    const elsewhere = { ...stateOf('n1', 99n), namespace: 'b', bytes: Buffer.from('b') };
    assert.deepEqual(Buffer.from(one(elsewhere)), Buffer.from('b'), 'another namespace');
    assert.equal(kept.madeCount, 102);
  });

  it('stay below their bound whatever comes, and what is asked for again stays', () => {
    const bytesMax = 4 * 1024 * 1024;
    const kept = new KeptEncodings(bytesMax);
    const encode = kept.encoder('f', (bytes) => Buffer.from(bytes));
    const sizes = [10, 1000, 9000, 70_000, 3_000_000];
    let made = 0;
    for (let i = 0; i < 20_000; i += 1) {
      const size = sizes[i % 1000 === 0 ? 4 : i % 100 === 0 ? 3 : i % 3] as number;
      encode(stateOf(`n${i}`, BigInt(i + 1), size));
      made += 1;
      encode(stateOf('hot', 1n));
      assert.ok(kept.bytes <= bytesMax, `${kept.bytes} bytes after ${i}`);
    }
    assert.equal(kept.madeCount, made + 1, 'the hot one was made once');
    assert.ok(kept.bytes > bytesMax / 4);
  });

  it('are made anew each time where there is no room for them', () => {
    for (const bytesMax of [0, 1, 100_000, 200_000]) {
      const kept = new KeptEncodings(bytesMax);
      const encode = kept.encoder('f', (bytes) => Buffer.from(bytes));
      for (let i = 0; i < 6; i += 1) {
        const state = stateOf(`n${i % 2}`, 1n, i % 3);
        assert.deepEqual(Buffer.from(encode(state)), state.bytes);
      }
      assert.equal(kept.madeCount, 6);
      assert.equal(kept.bytes, 0);
    }
  });

  it('do not keep what no store has', () => {
    const kept = new KeptEncodings(1024 * 1024);
    let made = 0;
    const encode = kept.encoder('f', (bytes) => {
      made += 1;
      return bytes;
    });
    encode(stateOf('a', 0n));
    encode(stateOf('a', 0n));
    assert.equal(made, 2);
    assert.equal(kept.bytes, 0);
  });
});
