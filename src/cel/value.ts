/**
 * Values of the expression language as JavaScript sees them.
 *
 *   null, bool, string   the same in JavaScript; sizes and indexes of strings are in code points
 *   int                  number while it is a safe integer, bigint beyond (and only beyond)
 *   uint                 Uint, which holds an int's number or bigint, never negative
 *   double               Double
 *   bytes                Uint8Array
 *   timestamp, duration  Timestamp, Duration, exact to the nanosecond
 *   list                 an array, or a ListValue
 *   map                  a plain object (its keys are strings), or a MapValue
 *   object               an ObjectValue: its type names its fields
 *   optional             OptionalValue
 *   anything else        an OpaqueValue of a library
 *   type                 Type
 *
 * JSON data is used as it is, without a copy. What comes out of an array or a plain object goes
 * through `adapt`, which turns a number that is no safe integer into a Double (as decoders of
 * JSON do) and leaves every value of the language as it is. Data whose schema says more than JSON
 * shows (a double `1`, bytes, a set) is wrapped in a ListValue, MapValue or ObjectValue by whoever
 * knows the schema, one level at a time, when it is read.
 *
 * Invariants: values never change. An int is never a bigint when a number can hold it. No value
 * is undefined: that means "not there".
 */
import { Boxed } from './boxed.ts';
import type { Type } from './type.ts';

export type Value =
  null | boolean | number | bigint | string | Boxed | Uint8Array | readonly unknown[] | PlainMap;

/** An object of JSON data. Its members are values, or JSON that `adapt` makes one. */
export interface PlainMap {
  readonly [key: string]: unknown;
}

export class Uint extends Boxed {
  readonly value: number | bigint;
  constructor(value: number | bigint) {
    super();
    this.value = value;
  }
  override get valueKind(): 'uint' {
    return 'uint';
  }
}

export class Double extends Boxed {
  readonly value: number;
  constructor(value: number) {
    super();
    this.value = value;
  }
  override get valueKind(): 'double' {
    return 'double';
  }
}

/** From year 1 to 9999; `nanos` is 0 to 999,999,999 and always counts forwards. */
export class Timestamp extends Boxed {
  readonly seconds: number;
  readonly nanos: number;
  /** Seconds east of Greenwich that it was written with; only its text shows them. */
  readonly offset: number;
  constructor(seconds: number, nanos: number, offset = 0) {
    super();
    this.seconds = seconds;
    this.nanos = nanos;
    this.offset = offset;
  }
  override get valueKind(): 'timestamp' {
    return 'timestamp';
  }
}

/** Nanoseconds in the range of a signed 64-bit integer. */
export class Duration extends Boxed {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    super();
    this.nanos = nanos;
  }
  override get valueKind(): 'duration' {
    return 'duration';
  }
}

/** A list with a mind of its own, for example one of a schema. `get` is called within bounds. */
export abstract class ListValue extends Boxed {
  override get valueKind(): 'list' {
    return 'list';
  }
  abstract size(): number;
  abstract get(index: number): Value;
  /** Equality of its own (sets, lists with keys); undefined: element by element in order. */
  equalTo(_other: readonly unknown[] | ListValue): boolean | undefined {
    return undefined;
  }
  /** `this + other` of its own; undefined: one after the other. */
  concat(_other: readonly unknown[] | ListValue): Value | undefined {
    return undefined;
  }
}

/** A map with a mind of its own. Keys are bool, int, uint or string. */
export abstract class MapValue extends Boxed {
  override get valueKind(): 'map' {
    return 'map';
  }
  abstract size(): number;
  /** Undefined: there is no such key. Numbers find keys of the same number of any numeric type. */
  abstract find(key: Value): Value | undefined;
  abstract keys(): Iterable<Value>;
}

/** Something with named fields: an object of a schema, a message. */
export abstract class ObjectValue extends Boxed {
  override get valueKind(): 'object' {
    return 'object';
  }
  abstract get type(): Type;
  /** What `x.name` gives; undefined: `no such key: name`. */
  abstract field(name: string): Value | undefined;
  /** What `has(x.name)` gives. */
  abstract isSet(name: string): boolean;
  abstract equalTo(other: Value): boolean;
  /** What a comparison is charged for. */
  size(): number {
    return 1;
  }
}

export class OptionalValue extends Boxed {
  /** Undefined: none. */
  readonly value: Value | undefined;
  constructor(value: Value | undefined) {
    super();
    this.value = value;
  }
  override get valueKind(): 'optional' {
    return 'optional';
  }
}

/** A value of a library's own type (`quantity`, `ip`, `url` ...). */
export abstract class OpaqueValue extends Boxed {
  override get valueKind(): 'opaque' {
    return 'opaque';
  }
  abstract get type(): Type;
  abstract equalTo(other: Value): boolean;
}

export const none = new OptionalValue(undefined);

const int64Min = -(2n ** 63n);
const int64Max = 2n ** 63n - 1n;

/** Canonical form of an integer: a number when that is exact. Says nothing about its range. */
export const canonicalInt = (value: bigint): number | bigint =>
  value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;

/** JSON data as a value. The value itself when it is one already. */
export function adapt(raw: unknown): Value {
  if (typeof raw === 'number') return Number.isSafeInteger(raw) ? raw + 0 : new Double(raw);
  if (typeof raw === 'bigint') {
    const inRange = raw >= int64Min && raw <= int64Max;
    return inRange ? canonicalInt(raw) : new Double(Number(raw));
  }
  if (raw === undefined) return null;
  return raw as Value;
}
