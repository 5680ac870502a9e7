/**
 * CBOR as clients send it and get it (spec 1, section 4.3): one data item, RFC 8949.
 *
 *     d9 d9 f7 | item          the self-described tag (55799) stands before all that is sent
 *
 * How single items are read and written is in cbor-decode.ts and cbor-encode.ts.
 *
 * Invariants: what is written is deterministic (RFC 8949, section 4.2.1), so equal values make
 * equal bytes. The tag may be absent in what is read. Anything behind the item is refused.
 */
import { newBadRequest } from '../status-error.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { TypeSchema } from '../typed/type-schema.ts';
import type { JsonValue } from '../unstructured.ts';
import { TooManyValues, bodyValuesMax, newTooManyValues } from './body-bounds.ts';
import { MalformedCbor, itemSteps, readItem } from './cbor-decode.ts';
import { encodeItem, encodeItemSteps } from './cbor-encode.ts';
import type { Decoded } from './json.ts';

/** Begins every document, and so every frame of a sequence. */
export const cborPrefix: Uint8Array = Uint8Array.of(0xd9, 0xd9, 0xf7);

/** `type` tells which texts stand for bytes; without it all texts are texts. */
export function encodeCbor(value: JsonValue, type?: TypeSchema, bytesAbout?: number): Uint8Array {
  return encodeItem(cborPrefix, value, type, bytesAbout);
}

/** encodeCbor() in parts. */
export function encodeCborSteps(
  value: JsonValue,
  type?: TypeSchema,
  bytesAbout?: number,
): Steps<Uint8Array> {
  return encodeItemSteps(cborPrefix, value, type, bytesAbout);
}

export function decodeCbor(bytes: Uint8Array, valuesMax = bodyValuesMax): Decoded {
  try {
    return { kind: 'value', value: readItem(bytes, valuesMax) };
  } catch (error) {
    return refusalOf(error, valuesMax);
  }
}

/** decodeCbor() in parts. */
export function* cborSteps(
  bytes: Uint8Array,
  valuesMax = bodyValuesMax,
): Generator<undefined, Decoded> {
  try {
    return { kind: 'value', value: yield* itemSteps(bytes, valuesMax) };
  } catch (error) {
    return refusalOf(error, valuesMax);
  }
}

function refusalOf(error: unknown, valuesMax: number): Decoded {
  if (error instanceof TooManyValues)
    return { kind: 'refused', error: newTooManyValues(valuesMax) };
  if (!(error instanceof MalformedCbor)) throw error;
  const message = `the body is not valid CBOR: ${error.message}`;
  return { kind: 'refused', error: newBadRequest(message) };
}
