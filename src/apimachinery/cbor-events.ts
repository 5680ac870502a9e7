/**
 * Frames of a watch in CBOR: a sequence of data items (RFC 8742), one an event
 * (spec 1, sections 2.4, 4.3 and 6).
 *
 *     d9 d9 f7 | { type: ..., object: d9 d9 f7 | {...} }
 *
 * The object carries the tag of its own: clients keep it as bytes and know them by it.
 *
 * What a frame says is what the JSON frame of the same watch says, so Tables and partial metadata
 * come in it too.
 *
 * Invariants: as event-frames.ts; equal ids make equal bytes. Every frame begins with the prefix.
 */
import { cborPrefix } from './codecs/cbor.ts';
import { encodeAround, encodeItem } from './codecs/cbor-encode.ts';
import { parseJsonText } from './codecs/lossless.ts';
import { knownItem, readiness, tableEvents } from './event-frames.ts';
import type { EventFrames, EventItems, TableEncoding, TableEventOptions } from './event-frames.ts';
import { decodeTrustedText } from './object-encoding.ts';
import type { ObjectSchema } from './typed/type-schema.ts';
import type { JsonObject, JsonValue } from './unstructured.ts';

/** `frames` are in JSON; `schema` is that of the objects in them, where they have one. `items` are
 * these objects in CBOR; undefined: all are made of the frames. */
export function cborEvents(
  frames: EventFrames,
  schema: ObjectSchema | undefined,
  items: EventItems | undefined,
): EventFrames {
  return {
    id: `cbor/${frames.id}`,
    ...readiness(items),
    event(type, entry) {
      const item = items && knownItem(items, type, entry);
      if (item === undefined) return recoded(frames.event(type, entry), schema);
      return Buffer.concat([headOf(type), cborPrefix, item]);
    },
    bookmark: (revision, end) => recoded(frames.bookmark(revision, end), schema),
    error: (status) => recoded(frames.error(status), undefined),
  };
}

/** Every object as a Table of one row; `options.rows` are in CBOR. */
export function cborTableEvents(options: TableEventOptions): EventFrames {
  const frames = tableEvents({ ...options, encoding: tablesInCbor });
  const { bookmark, error, id } = cborEvents(frames, undefined, undefined);
  return { ...frames, id, bookmark, error };
}

const tablesInCbor: TableEncoding = {
  row: (json) => encodeItem(nothing, parseJsonText(decodeTrustedText(json))),
  frame(type, headText, row, tailText) {
    const table = parseJsonText(headText + tailText) as JsonObject;
    const { head, tail } = encodeAround(cborPrefix, table, 'rows', 1);
    return Buffer.concat([headOf(type), head, row, tail]);
  },
};

const nothing = new Uint8Array(0);

function recoded(line: Uint8Array, schema: ObjectSchema | undefined): Uint8Array {
  const event = parseJsonText(decodeTrustedText(line)) as JsonObject;
  const head = Buffer.concat([headOf(String(event['type'])), cborPrefix]);
  return encodeItem(head, event['object'] as JsonValue, schema, line.length);
}

/** What stands before the object. */
function headOf(type: string): Uint8Array {
  return Buffer.concat([
    eventHead,
    Uint8Array.of(byteString + type.length),
    Buffer.from(type),
    inObject,
  ]);
}

const byteString = 0x40;
const key = (name: string): Uint8Array =>
  Buffer.concat([Uint8Array.of(byteString + name.length), Buffer.from(name)]);
const mapOfTwo = Uint8Array.of(0xa2);
/** `type` is shorter than `object`, so it comes first. */
const eventHead = Buffer.concat([cborPrefix, mapOfTwo, key('type')]);
const inObject = key('object');
