/**
 * A list in Protobuf (spec 1, sections 2.3 and 4.3).
 *
 * What it is not: streamed. The envelope begins with the length of the whole, so all items must
 * have been encoded before the first byte is sent.
 */
import { assert } from '../stdx/assert.ts';
import { encodeMessage } from './codecs/protobuf-encode.ts';
import { fieldHead, sealEnvelope } from './codecs/protobuf.ts';
import type { ListMeta } from './list-body.ts';
import { listMetaType } from './typed/meta-types.ts';
import type { ObjectSchema } from './typed/type-schema.ts';

/** `items` are messages without an envelope; an item's kind follows from the list's. */
export function protobufList(
  listSchema: ObjectSchema,
  meta: ListMeta,
  items: readonly Uint8Array[],
): Uint8Array {
  const metadata = encodeMessage(listMetaType, {
    resourceVersion: meta.resourceVersion,
    continue: meta.continue,
    remainingItemCount: meta.remainingItemCount,
  });
  const metadataNumber = numberOf(listSchema, 'metadata');
  const itemsNumber = numberOf(listSchema, 'items');
  const parts = items.flatMap((item) => [fieldHead(itemsNumber, item.length), item]);
  const metadataParts = [fieldHead(metadataNumber, metadata.length), metadata];
  // Metadata comes first in all lists but the oldest one of partial metadata.
  if (metadataNumber < itemsNumber) parts.unshift(...metadataParts);
  else parts.push(...metadataParts);
  const { apiVersion, kind } = meta;
  return sealEnvelope({ apiVersion, kind, raw: Buffer.concat(parts) });
}

function numberOf(schema: ObjectSchema, name: string): number {
  const number = schema.members.get(name)?.number;
  assert(number !== undefined, `${schema.name} has ${name}`);
  return number;
}
