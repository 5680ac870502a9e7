/** What definitions and objects leave behind in memory: it has a bound, whatever they are made of. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compiledPattern } from '../../src/apiextensions/schema/pattern.ts';
import type { CompiledPattern } from '../../src/apiextensions/schema/pattern.ts';
import { heapBytes } from '../support/checks/heap.ts';

/** Of a thousand instructions, and with another state for each character of some texts. */
const largePattern = (at: number): string => `^(a${at}b|c[0-9]{1,50}|[a-z]{0,60}x?){0,9}$`;
const texts = ['c1', 'abcdefghij'.repeat(40)];
const patternsCount = 250;
const mebibyte = 1024 * 1024;

describe('patterns of schemas', () => {
  it('of hundreds that are held only some stay compiled, and each is right whenever it is asked', () => {
    const held: CompiledPattern[] = [];
    const matched: (readonly boolean[])[] = [];
    const before = heapBytes();
    const ask = (compiled: CompiledPattern): readonly boolean[] => {
      assert(compiled.kind === 'ok');
      const { pattern } = compiled;
      return texts.map((text) => pattern.test(text, () => undefined));
    };
    for (let at = 0; at < patternsCount; at += 1) {
      const compiled = compiledPattern(largePattern(at));
      held.push(compiled);
      matched.push(ask(compiled));
    }
    const grown = (heapBytes() - before) / mebibyte;
    assert(grown < 130, `${grown.toFixed(0)} MiB`);
    assert.deepEqual(held.slice(0, 3).map(ask), matched.slice(0, 3));
    for (const [first, second] of matched) assert.deepEqual([first, second], [true, true]);
  });

  it('tell what they took: the first time more, and more for a longer text', () => {
    const compiled = compiledPattern(largePattern(patternsCount));
    assert(compiled.kind === 'ok');
    const spent = (text: string): number => {
      let sum = 0;
      compiled.pattern.test(text, (units) => (sum += units));
      return sum;
    };
    const first = spent('c1');
    assert(first > spent('c1'));
    assert(spent('c1'.repeat(1_000)) > spent('c1'.repeat(10)));
  });
});
