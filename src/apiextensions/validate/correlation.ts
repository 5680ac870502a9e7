/**
 * The old value of each part of an object that is updated, and whether it is the same: what has not
 * changed is not judged by rules that came after it (spec 1, section 4.8).
 *
 * Members of objects have the old member of the same name; entries of a list with keys the old
 * entry of the same keys; entries of other lists have none. Two lists with keys are equal whatever
 * their order.
 *
 * Invariants: nothing is compared before it is asked for, and then once. What no schema describes
 * has no old value. Bounds: linear in the value over all questions.
 */
import { canonicalText } from '../../stdx/canonical-text.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { memberSchema } from '../schema/structural-schema.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';

export interface Correlation {
  readonly old: JsonValue;
  /** Undefined: there is no old value. */
  member(name: string): Correlation | undefined;
  entry(index: number): Correlation | undefined;
  isUnchanged(): boolean;
}

export function correlate(value: JsonValue, old: JsonValue, schema: StructuralSchema): Correlation {
  const parts = new Map<string | number, Correlation | undefined>();
  let unchanged: boolean | undefined;
  let keyed: OldEntries | undefined;
  const remember = (
    key: string | number,
    make: () => Correlation | undefined,
  ): Correlation | undefined => {
    if (parts.has(key)) return parts.get(key);
    const made = make();
    parts.set(key, made);
    return made;
  };
  const self: Correlation = {
    old,
    member: (name) => {
      if (!isJsonObject(value) || !isJsonObject(old)) return undefined;
      return remember(name, () => memberOf(value, old, name, schema));
    },
    entry: (index) => {
      const { items } = schema;
      if (!Array.isArray(value) || !Array.isArray(old) || items === undefined) return undefined;
      if (schema['x-kubernetes-list-type'] !== 'map') return undefined;
      return remember(index, () => {
        keyed ??= oldEntries(old as readonly JsonValue[], schema);
        const entry = (value as readonly JsonValue[])[index];
        const found = entry === undefined ? undefined : keyed.of(entry);
        return found === undefined || entry === undefined
          ? undefined
          : correlate(entry, found, items);
      });
    },
    isUnchanged: () => (unchanged ??= isSame(value, old, schema, self)),
  };
  return self;
}

function memberOf(
  value: JsonObject,
  old: JsonObject,
  name: string,
  schema: StructuralSchema,
): Correlation | undefined {
  const below = memberSchema(schema, name);
  if (below === undefined) return undefined;
  const [now, before] = [own(value, name), own(old, name)];
  return now === undefined || before === undefined ? undefined : correlate(now, before, below);
}

function own(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function isSame(
  value: JsonValue,
  old: JsonValue,
  schema: StructuralSchema,
  self: Correlation,
): boolean {
  if (value === old) return true;
  if (Array.isArray(value) && Array.isArray(old)) {
    if (value.length !== old.length) return false;
    if (schema['x-kubernetes-list-type'] !== 'map') return deepEqual(value, old);
    return value.every((_entry, index) => self.entry(index)?.isUnchanged() === true);
  }
  if (!isJsonObject(value) || !isJsonObject(old)) return deepEqual(value, old);
  const names = Object.keys(value);
  if (names.length !== Object.keys(old).length) return false;
  return names.every((name) => {
    // What is kept although no schema describes it is compared as it is.
    const below = self.member(name);
    if (below !== undefined) return below.isUnchanged();
    return memberSchema(schema, name) === undefined && deepEqual(value[name], own(old, name));
  });
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

/** Undefined: a key is missing, and nothing can be told by the others. */
function keyOf(entry: JsonValue, names: readonly string[]): string | undefined {
  if (!isJsonObject(entry)) return undefined;
  const values = names.map((name) => own(entry, name));
  return values.includes(undefined) ? undefined : canonicalText(values);
}
