/** JSON written as bytes at once: the same as the text that it stands for. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { begin, writeValue, written } from '../../src/apimachinery/codecs/json-writer.ts';
import { stringifyJson } from '../../src/apimachinery/codecs/lossless.ts';
import { encodeObject } from '../../src/apimachinery/object-encoding.ts';
import type { ApiObject, JsonValue } from '../../src/apimachinery/unstructured.ts';

function asBytes(value: JsonValue): Buffer | undefined {
  begin();
  return writeValue(value) ? written() : undefined;
}

function assertSame(value: JsonValue): void {
  assert.equal(asBytes(value)?.toString(), stringifyJson(value));
}

/** Texts on both sides of the length from which they are written in another way. */
const texts = fc
  .tuple(
    fc.nat({ max: 60 }),
    fc.constantFrom('', '"', '\\', '\n\r\t\b\f', '\u0000', '\u001f', '\u007f', 'é', '\ud800', '😀'),
    fc.nat({ max: 60 }),
  )
  .map(([before, odd, behind]) => 'x'.repeat(before) + odd + 'y'.repeat(behind));

describe('JSON that is written as bytes', () => {
  it('is the text that stringifyJson() gives, byte for byte', () => {
    const numbers = fc.oneof(fc.integer(), fc.double({ noNaN: true }), fc.bigInt());
    const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        texts,
        fc.constantFrom(null, true, false),
        numbers.filter((n) => typeof n === 'bigint' || Number.isFinite(n)),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(texts, fc.oneof(tie('value'), fc.constant(undefined)), { maxKeys: 4 }),
      ),
    }));
    fc.assert(fc.property(value, assertSame));
  });

  it('asks nobody else about integers beyond 2^53, each of which the engine refuses', (t) => {
    const stringify = t.mock.method(JSON, 'stringify');
    assert(asBytes([9007199254740993n, -9007199254740993n]) !== undefined);
    assert.equal(stringify.mock.callCount(), 0);
  });

  it('has every character of ASCII as JSON has it, in short texts and in long ones', () => {
    for (let code = 0; code < 128; code += 1) {
      const char = String.fromCharCode(code);
      for (const text of [char, char.repeat(41), `${'x'.repeat(100)}${char}`]) assertSame(text);
    }
  });

  it('is not written where it does not fit, and its object is encoded all the same', () => {
    const fits = 'x'.repeat(64 * 1024 - 2);
    assert.equal(asBytes(fits)?.length, 64 * 1024);
    for (const value of [`${fits}x`, [fits], { a: fits }, `"${'é'.repeat(40_000)}`]) {
      assert.equal(asBytes(value), undefined);
      const object = { kind: 'A', apiVersion: 'v1', metadata: { name: 'a' }, value } as ApiObject;
      assert.equal(Buffer.from(encodeObject(object).bytes).toString(), stringifyJson(object));
    }
  });

  it('of parts that have been written before is the same, wherever they stand now', () => {
    const spec = {
      list: Array.from({ length: 200 }, (_, i) => ({ name: `é ${i}`, value: '"\n' })),
    };
    const fieldsV1 = Object.fromEntries(spec.list.map(({ name }) => [`f:${name}`, { '.': {} }]));
    const entry = { manager: 'a', fieldsV1, subresource: 'status' };
    const metadata = { name: 'a', managedFields: [entry, { ...entry, manager: 'b' }] };
    const object = { kind: 'A', apiVersion: 'v1', metadata, spec };
    const others: ApiObject[] = [
      object,
      { ...object, status: { ready: true } },
      { kind: 'A', apiVersion: 'v1', metadata: { name: 'b' }, before: 1, spec, copy: spec },
      { ...object, metadata: { name: 'c', labels: { a: 'b' }, managedFields: [entry] } },
    ];
    for (const each of [...others, ...others]) {
      const { bytes } = encodeObject(each);
      assert.equal(Buffer.from(bytes).toString(), stringifyJson(each));
    }
  });
});
