/**
 * Data of a schema as values, wrapped one level at a time when they are read: nothing is copied,
 * and what no rule looks at costs nothing.
 *
 * An object's property that is null is not there. Lists of type set and map are equal whatever
 * their order, and `+` joins them without repeating an entry: those of the right replace those of
 * the left that have the same key, and keep their places.
 *
 * Invariants: data that are not what their schema says (they are validated before) give evaluation
 * errors, never exceptions of JavaScript. Bounds: linear in what is compared or joined.
 */
import { deepEqual } from '../../stdx/deep-equal.ts';

import { equals, equalsAttempted } from '../evaluate/equality.ts';
import { attempted, attemptedElements, listGet, listSize, madeList } from '../evaluate/lists.ts';
import type { AnyList } from '../evaluate/lists.ts';
import { EvaluationError, evaluationError } from '../evaluation-error.ts';
import type { Type } from '../type.ts';
import { adapt, Double, Duration, ListValue, MapValue, ObjectValue, Timestamp } from '../value.ts';
import type { Value } from '../value.ts';
import { readBytes, readDate, readDateTime, readDuration } from './schema-text.ts';
import { memberOf } from './schema.ts';
import { fieldOf } from './schema-type.ts';
import type { SchemaType } from './schema-type.ts';

type Members = Readonly<Record<string, unknown>>;

/** A piece of JSON as a value of its type. */
export function schemaValue(data: unknown, schema: SchemaType): Value {
  if (data === null || data === undefined) {
    if (schema.nullable) return null;
    throw evaluationError('invalid data, got null for schema with nullable=false');
  }
  switch (schema.kind) {
    case 'dynamic':
      return adapt(data);
    case 'object':
      return new SchemaObject(objectData(data), schema);
    case 'map':
      return schema.plain ? objectData(data) : new SchemaMap(objectData(data), schema);
    case 'list':
      return schema.plain ? listData(data) : new SchemaList(listData(data), schema);
    case 'set':
      return new SetList(new SchemaList(listData(data), schema));
    case 'map-list':
      return new KeyedList(new SchemaList(listData(data), schema), schema.keys);
    case 'number':
      if (typeof data === 'number' || typeof data === 'bigint') return new Double(Number(data));
      throw wrongData('float', data);
    case 'int-or-string':
    case 'integer':
    case 'boolean':
    case 'string':
      return scalarValue(data, schema.kind);
    default:
      return formattedValue(data, schema);
  }
}

function wrongData(expected: string, data: unknown): Error {
  return evaluationError(`invalid data, expected ${expected}, got ${typeName(data)}`);
}

/** As clients know it from the reference. */
function typeName(data: unknown): string {
  if (Array.isArray(data)) return '[]interface {}';
  if (typeof data === 'object') return 'map[string]interface {}';
  if (typeof data === 'boolean') return 'bool';
  if (typeof data === 'string') return 'string';
  return isWhole(data) ? 'int64' : 'float64';
}

function isWhole(data: unknown): boolean {
  return typeof data === 'bigint' || Number.isSafeInteger(data);
}

function objectData(data: unknown): Members {
  if (typeof data === 'object' && data !== null && !Array.isArray(data)) return data as Members;
  throw evaluationError('invalid data, expected a map for the provided schema with type=object');
}

function listData(data: unknown): readonly unknown[] {
  if (Array.isArray(data)) return data;
  throw evaluationError('invalid data, expected an array for the provided schema with type=array');
}

type ScalarKind = 'int-or-string' | 'integer' | 'boolean' | 'string';

const scalarNames = { integer: 'int', boolean: 'bool', string: 'string' } as const;

function scalarValue(data: unknown, kind: ScalarKind): Value {
  if (fits(data, kind)) return adapt(data);
  if (kind !== 'int-or-string') throw wrongData(scalarNames[kind], data);
  throw evaluationError(
    'invalid data, expected XIntOrString value to be either a string or integer',
  );
}

function fits(data: unknown, kind: ScalarKind): boolean {
  switch (kind) {
    case 'int-or-string':
      return typeof data === 'string' || isWhole(data);
    case 'integer':
      return isWhole(data);
    case 'boolean':
    case 'string':
      return typeof data === kind;
  }
}

function formattedValue(data: unknown, { kind }: SchemaType): Value {
  if (typeof data !== 'string') throw wrongData('string', data);
  if (kind === 'duration') return readDuration(data);
  if (kind === 'date') return readDate(data);
  return kind === 'bytes' ? readBytes(data) : readDateTime(data);
}

class SchemaObject extends ObjectValue {
  readonly data: Members;
  readonly schema: SchemaType;
  /** Of the field that was read last: the rules of a place read the same few again and again. */
  #name: string | undefined;
  #value: Value | undefined;
  constructor(data: Members, schema: SchemaType) {
    super();
    this.data = data;
    this.schema = schema;
  }
  override get type(): Type {
    return this.schema.type;
  }
  override field(name: string): Value | undefined {
    if (name === this.#name) return this.#value;
    const value = this.#read(name);
    this.#name = name;
    this.#value = value;
    return value;
  }
  #read(name: string): Value | undefined {
    const field = fieldOf(this.schema, name);
    if (field === undefined) return undefined;
    const data = memberOf(this.data, field.property);
    return data === undefined || data === null ? undefined : schemaValue(data, field.type);
  }
  override isSet(name: string): boolean {
    // What is there and is not what its schema says is an error here, too.
    return this.field(name) !== undefined;
  }
  /** Members that no schema describes are compared as JSON. */
  override equalTo(other: Value): boolean {
    if (!(other instanceof SchemaObject)) return false;
    const [mine, theirs] = [this.data, other.data];
    if (Object.keys(mine).length !== Object.keys(theirs).length) return false;
    const described = fieldsByProperty(this.schema);
    return Object.keys(mine).every((property) => {
      const [a, b] = [mine[property], memberOf(theirs, property)];
      const type = described.get(property);
      if (type === undefined) return b === undefined || deepEqual(a, b);
      const present = [a, b].filter((data) => data !== undefined && data !== null).length;
      if (present < 2) return present === 0;
      return equalsAttempted(
        schemaValue(a, type),
        attempted(() => schemaValue(b, type)),
      );
    });
  }
  /** Members that are there. */
  override size(): number {
    return Object.keys(this.data).length;
  }
}

const byProperty = new WeakMap<SchemaType, ReadonlyMap<string, SchemaType>>();

function fieldsByProperty(schema: SchemaType): ReadonlyMap<string, SchemaType> {
  const known = byProperty.get(schema);
  if (known !== undefined) return known;
  const made = new Map([...schema.fields.values()].map(({ property, type }) => [property, type]));
  byProperty.set(schema, made);
  return made;
}

class SchemaMap extends MapValue {
  readonly data: Members;
  readonly schema: SchemaType;
  constructor(data: Members, schema: SchemaType) {
    super();
    this.data = data;
    this.schema = schema;
  }
  override size(): number {
    return Object.keys(this.data).length;
  }
  override find(key: Value): Value | undefined {
    if (typeof key !== 'string') return undefined;
    const data = memberOf(this.data, key);
    return data === undefined ? undefined : schemaValue(data, this.schema.element as SchemaType);
  }
  override keys(): Iterable<Value> {
    return Object.keys(this.data);
  }
}

class SchemaList extends ListValue {
  readonly data: readonly unknown[];
  readonly schema: SchemaType;
  constructor(data: readonly unknown[], schema: SchemaType) {
    super();
    this.data = data;
    this.schema = schema;
  }
  override size(): number {
    return this.data.length;
  }
  override get(index: number): Value {
    return schemaValue(this.data[index], this.schema.element as SchemaType);
  }
}

/** A list whose entries are told apart by keys. */
abstract class UnorderedList extends ListValue {
  protected readonly list: AnyList;
  constructor(list: AnyList) {
    super();
    this.list = list;
  }
  override size(): number {
    return listSize(this.list);
  }
  override get(index: number): Value {
    return listGet(this.list, index);
  }
  protected abstract keyOf(element: Value): string;
  protected abstract like(list: AnyList): ListValue;

  override equalTo(other: AnyList): boolean {
    if (listSize(other) !== this.size()) return false;
    const mine = new Map<string, Value>();
    for (const entry of attemptedElements(this.list)) {
      // What has no value of its type is not found: it is like nothing.
      if (!(entry instanceof EvaluationError)) mine.set(this.keyOf(entry), entry);
    }
    for (const entry of attemptedElements(other)) {
      if (entry instanceof EvaluationError) return false;
      const found = mine.get(this.keyOf(entry));
      if (found === undefined || !equals(found, entry)) return false;
    }
    return true;
  }
  override concat(other: AnyList): Value {
    const merged = [...attemptedElements(this.list)];
    const places = new Map<string, number>();
    merged.forEach((entry, index) => {
      if (!(entry instanceof EvaluationError)) places.set(this.keyOf(entry), index);
    });
    for (const entry of attemptedElements(other)) {
      const key = entry instanceof EvaluationError ? undefined : this.keyOf(entry);
      const place = key === undefined ? undefined : places.get(key);
      if (place !== undefined) merged[place] = entry;
      else {
        if (key !== undefined) places.set(key, merged.length);
        merged.push(entry);
      }
    }
    return this.like(madeList(merged));
  }
}

class SetList extends UnorderedList {
  protected override keyOf(element: Value): string {
    const key = scalarKey(element);
    if (key !== undefined) return key;
    throw evaluationError('listSet operations are only supported on lists of scalar values');
  }
  protected override like(list: AnyList): ListValue {
    return new SetList(list);
  }
}

class KeyedList extends UnorderedList {
  readonly #keys: readonly string[];
  constructor(list: AnyList, keys: readonly string[]) {
    super(list);
    this.#keys = keys;
  }
  protected override keyOf(element: Value): string {
    return JSON.stringify(this.#keys.map((key) => scalarKey(memberValue(element, key)) ?? null));
  }
  protected override like(list: AnyList): ListValue {
    return new KeyedList(list, this.#keys);
  }
}

function memberValue(element: Value, key: string): Value {
  if (element instanceof SchemaObject) {
    // As it is written, whatever its schema says.
    return adapt(memberOf(element.data, fieldOf(element.schema, key)?.property ?? key));
  }
  if (element instanceof ObjectValue) return element.field(key) ?? null;
  if (element instanceof MapValue) return element.find(key) ?? null;
  if (typeof element !== 'object' || element === null || Array.isArray(element)) return null;
  return adapt(memberOf(element as Members, key));
}

/** Equal scalars have equal keys; undefined for what is no scalar. */
function scalarKey(value: Value): string | undefined {
  if (value === null) return 'null';
  if (typeof value !== 'object') return `${typeof value === 'string' ? 's' : 'n'}${value}`;
  if (value instanceof Double) return `n${value.value}`;
  if (value instanceof Timestamp) return `t${value.seconds}.${value.nanos}`;
  if (value instanceof Duration) return `d${value.nanos}`;
  if (value instanceof Uint8Array) return `b${Buffer.from(value).toString('base64')}`;
  return undefined;
}
