/** What large objects are shown as, made in parts for all who show them so. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cborEvents } from '../../src/apimachinery/cbor-events.ts';
import { encodeCbor, encodeCborSteps } from '../../src/apimachinery/codecs/cbor.ts';
import { indentedSteps } from '../../src/apimachinery/codecs/indented-json.ts';
import { stringifyJson } from '../../src/apimachinery/codecs/lossless.ts';
import { encodeProtobuf, encodeProtobufSteps } from '../../src/apimachinery/codecs/protobuf.ts';
import type { EventType } from '../../src/apimachinery/event-frames.ts';
import { identityOf } from '../../src/apimachinery/identity.ts';
import { createLargeStates, largeStateSteps } from '../../src/apimachinery/large-states.ts';
import type { LargeForm } from '../../src/apimachinery/large-states.ts';
import type { ObjectSchema } from '../../src/apimachinery/typed/type-schema.ts';
import type { JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import { fieldTypes } from '../../src/apis/field-types.ts';
import { finished } from '../../src/stdx/stepwise.ts';
import type { Steps } from '../../src/stdx/stepwise.ts';
import { jsonEvents } from '../support/data/json-events.ts';

const mebibyte = 1024 * 1024;
const state = (name: string, revision = 1n, text = name) => ({
  namespace: 'ns',
  name,
  revision,
  bytes: Buffer.from(text),
});

/** Takes so many parts, and gives what it is made of. */
function form(id: string, parts: number, bytes = 0): LargeForm & { readonly begun: string[] } {
  const begun: string[] = [];
  return {
    id,
    begun,
    *steps(from) {
      begun.push(Buffer.from(from).toString());
      for (let part = 1; part < parts; part += 1) yield;
      return bytes > 0 ? Buffer.alloc(bytes) : Buffer.from(`${id} of ${begun.at(-1)}`);
    },
  };
}

function shown(states: ReturnType<typeof createLargeStates>, of: LargeForm, name: string): string {
  return String(Buffer.from(states.find(of, 'ADDED', state(name)) ?? 'nothing'));
}

describe('what large objects are in a form', () => {
  it('is made once, a part at each question, whoever asks', () => {
    const states = createLargeStates();
    const rows = form('rows', 3);
    const ask = (): boolean => states.isReady(rows, 'ADDED', state('a'));
    assert.deepEqual([ask(), ask(), ask(), ask()], [false, false, true, true]);
    assert.equal(states.isReady(rows, 'MODIFIED', state('a')), true, 'it is the same state');
    assert.equal(shown(states, rows, 'a'), 'rows of a');
    assert.deepEqual(rows.begun, ['a']);
  });

  it('is one object after the other: who asks for the next does the rest of the first', () => {
    const states = createLargeStates();
    const [rows, cells] = [form('rows', 3), form('cells', 1)];
    assert.equal(states.isReady(rows, 'ADDED', state('a')), false);
    // Who began it has gone.
    const asked = [1, 2, 3].map(() => states.isReady(cells, 'ADDED', state('b')));
    assert.deepEqual(asked, [false, false, true]);
    assert.deepEqual(
      [shown(states, rows, 'a'), shown(states, cells, 'b')],
      ['rows of a', 'cells of b'],
    );
  });

  it('is another one for each form, revision and shape, and for what it was before', () => {
    const states = createLargeStates();
    const rows = form('rows', 1);
    const asks: readonly (readonly [EventType, ReturnType<typeof state> & { shape?: string }])[] = [
      ['ADDED', state('a', 1n, '1')],
      ['ADDED', state('a', 2n, '2')],
      ['DELETED', state('a', 2n, '1 at 2')],
      ['ADDED', { ...state('a', 2n, 'shaped'), shape: 'x' }],
    ];
    for (const [type, each] of asks) assert.equal(states.isReady(rows, type, each), true);
    assert.deepEqual(
      asks.map(([type, each]) => String(states.find(rows, type, each))),
      ['rows of 1', 'rows of 2', 'rows of 1 at 2', 'rows of shaped'],
    );
  });

  it('is made once for lists that ask for it together', () => {
    const states = createLargeStates();
    const rows = form('rows', 3);
    const lists = [1, 2, 3].map(() => largeStateSteps(states, rows, state('a')));
    const asked = lists.map((list) => list.next().done);
    assert.deepEqual(asked, [false, false, true], 'each has done a part');
    assert.deepEqual(lists.slice(0, 2).map(finished).map(String), ['rows of a', 'rows of a']);
    assert.deepEqual(rows.begun, ['a']);
  });

  it('fails for those who show it so, and for nobody who helped', () => {
    const states = createLargeStates();
    const rows = form('rows', 1);
    const broken: LargeForm = {
      id: 'broken',
      *steps(): Steps<Uint8Array> {
        yield;
        throw new Error('cannot be read');
      },
    };
    assert.equal(states.isReady(broken, 'ADDED', state('a')), false);
    assert.equal(states.isReady(rows, 'ADDED', state('b')), false);
    assert.equal(states.isReady(rows, 'ADDED', state('b')), true);
    assert.equal(states.isReady(broken, 'ADDED', state('a')), true);
    assert.throws(() => states.find(broken, 'ADDED', state('a')), /cannot be read/);
  });

  it('is kept up to so many bytes, the newest whatever it has', () => {
    const states = createLargeStates(2.5 * mebibyte);
    const rows = form('rows', 1, mebibyte);
    for (const name of ['a', 'b', 'c']) states.isReady(rows, 'ADDED', state(name));
    const kept = ['a', 'b', 'c'].map((name) => states.find(rows, 'ADDED', state(name))?.length);
    assert.deepEqual(kept, [undefined, mebibyte, mebibyte]);
    const huge = form('huge', 1, 3 * mebibyte);
    assert.equal(states.isReady(huge, 'ADDED', state('d')), true);
    assert.equal(states.find(huge, 'ADDED', state('d'))?.length, 3 * mebibyte);
    assert.equal(states.find(rows, 'ADDED', state('c')), undefined);
    const small = form('small', 1, 1);
    for (let at = 0; at < 3_000; at += 1) states.isReady(small, 'ADDED', state(`s${at}`));
    const left = [0, 400, 600, 2_999].map((at) => states.find(small, 'ADDED', state(`s${at}`)));
    assert.deepEqual(
      left.map((each) => each !== undefined),
      [false, false, true, true],
      'a small one counts for a kibibyte',
    );
  });
});

const schemaOf = (name: string): ObjectSchema => fieldTypes(identityOf('kubernetes')).object(name);

function many(count: number, item: (at: number) => JsonObject): JsonObject[] {
  return Array.from({ length: count }, (_, at) => item(at));
}

const data = Object.fromEntries(many(4_000, () => ({})).map((_, at) => [`é${at}`, 'x'.repeat(99)]));
const properties = Object.fromEntries(
  many(2_000, () => ({})).map((_, at) => [
    `p${at}`,
    { type: 'array', items: { type: 'object', additionalProperties: { type: 'string' } } },
  ]),
);
const openAPIV3Schema = { type: 'object', properties: { spec: { items: { properties } } } };
const metadata = { name: 'a', annotations: { note: 'n'.repeat(200_000) } };

const objects: readonly (readonly [what: string, type: string, object: JsonObject])[] = [
  ['a map', 'core/v1.ConfigMap', { kind: 'ConfigMap', apiVersion: 'v1', metadata, data }],
  [
    'lists',
    'core/v1.Pod',
    {
      kind: 'Pod',
      apiVersion: 'v1',
      metadata,
      spec: {
        containers: many(60, (at) => ({
          name: `c${at}`,
          env: many(60, (no) => ({ name: `E${no}`, value: 'v'.repeat(60) })),
        })),
      },
    },
  ],
  [
    'unions',
    'apiextensions/v1.CustomResourceDefinition',
    {
      kind: 'CustomResourceDefinition',
      apiVersion: 'apiextensions.k8s.io/v1',
      metadata,
      spec: { group: 'x.io', versions: [{ name: 'v1', schema: { openAPIV3Schema } }] },
    },
  ],
];

describe('a large object in a binary form', () => {
  for (const [what, name, object] of objects) {
    it(`is the same, made in parts: ${what}`, () => {
      const schema = schemaOf(name);
      const about = JSON.stringify(object).length;
      for (const [whole, parts] of [
        [encodeCbor(object, schema), encodeCborSteps(object, schema, about)],
        [encodeProtobuf(schema, object), encodeProtobufSteps(schema, object, about)],
      ] as const) {
        let count = 1;
        let step = parts.next();
        for (; step.done !== true; step = parts.next()) count += 1;
        assert.ok(Buffer.from(whole).equals(step.value));
        assert.ok(count > whole.length / 100_000, `${count} parts of ${whole.length}`);
      }
    });
  }

  it('is the same JSON with line breaks, made in parts', () => {
    const odd = { list: [many(9_000, () => ({})), [], {}], gone: undefined, text: '\n'.repeat(9) };
    const values: readonly JsonValue[] = [
      ...objects.map(([, , object]) => object),
      odd,
      [odd, odd],
    ];
    for (const value of values) {
      const text = Buffer.from(finished(indentedSteps(value, 2))).toString();
      assert.equal(text, stringifyJson(value, 2));
      const deeper = Buffer.from(finished(indentedSteps(value, 2, '\n    '))).toString();
      assert.equal(deeper, text.replaceAll('\n', '\n    '));
    }
  });

  it('is in a frame what it is where it was not made in parts', () => {
    const json = jsonEvents({ apiVersion: 'v1', kind: 'ConfigMap', domain: 'k8s.io' });
    const [, name, object] = objects[0] as (typeof objects)[number];
    const entry = state('a', 7n, JSON.stringify(object));
    const item = Buffer.from(encodeCbor(object, schemaOf(name))).subarray(3);
    const items = {
      kept: () => assert.fail('what is large was made in parts'),
      large: { isReady: () => true, find: () => item },
    };
    for (const type of ['ADDED', 'MODIFIED', 'DELETED'] as const) {
      const own = cborEvents(json, schemaOf(name), items).event(type, entry);
      assert.deepEqual(own, cborEvents(json, schemaOf(name), undefined).event(type, entry));
    }
  });
});
