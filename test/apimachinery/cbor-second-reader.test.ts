// The wire's CBOR, written here and read by cbor-x, and the other way round.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Encoder } from 'cbor-x';
import fc from 'fast-check';
import { decodeCbor, encodeCbor } from '../../src/apimachinery/codecs/cbor.ts';
import type { JsonValue } from '../../src/apimachinery/unstructured.ts';

const other = new Encoder({ useRecords: false, mapsAsObjects: false });

/** What cbor-x has read as JSON has it: texts are byte strings on this wire. */
function asJson(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (Array.isArray(value)) return value.map(asJson);
  if (value instanceof Map) {
    return Object.fromEntries([...value].map(([name, each]) => [asJson(name), asJson(each)]));
  }
  return value;
}

/** As both sides can say it: numbers that are one in JSON, and well-formed text. */
const values = fc.letrec<{ value: JsonValue; name: string }>((tie) => ({
  name: fc.string({ unit: 'grapheme' }).filter((name) => name !== '__proto__'),
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((each) => (each === 0 ? 0 : each)),
    fc.string({ unit: 'grapheme' }),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(tie('name'), tie('value'), { maxKeys: 5, noNullPrototype: true }),
  ),
})).value;

const numbersOf = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? Number(each) : each)),
  );

describe('the CBOR of the wire', () => {
  it('is read by cbor-x as the value that was written', () => {
    fc.assert(
      fc.property(values, (value) => {
        const bytes = encodeCbor(value);
        assert.equal(Buffer.from(bytes.subarray(0, 3)).toString('hex'), 'd9d9f7');
        assert.deepEqual(numbersOf(asJson(other.decode(bytes.subarray(3)))), numbersOf(value));
      }),
      { numRuns: 500 },
    );
  });

  it('is read here as the value that cbor-x has written', () => {
    const writer = new Encoder({ useRecords: false });
    fc.assert(
      fc.property(values, (value) => {
        const decoded = decodeCbor(writer.encode(value));
        assert.ok(decoded.kind === 'value');
        assert.deepEqual(numbersOf(decoded.value), numbersOf(value));
      }),
      { numRuns: 500 },
    );
  });
});
