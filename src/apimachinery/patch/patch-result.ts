/**
 * What applying a patch answers: the patched value, or why the patch cannot be applied
 * (spec 1, section 4.4).
 *
 * The registry makes a Status of it: it knows the object's kind and name.
 */
import { boundedMessage } from '../answer-bounds.ts';
import type { JsonValue } from '../unstructured.ts';

export type PatchRefusal =
  /** The patch is not one, whatever it is applied to: 400. */
  | 'malformed'
  /** It is one, and does not fit this object: 422. */
  | 'inapplicable'
  /** A limit was exceeded: 413. */
  | 'too-large';

export type Patched<T extends JsonValue = JsonValue> =
  | { readonly kind: 'ok'; readonly value: T }
  | {
      readonly kind: 'refused';
      readonly why: PatchRefusal;
      readonly problem: string;
      /** Which operation of several does not apply. */
      readonly at?: number | undefined;
    };

export function patchRefused(
  why: PatchRefusal,
  problem: string,
  at?: number,
): Extract<Patched, { readonly kind: 'refused' }> {
  return { kind: 'refused', why, problem, at };
}

/** A pointer or a token in a message: it may be as long as a body, and be quoted for each of many
 * patches that a policy makes. */
export function quotedText(pointer: string): string {
  return JSON.stringify(boundedMessage(pointer));
}

/** Bounds of one patch; a body is bounded before it comes here. */
export const patchLimits = {
  /** Operations in one JSON Patch. */
  operationsMax: 10_000,
  /** JSON bytes that the copy and move operations of one JSON Patch may take along, together: each
   * is looked through. */
  copiedBytesMax: 3 * 1024 * 1024,
  /** Values that those operations take along: as many as a body may hold. */
  copiedValuesMax: 25_000,
  /** Members and items that one strategic merge may walk over: ten times those of a body. Each is
   * walked over once, unless a patch names an item of a list again and again. */
  walkedValuesMax: 250_000,
  /** Segments of one JSON pointer. What a patch makes nests no deeper than a body may. */
  depthMax: 256,
} as const;
