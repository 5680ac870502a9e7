/**
 * Writes the msgpack of a stored record where its items are as they nearly always are: short texts
 * of ASCII, small maps of them, a number and bytes. A general encoder takes four times as long.
 *
 * Whatever else it meets ends it (undefined), and the general encoder writes the record.
 * record-reader.ts is its counterpart.
 *
 * Invariant: what it writes is, byte for byte, what the general encoder writes.
 * Bound: what stands before the object fits `headBytesMax`.
 */
import { blockMemory } from '../stdx/blocks.ts';
import type { ObjectRecord } from './record.ts';

const headBytesMax = 4096;
const shortTextMax = 0x1f;
const textMax = 0xff;
const mapMembersMax = 0xf;

/** Records are made and committed one after the other. Those of objects that are written again soon
 * stay for a while, and with them their blocks, which are small therefore. */
const allocate = blockMemory(16 * 1024);

/** Written over by each record: what is in it has been copied when a call returns. */
const head = Buffer.alloc(headBytesMax);
let used = 0;

export interface WrittenRecord {
  /** New memory, or that of the object, of which the last bytes are the record. */
  readonly memory: Buffer;
  readonly bytes: Buffer;
  /** Where the object's own bytes begin in them. */
  readonly objectAt: number;
}

/** `before`, then the items from the uid on, the shape included: around the object, where its
 * memory has room for them, so that a large one is not copied. Not for a record with a timer.
 * `room`: how many bytes are free before them. */
export function writeRecord(
  before: Uint8Array,
  record: ObjectRecord,
  room: number,
): WrittenRecord | undefined {
  const { fields, labels, metadataAt, object, shape, uid } = record;
  head.set(before);
  used = before.length;
  if (!text(uid) || !textMap(labels) || !textMap(fields)) return undefined;
  if (!shortNumber(metadataAt) || !binaryHead(object.length)) return undefined;
  // What comes behind the object is made behind what stands before it, and put in its place.
  const objectAt = used;
  if (shape !== undefined && !text(shape)) return undefined;
  const placed = placeAround(record, room + objectAt, used - objectAt);
  const memory = placed ?? allocate(room + used + object.length);
  const bytes = room === 0 ? memory : memory.subarray(room);
  for (let at = 0; at < objectAt; at += 1) bytes[at] = head[at] as number;
  if (placed === undefined) bytes.set(object, objectAt);
  for (let at = objectAt; at < used; at += 1) bytes[at + object.length] = head[at] as number;
  return { memory, bytes, objectAt };
}

/** The object with so many bytes before and behind it, if it has them. */
function placeAround(
  { memory, object }: ObjectRecord,
  before: number,
  behind: number,
): Buffer | undefined {
  if (memory === undefined) return undefined;
  const start = object.byteOffset - memory.byteOffset - before;
  const end = start + before + object.length + behind;
  return start < 0 || end > memory.length ? undefined : memory.subarray(start, end);
}

/** False: it is not of ASCII, or too long. */
function text(value: string): boolean {
  const { length } = value;
  if (length > textMax || used + 2 + length > headBytesMax) return false;
  if (length <= shortTextMax) head[used++] = 0xa0 | length;
  else {
    head[used++] = 0xd9;
    head[used++] = length;
  }
  for (let at = 0; at < length; at += 1) {
    const code = value.charCodeAt(at);
    if (code > 0x7f) return false;
    head[used++] = code;
  }
  return true;
}

function textMap(map: Readonly<Record<string, string>>): boolean {
  const countAt = used;
  let count = 0;
  if (used + 1 > headBytesMax) return false;
  used += 1;
  for (const key in map) {
    count += 1;
    if (!Object.hasOwn(map, key) || !text(key) || !text(map[key] as string)) return false;
  }
  head[countAt] = 0x80 | count;
  return count <= mapMembersMax;
}

function shortNumber(value: number): boolean {
  if (used + 3 > headBytesMax || value > 0xffff) return false;
  if (value < 0x80) head[used++] = value;
  else if (value <= 0xff) {
    head[used++] = 0xcc;
    head[used++] = value;
  } else {
    head[used++] = 0xcd;
    used = head.writeUInt16BE(value, used);
  }
  return true;
}

function binaryHead(length: number): boolean {
  if (used + 5 > headBytesMax) return false;
  const sizeOf = length <= 0xff ? 0 : length <= 0xffff ? 1 : 2;
  head[used++] = 0xc4 + sizeOf;
  used = head.writeUIntBE(length, used, 1 << sizeOf);
  return true;
}
