/**
 * Lists in a strategic merge: keyed lists merge by key, lists of scalars are unions.
 *
 * Order: items the patch names stand in the patch's order (or in that of `$setElementOrder`), the
 * others in their own; the two sequences are interleaved by their places in the original.
 */
import type { JsonArray, JsonObject, JsonValue } from '../unstructured.ts';
import { isJsonObject } from '../unstructured.ts';
import { StrategicRefusal, directives, withoutDirectives } from './strategic-directives.ts';
import type { FieldRule, StrategicSchema } from './strategic-schema.ts';

type MergeObjects = (
  original: JsonObject,
  patch: JsonObject,
  schema: StrategicSchema,
) => JsonObject;

export interface ListMerge {
  readonly original: JsonArray;
  readonly patch: JsonArray;
  /** For messages. */
  readonly field: string;
  readonly rule: FieldRule;
}

export function mergeLists(lists: ListMerge, mergeObjects: MergeObjects): JsonArray {
  const { original, patch } = lists;
  if (original.length === 0 && patch.length === 0) return original;
  const merged = isListOfMaps(lists)
    ? mergeKeyed(lists, keyOf(lists), mergeObjects)
    : unique([...original, ...patch]);
  return inOrder(merged, patch, original, identityOf(lists.rule, merged));
}

/** Whether the items are maps; both or neither. Lists of lists cannot be merged. */
function isListOfMaps({ original, patch, field }: ListMerge): boolean {
  const items = [...original, ...patch];
  if (items.some((item) => Array.isArray(item))) {
    throw new StrategicRefusal('inapplicable', `${field}: lists of lists cannot be merged`);
  }
  const maps = items.filter((item) => isJsonObject(item)).length;
  if (maps !== 0 && maps !== items.length) {
    throw new StrategicRefusal('inapplicable', `${field}: its items are of different types`);
  }
  return maps > 0;
}

function keyOf({ rule, field }: ListMerge): string {
  if (rule.mergeKey !== undefined) return rule.mergeKey;
  throw new StrategicRefusal('inapplicable', `cannot merge lists without merge key for ${field}`);
}

function mergeKeyed(lists: ListMerge, key: string, mergeObjects: MergeObjects): JsonArray {
  const { field, rule } = lists;
  const patch = lists.patch as readonly JsonObject[];
  if (patch.some((item) => item[directives.patch] === 'replace')) {
    return patch.filter((item) => item[directives.patch] === undefined);
  }
  const gone = patch.filter((item) => item[directives.patch] === 'delete');
  const goneKeys = new Set(gone.map((item) => keyIn(item, key, field)));
  const merged = (lists.original as readonly JsonObject[]).filter(
    (item) => item[key] === undefined || !goneKeys.has(item[key]),
  );
  for (const item of patch) {
    const directive = item[directives.patch];
    if (directive === 'delete') continue;
    if (directive !== undefined && directive !== 'merge') {
      const text = JSON.stringify(directive);
      throw new StrategicRefusal('malformed', `${field}: unknown $patch directive ${text}`);
    }
    const { [directives.patch]: _directive, ...content } = item;
    const wanted = keyIn(item, key, field);
    const at = merged.findIndex((other) => other[key] === wanted);
    const found = merged[at];
    if (found !== undefined) merged[at] = mergeObjects(found, content, rule.inside);
    else merged.push(withoutDirectives(content) as JsonObject);
  }
  return merged;
}

function keyIn(item: JsonObject, key: string, field: string): JsonValue {
  const value = item[key];
  if (value !== undefined && value !== null) return value;
  const text = `${field}: an item does not contain declared merge key: ${key}`;
  throw new StrategicRefusal('inapplicable', text);
}

export function removeScalars(list: JsonArray, gone: JsonValue, field: string): JsonArray {
  if (!Array.isArray(gone)) {
    const key = `${directives.deleteFromPrimitiveList}${field}`;
    throw new StrategicRefusal('malformed', `${key} must be a list`);
  }
  const values = new Set(gone as JsonArray);
  return list.filter((item) => !values.has(item));
}

export interface OrderedList {
  readonly original: JsonValue | undefined;
  readonly patch: JsonValue | undefined;
  readonly order: JsonArray;
  readonly field: string;
  readonly rule: FieldRule;
}

/** The merged list in the order that the patch gives; undefined when there is no list. */
export function withElementOrder(
  { original, patch, order, field, rule }: OrderedList,
  mergeObjects: MergeObjects,
): JsonArray | undefined {
  const before = Array.isArray(original) ? (original as JsonArray) : undefined;
  const change = Array.isArray(patch) ? (patch as JsonArray) : undefined;
  if (before === undefined && change === undefined) return undefined;
  if (patch === null) return undefined;
  if (!rule.strategies.includes('merge')) return change ?? before;
  if (change !== undefined) checkOrder(change, order, field, rule);
  let merged: JsonArray = before ?? [];
  if (change !== undefined) {
    merged =
      before === undefined
        ? (withoutDirectives(change) as JsonArray)
        : mergeLists({ original: before, patch: change, field, rule }, mergeObjects);
  }
  return inOrder(merged, order, before ?? [], identityOf(rule, order));
}

/** The items of the patch stand in the given order, or the patch contradicts itself. */
function checkOrder(patch: JsonArray, order: JsonArray, field: string, rule: FieldRule): void {
  const identity = identityOf(rule, order);
  const places = order.map(identity);
  let last = -1;
  for (const item of patch) {
    if (isJsonObject(item) && item[directives.patch] !== undefined) continue;
    const at = places.indexOf(identity(item));
    if (at < last) {
      const key = `${directives.setElementOrder}${field}`;
      const text = `the order in patch list doesn't match ${key} list`;
      throw new StrategicRefusal('inapplicable', text);
    }
    last = at;
  }
}

type IdentityOf = (item: JsonValue) => JsonValue | undefined;

/** What makes two items the same one: their key, or the scalar itself. */
function identityOf(rule: FieldRule, items: JsonArray): IdentityOf {
  const { mergeKey } = rule;
  if (mergeKey === undefined || !items.some((item) => isJsonObject(item))) return (item) => item;
  return (item) => (isJsonObject(item) ? item[mergeKey] : undefined);
}

/** `merged`, with the items that `order` names in that order, the others in the original's. */
function inOrder(
  merged: JsonArray,
  order: JsonArray,
  original: JsonArray,
  identity: IdentityOf,
): JsonArray {
  const wanted = placesOf(order, identity);
  const before = placesOf(original, identity);
  const placeIn = (places: ReadonlyMap<JsonValue | undefined, number>, item: JsonValue) =>
    places.get(identity(item)) ?? Number.MAX_SAFE_INTEGER;
  const named = merged
    .filter((item) => wanted.has(identity(item)))
    .toSorted((a, b) => placeIn(wanted, a) - placeIn(wanted, b));
  const others = merged
    .filter((item) => !wanted.has(identity(item)))
    .toSorted((a, b) => placeIn(before, a) - placeIn(before, b));
  const result: JsonValue[] = [];
  let next = 0;
  for (const item of named) {
    const place = before.get(identity(item));
    while (place !== undefined && next < others.length) {
      const other = others[next] as JsonValue;
      const otherPlace = before.get(identity(other));
      if (otherPlace === undefined || otherPlace > place) break;
      result.push(other);
      next += 1;
    }
    result.push(item);
  }
  return [...result, ...others.slice(next)];
}

function placesOf(list: JsonArray, identity: IdentityOf): Map<JsonValue | undefined, number> {
  const places = new Map<JsonValue | undefined, number>();
  for (const [index, item] of list.entries()) {
    if (!places.has(identity(item))) places.set(identity(item), index);
  }
  return places;
}

function unique(items: JsonArray): JsonArray {
  return [...new Set(items)];
}
