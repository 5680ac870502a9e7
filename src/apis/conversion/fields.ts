/**
 * Small steps that conversions are made of: rename a field, change one inside, change each item.
 *
 * Invariants: pure, and no step ever throws: a value that does not have the form a step expects
 * stays as it is.
 */
import { part } from '../../apimachinery/members.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';

export type Step = (object: JsonObject) => JsonObject;

/** `[from, to]` pairs. Other fields stay, a renamed one wins over one that has its new name. */
export function renamed(
  object: JsonObject,
  pairs: readonly (readonly [string, string])[],
): JsonObject {
  const names = new Map(pairs);
  const moved = new Set(pairs.map(([, to]) => to));
  const out: Record<string, JsonValue | undefined> = {};
  for (const [name, value] of Object.entries(object)) {
    const target = names.get(name);
    if (target !== undefined) out[target] = value;
    else if (!moved.has(name) || !Object.hasOwn(out, name)) out[name] = value;
  }
  return out;
}

export function swapped(
  pairs: readonly (readonly [string, string])[],
): readonly (readonly [string, string])[] {
  return pairs.map(([from, to]) => [to, from]);
}

export function without(object: JsonObject, ...names: readonly string[]): JsonObject {
  if (!names.some((name) => name in object)) return object;
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

/** Members that are undefined are left out. */
export function defined(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

/** The object at `path` changed by `step`; as it is when there is none. */
export function inside(object: JsonObject, path: readonly string[], step: Step): JsonObject {
  const [name, ...rest] = path;
  if (name === undefined) return step(object);
  const value = object[name];
  if (!isJsonObject(value)) return object;
  return { ...object, [name]: inside(value, rest, step) };
}

/** Each object in the list `name` changed by `step`. */
export function eachOf(object: JsonObject, name: string, step: Step): JsonObject {
  const value = object[name];
  if (!isList(value)) return object;
  return { ...object, [name]: value.map((item) => (isJsonObject(item) ? step(item) : item)) };
}

/** Each value of a map changed by `change`; undefined takes its key away. */
export function eachMember(
  map: JsonObject,
  change: (value: JsonValue) => JsonValue | undefined,
): JsonObject {
  return Object.fromEntries(
    Object.entries(map).flatMap(([key, value]) => {
      const made = value === undefined ? undefined : change(value);
      return made === undefined ? [] : [[key, made] as const];
    }),
  );
}

export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

export function annotationOf(object: JsonObject, name: string): string | undefined {
  const metadata = object['metadata'];
  const annotations = isJsonObject(metadata) ? metadata['annotations'] : undefined;
  const value = isJsonObject(annotations) ? annotations[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** Sets annotations; undefined takes one away, and the map with the last one. */
export function withAnnotations(
  object: JsonObject,
  changes: Readonly<Record<string, string | undefined>>,
): JsonObject {
  const metadata = part(object, 'metadata');
  const before = part(metadata, 'annotations');
  const needed = Object.entries(changes).some(([name, value]) => before[name] !== value);
  if (!needed) return object;
  const annotations = defined({ ...before, ...changes });
  const empty = Object.keys(annotations).length === 0;
  const rest = without(metadata, 'annotations');
  return { ...object, metadata: empty ? rest : { ...metadata, annotations } };
}

/** The typed view of an object that steps have changed: metadata keeps its form. */
export function asObject(object: JsonObject): ApiObject {
  return object as ApiObject;
}
