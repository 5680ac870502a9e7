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
import { encodeProtobuf, fieldHead, sealEnvelope } from './codecs/protobuf.ts';
import { bookmarkObject } from './event-frames.ts';
import type { EventFrames, JsonEventOptions } from './event-frames.ts';
import type { StateEncoder } from './kept-encodings.ts';
import { decodeObject } from './object-encoding.ts';
import { statusType } from './typed/meta-types.ts';
import type { ObjectSchema } from './typed/type-schema.ts';
import type { JsonObject } from './unstructured.ts';

export interface ProtobufEventOptions extends JsonEventOptions {
  readonly schema: ObjectSchema;
  /** From the bytes of an entry to those of the object that is shown: JSON both. */
  readonly show: (bytes: Uint8Array) => Uint8Array;
  /** The message of what is shown, for states that are asked for again: those of initial events. */
  readonly kept?: StateEncoder | undefined;
}

export function protobufEvents(options: ProtobufEventOptions): EventFrames {
  const { apiVersion, kind, kept, schema, show } = options;
  return {
    id: `protobuf/${options.apiVersion}/${options.kind}`,
    event(type, entry) {
      if (type === 'ADDED' && kept !== undefined) {
        return frame(type, sealEnvelope({ apiVersion, kind, raw: kept(entry) }));
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

function frame(type: string, object: Uint8Array): Uint8Array {
  const event = watchEventMessage(type, object);
  const framed = Buffer.allocUnsafe(4 + event.length);
  framed.writeUInt32BE(event.length, 0);
  framed.set(event, 4);
  return framed;
}

/** `object`: an envelope, or the JSON of a kind without a Protobuf form. */
export function watchEventMessage(type: string, object: Uint8Array): Uint8Array {
  const text = Buffer.from(type);
  const rawHead = fieldHead(1, object.length);
  return Buffer.concat([
    fieldHead(1, text.length),
    text,
    fieldHead(2, rawHead.length + object.length),
    rawHead,
    object,
  ]);
}
