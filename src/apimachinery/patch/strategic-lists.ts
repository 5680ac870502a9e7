/**
 * Lists in a strategic merge: keyed lists merge by key, lists of scalars are unions.
 *
 * Order: items the patch names stand in the patch's order (or in that of `$setElementOrder`), the
 * others in their own; the two sequences are interleaved by their places in the list as it was.
 * For `$setElementOrder` the reference counts those places in a list it has already changed: items
 * that are new stand where deleted ones have made room. Clients see its order, so it is ours.
 *
 * Bounds: time linear in both lists, but for sorting; strategic-walk.ts.
 */
import type { Steps } from '../../stdx/stepwise.ts';
import type { JsonArray, JsonObject, JsonValue } from '../unstructured.ts';
import { isJsonObject } from '../unstructured.ts';
import { StrategicRefusal, directives, withoutDirectives } from './strategic-directives.ts';
import type { FieldRule, StrategicSchema } from './strategic-schema.ts';
import type { Walk } from './strategic-walk.ts';

type MergeObjects = (
  original: JsonObject,
  patch: JsonObject,
  schema: StrategicSchema,
  walk: Walk,
) => Steps<JsonObject>;

export interface ListMerge {
  readonly original: JsonArray;
  readonly patch: JsonArray;
  /** For messages. */
  readonly field: string;
  readonly rule: FieldRule;
}

export function* mergeLists(
  lists: ListMerge,
  mergeObjects: MergeObjects,
  walk: Walk,
): Steps<JsonArray> {
  return (yield* mergedLists(lists, mergeObjects, walk)).ordered;
}

interface MergedLists {
  readonly ordered: JsonArray;
  /** The original, with what is new where something has gone: no longer than it was. */
  readonly refilled: JsonArray;
}

function* mergedLists(
  lists: ListMerge,
  mergeObjects: MergeObjects,
  walk: Walk,
): Steps<MergedLists> {
  const { original, patch, rule } = lists;
  if (original.length === 0 && patch.length === 0) return { ordered: original, refilled: [] };
  if (walk.over(original.length + patch.length)) yield;
  if (!isListOfMaps(lists)) {
    const merged = unique([...original, ...patch]);
    return { ordered: inOrder(merged, patch, original, (item) => item), refilled: original };
  }
  const { merged, kept, named, replaced } = yield* mergeKeyed(lists, mergeObjects, walk);
  return {
    ordered: inOrder(merged, named, merged.slice(0, kept), identityOf(rule, merged)),
    refilled: replaced ? original : merged.slice(0, original.length),
  };
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

interface MergedKeyed {
  /** What stays of the original, then what is new. */
  readonly merged: JsonArray;
  /** How many are of the original. */
  readonly kept: number;
  /** The items of the patch that are no directives. */
  readonly named: JsonArray;
  /** Whether they take the place of all that there was. */
  readonly replaced: boolean;
}

function* mergeKeyed(lists: ListMerge, mergeObjects: MergeObjects, walk: Walk): Steps<MergedKeyed> {
  const { field, rule } = lists;
  const key = keyOf(lists);
  const patch = lists.patch as readonly JsonObject[];
  const named = patch.filter((item) => item[directives.patch] === undefined);
  const special = patch.filter((item) => item[directives.patch] !== undefined);
  const gone = goneKeys(special, key, field);
  if (special.some((item) => item[directives.patch] === 'replace')) {
    return { merged: named, kept: named.length, named: [], replaced: true };
  }
  const merged = (lists.original as readonly JsonObject[]).filter(
    (item) => item[key] === undefined || !gone.has(item[key]),
  );
  const kept = merged.length;
  const places = placesOf(merged, (item) => (item as JsonObject)[key]);
  for (const item of named) {
    const wanted = keyIn(item, key, field);
    const at = places.get(wanted) ?? merged.length;
    const found = merged[at];
    places.set(wanted, at);
    if (found !== undefined) merged[at] = yield* mergeObjects(found, item, rule.inside, walk);
    else merged.push(withoutDirectives(item) as JsonObject);
  }
  return { merged, kept, named, replaced: false };
}

/** The keys of the items that are to go. */
function goneKeys(special: readonly JsonObject[], key: string, field: string): Set<JsonValue> {
  const gone = new Set<JsonValue>();
  for (const item of special) {
    const directive = item[directives.patch];
    if (directive === 'delete') gone.add(keyIn(item, key, field));
    else if (directive !== 'replace') {
      // "merge" is what happens without a word, and none in the reference.
      const text = JSON.stringify(directive);
      throw new StrategicRefusal('malformed', `${field}: unknown $patch directive ${text}`);
    }
  }
  return gone;
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
export function* withElementOrder(
  { original, patch, order, field, rule }: OrderedList,
  mergeObjects: MergeObjects,
  walk: Walk,
): Steps<JsonArray | undefined> {
  const before = Array.isArray(original) ? (original as JsonArray) : undefined;
  const change = Array.isArray(patch) ? (patch as JsonArray) : undefined;
  if (before === undefined && change === undefined) return undefined;
  if (patch === null) return undefined;
  if (!rule.strategies.includes('merge')) return change ?? before;
  const identity = identityOf(rule, order);
  if (walk.over((before?.length ?? 0) + order.length)) yield;
  if (change === undefined) return inOrder(before ?? [], order, before ?? [], identity);
  checkOrder(change, order, field, identity);
  if (before === undefined) {
    return inOrder(withoutDirectives(change) as JsonArray, order, [], identity);
  }
  const lists = { original: before, patch: change, field, rule };
  const { ordered, refilled } = yield* mergedLists(lists, mergeObjects, walk);
  return inOrder(ordered, order, refilled, identity);
}

/** Items of the patch are a part of the given order, or the patch contradicts itself. An empty
 * order says nothing. */
function checkOrder(patch: JsonArray, order: JsonArray, field: string, identity: IdentityOf): void {
  if (order.length === 0) return;
  let at = 0;
  for (const item of patch) {
    if (isJsonObject(item) && item[directives.patch] !== undefined) continue;
    const wanted = identity(item);
    while (at < order.length && identity(order[at] as JsonValue) !== wanted) at += 1;
    if (at === order.length) {
      const key = `${directives.setElementOrder}${field}`;
      const text = `the order in patch list doesn't match ${key} list`;
      throw new StrategicRefusal('inapplicable', text);
    }
    at += 1;
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
