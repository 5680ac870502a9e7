/**
 * A list in Protobuf (spec 1, sections 2.3 and 4.3): metadata is field 1, each item field 2.
 *
 * What it is not: streamed. The envelope begins with the length of the whole, so all items must
 * have been encoded before the first byte is sent.
 */
import { encodeMessage } from './codecs/protobuf-encode.ts';
import { fieldHead, sealEnvelope } from './codecs/protobuf.ts';
import type { ListMeta } from './list-body.ts';
import { listMetaType } from './typed/meta-types.ts';

/** `items` are messages without an envelope; an item's kind follows from the list's. */
export function protobufList(meta: ListMeta, items: readonly Uint8Array[]): Uint8Array {
  const metadata = encodeMessage(listMetaType, {
    resourceVersion: meta.resourceVersion,
    continue: meta.continue,
    remainingItemCount: meta.remainingItemCount,
  });
  const parts: Uint8Array[] = [fieldHead(1, metadata.length), metadata];
  for (const item of items) parts.push(fieldHead(2, item.length), item);
  const { apiVersion, kind } = meta;
  return sealEnvelope({ apiVersion, kind, raw: Buffer.concat(parts) });
}
