/**
 * Regular expressions of users: RE2's syntax, linear time, whatever the pattern. The only door to
 * the library that does it.
 *
 * Bounds: a pattern has at most `patternMax` code units, and at most `instructionsMax` with its
 * repetitions written out (pattern-size.ts): the library writes them out, and a short pattern of
 * large counts would take seconds. Those that were used last are kept compiled, `keptWeightMax` in
 * two generations: about 250 bytes for each unit, and `automatonBytes` for each pattern. What may
 * take longer than `quickWork` is done in parts (pattern-walk.ts), and each is reckoned with.
 */
import { RE2JS } from 're2js';
import { evaluationError } from '../evaluation-error.ts';
import { spendSteps } from '../evaluate/step-allowance.ts';
import { patternSize } from './pattern-size.ts';
import { firstMatch, isFound } from './pattern-walk.ts';

const patternMax = 6_000;
const instructionsMax = 10_000;
/** Of a generation. */
const keptWeightMax = 125_000;
/** What a pattern weighs beside its size. */
const patternWeight = 200;
/** Of the states that the library remembers of a pattern while it looks through texts. Above it, it
 * goes on without them: a pattern with as many states as a text has characters is slower with. */
const automatonBytes = 128 * 1024;
/** `\p{Greek}` is a table of hundreds of ranges, which the library sorts. */
const instructionsOfUnicodeClass = 32;
const workPerMatch = 64;
/** Of one call of the library: three milliseconds at worst. */
const quickWork = 20_000;
/** Of a unit of a walk: the first walks of a process take several times as long. */
const stepsOfWork = 2;

export interface Pattern {
  readonly regex: RE2JS;
  /** Steps of work for each character: a long pattern can be in many states at once. */
  readonly testWork: number;
  /** With its repetitions written out. */
  readonly size: number;
  /** False until somebody has reckoned with the time that it took to compile it. */
  isPaid: boolean;
}

let recent = new Map<string, Pattern>();
let before = new Map<string, Pattern>();
let recentWeight = 0;

function keep(pattern: string, made: Pattern): Pattern {
  if (recentWeight > keptWeightMax) {
    before = recent;
    recent = new Map();
    recentWeight = 0;
  }
  recent.set(pattern, made);
  recentWeight += made.size + patternWeight;
  return made;
}

/** Throws an evaluation error when the pattern is none, or too large. */
export function compilePattern(pattern: string): Pattern {
  const known = recent.get(pattern);
  if (known !== undefined) return known;
  const earlier = before.get(pattern);
  if (earlier !== undefined) return keep(pattern, earlier);
  if (pattern.length > patternMax) throw evaluationError('regular expression is too long');
  const size = patternSize(pattern);
  if (size + unicodeClasses(pattern) * instructionsOfUnicodeClass > instructionsMax) {
    throw evaluationError('regular expression is too large');
  }
  let regex: RE2JS;
  try {
    regex = RE2JS.compile(pattern);
    const { dfa } = regex.re2();
    dfa.stateBudget = automatonBytes;
    dfa.memBudget = automatonBytes;
  } catch (error) {
    throw evaluationError(error instanceof Error ? error.message : String(error));
  }
  return keep(pattern, { regex, testWork: Math.max(2, size >> 4), size, isPaid: false });
}

function unicodeClasses(pattern: string): number {
  return pattern.match(/\\p/gi)?.length ?? 0;
}

/** Whether the library may look through so long a text in one call. */
export function isQuick({ testWork }: Pattern, text: string): boolean {
  return testWork * text.length <= quickWork;
}

/** Whether the pattern matches some part of the text. */
export function matches(text: string, pattern: string): boolean {
  const compiled = compilePattern(pattern);
  const { regex, testWork } = compiled;
  if (!isQuick(compiled, text)) return spent(isFound(regex.re2(), text));
  spendSteps(testWork * text.length);
  // Without positions and groups it is a walk of an automaton.
  return regex.test(text);
}

/**
 * At most `count` of the parts of a text that match, all where it is negative. No empty one right
 * behind another. A match can be as short as a character and take a look at the whole rest of the
 * text, so what each takes counts.
 */
export function* matchesIn(text: string, pattern: string, count: number): Generator<string> {
  if (!matches(text, pattern)) return;
  const regex = compilePattern(pattern).regex.re2();
  let before = -1;
  for (let [found, at] = [0, 0]; found !== count && at <= text.length;) {
    const match = spent(firstMatch(regex, text, at));
    if (match === undefined) return;
    const { end, start } = match;
    const isRepeated = end === at && start === before;
    at = end === at ? at + widthAt(text, at) : end;
    before = end;
    if (isRepeated) continue;
    spendSteps(workPerMatch);
    found += 1;
    yield text.slice(start, end);
  }
}

function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

/** What a walk comes to; its work counts part by part. */
function spent<T>(walk: Generator<number, T>): T {
  for (;;) {
    const step = walk.next();
    if (step.done === true) return step.value;
    spendSteps(step.value * stepsOfWork);
  }
}
