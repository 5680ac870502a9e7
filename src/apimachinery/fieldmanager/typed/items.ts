/**
 * Parts of a value taken out, or taken alone, by a set of fields.
 *
 * Invariants: an atomic list or map is never taken apart. A list or map of which nothing is left is
 * null: that it was there is a field of its own, which the set would have to name.
 */
import type { JsonArray, JsonObject, JsonValue } from '../../unstructured.ts';
import type { FieldSet } from '../fieldpath/field-set.ts';
import {
  forEachPath,
  hasPath,
  isEmptySet,
  isMember,
  memberMark,
  nodeAt,
  setOfPath,
  union,
} from '../fieldpath/field-set.ts';
import { fieldElement, parsePathElement, unknownElement } from '../fieldpath/path-element.ts';
import type { MergeList, MergeMap, MergeType } from '../schema/merge-type.ts';
import { asList, asMap, formOf, isEmptyMap, leadingForm, memberType, setMember } from './forms.ts';
import { itemElement } from './list-items.ts';
import { claimedFields } from './to-field-set.ts';

/** The value without the fields of the set. */
export function removeItems(type: MergeType, value: JsonValue, fields: FieldSet): JsonValue {
  if (isEmptySet(fields)) return value;
  return walk(type, value, fields, false);
}

/** Only the fields of the set. */
export function extractItems(type: MergeType, value: JsonValue, fields: FieldSet): JsonValue {
  return walk(type, value, fields, true);
}

/** Only the fields of the set, and with the items of associative lists the keys that tell which. */
export function extractItemsWithKeys(
  type: MergeType,
  value: JsonValue,
  fields: FieldSet,
): JsonValue {
  const present = claimedFields(type, value);
  let wanted = fields;
  forEachPath(fields, (path) => {
    if (!hasPath(present, path)) return;
    for (const [depth, element] of path.entries()) {
      const parsed = parsePathElement(element);
      if (parsed === undefined || parsed === unknownElement || parsed.kind !== 'key') continue;
      for (const [name] of parsed.fields) {
        wanted = union(wanted, setOfPath([...path.slice(0, depth + 1), fieldElement(name)]));
      }
    }
  });
  return extractItems(type, value, wanted);
}

function hasMembersBelow(node: FieldSet): boolean {
  for (const key in node) if (key !== memberMark) return true;
  return false;
}

function walk(type: MergeType, value: JsonValue, fields: FieldSet, isExtract: boolean): JsonValue {
  switch (leadingForm(type, formOf(type, value))) {
    case 'scalar':
      return value;
    case 'list': {
      const list = type.list as MergeList;
      const items = asList(value);
      if (items === undefined) return null;
      if (items.length === 0 || list.atomic) return isExtract ? value : null;
      return walkItems(list, items, fields, isExtract);
    }
    case 'map': {
      const map = type.map as MergeMap;
      const members = asMap(value);
      if (members === undefined) return null;
      if (isEmptyMap(members) || map.atomic) return isExtract ? value : null;
      return walkMembers(map, members, fields, isExtract);
    }
  }
}

function walkItems(
  list: MergeList,
  items: JsonArray,
  fields: FieldSet,
  isExtract: boolean,
): JsonValue {
  const out: JsonValue[] = [];
  for (const item of items) {
    const element = itemElement(list, item);
    const node = element === undefined ? undefined : nodeAt(fields, element);
    if (node === undefined) {
      if (!isExtract) out.push(item);
      continue;
    }
    if (isMember(node) && !isExtract) continue;
    out.push(hasMembersBelow(node) ? walk(list.items, item, node, isExtract) : item);
  }
  return out.length === 0 ? null : out;
}

function walkMembers(
  map: MergeMap,
  members: JsonObject,
  fields: FieldSet,
  isExtract: boolean,
): JsonValue {
  const out: Record<string, JsonValue> = {};
  for (const name of Object.keys(members)) {
    const value = members[name];
    if (value === undefined) continue;
    const node = nodeAt(fields, fieldElement(name));
    if (node === undefined) {
      if (!isExtract) setMember(out, name, value);
      continue;
    }
    const type = memberType(map, name);
    if (isMember(node)) {
      if (isExtract) setMember(out, name, walk(type, value, node, true));
      continue;
    }
    setMember(out, name, walk(type, value, node, isExtract));
  }
  return isEmptyMap(out) ? null : out;
}
