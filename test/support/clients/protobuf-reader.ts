/**
 * A second reader of what the server sends in Protobuf: messages by @bufbuild/protobuf, from
 * descriptors made of the facts, so that neither our codec nor our catalogue is judge of itself.
 *
 * Invariant: a field that the descriptors do not have is an error, wherever it stands.
 */
import assert from 'node:assert/strict';
import { fromBinary } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';
import type { ReflectList, ReflectMap, ReflectMessage } from '@bufbuild/protobuf/reflect';
import type { JsonObject } from '../../../src/apimachinery/unstructured.ts';
import { fieldName, readDescriptors } from '../data/protobuf-descriptors.ts';
import type { FactField, FactType } from '../../../generate/field-types.ts';

const descriptors = readDescriptors();
const magic = Buffer.from('k8s\0', 'latin1');

/** The facts leave out the types of aggregation. */
export function isKnownType(type: string): boolean {
  return descriptors.has(type);
}

/** A whole answer, an envelope and in it the message of this type of the facts, as its JSON would
 * say it: without nulls, and without zeros where zero means absent. */
export function readDocument(bytes: Uint8Array, type: string): JsonObject {
  assert.deepEqual(Buffer.from(bytes.subarray(0, 4)), magic, 'an object is in an envelope');
  const unknown = readMessage('Unknown', bytes.subarray(4));
  const typeMeta = valueOf(unknown, 'typeMeta') as ReflectMessage;
  assert.equal(valueOf(unknown, 'contentEncoding'), '');
  assert.equal(valueOf(unknown, 'contentType'), '');
  const message = readMessage(type, valueOf(unknown, 'raw') as Uint8Array);
  const head = {
    apiVersion: String(valueOf(typeMeta, 'apiVersion')),
    kind: String(valueOf(typeMeta, 'kind')),
  };
  return { ...head, ...(jsonOfObject(type, message) as JsonObject) };
}

/** The events of a whole stream: a length, and the bare message of an event, one after another. */
export function readFrames(bytes: Buffer): { type: string; object: Uint8Array }[] {
  const events = [];
  for (let at = 0; at < bytes.length;) {
    const end = at + 4 + bytes.readUInt32BE(at);
    assert.ok(end <= bytes.length, 'a frame is whole');
    const event = readMessage('WatchEvent', bytes.subarray(at + 4, end));
    const object = valueOf(event, 'object') as ReflectMessage;
    events.push({
      type: String(valueOf(event, 'type')),
      object: valueOf(object, 'raw') as Uint8Array,
    });
    at = end;
  }
  return events;
}

function readMessage(type: string, bytes: Uint8Array): ReflectMessage {
  const descriptor = descriptors.message(type);
  const read = reflect(descriptor, fromBinary(descriptor, bytes));
  refuseUnknown(read, type);
  return read;
}

function refuseUnknown(message: ReflectMessage, where: string): void {
  const unknown = (message.getUnknown() ?? []).map(({ no }) => no);
  assert.deepEqual(unknown, [], `fields of ${where} that the reference does not have`);
  for (const field of message.fields) {
    if (!message.isSet(field) || field.message === undefined) continue;
    const value: unknown = message.get(field);
    const at = `${where}.${field.name}`;
    if (field.fieldKind === 'message') refuseUnknown(value as ReflectMessage, at);
    else for (const item of (value as ReflectList).values()) refuseUnknown(item as never, at);
  }
}

function valueOf(message: ReflectMessage, name: string): unknown {
  const field = message.fields.find((each) => each.name === name);
  assert.ok(field !== undefined, `${message.desc.name} has ${name}`);
  return message.get(field);
}

function isSet(message: ReflectMessage, name: string): boolean {
  const field = message.fields.find((each) => each.name === name);
  return field !== undefined && message.isSet(field);
}

function jsonOfObject(type: string, message: ReflectMessage): unknown {
  const fields = descriptors.fieldsOf(type);
  if (fields === undefined) return jsonOfSpecial(type, message);
  const forms = fields.filter((field) => field.inline === true && field.number !== undefined);
  if (forms.length === 2 && fields.length === 2) return jsonOfUnion(forms, message);
  const json: Record<string, unknown> = {};
  for (const field of fields) {
    if (field.number === undefined || !isSet(message, fieldName(field))) continue;
    const value = jsonOf(field.type, valueOf(message, fieldName(field)));
    if (field.inline === true) Object.assign(json, value);
    else if (!meansAbsent(field, value)) json[field.name as string] = value;
  }
  return json;
}

/** An object or a list or text in JSON: both forms are there in Protobuf, one of them empty. */
function jsonOfUnion(forms: readonly FactField[], message: ReflectMessage): unknown {
  const object = forms.find(({ type }) => typeof type === 'object' && 'ref' in type) as FactField;
  const other = forms.find((form) => form !== object) as FactField;
  const form = isSet(message, fieldName(object)) ? object : other;
  return jsonOf(form.type, valueOf(message, fieldName(form)));
}

function meansAbsent(field: FactField, value: unknown): boolean {
  if (value === undefined) return true;
  if (field.required === true || field.nullable === true) return false;
  return value === '' || value === 0 || value === false;
}

function jsonOf(type: FactType, value: unknown): unknown {
  if (typeof type === 'object') {
    if ('ref' in type) return jsonOfObject(type.ref, value as ReflectMessage);
    if ('enum' in type) return value;
    if ('map' in type) {
      const entries = [...(value as ReflectMap).entries()];
      return Object.fromEntries(entries.map(([key, each]) => [key, jsonOf(type.map, each)]));
    }
    // A list may be a message with its items.
    const list = isList(value) ? value : (valueOf(value as ReflectMessage, 'items') as ReflectList);
    return [...list].map((item) => jsonOf(type.list, item));
  }
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  return typeof value === 'object' ? jsonOfSpecial(type, value as ReflectMessage) : value;
}

function isList(value: unknown): value is ReflectList {
  return typeof (value as ReflectList)[Symbol.iterator] === 'function';
}

function jsonOfSpecial(type: string, message: ReflectMessage): unknown {
  switch (type) {
    case 'Time':
    case 'MicroTime': {
      if (!isSet(message, 'seconds')) return undefined;
      const date = new Date(Number(valueOf(message, 'seconds')) * 1000).toISOString();
      const micros = Math.floor(Number(valueOf(message, 'nanos')) / 1000);
      const digits = type === 'Time' ? '' : `.${String(micros).padStart(6, '0')}`;
      return date.replace('.000Z', `${digits}Z`);
    }
    case 'Quantity':
      return valueOf(message, 'string');
    case 'IntOrString':
      return valueOf(message, 'type') === 0n
        ? valueOf(message, 'intVal')
        : valueOf(message, 'strVal');
    default: {
      const raw = valueOf(message, type === 'meta/v1.FieldsV1' ? 'Raw' : 'raw') as Uint8Array;
      return raw.length === 0 ? undefined : (JSON.parse(Buffer.from(raw).toString()) as unknown);
    }
  }
}
