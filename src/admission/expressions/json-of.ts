/** A value of an expression as JSON: what mutations write. */
import { setMember } from '../../stdx/lookup.ts';
import { evaluationError } from '../../cel/evaluation-error.ts';
import {
  Double,
  Duration,
  ListValue,
  MapValue,
  OptionalValue,
  Timestamp,
  Uint,
  adapt,
} from '../../cel/value.ts';
import type { Value } from '../../cel/value.ts';
import { durationText, timestampText } from '../../cel/library/time-text.ts';
import type { JsonValue } from '../../apimachinery/unstructured.ts';
import { MadeObject } from './mutation-types.ts';

/** Undefined: an optional that is empty, and so is not written. @throws EvaluationError. */
export function jsonOf(value: Value): JsonValue | undefined {
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof Double) return finite(value.value);
  if (value instanceof Uint) return value.value;
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return durationText(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof OptionalValue) {
    return value.value === undefined ? undefined : jsonOf(value.value);
  }
  if (value instanceof MadeObject) return membersOf(value.fields);
  if (Array.isArray(value)) return itemsOf(value.map(adapt));
  if (value instanceof ListValue) {
    return itemsOf(Array.from({ length: value.size() }, (_none, at) => value.get(at)));
  }
  if (value instanceof MapValue) {
    const entries = [...value.keys()].map((key): [string, Value] => [
      nameOf(key),
      value.find(key) ?? null,
    ]);
    return membersOf(entries);
  }
  if (Object.getPrototypeOf(value) === Object.prototype) {
    return membersOf(Object.entries(value).map(([name, member]) => [name, adapt(member)]));
  }
  throw evaluationError('the value cannot be written as JSON');
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw evaluationError(`${value} cannot be written as JSON`);
  return value;
}

function nameOf(key: Value): string {
  if (typeof key !== 'string') throw evaluationError('names of members are texts');
  return key;
}

function itemsOf(items: readonly Value[]): JsonValue {
  return items.map(jsonOf).filter((item) => item !== undefined);
}

function membersOf(entries: Iterable<readonly [string, Value]>): JsonValue {
  const object: Record<string, JsonValue> = {};
  for (const [name, value] of entries) {
    const json = jsonOf(value);
    if (json !== undefined) setMember(object, name, json);
  }
  return object;
}
