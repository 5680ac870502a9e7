/**
 * Patterns of schemas: the syntax of RE2, matched in linear time whatever they are.
 *
 * Bounds: a pattern has at most as many characters as the expression language takes. A text that
 * takes more than `textWorkMax` is refused, and one that takes long is looked through in parts.
 * What is compiled is kept with the patterns of expressions, and not with the schema that has it:
 * of definitions there can be more than fit into memory. For a pattern that was checked the verdict
 * is kept, for compiling a large one takes milliseconds: `verdictCharsMax` characters of them.
 */
import { compilePattern, isQuick } from '../../cel/library/regular-expression.ts';
import { patternSize } from '../../cel/library/pattern-size.ts';
import { isFound } from '../../cel/library/pattern-walk.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { createTextCache } from '../../stdx/text-cache.ts';
import { spineMemo } from './structural-schema.ts';

const verdictCharsMax = 4 * 1024 * 1024;
/** Compiled within 0.3 ms: a few dozen of them fit into a turn. */
const quickSizeMax = 300;

/** Of one text: some two seconds, if all of it is needed, and less than all texts of a write may
 * take together. */
const textWorkMax = 200_000_000;
/** Of a walk in parts, done within a microsecond. */
const workOfMicrosecond = 128;

/** `all`: what it takes of all that may be spent, where that is not what the next step is told. */
type Spend = (microseconds: number, all?: number) => void;

export interface Pattern {
  /** Whether `test` takes a text in one call that is short. */
  isQuick(text: string): boolean;
  /** Whether some part of the text matches. `spend`: is told what that took. */
  test(text: string, spend: Spend): boolean;
  /** The same in parts, for a text that is not quick; undefined: it would take too much. */
  testInParts(text: string, spend: Spend): Steps<boolean | undefined>;
}

export type CompiledPattern =
  | { readonly kind: 'ok'; readonly pattern: Pattern }
  | { readonly kind: 'invalid'; readonly problem: string };

export function compiledPattern(source: string): CompiledPattern {
  try {
    compilePattern(source);
    return {
      kind: 'ok',
      pattern: {
        isQuick: (text) => isQuick(compilePattern(source), text),
        test: (text, spend) => matches(source, text, spend),
        testInParts: (text, spend) => matchesInParts(source, text, spend),
      },
    };
  } catch (error) {
    return { kind: 'invalid', problem: error instanceof Error ? error.message : String(error) };
  }
}

/** On a slow machine. */
const microsecondsOfUnit = 4;
const stepsOfMicrosecond = 25;

function matches(source: string, text: string, spend: Spend): boolean {
  const { regex, testWork } = paidPattern(source, spend);
  spend(Math.floor((testWork * text.length) / stepsOfMicrosecond));
  return regex.test(text);
}

function paidPattern(source: string, spend: Spend) {
  const pattern = compilePattern(source);
  if (!pattern.isPaid) spend(pattern.size * microsecondsOfUnit);
  pattern.isPaid = true;
  return pattern;
}

function* matchesInParts(source: string, text: string, spend: Spend): Steps<boolean | undefined> {
  const { regex } = paidPattern(source, spend);
  let left = textWorkMax;
  const walk = isFound(regex.re2(), text);
  for (;;) {
    const step = walk.next();
    if (step.done === true) return step.value;
    left -= step.value;
    if (left < 0) return undefined;
    spend(0, step.value / workOfMicrosecond);
    yield;
  }
}

/** Whether this schema, or one below it, has a pattern that takes long to compile. */
export const hasLargePatterns = spineMemo(
  ({ pattern }) => pattern !== undefined && patternSize(pattern) > quickSizeMax,
);

/** '': nothing is wrong. */
const verdicts = createTextCache<string>(verdictCharsMax);

/** What is wrong with a pattern; undefined: nothing. */
export function patternProblem(source: string): string | undefined {
  const known = verdicts.get(source);
  if (known !== undefined) return known === '' ? undefined : known;
  const compiled = compiledPattern(source);
  const problem = compiled.kind === 'ok' ? undefined : compiled.problem;
  verdicts.keep(source, problem ?? '');
  return problem;
}
