/**
 * Defaults of a schema: what is absent is filled in, and what is null where null may not be
 * (spec 1, section 2.2). Defaults inside of what is absent are not: an object that has to be there
 * with its defaults has a default itself.
 *
 * Invariants: outer values are filled before what is in them. A part in which nothing is absent is
 * returned as it came, so filling twice gives the very same value. Parts whose schema has no
 * defaults are not visited. Bounds: linear in the value and in what is filled in, which may be a
 * thousand times the value: of that no more than a body may hold (`TooManyValues`).
 */
import {
  TooManyValues,
  bodyValuesMax,
  countValues,
} from '../../apimachinery/codecs/body-bounds.ts';
import { stringifyJson } from '../../apimachinery/codecs/lossless.ts';
import type { JsonObject, JsonValue, ObjectDraft } from '../../apimachinery/unstructured.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { defaultOf, memberSchema, spineMemo } from '../schema/structural-schema.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';

const hasDefaults = spineMemo((schema) => defaultOf(schema) !== undefined);

/** Characters that are filled in at most. */
const charsMax = 3 * 1024 * 1024;

/** What may still be filled in. */
interface Room {
  values: number;
  chars: number;
}

/** `schema` undefined: it describes nothing. @throws TooManyValues: too much is to be filled in. */
export function fillDefaults(value: JsonValue, schema: StructuralSchema | undefined): JsonValue {
  if (schema === undefined) return value;
  return filledIn(value, schema, { values: bodyValuesMax, chars: charsMax });
}

/** fillDefaults() in parts, for a large object. Written out beside it: finishing these steps takes
 * a third longer, and every write of a custom object fills in its defaults. */
export function* fillDefaultsSteps(
  object: JsonObject,
  schema: StructuralSchema | undefined,
): Steps<JsonObject> {
  if (schema === undefined || !hasDefaults(schema)) return object;
  return yield* membersSteps(object, schema, { values: bodyValuesMax, chars: charsMax, looked: 0 });
}

/** Objects and lists that are looked at between two steps: half a millisecond, or two. */
const lookedAtOnce = 512;

interface RoomInSteps extends Room {
  looked: number;
}

function* filledInSteps(
  value: JsonValue,
  schema: StructuralSchema,
  room: RoomInSteps,
): Steps<JsonValue> {
  if (typeof value !== 'object' || value === null) return value;
  if (!hasDefaults(schema)) return value;
  room.looked += 1;
  if (room.looked % lookedAtOnce === 0) yield;
  if (!Array.isArray(value)) return yield* membersSteps(value as JsonObject, schema, room);
  const { items } = schema;
  const list = value as readonly JsonValue[];
  if (items === undefined) return list;
  let changed: JsonValue[] | undefined;
  for (let at = 0; at < list.length; at += 1) {
    const item = list[at] as JsonValue;
    const made = yield* filledInSteps(inPlaceOfNull(item, items, room), items, room);
    if (made !== item) (changed ??= [...list])[at] = made;
  }
  return changed ?? list;
}

function* membersSteps(
  members: JsonObject,
  schema: StructuralSchema,
  room: RoomInSteps,
): Steps<JsonObject> {
  let changed = withMissing(members, schema, room);
  const filled = changed ?? members;
  for (const name in filled) {
    const member = filled[name];
    const below = memberSchema(schema, name);
    if (member === undefined || below === undefined) continue;
    const made = yield* filledInSteps(inPlaceOfNull(member, below, room), below, room);
    if (made !== member) setOwn((changed ??= { ...members }), name, made);
  }
  return changed ?? members;
}

function filledIn(value: JsonValue, schema: StructuralSchema, room: Room): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (!hasDefaults(schema)) return value;
  if (Array.isArray(value)) return fillItems(value, schema, room);
  return fillMembers(value as JsonObject, schema, room);
}

/** The default is a part of the value from here on. */
function take(given: JsonValue, room: Room): JsonValue {
  const { chars, values } = sizeOf(given);
  room.values -= values;
  room.chars -= chars;
  if (room.values < 0 || room.chars < 0) throw new TooManyValues();
  return given;
}

type Size = Readonly<Room>;

const sizes = new WeakMap<object, Size>();

function sizeOf(value: JsonValue): Size {
  if (typeof value !== 'object' || value === null) {
    return { values: 1, chars: typeof value === 'string' ? value.length : 0 };
  }
  const known = sizes.get(value);
  if (known !== undefined) return known;
  const size = { values: 1 + countValues(value), chars: stringifyJson(value).length };
  sizes.set(value, size);
  return size;
}

function fillItems(list: readonly JsonValue[], { items }: StructuralSchema, room: Room): JsonValue {
  if (items === undefined) return list;
  let changed: JsonValue[] | undefined;
  for (let at = 0; at < list.length; at += 1) {
    const item = list[at] as JsonValue;
    const made = filledIn(inPlaceOfNull(item, items, room), items, room);
    if (made === item) continue;
    changed ??= [...list];
    changed[at] = made;
  }
  return changed ?? list;
}

function inPlaceOfNull(value: JsonValue, schema: StructuralSchema, room: Room): JsonValue {
  if (value !== null || schema.nullable === true) return value;
  return take(defaultOf(schema) ?? null, room);
}

/** Undefined: nothing is missing. */
function withMissing(
  members: JsonObject,
  schema: StructuralSchema,
  room: Room,
): ObjectDraft | undefined {
  let changed: ObjectDraft | undefined;
  for (const [name, filled] of defaultedProperties(schema)) {
    const there = Object.hasOwn(members, name) ? members[name] : undefined;
    const isMissing = there === undefined || (there === null && filled.nullable !== true);
    if (isMissing) setOwn((changed ??= { ...members }), name, take(filled.default, room));
  }
  return changed;
}

function fillMembers(members: JsonObject, schema: StructuralSchema, room: Room): JsonValue {
  let changed = withMissing(members, schema, room);
  const filled = changed ?? members;
  for (const name in filled) {
    const member = filled[name];
    const below = memberSchema(schema, name);
    if (member === undefined || below === undefined) continue;
    const made = filledIn(inPlaceOfNull(member, below, room), below, room);
    if (made !== member) setOwn((changed ??= { ...members }), name, made);
  }
  return changed ?? members;
}

function setOwn(draft: ObjectDraft, name: string, value: JsonValue): void {
  // Of one name an assignment does not make a member.
  if (name !== '__proto__') draft[name] = value;
  else
    Object.defineProperty(draft, name, {
      value,
      configurable: true,
      enumerable: true,
      writable: true,
    });
}

type Filled = readonly [
  name: string,
  filled: { readonly default: JsonValue; readonly nullable: boolean | undefined },
];

const ofProperties = new WeakMap<StructuralSchema, readonly Filled[]>();

function defaultedProperties(schema: StructuralSchema): readonly Filled[] {
  const known = ofProperties.get(schema);
  if (known !== undefined) return known;
  const found = Object.entries(schema.properties ?? {}).flatMap(([name, property]): Filled[] => {
    const value = defaultOf(property);
    return value === undefined ? [] : [[name, { default: value, nullable: property.nullable }]];
  });
  ofProperties.set(schema, found);
  return found;
}
