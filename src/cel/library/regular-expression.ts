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
import { work } from '../evaluate/work.ts';
import { patternSize } from './pattern-size.ts';

const patternMax = 10_000;
const instructionsMax = 10_000;
const compiledMax = 200;

const compiled = new Map<string, RE2JS>();

/** Throws an evaluation error when the pattern is none, or too large. */
export function compilePattern(pattern: string): RE2JS {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  if (pattern.length > patternMax) throw evaluationError('regular expression is too long');
  if (patternSize(pattern) > instructionsMax) {
    throw evaluationError('regular expression is too large');
  }
  let made: RE2JS;
  try {
    made = RE2JS.compile(pattern);
  } catch (error) {
    throw evaluationError(error instanceof Error ? error.message : String(error));
  }
  if (compiled.size >= compiledMax) {
    const oldest = compiled.keys().next().value as string;
    compiled.delete(oldest);
  }
  compiled.set(pattern, made);
  return made;
}

/** Whether the pattern matches some part of the text. */
export function matches(text: string, pattern: string): boolean {
  work(2 * text.length);
  // Without positions and groups it is a walk of an automaton.
  return compilePattern(pattern).test(text);
}
