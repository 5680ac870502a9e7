/**
 * JSON as clients send it and get it (spec 1, section 4.3): strict on the way in.
 *
 * Refused, each with a message that says what and where: bytes that are not UTF-8, a byte order
 * mark, anything behind the value, numbers beyond the range of a double or of more digits than
 * `numberDigitsMax`, nesting deeper than `bodyDepthMax`, more values than `bodyValuesMax`. A key
 * that comes twice has its last value; who asks is told which those are. Half of a surrogate pair
 * becomes U+FFFD, as in the reference.
 *
 * Bounds: those of body-bounds.ts, checked in a pass over the bytes before anything is built; size
 * is bounded by whoever read the body.
 */
import { isUtf8 } from 'node:buffer';
import { pooledMemory } from '../../stdx/blocks.ts';
import { finished } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { newBadRequest } from '../status-error.ts';
import type { StatusError } from '../status-error.ts';
import { decodeTrustedText, trustedTextSteps } from '../object-encoding.ts';
import type { JsonValue } from '../unstructured.ts';
import { bodyDepthMax, bodyValuesMax, newTooManyValues, tooDeep } from './body-bounds.ts';
import {
  countMembers,
  duplicateFields,
  isWider,
  numberDigitsMax,
  scanJson,
  scanSteps,
} from './json-structure.ts';
import type { JsonStructure } from './json-structure.ts';
import { parsePieces } from './json-pieces.ts';
import { parseJsonText, stringifyJson } from './lossless.ts';
import { withoutLoneSurrogates } from './surrogates.ts';

export type Decoded =
  | {
      readonly kind: 'value';
      readonly value: JsonValue;
      /** Paths of keys that came twice, where the codec was asked for them. */
      readonly duplicates?: readonly string[] | undefined;
      /** Where each of them came again, in words, where the codec knows. */
      readonly duplicatePlaces?: readonly string[] | undefined;
    }
  | { readonly kind: 'refused'; readonly error: StatusError };

export interface DecodeOptions {
  /** Look for keys that come twice. */
  readonly findDuplicates: boolean;
  /** How many values it may hold. Default: `bodyValuesMax`. */
  readonly valuesMax?: number | undefined;
  /** How many members one object, or items one list, may hold. Read in steps only. */
  readonly widthMax?: number | undefined;
}

export function decodeJson(bytes: Uint8Array, options?: DecodeOptions): Decoded {
  if (!isUtf8(bytes)) return refused(notUtf8);
  const text = decodeTrustedText(bytes);
  const structure = structureOf(text, options);
  if ('kind' in structure) return structure;
  try {
    const read = parsed(text, structure);
    // Nearly all need no more, and no generator.
    if (!surrogateEscape.test(text) && !hasDuplicates(read, structure, options)) {
      return { kind: 'value', value: read };
    }
    return finished(completed(text, read, structure, options));
  } catch (error) {
    return refusalOf(error);
  }
}

const notUtf8 = 'the body is not valid UTF-8';

const longNumber = `the body holds a number of more than ${numberDigitsMax} digits`;

/** decodeJson() in parts. */
export function* jsonSteps(
  bytes: Uint8Array,
  options?: DecodeOptions,
): Generator<undefined, Decoded> {
  if (!isUtf8(bytes)) return refused(notUtf8);
  yield;
  const text = yield* trustedTextSteps(bytes);
  const structure = isLookedAt(text, options)
    ? withinBounds(yield* scanSteps(text, bodyDepthMax), options)
    : flat;
  if ('kind' in structure) return structure;
  yield;
  const { widthMax = Infinity } = options ?? {};
  if (structure.values > widthMax && (yield* isWider(text, widthMax))) {
    return refused(`the body holds more than ${widthMax} members or items in one place`);
  }
  try {
    const read = yield* parsePieces(text, (piece) => parsed(piece, structure));
    yield;
    return yield* completed(text, read, structure, options);
  } catch (error) {
    return refusalOf(error);
  }
}

function structureOf(text: string, options?: DecodeOptions): JsonStructure | Decoded {
  return isLookedAt(text, options) ? withinBounds(scanJson(text, bodyDepthMax), options) : flat;
}

/** Each level takes an opening and a closing character, so most bodies cannot be too deep. */
function isLookedAt(text: string, options?: DecodeOptions): boolean {
  return text.length > 2 * bodyDepthMax || options?.findDuplicates === true;
}

function withinBounds(structure: JsonStructure, options?: DecodeOptions): JsonStructure | Decoded {
  if (structure.depth > bodyDepthMax) return refused(tooDeep);
  if (structure.hasLongNumber) return refused(longNumber);
  const valuesMax = options?.valuesMax ?? bodyValuesMax;
  if (structure.values > valuesMax) return { kind: 'refused', error: newTooManyValues(valuesMax) };
  return structure;
}

function parsed(text: string, { doubtfulNumbers }: JsonStructure): JsonValue {
  return doubtfulNumbers ? parseJsonText(text) : (JSON.parse(text) as JsonValue);
}

function* completed(
  text: string,
  read: JsonValue,
  structure: JsonStructure,
  options?: DecodeOptions,
): Steps<Decoded> {
  const value = surrogateEscape.test(text) ? yield* withoutLoneSurrogates(read) : read;
  if (!hasDuplicates(value, structure, options)) return { kind: 'value', value };
  return { kind: 'value', value, duplicates: yield* duplicateFields(text) };
}

/** Whether there are duplicates, where `options` ask for them. */
function hasDuplicates(
  value: JsonValue,
  { members }: JsonStructure,
  options: DecodeOptions | undefined,
): boolean {
  return options?.findDuplicates === true && members !== countMembers(value);
}

function refusalOf(error: unknown): Decoded {
  if (error instanceof SyntaxError || error instanceof RangeError) {
    return refused(`the body is not valid JSON: ${withoutQuotation(error.message)}`);
  }
  throw error;
}

/** Half of a pair: bytes that are UTF-8 hold one only as an escape. */
const surrogateEscape = /\\u[dD][89a-fA-F]/;

/** The engine quotes what stands around the place, which may be a credential. */
function withoutQuotation(message: string): string {
  const unquoted = message.replace(/^(Unexpected token '.{1,2}'), .*$/s, '$1');
  // Some engines say it twice, and of a piece the line is not known.
  return unquoted.replace(/ \(line \d+ column \d+\)$/, '');
}

/** Of a body that was not looked at. */
const flat: JsonStructure = {
  depth: 0,
  values: 0,
  members: 0,
  doubtfulNumbers: true,
  hasLongNumber: false,
};

export const prettyIndent = 2;

/** Compact, or indented by two spaces. */
export function encodeJson(value: JsonValue, pretty = false): Uint8Array {
  return Buffer.from(stringifyJson(value, pretty ? prettyIndent : 0), 'utf8');
}

const lineFeed = 0x0a;

/** Stands behind compact JSON that is a whole body, as in the reference: scripts read lines. What
 * is indented ends without. */
export const lineEnd = Buffer.of(lineFeed);

/** With its end. */
export function asLine(json: Uint8Array): Uint8Array {
  const line = pooledMemory(json.byteLength + 1);
  line.set(json);
  line[json.byteLength] = lineFeed;
  return line;
}

function refused(message: string): Decoded {
  return { kind: 'refused', error: newBadRequest(message) };
}
