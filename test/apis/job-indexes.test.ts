/** Indexes of jobs in their text form, beside sets of numbers. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countIndexes, overlap } from '../../src/apis/batch/job-indexes.ts';
import { randomBelow, seededPrng } from '../../src/stdx/prng.ts';
import type { Prng } from '../../src/stdx/prng.ts';

const completions = 40;

/** Ascending intervals, and the numbers in them. */
function randomIndexes(prng: Prng): { readonly text: string; readonly all: ReadonlySet<number> } {
  const parts: string[] = [];
  const all = new Set<number>();
  for (let next = randomBelow(prng, 6); next < completions; next += 2 + randomBelow(prng, 12)) {
    const last = Math.min(next + randomBelow(prng, 4), completions - 1);
    parts.push(last === next ? String(next) : `${next}-${last}`);
    for (let at = next; at <= last; at += 1) all.add(at);
    next = last;
  }
  return { text: parts.join(','), all };
}

describe('indexes of a job', () => {
  it('are counted, and the first that is in two texts is found', () => {
    const prng = seededPrng(11);
    for (let run = 0; run < 2000; run += 1) {
      const [done, failed] = [randomIndexes(prng), randomIndexes(prng)];
      assert.deepEqual(countIndexes(done.text, completions), { count: done.all.size });
      const first = [...done.all].find((index) => failed.all.has(index));
      const said = overlap(done.text, failed.text, completions);
      const wanted = `failedIndexes and completedIndexes overlap at index: ${first}`;
      assert.equal(said, first === undefined ? undefined : wanted, `${done.text} ${failed.text}`);
    }
  });

  const wrong: readonly (readonly [string, RegExp])[] = [
    ['1,', /cannot convert string to integer for index: ""/],
    ['a', /cannot convert string to integer for index: "a"/],
    ['1-', /cannot convert string to integer for index: ""/],
    ['1-2-3', /at most two parts/],
    ['12345678901', /cannot convert/],
    ['40', /too large index: "40"/],
    ['1-40', /too large index: "40"/],
    ['3-2', /non-increasing order, previous: 3, current: 2/],
    ['3-3', /non-increasing order, previous: 3, current: 3/],
    ['2,1', /non-increasing order, previous: 2, current: 1/],
  ];
  for (const [text, problem] of wrong) {
    it(`"${text}" is wrong, and is left out beside others`, () => {
      assert.match(countIndexes(text, completions).problem ?? '', problem);
      assert.equal(overlap('9,x,11', `${text},x`, completions), undefined);
    });
  }
});
