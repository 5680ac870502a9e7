/** What holds for a body in every encoding: its bounds, and one content for one text. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  bodyValuesMax,
  countValues,
  mayHoldMore,
} from '../../src/apimachinery/codecs/body-bounds.ts';
import { decodeCbor, encodeCbor } from '../../src/apimachinery/codecs/cbor.ts';
import { decodeJson } from '../../src/apimachinery/codecs/json.ts';
import type { Decoded } from '../../src/apimachinery/codecs/json.ts';
import {
  decodeProtobuf,
  encodeProtobuf,
  protobufSteps,
} from '../../src/apimachinery/codecs/protobuf.ts';
import { decodeYaml } from '../../src/apimachinery/codecs/yaml.ts';
import { finished } from '../../src/stdx/stepwise.ts';
import { statusType } from '../../src/apimachinery/typed/meta-types.ts';
import type { JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';

function valueOf(decoded: Decoded): JsonValue {
  assert.ok(decoded.kind === 'value', 'it is refused');
  return decoded.value;
}

/** A Status with so many causes, each of one member. */
function statusOf(causes: number): JsonObject {
  const details = { causes: Array.from({ length: causes }, () => ({ field: 'a' })) };
  return { apiVersion: 'v1', kind: 'Status', details };
}

const codecs: readonly [string, (object: JsonObject) => Decoded][] = [
  ['JSON', (object) => decodeJson(Buffer.from(JSON.stringify(object)))],
  ['YAML', (object) => decodeYaml(Buffer.from(`# not JSON\n${JSON.stringify(object)}`))],
  ['CBOR', (object) => decodeCbor(encodeCbor(object))],
  ['Protobuf', (object) => decodeProtobuf(encodeProtobuf(statusType, object), () => statusType)],
];

describe('a body in any encoding', () => {
  for (const [name, decode] of codecs) {
    it(`holds so many members and items and no more: ${name}`, () => {
      const taken = valueOf(decode(statusOf(bodyValuesMax / 2 - 10))) as JsonObject;
      assert.deepEqual(taken['details'], statusOf(bodyValuesMax / 2 - 10)['details']);
      const refused = decode(statusOf(bodyValuesMax / 2 + 10));
      assert.ok(refused.kind === 'refused');
      assert.equal(refused.error.code, 413);
      assert.match(
        refused.error.message,
        new RegExp(`more than ${bodyValuesMax} members and items`),
      );
    });
  }

  it('is looked at as far as the bound, however long a list is', () => {
    let asked = 0;
    const list: readonly JsonValue[] = new Proxy(new Array<JsonValue>(100_000).fill({}), {
      get(target, name, receiver) {
        asked += 1;
        return Reflect.get(target, name, receiver) as unknown;
      },
      ownKeys: () => assert.fail('all its names are made'),
    });
    assert.ok(countValues(list, 10) > 10);
    assert.ok(asked < 10, `${asked}`);
  });

  it('may hold more when its text has as many commas and brackets', () => {
    for (const value of [[], {}, [[[]]], { a: [1, { b: 2 }], c: 'd' }, ['[', ',']] as JsonValue[]) {
      const text = JSON.stringify(value);
      const count = countValues(value);
      assert.ok(count === 0 || mayHoldMore(text, count - 1), text);
      assert.ok(!mayHoldMore(text, text.length), text);
    }
    assert.ok(!mayHoldMore('[1,2,3]', 3));
  });

  it('is bounded as its kind says in Protobuf, at once and in steps', () => {
    const bytes = encodeProtobuf(statusType, statusOf(bodyValuesMax / 2 + 10));
    const schemaOf = () => statusType;
    for (const [valuesMax, kind] of [
      [undefined, 'refused'],
      [bodyValuesMax + 100, 'value'],
      [1_000, 'refused'],
    ] as const) {
      assert.equal(decodeProtobuf(bytes, schemaOf, valuesMax).kind, kind);
      assert.equal(finished(protobufSteps(bytes, schemaOf, valuesMax)).kind, kind);
    }
  });

  it('is counted with what is inside its lists and objects', () => {
    for (const [value, expected] of [
      ['text', 0],
      [null, 0],
      [{}, 0],
      [{ a: 1, b: null }, 2],
      [[1, [2, 3], { a: [4] }], 7],
      [{ a: { b: { c: [] } } }, 3],
    ] as const) {
      assert.equal(countValues(value), expected, JSON.stringify(value));
    }
    assert.ok(
      countValues(
        Array.from({ length: 10 }, () => [1]),
        15,
      ) > 15,
    );
  });

  it('has U+FFFD for half of a surrogate pair, in keys and values, and pairs as they are', () => {
    const json = '{"k\\ud800":["\\udfff!","\\uD83D\\uDE00","\\ud83d","\\\\ud800"]}';
    const expected = { 'k\ufffd': ['\ufffd!', '\u{1f600}', '\ufffd', '\\ud800'] };
    assert.deepEqual(valueOf(decodeJson(Buffer.from(json))), expected);
    assert.deepEqual(valueOf(decodeYaml(Buffer.from(json))), expected);
    assert.deepEqual(valueOf(decodeYaml(Buffer.from(`# YAML\n${json}`))), expected);
  });
});
