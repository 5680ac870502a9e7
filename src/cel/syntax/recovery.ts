/**
 * What the parser does about a mistake: say what was expected, and get back into step by leaving
 * a token out, assuming one, or skipping to something that can follow. It finds the same mistakes
 * with the same words as the reference, whose parser is generated (ANTLR 4) and recovers like this.
 *
 * A `GrammarPosition` is a position in a grammar rule, with the kinds that can come next there. The
 * stack holds what can follow each rule that is under way. `end` among the kinds says that the rule
 * can end there, so that what follows the rule can come as well.
 */
import type { Token, TokenKind } from './tokens.ts';
import { kindNames, kinds } from './tokens.ts';

/** The number after the last kind: the rule can end here. */
const end = 63;

export class KindSet {
  readonly #flags = new Uint8Array(64);
  static of(...members: readonly (number | KindSet | 'end')[]): KindSet {
    const set = new KindSet();
    for (const member of members) {
      if (member instanceof KindSet) set.add(member);
      else set.#flags[member === 'end' ? end : member] = 1;
    }
    return set;
  }
  has(kind: number): boolean {
    return this.#flags[kind] === 1;
  }
  get canEnd(): boolean {
    return this.#flags[end] === 1;
  }
  add(other: KindSet): void {
    for (let i = 0; i < 64; i += 1) if (other.#flags[i] === 1) this.#flags[i] = 1;
  }
  without(kind: number | 'end'): KindSet {
    const set = KindSet.of(this);
    set.#flags[kind === 'end' ? end : kind] = 0;
    return set;
  }
  toString(): string {
    const names = Object.keys(kindNames)
      .map(Number)
      .filter((kind) => this.has(kind))
      .map((kind) => kindNames[kind]);
    return names.length === 1 ? (names[0] as string) : `{${names.join(', ')}}`;
  }
}

export interface GrammarPosition {
  /** What can come here. */
  readonly next: KindSet;
  /** When a token is matched here: what can come after it. */
  readonly after?: KindSet | undefined;
}

export interface RecoveryLimits {
  readonly recoveriesMax: number;
  readonly recoveryTokensMax: number;
}

/** The tokens, seen from where the parser stands. */
export interface TokenCursor {
  /** The n-th token from here; 1 is the current one. */
  ahead(n: number): Token;
  advance(): void;
  readonly index: number;
}

/** Ends the parse at once: a limit was met. `reported` when it is among the issues already. */
export class ParseAborted extends Error {
  readonly reported: boolean;
  constructor(message: string, reported: boolean) {
    super(message);
    this.reported = reported;
  }
}

/** A rule cannot go on. Caught by the rule that it came up in. */
export class Mismatch extends Error {
  readonly token: Token;
  constructor(message: string, token: Token) {
    super(message);
    this.token = token;
  }
}

export const quoted = (text: string): string =>
  `'${text.replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}'`;

export class Recovery {
  position: GrammarPosition = { next: new KindSet() };
  readonly follows: KindSet[] = [];
  readonly #tokens: TokenCursor;
  readonly #limits: RecoveryLimits;
  readonly #report: (token: Token, message: string) => void;
  #recovering = false;
  #lastIndex = -1;
  readonly #lastPositions = new Set<GrammarPosition>();
  #attempts = 0;

  constructor(
    tokens: TokenCursor,
    limits: RecoveryLimits,
    report: (token: Token, message: string) => void,
  ) {
    this.#tokens = tokens;
    this.#limits = limits;
    this.#report = report;
  }

  /** A token was matched: what comes next is a new mistake. */
  matched(): void {
    this.#recovering = false;
    this.#lastIndex = -1;
    if (this.#lastPositions.size > 0) this.#lastPositions.clear();
  }

  #expected(next: KindSet): KindSet {
    if (!next.canEnd) return next;
    const all = next.without('end');
    let following = next;
    for (let i = this.follows.length - 1; i >= 0 && following.canEnd; i -= 1) {
      following = this.follows[i] as KindSet;
      all.add(following);
    }
    return following.canEnd ? KindSet.of(all.without('end'), kinds.eof) : all.without('end');
  }

  mismatch(): Mismatch {
    const token = this.#tokens.ahead(1);
    const expected = this.#expected(this.position.next);
    return new Mismatch(`mismatched input ${quoted(token.text)} expecting ${expected}`, token);
  }

  /** Before an optional part or a repetition: is there anything here that can come? */
  sync(isRepetition: boolean): void {
    if (this.#recovering) return;
    const { next } = this.position;
    if (next.canEnd || next.has(this.#tokens.ahead(1).kind)) return;
    if (!isRepetition) {
      if (this.#deleteOne()) return;
      throw this.mismatch();
    }
    this.#reportUnwanted();
    const stop = KindSet.of(this.#expected(next), this.#resumeSet());
    while (!this.#atAnyOf(stop)) this.#tokens.advance();
  }

  /** The current token is not the one that must come at this place. */
  recoverInline(): void {
    this.#countAttempt();
    if (this.#deleteOne()) {
      this.#tokens.advance();
      return;
    }
    const { after } = this.position;
    if (after !== undefined && this.#expected(after).has(this.#tokens.ahead(1).kind)) {
      this.#reportOnce(
        `missing ${this.#expected(this.position.next)} at ${quoted(this.#tokens.ahead(1).text)}`,
      );
      return;
    }
    throw this.mismatch();
  }

  /** A rule gave up: skip to something that can follow it or one of the rules around it. */
  recover(error: Mismatch): void {
    if (!this.#recovering) {
      this.#recovering = true;
      this.#report(error.token, error.message);
    }
    this.#countAttempt();
    let skipped = 0;
    const advance = (): void => {
      const { recoveryTokensMax } = this.#limits;
      if (skipped >= recoveryTokensMax) {
        const message = `error recovery token lookahead limit exceeded: ${recoveryTokensMax}`;
        throw new ParseAborted(message, false);
      }
      skipped += 1;
      this.#tokens.advance();
    };
    // Been here with this token: what follows begins with it, and skipping nothing would not end.
    if (this.#lastIndex === this.#tokens.index && this.#lastPositions.has(this.position)) advance();
    this.#lastIndex = this.#tokens.index;
    this.#lastPositions.add(this.position);
    const stop = this.#resumeSet();
    while (!this.#atAnyOf(stop)) advance();
  }

  #atAnyOf(stop: KindSet): boolean {
    const { kind } = this.#tokens.ahead(1);
    return kind === kinds.eof || stop.has(kind);
  }

  #resumeSet(): KindSet {
    return KindSet.of(...this.follows).without('end');
  }

  #deleteOne(): boolean {
    const next: TokenKind = this.#tokens.ahead(2).kind;
    if (!this.#expected(this.position.next).has(next)) return false;
    this.#reportUnwanted();
    this.#tokens.advance();
    this.matched();
    return true;
  }

  #reportUnwanted(): void {
    const text = quoted(this.#tokens.ahead(1).text);
    this.#reportOnce(`extraneous input ${text} expecting ${this.#expected(this.position.next)}`);
  }

  #reportOnce(message: string): void {
    if (this.#recovering) return;
    this.#recovering = true;
    this.#report(this.#tokens.ahead(1), message);
  }

  #countAttempt(): void {
    const { recoveriesMax } = this.#limits;
    this.#attempts += 1;
    if (this.#attempts > recoveriesMax) {
      const message = `error recovery attempt limit exceeded: ${recoveriesMax}`;
      this.#report(this.#tokens.ahead(1), message);
      throw new ParseAborted(message, true);
    }
  }
}
