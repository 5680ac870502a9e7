/**
 * Tokens as the parser sees them: read when they are needed, kept so that it can look ahead and
 * go back.
 */
import type { TokenCursor } from './recovery.ts';
import type { Source } from './source.ts';
import { tokenizer, kinds } from './tokens.ts';
import type { Token } from './tokens.ts';

export class TokenBuffer implements TokenCursor {
  readonly #source: Source;
  readonly #next: () => Token;
  readonly #tokens: Token[] = [];
  /** What no token begins with, as offsets: start, end, start, end ... */
  readonly #unknown: number[] = [];
  #index = 0;
  /** What `ahead(1)` is. */
  current: Token;

  constructor(source: Source, report: (at: number, text: string) => void) {
    this.#source = source;
    this.#next = tokenizer(source, (at, text) => {
      this.#unknown.push(at, at + Array.from(text).length);
      report(at, text);
    });
    this.current = this.ahead(1);
  }

  get index(): number {
    return this.#index;
  }

  /** 0 is the token before the current one. */
  ahead(n: number): Token {
    const wanted = this.#index + n - 1;
    while (this.#tokens.length <= wanted) {
      const last = this.#tokens.at(-1);
      if (last?.kind === kinds.eof) return last;
      this.#tokens.push(this.#next());
    }
    return this.#tokens[wanted] as Token;
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
