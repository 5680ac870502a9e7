/**
 * JSON as clients send it and get it (spec 1, section 4.3): strict on the way in.
 *
 * What it is not: a check that the value is an object of some kind. It knows no fields.
 *
 * Refused, each with a message that says what and where: bytes that are not UTF-8, a byte order
 * mark, anything behind the value, numbers beyond the range of a double, nesting deeper than
 * `jsonDepthMax`. A key that comes twice has its last value.
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
import { parseJsonText, stringifyJson } from './lossless.ts';

/** Deepest nesting of arrays and objects in a value from a client; above it 400. */
export const jsonDepthMax = 1000;

export type Decoded =
  | { readonly kind: 'value'; readonly value: JsonValue }
  | { readonly kind: 'refused'; readonly error: StatusError };

export function decodeJson(bytes: Uint8Array): Decoded {
  if (!isUtf8(bytes)) return refused('the body is not valid UTF-8');
  if (nestsDeeperThan(bytes, jsonDepthMax)) {
    return refused(`the body nests deeper than ${jsonDepthMax} levels`);
  }
  try {
    return { kind: 'value', value: parseJsonText(decodeTrustedText(bytes)) };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) {
      return refused(`the body is not valid JSON: ${error.message}`);
    }
    throw error;
  }
}

const prettyIndent = 2;

/** Compact, or indented by two spaces. */
export function encodeJson(value: JsonValue, pretty = false): Uint8Array {
  return Buffer.from(stringifyJson(value, pretty ? prettyIndent : 0), 'utf8');
}

function refused(message: string): Decoded {
  return { kind: 'refused', error: newBadRequest(message) };
}

/** Counts brackets outside strings; on text that is not JSON the answer does not matter. */
function nestsDeeperThan(bytes: Uint8Array, limit: number): boolean {
  // Each level takes an opening and a closing byte, so most bodies need no look at all.
  if (bytes.length <= 2 * limit) return false;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === 0x22) inString = !inString;
    else if (inString) at += byte === 0x5c ? 1 : 0;
    else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth > limit) return true;
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1;
  }
  return false;
}
