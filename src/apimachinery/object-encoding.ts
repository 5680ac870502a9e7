/**
 * The stored form of an object, and the way in and out of it (spec 1, section 2.2).
 *
 *   {"kind":"Pod","apiVersion":"v1","metadata":{"name":"a",...},"spec":...}
 *                                               ^ metadataAt: `"resourceVersion":"7",` goes here
 *
 * What clients send is decoded in codecs/. Stored bytes are trusted.
 *
 * Invariants: kind, apiVersion and metadata come first, in this order, compact; the rest keeps the
 * object's own order. Stored bytes carry no metadata.resourceVersion; stamped bytes do. Metadata
 * is never empty (a stored object has a name), so a stamp always ends in a comma. Integers keep
 * their digits.
 */
import { assert, AssertionError } from '../stdx/assert.ts';
import { ownMemory, pooledMemory } from '../stdx/blocks.ts';
import type { Allocate } from '../stdx/blocks.ts';
import { createPairCache } from '../stdx/pair-cache.ts';
import { finished } from '../stdx/stepwise.ts';
import type { Steps } from '../stdx/stepwise.ts';
import { parseJsonText, parseSteps } from './codecs/lossless.ts';
import { writtenLarge } from './large-object-writer.ts';
import { writtenObject } from './object-writer.ts';
import { extractFields, extractSteps } from './shared-fields.ts';
import type { ApiObject, JsonObject, ObjectDraft } from './unstructured.ts';

export interface EncodedObject {
  /** Compact JSON without metadata.resourceVersion. Short-lived: may share a pooled buffer. */
  readonly bytes: Uint8Array;
  /** Of a large one: what it lies in, alone, with room for what a record has around it. */
  readonly memory: Buffer | undefined;
  /** Byte offset just behind the opening brace of metadata. */
  readonly metadataAt: number;
}

const stampHead = '"resourceVersion":"';
const stampTail = '",';
const openingBrace = 0x7b;
const closingBrace = 0x7d;
const openingBracket = 0x5b;
const closingBracket = 0x5d;
const comma = 0x2c;
const quote = 0x22;
const backslash = 0x5c;

/** What stands before, between and behind the two strings that every object begins with. */
const beforeKind = Buffer.from('{"kind":');
const beforeApiVersion = Buffer.from(',"apiVersion":');
const beforeMetadata = Buffer.from(',"metadata":');

export function encodeObject(object: ApiObject): EncodedObject {
  const head = headOf(object.kind, object.apiVersion);
  const metadataAt = head.length + 1;
  const known = encodedLarge.get(object);
  if (known !== undefined) return known;
  let bytes = writtenObject(head, object);
  let memory: Buffer | undefined;
  if (bytes === undefined) ({ bytes, memory } = finished(writtenLarge(head, object)));
  assert(bytes.length > head.length + 3, 'a stored object has metadata');
  return { bytes, memory, metadataAt };
}

const encodedLarge = new WeakMap<ApiObject, EncodedObject>();

/** Encodes a large object in parts, so that encodeObject() of the very same one has it at once. */
export function* encodeLargeSteps(object: ApiObject): Steps<void> {
  const head = headOf(object.kind, object.apiVersion);
  if (encodedLarge.has(object) || writtenObject(head, object) !== undefined) return;
  yield;
  const written = yield* writtenLarge(head, object);
  encodedLarge.set(object, { ...written, metadataAt: head.length + 1 });
}

/** Of the kinds that there are. Emptied when full: users define kinds, too. */
const headsMax = 1_000;
const heads = createPairCache<Uint8Array>(headsMax);

/** What stands before the braces of metadata. */
function headOf(kind: string, apiVersion: string): Uint8Array {
  const known = heads.get(apiVersion, kind);
  if (known !== undefined) return known;
  const made = Buffer.from(`${headText(kind, apiVersion)},"metadata":`);
  heads.keep(apiVersion, kind, made);
  return made;
}

/** Inserts the resourceVersion. The result has its own, exactly sized memory: it lives long. Who
 * knows better says where it lies. */
export function stampResourceVersion(
  bytes: Uint8Array,
  metadataAt: number,
  revision: bigint,
  allocate: Allocate = ownMemory,
): Uint8Array {
  assert(
    bytes[metadataAt - 1] === openingBrace && bytes[metadataAt] === quote,
    'metadataAt points behind the opening brace of non-empty metadata',
  );
  const text = stampHead + revision.toString() + stampTail;
  const stamped = allocate(bytes.length + text.length);
  // One whole copy to its place behind the stamp, then the short head moves back to the front.
  stamped.set(bytes, text.length);
  stamped.copyWithin(0, text.length, text.length + metadataAt);
  stamped.write(text, metadataAt, 'latin1');
  return stamped;
}

/** The same bytes for one answer: they may lie in a pool, because they are gone when it is sent. */
export function stampForAnswer(
  bytes: Uint8Array,
  metadataAt: number,
  revision: bigint,
): Uint8Array {
  return stampResourceVersion(bytes, metadataAt, revision, pooledMemory);
}

/** Bytes that encodeObject or stampResourceVersion made. Anything else is a broken invariant. */
export function decodeObject(bytes: Uint8Array): ApiObject {
  const text = decodeTrustedText(bytes);
  const apart = extractFields(text);
  if (apart === undefined) return parseJsonText(text) as ApiObject;
  const object = parseJsonText(apart.text) as ApiObject;
  // Elsewhere than in the object's own metadata nobody knows what they are.
  return putBackFields(object, apart.fields) ? object : (parseJsonText(text) as ApiObject);
}

/** decodeObject() in parts. Written out beside it, for each write decodes, and finishing these
 * steps costs a tenth more. */
export function* decodeSteps(bytes: Uint8Array): Steps<ApiObject> {
  const text = yield* trustedTextSteps(bytes);
  yield;
  const apart = yield* extractSteps(text);
  if (apart === undefined) return (yield* parseSteps(text)) as ApiObject;
  yield;
  const object = (yield* parseSteps(apart.text)) as ApiObject;
  if (putBackFields(object, apart.fields)) return object;
  yield;
  return (yield* parseSteps(text)) as ApiObject;
}

/** So many bytes take a part of a turn to decode. */
const largeBytesMin = 64 * 1024;

const decodedLarge = new WeakMap<Uint8Array, WeakRef<ApiObject>>();

/** decodeObject() for bytes that several read, one after the other: as long as one of them, or the
 * collector, holds a large object, the others have it at once. */
export function decodeShared(bytes: Uint8Array): ApiObject {
  if (!isLarge(bytes)) return decodeObject(bytes);
  const known = decodedLarge.get(bytes)?.deref();
  if (known !== undefined) return known;
  const object = decodeObject(bytes);
  decodedLarge.set(bytes, new WeakRef(object));
  return object;
}

/** decodeShared() in parts; it ends as soon as somebody else has decoded them. */
export function* decodeSharedSteps(bytes: Uint8Array): Steps<ApiObject> {
  if (!isLarge(bytes)) return decodeObject(bytes);
  for (const steps = decodeSteps(bytes); ; yield) {
    const known = decodedLarge.get(bytes)?.deref();
    if (known !== undefined) return known;
    const step = steps.next();
    if (step.done !== true) continue;
    decodedLarge.set(bytes, new WeakRef(step.value));
    return step.value;
  }
}

/** Whether it takes long to decode: such work has a turn of the event loop for itself. */
export function isLarge(bytes: Uint8Array): boolean {
  return bytes.byteLength >= largeBytesMin;
}

/** Into the entries of an object that nobody else has seen yet, if each is of one of them. */
function putBackFields(object: ApiObject, fields: readonly JsonObject[]): boolean {
  const { managedFields } = object.metadata;
  const entries = Array.isArray(managedFields) ? (managedFields as readonly ObjectDraft[]) : [];
  const bare = entries.filter((entry) => entry['fieldsV1'] === null);
  if (bare.length !== fields.length) return false;
  for (const [i, entry] of bare.entries()) entry['fieldsV1'] = fields[i];
  return true;
}

/** The JSON of metadata, braces included: a view into `bytes`, found without parsing. */
export function metadataBytes(bytes: Uint8Array): Uint8Array {
  const { start, end } = metadataSpan(bytes);
  return bytes.subarray(start, end);
}

/** What an object is, without who owns its fields: managedFields are most of its metadata, and need
 * not be parsed by whoever does not ask for them. They are the last member in all that is encoded
 * here; in a record that has them elsewhere they stay. */
export function identifyingMetadata(bytes: Uint8Array): ApiObject['metadata'] {
  const { start, end, lastComma } = metadataSpan(bytes);
  const hasManagers = managersWord.every((byte, at) => bytes[lastComma + at] === byte);
  const text = hasManagers
    ? `${decodeTrustedText(bytes.subarray(start, lastComma))}}`
    : decodeTrustedText(bytes.subarray(start, end));
  return JSON.parse(text) as ApiObject['metadata'];
}

const managersWord = Buffer.from(',"managedFields":');

interface MetadataSpan {
  /** Of the opening brace. */
  readonly start: number;
  /** Behind the closing one. */
  readonly end: number;
  /** Before the last member; `start` when there is but one. */
  readonly lastComma: number;
}

function metadataSpan(bytes: Uint8Array): MetadataSpan {
  const start = findMetadata(bytes) + beforeMetadata.length;
  let lastComma = start;
  let depth = 0;
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) at = endOfString(bytes, at) - 1;
    else if (byte === openingBrace || byte === openingBracket) depth += 1;
    else if (byte === closingBrace || byte === closingBracket) {
      depth -= 1;
      if (depth === 0) return { start, end: at + 1, lastComma };
    } else if (byte === comma && depth === 1) lastComma = at;
  }
  throw new AssertionError('stored metadata ends');
}

/** Bytes before metadata of an object with this kind and apiVersion: see withObjectHead. */
export function objectHead(kind: string, apiVersion: string): Uint8Array {
  return Buffer.from(headText(kind, apiVersion));
}

function headText(kind: string, apiVersion: string): string {
  return `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)}`;
}

/** The same object under another kind and apiVersion, without parsing: for versions that share
 * one shape. `head` comes from objectHead. */
export function withObjectHead(bytes: Uint8Array, head: Uint8Array): Uint8Array {
  const from = findMetadata(bytes);
  const out = Buffer.allocUnsafe(head.length + bytes.length - from);
  out.set(head, 0);
  out.set(bytes.subarray(from), head.length);
  return out;
}

/** Whether an object begins with this head and goes on with its metadata. */
export function hasObjectHead(bytes: Uint8Array, head: Uint8Array): boolean {
  if (bytes.length <= head.length || bytes[head.length] !== beforeMetadata[0]) return false;
  // Backwards: heads differ in the version first, which stands at the end.
  for (let at = head.length - 1; at >= 0; at -= 1) if (bytes[at] !== head[at]) return false;
  return true;
}

/** Offset of `,"metadata":{`. */
function findMetadata(bytes: Uint8Array): number {
  let at = endOfString(bytes, beforeKind.length);
  at = endOfString(bytes, at + beforeApiVersion.length);
  assert(
    bytes[at + 2] === beforeMetadata[2] && bytes[at + beforeMetadata.length] === openingBrace,
    'a stored object begins with kind, apiVersion and metadata',
  );
  return at;
}

/** `at` is the opening quote; the result is the offset behind the closing one. */
function endOfString(bytes: Uint8Array, at: number): number {
  for (let next = at + 1; next < bytes.length; next += 1) {
    if (bytes[next] === backslash) next += 1;
    else if (bytes[next] === quote) return next + 1;
  }
  throw new AssertionError('a string in a stored object ends');
}

/** Text of UTF-8 bytes that are known to be valid. */
export function decodeTrustedText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/** What is not ASCII takes a hundred times as long to decode: two milliseconds. */
const decodedAtOnce = 256 * 1024;

/** decodeTrustedText() in parts. */
export function* trustedTextSteps(bytes: Uint8Array): Steps<string> {
  let text = '';
  for (let from = 0; from < bytes.length;) {
    if (from > 0) yield;
    let to = from + decodedAtOnce;
    // Not within a character.
    while (to < bytes.length && ((bytes[to] as number) & 0xc0) === 0x80) to -= 1;
    text += decodeTrustedText(bytes.subarray(from, to));
    from = to;
  }
  return text;
}
