/**
 * Defaults of a schema: what is absent is filled in, and what is null where null may not be
 * (spec 1, section 2.2). Defaults inside of what is absent are not: an object that has to be there
 * with its defaults has a default itself.
 *
 * Invariants: outer values are filled before what is in them. A part in which nothing is absent is
 * returned as it came, so filling twice gives the very same value. Parts whose schema has no
 * defaults are not visited. Bounds: linear in the value and in the declared properties of its
 * objects.
 */
import type { JsonObject, JsonValue, ObjectDraft } from '../../apimachinery/unstructured.ts';
import { defaultOf, memberSchema, spineMemo } from '../schema/structural-schema.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';

const hasDefaults = spineMemo((schema) => defaultOf(schema) !== undefined);

/** `schema` undefined: it describes nothing. */
export function fillDefaults(value: JsonValue, schema: StructuralSchema | undefined): JsonValue {
  if (schema === undefined || typeof value !== 'object' || value === null) return value;
  if (!hasDefaults(schema)) return value;
  if (Array.isArray(value)) return fillItems(value, schema);
  return fillMembers(value as JsonObject, schema);
}

function fillItems(list: readonly JsonValue[], { items }: StructuralSchema): JsonValue {
  if (items === undefined) return list;
  let changed: JsonValue[] | undefined;
  for (let at = 0; at < list.length; at += 1) {
    const item = list[at] as JsonValue;
    const made = fillDefaults(inPlaceOfNull(item, items), items);
    if (made === item) continue;
    changed ??= [...list];
    changed[at] = made;
  }
  return changed ?? list;
}

function inPlaceOfNull(value: JsonValue, schema: StructuralSchema): JsonValue {
  if (value !== null || schema.nullable === true) return value;
  return defaultOf(schema) ?? null;
}

function fillMembers(members: JsonObject, schema: StructuralSchema): JsonValue {
  let changed: ObjectDraft | undefined;
  for (const [name, filled] of defaultedProperties(schema)) {
    const there = Object.hasOwn(members, name) ? members[name] : undefined;
    const isMissing = there === undefined || (there === null && filled.nullable !== true);
    if (isMissing) setOwn((changed ??= { ...members }), name, filled.default);
  }
  const filled = changed ?? members;
  for (const name in filled) {
    const member = filled[name];
    const below = memberSchema(schema, name);
    if (member === undefined || below === undefined) continue;
    const made = fillDefaults(inPlaceOfNull(member, below), below);
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
