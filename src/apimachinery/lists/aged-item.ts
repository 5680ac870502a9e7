/**
 * Items that say how old something is, kept without saying it: rows of Tables (spec 1, section
 * 2.6). Everything else of a row is the same as long as its object is.
 *
 *     kept:  count │ hole, hole … │ {"cells":["a","   "],"object":...}
 *                      └─ where, since when, texts ─┘
 *
 * Elsewhere: where items are kept (kept-encodings.ts).
 *
 * Invariants: `itemAt` gives, byte for byte, the item made anew at that moment. Bound: an item has
 * at most 254 ages; one that cannot be kept so is marked, and made anew each time.
 */
import type { Age } from '../projection/printer.ts';
import { ageText } from '../projection/printer.ts';

/** How an encoding writes a text of ASCII that is a value, a byte a character; undefined: as it is,
 * between what stands there for any text. */
export type ScalarOf = (text: string) => string;

/** Of each hole: its offset in the item, the moment, and the lengths of its texts. */
const offsetBytes = 4;
const momentBytes = 8;
const holeBytes = offsetBytes + momentBytes + 2;
const agesMax = 254;
const isMadeAnew = 255;

const madeAnew = Uint8Array.of(isMadeAnew);

/** Items are put together here, and copied where they are sent; a larger one has its own memory. */
const scratch = Buffer.allocUnsafeSlow(64 * 1024);
/** Below it a loop is quicker than a call. */
const fewBytes = 64;

/** `item` has `mark`, a text of ASCII, where each of `ages` belongs, in their order. */
export function agedItem(
  item: Uint8Array,
  mark: string,
  ages: readonly Age[],
  scalarOf: ScalarOf | undefined,
): Uint8Array {
  const marked = scalarOf?.(mark) ?? mark;
  const places = placesOf(item, marked, ages.length + 1);
  const fits = ages.every(({ before, after }) => before.length + after.length <= 0xff);
  // Another text holds the mark, or an encoding has put it otherwise.
  if (places.length !== ages.length || ages.length > agesMax || !fits) return madeAnew;
  const texts = ages.reduce((sum, { before, after }) => sum + before.length + after.length, 0);
  const body = item.length - ages.length * marked.length;
  const kept = Buffer.allocUnsafe(1 + ages.length * holeBytes + texts + body);
  kept[0] = ages.length;
  let at = 1;
  for (const [index, age] of ages.entries()) {
    at = writeHole(kept, at, (places[index] as number) - index * marked.length, age);
  }
  let from = 0;
  for (const place of places) {
    kept.set(item.subarray(from, place), at);
    at += place - from;
    from = place + marked.length;
  }
  kept.set(item.subarray(from), at);
  return kept;
}

function writeHole(kept: Buffer, start: number, place: number, age: Age): number {
  let at = kept.writeUInt32LE(place, start);
  at = kept.writeDoubleLE(age.sinceMs, at);
  at = kept.writeUInt8(age.before.length, at);
  at = kept.writeUInt8(age.after.length, at);
  at += kept.write(age.before, at, 'latin1');
  return at + kept.write(age.after, at, 'latin1');
}

/** Where the mark is, of the first few. */
function placesOf(item: Uint8Array, mark: string, most: number): readonly number[] {
  const bytes = bufferOf(item);
  const places: number[] = [];
  for (let at = bytes.indexOf(mark, 0, 'latin1'); at >= 0 && places.length < most;) {
    places.push(at);
    at = bytes.indexOf(mark, at + mark.length, 'latin1');
  }
  return places;
}

/** The item at a moment, until the next one is asked for; undefined: it has to be made anew. */
export function itemAt(
  kept: Uint8Array,
  nowMs: number,
  scalarOf: ScalarOf | undefined,
): Uint8Array | undefined {
  const count = kept[0] as number;
  if (count === 0) return kept.subarray(1);
  if (count === isMadeAnew) return undefined;
  const bytes = bufferOf(kept);
  const holes: Hole[] = [];
  let at = 1;
  let added = 0;
  for (let index = 0; index < count; index += 1) {
    const place = bytes.readUInt32LE(at);
    const sinceMs = bytes.readDoubleLE(at + offsetBytes);
    const beforeAt = at + holeBytes;
    const afterAt = beforeAt + (bytes[beforeAt - 2] as number);
    at = afterAt + (bytes[beforeAt - 1] as number);
    const before = asciiOf(bytes, beforeAt, afterAt);
    const shown = ageText({ sinceMs, before, after: asciiOf(bytes, afterAt, at) }, nowMs);
    const text = scalarOf === undefined ? shown : scalarOf(shown);
    added += text.length;
    holes.push({ place, text });
  }
  return filled(kept, at, holes, added);
}

interface Hole {
  readonly place: number;
  readonly text: string;
}

/** Of the item that begins at `start`, with `added` bytes in its holes: all is copied so that what
 * stands behind the last hole is in its place, and the rest moves to the front. */
function filled(
  kept: Uint8Array,
  start: number,
  holes: readonly Hole[],
  added: number,
): Uint8Array {
  const length = added + kept.length;
  const target = length <= scratch.length ? scratch : Buffer.allocUnsafe(length);
  target.set(kept, added);
  let from = added + start;
  let to = start;
  let copied = 0;
  for (const { place, text } of holes) {
    const bytes = place - copied;
    if (bytes > fewBytes) target.copyWithin(to, from, from + bytes);
    else for (let at = 0; at < bytes; at += 1) target[to + at] = target[from + at] as number;
    from += bytes;
    to += bytes;
    copied = place;
    for (let at = 0; at < text.length; at += 1) target[to + at] = text.charCodeAt(at);
    to += text.length;
  }
  return target.subarray(start, length);
}

function asciiOf(bytes: Buffer, start: number, end: number): string {
  return start === end ? '' : bytes.toString('latin1', start, end);
}

function bufferOf(bytes: Uint8Array): Buffer {
  if (bytes instanceof Buffer) return bytes;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
