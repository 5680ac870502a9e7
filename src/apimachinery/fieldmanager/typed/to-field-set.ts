/**
 * The fields of a value, in two ways: those that an applier claims by naming them, and all of them.
 *
 *     claimed   leaves, items of associative lists, keys of maps, what is empty. The fields of a
 *               struct that hold something are only on the way.
 *     full      every field on every level: what is there when nothing was before
 *
 * Invariants: an atomic list or map is one field. An item that is there twice is one field without
 * parts.
 */
import type { JsonArray, JsonObject, JsonValue } from '../../unstructured.ts';
import type { FieldSet, FieldSetDraft } from '../fieldpath/field-set.ts';
import { emptySet, inOrder, memberMark, union } from '../fieldpath/field-set.ts';
import { fieldElement } from '../fieldpath/path-element.ts';
import type { MergeList, MergeMap, MergeType } from '../schema/merge-type.ts';
import { asList, asMap, formFor, isEmptyMap, memberType, sortedNames } from './forms.ts';
import { itemElement } from './list-items.ts';

/** What an applier of the value claims. */
export function claimedFields(type: MergeType, value: JsonValue): FieldSet {
  return claimedNode(type, value, false) ?? emptySet;
}

/** What the value claims, and the empty lists in it: nobody owns those, but they are there. */
export function namedFields(type: MergeType, value: JsonValue): FieldSet {
  return union(claimedFields(type, value), emptyListsIn(type, value) ?? emptySet);
}

function emptyListsIn(type: MergeType, value: JsonValue): FieldSet | undefined {
  const draft: FieldSetDraft = {};
  const form = formFor(type, value);
  if (form === 'list') {
    const items = asList(value) ?? [];
    if (items.length === 0) return emptySet;
    const list = type.list as MergeList;
    for (const item of list.atomic ? [] : items) {
      const element = itemElement(list, item);
      const node = emptyListsIn(list.items, item);
      if (element !== undefined && node !== undefined) draft[element] = node;
    }
  } else if (form === 'map' && type.map?.atomic === false) {
    for (const [name, member] of Object.entries(asMap(value) ?? {})) {
      const node =
        member === undefined ? undefined : emptyListsIn(memberType(type.map, name), member);
      if (node !== undefined) draft[fieldElement(name)] = node;
    }
  }
  for (const _found in draft) return inOrder(draft);
  return undefined;
}

/** The node of a value; `member` when the place itself is claimed whatever the value is. Undefined:
 * neither a member nor on the way to one. */
function claimedNode(type: MergeType, value: JsonValue, member: boolean): FieldSet | undefined {
  switch (formFor(type, value)) {
    case 'scalar':
      return emptySet;
    case 'list': {
      const list = type.list as MergeList;
      if (list.atomic) return emptySet;
      const items = asList(value);
      if (items === undefined || items.length === 0) return member ? emptySet : undefined;
      return itemNodes(list, items, claimedItem, member);
    }
    case 'map': {
      const map = type.map as MergeMap;
      if (map.atomic) return emptySet;
      const members = asMap(value);
      if (members === undefined) return member ? emptySet : undefined;
      return claimedMembers(map, members, member);
    }
  }
}

const claimedItem = (type: MergeType, item: JsonValue): FieldSet =>
  claimedNode(type, item, true) ?? emptySet;

function claimedMembers(map: MergeMap, members: JsonObject, member: boolean): FieldSet | undefined {
  const draft: FieldSetDraft = member ? { [memberMark]: emptySet } : {};
  let isEmpty = true;
  for (const name of sortedNames(members)) {
    const value = members[name];
    if (value === undefined) continue;
    const field = map.fields.get(name);
    const isClaimed = field === undefined || value === null || isEmptyObject(value);
    const node = claimedNode(field?.type ?? memberType(map, name), value, isClaimed);
    if (node === undefined) continue;
    draft[fieldElement(name)] = node;
    isEmpty = false;
  }
  if (!isEmpty) return draft;
  return member ? emptySet : undefined;
}

function isEmptyObject(value: JsonValue): boolean {
  const map = asMap(value);
  return map !== undefined && isEmptyMap(map);
}

/** Every field of a value, itself included: the node of the place where it stands. */
export function fullFields(type: MergeType, value: JsonValue): FieldSet {
  switch (formFor(type, value)) {
    case 'scalar':
      return emptySet;
    case 'list': {
      const items = asList(value);
      const list = type.list as MergeList;
      if (list.atomic || items === undefined || items.length === 0) return emptySet;
      return itemNodes(list, items, fullFields, true);
    }
    case 'map': {
      const members = asMap(value);
      const map = type.map as MergeMap;
      return map.atomic || members === undefined ? emptySet : fullMembers(map, members);
    }
  }
}

function fullMembers(map: MergeMap, members: JsonObject): FieldSet {
  const draft: FieldSetDraft = { [memberMark]: emptySet };
  let isEmpty = true;
  for (const name of sortedNames(members)) {
    const value = members[name];
    if (value === undefined) continue;
    isEmpty = false;
    draft[fieldElement(name)] = fullFields(memberType(map, name), value);
  }
  return isEmpty ? emptySet : draft;
}

/** The parts of an associative list, each by its element. Items without one are left out. */
function itemNodes(
  list: MergeList,
  items: JsonArray,
  nodeOfItem: (type: MergeType, item: JsonValue) => FieldSet,
  member: boolean,
): FieldSet {
  const draft: FieldSetDraft = member ? { [memberMark]: emptySet } : {};
  for (const item of items) {
    const element = itemElement(list, item);
    if (element === undefined) continue;
    draft[element] = draft[element] === undefined ? nodeOfItem(list.items, item) : emptySet;
  }
  return inOrder(draft);
}
