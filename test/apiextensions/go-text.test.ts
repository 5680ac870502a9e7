/** Texts of values: what is cut off is not worked out, and what is left is the same. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { goJson } from '../../src/apiextensions/schema/go-text.ts';
import type { JsonValue } from '../../src/apimachinery/unstructured.ts';

const shownMax = 10_000;

/** All of it, with sorted keys. */
function whole(value: JsonValue): string {
  const sorted = (part: JsonValue): JsonValue => {
    if (Array.isArray(part)) return part.map((each) => sorted(each as JsonValue));
    if (typeof part !== 'object' || part === null) return part;
    const entries = Object.entries(part as Record<string, JsonValue>);
    entries.sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(entries.map(([name, each]) => [name, sorted(each)]));
  };
  const text = JSON.stringify(sorted(value));
  return text.length <= shownMax ? text : `${text.slice(0, shownMax)}...`;
}

const record = (count: number, value: (i: number) => JsonValue): JsonValue =>
  Object.fromEntries(Array.from({ length: count }, (_none, i) => [`k${i}`, value(i)]));

const rows: readonly (readonly [title: string, value: JsonValue])[] = [
  ['a small object', { b: [1, null, true, 'x'], a: { d: 1.5, c: '' } }],
  ['an object of many members', record(20_000, (i) => i)],
  ['a long list', Array.from({ length: 30_000 }, () => 0)],
  ['a long text', { a: 'x'.repeat(50_000), b: 1 }],
  ['a text that just fits', { a: 'x'.repeat(shownMax - 8) }],
  ['a text that just does not', { a: 'x'.repeat(shownMax - 7) }],
  ['lists in lists', Array.from({ length: 200 }, (_none, i) => record(100, () => [i, [i]]))],
  ['quotes and lines', { a: '"\n'.repeat(20_000), b: 'c' }],
];

describe('the JSON of a value in a message or a cell', () => {
  for (const [title, value] of rows) {
    it(`is the beginning of all of it: ${title}`, () => {
      assert.equal(goJson(value), whole(value));
    });
  }
});
