/**
 * What the engine's JSON reader does not report: how deep a text nests, whether digits may have
 * been lost, and which keys come twice.
 *
 * Duplicates are looked for only when there are any, which counting shows: a text has as many
 * members as it has colons outside strings; if its value has as many, no key came twice.
 *
 *     {"a":1,"b":{"a":2,"a":3}}     4 colons, 3 members: look closer -> b.a
 *
 * It expects text that a JSON parser has accepted; on other text its answers do not matter.
 *
 * Bounds: `duplicatesMax` paths of `pathCharsMax`; the recursion of counting is bounded by the
 * nesting that the codec accepts.
 */
import type { Steps } from '../../stdx/stepwise.ts';
import type { JsonValue } from '../unstructured.ts';
import { closingQuote } from './long-integers.ts';

/** Repetitions that are reported: of each key once in its object, even where paths are the same. */
export const duplicatesMax = 100;
/** A path that is longer is cut: each repetition would cost as much as all that is before it. */
const pathCharsMax = 1024;

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const openBracket = 0x5b;
const closeBrace = 0x7d;
const closeBracket = 0x5d;

export interface JsonStructure {
  readonly depth: number;
  /** Members of objects and items of lists. */
  readonly values: number;
  /** Names with a value, duplicates counted. */
  readonly members: number;
  /** Whether there is a number of many digits or with an exponent: a double may not hold it. */
  readonly doubtfulNumbers: boolean;
  /** A number has more than `numberDigitsMax` digits in a row; nothing behind it is counted. */
  readonly hasLongNumber: boolean;
}

/** 2^53 has as many. */
const doubtfulDigits = 16;

/** Digits in a row of one number. To read more takes long, and is done in one piece. A double
 * has 767 digits at most that count. Policy: the text is refused. */
export const numberDigitsMax = 4096;

/** What a character may be for the structure: 0 is nothing. */
const classes = new Uint8Array(128);
const [digit, exponent, text, name, next, opening, closing] = [1, 2, 3, 4, 5, 6, 7] as const;
for (const each of '0123456789') classes[each.charCodeAt(0)] = digit;
for (const each of 'eE') classes[each.charCodeAt(0)] = exponent;
classes[quote] = text;
classes[colon] = name;
classes[comma] = next;
classes[openBrace] = classes[openBracket] = opening;
classes[closeBrace] = classes[closeBracket] = closing;

/** Stops counting beyond `depthMax`: then `depth` is larger than it. A list or object has one value
 * more than it has commas; of an empty one, one too many is counted. */
export function scanJson(json: string, depthMax: number): JsonStructure {
  const scan = newScan();
  scanTo(json.length, json, depthMax, scan);
  return scan;
}

/** Of a text, between two steps: a millisecond. */
const scannedAtOnce = 256 * 1024;

/** scanJson() in parts. */
export function* scanSteps(json: string, depthMax: number): Steps<JsonStructure> {
  const scan = newScan();
  for (let end = scannedAtOnce; end < json.length; end = scan.at + scannedAtOnce) {
    scanTo(end, json, depthMax, scan);
    if (scan.depth > depthMax || scan.hasLongNumber) return scan;
    yield;
  }
  scanTo(json.length, json, depthMax, scan);
  return scan;
}

interface Scan {
  /** No text is cut here. */
  at: number;
  /** Of the number that is. */
  digits: number;
  /** How deep this place is. */
  open: number;
  depth: number;
  values: number;
  members: number;
  doubtfulNumbers: boolean;
  hasLongNumber: boolean;
}

function newScan(): Scan {
  const found = { doubtfulNumbers: false, hasLongNumber: false };
  return { at: 0, digits: 0, open: 0, depth: 0, values: 0, members: 0, ...found };
}

/** Goes on behind `end` where a text would be cut. */
function scanTo(end: number, json: string, depthMax: number, scan: Scan): void {
  let { at, depth: deepest, digits, doubtfulNumbers, members, open: depth, values } = scan;
  for (; at < json.length && at < end; at += 1) {
    const char = json.charCodeAt(at);
    const found = char < 128 ? (classes[char] as number) : 0;
    if (found === digit) {
      digits += 1;
      if (digits < doubtfulDigits) continue;
      doubtfulNumbers = true;
      if (digits <= numberDigitsMax) continue;
      scan.hasLongNumber = true;
      break;
    }
    // An e behind a digit: no other word of JSON begins there.
    if (digits > 0 && found === exponent) doubtfulNumbers = true;
    digits = 0;
    // The engine's search is many times faster than a look at each character.
    if (found === text) at = closingQuote(json, at);
    else if (found === name) members += 1;
    else if (found === next) values += 1;
    else if (found === opening) {
      depth += 1;
      values += 1;
      if (depth > deepest) deepest = depth;
      if (depth > depthMax) break;
    } else if (found === closing) depth -= 1;
  }
  scan.at = at;
  scan.digits = digits;
  scan.open = depth;
  scan.depth = deepest;
  scan.values = values;
  scan.members = members;
  scan.doubtfulNumbers = doubtfulNumbers;
}

/** Whether an object or a list in it has more than `widthMax` members or items: what walks over one
 * of these does so without a step. */
export function* isWider(json: string, widthMax: number): Steps<boolean> {
  /** Of the levels around this place. */
  const widths: number[] = [];
  let width = 0;
  let pauseAt = scannedAtOnce;
  for (let at = 0; at < json.length; at += 1) {
    const char = json.charCodeAt(at);
    const found = char < 128 ? (classes[char] as number) : 0;
    if (found === text) at = closingQuote(json, at);
    else if (found === next) width += 1;
    else if (found === opening) {
      widths.push(width);
      width = 1;
    } else if (found === closing) width = widths.pop() ?? 0;
    if (width > widthMax) return true;
    if (at < pauseAt) continue;
    yield;
    pauseAt = at + scannedAtOnce;
  }
  return false;
}

export function countMembers(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value as readonly JsonValue[]) count += countMembers(item);
    return count;
  }
  const object = value as { readonly [name: string]: JsonValue };
  for (const name in object) count += 1 + countMembers(object[name] as JsonValue);
  return count;
}

interface Frame {
  /** Of an object, how often each has come; undefined for a list. */
  readonly names: Map<string, number> | undefined;
  /** Of the member that is being read. */
  name: string;
  index: number;
}

/** Paths of keys that come twice, such as `spec.ports[0].name`; each once, in order of the text. */
export function* duplicateFields(text: string): Steps<readonly string[]> {
  const found = new Set<string>();
  const frames: Frame[] = [];
  let repetitions = 0;
  let expectsName = false;
  let pauseAt = scannedAtOnce;
  for (let at = 0; at < text.length && repetitions < duplicatesMax; at += 1) {
    const char = text.charCodeAt(at);
    const frame = frames.at(-1);
    if (char === quote) {
      const end = closingQuote(text, at);
      if (expectsName && frame?.names !== undefined) {
        if (comesAgain(frame, frame.names, JSON.parse(text.slice(at, end + 1)) as string)) {
          found.add(shortPath(frames.map(stepInto)));
          repetitions += 1;
        }
      }
      at = end;
      expectsName = false;
    } else if (char === openBrace || char === openBracket) {
      const names = char === openBrace ? new Map<string, number>() : undefined;
      frames.push({ names, name: '', index: 0 });
      expectsName = char === openBrace;
    } else if (char === closeBrace || char === closeBracket) frames.pop();
    else if (char === comma && frame !== undefined) {
      expectsName = frame.names !== undefined;
      frame.index += 1;
    }
    if (at < pauseAt) continue;
    yield;
    pauseAt = at + scannedAtOnce;
  }
  return [...found];
}

/** Whether it is the second time. */
function comesAgain(frame: Frame, names: Map<string, number>, name: string): boolean {
  frame.name = name;
  const times = names.get(name) ?? 0;
  names.set(name, times + 1);
  return times === 1;
}

function stepInto({ names, name, index }: Frame): string {
  return names === undefined ? `[${index}]` : `.${name}`;
}

/** The steps as one path. Of a long one its begin. */
export function shortPath(steps: readonly string[]): string {
  let path = '';
  for (const step of steps) {
    path += step.slice(0, pathCharsMax + 2);
    if (path.length > pathCharsMax + 1) break;
  }
  const named = path.startsWith('.') ? path.slice(1) : path;
  return named.length > pathCharsMax ? `${named.slice(0, pathCharsMax)}...` : named;
}
