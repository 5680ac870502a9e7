/**
 * Parses a text to a tree, or to a list of mistakes.
 *
 * Bounds: `sizeMax` code points are looked at, and nothing of a longer text; nesting, recoveries
 * and nodes as the limits say. Half of a surrogate pair is read as U+FFFD.
 */
import type { ExpressionLimits, Parsed } from '../cel.ts';
import type { Macro } from '../declaration.ts';
import type { Concrete } from './concrete.ts';
import { issuesOf } from './issues.ts';
import type { Issues } from './issues.ts';
import { Recognizer } from './recognizer.ts';
import { ParseAborted, Recovery } from './recovery.ts';
import { locationOf, nowhere, sourceOf } from './source.ts';
import type { Source } from './source.ts';
import { TokenBuffer } from './token-buffer.ts';
import { TreeBuilder } from './tree-builder.ts';

export const defaultLimits: ExpressionLimits = {
  sizeMax: 100_000,
  recursionMax: 250,
  recoveryTokensMax: 256,
  recoveriesMax: 30,
  errorsMax: 100,
  nodesMax: 50_000,
};

/** What a text may come to: macros in each other copy their arguments, and a short text of them
 * would make as many nodes as there may be. */
const nodesFloor = 2_000;
const nodesPerPoint = 4;

export interface ParseOptions {
  readonly limits: ExpressionLimits;
  readonly sourceName: string;
  readonly optionals: boolean;
  readonly escapedIdentifiers: boolean;
  readonly findMacro: (name: string, argCount: number, member: boolean) => Macro | undefined;
}

/** Yields between reading tokens, reading the text and making the tree: the last two are each one
 * walk over all of it. */
export function* parseExpressionSteps(
  text: string,
  options: ParseOptions,
): Generator<undefined, Parsed, undefined> {
  const { limits } = options;
  // No text has more code points than code units, and at least half as many.
  const tooLong = text.length > 2 * limits.sizeMax;
  // Half of a surrogate pair is no text.
  const source = sourceOf(tooLong ? '' : text.replace(/\p{Surrogate}/gu, '\ufffd'));
  const issues = issuesOf(() => source, options.sourceName);
  const size = tooLong ? text.length : source.points.length;
  if (size > limits.sizeMax) {
    const found = `size: ${size}, limit ${limits.sizeMax}`;
    issues.add(nowhere, `expression code point size exceeds limit: ${found}`);
    return { issues: issues.list(), text: issues.text() };
  }
  const nodesMax = Math.min(limits.nodesMax, nodesFloor + nodesPerPoint * size);
  const builder = new TreeBuilder(source, issues, { ...limits, ...options, nodesMax });
  try {
    const read = yield* recognize(source, issues, limits);
    yield;
    const expr = builder.build(read);
    if (issues.count === 0) {
      const { nodes, macroCalls } = builder;
      return { ast: { expr, source: source.text, positions: nodes.positions, macroCalls } };
    }
  } catch (error) {
    if (error instanceof RangeError) {
      // The caller's own stack was deep already, and there is no room for as much nesting.
      issues.add(nowhere, 'expression recursion limit exceeded');
    } else if (!(error instanceof ParseAborted)) {
      throw error;
    } else if (!error.reported) {
      issues.add(nowhere, error.message);
    }
  }
  return { issues: issues.list(), text: issues.text() };
}

/** Words that are no names after a dot: the message says what was wanted. */
const wordAfterDot = /no viable alternative at input '\.(true|false|null)'/;

/** Of a step. */
const tokensAtOnce = 500;

function* recognize(
  source: Source,
  issues: Issues,
  limits: ExpressionLimits,
): Generator<undefined, Concrete | undefined, undefined> {
  let reports = 0;
  const report = (at: number, message: string): void => {
    const where = locationOf(source, at);
    const named = message.replace(wordAfterDot, "mismatched input '$1' expecting IDENTIFIER");
    if (reports >= limits.errorsMax) {
      const tooMany = `More than ${limits.errorsMax} syntax errors`;
      issues.add(where, `Syntax error: ${tooMany}`);
      throw new ParseAborted(tooMany, true);
    }
    reports += 1;
    issues.add(where, `Syntax error: ${named}`);
  };
  const tokens = new TokenBuffer(source, (at, text) => {
    report(at, `token recognition error at: '${text}'`);
  });
  while (!tokens.readOn(tokensAtOnce)) yield;
  const recovery = new Recovery(tokens, limits, (token, message) => report(token.start, message));
  return new Recognizer(tokens, recovery, limits.recursionMax).start();
}
