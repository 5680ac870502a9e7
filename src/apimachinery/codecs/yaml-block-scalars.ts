/**
 * The text of YAML block scalars: `|` keeps its lines, `>` folds them.
 *
 * Invariant: the reader begins at the indicator and ends at the first line that is not a part of
 * the block; what it passes is passed once. It yields after each `partCharacters`.
 */
import { TextUnits } from '../../stdx/text-units.ts';
import { char, isBlank, isBreak, isBreakOrEnd, partCharacters } from './yaml-cursor.ts';
import { addLong } from './yaml-quoted-scalars.ts';
import type { ScalarText } from './yaml-quoted-scalars.ts';
import type { Cursor } from './yaml-cursor.ts';

interface Header {
  readonly literal: boolean;
  /** What happens to the line breaks at the end: all kept (1), none (-1), one (0). */
  readonly chomping: -1 | 0 | 1;
  /** Columns further in than the parent; 0: as the first line shows. */
  readonly increment: number;
}

/** `parentIndent` is -1 at the top. */
export function* readBlock(cursor: Cursor, parentIndent: number): Generator<undefined, ScalarText> {
  const header = readHeader(cursor);
  const parent = Math.max(parentIndent, 0);
  const block: BlockLines = { out: new TextUnits(), indent: 0, breaks: 0, deepest: 0 };
  if (header.increment > 0) block.indent = parent + header.increment;
  while (!skipBreaks(cursor, block, parentIndent)) yield;
  let breakBefore = false;
  let blankBefore = false;
  let partEnd = cursor.pos + partCharacters;
  while (cursor.column === block.indent && cursor.at() !== char.end) {
    const blank = isBlank(cursor.at());
    if (breakBefore) {
      const folds = !header.literal && !blankBefore && !blank;
      if (!folds) block.out.add(char.lineFeed);
      else if (block.breaks === 0) block.out.add(char.space);
    }
    block.out.addRepeated(char.lineFeed, block.breaks);
    block.breaks = 0;
    blankBefore = blank;
    const start = cursor.pos;
    cursor.skipToBreak();
    if (cursor.pos <= partEnd) block.out.addPart(cursor.text, start, cursor.pos);
    else {
      yield;
      yield* addLong(block.out, cursor.text, start, cursor.pos);
      partEnd = cursor.pos + partCharacters;
    }
    breakBefore = isBreak(cursor.at());
    if (breakBefore) cursor.skipBreak();
    while (!skipBreaks(cursor, block, parentIndent)) yield;
  }
  if (breakBefore && header.chomping >= 0) block.out.add(char.lineFeed);
  if (header.chomping === 1) block.out.addRepeated(char.lineFeed, block.breaks);
  return { text: block.out.text, endsLine: true };
}

interface BlockLines {
  readonly out: TextUnits;
  /** The column of the text; 0 until it is known. */
  indent: number;
  /** Empty lines that have been passed since the last line of text. */
  breaks: number;
  /** The column of the deepest of them. */
  deepest: number;
}

function readHeader(cursor: Cursor): Header {
  const literal = cursor.at() === char.bar;
  let chomping: -1 | 0 | 1 = 0;
  let increment = 0;
  cursor.pos += 1;
  for (let sign = 0; sign < 2; sign += 1) {
    const code = cursor.at();
    if (chomping === 0 && (code === char.plus || code === char.hyphen)) {
      chomping = code === char.plus ? 1 : -1;
      cursor.pos += 1;
    } else if (increment === 0 && code >= 0x30 && code <= 0x39) {
      increment = code - 0x30;
      if (increment === 0) throw cursor.invalid('found an indentation indicator of 0');
      cursor.pos += 1;
    }
  }
  const end = cursor.pos;
  cursor.skipBlanks();
  if (cursor.at() === char.hash && cursor.pos > end) cursor.skipToBreak();
  if (!isBreakOrEnd(cursor.at())) {
    throw cursor.invalid('found text behind the header of a block');
  }
  if (cursor.at() !== char.end) cursor.skipBreak();
  return { literal, chomping, increment };
}

/** Passes indentation and empty lines, `partCharacters` of them at most: false where more may
 * come. The deepest of them shows the indentation if need be. */
function skipBreaks(cursor: Cursor, block: BlockLines, parentIndent: number): boolean {
  const partEnd = cursor.pos + partCharacters;
  for (;;) {
    while (cursor.at() === char.space && isIndentation(cursor, block)) {
      cursor.pos += 1;
      if (cursor.pos === partEnd) return false;
    }
    block.deepest = Math.max(block.deepest, cursor.column);
    if (cursor.at() === char.tab && isIndentation(cursor, block)) {
      throw cursor.invalid('found a tab where indentation is expected');
    }
    if (!isBreak(cursor.at())) break;
    cursor.skipBreak();
    block.breaks += 1;
    if (cursor.pos >= partEnd) return false;
  }
  if (block.indent === 0) block.indent = Math.max(block.deepest, parentIndent + 1, 1);
  return true;
}

function isIndentation(cursor: Cursor, block: BlockLines): boolean {
  return block.indent === 0 || cursor.column < block.indent;
}
