/**
 * API objects as data: JSON values with the few typed accessors that every kind shares
 * (spec 1, section 2.2).
 *
 * Invariants: values are immutable once decoded; a change makes a new object by spreading. An
 * integer that a double cannot hold is a bigint, so no digit is lost between request and store.
 */
import { setMember } from '../stdx/lookup.ts';

export type JsonValue = null | boolean | number | bigint | string | JsonArray | JsonObject;
export type JsonArray = readonly JsonValue[];
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

export interface OwnerReference extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean | undefined;
  readonly blockOwnerDeletion?: boolean | undefined;
}

export interface ObjectMeta extends JsonObject {
  readonly name?: string | undefined;
  readonly generateName?: string | undefined;
  readonly namespace?: string | undefined;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly generation?: number | undefined;
  readonly creationTimestamp?: string | undefined;
  readonly deletionTimestamp?: string | undefined;
  readonly deletionGracePeriodSeconds?: number | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly finalizers?: readonly string[] | undefined;
  readonly ownerReferences?: readonly OwnerReference[] | undefined;
}

/** A decoded object whose metadata has been checked: the typed fields have their types. */
export interface ApiObject extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * A copy with the member of this name set: in its place, or last.
 *
 * For writes that every request makes. `{ ...object, [name]: value }` says the same, but V8 gives
 * each result a hidden class of its own where the object came from a short literal, and whoever
 * reads it afterwards pays for that.
 */
export function withMember<T extends JsonObject>(object: T, name: string, value: JsonValue): T {
  const copy = draftOf(object);
  copy[name] = value;
  return copy as T;
}

/**
 * The object with other metadata.
 *
 * For what every write makes: the members that all objects have come first, always in this order,
 * so that all these objects are read at the same places. A spread takes what order it finds.
 */
export function withMetadata(object: ApiObject, metadata: ObjectMeta): ApiObject {
  const { apiVersion, kind } = object;
  const copy: ObjectDraft = { apiVersion, kind, metadata };
  for (const name in object) {
    if (name !== 'apiVersion' && name !== 'kind' && name !== 'metadata') {
      setMember(copy, name, object[name]);
    }
  }
  return copy as ApiObject;
}

/** An object in the making. */
export type ObjectDraft = Record<string, JsonValue | undefined>;

/** A copy to write to: see withMember. Not for a name `__proto__` that comes from outside. */
export function draftOf(object: JsonObject): ObjectDraft {
  const copy: ObjectDraft = {};
  for (const key in object) setMember(copy, key, object[key]);
  return copy;
}

/**
 * A copy without the members of these names.
 *
 * `const { [name]: _gone, ...rest } = object` says the same and takes ten times as long.
 */
export function without(object: JsonObject, ...names: readonly string[]): JsonObject {
  const copy: ObjectDraft = {};
  for (const key in object) {
    if (!names.includes(key)) setMember(copy, key, object[key]);
  }
  return copy;
}
