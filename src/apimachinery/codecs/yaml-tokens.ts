/**
 * The tokens of a YAML text, with those that only indentation shows: where a block begins and
 * ends, and that a scalar was a key, which is known at the colon behind it.
 *
 *     a: [b]     mapping, key, scalar a, value, [, scalar b, ], end
 *
 * Elsewhere: the grammar (yaml-grammar.ts).
 *
 * Invariants: tokens are made one by one, some before they are asked for, and none behind the first
 * error, which is thrown to whoever asks for more. Each character is looked at a bounded number of
 * times: a token waits for its colon within its line and `keyLengthMax` only, and of all waiting
 * tokens just the first is asked whether it still does. Work that reads ahead before it asks never
 * waits for a long scalar or a long comment. Source: the YAML 1.1 specification, sections 7 to 9,
 * as the reference's reader takes it.
 *
 * Bound: nesting, by the caller's `depthMax`; a deeper text is refused.
 */
import { assert } from '../../stdx/assert.ts';
import { readBlock } from './yaml-block-scalars.ts';
import { Cursor, YamlRefusal, char, isBreak, partCharacters } from './yaml-cursor.ts';
import { isFlowIndicator, isSpaceOrEnd, isWordCharacter } from './yaml-cursor.ts';
import type { Place } from './yaml-cursor.ts';
import { readPlain, readDoubleQuoted, readSingleQuoted } from './yaml-quoted-scalars.ts';
import { readShortPlain, readShortQuoted } from './yaml-quoted-scalars.ts';
import type { ScalarText } from './yaml-quoted-scalars.ts';
import { passCharacterOf, readDirective, readTag } from './yaml-tags.ts';

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
  readonly place: Place;
  /** The text of a scalar, a name, or a tag. */
  readonly text: string;
  /** The collection (by flow level) whose key it may begin; -1: none. */
  readonly keyLevel: number;
}

/** A key and its colon stand within so many characters, and in one line. */
const keyLengthMax = 1024;

/** One step of the grammar asks for fewer. */
const tokensAhead = 8;
/** Tokens that have been taken, before those behind them move to their place. */
const takenMax = 256;

/** A scalar that is being read, part by part. */
interface OpenScalar {
  readonly kind: TokenKind;
  readonly place: Place;
  readonly keyLevel: number;
  readonly reading: Iterator<undefined, ScalarText>;
}

/** What may be a key of the collection at one flow level, until its colon comes. */
interface PossibleKey {
  possible: boolean;
  /** Nothing else than a key can stand there. */
  required: boolean;
  /** Which token it is, counted from the start. */
  token: number;
  pos: number;
  place: Place;
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
  #open: OpenScalar | undefined;
  /** The first error, which waits until somebody asks for what is behind it. */
  #refusal: YamlRefusal | undefined;

  constructor(text: string, depthMax: number) {
    this.#cursor = new Cursor(text);
    this.#depthMax = depthMax;
  }

  /** So many characters of the text have been read. */
  get position(): number {
    return this.#cursor.pos;
  }

  /** Makes what one step of the grammar asks for, or a part of it: then false. */
  readAhead(): boolean {
    try {
      while (!this.#ended && this.#tail - this.#head < tokensAhead) {
        if (!this.#readPart()) return false;
      }
    } catch (error) {
      if (!(error instanceof YamlRefusal)) throw error;
      this.#refusal = error;
      this.#ended = true;
    }
    return true;
  }

  /** The token that comes next; it stays. At the end it is `streamEnd` for ever. */
  peek(): Token {
    if (this.#ready !== undefined) return this.#ready;
    while (this.#head === this.#tail || this.#awaitsColon()) {
      if (this.#refusal !== undefined) throw this.#refusal;
      if (this.#ended) break;
      this.#readPart();
    }
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
    } else if (this.#head === takenMax) {
      this.#queue.copyWithin(0, this.#head, this.#tail);
      this.#tail -= this.#head;
      this.#head = 0;
    }
  }

  invalid(what: string, at: Token): YamlRefusal {
    return this.#cursor.invalid(what, at.place);
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
    if (key.place.line === line && key.pos + keyLengthMax >= pos) return true;
    if (key.required) throw this.#cursor.invalid("could not find the expected ':'", key.place);
    key.possible = false;
    return false;
  }

  #push(kind: TokenKind, place: Place, text = '', keyLevel = -1): void {
    this.#queue[this.#tail] = { kind, place, text, keyLevel };
    this.#tail += 1;
  }

  /** Before the token of this number, which waits in the queue. */
  #insert(at: number, kind: TokenKind, place: Place): void {
    const queue = this.#queue;
    const index = this.#head + at - this.#taken;
    assert(index >= this.#head && index <= this.#tail, 'a key waits in the queue');
    for (let to = this.#tail; to > index; to -= 1) queue[to] = queue[to - 1] as Token;
    queue[index] = { kind, place, text: '', keyLevel: -1 };
    this.#tail += 1;
  }

  /** The next token and those that it implies, or a part of what it takes: then false. */
  #readPart(): boolean {
    if (this.#open !== undefined) return this.#readOn(this.#open);
    if (!this.#skipToToken()) return false;
    const cursor = this.#cursor;
    this.#closeBlocks(cursor.column);
    const code = cursor.at();
    if (code === char.end) this.#readEnd();
    else if (!(cursor.column === 0 && this.#readMarker(code)) && !this.#readIndicator(code)) {
      return this.#readScalar(code);
    }
    return true;
  }

  #readOn(open: OpenScalar): boolean {
    const step = open.reading.next();
    if (step.done !== true) return false;
    this.#open = undefined;
    if (step.value.endsLine) this.#keyAllowed = true;
    this.#push(open.kind, open.place, step.value.text, open.keyLevel);
    return true;
  }

  /** False: more blanks and comments may come. */
  #skipToToken(): boolean {
    const cursor = this.#cursor;
    const partEnd = cursor.pos + partCharacters;
    while (cursor.pos < partEnd) {
      const code = cursor.at();
      if (code === char.space) cursor.pos += 1;
      else if (code === char.tab && (this.#flowLevel > 0 || !this.#keyAllowed)) cursor.pos += 1;
      else if (code === char.hash) cursor.skipToBreak();
      else if (isBreak(code)) {
        cursor.skipBreak();
        if (this.#flowLevel === 0) this.#keyAllowed = true;
      } else if (code === char.byteOrderMark && cursor.column === 0) {
        cursor.pos += 1;
        cursor.lineStart = cursor.pos;
      } else if (code !== char.tab || !this.#skipBlankLine()) return true;
    }
    return false;
  }

  /** A tab does not indent; in a line of nothing else, it does no harm. */
  #skipBlankLine(): boolean {
    const cursor = this.#cursor;
    const place = cursor.placeOf();
    cursor.skipBlanks();
    const code = cursor.at();
    if (isBreak(code) || code === char.end || code === char.hash) return true;
    throw cursor.invalid('found a tab where a token or indentation is expected', place);
  }

  /** Blocks further in than this column end here. */
  #closeBlocks(column: number): void {
    if (this.#flowLevel > 0) return;
    while (this.#indent > column) {
      this.#push(token.blockEnd, this.#cursor.placeOf());
      this.#indent = this.#outerIndents.pop() as number;
    }
  }

  /** Where this column is further in, a block begins: before the token `at`, or behind all. */
  #openBlock(kind: TokenKind, place: Place, at: number): void {
    if (this.#flowLevel > 0 || this.#indent >= place.column) return;
    this.#outerIndents.push(this.#indent);
    this.#indent = place.column;
    this.#checkDepth();
    this.#insert(at, kind, place);
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
    this.#dropKey();
    const key = this.#keys[this.#flowLevel] as PossibleKey;
    key.possible = true;
    key.required = this.#flowLevel === 0 && this.#indent === cursor.column;
    key.token = this.#nextToken;
    key.pos = cursor.pos;
    key.place = cursor.placeOf();
    return this.#flowLevel;
  }

  #dropKey(): void {
    const key = this.#keys[this.#flowLevel] as PossibleKey;
    if (!key.possible) return;
    if (key.required) throw this.#cursor.invalid("could not find the expected ':'", key.place);
    key.possible = false;
  }

  #readEnd(): void {
    this.#closeBlocks(-1);
    this.#dropKey();
    this.#keyAllowed = false;
    this.#push(token.streamEnd, this.#cursor.placeOf());
    this.#ended = true;
  }

  /** A directive, or the marker of a document's start or end. */
  #readMarker(code: number): boolean {
    const cursor = this.#cursor;
    const place = cursor.placeOf();
    const directive = code === char.percent;
    if (!directive && !cursor.isAnyDocumentMarker()) return false;
    this.#closeBlocks(-1);
    this.#dropKey();
    this.#keyAllowed = false;
    if (directive) this.#push(token.directive, place, readDirective(cursor));
    else {
      this.#push(code === char.hyphen ? token.documentStart : token.documentEnd, place);
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
        this.#push(token.flowEntry, this.#cursor.placeOf());
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
    this.#push(kind, this.#cursor.placeOf(), '', keyLevel);
    this.#keys.push(noKey());
    this.#checkDepth();
    this.#keyAllowed = true;
    this.#cursor.pos += 1;
  }

  #closeFlow(kind: TokenKind): void {
    this.#dropKey();
    if (this.#flowLevel > 0) this.#keys.pop();
    this.#keyAllowed = false;
    this.#push(kind, this.#cursor.placeOf());
    this.#cursor.pos += 1;
  }

  #readEntry(): true {
    const cursor = this.#cursor;
    const place = cursor.placeOf();
    if (this.#flowLevel === 0) {
      if (!this.#keyAllowed) throw cursor.invalid('an item of a sequence cannot stand here');
      this.#openBlock(token.blockSequence, place, this.#nextToken);
    }
    this.#dropKey();
    this.#keyAllowed = true;
    this.#push(token.blockEntry, place);
    cursor.pos += 1;
    return true;
  }

  #readKey(): true {
    const cursor = this.#cursor;
    const place = cursor.placeOf();
    if (this.#flowLevel === 0) {
      if (!this.#keyAllowed) throw cursor.invalid('a key cannot stand here');
      this.#openBlock(token.blockMapping, place, this.#nextToken);
    }
    this.#dropKey();
    this.#keyAllowed = this.#flowLevel === 0;
    this.#push(token.key, place);
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
    const place = cursor.placeOf();
    const key = this.#keys[this.#flowLevel] as PossibleKey;
    if (this.#mayBeKey(key)) {
      this.#insert(key.token, token.key, key.place);
      this.#openBlock(token.blockMapping, key.place, key.token);
      key.possible = false;
      this.#keyAllowed = false;
    } else {
      if (this.#flowLevel === 0) {
        if (!this.#keyAllowed) throw cursor.invalid('a value of a mapping cannot stand here');
        this.#openBlock(token.blockMapping, place, this.#nextToken);
      }
      this.#keyAllowed = this.#flowLevel === 0;
    }
    this.#push(token.value, place);
    cursor.pos += 1;
    return true;
  }

  #readScalar(code: number): boolean {
    const cursor = this.#cursor;
    const place = cursor.placeOf();
    switch (code) {
      case char.asterisk:
      case char.ampersand:
        this.#readAnchor(code === char.asterisk ? token.alias : token.anchor);
        return true;
      case char.exclamation: {
        const keyLevel = this.#markKey();
        this.#keyAllowed = false;
        this.#push(token.tag, place, readTag(cursor), keyLevel);
        return true;
      }
      case char.singleQuote:
      case char.doubleQuote:
        return this.#readQuoted(code === char.singleQuote ? readSingleQuoted : readDoubleQuoted);
      case char.bar:
      case char.greater:
        if (this.#flowLevel > 0) break;
        this.#dropKey();
        this.#keyAllowed = true;
        return this.#begin(token.scalar, place, -1, readBlock(cursor, this.#indent));
      case char.percent:
      case char.at:
      case char.backtick:
      case char.tab:
        break;
      default:
        return this.#readPlain();
    }
    throw cursor.invalid('found a character that cannot start any token');
  }

  #begin(kind: TokenKind, place: Place, keyLevel: number, reading: OpenScalar['reading']): boolean {
    this.#open = { kind, place, keyLevel, reading };
    return this.#readOn(this.#open);
  }

  #readQuoted(read: typeof readSingleQuoted): boolean {
    const cursor = this.#cursor;
    const place = cursor.placeOf();
    const keyLevel = this.#markKey();
    this.#keyAllowed = false;
    const short = readShortQuoted(cursor);
    if (short === undefined) return this.#begin(token.scalar, place, keyLevel, read(cursor));
    this.#push(token.scalar, place, short, keyLevel);
    return true;
  }

  #readPlain(): boolean {
    const cursor = this.#cursor;
    const place = cursor.placeOf();
    const keyLevel = this.#markKey();
    this.#keyAllowed = false;
    const indent = this.#indent + 1;
    const inFlow = this.#flowLevel > 0;
    const short = readShortPlain(cursor, indent, inFlow);
    if (short === undefined) {
      return this.#begin(token.plainScalar, place, keyLevel, readPlain(cursor, indent, inFlow));
    }
    if (short.endsLine) this.#keyAllowed = true;
    this.#push(token.plainScalar, place, short.text, keyLevel);
    return true;
  }

  #readAnchor(kind: TokenKind): void {
    const cursor = this.#cursor;
    const place = cursor.placeOf();
    const keyLevel = this.#markKey();
    this.#keyAllowed = false;
    cursor.pos += 1;
    const start = cursor.pos;
    while (isWordCharacter(cursor.at())) passCharacterOf(cursor, start);
    const name = cursor.text.slice(start, cursor.pos);
    const code = cursor.at();
    const ends = isSpaceOrEnd(code) || isFlowIndicator(code) || code === char.colon;
    if (name === '' || !ends) {
      throw cursor.invalid('found a name that is not of letters and digits', place);
    }
    this.#push(kind, place, name, keyLevel);
  }
}

function noKey(): PossibleKey {
  return { possible: false, required: false, token: 0, pos: 0, place: { line: 0, column: 0 } };
}
