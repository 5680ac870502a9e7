/**
 * Tokens as the parser sees them: read when they are needed, or before that in parts, and kept so
 * that it can look ahead and go back.
 *
 * Invariant: what is wrong with a token is reported when the parser first sees it.
 */
import type { TokenCursor } from './recovery.ts';
import type { Source } from './source.ts';
import { tokenizer, kinds } from './tokens.ts';
import type { Token } from './tokens.ts';

interface Unreported {
  readonly token: number;
  readonly report: () => void;
}

export class TokenBuffer implements TokenCursor {
  readonly #source: Source;
  readonly #next: () => Token;
  readonly #tokens: Token[] = [];
  /** What no token begins with, as offsets: start, end, start, end ... */
  readonly #unknown: number[] = [];
  /** Of tokens that the parser has not seen, by their numbers. */
  readonly #unreported: Unreported[] = [];
  #reported = 0;
  #index = 0;
  /** What `ahead(1)` is. */
  current: Token;

  constructor(source: Source, report: (at: number, text: string) => void) {
    this.#source = source;
    this.#next = tokenizer(source, (at, text) => {
      this.#unknown.push(at, at + Array.from(text).length);
      this.#unreported.push({ token: this.#tokens.length, report: () => report(at, text) });
    });
    this.current = this.ahead(1);
  }

  get index(): number {
    return this.#index;
  }

  /** 0 is the token before the current one. */
  ahead(n: number): Token {
    const wanted = this.#index + n - 1;
    this.#readTo(wanted);
    while (this.#reported < this.#unreported.length) {
      const { report, token } = this.#unreported[this.#reported] as Unreported;
      if (token > wanted) break;
      this.#reported += 1;
      report();
    }
    return (this.#tokens[wanted] ?? this.#tokens.at(-1)) as Token;
  }

  /** Reads so many tokens more; true: there are no more. */
  readOn(count: number): boolean {
    this.#readTo(this.#tokens.length + count - 1);
    return this.#tokens.at(-1)?.kind === kinds.eof;
  }

  #readTo(wanted: number): void {
    while (this.#tokens.length <= wanted) {
      if (this.#tokens.at(-1)?.kind === kinds.eof) return;
      this.#tokens.push(this.#next());
    }
  }

  advance(): void {
    if (this.current.kind === kinds.eof) return;
    this.#index += 1;
    this.current = this.ahead(1);
  }

  back(index: number): void {
    this.#index = index;
    this.current = this.ahead(1);
  }

  /** The text from one token to another, without what no token begins with. */
  text(from: Token, to: Token): string {
    let text = '';
    let at = from.start;
    for (let i = 0; i < this.#unknown.length && at < to.end; i += 2) {
      const start = this.#unknown[i] as number;
      if (start >= at && start < to.end) {
        text += this.#source.slice(at, start);
        at = this.#unknown[i + 1] as number;
      }
    }
    return at < to.end ? text + this.#source.slice(at, to.end) : text;
  }
}
