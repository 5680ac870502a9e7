/**
 * Frames of a watch in Protobuf (spec 1, sections 2.4, 4.3 and 6).
 *
 *     4 bytes, big endian: the length of what follows
 *     WatchEvent { type = 1, object = 2 { raw = 1 } }
 *                                         └ the object in its envelope: 6b 38 73 00 | Unknown
 *
 * The event itself is bare: readers take a frame for the message and nothing else.
 *
 * Invariants: as event-frames.ts; equal ids make equal bytes. A frame is below 16 MiB as long as
 * objects are, so it begins with a zero byte.
 */
import { encodeProtobuf, envelopeAround, fieldHead } from './codecs/protobuf.ts';
import { bookmarkObject, knownItem, readiness } from './event-frames.ts';
import type { EventFrames, EventItems, JsonEventOptions } from './event-frames.ts';
import { decodeObject } from './object-encoding.ts';
import { statusType } from './typed/meta-types.ts';
import type { ObjectSchema } from './typed/type-schema.ts';
import type { JsonObject } from './unstructured.ts';

export interface ProtobufEventOptions extends JsonEventOptions {
  readonly schema: ObjectSchema;
  /** From the bytes of an entry to those of the object that is shown: JSON both. */
  readonly show: (bytes: Uint8Array) => Uint8Array;
  /** The messages of what is shown. */
  readonly items?: EventItems | undefined;
}

export function protobufEvents(options: ProtobufEventOptions): EventFrames {
  const { apiVersion, kind, items, schema, show } = options;
  return {
    id: `protobuf/${options.apiVersion}/${options.kind}`,
    ...readiness(items),
    event(type, entry) {
      const raw = items && knownItem(items, type, entry);
      if (raw !== undefined) {
        const { head, tail } = envelopeAround({ apiVersion, kind }, raw.length);
        return frame(type, head, raw, tail);
      }
      return frame(type, encodeProtobuf(schema, decodeObject(show(entry.bytes))));
    },
    bookmark(revision, end) {
      const object = JSON.parse(bookmarkObject(options, revision, end)) as JsonObject;
      return frame('BOOKMARK', encodeProtobuf(schema, object));
    },
    error: (status) => frame('ERROR', encodeProtobuf(statusType, status.toStatus())),
  };
}

/** In one piece, because a copy of what is large takes as long as much of the rest. */
function frame(type: string, ...object: readonly Uint8Array[]): Uint8Array {
  const message = watchEventParts(type, object);
  const length = Buffer.allocUnsafe(4);
  length.writeUInt32BE(message.reduce((sum, part) => sum + part.length, 0));
  return Buffer.concat([length, ...message]);
}

/** The message in parts, as `object` is: an envelope, or the JSON of a kind without a Protobuf
 * form. */
export function watchEventParts(
  type: string,
  object: readonly Uint8Array[],
): readonly Uint8Array[] {
  const text = Buffer.from(type);
  const objectBytes = object.reduce((sum, part) => sum + part.length, 0);
  const rawHead = fieldHead(1, objectBytes);
  const head = [fieldHead(1, text.length), text, fieldHead(2, rawHead.length + objectBytes)];
  return [...head, rawHead, ...object];
}
