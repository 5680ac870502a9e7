/**
 * The text of YAML block scalars: `|` keeps its lines, `>` folds them.
 *
 * Invariant: the reader begins at the indicator and ends at the first line that is not a part of
 * the block; what it passes is passed once.
 */
import { char, isBlank, isBreak, isBreakOrEnd } from './yaml-cursor.ts';
import { TextUnits } from './text-units.ts';
import type { Cursor } from './yaml-cursor.ts';

interface Header {
  readonly literal: boolean;
  /** What happens to the line breaks at the end: all kept (1), none (-1), one (0). */
  readonly chomping: -1 | 0 | 1;
  /** Columns further in than the parent; 0: as the first line shows. */
  readonly increment: number;
}

/** `parentIndent` is -1 at the top. */
export function readBlock(cursor: Cursor, parentIndent: number): string {
  const header = readHeader(cursor);
  const parent = Math.max(parentIndent, 0);
  const block: BlockLines = { out: new TextUnits(), indent: 0, breaks: 0 };
  if (header.increment > 0) block.indent = parent + header.increment;
  skipBreaks(cursor, block, parentIndent);
  let breakBefore = false;
  let blankBefore = false;
  while (cursor.column === block.indent && cursor.at() !== char.end) {
    const blank = isBlank(cursor.at());
    if (breakBefore) {
      const folds = !header.literal && !blankBefore && !blank;
      if (!folds) block.out.add(char.lineFeed);
      else if (block.breaks === 0) block.out.add(char.space);
    }
    if (block.breaks > 0) block.out.addAll('\n'.repeat(block.breaks));
    block.breaks = 0;
    blankBefore = blank;
    const start = cursor.pos;
    cursor.skipToBreak();
    block.out.addPart(cursor.text, start, cursor.pos);
    breakBefore = isBreak(cursor.at());
    if (breakBefore) cursor.skipBreak();
    skipBreaks(cursor, block, parentIndent);
  }
  if (breakBefore && header.chomping >= 0) block.out.add(char.lineFeed);
  if (header.chomping === 1) block.out.addAll('\n'.repeat(block.breaks));
  return block.out.text;
}

interface BlockLines {
  readonly out: TextUnits;
  /** The column of the text; 0 until it is known. */
  indent: number;
  /** Empty lines that have been passed since the last line of text. */
  breaks: number;
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

/** Passes indentation and empty lines; the deepest of them shows the indentation if need be. */
function skipBreaks(cursor: Cursor, block: BlockLines, parentIndent: number): void {
  let deepest = 0;
  for (;;) {
    while (cursor.at() === char.space && isIndentation(cursor, block)) cursor.pos += 1;
    deepest = Math.max(deepest, cursor.column);
    if (cursor.at() === char.tab && isIndentation(cursor, block)) {
      throw cursor.invalid('found a tab where indentation is expected');
    }
    if (!isBreak(cursor.at())) break;
    cursor.skipBreak();
    block.breaks += 1;
  }
  if (block.indent === 0) block.indent = Math.max(deepest, parentIndent + 1, 1);
}

function isIndentation(cursor: Cursor, block: BlockLines): boolean {
  return block.indent === 0 || cursor.column < block.indent;
}
