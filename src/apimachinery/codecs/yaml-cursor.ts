/**
 * A place in a YAML text, and what the characters there are.
 *
 * Invariants: the text ends with one NUL that the body itself cannot hold, so a look ahead needs
 * no check for the end; `line` and `lineStart` follow the line breaks that are passed. A line ends
 * with LF, CR or both.
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

/** What is wrong with a body, in words for its sender. */
export class YamlRefusal extends Error {}

/** Some lines of blanks and comments. A tab may be refused in a block, so it ends them there. */
const emptyLines = /(?: *(?:#[^\r\n\0]*)?(?:\r\n|\n|\r)){1,1000}/y;
const emptyFlowLines = /(?:[ \t]*(?:#[^\r\n\0]*)?(?:\r\n|\n|\r)){1,1000}/y;

export class Cursor {
  readonly text: string;
  pos = 0;
  /** Another number on another line: empty lines that are passed together count as one. */
  line = 0;
  lineStart = 0;
  /** Lines end with LF alone. */
  readonly #hasLineFeedsOnly: boolean;

  constructor(text: string) {
    this.text = `${text}\0`;
    this.#hasLineFeedsOnly = !text.includes('\r');
  }

  get column(): number {
    return this.pos - this.lineStart;
  }

  /** The code of the character here, or so many behind it. */
  at(ahead = 0): number {
    return this.text.charCodeAt(this.pos + ahead);
  }

  skipBlanks(): void {
    while (isBlank(this.at())) this.pos += 1;
  }

  /** Passes some of the lines that hold nothing; at the start of a line. */
  skipEmptyLines(inFlow: boolean): void {
    const lines = inFlow ? emptyFlowLines : emptyLines;
    lines.lastIndex = this.pos;
    if (!lines.test(this.text)) return;
    this.pos = lines.lastIndex;
    this.line += 1;
    this.lineStart = this.pos;
  }

  /** To the end of the line or of the text. */
  skipToBreak(): void {
    const { text } = this;
    if (this.#hasLineFeedsOnly) {
      const end = text.indexOf('\n', this.pos);
      this.pos = end < 0 ? text.length - 1 : end;
      return;
    }
    let { pos } = this;
    while (!isBreakOrEnd(text.charCodeAt(pos))) pos += 1;
    this.pos = pos;
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

  /** Lines are counted only here: there is at most one error. */
  invalid(what: string, pos = this.pos): YamlRefusal {
    const before = this.text.slice(0, pos).split(/\r\n|\n|\r/);
    const column = (before.at(-1) as string).length + 1;
    const place = `line ${before.length}, column ${column}`;
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
