/**
 * Parts of a value taken out, or taken alone, by a set of fields.
 *
 * Invariants: an atomic list or map is never taken apart. A list or map of which nothing is left is
 * null: that it was there is a field of its own, which the set would have to name.
 */
import type { JsonArray, JsonObject, JsonValue } from '../../unstructured.ts';
import type { FieldSet } from '../fieldpath/field-set.ts';
import { emptySet, isEmptySet, isMember, memberMark, nodeAt } from '../fieldpath/field-set.ts';
import { fieldElement } from '../fieldpath/path-element.ts';
import type { MergeList, MergeMap, MergeType } from '../schema/merge-type.ts';
import { asList, asMap, formFor, isEmptyMap, memberType, setMember } from './forms.ts';
import { itemElement } from './list-items.ts';

/** The value without the fields of the set. */
export function removeItems(type: MergeType, value: JsonValue, fields: FieldSet): JsonValue {
  if (isEmptySet(fields)) return value;
  return walk(type, value, fields, removal);
}

/** Likewise, but a field of a struct of which nothing is left goes too, unless `claimed` names it:
 * then its writer wants it to be empty. */
export function removeItemsAndEmptied(
  type: MergeType,
  value: JsonValue,
  fields: FieldSet,
  claimed: FieldSet,
): JsonValue {
  if (isEmptySet(fields)) return value;
  return walk(type, value, fields, { extracts: false, claimed });
}

/** Only the fields of the set. */
export function extractItems(type: MergeType, value: JsonValue, fields: FieldSet): JsonValue {
  return walk(type, value, fields, extraction);
}

function hasMembersBelow(node: FieldSet): boolean {
  for (const key in node) if (key !== memberMark) return true;
  return false;
}

interface Mode {
  readonly extracts: boolean;
  /** The node of this place in the set that keeps what is emptied. Undefined: all is kept. */
  readonly claimed?: FieldSet | undefined;
}

const removal: Mode = { extracts: false };
const extraction: Mode = { extracts: true };

function below({ extracts, claimed }: Mode, element: string): Mode {
  if (claimed === undefined) return extracts ? extraction : removal;
  return { extracts, claimed: nodeAt(claimed, element) ?? emptySet };
}

function walk(type: MergeType, value: JsonValue, fields: FieldSet, mode: Mode): JsonValue {
  switch (formFor(type, value)) {
    case 'scalar':
      return value;
    case 'list': {
      const list = type.list as MergeList;
      const items = asList(value);
      if (items === undefined) return null;
      if (items.length === 0 || list.atomic) return mode.extracts ? value : null;
      return walkItems(list, items, fields, mode);
    }
    case 'map': {
      const map = type.map as MergeMap;
      const members = asMap(value);
      if (members === undefined) return null;
      if (isEmptyMap(members) || map.atomic) return mode.extracts ? value : null;
      return walkMembers(map, members, fields, mode);
    }
  }
}

function walkItems(list: MergeList, items: JsonArray, fields: FieldSet, mode: Mode): JsonValue {
  const out: JsonValue[] = [];
  for (const item of items) {
    const element = itemElement(list, item);
    const node = element === undefined ? undefined : nodeAt(fields, element);
    if (node === undefined) {
      if (!mode.extracts) out.push(item);
      continue;
    }
    if (isMember(node) && !mode.extracts) continue;
    const inside = below(mode, element as string);
    out.push(hasMembersBelow(node) ? walk(list.items, item, node, inside) : item);
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
      if (!mode.extracts) setMember(out, name, value);
      continue;
    }
    const type = memberType(map, name);
    if (isMember(node)) {
      if (mode.extracts) setMember(out, name, walk(type, value, node, mode));
      continue;
    }
    const left = walk(type, value, node, below(mode, element));
    if (left !== null || keepsEmptied(map, name, mode)) setMember(out, name, left);
  }
  return isEmptyMap(out) ? null : out;
}

/** The value of a map's key is kept as null: the key itself has not gone. */
function keepsEmptied(map: MergeMap, name: string, { claimed }: Mode): boolean {
  if (claimed === undefined || !map.fields.has(name)) return true;
  const node = nodeAt(claimed, fieldElement(name));
  return node !== undefined && isMember(node);
}
