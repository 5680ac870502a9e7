/**
 * Whole documents in Protobuf: the envelope, and the object inside it (spec 1, section 4.3 rule 4).
 *
 *     6b 38 73 00 | Unknown { typeMeta { apiVersion, kind }, raw, contentEncoding, contentType }
 *                                                             └ the message of the object's type
 *
 * The caller says which schema an apiVersion and kind have.
 *
 * Invariants: apiVersion and kind travel in the envelope only. All four fields are always written,
 * as the reference does. Bytes that do not begin with the magic are refused.
 */
import { text } from '../members.ts';
import { WireType } from '@bufbuild/protobuf/wire';
import type { BinaryReader } from '@bufbuild/protobuf/wire';
import { newBadRequest } from '../status-error.ts';
import type { JsonObject, JsonValue } from '../unstructured.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { ObjectSchema } from '../typed/type-schema.ts';
import type { Decoded } from './json.ts';
import { TooManyValues, bodyValuesMax, countValues, newTooManyValues } from './body-bounds.ts';
import {
  asMalformed,
  decodeMessage,
  decodeMessageSteps,
  MalformedProtobuf,
  wireReader,
} from './protobuf-decode.ts';
import { encodeMessageSteps } from './protobuf-encode-steps.ts';
import { encodeMessage } from './protobuf-encode.ts';
import { ReverseWriter } from './protobuf-writer.ts';

export const protobufMagic: Uint8Array = Uint8Array.of(0x6b, 0x38, 0x73, 0x00);

export interface Envelope {
  /** '' when the sender left it out. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
}

/** Undefined for a kind that cannot be read. */
export type SchemaOf = (apiVersion: string, kind: string) => ObjectSchema | undefined;

/** The document with its apiVersion and kind, where the envelope has them. */
export function decodeProtobuf(
  bytes: Uint8Array,
  schemaOf: SchemaOf,
  valuesMax = bodyValuesMax,
): Decoded {
  try {
    const envelope = openEnvelope(bytes);
    const schema = schemaOf(envelope.apiVersion, envelope.kind);
    return schema === undefined
      ? unknownKind(envelope)
      : document(envelope, decodeMessage(schema, envelope.raw, valuesMax), valuesMax);
  } catch (error) {
    return refusalOf(error, valuesMax);
  }
}

/** The same in steps, for a large one. */
export function* protobufSteps(
  bytes: Uint8Array,
  schemaOf: SchemaOf,
  valuesMax = bodyValuesMax,
): Steps<Decoded> {
  try {
    const envelope = openEnvelope(bytes);
    const schema = schemaOf(envelope.apiVersion, envelope.kind);
    yield;
    if (schema === undefined) return unknownKind(envelope);
    const value = yield* decodeMessageSteps(schema, envelope.raw, valuesMax);
    return document(envelope, value, valuesMax);
  } catch (error) {
    return refusalOf(error, valuesMax);
  }
}

/** @throws TooManyValues. What takes fewer bytes cannot hold as many. */
function document(
  { apiVersion, kind, raw }: Envelope,
  value: JsonValue,
  valuesMax: number,
): Decoded {
  if (raw.length > valuesMax && countValues(value, valuesMax) > valuesMax) {
    throw new TooManyValues();
  }
  const head = { ...(kind === '' ? {} : { kind }), ...(apiVersion === '' ? {} : { apiVersion }) };
  return { kind: 'value', value: { ...head, ...(value as JsonObject) } };
}

function unknownKind({ apiVersion, kind }: Envelope): Decoded {
  return refused(`${JSON.stringify(kind)} in ${JSON.stringify(apiVersion)} is not known here`);
}

/** Of what is wrong with the bytes; anything else is thrown on. */
function refusalOf(error: unknown, valuesMax: number): Decoded {
  if (error instanceof MalformedProtobuf) return refused(error.message);
  if (error instanceof TooManyValues)
    return { kind: 'refused', error: newTooManyValues(valuesMax) };
  throw error;
}

/** `object` carries its own apiVersion and kind. */
export function encodeProtobuf(schema: ObjectSchema, object: JsonObject): Uint8Array {
  return sealEnvelope({
    apiVersion: text(object, 'apiVersion'),
    kind: text(object, 'kind'),
    raw: encodeMessage(schema, object),
  });
}

/** encodeProtobuf() in parts. `bytesAbout`: of what it gives. */
export function* encodeProtobufSteps(
  schema: ObjectSchema,
  object: JsonObject,
  bytesAbout: number,
): Steps<Uint8Array> {
  const raw = yield* encodeMessageSteps(schema, object, bytesAbout);
  yield;
  const typeMeta = { apiVersion: text(object, 'apiVersion'), kind: text(object, 'kind') };
  const { head, tail } = envelopeAround(typeMeta, raw.length);
  return Buffer.concat([head, raw, tail]);
}

/** There are four, and two in the type; each may come again. */
const envelopeFieldsMax = 1_000;

/** Throws MalformedProtobuf. */
export function openEnvelope(bytes: Uint8Array): Envelope {
  if (!protobufMagic.every((byte, at) => bytes[at] === byte)) {
    throw new MalformedProtobuf('it must begin with the bytes 6b 38 73 00');
  }
  const reader = wireReader(bytes.subarray(protobufMagic.length));
  const envelope = { apiVersion: '', kind: '', raw: bytes.subarray(bytes.length) };
  try {
    for (let fields = 0; reader.pos < reader.len; fields += 1) {
      if (fields > envelopeFieldsMax)
        throw new MalformedProtobuf('its envelope has too many fields');
      const [number, wireType] = reader.tag();
      const known = number >= 1 && number <= 4 && wireType === WireType.LengthDelimited;
      if (!known) skipPlain(reader, wireType, number);
      else if (number === 1) Object.assign(envelope, readTypeMeta(reader.bytes()));
      else if (number === 2) envelope.raw = reader.bytes();
      else checkPlain(number, reader.string());
    }
  } catch (error) {
    throw asMalformed(error);
  }
  return envelope;
}

/** A group has fields that nobody counts, and no place in an envelope. */
function skipPlain(reader: BinaryReader, wireType: WireType, number: number): void {
  if (wireType === WireType.StartGroup) throw new MalformedProtobuf('its envelope holds a group');
  reader.skip(wireType, number);
}

function readTypeMeta(bytes: Uint8Array): { apiVersion?: string; kind?: string } {
  const reader = wireReader(bytes);
  const typeMeta: { apiVersion?: string; kind?: string } = {};
  for (let fields = 0; reader.pos < reader.len; fields += 1) {
    if (fields > envelopeFieldsMax) throw new MalformedProtobuf('its type has too many fields');
    const [number, wireType] = reader.tag();
    if (number === 1 && wireType === WireType.LengthDelimited) {
      typeMeta.apiVersion = reader.string();
    } else if (number === 2 && wireType === WireType.LengthDelimited) {
      typeMeta.kind = reader.string();
    } else skipPlain(reader, wireType, number);
  }
  return typeMeta;
}

/** Only the plain Protobuf message is read: no compression, no JSON inside. */
function checkPlain(number: number, text: string): void {
  const plain = text === '' || (number === 4 && /^application\/vnd\.\w+\.protobuf$/.test(text));
  if (plain) return;
  const what = number === 3 ? 'contentEncoding' : 'contentType';
  throw new MalformedProtobuf(`its ${what} ${JSON.stringify(text)} is not supported`);
}

const writer = new ReverseWriter();

export function sealEnvelope(envelope: Envelope): Uint8Array {
  writer.reset();
  writer.bytes(envelopeTail);
  writer.bytes(envelope.raw);
  writeBefore(envelope, envelope.raw.length);
  return writer.finish();
}

/** What stands before and behind `rawBytes` of a message that comes from elsewhere. */
export function envelopeAround(
  typeMeta: Omit<Envelope, 'raw'>,
  rawBytes: number,
): { readonly head: Uint8Array; readonly tail: Uint8Array } {
  writer.reset();
  writeBefore(typeMeta, rawBytes);
  return { head: writer.finish(), tail: envelopeTail };
}

/** contentEncoding and contentType: there, and empty. */
const envelopeTail: Uint8Array = Uint8Array.of(lengthTag(3), 0, lengthTag(4), 0);

function writeBefore(typeMeta: Omit<Envelope, 'raw'>, rawBytes: number): void {
  writer.uvarint(rawBytes);
  writer.uvarint(lengthTag(2));
  const end = writer.size;
  writeText(2, typeMeta.kind);
  writeText(1, typeMeta.apiVersion);
  writer.uvarint(writer.size - end);
  writer.uvarint(lengthTag(1));
  writer.bytes(protobufMagic);
}

function writeText(number: number, text: string): void {
  const end = writer.size;
  writer.text(text);
  writer.uvarint(writer.size - end);
  writer.uvarint(lengthTag(number));
}

function lengthTag(number: number): number {
  return (number << 3) | WireType.LengthDelimited;
}

/** What stands before `length` bytes in a field of their own. */
export function fieldHead(number: number, length: number): Uint8Array {
  const head = new Uint8Array(fieldHeadBytes(number, length));
  fieldHeadInto(head, 0, number, length);
  return head;
}

export function fieldHeadBytes(number: number, length: number): number {
  return varintBytes(lengthTag(number)) + varintBytes(length);
}

/** Writes it at `at`; where it ends. */
export function fieldHeadInto(
  target: Uint8Array,
  at: number,
  number: number,
  length: number,
): number {
  return varintInto(target, varintInto(target, at, lengthTag(number)), length);
}

function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes += 1;
  return bytes;
}

function varintInto(target: Uint8Array, at: number, value: number): number {
  let end = at;
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) target[end++] = (rest % 0x80) | 0x80;
  target[end++] = rest;
  return end;
}

function refused(problem: string): Decoded {
  return { kind: 'refused', error: newBadRequest(`the body is not valid Protobuf: ${problem}`) };
}
