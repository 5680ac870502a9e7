/**
 * What differs between two values of a type, field by field.
 *
 *     added      in the second only, with everything below it
 *     removed    in the first only, with everything below it
 *     modified   leaves that are in both and differ
 *
 * Invariants: no field is in two of the sets. Parts that are the same object are not looked into.
 */
import { deepEqual } from '../../../stdx/deep-equal.ts';
import type { JsonArray, JsonObject, JsonValue } from '../../unstructured.ts';
import type { FieldSet, FieldSetDraft } from '../fieldpath/field-set.ts';
import { emptySet, inOrder, union } from '../fieldpath/field-set.ts';
import { fieldElement } from '../fieldpath/path-element.ts';
import type { MergeList, MergeMap, MergeType } from '../schema/merge-type.ts';
import type { Form } from './forms.ts';
import {
  asList,
  asMap,
  formOf,
  isEmptyMap,
  leadingForm,
  memberOf,
  memberType,
  sortedNames,
} from './forms.ts';
import { itemElement } from './list-items.ts';
import { fullFields } from './to-field-set.ts';

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

export const noChange: Comparison = { added: emptySet, modified: emptySet, removed: emptySet };

/** Undefined when nothing differs: the usual case. */
export function compareValuesOf(
  type: MergeType,
  first: JsonValue,
  second: JsonValue,
): Comparison | undefined {
  const found = compareNodes(type, first, second);
  if (found === undefined) return undefined;
  return {
    added: found.added ?? emptySet,
    modified: found.modified ?? emptySet,
    removed: found.removed ?? emptySet,
  };
}

/** Nodes of the place that is compared. */
interface Difference {
  added?: FieldSet | undefined;
  modified?: FieldSet | undefined;
  removed?: FieldSet | undefined;
}

const differs: Difference = Object.freeze({ modified: emptySet });

function compareNodes(
  type: MergeType,
  first: JsonValue,
  second: JsonValue,
): Difference | undefined {
  if (first === second) return undefined;
  const [left, right] = [formOf(type, first), formOf(type, second)];
  const found = compareAs(type, leadingForm(type, right), first, second);
  if (left === right) return found;
  return merged(compareAs(type, leadingForm(type, left), first, second), found);
}

/** Both values are looked at in one form; one that does not have it counts as empty. */
function compareAs(
  type: MergeType,
  form: Form,
  first: JsonValue,
  second: JsonValue,
): Difference | undefined {
  switch (form) {
    case 'scalar':
      return compareLeaves(first, second);
    case 'list': {
      const list = type.list as MergeList;
      const [left, right] = [asList(first), asList(second)];
      const isEmpty = (left?.length ?? 0) === 0 && (right?.length ?? 0) === 0;
      if (list.atomic || isEmpty) return compareLeaves(first, second);
      // Looking for what differs costs more than seeing that nothing does.
      return deepEqual(left, right) ? undefined : compareItems(list, left ?? [], right ?? []);
    }
    case 'map': {
      const map = type.map as MergeMap;
      const [left, right] = [asMap(first), asMap(second)];
      if (map.atomic || (isEmptyMap(left) && isEmptyMap(right))) {
        return compareLeaves(first, second);
      }
      return compareMembers(map, left ?? {}, right ?? {});
    }
  }
}

function compareLeaves(first: JsonValue, second: JsonValue): Difference | undefined {
  return deepEqual(first, second) ? undefined : differs;
}

function merged(a: Difference | undefined, b: Difference | undefined): Difference | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return {
    added: unite(a.added, b.added),
    modified: unite(a.modified, b.modified),
    removed: unite(a.removed, b.removed),
  };
}

function unite(a: FieldSet | undefined, b: FieldSet | undefined): FieldSet | undefined {
  return a === undefined || b === undefined
    ? (a ?? b)
    : (union({ n: a }, { n: b })['n'] as FieldSet);
}

/** The parts of a difference, as they are found. */
class Parts {
  #added: FieldSetDraft | undefined;
  #modified: FieldSetDraft | undefined;
  #removed: FieldSetDraft | undefined;

  add(element: string, node: FieldSet): void {
    (this.#added ??= {})[element] = node;
  }

  modify(element: string, node: FieldSet): void {
    (this.#modified ??= {})[element] = node;
  }

  remove(element: string, node: FieldSet): void {
    (this.#removed ??= {})[element] = node;
  }

  put(element: string, found: Difference | undefined): void {
    if (found === undefined) return;
    if (found.added !== undefined) this.add(element, found.added);
    if (found.modified !== undefined) this.modify(element, found.modified);
    if (found.removed !== undefined) this.remove(element, found.removed);
  }

  toDifference(): Difference | undefined {
    const [added, modified, removed] = [this.#added, this.#modified, this.#removed];
    if (added === undefined && modified === undefined && removed === undefined) return undefined;
    return {
      added: added && inOrder(added),
      modified: modified && inOrder(modified),
      removed: removed && inOrder(removed),
    };
  }
}

function compareMembers(
  map: MergeMap,
  left: JsonObject,
  right: JsonObject,
): Difference | undefined {
  const parts = new Parts();
  for (const name of sortedNames(right)) {
    const second = right[name];
    if (second === undefined) continue;
    const first = memberOf(left, name);
    if (first === second) continue;
    const type = memberType(map, name);
    if (typeof first === 'string' && typeof second === 'string' && isPlain(type)) {
      parts.modify(fieldElement(name), emptySet);
    } else if (first === undefined) parts.add(fieldElement(name), fullFields(type, second));
    else parts.put(fieldElement(name), compareNodes(type, first, second));
  }
  for (const name of sortedNames(left)) {
    const first = left[name];
    if (first === undefined || memberOf(right, name) !== undefined) continue;
    parts.remove(fieldElement(name), fullFields(memberType(map, name), first));
  }
  return parts.toDifference();
}

/** Of a type that has scalars only. */
function isPlain({ list, map, scalar }: MergeType): boolean {
  return scalar !== undefined && list === undefined && map === undefined;
}

function compareItems(list: MergeList, left: JsonArray, right: JsonArray): Difference | undefined {
  const before = itemsByElement(list, left);
  const after = itemsByElement(list, right);
  const parts = new Parts();
  for (const [element, items] of before) {
    compareItem(list.items, element, items, after.get(element) ?? [], parts);
  }
  for (const [element, items] of after) {
    if (!before.has(element)) compareItem(list.items, element, [], items, parts);
  }
  return parts.toDifference();
}

function itemsByElement(list: MergeList, items: JsonArray): ReadonlyMap<string, JsonValue[]> {
  const found = new Map<string, JsonValue[]>();
  for (const item of items) {
    const element = itemElement(list, item);
    if (element === undefined) continue;
    const same = found.get(element);
    if (same === undefined) found.set(element, [item]);
    else same.push(item);
  }
  return found;
}

/** Items that are there twice are one field, compared as a whole; the item as such comes and goes
 * when it becomes double or single. */
function compareItem(
  type: MergeType,
  element: string,
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  parts: Parts,
): void {
  const [first, second] = [before[0], after[0]];
  if (before.length > 1 && after.length > 1) {
    if (!deepEqual(before, after)) parts.modify(element, emptySet);
  } else if (before.length > 1) {
    if (second !== undefined) parts.add(element, fullFields(type, second));
    parts.remove(element, emptySet);
  } else if (after.length > 1) {
    if (first !== undefined) parts.remove(element, fullFields(type, first));
    parts.add(element, emptySet);
  } else if (first === undefined) {
    parts.add(element, fullFields(type, second as JsonValue));
  } else if (second === undefined) {
    parts.remove(element, fullFields(type, first));
  } else {
    parts.put(element, compareNodes(type, first, second));
  }
}
