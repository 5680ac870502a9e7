/** The text of a value in parts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { jsonParts } from '../../src/apimachinery/codecs/json-parts.ts';
import { stringifyJson } from '../../src/apimachinery/codecs/lossless.ts';
import type { JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';

function written(value: JsonValue): { readonly text: string; readonly longest: number } {
  const parts = [...jsonParts(value)];
  return { text: parts.join(''), longest: Math.max(...parts.map(({ length }) => length)) };
}

const leaf = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.bigInt({ min: 2n ** 60n, max: 2n ** 64n }),
  fc.constant('x'.repeat(70_000)),
);

describe('JSON in parts', () => {
  it('is what the engine writes of the whole', () => {
    const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.array(tie('tree'), { maxLength: 6 }),
        fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), tie('tree'), { maxKeys: 6 }),
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        const around: JsonValue = [value, 'y'.repeat(65_536), { of: value }];
        for (const each of [value, around]) assert.equal(written(each).text, stringifyJson(each));
      }),
      { numRuns: 200 },
    );
  });

  it('leaves out what is undefined', () => {
    const value = { a: undefined, b: 'x'.repeat(70_000), c: undefined } as unknown as JsonObject;
    assert.equal(written(value).text, stringifyJson(value));
  });

  it('has no long part where no text is long, wherever the value is large', () => {
    const wide = Array.from({ length: 9_000 }, (_, i) => ({ [`name${i}`]: i }));
    let deep: JsonValue = wide;
    for (let level = 0; level < 500; level += 1) deep = { level, deep };
    for (const value of [wide, Object.fromEntries(wide.map((each, i) => [`k${i}`, each])), deep]) {
      const { longest, text } = written(value);
      assert.equal(text, stringifyJson(value));
      assert.ok(longest < 100 * 1024 && longest < text.length, `${longest} of ${text.length}`);
    }
  });
});
