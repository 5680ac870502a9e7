/**
 * From a Protobuf message to the JSON value of its type (spec 1, section 4.3 rule 4).
 *
 * Invariants: what is zero and may be absent is absent; a nullable or required field that is on
 * the wire is there; a message on the wire is an object, even when empty. A field that comes twice
 * has its last value, lists grow, messages merge. Unknown fields are skipped.
 *
 * Refused, with a message that says what: a length beyond its message, a wrong wire type, text
 * that is not UTF-8, raw JSON that is none, a time without a text, nesting deeper than
 * `protobufDepthMax`. The caller has bounded the size; nothing is made that the wire does not
 * hold, so memory is proportional to it.
 */
import { setMember } from '../../stdx/lookup.ts';
import { isUtf8 } from 'node:buffer';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { decodeTrustedText } from '../object-encoding.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { JsonValue } from '../unstructured.ts';
import type { ScalarKind } from '../typed/type-schema.ts';
import { decodeJson } from './json.ts';
import { planOf, wireTypeOf } from './protobuf-plan.ts';
import type { MessagePlan, MessageType, PlannedField, WireValue } from './protobuf-plan.ts';
import { textOfTimestamp } from './protobuf-time.ts';
import { TooManyValues, bodyValuesMax } from './body-bounds.ts';
import { shortText, shortTextMax } from './short-text.ts';

/** Deepest nesting of messages. The deepest built-in type that is not recursive has about 20. */
export const protobufDepthMax = 500;

/** Fields on the wire, those that are unknown, empty or come again among them, for each value that
 * the body may hold: an object of so many has fewer. */
const wireFieldsPerValue = 4;
/** Read in one step. */
const stepBytes = 64 * 1024;

/** What is wrong with the bytes; thrown by this file and by the reader of the wire. */
export class MalformedProtobuf extends Error {}

type MutableObject = Record<string, JsonValue | undefined>;

/** Throws MalformedProtobuf and TooManyValues: members that come once are not counted, they are
 * bounded by the fields on the wire. `bytes` is the whole message, without an envelope. */
export function decodeMessage(
  type: MessageType,
  bytes: Uint8Array,
  valuesMax = bodyValuesMax,
): JsonValue {
  try {
    return readMessage(spanOf(bytes, Infinity, valuesMax), planOf(type), undefined) ?? null;
  } catch (error) {
    throw asMalformed(error);
  }
}

/** The same in steps. */
export function* decodeMessageSteps(
  type: MessageType,
  bytes: Uint8Array,
  valuesMax = bodyValuesMax,
): Steps<JsonValue> {
  try {
    const span = spanOf(bytes, stepBytes, valuesMax);
    return (yield* readLargeMessage(span, planOf(type), undefined)) ?? null;
  } catch (error) {
    throw asMalformed(error);
  }
}

function spanOf(bytes: Uint8Array, pauseAt: number, valuesMax: number): Span {
  const budget = { left: valuesMax, fieldsLeft: wireFieldsPerValue * valuesMax, pauseAt };
  return { reader: wireReader(bytes), bytes, end: bytes.length, depth: 0, budget };
}

/** Refuses text that is not UTF-8, which JSON could not hold. */
export function wireReader(bytes: Uint8Array): BinaryReader {
  return new BinaryReader(bytes, (text) => {
    if (!isUtf8(text)) throw new MalformedProtobuf('a text is not valid UTF-8');
    return decodeTrustedText(text);
  });
}

/** The reader of the wire throws plain errors and range errors; anything else is a bug. */
export function asMalformed(error: unknown): unknown {
  if (error instanceof MalformedProtobuf || error instanceof TooManyValues) return error;
  const ofReader =
    error instanceof Error && (error.name === 'Error' || error.name === 'RangeError');
  return ofReader ? new MalformedProtobuf(error.message) : error;
}

/** A part of the wire: one message. */
interface Span {
  readonly reader: BinaryReader;
  /** All that the reader reads. */
  readonly bytes: Uint8Array;
  readonly end: number;
  readonly depth: number;
  /** Of the whole body. */
  readonly budget: Budget;
}

interface Budget {
  /** Items of lists and entries of maps that may still come. */
  left: number;
  /** Fields on the wire that may still come. */
  fieldsLeft: number;
  /** Where the step ends; Infinity: all is one. */
  pauseAt: number;
}

function spend(budget: Budget): void {
  budget.left -= 1;
  if (budget.left < 0) throw new TooManyValues();
}

function spendField(budget: Budget): void {
  budget.fieldsLeft -= 1;
  if (budget.fieldsLeft < 0) throw new TooManyValues();
}

/** The reader would skip the fields of a group uncounted. */
function skip(span: Span, wireType: WireType, number: number, depth = span.depth): void {
  const { budget, reader, end } = span;
  if (wireType !== WireType.StartGroup) return void reader.skip(wireType, number);
  if (depth >= protobufDepthMax) throw new MalformedProtobuf('maximum recursion depth reached');
  while (reader.pos < end) {
    spendField(budget);
    const [inner, innerType] = reader.tag();
    if (innerType !== WireType.EndGroup) skip(span, innerType, inner, depth + 1);
    else if (inner === number) return;
    else throw new MalformedProtobuf('invalid end group tag');
  }
  throw new MalformedProtobuf('a group does not end');
}

function readMessage(span: Span, plan: MessagePlan, before: Value): Value {
  const into = before === undefined ? {} : mergeInto(plan, before);
  const { reader, budget, bytes, end } = span;
  // Fields come in order of their numbers: until one does not, none of them has been here before,
  // and there is no need to look.
  let last = before === undefined ? 0 : Infinity;
  while (reader.pos < end) {
    spendField(budget);
    const tag = nextTag(reader, bytes);
    const number = tag >>> 3;
    const wireType: WireType = tag & 7;
    const isNew = number > last;
    last = number >= last ? number : Infinity;
    const field = plan.byNumber[number];
    if (field === undefined) skip(span, wireType, number);
    else readField(span, field, wireType, into, isNew);
    if (reader.pos > end) throw new MalformedProtobuf('a field reaches beyond its message');
  }
  return plan.union ? chosenAlternative(plan, into) : into;
}

/** readMessage() in steps: whatever in it is larger than one is read by this, too. */
function* readLargeMessage(span: Span, plan: MessagePlan, before: Value): Steps<Value> {
  const into = before === undefined ? {} : mergeInto(plan, before);
  const { reader, budget, bytes, end } = span;
  while (reader.pos < end) {
    spendField(budget);
    const tag = nextTag(reader, bytes);
    const wireType: WireType = tag & 7;
    const field = plan.byNumber[tag >>> 3];
    if (field === undefined) skip(span, wireType, tag >>> 3);
    else if (isLarge(span, field, wireType)) yield* readLargeField(span, field, into);
    else readField(span, field, wireType, into, false);
    if (reader.pos > end) throw new MalformedProtobuf('a field reaches beyond its message');
    if (reader.pos < budget.pauseAt) continue;
    yield;
    budget.pauseAt = reader.pos + stepBytes;
  }
  return plan.union ? chosenAlternative(plan, into) : into;
}

/** Whether what comes next is a message of more than a step. */
function isLarge({ reader, bytes }: Span, field: PlannedField, wireType: WireType): boolean {
  const { cardinality, value } = field;
  if (value.kind !== 'message' || cardinality === 'map') return false;
  if (wireType !== WireType.LengthDelimited) return false;
  // Its length takes three bytes or more: it may be 16 KiB, and is looked at again inside.
  const { pos } = reader;
  return (bytes[pos] as number) >= 0x80 && (bytes[pos + 1] as number) >= 0x80;
}

function* readLargeField(span: Span, field: PlannedField, into: MutableObject): Steps<void> {
  const { cardinality, inline, name, value } = field;
  if (value.kind !== 'message') return;
  const plan = value.plan();
  if (cardinality === 'list') {
    spend(span.budget);
    const list = (into[name] ??= []) as JsonValue[];
    list.push((yield* readLargeMessage(nested(span), plan, undefined)) ?? zeroOf(value));
  } else if (inline) {
    yield* readLargeMessage(nested(span), plan, into);
  } else {
    const read = yield* readLargeMessage(nested(span), plan, into[name]);
    if (read !== undefined) into[name] = read;
    else delete into[name];
  }
}

function readText(reader: BinaryReader, bytes: Uint8Array): string {
  const { pos } = reader;
  const length = bytes[pos] as number;
  if (length > shortTextMax || pos + 1 + length > bytes.length) return reader.string();
  const text = shortText(bytes, pos + 1, length);
  if (text === undefined) return reader.string();
  reader.pos = pos + 1 + length;
  return text;
}

/** Number and wire type in one. Tags of one and two bytes, which are nearly all, are read here;
 * the reader makes a pair of its own for each. */
function nextTag(reader: BinaryReader, bytes: Uint8Array): number {
  const { pos } = reader;
  const first = bytes[pos] as number;
  const second = bytes[pos + 1] as number;
  const tag = first < 0x80 ? first : second < 0x80 ? (first & 0x7f) | (second << 7) : 0;
  if (tag < 8 || (tag & 7) > WireType.Bit32) {
    const [number, wireType] = reader.tag();
    return ((number << 3) | wireType) >>> 0;
  }
  reader.pos = pos + (first < 0x80 ? 1 : 2);
  return tag;
}

type Value = JsonValue | undefined;

function mergeInto({ union, fields }: MessagePlan, before: Value): MutableObject {
  const isObject = typeof before === 'object' && before !== null && !Array.isArray(before);
  if (!union) return isObject ? (before as MutableObject) : {};
  // The forms of a union are kept apart by number until it is known which one counts.
  const into: MutableObject = {};
  for (const field of fields) {
    const fits =
      field.cardinality === 'list'
        ? Array.isArray(before)
        : field.value.kind === 'message'
          ? isObject
          : typeof before === 'boolean';
    if (fits) into[field.name] = before;
  }
  return into;
}

/** An object before a list before a boolean. */
function chosenAlternative({ fields }: MessagePlan, forms: MutableObject): Value {
  const of = (wanted: (field: PlannedField) => boolean) => {
    const field = fields.find(wanted);
    return field === undefined ? undefined : forms[field.name];
  };
  const object = of((f) => f.value.kind === 'message' && f.cardinality === 'one');
  const list = of((f) => f.cardinality === 'list');
  return object ?? list ?? of((f) => f.value.kind === 'scalar' && f.cardinality === 'one');
}

/** `isNew`: nothing has been read for this field. */
function readField(
  span: Span,
  field: PlannedField,
  wireType: WireType,
  into: MutableObject,
  isNew: boolean,
): void {
  const { name } = field;
  // Members that come once are bounded by their type.
  if (field.cardinality !== 'one') spend(span.budget);
  if (field.cardinality === 'list') {
    const list = (isNew ? (into[name] = []) : (into[name] ??= [])) as JsonValue[];
    const packed = wireType === WireType.LengthDelimited && wireType !== field.wireType;
    if (packed) return readPacked(span, field.value, list);
    checkWireType(field, wireType);
    do list.push(readValue(span, field.value, undefined) ?? zeroOf(field.value));
    while (comesAgain(span, field));
    return;
  }
  checkWireType(field, wireType);
  if (field.cardinality === 'map') {
    const map = (isNew ? (into[name] = {}) : (into[name] ??= {})) as MutableObject;
    do readEntry(span, field.value, map);
    while (comesAgain(span, field));
    return;
  }
  if (field.inline) {
    readValue(span, field.value, into);
    return;
  }
  const value = readValue(span, field.value, isNew ? undefined : into[name]);
  const keeps = field.nullable || field.written || !isZero(value);
  if (value !== undefined && keeps) into[name] = value;
  else if (!isNew && Object.hasOwn(into, name)) delete into[name];
}

/** Whether the next item of a list or a map follows at once; steps over its tag. Where the tag is
 * longer than a byte, whoever reads the message finds out. */
function comesAgain({ reader, bytes, end, budget }: Span, { tag }: PlannedField): boolean {
  const { pos } = reader;
  if (pos >= end || tag >= 0x80 || bytes[pos] !== tag || pos >= budget.pauseAt) return false;
  spend(budget);
  spendField(budget);
  reader.pos = pos + 1;
  return true;
}

function checkWireType(field: PlannedField, wireType: WireType): void {
  if (wireType === field.wireType) return;
  throw new MalformedProtobuf(
    `field ${field.number} (${field.name}) has wire type ${wireType}, not ${field.wireType}`,
  );
}

/** What may stay absent: see the header. Messages and lists are never zero. */
function isZero(value: Value): boolean {
  return value === '' || value === 0 || value === false;
}

/** What stands in a list or a map for a value that is no value. */
function zeroOf(value: WireValue): JsonValue {
  return value.kind === 'wrapped-list' ? [] : null;
}

/** The next length-delimited element as a span of its own. */
function nested(span: Span): Span {
  const { reader, bytes, depth, budget } = span;
  if (depth >= protobufDepthMax) {
    throw new MalformedProtobuf(`messages nest deeper than ${protobufDepthMax} levels`);
  }
  const length = reader.uint32();
  const end = reader.pos + length;
  if (end > span.end) throw new MalformedProtobuf('a field reaches beyond its message');
  return { reader, bytes, end, depth: depth + 1, budget };
}

function readPacked(span: Span, value: WireValue, list: JsonValue[]): void {
  const inner = nested(span);
  while (inner.reader.pos < inner.end) {
    spend(span.budget);
    list.push(readValue(inner, value, undefined) ?? null);
  }
  if (inner.reader.pos > inner.end) {
    throw new MalformedProtobuf('a field reaches beyond its message');
  }
}

/** Field 1, length delimited: the key of an entry, the text of a Quantity. */
const keyTag = (1 << 3) | WireType.LengthDelimited;

function readEntry(span: Span, value: WireValue, map: MutableObject): void {
  const inner = nested(span);
  const { reader, budget, bytes, end } = inner;
  const valueTag = (2 << 3) | wireTypeOf(value);
  let key = '';
  let read: Value;
  while (reader.pos < end) {
    spendField(budget);
    const tag = nextTag(reader, bytes);
    if (tag === keyTag) key = readText(reader, bytes);
    else if (tag === valueTag) read = readValue(inner, value, read);
    else skip(inner, tag & 7, tag >>> 3);
    if (reader.pos > end) throw new MalformedProtobuf('a field reaches beyond its message');
  }
  setMember(map, key, read ?? emptyOf(value));
}

/** The value of an entry that has only a key. */
function emptyOf(value: WireValue): JsonValue {
  if (value.kind === 'message') return {};
  if (value.kind === 'wrapped-list') return [];
  switch (value.scalar) {
    case 'string':
    case 'bytes':
      return '';
    case 'int32':
    case 'int64':
    case 'double':
      return 0;
    case 'boolean':
      return false;
    case 'Quantity':
      return '0';
    default:
      return null;
  }
}

function readValue(span: Span, value: WireValue, before: Value): Value {
  switch (value.kind) {
    case 'scalar':
      return readScalar(span, value.scalar);
    case 'message':
      return readMessage(nested(span), value.plan(), before);
    case 'wrapped-list':
      return readWrappedList(nested(span), value.items, before);
  }
}

function readWrappedList(span: Span, items: WireValue, before: Value): JsonValue[] {
  const list = Array.isArray(before) ? (before as JsonValue[]) : [];
  const { reader, bytes, end } = span;
  const itemTag = (1 << 3) | wireTypeOf(items);
  while (reader.pos < end) {
    spend(span.budget);
    const tag = nextTag(reader, bytes);
    if (tag === itemTag) list.push(readValue(span, items, undefined) ?? zeroOf(items));
    else skip(span, tag & 7, tag >>> 3);
    if (reader.pos > end) throw new MalformedProtobuf('a field reaches beyond its message');
  }
  return list;
}

/** Undefined: on the wire, but nothing in JSON. */
function readScalar(span: Span, scalar: ScalarKind): Value {
  const { reader } = span;
  switch (scalar) {
    case 'string':
      return readText(reader, span.bytes);
    case 'int32':
      return reader.int32();
    case 'int64':
      return readInt64(reader);
    case 'boolean':
      return reader.bool();
    case 'double':
      return finite(reader.double());
    case 'bytes': {
      const bytes = reader.bytes();
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
    }
    case 'Time':
    case 'MicroTime':
      return readTime(nested(span), scalar === 'MicroTime');
    case 'Quantity':
      return (soleText(span) ?? textField(nested(span))) || '0';
    case 'IntOrString':
      return readIntOrString(nested(span));
    default:
      return readRaw(nested(span));
  }
}

function finite(value: number): number {
  if (Number.isFinite(value)) return value;
  throw new MalformedProtobuf('a number is not finite');
}

function readInt64(reader: BinaryReader): number | bigint {
  const value = BigInt(reader.int64());
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Reads the fields of a small message; `take` says whether it has consumed the field. */
function eachField(span: Span, take: (number: number, wireType: WireType) => boolean): void {
  const { reader, budget, bytes, end } = span;
  while (reader.pos < end) {
    spendField(budget);
    const tag = nextTag(reader, bytes);
    if (!take(tag >>> 3, tag & 7)) skip(span, tag & 7, tag >>> 3);
    if (reader.pos > end) throw new MalformedProtobuf('a field reaches beyond its message');
  }
}

/** The text of a short message that holds one text and nothing else, as they nearly all do.
 * Undefined, and nothing read, when it is not such a message. */
function soleText({ reader, bytes, end }: Span): string | undefined {
  const { pos } = reader;
  const length = bytes[pos] as number;
  const fits = length >= 2 && length < 0x80 && pos + 1 + length <= end;
  if (!fits || bytes[pos + 1] !== keyTag || bytes[pos + 2] !== length - 2) return undefined;
  reader.pos = pos + 2;
  return readText(reader, bytes);
}

function textField(span: Span): string | undefined {
  let text: string | undefined;
  eachField(span, (number, wireType) => {
    if (number !== 1 || wireType !== WireType.LengthDelimited) return false;
    text = span.reader.string();
    return true;
  });
  return text;
}

function readTime(span: Span, withMicros: boolean): Value {
  let seconds = 0;
  let nanos = 0;
  eachField(span, (number, wireType) => {
    if (wireType !== WireType.Varint) return false;
    if (number === 1) seconds = Number(span.reader.int64());
    else if (number === 2) nanos = span.reader.int32();
    else return false;
    return true;
  });
  const micros = Math.floor(nanos / 1000);
  if (nanos < 0 || micros > 999_999) throw new MalformedProtobuf('a time has too many nanos');
  const text = textOfTimestamp({ seconds, micros }, withMicros);
  if (text === null) throw new MalformedProtobuf(`a time is out of range: ${seconds} seconds`);
  return text;
}

function readIntOrString(span: Span): Value {
  let type = 0;
  let number = 0;
  let text = '';
  eachField(span, (field, wireType) => {
    const { reader } = span;
    if (field === 1 && wireType === WireType.Varint) type = Number(reader.int64());
    else if (field === 2 && wireType === WireType.Varint) number = reader.int32();
    else if (field === 3 && wireType === WireType.LengthDelimited) text = reader.string();
    else return false;
    return true;
  });
  if (type !== 0 && type !== 1) throw new MalformedProtobuf('neither a number nor a string');
  return type === 0 ? number : text;
}

/** JSON in bytes. */
function readRaw(span: Span): Value {
  let raw: Uint8Array | undefined;
  eachField(span, (number, wireType) => {
    if (number !== 1 || wireType !== WireType.LengthDelimited) return false;
    raw = span.reader.bytes();
    return true;
  });
  if (raw === undefined || raw.length === 0) return undefined;
  const decoded = decodeJson(raw);
  if (decoded.kind === 'value') return decoded.value;
  throw new MalformedProtobuf(`a raw value cannot be read: ${decoded.error.message}`);
}
