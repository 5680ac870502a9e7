/**
 * What type a value has, as `type(x)` gives it, and whether it can be an argument of a type.
 */
import { Boxed } from '../boxed.ts';
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  optionalType,
  stringType,
  timestampType,
  Type,
  typeType,
  uintType,
} from '../type.ts';
import {
  Double,
  Duration,
  ListValue,
  MapValue,
  ObjectValue,
  OpaqueValue,
  OptionalValue,
  Timestamp,
  Uint,
} from '../value.ts';
import type { Value } from '../value.ts';
import { isList } from './lists.ts';
import { isMap } from './maps.ts';

const anyList = listType(dynType);
const anyMap = mapType(dynType, dynType);
const anyOptional = optionalType(dynType);

export function typeOf(value: Value): Type {
  switch (typeof value) {
    case 'string':
      return stringType;
    case 'boolean':
      return boolType;
    case 'number':
    case 'bigint':
      return intType;
    default:
  }
  if (value === null) return nullType;
  if (Array.isArray(value)) return anyList;
  if (value instanceof Uint8Array) return bytesType;
  if (!(value instanceof Boxed)) return anyMap;
  return boxedType(value);
}

function boxedType(value: Boxed): Type {
  if (value instanceof ObjectValue || value instanceof OpaqueValue) return value.type;
  if (value instanceof ListValue) return anyList;
  if (value instanceof MapValue) return anyMap;
  if (value instanceof Uint) return uintType;
  if (value instanceof Double) return doubleType;
  if (value instanceof Timestamp) return timestampType;
  if (value instanceof Duration) return durationType;
  return value instanceof OptionalValue ? anyOptional : typeType;
}

/** Whether the value can be where this type is declared. Of lists and maps only the outside. */
export function hasType(value: Value, type: Type): boolean {
  switch (type.kind) {
    case 'dyn':
    case 'any':
    case 'error':
    case 'parameter':
      return true;
    case 'null':
      return value === null;
    case 'bool':
      return typeof value === 'boolean';
    case 'int':
      return typeof value === 'number' || typeof value === 'bigint';
    case 'string':
      return typeof value === 'string';
    case 'uint':
      return value instanceof Uint;
    case 'double':
      return value instanceof Double;
    case 'bytes':
      return value instanceof Uint8Array;
    case 'timestamp':
      return value instanceof Timestamp;
    case 'duration':
      return value instanceof Duration;
    case 'list':
      return isList(value);
    case 'map':
      return isMap(value);
    case 'type':
      return value instanceof Type;
    case 'wrapper':
      return value === null || hasType(value, type.parameters[0] as Type);
    case 'object':
      return value instanceof ObjectValue && value.type.name === type.name;
    case 'opaque':
      return typeOf(value).name === type.name;
  }
}
