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
import { emptySet, inOrder, isEmptySet, memberMark } from '../fieldpath/field-set.ts';
import { fieldElement } from '../fieldpath/path-element.ts';
import type { MergeList, MergeMap, MergeType } from '../schema/merge-type.ts';
import { asList, asMap, formOf, isEmptyMap, leadingForm, memberType } from './forms.ts';
import { itemElement } from './list-items.ts';

/** What an applier of the value claims. */
export function claimedFields(type: MergeType, value: JsonValue): FieldSet {
  const node = claimedNode(type, value, false);
  return node ?? emptySet;
}

/** The node of a value; `member` when the place itself is claimed whatever the value is. */
function claimedNode(type: MergeType, value: JsonValue, member: boolean): FieldSet | undefined {
  switch (leadingForm(type, formOf(type, value))) {
    case 'scalar':
      return emptySet;
    case 'list': {
      const list = type.list as MergeList;
      if (list.atomic) return emptySet;
      const items = asList(value);
      if (items === undefined) return member ? emptySet : undefined;
      return nodeOf(itemNodes(list, items, claimedItem, {}), member);
    }
    case 'map': {
      const map = type.map as MergeMap;
      if (map.atomic) return emptySet;
      const members = asMap(value);
      if (members === undefined) return member ? emptySet : undefined;
      return nodeOf(claimedMembers(map, members), member);
    }
  }
}

const claimedItem = (type: MergeType, item: JsonValue): FieldSet =>
  claimedNode(type, item, true) ?? emptySet;

function claimedMembers(map: MergeMap, members: JsonObject): FieldSetDraft {
  const draft: FieldSetDraft = {};
  for (const name of Object.keys(members)) {
    const value = members[name];
    if (value === undefined) continue;
    const field = map.fields.get(name);
    const isClaimed = field === undefined || value === null || isEmptyObject(value);
    const node = claimedNode(field?.type ?? memberType(map, name), value, isClaimed);
    if (node !== undefined) draft[fieldElement(name)] = node;
  }
  return draft;
}

function isEmptyObject(value: JsonValue): boolean {
  const map = asMap(value);
  return map !== undefined && isEmptyMap(map);
}

/** Every field of a value, itself included: the node of the place where it stands. */
export function fullFields(type: MergeType, value: JsonValue): FieldSet {
  switch (leadingForm(type, formOf(type, value))) {
    case 'scalar':
      return emptySet;
    case 'list': {
      const items = asList(value);
      const list = type.list as MergeList;
      if (list.atomic || items === undefined || items.length === 0) return emptySet;
      return inOrder(itemNodes(list, items, fullFields, { [memberMark]: emptySet }));
    }
    case 'map': {
      const members = asMap(value);
      const map = type.map as MergeMap;
      if (map.atomic || members === undefined || isEmptyMap(members)) return emptySet;
      return inOrder(fullMembers(map, members));
    }
  }
}

function fullMembers(map: MergeMap, members: JsonObject): FieldSetDraft {
  const draft: FieldSetDraft = { [memberMark]: emptySet };
  for (const name of Object.keys(members)) {
    const value = members[name];
    if (value === undefined) continue;
    draft[fieldElement(name)] = fullFields(memberType(map, name), value);
  }
  return draft;
}

/** The parts of an associative list, each by its element. Items without one are left out. */
function itemNodes(
  list: MergeList,
  items: JsonArray,
  nodeOfItem: (type: MergeType, item: JsonValue) => FieldSet,
  draft: FieldSetDraft,
): FieldSetDraft {
  for (const item of items) {
    const element = itemElement(list, item);
    if (element === undefined) continue;
    draft[element] = Object.hasOwn(draft, element) ? emptySet : nodeOfItem(list.items, item);
  }
  return draft;
}

/** A node with these parts. Undefined: neither a member nor on the way to one. */
function nodeOf(draft: FieldSetDraft, member: boolean): FieldSet | undefined {
  if (isEmptySet(draft)) return member ? emptySet : undefined;
  const ordered = inOrder(draft);
  return member ? { [memberMark]: emptySet, ...ordered } : ordered;
}
