/** Functions that walk long texts without a text for each character do what the short way does. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { costTables } from '../../src/cel/cost-tables.ts';
import { createEnvironment } from '../../src/cel/environment.ts';
import { lastIndexOf, quoteText, trim } from '../../src/cel/library/string-functions.ts';
import { evaluationError } from '../../src/cel/evaluation-error.ts';
import { timeIn } from '../../src/cel/library/time-text.ts';
import { randomBelow, seededPrng } from '../../src/stdx/prng.ts';

const prng = seededPrng(7);
const pick = (from: readonly string[], length: number): string =>
  Array.from({ length }, () => from[randomBelow(prng, from.length)]).join('');

describe('long texts', () => {
  test('the last place of a long part is the one that the engine finds', () => {
    for (let run = 0; run < 500; run += 1) {
      const text = pick(['a', 'a', 'a', 'b'], 400);
      const start = randomBelow(prng, 300);
      const part = text.slice(start, start + 65 + randomBelow(prng, 20));
      assert.equal(lastIndexOf(text, part), text.lastIndexOf(part));
      const from = randomBelow(prng, 399);
      assert.equal(lastIndexOf(text, part, from), text.lastIndexOf(part, from));
      assert.equal(lastIndexOf(text, `${part}c`), -1);
    }
  });
  test('white space is what it was, on both ends', () => {
    const space = /[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;
    for (let unit = 0; unit < 0x10000; unit += 1) {
      const char = String.fromCharCode(unit);
      assert.equal(trim(`${char}x${char}`), space.test(char) ? 'x' : `${char}x${char}`);
    }
  });
  test('quotes escape the same characters', () => {
    const forms: Readonly<Record<string, string>> = {
      '\x07': '\\a',
      '\b': '\\b',
      '\f': '\\f',
      '\n': '\\n',
      '\r': '\\r',
      '\t': '\\t',
      '\v': '\\v',
      '\\': '\\\\',
      '"': '\\"',
    };
    for (let run = 0; run < 200; run += 1) {
      const text = pick([...Object.keys(forms), 'a', 'é', '\u3000', '😀', '\ud800', '\0'], 50);
      const expected = [...text].map((char) => forms[char] ?? char).join('');
      assert.equal(quoteText(text), `"${expected}"`);
    }
  });
  test('a zone of a thousand parts is none', () => {
    const zone = `A${'/A'.repeat(1000)}`;
    const problem = evaluationError(`unknown time zone ${zone}`);
    assert.throws(() => timeIn({ seconds: 0 }, zone), { message: problem.message });
  });
});

describe('mistakes in a long expression', () => {
  const environment = createEnvironment({ costs: costTables.kubernetes });
  const textOf = (expression: string): string => {
    const compiled = environment.compile(expression);
    assert.equal(compiled.ast, undefined);
    return compiled.text;
  };
  test('those that answers have room for are shown, the others counted', () => {
    const text = textOf('@'.repeat(9_000));
    assert.ok(text.length < 64 * 1024, `${text.length}`);
    assert.match(text, /\n\d+ more errors were truncated$/);
    const many = textOf(Array.from({ length: 1_500 }, (_, i) => `u${i}`).join('||'));
    assert.match(many, /\n149\d more errors were truncated$/);
  });
  test('all of a few are', () => {
    const text = textOf('a || b || c');
    assert.equal(text.match(/undeclared reference/g)?.length, 3);
    assert.doesNotMatch(text, /truncated/);
  });
});
