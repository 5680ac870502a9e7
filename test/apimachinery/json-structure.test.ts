/** Keys that come twice are found in JSON and in YAML, with their paths, and only those. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { decodeJson } from '../../src/apimachinery/codecs/json.ts';
import {
  duplicatesMax,
  scanJson,
  scanSteps,
} from '../../src/apimachinery/codecs/json-structure.ts';
import type { Decoded } from '../../src/apimachinery/codecs/json.ts';
import { decodeYaml } from '../../src/apimachinery/codecs/yaml.ts';

const find = { findDuplicates: true };

function places(text: string): readonly string[] {
  const decoded = decodeYaml(Buffer.from(text), find);
  assert(decoded.kind === 'value');
  return decoded.duplicatePlaces ?? [];
}

function duplicates(decoded: Decoded): readonly string[] {
  assert(decoded.kind === 'value', decoded.kind === 'refused' ? decoded.error.message : '');
  return decoded.duplicates ?? [];
}

const rows: readonly (readonly [string, readonly string[]])[] = [
  ['{}', []],
  ['{"a":1,"b":{"a":2}}', []],
  ['{"a":1,"a":2}', ['a']],
  ['{"spec":{"replicas":1,"x":":","replicas":2}}', ['spec.replicas']],
  ['{"a":[{"b":1},{"b":1,"c":{},"b":2}]}', ['a[1].b']],
  ['[[{"a":1,"a":1}]]', ['[0][0].a']],
  ['{"a":1,"a":2,"a":3}', ['a']],
  ['{"a":{"x":1},"a":{"y":1,"y":2}}', ['a', 'a.y']],
  ['{"a\\"{":1,"a\\"{":2}', ['a"{']],
  ['{"\\u0061":1,"a":2}', ['a']],
  ['{"a":"\\\\","b":"{\\"b\\":1,\\"b\\":2}"}', []],
  ['{"__proto__":1,"__proto__":2}', ['__proto__']],
  ['{"n":123456789012345678901,"n":1}', ['n']],
];

describe('duplicate fields', () => {
  for (const [text, expected] of rows) {
    it(`JSON ${text}`, () =>
      assert.deepEqual(duplicates(decodeJson(Buffer.from(text), find)), expected));
    // In YAML a comment keeps the text from taking JSON's way.
    it(`YAML ${text}`, () =>
      assert.deepEqual(duplicates(decodeYaml(Buffer.from(`# x\n${text}`), find)), expected));
  }

  it('in block YAML, not where << or an alias brings a key again', () => {
    const text = 'base: &b\n  x: 1\nown:\n  <<: *b\n  x: 2\nsame: *b\nlist:\n- k: 1\n  k: 2\n';
    assert.deepEqual(duplicates(decodeYaml(Buffer.from(text), find)), ['list[0].k']);
  });

  it('in YAML the line is known in which a key comes again', () => {
    const rows: readonly (readonly [string, readonly (readonly [number, string])[]])[] = [
      ['a: 1\n\n# b\na: 2\n', [[4, 'a']]],
      [
        's:\n  "x": 1\n  \'x\': 2\n  y: {z: 1,\n    z: 2}\n',
        [
          [3, 'x'],
          [5, 'z'],
        ],
      ],
      ['a: |\n  one\n  two\na: 3\na: 4\n', [[4, 'a']]],
      ['? a\n: 1\n? a\n: 2\n', [[3, 'a']]],
      ['k: &k name\nm:\n  name: 1\n  name: 2\n', [[4, 'name']]],
      [`${'k'.repeat(200)}: 1\n${'k'.repeat(200)}: 2`, [[2, `${'k'.repeat(100)}...`]]],
    ];
    for (const [text, expected] of rows) {
      const words = expected.map(([line, key]) => `line ${line}: key "${key}" already set in map`);
      assert.deepEqual(places(text), words, text);
    }
  });

  it('the last value wins', () => {
    const decoded = decodeJson(Buffer.from('{"a":1,"a":2}'), find);
    assert(decoded.kind === 'value');
    assert.deepEqual(decoded.value, { a: 2 });
  });

  it('nobody looks unless asked', () => {
    const decoded = decodeJson(Buffer.from('{"a":1,"a":2}'));
    assert(decoded.kind === 'value' && decoded.duplicates === undefined);
  });

  it('no more than a bound are named', () => {
    const pairs = Array.from({ length: 1000 }, (_, i) => `"k${i}":1,"k${i}":2`);
    assert.equal(
      duplicates(decodeJson(Buffer.from(`{${pairs.join(',')}}`), find)).length,
      duplicatesMax,
    );
  });

  it('whatever JSON writes has none, compact or indented', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        assert.deepEqual(duplicates(decodeJson(Buffer.from(text), find)), []);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a long text', () => {
  /** Of numbers, texts and levels; what stands where a part ends depends on `indent`. */
  const textOf = (indent: number, number: string): string => {
    const item = `{"name \\" [":${number},"list":[1,2e1,[]],"text":"1234567890123456789"}`;
    return `${' '.repeat(indent)}[${Array.from({ length: 14_000 }, () => item).join(',')}]`;
  };

  it('is looked through in parts, and found to be what it is at once', () => {
    for (let indent = 0; indent < 80; indent += 1) {
      for (const number of ['12345678901', '12345678901234567', '123e4']) {
        const text = textOf(indent, number);
        const scan = scanSteps(text, 10_000);
        let parts = 1;
        let step = scan.next();
        for (; step.done !== true; step = scan.next()) parts += 1;
        assert.ok(parts > text.length / 300_000, `${String(parts)} parts`);
        const { at, ...found } = step.value as typeof step.value & { at: number };
        assert.ok(at >= text.length);
        const { at: _, ...atOnce } = scanJson(text, 10_000) as typeof step.value & { at: number };
        assert.deepEqual(found, atOnce);
      }
    }
  });

  it('is looked at no further than it may be deep', () => {
    const steps = scanSteps('['.repeat(1_000_000), 100);
    assert.ok(steps.next().done === true);
  });
});
