/**
 * A list in Protobuf (spec 1, sections 2.3 and 4.3).
 *
 *     6b 38 73 00 | Unknown { typeMeta, raw: length | ListMeta | tag length item | ... , "", "" }
 *
 * The length of all items stands before the first of them: they are measured, then sent.
 *
 * Invariant: an item is a message without an envelope; its kind follows from the list's.
 */
import { assert } from '../../stdx/assert.ts';
import { encodeMessageSteps } from '../codecs/protobuf-encode-steps.ts';
import { encodeMessage } from '../codecs/protobuf-encode.ts';
import { envelopeAround, fieldHead, fieldHeadBytes, fieldHeadInto } from '../codecs/protobuf.ts';
import { listMetaType } from '../typed/meta-types.ts';
import type { ObjectSchema } from '../typed/type-schema.ts';
import type { JsonValue } from '../unstructured.ts';
import { itemMaker } from './list-form.ts';
import type { ItemPrefix, ListForm, ListMeta } from './list-form.ts';

/** A tag of one or two bytes and a length below 2^35. */
const headBytesMax = 7;

/** `parse` reads an item's JSON; `itemSchema` is that of an item. */
export function protobufList(
  listSchema: ObjectSchema,
  itemSchema: ObjectSchema,
  meta: ListMeta,
  parse: (json: Uint8Array) => JsonValue,
): ListForm {
  const metadataNumber = numberOf(listSchema, 'metadata');
  const itemsNumber = numberOf(listSchema, 'items');
  const metadata = fieldOf(metadataNumber, metadataMessage(meta));
  const { apiVersion, kind } = meta;
  return {
    needs: 'bytes',
    lead: leadOf(itemsNumber),
    ...itemMaker(
      parse,
      (value) => encodeMessage(itemSchema, value),
      (value, bytes) => encodeMessageSteps(itemSchema, value, bytes),
    ),
    frame({ bytes }) {
      const { head, tail } = envelopeAround({ apiVersion, kind }, metadata.length + bytes);
      // Metadata comes first in all lists but the oldest one of partial metadata.
      return metadataNumber < itemsNumber
        ? { head: Buffer.concat([head, metadata]), tail }
        : { head, tail: Buffer.concat([metadata, tail]) };
    },
  };
}

function metadataMessage(meta: ListMeta): Uint8Array {
  return encodeMessage(listMetaType, {
    resourceVersion: meta.resourceVersion,
    continue: meta.continue,
    remainingItemCount: meta.remainingItemCount,
  });
}

function fieldOf(number: number, message: Uint8Array): Uint8Array {
  return Buffer.concat([fieldHead(number, message.length), message]);
}

function leadOf(number: number): ItemPrefix {
  return {
    bytesMax: headBytesMax,
    bytes: (itemBytes) => fieldHeadBytes(number, itemBytes),
    into: (target, at, itemBytes) => fieldHeadInto(target, at, number, itemBytes),
  };
}

function numberOf(schema: ObjectSchema, name: string): number {
  const number = schema.members.get(name)?.number;
  assert(number !== undefined, `${schema.name} has ${name}`);
  return number;
}
