/**
 * The old value of each part of an object that is updated, and whether it is the same: what has not
 * changed is not validated by rules that came after it (spec 1, section 4.8).
 *
 * Members of objects have the old member of the same name; entries of a list with keys the old
 * entry of the same keys; entries of other lists have none. Two lists with keys are equal whatever
 * their order. An object with a member that no schema describes never is: so neither is a whole
 * resource, for its metadata.
 *
 * Invariants: nothing is compared before it is asked for, and then once. What no schema describes
 * has no old value. Bounds: linear in the value over all questions.
 */
import { deepEqual } from '../../stdx/deep-equal.ts';
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { isEmbedded, keepsUnknown, memberSchema, spineMemo } from '../schema/structural-schema.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { keyText } from './entry-key.ts';

export interface Correlation {
  readonly old: JsonValue;
  /** Undefined: there is no old value. */
  member(name: string): Correlation | undefined;
  entry(index: number): Correlation | undefined;
  isUnchanged(): boolean;
}

export function correlate(value: JsonValue, old: JsonValue, schema: StructuralSchema): Correlation {
  return new Correlated(value, old, schema);
}

/** Of a part of an object or of a list. */
export function partOf(of: Correlation, key: string | number): Correlation | undefined {
  return typeof key === 'number' ? of.entry(key) : of.member(key);
}

/** A class, so that the many of one object have one shape and make nothing before it is needed. */
class Correlated implements Correlation {
  readonly old: JsonValue;
  readonly #value: JsonValue;
  readonly #schema: StructuralSchema;
  #parts: Map<string | number, Correlation | undefined> | undefined;
  #keyed: OldEntries | undefined;
  #unchanged: boolean | undefined;

  constructor(value: JsonValue, old: JsonValue, schema: StructuralSchema) {
    this.old = old;
    this.#value = value;
    this.#schema = schema;
  }

  member(name: string): Correlation | undefined {
    const [now, before] = [this.#value, this.old];
    if (!isJsonObject(now) || !isJsonObject(before)) return undefined;
    return this.#part(name, () => {
      const schema = memberSchema(this.#schema, name);
      if (schema === undefined) return undefined;
      const [value, old] = [ownMemberOf(now, name), ownMemberOf(before, name)];
      return value === undefined || old === undefined ? undefined : correlate(value, old, schema);
    });
  }

  entry(index: number): Correlation | undefined {
    const { items } = this.#schema;
    if (!Array.isArray(this.#value) || !Array.isArray(this.old)) return undefined;
    if (items === undefined || this.#schema['x-kubernetes-list-type'] !== 'map') return undefined;
    const entry = (this.#value as readonly JsonValue[])[index];
    if (entry === undefined) return undefined;
    return this.#part(index, () => {
      this.#keyed ??= oldEntries(this.old as readonly JsonValue[], this.#schema);
      const found = this.#keyed.of(entry);
      return found === undefined ? undefined : correlate(entry, found, items);
    });
  }

  isUnchanged(): boolean {
    return (this.#unchanged ??= this.#isSame());
  }

  #part(key: string | number, make: () => Correlation | undefined): Correlation | undefined {
    this.#parts ??= new Map();
    const known = this.#parts.get(key);
    if (known !== undefined || this.#parts.has(key)) return known;
    const made = make();
    this.#parts.set(key, made);
    return made;
  }

  #isSame(): boolean {
    const [now, before] = [this.#value, this.old];
    if (now === before && !keepsMore(this.#schema)) return true;
    if (Array.isArray(now) && Array.isArray(before)) {
      if (now.length !== before.length) return false;
      if (this.#schema['x-kubernetes-list-type'] !== 'map') return deepEqual(now, before);
      return now.every((_entry, index) => this.entry(index)?.isUnchanged() === true);
    }
    if (!isJsonObject(now) || !isJsonObject(before)) return deepEqual(now, before);
    const names = Object.keys(now);
    if (names.length !== Object.keys(before).length) return false;
    return names.every((name) => this.#isSameMember(name, now, before));
  }

  #isSameMember(name: string, now: JsonObject, before: JsonObject): boolean {
    const schema = memberSchema(this.#schema, name);
    if (schema === undefined) return false;
    const [value, old] = [ownMemberOf(now, name), ownMemberOf(before, name)];
    if (typeof value !== 'object' || value === null) return deepEqual(value, old);
    if (name === 'metadata' && !Array.isArray(value) && !isDescribed(value as JsonObject, schema)) {
      return false;
    }
    return this.member(name)?.isUnchanged() === true;
  }
}

/** The same value need not be unchanged: it may have members that no schema describes, or entries
 * with the keys of another one. Metadata may have such members, too, and is looked at. */
const keepsMore = spineMemo(
  (schema) =>
    keepsUnknown(schema) ||
    isEmbedded(schema) ||
    schema.additionalProperties === true ||
    schema['x-kubernetes-list-type'] === 'map',
);

function isDescribed(value: JsonObject, schema: StructuralSchema): boolean {
  return Object.keys(value).every((name) => memberSchema(schema, name) !== undefined);
}

function ownMemberOf(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Entries of a list with keys, by them. */
export interface OldEntries {
  of(entry: JsonValue): JsonValue | undefined;
}

export function oldEntries(list: readonly JsonValue[], schema: StructuralSchema): OldEntries {
  const names = schema['x-kubernetes-list-map-keys'] ?? [];
  let byKey: Map<string, JsonValue> | undefined;
  return {
    of: (entry) => {
      const key = keyOf(entry, names);
      if (key === undefined) return undefined;
      if (byKey === undefined) {
        byKey = new Map();
        for (const before of list) {
          const own = keyOf(before, names);
          if (own !== undefined && !byKey.has(own)) byKey.set(own, before);
        }
      }
      return byKey.get(key);
    },
  };
}

/** Undefined: a key is missing or no scalar, and the others decide nothing. */
function keyOf(entry: JsonValue, names: readonly string[]): string | undefined {
  if (!isJsonObject(entry)) return undefined;
  const values = names.map((name) => ownMemberOf(entry, name));
  return values.every(isScalar) ? keyText(values) : undefined;
}

function isScalar(value: JsonValue | undefined): boolean {
  return value !== undefined && typeof value !== 'object';
}
