/**
 * Strategic merge patch: a merge patch that knows which lists are keyed (spec 1, section 4.4).
 *
 *   {"$patch": "replace" | "delete"}        in a map, or in an item of a keyed list
 *   {"$retainKeys": [...]}                  the members that may stay
 *   {"$setElementOrder/LIST": [...]}        the order of the items that the patch knows
 *   {"$deleteFromPrimitiveList/LIST": [...]} scalars to take out of a list that merges
 *
 * Invariants: neither value is changed. No directive is left in the result. Items that the patch
 * does not name keep their order, and their place among the others as well as that can be.
 * Bounds: strategic-walk.ts.
 */
import type { Steps } from '../../stdx/stepwise.ts';
import { ownMember, setMember } from '../../stdx/lookup.ts';
import type { JsonArray, JsonObject, JsonValue } from '../unstructured.ts';
import { isJsonObject } from '../unstructured.ts';
import type { Draft } from './members.ts';
import type { Patched } from './patch-result.ts';
import { patchRefused } from './patch-result.ts';
import type { FieldRule, StrategicSchema } from './strategic-schema.ts';
import { StrategicRefusal, directives } from './strategic-directives.ts';
import { withoutDirectives } from './strategic-directives.ts';
import { mergeLists, removeScalars, withElementOrder } from './strategic-lists.ts';
import { newWalk } from './strategic-walk.ts';
import type { Walk } from './strategic-walk.ts';

export function* strategicMergeSteps(
  original: JsonObject,
  patch: JsonObject,
  schema: StrategicSchema,
): Steps<Patched<JsonObject>> {
  try {
    return { kind: 'ok', value: yield* mergeObjects(original, patch, schema, newWalk()) };
  } catch (error) {
    if (!(error instanceof StrategicRefusal)) throw error;
    return patchRefused(error.why, error.message);
  }
}

type Changes = readonly (readonly [string, JsonValue | undefined])[];

function* mergeObjects(
  original: JsonObject,
  patch: JsonObject,
  schema: StrategicSchema,
  walk: Walk,
): Steps<JsonObject> {
  const directive = patch[directives.patch];
  if (directive !== undefined) return replaced(patch, directive);
  const changes: Changes = Object.entries(patch);
  if (walk.over(Object.keys(original).length)) yield;
  const merged: Draft = { ...retained(original, patch) };
  const ordered = yield* applyOrders(merged, patch, changes, schema, walk);
  for (const [key, value] of changes) {
    if (walk.over(1)) yield;
    if (value === undefined || key === directives.retainKeys || ordered.has(key)) continue;
    if (key.startsWith(directives.setElementOrder)) continue;
    if (key.startsWith(directives.deleteFromPrimitiveList)) {
      const field = key.slice(directives.deleteFromPrimitiveList.length);
      const list = ownMember(merged, field);
      if (!Array.isArray(list)) continue;
      if (walk.over(list.length)) yield;
      setMember(merged, field, removeScalars(list, value, field));
      continue;
    }
    yield* mergeMember(merged, key, value, schema(key), walk);
  }
  return merged;
}

function replaced(patch: JsonObject, directive: JsonValue): JsonObject {
  if (directive === 'delete') return {};
  if (directive === 'replace') {
    const { [directives.patch]: _directive, ...rest } = patch;
    return rest;
  }
  throw new StrategicRefusal('malformed', `unknown $patch directive ${show(directive)}`);
}

/** The original's members that `$retainKeys`, if there is one, lets stay. */
function retained(original: JsonObject, patch: JsonObject): JsonObject {
  const given = patch[directives.retainKeys];
  if (given === undefined) return original;
  if (!Array.isArray(given)) {
    throw new StrategicRefusal('malformed', '$retainKeys must be a list of names');
  }
  const names = new Set(given as JsonArray);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || key.startsWith('$') || names.has(key)) continue;
    throw new StrategicRefusal('malformed', `${show(key)} is set but not among its $retainKeys`);
  }
  return Object.fromEntries(Object.entries(original).filter(([key]) => names.has(key)));
}

/** Lists whose order the patch gives: merged and put in order. Answers their names. */
function* applyOrders(
  merged: Draft,
  patch: JsonObject,
  changes: Changes,
  schema: StrategicSchema,
  walk: Walk,
): Steps<Set<string>> {
  const done = new Set<string>();
  for (const [key, order] of changes) {
    if (!key.startsWith(directives.setElementOrder)) continue;
    const field = key.slice(directives.setElementOrder.length);
    if (!Array.isArray(order)) {
      throw new StrategicRefusal('malformed', `${key} must be a list`);
    }
    const rule = schema(field);
    const value = yield* withElementOrder(
      { original: ownMember(merged, field), patch: ownMember(patch, field), order, field, rule },
      mergeObjects,
      walk,
    );
    done.add(field);
    if (value !== undefined) setMember(merged, field, value);
    else if (ownMember(patch, field) === null) delete merged[field];
  }
  return done;
}

function* mergeMember(
  merged: Draft,
  key: string,
  value: JsonValue,
  rule: FieldRule,
  walk: Walk,
): Steps<void> {
  const before = ownMember(merged, key);
  if (value === null) {
    delete merged[key];
    return;
  }
  if (isJsonObject(value) && isJsonObject(before ?? null)) {
    const whole = rule.strategies.includes('replace') && value[directives.patch] === undefined;
    const next = whole
      ? value
      : yield* mergeObjects(before as JsonObject, value, rule.inside, walk);
    setMember(merged, key, next);
    return;
  }
  if (Array.isArray(value) && Array.isArray(before)) {
    const keyed = rule.strategies.includes('merge');
    const lists = { original: before as JsonArray, patch: value as JsonArray, field: key, rule };
    setMember(merged, key, keyed ? yield* mergeLists(lists, mergeObjects, walk) : value);
    return;
  }
  const clean = withoutDirectives(value);
  if (clean !== undefined) setMember(merged, key, clean);
}

function show(value: JsonValue): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
