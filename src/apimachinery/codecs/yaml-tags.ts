/**
 * Tags and directives as they stand in a YAML text.
 *
 * A tag is given with its handle, `!!str`, `!mine`, `!e!x`, or in full as `!<...>`; what a handle
 * stands for is known to the document (yaml-grammar.ts). A directive is given as its line.
 */
import { char, isBlank, isBreakOrEnd, isFlowIndicator, isSpaceOrEnd } from './yaml-cursor.ts';
import type { Cursor } from './yaml-cursor.ts';

/** Of a tag, a directive or the name of an anchor; a longer one is refused. */
const nameLengthMax = 1024;

/** From the `!` to the blank behind the tag, or to what ends an item of a flow collection. */
export function readTag(cursor: Cursor): string {
  const start = cursor.pos;
  cursor.pos += 1;
  const verbatim = cursor.at() === char.less;
  while (!isSpaceOrEnd(cursor.at())) {
    if (!verbatim && isFlowIndicator(cursor.at())) break;
    passCharacterOf(cursor, start);
  }
  const tag = cursor.text.slice(start, cursor.pos);
  const complete = verbatim ? /^!<[^<>]+>$/.test(tag) : !/[^!-~]|!.*!.*!/.test(tag);
  if (!complete) throw cursor.invalid('found a tag that is not complete', cursor.placeOf(start));
  return tag;
}

/** Of a name that began at `start`. */
export function passCharacterOf(cursor: Cursor, start: number): void {
  if (cursor.pos - start >= nameLengthMax) {
    throw cursor.invalid(`found a name of more than ${nameLengthMax} characters`);
  }
  cursor.pos += 1;
}

/** The words of its line: `YAML 1.1`. */
export function readDirective(cursor: Cursor): string {
  const start = cursor.pos + 1;
  while (!isBreakOrEnd(cursor.at())) {
    if (cursor.at() === char.hash && isBlank(cursor.at(-1))) break;
    passCharacterOf(cursor, start);
  }
  const words = cursor.text.slice(start, cursor.pos).trim();
  cursor.skipToBreak();
  return words;
}

export const coreTagPrefix = 'tag:yaml.org,2002:';

/** The prefixes of a document's handles: those that every document has, and its own. */
export function newTagHandles(): Map<string, string> {
  return new Map([
    ['!', '!'],
    ['!!', coreTagPrefix],
  ]);
}

/** Undefined: its handle was not declared. */
export function fullTag(tag: string, handles: ReadonlyMap<string, string>): string | undefined {
  if (tag.startsWith('!<')) return tag.slice(2, -1);
  if (tag === '!') return tag;
  const end = tag.indexOf('!', 1) + 1;
  const handle = end === 0 ? '!' : tag.slice(0, end);
  const prefix = handles.get(handle);
  return prefix === undefined ? undefined : prefix + tag.slice(handle.length);
}

/** Notes what a directive declares; false: there is no such directive. */
export function takeDirective(words: string, handles: Map<string, string>): boolean {
  const version = /^YAML[ \t]+(\d+)\.\d+$/.exec(words);
  if (version !== null) return version[1] === '1';
  const declared = /^TAG[ \t]+(!(?:[\w-]*!)?)[ \t]+(\S+)$/.exec(words);
  if (declared === null) return false;
  handles.set(declared[1] as string, declared[2] as string);
  return true;
}
