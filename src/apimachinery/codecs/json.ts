/**
 * JSON as clients send it and get it (spec 1, section 4.3): strict on the way in.
 *
 * What it is not: a check that the value is an object of some kind. It knows no fields.
 *
 * Refused, each with a message that says what and where: bytes that are not UTF-8, a byte order
 * mark, anything behind the value, numbers beyond the range of a double, nesting deeper than
 * `jsonDepthMax`. A key that comes twice has its last value; who asks is told which those are.
 *
 * Bounds: size is bounded by whoever read the body. Nesting is bounded here, because everything
 * that walks a value (comparison, patches, encoding) recurses; a thousand levels are far below
 * what the stack holds and far above what any schema nests.
 */
import { isUtf8 } from 'node:buffer';
import { newBadRequest } from '../status-error.ts';
import type { StatusError } from '../status-error.ts';
import { decodeTrustedText } from '../object-encoding.ts';
import type { JsonValue } from '../unstructured.ts';
import { countMembers, duplicateFields, scanJson } from './json-structure.ts';
import type { JsonStructure } from './json-structure.ts';
import { parseJsonText, stringifyJson } from './lossless.ts';

/** Deepest nesting of arrays and objects in a value from a client; above it 400. */
export const jsonDepthMax = 1000;

export type Decoded =
  | {
      readonly kind: 'value';
      readonly value: JsonValue;
      /** Paths of keys that came twice, where the codec was asked for them. */
      readonly duplicates?: readonly string[] | undefined;
    }
  | { readonly kind: 'refused'; readonly error: StatusError };

export interface DecodeOptions {
  /** Look for keys that come twice. */
  readonly findDuplicates: boolean;
}

export function decodeJson(bytes: Uint8Array, options?: DecodeOptions): Decoded {
  if (!isUtf8(bytes)) return refused('the body is not valid UTF-8');
  const findDuplicates = options?.findDuplicates === true;
  // Each level takes an opening and a closing byte, so most bodies cannot be too deep.
  const mayBeDeep = bytes.length > 2 * jsonDepthMax;
  const structure = mayBeDeep || findDuplicates ? scanJson(bytes, jsonDepthMax) : flat;
  if (structure.depth > jsonDepthMax) {
    return refused(`the body nests deeper than ${jsonDepthMax} levels`);
  }
  try {
    const text = decodeTrustedText(bytes);
    const value = structure.doubtfulNumbers ? parseJsonText(text) : (JSON.parse(text) as JsonValue);
    if (!findDuplicates || structure.members === countMembers(value)) {
      return { kind: 'value', value };
    }
    return { kind: 'value', value, duplicates: duplicateFields(text) };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) {
      return refused(`the body is not valid JSON: ${error.message}`);
    }
    throw error;
  }
}

/** Of a body that was not looked at. */
const flat: JsonStructure = { depth: 0, members: 0, doubtfulNumbers: true };

const prettyIndent = 2;

/** Compact, or indented by two spaces. */
export function encodeJson(value: JsonValue, pretty = false): Uint8Array {
  return Buffer.from(stringifyJson(value, pretty ? prettyIndent : 0), 'utf8');
}

function refused(message: string): Decoded {
  return { kind: 'refused', error: newBadRequest(message) };
}
