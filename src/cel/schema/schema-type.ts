/**
 * Types from schemas (spec 2.2): what an expression may do with data of a schema, how large the
 * data can be, and how a piece of JSON becomes a value, one level at a time when it is read.
 *
 * Sizes are for estimates. What a schema does not bound is bounded by the largest request: a list
 * holds as many of its smallest elements as one request can carry.
 *
 * Invariants: what has no type in expressions (data without a schema, properties whose names
 * cannot be written) has no field here. Linear in the schema; made once for each schema.
 */
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  objectType,
  stringType,
  timestampType,
} from '../type.ts';
import type { Type } from '../type.ts';
import { escapeProperty } from './property-names.ts';
import { valueSchema, withResourceProperties } from './schema.ts';
import type { Schema } from './schema.ts';

/** Bytes of the largest request. */
export const requestBytesMax = 3 * 1024 * 1024;

/** Bytes of JSON, with quotation marks where there are any. */
const minBytes = {
  dynamic: 1,
  text: 2,
  boolean: 4,
  number: 1,
  duration: 3,
  date: 12,
  dateTime: 21,
  empty: 2,
} as const;
const durationMax = 32;
const dateMax = 12;
const dateTimeMax = 32;

export type SchemaKind =
  /** Not of a schema: any JSON. */
  | 'dynamic'
  | 'int-or-string'
  | 'object'
  | 'map'
  | 'list'
  | 'set'
  | 'map-list'
  | 'string'
  | 'bytes'
  | 'duration'
  | 'date'
  | 'date-time'
  | 'boolean'
  | 'number'
  | 'integer';

export interface SchemaField {
  /** In the data. */
  readonly property: string;
  readonly type: SchemaType;
}

export interface SchemaType {
  readonly kind: SchemaKind;
  readonly schema: Schema;
  readonly type: Type;
  readonly nullable: boolean;
  /** Characters, bytes, elements or entries; 0 for what has no size. */
  readonly maxElements: number;
  /** Bytes of the smallest JSON that is valid. */
  readonly minSerializedSize: number;
  /** Of an object, by their names in expressions. */
  readonly fields: ReadonlyMap<string, SchemaField>;
  /** Of a list or a map. */
  readonly element: SchemaType | undefined;
  /** Of a map whose keys are bounded. */
  readonly key?: SchemaType | undefined;
  /** The data are values as they stand: they need no wrapping. */
  readonly plain: boolean;
  /** Of a map-list: the names of its keys in expressions. */
  readonly keys: readonly string[];
}

export interface SchemaTypeOptions {
  /** What the types of objects are called after: `selfType` gives `selfType.spec`. */
  readonly name: string;
  /** A whole resource: its name and its kind can always be read. */
  readonly resource?: boolean | undefined;
}

/** Undefined: data of this schema cannot be named in expressions. */
export function schemaType(schema: Schema, options: SchemaTypeOptions): SchemaType | undefined {
  return build(schema, options.name, options.resource === true);
}

/** A word that the language keeps for itself may also stand as it is where a field is meant. */
export function fieldOf({ fields }: SchemaType, name: string): SchemaField | undefined {
  return fields.get(name) ?? fields.get(`__${name}__`);
}

const noFields: ReadonlyMap<string, SchemaField> = new Map();

type Shape = Pick<SchemaType, 'kind' | 'type' | 'maxElements' | 'minSerializedSize' | 'plain'> &
  Partial<SchemaType>;

function finish(schema: Schema, shape: Shape): SchemaType {
  const nullable = schema.nullable === true;
  return { schema, nullable, fields: noFields, element: undefined, keys: [], ...shape };
}

function build(schema: Schema, name: string, resource: boolean): SchemaType | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) return intOrString(schema);
  switch (schema.type) {
    case 'array':
      return list(schema, name);
    case 'object':
      return objectOrMap(resource ? withResourceProperties(schema) : schema, name);
    case 'string':
      return string(schema);
    case 'boolean':
      return finish(schema, scalar('boolean', boolType, minBytes.boolean));
    case 'number':
      return finish(schema, { ...scalar('number', doubleType, minBytes.number), plain: false });
    case 'integer':
      return finish(schema, scalar('integer', intType, minBytes.number));
    default:
      return undefined;
  }
}

function buildInner(schema: Schema, name: string): SchemaType | undefined {
  return build(schema, name, schema['x-kubernetes-embedded-resource'] === true);
}

function scalar(kind: SchemaKind, type: Type, minSerializedSize: number): Shape {
  return { kind, type, maxElements: 0, minSerializedSize, plain: true };
}

function intOrString(schema: Schema): SchemaType {
  const maxElements = boundedText(schema) ?? requestBytesMax - 2;
  return finish(schema, { ...scalar('int-or-string', dynType, minBytes.dynamic), maxElements });
}

/** A character can take four bytes. */
function boundedText({ maxLength }: Schema): number | undefined {
  return maxLength === undefined ? undefined : atLeastZero(maxLength) * 4;
}

function atLeastZero(bound: number): number {
  return bound < 0 ? 0 : bound;
}

function list(schema: Schema, name: string): SchemaType | undefined {
  if (schema.items === undefined) return undefined;
  const element = buildInner(schema.items, `${name}.@idx`);
  if (element === undefined) return undefined;
  const kind = listKind(schema);
  return finish(schema, {
    kind,
    type: listType(element.type),
    element,
    maxElements:
      schema.maxItems === undefined
        ? Math.floor((requestBytesMax - 2) / (element.minSerializedSize + 1))
        : atLeastZero(schema.maxItems),
    minSerializedSize: minBytes.empty,
    // Null elements would pass as they are.
    plain: false,
    keys: (schema['x-kubernetes-list-map-keys'] ?? []).map((key) => escapeProperty(key) ?? key),
  });
}

function listKind(schema: Schema): 'list' | 'set' | 'map-list' {
  const listType = schema['x-kubernetes-list-type'];
  return listType === 'set' ? 'set' : listType === 'map' ? 'map-list' : 'list';
}

function objectOrMap(schema: Schema, name: string): SchemaType | undefined {
  const values = valueSchema(schema);
  return values === undefined ? object(schema, name) : map(schema, values, name);
}

function map(schema: Schema, values: Schema, name: string): SchemaType | undefined {
  const element = buildInner(values, `${name}.@elem`);
  if (element === undefined) return undefined;
  return finish(schema, {
    kind: 'map',
    type: mapType(stringType, element.type),
    element,
    maxElements:
      schema.maxProperties === undefined
        ? Math.floor((requestBytesMax - 2) / (element.minSerializedSize + 6))
        : atLeastZero(schema.maxProperties),
    minSerializedSize: minBytes.empty,
    plain: false,
  });
}

function object(schema: Schema, name: string): SchemaType {
  const required = new Set(schema.required);
  const fields = new Map<string, SchemaField>();
  let minSerializedSize: number = minBytes.empty;
  for (const [property, inner] of Object.entries(schema.properties ?? {})) {
    const escaped = escapeProperty(property);
    const type = buildInner(inner, `${name}.${escaped ?? property}`);
    if (type === undefined) continue;
    if (escaped !== undefined) fields.set(escaped, { property, type });
    // A default is filled in by the server and need not be sent.
    if (required.has(property) && (inner.default === undefined || inner.default === null)) {
      minSerializedSize += Buffer.byteLength(property, 'utf8') + type.minSerializedSize + 4;
    }
  }
  const type = objectType(name);
  return finish(schema, {
    kind: 'object',
    type,
    fields,
    maxElements: 0,
    minSerializedSize,
    plain: false,
  });
}

function string(schema: Schema): SchemaType {
  const formatted = (kind: SchemaKind, type: Type, min: number, maxElements: number) =>
    finish(schema, { kind, type, maxElements, minSerializedSize: min, plain: false });
  switch (schema.format) {
    case 'byte': {
      const { maxLength } = schema;
      const most = maxLength === undefined ? requestBytesMax - 2 : atLeastZero(maxLength);
      return formatted('bytes', bytesType, minBytes.text, most);
    }
    case 'duration':
      return formatted('duration', durationType, minBytes.duration, durationMax);
    case 'date':
      return formatted('date', timestampType, minBytes.date, dateMax);
    case 'date-time':
      return formatted('date-time', timestampType, minBytes.dateTime, dateTimeMax);
    default: {
      const maxElements = boundedText(schema) ?? longestOf(schema.enum) ?? requestBytesMax - 2;
      return finish(schema, { ...scalar('string', stringType, minBytes.text), maxElements });
    }
  }
}

function longestOf(values: readonly unknown[] | undefined): number | undefined {
  if (values === undefined || values.length === 0) return undefined;
  let longest = 0;
  for (const value of values) {
    if (typeof value === 'string') longest = Math.max(longest, Buffer.byteLength(value, 'utf8'));
  }
  return longest;
}
