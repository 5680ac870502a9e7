/** Large bodies: read in parts that everybody else's work goes between, to what one reading gives. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeCbor, encodeCbor } from '../../src/apimachinery/codecs/cbor.ts';
import { decodeJson, jsonSteps } from '../../src/apimachinery/codecs/json.ts';
import type { Decoded } from '../../src/apimachinery/codecs/json.ts';
import { decodeProtobuf, encodeProtobuf } from '../../src/apimachinery/codecs/protobuf.ts';
import { decodeYaml, encodeYaml } from '../../src/apimachinery/codecs/yaml.ts';
import { trustedTextSteps } from '../../src/apimachinery/object-encoding.ts';
import { identityOf } from '../../src/apimachinery/identity.ts';
import type { BodyFormat } from '../../src/apimachinery/negotiation.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { buildScheme } from '../../src/apis/build-scheme.ts';
import { decodeBody } from '../../src/endpoints/body-decoding.ts';
import { createBodyLanes } from '../../src/endpoints/body-lanes.ts';
import { createTurns } from '../../src/stdx/turns.ts';

const built = buildScheme({ identity: identityOf('kubernetes') });
assert(built.kind === 'ok');
const schema = built.scheme.findKind('', 'v1', 'ConfigMap')?.schema;
assert(schema !== undefined);
const reading = { findDuplicates: true, schemaOf: () => schema };
const bodyLanes = createBodyLanes();

/** Its clock goes on by a millisecond at each look, so that the turns depend on the steps alone. */
function slowTurns(): { readonly turns: ReturnType<typeof createTurns>; count: number } {
  let nowMs = 0;
  const clock = { nowMs: () => (nowMs += 1), monotonicMs: () => (nowMs += 1) };
  const loop = { count: 0, turns: undefined as unknown as ReturnType<typeof createTurns> };
  const nextTurn = (callback: () => void): { cancel: () => undefined } => {
    setImmediate(() => {
      loop.count += 1;
      callback();
    });
    return { cancel: () => undefined };
  };
  loop.turns = createTurns({ clock, timers: { after: () => assert.fail('no timer'), nextTurn } });
  return loop;
}

const configMap = (members: number, letters: number): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'large' },
  data: Object.fromEntries(
    Array.from({ length: members }, (_, i) => [`key-${i}`, `${'v'.repeat(letters)}${i}`]),
  ),
});

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const large = configMap(2000, 40);
const blanks = ' '.repeat(70_000);
const lines = '\n'.repeat(70_000);

const whole: Readonly<Record<BodyFormat, (bytes: Uint8Array) => Decoded>> = {
  json: (bytes) => decodeJson(bytes, reading),
  yaml: (bytes) => decodeYaml(bytes, reading),
  protobuf: (bytes) => decodeProtobuf(bytes, reading.schemaOf),
  cbor: (bytes) => decodeCbor(bytes),
};

const bodies: readonly (readonly [what: string, format: BodyFormat, bytes: Uint8Array])[] = [
  ['an object', 'json', json(large)],
  ['a key that comes twice', 'json', Buffer.from(`{"a":1,${blanks}"a":2}`)],
  [
    'large integers and half a pair',
    'json',
    Buffer.from(`[12345678901234567890,"\\ud800"${blanks}]`),
  ],
  ['no end', 'json', json(large).subarray(0, 70_000)],
  ['no UTF-8', 'json', Buffer.alloc(70_000, 0xff)],
  ['too many levels', 'json', Buffer.from('['.repeat(70_000))],
  ['too many values', 'json', Buffer.from(`[${'1,'.repeat(60_000)}1]`)],
  ['an object', 'yaml', encodeYaml(large)],
  ['JSON', 'yaml', json(large)],
  ['almost JSON', 'yaml', Buffer.from(`{a: 1,${blanks} b: [x]}`)],
  ['a key that comes twice', 'yaml', Buffer.from(`a: 1${lines}a: 2`)],
  ['what cannot be read', 'yaml', Buffer.from(`a: 1${lines}b: [`)],
  ['too many values', 'yaml', Buffer.from('- a\n'.repeat(60_000))],
  ['a control character', 'yaml', Buffer.alloc(70_000)],
  ['an object', 'cbor', encodeCbor(large)],
  [
    'lists, tags and __proto__',
    'cbor',
    encodeCbor([JSON.parse('{"__proto__":1}'), [1], { a: blanks }]),
  ],
  ['no end', 'cbor', encodeCbor(large).subarray(0, 70_000)],
  ['something behind it', 'cbor', Buffer.concat([encodeCbor(large), Buffer.of(1)])],
  ['too many values', 'cbor', encodeCbor(Array.from({ length: 70_000 }, () => 1))],
  ['too many levels', 'cbor', Buffer.alloc(70_000, 0x81)],
  [
    'a key that comes twice',
    'cbor',
    Buffer.concat([Buffer.of(0xa3, 0x61, 0x61, 1, 0x61, 0x61, 2, 0x61, 0x62), encodeCbor(blanks)]),
  ],
  [
    'indefinite lengths',
    'cbor',
    Buffer.concat([
      Buffer.of(0xbf, 0x61, 0x61, 0x9f, 1, 0xff, 0x61, 0x62),
      encodeCbor(blanks),
      Buffer.of(0xff),
    ]),
  ],
  ['an object', 'protobuf', encodeProtobuf(schema, large)],
  ['no end', 'protobuf', encodeProtobuf(schema, large).subarray(0, 70_000)],
];

describe('a large body read in parts is what it is when it is read at once', () => {
  for (const [what, format, bytes] of bodies) {
    it(`${what}, in ${format}`, async () => {
      assert(bytes.length > 64 * 1024);
      const decoding = decodeBody(
        { registry: slowTurns(), bodyLanes },
        { closed: false },
        bytes,
        format,
        reading,
      );
      assert(decoding instanceof Promise);
      assert.deepEqual(await decoding, whole[format](bytes));
    });
  }
});

describe('while a large body is read', () => {
  async function turnsOf(format: BodyFormat, bytes: Uint8Array): Promise<number> {
    const loop = slowTurns();
    const decoded = await decodeBody(
      { registry: loop, bodyLanes },
      { closed: false },
      bytes,
      format,
      reading,
    );
    assert.equal(decoded.kind, 'value');
    return loop.count;
  }

  for (const [format, encode] of [
    ['yaml', encodeYaml],
    ['cbor', encodeCbor],
  ] as const) {
    it(`others have the more turns, the more there is to read in ${format}`, async () => {
      const few = await turnsOf(format, encode(configMap(5000, 40)));
      const many = await turnsOf(format, encode(configMap(20_000, 40)));
      assert(few >= 3, `${few} turns`);
      assert(many >= 3 * few, `${many} turns, not ${few}`);
    });
  }

  const partsOf = (bytes: Uint8Array): number => {
    let parts = 1;
    const steps = jsonSteps(bytes, reading);
    while (steps.next().done !== true) parts += 1;
    return parts;
  };

  it('JSON is looked at, made text, read and completed in a part each, of more in more', () => {
    assert.equal(partsOf(json(configMap(1_000, 40))), 4);
    const many = partsOf(json(configMap(20_000, 40)));
    assert(many >= 10, `${many} parts`);
  });

  it('keys that come twice are looked for in parts', () => {
    const once = json(configMap(20_000, 40)).toString();
    const twice = Buffer.from(once.replace('"data":{', '"data":{"key-0":"x",'));
    const more = partsOf(twice) - partsOf(Buffer.from(once));
    assert(more >= twice.length / 300_000 - 1, `${more} parts more`);
  });

  it('bytes become text in parts, none of which ends within a character', () => {
    for (const [offset, char] of [
      [0, 'é'],
      [1, '😀'],
      [2, '😀'],
      [3, '\uffff'],
    ] as const) {
      const text = 'x'.repeat(offset) + char.repeat(400_000);
      const steps = trustedTextSteps(Buffer.from(text));
      let parts = 1;
      let step = steps.next();
      for (; step.done !== true; step = steps.next()) parts += 1;
      assert(step.value === text, char);
      assert(parts > Buffer.byteLength(text) / 300_000, `${parts} parts`);
    }
  });

  it('a client that goes costs no further part', async () => {
    let looks = 0;
    const exchange = {
      get closed() {
        looks += 1;
        return looks > 3;
      },
    };
    const loop = slowTurns();
    const bytes = encodeYaml(configMap(20_000, 40));
    const decoded = await decodeBody(
      { registry: loop, bodyLanes },
      exchange,
      bytes,
      'yaml',
      reading,
    );
    assert.equal(decoded.kind, 'refused');
    assert(loop.count <= 3, `${loop.count} turns`);
  });

  // Before, what had been read of all of them was there at once.
  it('others of its size wait until it is read, also where it has failed, and no others', async () => {
    const loop = slowTurns();
    const deps = { registry: loop, bodyLanes };
    const ended: string[] = [];
    const first = json(configMap(2500, 40));
    const read = (name: string, bytes: Uint8Array, closed = false): Promise<void> => {
      const decoding = decodeBody(deps, { closed }, bytes, 'json', reading);
      assert(decoding instanceof Promise);
      return decoding.then(({ kind }) => void ended.push(`${name}: ${kind}`));
    };
    // It has one part, and so would be the first to end.
    const noUtf8 = (bytes: number): Buffer => Buffer.alloc(bytes, 0xff);
    await Promise.all([
      read('first', first),
      read('second', noUtf8(70_000)),
      read('gone', first, true),
      read('last', first),
      read('larger', noUtf8(700_000)),
    ]);
    const inLine = ended.filter((each) => each !== 'larger: refused');
    assert.deepEqual(inLine, ['first: value', 'second: refused', 'gone: refused', 'last: value']);
    assert(ended.indexOf('larger: refused') < ended.indexOf('second: refused'));
  });

  it('a small one is read at once, without a promise', () => {
    const registry = slowTurns();
    const decoded = decodeBody(
      { registry, bodyLanes },
      { closed: false },
      Buffer.from('{"a":1}'),
      'json',
      reading,
    );
    assert.deepEqual(decoded, { kind: 'value', value: { a: 1 } });
  });
});
