/**
 * What every rule of the recognizer does: enter and leave, match a token, look whether anything can
 * come, and say that nothing fits.
 */
import { Mismatch, ParseAborted, quoted, Recovery } from './recovery.ts';
import type { KindSet, Place } from './recovery.ts';
import type { TokenBuffer } from './token-buffer.ts';
import { kinds as k } from './tokens.ts';
import type { Token, TokenKind } from './tokens.ts';

type Rule =
  | 'expr'
  | 'or'
  | 'and'
  | 'relation'
  | 'calc'
  | 'unary'
  | 'member'
  | 'primary'
  | 'args'
  | 'elements'
  | 'fields'
  | 'entries'
  | 'field'
  | 'name'
  | 'optional'
  | 'literal';

/** Gives up at the first mistake: for looking ahead. */
export class NoRecovery extends Recovery {
  readonly #tokens: TokenBuffer;
  constructor(tokens: TokenBuffer) {
    super(tokens, { recoveriesMax: 0, recoveryTokensMax: 0 }, () => undefined);
    this.#tokens = tokens;
  }
  override sync(): void {
    const { next } = this.place;
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
  readonly #depths = new Map<Rule, number>();

  constructor(tokens: TokenBuffer, recovery: Recovery, recursionMax: number) {
    this.tokens = tokens;
    this.recovery = recovery;
    this.recursionMax = recursionMax;
  }

  protected get kind(): TokenKind {
    return this.tokens.ahead(1).kind;
  }

  // Every rule is one function, entered and left by hand: a closure for each would need three
  // times the stack, and expressions nest 250 deep.
  protected enter(rule: Rule, from: Place, following: KindSet): void {
    this.recovery.place = from;
    const depth = (this.#depths.get(rule) ?? 0) + 1;
    if (depth > this.recursionMax) {
      throw new ParseAborted(`expression recursion limit exceeded: ${this.recursionMax}`, false);
    }
    this.#depths.set(rule, depth);
    this.recovery.follows.push(following);
  }

  protected recover(error: unknown): void {
    if (!(error instanceof Mismatch)) throw error;
    this.recovery.recover(error);
  }

  protected leave(rule: Rule, from: Place): void {
    this.recovery.follows.pop();
    this.#depths.set(rule, (this.#depths.get(rule) ?? 1) - 1);
    this.recovery.place = from;
  }

  protected sync(where: Place, isRepetition = false): void {
    this.recovery.place = where;
    if (!where.next.has(this.kind)) this.recovery.sync(isRepetition);
  }

  /** Undefined: it was missing, and the parser goes on as if it had been there. */
  protected match(where: Place, kind?: TokenKind): Token | undefined {
    this.recovery.place = where;
    const token = this.tokens.ahead(1);
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
