/**
 * Converts the value of an expression to JSON, for mutations.
 */
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
import type { Steps } from '../../stdx/stepwise.ts';
import { bodyValuesMax } from '../../apimachinery/codecs/body-bounds.ts';
import { durationText, timestampText } from '../../cel/library/time-text.ts';
import type { JsonValue } from '../../apimachinery/unstructured.ts';
import { MadeObject } from './mutation-types.ts';

/** Undefined: an optional that is empty, and so is not written.
 * @throws EvaluationError, also for more members and items than a body may hold. */
export function jsonOf(value: Value): Steps<JsonValue | undefined> {
  return written(value, { left: bodyValuesMax });
}

/** Members and items between two steps. */
const valuesAtOnce = 2_000;

/** For so many members and items. */
interface Room {
  left: number;
}

function* written(value: Value, room: Room): Steps<JsonValue | undefined> {
  room.left -= 1;
  if (room.left % valuesAtOnce === 0) yield;
  if (room.left < 0) {
    throw evaluationError(`the value holds more than ${bodyValuesMax} members and items`);
  }
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof Double) return finite(value.value);
  if (value instanceof Uint) return value.value;
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return durationText(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof OptionalValue) {
    return value.value === undefined ? undefined : yield* written(value.value, room);
  }
  if (value instanceof MadeObject) return yield* membersOf(value.fields, room);
  if (Array.isArray(value)) return yield* itemsOf(value.map(adapt), room);
  if (value instanceof ListValue) {
    return yield* itemsOf(
      Array.from({ length: value.size() }, (_none, at) => value.get(at)),
      room,
    );
  }
  if (value instanceof MapValue) {
    return yield* membersOf(entriesOf(value), room);
  }
  if (Object.getPrototypeOf(value) === Object.prototype) {
    return yield* membersOf(
      Object.entries(value).map(([name, member]) => [name, adapt(member)]),
      room,
    );
  }
  throw evaluationError('the value cannot be written as JSON');
}

function* entriesOf(map: MapValue): Generator<readonly [string, Value], void> {
  for (const key of map.keys()) yield [nameOf(key), map.find(key) ?? null];
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw evaluationError(`${value} cannot be written as JSON`);
  return value;
}

function nameOf(key: Value): string {
  if (typeof key !== 'string') throw evaluationError('names of members are texts');
  return key;
}

function* itemsOf(items: readonly Value[], room: Room): Steps<JsonValue> {
  const list: JsonValue[] = [];
  for (const item of items) {
    const json = yield* written(item, room);
    if (json !== undefined) list.push(json);
  }
  return list;
}

function* membersOf(entries: Iterable<readonly [string, Value]>, room: Room): Steps<JsonValue> {
  const object: Record<string, JsonValue> = {};
  for (const [name, value] of entries) {
    const json = yield* written(value, room);
    if (json !== undefined) setMember(object, name, json);
  }
  return object;
}
