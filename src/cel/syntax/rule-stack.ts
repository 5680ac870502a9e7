/**
 * The steps that all rules of the recognizer share: enter and leave a rule, match a token, look
 * ahead, and report that nothing fits.
 */
import { Mismatch, ParseAborted, quoted, Recovery } from './recovery.ts';
import type { KindSet, GrammarPosition } from './recovery.ts';
import type { TokenBuffer } from './token-buffer.ts';
import { kinds as k } from './tokens.ts';
import type { Token, TokenKind } from './tokens.ts';

/** Rules by their numbers, under which it is counted how deep they nest. */
const rules = {
  expr: 0,
  or: 1,
  and: 2,
  relation: 3,
  calc: 4,
  unary: 5,
  member: 6,
  primary: 7,
  args: 8,
  elements: 9,
  fields: 10,
  entries: 11,
  field: 12,
  name: 13,
  optional: 14,
  literal: 15,
} as const;

type Rule = keyof typeof rules;

/** Gives up at the first mistake: for looking ahead. */
export class NoRecovery extends Recovery {
  readonly #tokens: TokenBuffer;
  constructor(tokens: TokenBuffer) {
    super(tokens, { recoveriesMax: 0, recoveryTokensMax: 0 }, () => undefined);
    this.#tokens = tokens;
  }
  override sync(): void {
    const { next } = this.position;
    if (!next.canEnd && !next.has(this.#tokens.ahead(1).kind)) throw this.mismatch();
  }
  override recoverInline(): void {
    throw this.mismatch();
  }
  override recover(error: Mismatch): void {
    throw error;
  }
}

export abstract class RuleStack {
  protected readonly tokens: TokenBuffer;
  protected readonly recovery: Recovery;
  protected readonly recursionMax: number;
  readonly #depths = new Int32Array(Object.keys(rules).length);

  constructor(tokens: TokenBuffer, recovery: Recovery, recursionMax: number) {
    this.tokens = tokens;
    this.recovery = recovery;
    this.recursionMax = recursionMax;
  }

  protected get kind(): TokenKind {
    return this.tokens.current.kind;
  }

  // Every rule is one function, entered and left by hand: a closure for each would need three
  // times the stack, and expressions nest 250 deep.
  protected enter(rule: Rule, from: GrammarPosition, following: KindSet): void {
    this.recovery.position = from;
    const depth = (this.#depths[rules[rule]] as number) + 1;
    if (depth > this.recursionMax) {
      throw new ParseAborted(`expression recursion limit exceeded: ${this.recursionMax}`, false);
    }
    this.#depths[rules[rule]] = depth;
    this.recovery.follows.push(following);
  }

  protected recover(error: unknown): void {
    if (!(error instanceof Mismatch)) throw error;
    this.recovery.recover(error);
  }

  protected leave(rule: Rule, from: GrammarPosition): void {
    this.recovery.follows.pop();
    (this.#depths[rules[rule]] as number) -= 1;
    this.recovery.position = from;
  }

  protected sync(where: GrammarPosition, isRepetition = false): void {
    this.recovery.position = where;
    if (!where.next.has(this.kind)) this.recovery.sync(isRepetition);
  }

  /** Undefined: it was missing, and the parser goes on as if it had been there. */
  protected match(where: GrammarPosition, kind?: TokenKind): Token | undefined {
    this.recovery.position = where;
    const token = this.tokens.current;
    if (kind === undefined ? where.next.has(token.kind) : token.kind === kind) {
      this.recovery.matched();
      this.tokens.advance();
      return token;
    }
    const before = this.tokens.index;
    this.recovery.recoverInline();
    return this.tokens.index === before ? undefined : this.tokens.ahead(0);
  }

  /** No alternative begins with the tokens from here to the n-th. */
  protected noAlternative(n: number): Mismatch {
    const from = this.tokens.ahead(1);
    return this.noAlternativeUpTo(from, this.tokens.ahead(n));
  }

  protected noAlternativeUpTo(from: Token, to: Token): Mismatch {
    const text = from.kind === k.eof ? from.text : this.tokens.text(from, to);
    return new Mismatch(`no viable alternative at input ${quoted(text)}`, to);
  }
}
