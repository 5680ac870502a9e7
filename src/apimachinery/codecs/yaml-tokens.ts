/**
 * The tokens of a YAML text, with those that only indentation shows: where a block begins and
 * ends, and that a scalar was a key, which is known at the colon behind it.
 *
 *     a: [b]     mapping, key, scalar a, value, [, scalar b, ], end
 *
 * Elsewhere: the grammar (yaml-grammar.ts).
 *
 * Invariants: tokens are made one by one as they are asked for, and none behind the first error.
 * Each character is looked at a bounded number of times: a token waits for its colon within its
 * line and `keyLengthMax` only, and of all waiting tokens just the first is asked whether it still
 * does. Source: the YAML 1.1 specification, sections 7 to 9, as the reference's reader takes it.
 *
 * Bound: nesting, by the caller's `depthMax`; a deeper text is refused.
 */
import { assert } from '../../stdx/assert.ts';
import { readBlock } from './yaml-block-scalars.ts';
import { Cursor, YamlRefusal, char, isBreak } from './yaml-cursor.ts';
import { isFlowIndicator, isSpaceOrEnd, isWordCharacter } from './yaml-cursor.ts';
import { readPlain, readDoubleQuoted, readSingleQuoted } from './yaml-quoted-scalars.ts';
import { readDirective, readTag } from './yaml-tags.ts';

export const token = {
  streamEnd: 0,
  directive: 1,
  documentStart: 2,
  documentEnd: 3,
  blockSequence: 4,
  blockMapping: 5,
  blockEnd: 6,
  flowSequence: 7,
  flowSequenceEnd: 8,
  flowMapping: 9,
  flowMappingEnd: 10,
  blockEntry: 11,
  flowEntry: 12,
  key: 13,
  value: 14,
  alias: 15,
  anchor: 16,
  tag: 17,
  plainScalar: 18,
  scalar: 19,
} as const;
export type TokenKind = (typeof token)[keyof typeof token];

export interface Token {
  readonly kind: TokenKind;
  readonly pos: number;
  /** The text of a scalar, a name, or a tag. */
  readonly text: string;
  /** The collection (by flow level) whose key it may begin; -1: none. */
  readonly keyLevel: number;
}

/** A key and its colon stand within so many characters, and in one line. */
const keyLengthMax = 1024;

/** What may be a key of the collection at one flow level, until its colon comes. */
interface PossibleKey {
  possible: boolean;
  /** Nothing else than a key can stand there. */
  required: boolean;
  /** Which token it is, counted from the start. */
  token: number;
  pos: number;
  line: number;
  column: number;
}

export class TokenReader {
  readonly #cursor: Cursor;
  readonly #depthMax: number;
  /** Made and not yet taken, from `#head` to `#tail`. */
  readonly #queue: Token[] = [];
  #head = 0;
  #tail = 0;
  /** The first of them, once it is certain that nothing comes before it. */
  #ready: Token | undefined;
  /** How many have been taken. */
  #taken = 0;
  /** The column of the innermost block; -1 at the top. */
  #indent = -1;
  readonly #outerIndents: number[] = [];
  /** One for each flow level; the first is of the blocks. */
  readonly #keys: PossibleKey[] = [noKey()];
  #keyAllowed = true;
  #ended = false;

  constructor(text: string, depthMax: number) {
    this.#cursor = new Cursor(text);
    this.#depthMax = depthMax;
  }

  /** The token that comes next; it stays. At the end it is `streamEnd` for ever. */
  peek(): Token {
    if (this.#ready !== undefined) return this.#ready;
    while (!this.#ended && (this.#head === this.#tail || this.#awaitsColon())) this.#readNext();
    const next = this.#queue[this.#head] as Token;
    this.#ready = next;
    return next;
  }

  skip(): void {
    this.#ready = undefined;
    this.#taken += 1;
    this.#head += 1;
    if (this.#head === this.#tail) {
      this.#head = 0;
      this.#tail = 0;
    }
  }

  invalid(what: string, at: Token): YamlRefusal {
    return this.#cursor.invalid(what, at.pos);
  }

  get #flowLevel(): number {
    return this.#keys.length - 1;
  }

  #awaitsColon(): boolean {
    const { keyLevel } = this.#queue[this.#head] as Token;
    const key = keyLevel < 0 ? undefined : this.#keys[keyLevel];
    return key?.token === this.#taken && this.#mayBeKey(key);
  }

  #mayBeKey(key: PossibleKey): boolean {
    if (!key.possible) return false;
    const { pos, line } = this.#cursor;
    if (key.line === line && key.pos + keyLengthMax >= pos) return true;
    if (key.required) throw this.#cursor.invalid("could not find the expected ':'", key.pos);
    key.possible = false;
    return false;
  }

  #push(kind: TokenKind, pos: number, text = '', keyLevel = -1): void {
    this.#queue[this.#tail] = { kind, pos, text, keyLevel };
    this.#tail += 1;
  }

  /** Before the token of this number, which waits in the queue. */
  #insert(at: number, kind: TokenKind, pos: number): void {
    const queue = this.#queue;
    const index = this.#head + at - this.#taken;
    assert(index >= this.#head && index <= this.#tail, 'a key waits in the queue');
    for (let to = this.#tail; to > index; to -= 1) queue[to] = queue[to - 1] as Token;
    queue[index] = { kind, pos, text: '', keyLevel: -1 };
    this.#tail += 1;
  }

  #readNext(): void {
    const cursor = this.#cursor;
    this.#skipToToken();
    this.#closeBlocks(cursor.column);
    const code = cursor.at();
    if (code === char.end) return this.#readEnd();
    if (cursor.column === 0 && this.#readMarker(code)) return;
    if (this.#readIndicator(code)) return;
    this.#readScalar(code);
  }

  #skipToToken(): void {
    const cursor = this.#cursor;
    for (;;) {
      const code = cursor.at();
      if (code === char.space) cursor.pos += 1;
      else if (code === char.tab && (this.#flowLevel > 0 || !this.#keyAllowed)) cursor.pos += 1;
      else if (code === char.hash) cursor.skipToBreak();
      else if (isBreak(code)) {
        cursor.skipBreak();
        cursor.skipEmptyLines(this.#flowLevel > 0);
        if (this.#flowLevel === 0) this.#keyAllowed = true;
      } else if (code === char.byteOrderMark && cursor.column === 0) {
        cursor.pos += 1;
        cursor.lineStart = cursor.pos;
      } else if (code !== char.tab || !this.#skipBlankLine()) return;
    }
  }

  /** A tab does not indent; in a line of nothing else, it does no harm. */
  #skipBlankLine(): boolean {
    const cursor = this.#cursor;
    const { pos } = cursor;
    cursor.skipBlanks();
    const code = cursor.at();
    if (isBreak(code) || code === char.end || code === char.hash) return true;
    throw cursor.invalid('found a tab where a token or indentation is expected', pos);
  }

  /** Blocks further in than this column end here. */
  #closeBlocks(column: number): void {
    if (this.#flowLevel > 0) return;
    while (this.#indent > column) {
      this.#push(token.blockEnd, this.#cursor.pos);
      this.#indent = this.#outerIndents.pop() as number;
    }
  }

  /** Where this column is further in, a block begins: before the token `at`, or behind all. */
  #openBlock(kind: TokenKind, column: number, pos: number, at: number): void {
    if (this.#flowLevel > 0 || this.#indent >= column) return;
    this.#outerIndents.push(this.#indent);
    this.#indent = column;
    this.#checkDepth();
    this.#insert(at, kind, pos);
  }

  #checkDepth(): void {
    if (this.#outerIndents.length + this.#flowLevel > this.#depthMax) {
      throw new YamlRefusal(`the body nests deeper than ${this.#depthMax} levels`);
    }
  }

  /** The number of the token that is made next. */
  get #nextToken(): number {
    return this.#taken + this.#tail - this.#head;
  }

  /** What stands here may be a key; returns the level for its token. */
  #markKey(): number {
    if (!this.#keyAllowed) return -1;
    const cursor = this.#cursor;
    const { column, pos, line } = cursor;
    this.#dropKey();
    const key = this.#keys[this.#flowLevel] as PossibleKey;
    key.possible = true;
    key.required = this.#flowLevel === 0 && this.#indent === column;
    key.token = this.#nextToken;
    key.pos = pos;
    key.line = line;
    key.column = column;
    return this.#flowLevel;
  }

  #dropKey(): void {
    const key = this.#keys[this.#flowLevel] as PossibleKey;
    if (!key.possible) return;
    if (key.required) throw this.#cursor.invalid("could not find the expected ':'", key.pos);
    key.possible = false;
  }

  #readEnd(): void {
    this.#closeBlocks(-1);
    this.#dropKey();
    this.#keyAllowed = false;
    this.#push(token.streamEnd, this.#cursor.pos);
    this.#ended = true;
  }

  /** A directive, or the marker of a document's start or end. */
  #readMarker(code: number): boolean {
    const cursor = this.#cursor;
    const { pos } = cursor;
    const directive = code === char.percent;
    if (!directive && !cursor.isAnyDocumentMarker()) return false;
    this.#closeBlocks(-1);
    this.#dropKey();
    this.#keyAllowed = false;
    if (directive) this.#push(token.directive, pos, readDirective(cursor));
    else {
      this.#push(code === char.hyphen ? token.documentStart : token.documentEnd, pos);
      cursor.pos += 3;
    }
    return true;
  }

  #readIndicator(code: number): boolean {
    switch (code) {
      case char.openBracket:
        this.#openFlow(token.flowSequence);
        return true;
      case char.openBrace:
        this.#openFlow(token.flowMapping);
        return true;
      case char.closeBracket:
        this.#closeFlow(token.flowSequenceEnd);
        return true;
      case char.closeBrace:
        this.#closeFlow(token.flowMappingEnd);
        return true;
      case char.comma:
        this.#dropKey();
        this.#keyAllowed = true;
        this.#push(token.flowEntry, this.#cursor.pos);
        this.#cursor.pos += 1;
        return true;
      case char.hyphen:
        return isSpaceOrEnd(this.#cursor.at(1)) && this.#readEntry();
      case char.question:
        return isSpaceOrEnd(this.#cursor.at(1)) && this.#readKey();
      case char.colon:
        return this.#isValueIndicator() && this.#readValue();
      default:
        return false;
    }
  }

  #openFlow(kind: TokenKind): void {
    const keyLevel = this.#markKey();
    this.#push(kind, this.#cursor.pos, '', keyLevel);
    this.#keys.push(noKey());
    this.#checkDepth();
    this.#keyAllowed = true;
    this.#cursor.pos += 1;
  }

  #closeFlow(kind: TokenKind): void {
    this.#dropKey();
    if (this.#flowLevel > 0) this.#keys.pop();
    this.#keyAllowed = false;
    this.#push(kind, this.#cursor.pos);
    this.#cursor.pos += 1;
  }

  #readEntry(): true {
    const cursor = this.#cursor;
    const { column, pos } = cursor;
    if (this.#flowLevel === 0) {
      if (!this.#keyAllowed) throw cursor.invalid('an item of a sequence cannot stand here');
      this.#openBlock(token.blockSequence, column, pos, this.#nextToken);
    }
    this.#dropKey();
    this.#keyAllowed = true;
    this.#push(token.blockEntry, pos);
    cursor.pos += 1;
    return true;
  }

  #readKey(): true {
    const cursor = this.#cursor;
    const { column, pos } = cursor;
    if (this.#flowLevel === 0) {
      if (!this.#keyAllowed) throw cursor.invalid('a key cannot stand here');
      this.#openBlock(token.blockMapping, column, pos, this.#nextToken);
    }
    this.#dropKey();
    this.#keyAllowed = this.#flowLevel === 0;
    this.#push(token.key, pos);
    cursor.pos += 1;
    return true;
  }

  /** In flow collections it needs no blank behind it, where no plain scalar can go on. */
  #isValueIndicator(): boolean {
    const next = this.#cursor.at(1);
    if (isSpaceOrEnd(next)) return true;
    if (this.#flowLevel === 0) return false;
    return isFlowIndicator(next) || (this.#keys[this.#flowLevel] as PossibleKey).possible;
  }

  #readValue(): true {
    const cursor = this.#cursor;
    const { column, pos } = cursor;
    const key = this.#keys[this.#flowLevel] as PossibleKey;
    if (this.#mayBeKey(key)) {
      this.#insert(key.token, token.key, key.pos);
      this.#openBlock(token.blockMapping, key.column, key.pos, key.token);
      key.possible = false;
      this.#keyAllowed = false;
    } else {
      if (this.#flowLevel === 0) {
        if (!this.#keyAllowed) throw cursor.invalid('a value of a mapping cannot stand here');
        this.#openBlock(token.blockMapping, column, pos, this.#nextToken);
      }
      this.#keyAllowed = this.#flowLevel === 0;
    }
    this.#push(token.value, pos);
    cursor.pos += 1;
    return true;
  }

  #readScalar(code: number): void {
    const cursor = this.#cursor;
    const { pos } = cursor;
    switch (code) {
      case char.asterisk:
      case char.ampersand:
        return this.#readAnchor(code === char.asterisk ? token.alias : token.anchor);
      case char.exclamation: {
        const keyLevel = this.#markKey();
        this.#keyAllowed = false;
        return this.#push(token.tag, pos, readTag(cursor), keyLevel);
      }
      case char.singleQuote:
      case char.doubleQuote: {
        const keyLevel = this.#markKey();
        this.#keyAllowed = false;
        const read = code === char.singleQuote ? readSingleQuoted : readDoubleQuoted;
        return this.#push(token.scalar, pos, read(cursor), keyLevel);
      }
      case char.bar:
      case char.greater:
        if (this.#flowLevel > 0) break;
        this.#dropKey();
        this.#keyAllowed = true;
        return this.#push(token.scalar, pos, readBlock(cursor, this.#indent));
      case char.percent:
      case char.at:
      case char.backtick:
      case char.tab:
        break;
      default: {
        const keyLevel = this.#markKey();
        this.#keyAllowed = false;
        const plain = readPlain(cursor, this.#indent + 1, this.#flowLevel > 0);
        if (plain.endsLine) this.#keyAllowed = true;
        return this.#push(token.plainScalar, pos, plain.text, keyLevel);
      }
    }
    throw cursor.invalid('found a character that cannot start any token');
  }

  #readAnchor(kind: TokenKind): void {
    const cursor = this.#cursor;
    const { pos } = cursor;
    const keyLevel = this.#markKey();
    this.#keyAllowed = false;
    cursor.pos += 1;
    const start = cursor.pos;
    while (isWordCharacter(cursor.at())) cursor.pos += 1;
    const name = cursor.text.slice(start, cursor.pos);
    const code = cursor.at();
    const ends = isSpaceOrEnd(code) || isFlowIndicator(code) || code === char.colon;
    if (name === '' || !ends) {
      throw cursor.invalid('found a name that is not of letters and digits', pos);
    }
    this.#push(kind, pos, name, keyLevel);
  }
}

function noKey(): PossibleKey {
  return { possible: false, required: false, token: 0, pos: 0, line: 0, column: 0 };
}
