/**
 * The text form of label selectors: tokens, then a descent over them.
 *
 *     selector    := [ requirement { "," requirement } ]
 *     requirement := [ "!" ] KEY | KEY op VALUE | KEY ( "in" | "notin" ) "(" values ")"
 *     op          := "=" | "==" | "!=" | ">" | "<"
 *     values      := [ VALUE ] { "," [ VALUE ] }
 *
 * Elsewhere: matching (`label-selector.ts`). `in` and `notin` are words only where an operator can
 * stand, so a label may have those names and values. Blanks separate tokens. Errors are 400s that
 * name what was found and what could have stood there, in the words of the reference: people search
 * for them, and tools match them.
 */
import { formatFieldErrors, invalid } from '../field-error.ts';
import { newBadRequest } from '../status-error.ts';
import type { StatusError } from '../status-error.ts';
import { checkQualifiedName } from '../validation/names.ts';
import { everyLabel, labelSelectorOf, newLabelRequirement } from './label-selector.ts';
import type { LabelRequirement, LabelSelector } from './label-selector.ts';

type Token =
  | { readonly kind: 'word' | 'symbol'; readonly text: string }
  | { readonly kind: 'end'; readonly text: '' };

const END: Token = { kind: 'end', text: '' };
const TOKEN = /[ \t\r\n]*(?:([=!(),<>]+)|([^=!(),<> \t\r\n]+))/gy;
const SYMBOLS: ReadonlySet<string> = new Set(['!', '=', '==', '!=', '>', '<', '(', ')', ',']);

/** Wrong grammar, as the sentence for the client; only this file throws and catches it. */
class SyntaxProblem extends Error {}

export function parseLabelSelector(text: string): LabelSelector | StatusError {
  if (text === '') return everyLabel;
  try {
    return labelSelectorOf(parseRequirements(new Tokens(text)));
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error;
    return newBadRequest(error.message);
  }
}

class Tokens {
  readonly #tokens: readonly Token[];
  #next = 0;

  constructor(text: string) {
    this.#tokens = tokenize(text);
  }

  peek(): Token {
    return this.#tokens[this.#next] ?? END;
  }

  take(): Token {
    const token = this.peek();
    this.#next += 1;
    return token;
  }

  /** Takes the next token if it is this symbol. */
  takeSymbol(symbol: string): boolean {
    if (!isSymbol(this.peek(), symbol)) return false;
    this.#next += 1;
    return true;
  }
}

function parseRequirements(tokens: Tokens): LabelRequirement[] {
  const requirements: LabelRequirement[] = [];
  if (tokens.peek().kind === 'end') return requirements;
  if (!beginsRequirement(tokens.peek())) {
    throw unexpected(tokens.peek(), "!, identifier, or 'end of string'");
  }
  for (;;) {
    requirements.push(requirementIn(tokens));
    const token = tokens.take();
    if (token.kind === 'end') return requirements;
    if (!isSymbol(token, ',')) throw unexpected(token, "',' or 'end of string'");
    if (!beginsRequirement(tokens.peek())) {
      throw unexpected(tokens.peek(), "identifier after ','");
    }
  }
}

function beginsRequirement(token: Token): boolean {
  return token.kind === 'word' || isSymbol(token, '!');
}

function requirementIn(tokens: Tokens): LabelRequirement {
  try {
    return parseRequirement(tokens);
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error;
    throw new SyntaxProblem(`unable to parse requirement: ${error.message}`);
  }
}

function parseRequirement(tokens: Tokens): LabelRequirement {
  const negated = tokens.takeSymbol('!');
  const key = tokens.take();
  if (key.kind !== 'word') throw unexpected(key, 'identifier');
  const problems = checkQualifiedName(key.text);
  if (problems.length > 0) {
    throw new SyntaxProblem(formatFieldErrors([invalid('<nil>', key.text, problems.join('; '))]));
  }
  if (negated) return requirementOf(key.text, '!', []);
  const next = tokens.peek();
  if (next.kind === 'end' || isSymbol(next, ',')) return requirementOf(key.text, 'exists', []);
  const operator = parseOperator(tokens.take());
  const values =
    operator === 'in' || operator === 'notin' ? parseValues(tokens) : [parseValue(tokens)];
  return requirementOf(key.text, operator, values);
}

const OPERATORS: ReadonlyMap<string, string> = new Map([
  ['in', 'in'],
  ['notin', 'notin'],
  ['=', '='],
  ['==', '=='],
  ['!=', '!='],
  ['>', 'gt'],
  ['<', 'lt'],
]);

function parseOperator(token: Token): string {
  const operator = OPERATORS.get(token.text);
  if (operator === undefined) throw unexpected(token, 'in, notin, =, ==, !=, gt, lt');
  return operator;
}

/** The value may be missing: `x=` asks for the empty one. */
function parseValue(tokens: Tokens): string {
  const token = tokens.peek();
  if (token.kind === 'end' || isSymbol(token, ',')) return '';
  if (token.kind !== 'word') throw unexpected(token, 'identifier');
  return tokens.take().text;
}

function parseValues(tokens: Tokens): string[] {
  if (!tokens.takeSymbol('(')) {
    throw new SyntaxProblem(`found '${tokens.peek().text}' expected: '('`);
  }
  const first = tokens.peek();
  if (first.kind !== 'word' && !isSymbol(first, ',') && !isSymbol(first, ')')) {
    throw unexpected(first, "',', ')' or identifier");
  }
  const values: string[] = [];
  for (;;) {
    const token = tokens.peek();
    const isWord = token.kind === 'word';
    values.push(isWord ? tokens.take().text : '');
    if (tokens.takeSymbol(')')) return values;
    if (tokens.takeSymbol(',')) continue;
    throw unexpected(tokens.peek(), isWord ? "',' or ')'" : "',', or identifier");
  }
}

function requirementOf(key: string, operator: string, values: readonly string[]): LabelRequirement {
  const requirement = newLabelRequirement(key, operator, values);
  if ('key' in requirement) return requirement;
  throw new SyntaxProblem(formatFieldErrors(requirement));
}

function unexpected(token: Token, expected: string): SyntaxProblem {
  return new SyntaxProblem(`found '${token.text}', expected: ${expected}`);
}

function isSymbol(token: Token, symbol: string): boolean {
  return token.kind === 'symbol' && token.text === symbol;
}

function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (const [, symbols, word] of text.matchAll(TOKEN)) {
    if (word !== undefined) tokens.push({ kind: 'word', text: word });
    else pushSymbols(tokens, symbols ?? '');
  }
  return tokens;
}

/** The longest symbol first: `!=` is one, `(,` are two. */
function pushSymbols(tokens: Token[], run: string): void {
  for (let at = 0; at < run.length;) {
    const two = run.slice(at, at + 2);
    const text = SYMBOLS.has(two) ? two : run.charAt(at);
    tokens.push({ kind: 'symbol', text });
    at += text.length;
  }
}
