/**
 * A place in a YAML text, and what the characters there are.
 *
 * Invariants: the text ends with one NUL that the body itself cannot hold, so a look ahead needs
 * no check for the end; `line` and `lineStart` follow every line break that is passed. A line ends
 * with LF, CR or both.
 *
 * Bound: what passes several characters here takes a few milliseconds for a whole body of one line.
 */
import { assert } from '../../stdx/assert.ts';

export const char = {
  end: 0,
  tab: 0x09,
  lineFeed: 0x0a,
  carriageReturn: 0x0d,
  space: 0x20,
  exclamation: 0x21,
  doubleQuote: 0x22,
  hash: 0x23,
  percent: 0x25,
  ampersand: 0x26,
  singleQuote: 0x27,
  asterisk: 0x2a,
  plus: 0x2b,
  comma: 0x2c,
  hyphen: 0x2d,
  dot: 0x2e,
  colon: 0x3a,
  less: 0x3c,
  greater: 0x3e,
  question: 0x3f,
  at: 0x40,
  openBracket: 0x5b,
  backslash: 0x5c,
  closeBracket: 0x5d,
  backtick: 0x60,
  openBrace: 0x7b,
  bar: 0x7c,
  closeBrace: 0x7d,
  byteOrderMark: 0xfeff,
} as const;

/** Where something stands, counted from 0. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** What one part of the work on a text passes: some hundred microseconds. */
export const partCharacters = 16 * 1024;

/** So many are looked at one by one, before the engine searches for the end of a longer run. */
const shortRun = 256;
/** Characters of a body whose parts may hold it: a copy of each costs a tenth of the reading. */
const sharedTextMax = 16 * 1024;
/** The engine copies what is shorter. */
const sharedPartMin = 13;
const beyondLatin1 = /[^\0-\xff]/;
const breakOrEnd = /[\n\r\0]/g;
const noBlank = /[^ \t]/g;

/** What is wrong with a body, in words for its sender. */
export class YamlRefusal extends Error {}

export class Cursor {
  readonly text: string;
  pos = 0;
  line = 0;
  lineStart = 0;

  /** Of a long text, to copy from. */
  readonly #bytes: Buffer | undefined;
  readonly #encoding: 'latin1' | 'utf16le';

  constructor(text: string) {
    this.text = `${text}\0`;
    this.#encoding = beyondLatin1.test(text) ? 'utf16le' : 'latin1';
    this.#bytes = text.length > sharedTextMax ? Buffer.from(text, this.#encoding) : undefined;
  }

  /** What stands there. Of a long body it is a copy: a part that the engine cuts out of a text
   * holds all of that, so a small object with a long comment would keep its whole body. */
  part(start: number, end: number): string {
    if (this.#bytes === undefined || end - start < sharedPartMin) {
      return this.text.slice(start, end);
    }
    const width = this.#encoding === 'latin1' ? 1 : 2;
    return this.#bytes.toString(this.#encoding, start * width, end * width);
  }

  get column(): number {
    return this.pos - this.lineStart;
  }

  /** The code of the character here, or so many behind it. */
  at(ahead = 0): number {
    return this.text.charCodeAt(this.pos + ahead);
  }

  skipBlanks(): void {
    const shortEnd = this.pos + shortRun;
    while (isBlank(this.at())) {
      this.pos += 1;
      if (this.pos === shortEnd) return this.#skipTo(noBlank);
    }
  }

  /** To the end of the line or of the text. */
  skipToBreak(): void {
    const { text } = this;
    let { pos } = this;
    const shortEnd = pos + shortRun;
    while (pos < shortEnd && !isBreakOrEnd(text.charCodeAt(pos))) pos += 1;
    this.pos = pos;
    if (pos === shortEnd) this.#skipTo(breakOrEnd);
  }

  /** The NUL at the end is among what is searched for. */
  #skipTo(one: RegExp): void {
    one.lastIndex = this.pos;
    assert(one.test(this.text), 'the end of the text was searched for, too');
    this.pos = one.lastIndex - 1;
  }

  /** Passes one line break. */
  skipBreak(): void {
    const code = this.at();
    assert(isBreak(code), 'a line break stands here');
    const both = code === char.carriageReturn && this.at(1) === char.lineFeed;
    this.pos += both ? 2 : 1;
    this.line += 1;
    this.lineStart = this.pos;
  }

  /** Whether `---` or `...` stands here by itself, at the start of a line. */
  isDocumentMarker(code: number): boolean {
    return (
      this.pos === this.lineStart &&
      this.at() === code &&
      this.at(1) === code &&
      this.at(2) === code &&
      isSpaceOrEnd(this.at(3))
    );
  }

  isAnyDocumentMarker(): boolean {
    return this.isDocumentMarker(char.hyphen) || this.isDocumentMarker(char.dot);
  }

  /** Of a character in the line that the cursor is in. */
  placeOf(pos = this.pos): Place {
    return { line: this.line, column: pos - this.lineStart };
  }

  invalid(what: string, { line, column }: Place = this.placeOf()): YamlRefusal {
    const place = `line ${line + 1}, column ${column + 1}`;
    return new YamlRefusal(`the body is not valid YAML: ${what} at ${place}`);
  }
}

export function isBlank(code: number): boolean {
  return code === char.space || code === char.tab;
}

export function isBreak(code: number): boolean {
  return code === char.lineFeed || code === char.carriageReturn;
}

export function isBreakOrEnd(code: number): boolean {
  return isBreak(code) || code === char.end;
}

export function isSpaceOrEnd(code: number): boolean {
  return (
    code === char.space ||
    code === char.lineFeed ||
    code === char.tab ||
    code === char.carriageReturn ||
    code === char.end
  );
}

export function isFlowIndicator(code: number): boolean {
  return (
    code === char.comma ||
    code === char.openBracket ||
    code === char.closeBracket ||
    code === char.openBrace ||
    code === char.closeBrace
  );
}

/** Letters, digits, `-` and `_`: the characters of an anchor or a tag's handle. */
export function isWordCharacter(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === char.hyphen ||
    code === 0x5f
  );
}
