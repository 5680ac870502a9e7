/**
 * Regular expressions of users: RE2's syntax, linear time, whatever the pattern. The only door to
 * the library that does it.
 *
 * Bounds: a pattern has at most `patternMax` code units, and at most `instructionsMax` with its
 * repetitions written out (pattern-size.ts): the library writes them out, and a short pattern of
 * large counts would take seconds. The last `compiledMax` are kept compiled.
 */
import { RE2JS } from 're2js';
import { evaluationError } from '../evaluation-error.ts';
import { spendSteps } from '../evaluate/step-allowance.ts';
import { patternSize } from './pattern-size.ts';

const patternMax = 10_000;
const instructionsMax = 10_000;
const compiledMax = 200;
/** `\p{Greek}` is a table of hundreds of ranges, which the library sorts. */
const instructionsOfUnicodeClass = 32;
const workPerMatch = 64;

export interface Pattern {
  readonly regex: RE2JS;
  /** Steps of work for each character, without and with the positions of a match: a long pattern
   * can be in many states at once. */
  readonly testWork: number;
  readonly findWork: number;
}

const compiled = new Map<string, Pattern>();

/** Throws an evaluation error when the pattern is none, or too large. */
export function compilePattern(pattern: string): Pattern {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  if (pattern.length > patternMax) throw evaluationError('regular expression is too long');
  const size = patternSize(pattern);
  if (size + unicodeClasses(pattern) * instructionsOfUnicodeClass > instructionsMax) {
    throw evaluationError('regular expression is too large');
  }
  let regex: RE2JS;
  try {
    regex = RE2JS.compile(pattern);
  } catch (error) {
    throw evaluationError(error instanceof Error ? error.message : String(error));
  }
  if (compiled.size >= compiledMax) {
    const oldest = compiled.keys().next().value as string;
    compiled.delete(oldest);
  }
  const [testWork, findWork] = [Math.max(2, size >> 4), Math.max(16, size)];
  const made = { regex, testWork, findWork };
  compiled.set(pattern, made);
  return made;
}

function unicodeClasses(pattern: string): number {
  return pattern.match(/\\p/gi)?.length ?? 0;
}

/** Whether the pattern matches some part of the text. */
export function matches(text: string, pattern: string): boolean {
  const { regex, testWork } = compilePattern(pattern);
  spendSteps(testWork * text.length);
  // Without positions and groups it is a walk of an automaton.
  return regex.test(text);
}

/** At most `count` of the parts of a text that match, all where it is negative. */
export function* matchesIn(text: string, pattern: string, count: number): Generator<string> {
  const { findWork, regex } = compilePattern(pattern);
  if (!matches(text, pattern)) return;
  spendSteps(findWork * text.length);
  const matcher = regex.matcher(text);
  for (let found = 0; found !== count && matcher.find(); found += 1) {
    spendSteps(workPerMatch);
    yield matcher.group() ?? '';
  }
}
