/**
 * Writes an object in its stored form (object-encoding.ts) that is too large for the writer of
 * small ones (object-writer.ts), in parts: others have their turns in between.
 *
 *     object ──▶ some bytes after the other ──▶ chunks ──▶ memory of their size, in one piece
 *                  ▲ what is known of a part
 *
 * Invariants: what it writes is, byte for byte, what object-writer.ts would write. It relies on
 * values that are never changed once they are made. Bounds: `bytesAtOnce` are written between two
 * steps, more only of one text. While it runs, an object has its bytes twice.
 */
import type { Steps } from '../stdx/stepwise.ts';
import {
  begin,
  closingBrace,
  closingBracket,
  comma,
  openingBrace,
  openingBracket,
  position,
  shortenTo,
  writeByte,
  writeBytes,
  writeName,
  writeText,
  writeValue,
  written,
} from './codecs/json-writer.ts';
import { stringifyJson } from './codecs/lossless.ts';
import { encodedPart, keepParts } from './encoded-parts.ts';
import type { PartPlace } from './encoded-parts.ts';
import { textOfFields } from './shared-fields.ts';
import type { ApiObject, JsonArray, JsonObject, JsonValue } from './unstructured.ts';
import { isJsonObject, without } from './unstructured.ts';

/** Around a large object: for the name, the labels and the fields in its record; for its shape. */
const roomBefore = 1024;
const roomBehind = 512;

/** Of an object that has memory of its own. */
const ownMemoryMin = 64 * 1024;
/** A chunk. The writer takes a little more. */
const bytesAtOnce = 48 * 1024;
/** Copied between two steps, into memory that is new. */
const copiedAtOnce = 512 * 1024;
/** Of a part that is remembered: a smaller one is soon written anew. */
const partBytesMin = 16 * 1024;

export interface LargeEncoding {
  readonly bytes: Buffer;
  /** What they lie in, alone, with room around them. Undefined: they are not so many. */
  readonly memory: Buffer | undefined;
}

interface Target {
  readonly chunks: Uint8Array[];
  /** Of the chunks. What the writer holds comes behind them. */
  size: number;
  /** What it was at the last pause. */
  pausedAt: number;
  readonly parts: PartPlace[];
}

/** `head`: the bytes in front of the braces of metadata. */
export function* writtenLarge(head: Uint8Array, object: ApiObject): Steps<LargeEncoding> {
  const target: Target = { chunks: [], size: 0, pausedAt: 0, parts: [] };
  begin();
  writeBytes(head);
  yield* tree(target, metadataInOrder(object.metadata));
  for (const name in object) {
    if (name === 'kind' || name === 'apiVersion' || name === 'metadata') continue;
    const value = object[name];
    if (value !== undefined) yield* member(target, name, false, value);
  }
  put(target, closingBrace);
  flush(target);
  return yield* joined(target);
}

/** Without a resourceVersion; managedFields come last, and so do the fields of a manager where
 * their text is known. */
function metadataInOrder(metadata: ApiObject['metadata']): JsonObject {
  const { managedFields } = metadata;
  const others = without(metadata, 'resourceVersion', 'managedFields');
  if (managedFields === undefined) return others;
  const entries = managedFields;
  const inOrder = Array.isArray(entries) ? (entries as JsonArray).map(entryInOrder) : entries;
  return { ...others, managedFields: inOrder };
}

function entryInOrder(entry: JsonValue): JsonValue {
  if (!isJsonObject(entry)) return entry;
  const { fieldsV1: fields } = entry;
  if (!isJsonObject(fields) || textOfFields(fields) === undefined) return entry;
  return { ...without(entry, 'fieldsV1'), fieldsV1: fields };
}

function* member(target: Target, name: string, isFirst: boolean, value: JsonValue): Steps<void> {
  const at = position();
  if (!writeName(name, isFirst)) {
    startAnew(target, at);
    if (!writeName(name, isFirst)) {
      shortenTo(0);
      add(target, Buffer.from(`${isFirst ? '' : ','}${JSON.stringify(name)}:`));
    }
  }
  if (isContainer(value)) yield* tree(target, value);
  else leaf(target, value);
  if (isLong(target)) yield* pause(target);
}

function* tree(target: Target, value: JsonArray | JsonObject): Steps<void> {
  if (Array.isArray(value)) return yield* items(target, value as JsonArray);
  const object = value as JsonObject;
  const text = textOfFields(object);
  if (text !== undefined) return knownText(target, text);
  const known = encodedPart(object);
  const start = target.size + position();
  if (known !== undefined) {
    flush(target);
    add(target, known);
  } else {
    put(target, openingBrace);
    let isFirst = true;
    for (const name in object) {
      const each = object[name];
      if (each === undefined) continue;
      yield* member(target, name, isFirst, each);
      isFirst = false;
    }
    put(target, closingBrace);
  }
  const end = target.size + position();
  if (end - start >= partBytesMin) target.parts.push({ part: object, start, end });
}

function* items(target: Target, list: JsonArray): Steps<void> {
  put(target, openingBracket);
  for (let i = 0; i < list.length; i += 1) {
    if (i > 0) put(target, comma);
    const item = list[i] ?? null;
    if (isContainer(item)) yield* tree(target, item);
    else leaf(target, item);
    if (isLong(target)) yield* pause(target);
  }
  put(target, closingBracket);
}

function isContainer(value: JsonValue): value is JsonArray | JsonObject {
  return typeof value === 'object' && value !== null;
}

function leaf(target: Target, value: JsonValue): void {
  const at = position();
  if (writeValue(value)) return;
  startAnew(target, at);
  if (writeValue(value)) return;
  shortenTo(0);
  add(target, Buffer.from(stringifyJson(value)));
}

function knownText(target: Target, text: string): void {
  if (writeText(text)) return;
  flush(target);
  if (!writeText(text)) add(target, Buffer.from(text));
}

function put(target: Target, byte: number): void {
  if (writeByte(byte)) return;
  flush(target);
  writeByte(byte);
}

/** What was written behind `at` did not fit. */
function startAnew(target: Target, at: number): void {
  shortenTo(at);
  flush(target);
}

/** Since the last pause. */
function isLong({ pausedAt, size }: Target): boolean {
  return size - pausedAt + position() >= bytesAtOnce;
}

/** The writer is everybody's: nothing is left in it over a pause. */
function* pause(target: Target): Steps<void> {
  flush(target);
  target.pausedAt = target.size;
  yield;
  begin();
}

function flush(target: Target): void {
  if (position() > 0) add(target, written());
  begin();
}

function add(target: Target, bytes: Uint8Array): void {
  target.chunks.push(bytes);
  target.size += bytes.length;
}

function* joined({ chunks, parts, size }: Target): Steps<LargeEncoding> {
  const memory =
    size < ownMemoryMin ? undefined : Buffer.allocUnsafeSlow(roomBefore + size + roomBehind);
  const bytes = memory?.subarray(roomBefore, roomBefore + size) ?? Buffer.allocUnsafe(size);
  let at = 0;
  let copied = 0;
  for (const chunk of chunks) {
    for (let from = 0; from < chunk.length; from += copiedAtOnce) {
      const some = chunk.subarray(from, from + copiedAtOnce);
      bytes.set(some, at);
      at += some.length;
      copied += some.length;
      if (copied < copiedAtOnce) continue;
      yield;
      copied = 0;
    }
  }
  keepParts(bytes, parts);
  return { bytes, memory };
}
