/**
 * What one body may hold, whatever it is written in: levels and values. Both are checked while it
 * is read, before anything is built on them; its bytes are bounded by whoever read it.
 *
 * Everything that walks a value (comparison, patches, encoding) recurses; a thousand levels are far
 * below what the stack holds and far above what any schema nests. Every value costs some
 * microseconds on its way to the store, all within the turn of one request.
 */
import { newTooLarge } from '../status-error.ts';
import type { StatusError } from '../status-error.ts';
import type { JsonObject, JsonValue } from '../unstructured.ts';

/** Deepest nesting of lists and objects in a body; above it 400. */
export const bodyDepthMax = 1000;

/** Members of objects and items of lists in a body, those inside one another counted; above it
 * 413. A slice of 1,000 endpoints holds 20,000; each costs microseconds within one turn of the
 * event loop. A kind may have a bound of its own. */
export const bodyValuesMax = 25_000;

const comma = 0x2c;
const openingBrace = 0x7b;
const openingBracket = 0x5b;

export const tooDeep = `the body nests deeper than ${bodyDepthMax} levels`;

/** Thrown by a codec while it reads. */
export class TooManyValues extends Error {}

export function newTooManyValues(max = bodyValuesMax): StatusError {
  return newTooLarge(`the body holds more than ${max} members and items`);
}

/** Members and items, those inside one another counted, as a codec counts them. Above `most`: some
 * number above it. */
export function countValues(value: JsonValue, most = bodyValuesMax): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    // By index: to walk through the names of a long list, the engine makes all of them first.
    count = value.length;
    for (let at = 0; at < value.length && count <= most; at += 1) {
      count += countValues(value[at] as JsonValue, most - count);
    }
    return count;
  }
  for (const name in value as JsonObject) {
    count += 1 + countValues((value as JsonObject)[name] as JsonValue, most - count);
    if (count > most) break;
  }
  return count;
}

/** Of a text of JSON that nobody has read yet: it may hold more values than that. Commas and
 * brackets are counted, those in its texts, too. */
export function mayHoldMore(text: string, most: number): boolean {
  let count = 0;
  for (let at = 0; at < text.length && count <= most; at += 1) {
    const code = text.charCodeAt(at);
    if (code === comma || code === openingBrace || code === openingBracket) count += 1;
  }
  return count > most;
}
