/** Regular expressions of users: they take time in parts, and never more than is reckoned with. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { firstMatch, isFound } from '../../src/cel/library/pattern-walk.ts';
import { compilePattern } from '../../src/cel/library/regular-expression.ts';
import { stepsDone } from '../../src/cel/evaluate/step-allowance.ts';
import { seededPrng } from '../../src/stdx/prng.ts';
import { evaluationOf } from './evaluation.ts';

/** What makes engines that go back and try again take exponential time. */
const evil = [
  '^(a+)+$',
  '^(a|aa)+$',
  '^(a|a?)+$',
  '(x+x+)+y',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '(.*)*=.*',
  '^(?:(?:"|\\d|.*)+(?:.*=.*))$',
  '([a-zA-Z]+)*[#%]',
  '(a|b)*a(a|b){500}[cd]',
  '^(a?){300}a{300}[yz]?$',
];

interface Walked<T> {
  readonly value: T;
  readonly parts: readonly number[];
}

function walked<T>(walk: Generator<number, T>): Walked<T> {
  const parts: number[] = [];
  for (;;) {
    const step = walk.next();
    if (step.done === true) return { value: step.value, parts };
    parts.push(step.value);
  }
}

const sum = (parts: readonly number[]): number => parts.reduce((a, b) => a + b, 0);

describe('a walk for a pattern', () => {
  it('finds what the library finds, whatever the pattern and the text', () => {
    const prng = seededPrng(22);
    const one = <T>(of: readonly T[]): T => of[prng.uint32() % of.length] as T;
    const atoms =
      'a b [ab] [^a] . \\b \\B ^ $ \\w \\s (?i:k) é 😀 \\pL (?m:^) (?m:$) (?s:.) \\z'.split(' ');
    const counts = ['*', '+', '?', '*?', '+?', '??', '{2}', '{0,3}', '{1,2}?'];
    const characters = ['a', 'b', 'k', 'K', '\u212a', 'é', '😀', '\n', ' ', '_', '\ud800'];
    const pattern = (depth: number): string => {
      const kind = depth === 0 ? 0 : prng.uint32() % 8;
      if (kind < 3) return one(atoms);
      if (kind === 3) return `(${pattern(depth - 1)}|${pattern(depth - 1)})`;
      if (kind === 4) return `(?:${pattern(depth - 1)})${one(counts)}`;
      return pattern(depth - 1) + pattern(depth - 1);
    };
    for (let round = 0; round < 3_000; round += 1) {
      const source = pattern(4);
      const compiled = compilePattern(source).regex;
      const text = Array.from({ length: prng.uint32() % 14 }, () => one(characters)).join('');
      const matcher = compiled.matcher(text);
      const expected = matcher.find() ? { start: matcher.start(), end: matcher.end() } : undefined;
      const shown = `${JSON.stringify(source)} in ${JSON.stringify(text)}`;
      assert.deepEqual(walked(firstMatch(compiled.re2(), text, 0)).value, expected, shown);
      assert.equal(walked(isFound(compiled.re2(), text)).value, expected !== undefined, shown);
    }
  });

  it('takes work in proportion to the text, in short parts, for every evil pattern', () => {
    for (const source of evil) {
      const regex = compilePattern(source).regex.re2();
      for (const letters of ['a', 'x', 'ab"1']) {
        const workOf = (length: number): number => {
          const text = letters.repeat(length / letters.length);
          const { parts } = walked(isFound(regex, text));
          for (const part of parts)
            assert(part < 20_000 + 12 * regex.numberOfInstructions(), source);
          return sum(parts);
        };
        assert(workOf(8_000) < 5 * workOf(2_000) + 100_000, `${source} ${letters}`);
      }
    }
  });

  it('does not depend on what was looked through before', () => {
    const regex = compilePattern('(a|b)*a(a|b){9}[cd]').regex.re2();
    const workOf = (text: string): number => sum(walked(isFound(regex, text)).parts);
    const first = workOf('ab'.repeat(3_000));
    workOf('ba'.repeat(100));
    assert.equal(workOf('ab'.repeat(3_000)), first);
  });
});

describe('a pattern', () => {
  it('is refused before it is compiled, where that would take a turn: by length, and written out', () => {
    // The second is as large as the reference lets a repetition be.
    for (const [most, refused] of [
      ['a'.repeat(6_000), 'a'.repeat(6_001)],
      ['^(?:[a-z](?:[a-z-]{0,61}[a-z])?\\.){1,15}[a-z]{2,63}$', '[a-z]{1000}'.repeat(11) + 'z'],
    ] as const) {
      assert.ok(compilePattern(most).size <= 10_000);
      assert.throws(() => compilePattern(refused), /regular expression is too (long|large)/);
    }
  });
});

describe('an expression with a pattern', () => {
  const stepsMax = 2_000_000;
  const stepsOf = (expression: string, text: string, part: string) => {
    const before = stepsDone();
    const outcome = evaluationOf(expression, { text, part });
    return { outcome, steps: stepsDone() - before };
  };

  it('ends within its allowance where each of many matches looks through the rest', () => {
    for (const part of ['a(.*z)?', '(?:a|b)(?:.*[yz])?', 'a(?:(?:.|\\n)*[^a])?']) {
      const { outcome, steps } = stepsOf('text.findAll(part).size() > 0', 'a'.repeat(20_000), part);
      assert.equal(outcome.kind, 'budget-exceeded', part);
      assert(steps < stepsMax + 200_000, `${part}: ${steps}`);
    }
  });

  it('ends within its allowance for every evil pattern, in each function', () => {
    for (const part of evil) {
      for (const call of ['matches(part)', "find(part) == ''", 'findAll(part).size() == 0']) {
        const { outcome, steps } = stepsOf(`text.${call}`, 'ab'.repeat(20_000), part);
        assert(outcome.kind === 'value' || outcome.kind === 'budget-exceeded', `${part} ${call}`);
        assert(steps < stepsMax + 200_000, `${part} ${call}: ${steps}`);
      }
    }
  });

  it('finds all that the reference finds: no empty match right behind another', () => {
    const all = (text: string, part: string) => evaluationOf('text.findAll(part)', { text, part });
    const value = (text: string, part: string): unknown => {
      const outcome = all(text, part);
      return outcome.kind === 'value' ? outcome.value : outcome;
    };
    assert.deepEqual(value('baaac', 'a*'), ['', 'aaa', '']);
    assert.deepEqual(value('ab12c3', '[0-9]+'), ['12', '3']);
    assert.deepEqual(value('a😀b', ''), ['', '', '', '']);
    assert.deepEqual(value('aaa', '^a'), ['a']);
  });
});
