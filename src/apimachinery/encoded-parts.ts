/**
 * The bytes of large parts of objects, by the very value.
 *
 * Most updates of large objects leave some of their parts as they are: the spec, where the status
 * is written, all but metadata, what another manager owns. A part that is the very same value has
 * the bytes that it had, and need not be written again.
 *
 * Invariant: values are never changed once they are made. Bound: a part keeps the bytes of the
 * object in which it was written last, as long as somebody has the part.
 */
import type { JsonObject } from './unstructured.ts';

export interface PartPlace {
  readonly part: JsonObject;
  /** In the bytes of its object. */
  readonly start: number;
  readonly end: number;
}

const encodedParts = new WeakMap<JsonObject, Uint8Array>();

export function encodedPart(part: JsonObject): Uint8Array | undefined {
  return encodedParts.get(part);
}

export function keepParts(bytes: Uint8Array, places: readonly PartPlace[]): void {
  for (const { part, start, end } of places) encodedParts.set(part, bytes.subarray(start, end));
}
