/**
 * Fields and elements: `x.name`, `x[key]`, has(x.name), and the same with `?`.
 */
import { Boxed } from '../boxed.ts';
import { evaluationError } from '../evaluation-error.ts';
import { Double, ListValue, MapValue, none, ObjectValue, OptionalValue, Uint } from '../value.ts';
import type { Value } from '../value.ts';
import { isList, listGet, listSize } from './lists.ts';
import type { AnyList } from './lists.ts';
import { isPlainMap, mapFind, noSuchKey, plainMember } from './maps.ts';
import { typeOf } from './run-time-type.ts';

/** Undefined: it is not there, as in a value that has no fields at all. */
function findField(target: Value, name: string): Value | undefined {
  if (target instanceof ObjectValue) return target.field(name);
  if (target instanceof MapValue) return target.find(name);
  if (typeof target === 'object' && target !== null && isPlainMap(target)) {
    return plainMember(target, name);
  }
  if (isList(target)) throw wrongIndexType(name);
  return undefined;
}

function wrongIndexType(index: Value): Error {
  return evaluationError(`unsupported index type '${typeOf(index).name}' in list`);
}

export function selectField(target: Value, name: string): Value {
  if (target instanceof ObjectValue) {
    const value = target.field(name);
    if (value === undefined) throw noSuchKey(name);
    return value;
  }
  if (target instanceof OptionalValue) {
    if (target.value !== undefined && isScalar(target.value)) throw noSuchKey(name);
    return selectOptional(target, name);
  }
  const value = findField(target, name);
  if (value === undefined) throw noSuchKey(name);
  return value;
}

/** It has neither fields nor elements, whatever is asked for. */
function isScalar(value: Value): boolean {
  if (value instanceof Boxed) return !containers.some((make) => value instanceof make);
  return typeof value !== 'object' || value === null || value instanceof Uint8Array;
}

const containers = [ObjectValue, MapValue, ListValue, OptionalValue] as const;

/** `target.?name`. */
export function selectOptional(target: Value, name: string): Value {
  if (target instanceof OptionalValue) {
    return target.value === undefined ? none : selectOptional(target.value, name);
  }
  if (target instanceof ObjectValue && !target.isSet(name)) return none;
  const value = findField(target, name);
  return value === undefined ? none : new OptionalValue(value);
}

export function hasField(target: Value, name: string): boolean {
  if (target instanceof ObjectValue) return target.isSet(name);
  if (target instanceof OptionalValue) {
    return target.value !== undefined && hasField(target.value, name);
  }
  return findField(target, name) !== undefined;
}

/** The position that a value names; undefined: it names none. */
function position(index: Value): number | undefined {
  if (typeof index === 'number') return index;
  if (index instanceof Uint) return Number(index.value);
  if (index instanceof Double && Number.isInteger(index.value)) return index.value;
  return typeof index === 'bigint' ? Number(index) : undefined;
}

function positionText(index: Value): string {
  if (typeof index === 'bigint') return String(index);
  return String(index instanceof Uint ? index.value : position(index));
}

function findElement(list: AnyList, index: Value): Value | undefined {
  const at = position(index);
  if (at === undefined) {
    if (!(index instanceof Double)) throw wrongIndexType(index);
    throw evaluationError(`unsupported index value ${index.value} in list`);
  }
  return at >= 0 && at < listSize(list) ? listGet(list, at) : undefined;
}

function findMember(target: Value, key: Value): Value | undefined {
  if (Array.isArray(target) || target instanceof ListValue) return findElement(target, key);
  if (target instanceof MapValue) return target.find(key);
  if (target instanceof ObjectValue) {
    return typeof key === 'string' ? target.field(key) : undefined;
  }
  if (typeof target === 'object' && target !== null && isPlainMap(target)) {
    return mapFind(target, key);
  }
  return undefined;
}

/** `target[key]`. */
export function index(target: Value, key: Value): Value {
  if (target instanceof OptionalValue) {
    if (target.value !== undefined && isScalar(target.value)) throw noSuchKey(key);
    return indexOptional(target, key);
  }
  const value = findMember(target, key);
  if (value !== undefined) return value;
  if (isList(target)) throw evaluationError(`index out of bounds: ${positionText(key)}`);
  throw noSuchKey(key);
}

/** `target[?key]`. */
export function indexOptional(target: Value, key: Value): Value {
  if (target instanceof OptionalValue) {
    return target.value === undefined ? none : indexOptional(target.value, key);
  }
  const value = findMember(target, key);
  return value === undefined ? none : new OptionalValue(value);
}
