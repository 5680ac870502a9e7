/**
 * Parts of a value taken out, or taken alone, by a set of fields.
 *
 * Invariants: an atomic list or map is never taken apart. A list or map of which nothing is left is
 * null: that it was there is a field of its own, which the set would have to name.
 */
import { setMember } from '../../../stdx/lookup.ts';
import type { JsonArray, JsonObject, JsonValue } from '../../unstructured.ts';
import type { FieldSet } from '../fieldpath/field-set.ts';
import { isEmptySet, isMember, memberMark, nodeAt } from '../fieldpath/field-set.ts';
import { fieldElement } from '../fieldpath/path-element.ts';
import type { MergeList, MergeMap, MergeType } from '../schema/merge-type.ts';
import { asList, asMap, formFor, isEmptyMap, memberOf, memberType } from './forms.ts';
import { itemElement } from './list-items.ts';

/** The value without the fields of the set. */
export function removeItems(type: MergeType, value: JsonValue, fields: FieldSet): JsonValue {
  if (isEmptySet(fields)) return value;
  return walk(type, value, fields, removal);
}

/** Likewise; but where nothing is left of the field of a struct it goes too, unless `intent` names
 * it: then it has the value that it has there. */
export function removeItemsAndEmptied(
  type: MergeType,
  value: JsonValue,
  fields: FieldSet,
  intent: JsonValue,
): JsonValue {
  if (isEmptySet(fields)) return value;
  return walk(type, value, fields, { kind: 'remove-emptied', intent });
}

/** Only the fields of the set. */
export function extractItems(type: MergeType, value: JsonValue, fields: FieldSet): JsonValue {
  return walk(type, value, fields, extraction);
}

function hasMembersBelow(node: FieldSet): boolean {
  for (const key in node) if (key !== memberMark) return true;
  return false;
}

type Mode =
  | { readonly kind: 'extract' }
  | { readonly kind: 'remove' }
  /** What the intent has at this place. */
  | { readonly kind: 'remove-emptied'; readonly intent: JsonValue | undefined };

const removal: Mode = { kind: 'remove' };
const extraction: Mode = { kind: 'extract' };

function walk(type: MergeType, value: JsonValue, fields: FieldSet, mode: Mode): JsonValue {
  switch (formFor(type, value)) {
    case 'scalar':
      return value;
    case 'list': {
      const list = type.list as MergeList;
      const items = asList(value);
      if (items === undefined) return null;
      if (items.length === 0 || list.atomic) return mode.kind === 'extract' ? value : null;
      return walkItems(list, items, fields, mode);
    }
    case 'map': {
      const map = type.map as MergeMap;
      const members = asMap(value);
      if (members === undefined) return null;
      if (isEmptyMap(members) || map.atomic) return mode.kind === 'extract' ? value : null;
      return walkMembers(map, members, fields, mode);
    }
  }
}

function walkItems(list: MergeList, items: JsonArray, fields: FieldSet, mode: Mode): JsonValue {
  const out: JsonValue[] = [];
  const inItem = modesOfItems(mode, list);
  for (const item of items) {
    const element = itemElement(list, item);
    const node = element === undefined ? undefined : nodeAt(fields, element);
    if (node === undefined) {
      if (mode.kind !== 'extract') out.push(item);
      continue;
    }
    if (isMember(node) && mode.kind !== 'extract') continue;
    const inside = hasMembersBelow(node);
    out.push(inside ? walk(list.items, item, node, inItem(element)) : item);
  }
  return out.length === 0 ? null : out;
}

function walkMembers(map: MergeMap, members: JsonObject, fields: FieldSet, mode: Mode): JsonValue {
  const out: Record<string, JsonValue> = {};
  for (const name of Object.keys(members)) {
    const value = members[name];
    if (value === undefined) continue;
    const element = fieldElement(name);
    const node = nodeAt(fields, element);
    if (node === undefined) {
      if (mode.kind !== 'extract') setMember(out, name, value);
      continue;
    }
    const type = memberType(map, name);
    if (isMember(node)) {
      if (mode.kind === 'extract') setMember(out, name, walk(type, value, node, mode));
      continue;
    }
    const left = walk(type, value, node, inMember(mode, name));
    const kept = left === null ? emptied(map, name, mode) : left;
    if (kept !== undefined) setMember(out, name, kept);
  }
  return isEmptyMap(out) ? null : out;
}

/** What stands for a member of which nothing is left. Undefined: nothing does. The key of a map has
 * not gone with its value. */
function emptied(map: MergeMap, name: string, mode: Mode): JsonValue | undefined {
  if (mode.kind !== 'remove-emptied') return null;
  const wanted = inMember(mode, name);
  const intent = wanted.kind === 'remove-emptied' ? wanted.intent : undefined;
  return intent ?? (intent === null || !map.fields.has(name) ? null : undefined);
}

function inMember(mode: Mode, name: string): Mode {
  if (mode.kind !== 'remove-emptied') return mode;
  const members = asMap(mode.intent);
  return { kind: mode.kind, intent: members && memberOf(members, name) };
}

/** What the mode is in each item: the first of the intent with the same element counts. */
function modesOfItems(mode: Mode, list: MergeList): (element: string | undefined) => Mode {
  if (mode.kind !== 'remove-emptied') return () => mode;
  const intents = new Map<string | undefined, JsonValue>();
  for (const item of asList(mode.intent) ?? []) {
    const element = itemElement(list, item);
    if (!intents.has(element)) intents.set(element, item);
  }
  return (element) => ({ kind: mode.kind, intent: intents.get(element) });
}
