/**
 * From a JSON value to the Protobuf message of its type (spec 1, section 4.3 rule 4).
 *
 * What is written when it is absent follows the reference, whose clients compare bytes:
 *
 *     scalar, message        always, as zero
 *     nullable               only when there
 *     bytes                  only when there, then even when empty
 *     wrapped list           only when there
 *     list, map              one field an item; map entries in order of the keys' UTF-8
 *     zero time              an empty message
 *
 * Large values are written in parts by protobuf-encode-steps.ts.
 *
 * Invariants: total. A value that its type cannot hold is written as the zero value (decoding is
 * where such a value is refused); an unknown field is left out.
 */
import { isJsonObject } from '../unstructured.ts';
import type { JsonObject, JsonValue } from '../unstructured.ts';
import type { ScalarKind } from '../typed/type-schema.ts';
import { stringifyJson } from './lossless.ts';
import { planOf, wireTypeOf } from './protobuf-plan.ts';
import type { MessagePlan, MessageType, PlannedField, WireValue } from './protobuf-plan.ts';
import { timestampOf } from './protobuf-time.ts';
import { ReverseWriter } from './protobuf-writer.ts';

type Value = JsonValue | undefined;

const nothing: JsonObject = Object.freeze({});
const scratch = new ReverseWriter();

/** The message alone, without an envelope. */
export function encodeMessage(type: MessageType, value: JsonValue): Uint8Array {
  scratch.reset();
  writeMessage(scratch, planOf(type), value);
  return scratch.finish();
}

/** Tags of fields 1 to 3 in the small messages below. */
const varintField = (number: number): number => number << 3;
const lengthField = (number: number): number => (number << 3) | 2;

function writeMessage(w: ReverseWriter, { union, fields }: MessagePlan, value: Value): void {
  if (union) {
    for (let at = fields.length - 1; at >= 0; at -= 1) {
      const field = fields[at] as PlannedField;
      const form = alternativeOf(field, value);
      if (form !== undefined) writeField(w, field, form);
    }
    return;
  }
  const object = isJsonObject(value) ? value : nothing;
  for (let at = fields.length - 1; at >= 0; at -= 1) {
    const field = fields[at] as PlannedField;
    writeField(w, field, field.inline ? object : object[field.name]);
  }
}

/** What the value is in this form of a union; undefined: it has another. A boolean beside an object
 * says that there is something. */
export function alternativeOf(field: PlannedField, value: Value): Value {
  if (field.cardinality === 'list') return Array.isArray(value) ? value : undefined;
  if (field.value.kind === 'message') return isJsonObject(value) ? value : undefined;
  return value === true || isJsonObject(value);
}

/** Nothing is written for it. */
export function isLeftOut(field: PlannedField, value: Value): boolean {
  if (value !== undefined && value !== null) return false;
  if (field.cardinality !== 'one' || field.nullable || isBytes(field.value)) return true;
  return field.value.kind === 'wrapped-list';
}

function writeField(w: ReverseWriter, field: PlannedField, value: Value): void {
  if (isLeftOut(field, value)) return;
  switch (field.cardinality) {
    case 'one':
      writeValue(w, field.value, value);
      w.uvarint(field.tag);
      return;
    case 'list': {
      if (!Array.isArray(value)) return;
      const items = value as readonly JsonValue[];
      for (let at = items.length - 1; at >= 0; at -= 1) {
        writeValue(w, field.value, items[at]);
        w.uvarint(field.tag);
      }
      return;
    }
    case 'map':
      if (isJsonObject(value)) writeEntries(w, field, value);
  }
}

function isBytes(value: WireValue): boolean {
  return value.kind === 'scalar' && value.scalar === 'bytes';
}

function writeEntries(w: ReverseWriter, field: PlannedField, map: JsonObject): void {
  const keys = sortedKeys(map);
  for (let at = keys.length - 1; at >= 0; at -= 1) writeEntry(w, field, map, keys[at] as string);
}

export function writeEntry(
  w: ReverseWriter,
  field: PlannedField,
  map: JsonObject,
  key: string,
): void {
  const value = map[key];
  const end = w.size;
  if (!(isBytes(field.value) && (value === undefined || value === null))) {
    writeValue(w, field.value, value);
    w.uvarint((2 << 3) | wireTypeOf(field.value));
  }
  writeText(w, key);
  w.uvarint(lengthField(1));
  w.uvarint(w.size - end);
  w.uvarint(field.tag);
}

/** In order of their UTF-8 bytes, which is not the order of UTF-16 from the surrogates on. */
export function sortedKeys(map: JsonObject): readonly string[] {
  const keys = Object.keys(map);
  if (keys.length < 2) return keys;
  if (keys.some((key) => /[\ud800-\uffff]/.test(key))) {
    return keys
      .map((key) => ({ key, bytes: Buffer.from(key) }))
      .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
      .map(({ key }) => key);
  }
  return keys.sort();
}

/** The value behind a tag, with its length where it has one. */
export function writeValue(w: ReverseWriter, value: WireValue, json: Value): void {
  if (value.kind === 'scalar') return writeScalar(w, value.scalar, json);
  const end = w.size;
  if (value.kind === 'message') writeMessage(w, value.plan(), json);
  else writeWrappedList(w, value.items, json);
  w.uvarint(w.size - end);
}

function writeWrappedList(w: ReverseWriter, items: WireValue, json: Value): void {
  if (!Array.isArray(json)) return;
  const list = json as readonly JsonValue[];
  const tag = (1 << 3) | wireTypeOf(items);
  for (let at = list.length - 1; at >= 0; at -= 1) {
    writeValue(w, items, list[at]);
    w.uvarint(tag);
  }
}

function writeScalar(w: ReverseWriter, scalar: ScalarKind, json: Value): void {
  switch (scalar) {
    case 'string':
      return writeText(w, typeof json === 'string' ? json : '');
    case 'int32':
      return writeInteger(w, json, 31);
    case 'int64':
      return writeInteger(w, json, 63);
    case 'boolean':
      return w.uvarint(json === true ? 1 : 0);
    case 'double':
      return w.double(typeof json === 'number' || typeof json === 'bigint' ? Number(json) : 0);
    case 'bytes':
      return writeBytes(w, Buffer.from(typeof json === 'string' ? json : '', 'base64'));
    default: {
      const end = w.size;
      writeScalarMessage(w, scalar, json);
      w.uvarint(w.size - end);
    }
  }
}

function writeScalarMessage(w: ReverseWriter, scalar: ScalarKind, json: Value): void {
  switch (scalar) {
    case 'Quantity':
      writeText(w, quantityText(json));
      return w.uvarint(lengthField(1));
    case 'IntOrString':
      return writeIntOrString(w, json);
    case 'Time':
    case 'MicroTime':
      return writeTime(w, json, scalar === 'MicroTime');
    default:
      if (json === undefined || json === null) return;
      writeText(w, stringifyJson(json));
      w.uvarint(lengthField(1));
  }
}

function quantityText(json: Value): string {
  if (typeof json === 'string' && json !== '') return json;
  return typeof json === 'number' || typeof json === 'bigint' ? String(json) : '0';
}

function writeIntOrString(w: ReverseWriter, json: Value): void {
  const isText = typeof json === 'string';
  writeText(w, isText ? json : '');
  w.uvarint(lengthField(3));
  writeInteger(w, isText ? 0 : json, 31);
  w.uvarint(varintField(2));
  w.uvarint(isText ? 1 : 0);
  w.uvarint(varintField(1));
}

function writeTime(w: ReverseWriter, json: Value, micros: boolean): void {
  const time = typeof json === 'string' ? timestampOf(json) : undefined;
  if (time === undefined) return;
  w.uvarint(micros ? time.micros * 1000 : 0);
  w.uvarint(varintField(2));
  writeInteger(w, time.seconds, 63);
  w.uvarint(varintField(1));
}

function writeText(w: ReverseWriter, text: string): void {
  const end = w.size;
  w.text(text);
  w.uvarint(w.size - end);
}

function writeBytes(w: ReverseWriter, bytes: Uint8Array): void {
  w.bytes(bytes);
  w.uvarint(bytes.length);
}

/** `bits` beside the sign. What is no integer of that size is 0. */
function writeInteger(w: ReverseWriter, json: Value, bits: number): void {
  if (typeof json === 'number') {
    if (!Number.isInteger(json) || (bits === 31 && json !== (json | 0))) return w.uvarint(0);
    if (json >= 0 && json <= Number.MAX_SAFE_INTEGER) return w.uvarint(json);
    return writeInteger(w, BigInt(json), bits);
  }
  const fits = typeof json === 'bigint' && BigInt.asIntN(bits + 1, json) === json;
  if (fits) w.varint64(json);
  else w.uvarint(0);
}
