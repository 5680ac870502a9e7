/**
 * Bounds of a schema as the numbers that they are compared as. JSON may have more digits than those
 * hold (`maximum: 9223372036854775807`), and such a number is read as a bigint; as a bound it is a
 * double, as in the reference.
 *
 * Invariants: a schema without such bounds is returned as it came, and so is each part of one.
 */
import type { JsonObject, JsonValue, ObjectDraft } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';

const bounds: ReadonlySet<string> = new Set([
  'maximum',
  'minimum',
  'multipleOf',
  'maxLength',
  'minLength',
  'maxItems',
  'minItems',
  'maxProperties',
  'minProperties',
]);
/** What holds a schema, a list of them, or either. */
const single = new Set(['items', 'additionalProperties', 'not', 'allOf', 'anyOf', 'oneOf']);

export function withPlainBounds(schema: JsonObject): JsonObject {
  let made: ObjectDraft | undefined;
  for (const [name, value] of Object.entries(schema)) {
    if (value === undefined) continue;
    const plain = plainOf(name, value);
    if (plain !== value) (made ??= { ...schema })[name] = plain;
  }
  return made ?? schema;
}

function plainOf(name: string, value: JsonValue): JsonValue {
  if (typeof value === 'bigint') return bounds.has(name) ? Number(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (single.has(name)) return Array.isArray(value) ? plainItems(value) : plainSchema(value);
  return name === 'properties' && isJsonObject(value) ? plainMembers(value) : value;
}

const plainSchema = (value: JsonValue): JsonValue =>
  isJsonObject(value) ? withPlainBounds(value) : value;

function plainItems(items: readonly JsonValue[]): JsonValue {
  const made = items.map(plainSchema);
  return made.every((each, at) => each === items[at]) ? items : made;
}

/** Names of properties are anybody's: `__proto__` is one like others. */
function plainMembers(properties: JsonObject): JsonObject {
  const made = Object.entries(properties).map(
    ([name, value]) => [name, plainSchema(value ?? null)] as const,
  );
  const same = made.every(([name, value]) => value === properties[name]);
  return same ? properties : Object.fromEntries(made);
}
