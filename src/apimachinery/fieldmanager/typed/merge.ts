/**
 * An intent merged into a value: what the intent says wins, what it does not name stays (spec 1,
 * section 4.5, rule 2).
 *
 * Order of list items: as in the value, where the intent changes nothing in the list; otherwise the
 * intent's items in its order, the value's others at the places they had between them.
 *
 * Invariants: nothing is removed. The intent has been validated. Parts that the intent does not
 * change are the same objects as before.
 */
import { setMember } from '../../../stdx/lookup.ts';
import { deepEqual } from '../../../stdx/deep-equal.ts';
import type { JsonArray, JsonObject, JsonValue } from '../../unstructured.ts';
import type { MergeList, MergeMap, MergeType } from '../schema/merge-type.ts';
import type { Form } from './forms.ts';
import { asList, asMap, formFor, isEmptyMap, memberOf, memberType } from './forms.ts';
import { itemElement } from './list-items.ts';

/** Undefined when neither is there or nothing is left. */
export function mergeValues(
  type: MergeType,
  value: JsonValue | undefined,
  intent: JsonValue | undefined,
): JsonValue | undefined {
  if (typeof value === 'string' && value === intent) return value;
  const leading = intent === undefined ? value : intent;
  if (leading === undefined) return undefined;
  return mergeAs(type, formFor(type, leading), value, intent);
}

function mergeAs(
  type: MergeType,
  form: Form,
  value: JsonValue | undefined,
  intent: JsonValue | undefined,
): JsonValue | undefined {
  switch (form) {
    case 'scalar':
      return leaf(value, intent);
    case 'list': {
      const list = type.list as MergeList;
      const [left, right] = [asList(value), asList(intent)];
      const isEmpty = (left?.length ?? 0) === 0 && (right?.length ?? 0) === 0;
      if (list.atomic || isEmpty) return leaf(value, intent);
      return kept(value, mergeItems(list, left ?? [], right ?? []));
    }
    case 'map': {
      const map = type.map as MergeMap;
      const [left, right] = [asMap(value), asMap(intent)];
      if (map.atomic || (isEmptyMap(left) && isEmptyMap(right))) return leaf(value, intent);
      return mergeMembers(map, left ?? {}, right ?? {});
    }
  }
}

/** The intent's, or else the value's. */
function leaf(value: JsonValue | undefined, intent: JsonValue | undefined): JsonValue | undefined {
  return intent === undefined ? value : kept(value, intent);
}

/** The value itself when it is equal. */
function kept(value: JsonValue | undefined, made: JsonValue | undefined): JsonValue | undefined {
  return value !== undefined && deepEqual(value, made) ? value : made;
}

function mergeMembers(map: MergeMap, left: JsonObject, right: JsonObject): JsonValue | undefined {
  const names = Object.keys(left);
  let out: Record<string, JsonValue> | undefined;
  let count = 0;
  // Most intents say again what is there: it is copied at the first thing that differs.
  const copy = (until: number): Record<string, JsonValue> => {
    const draft: Record<string, JsonValue> = {};
    for (let at = 0; at < until; at += 1) {
      const name = names[at] as string;
      const value = left[name];
      if (value !== undefined) setMember(draft, name, value);
    }
    return draft;
  };
  for (const [at, name] of names.entries()) {
    const value = left[name];
    if (value === undefined) continue;
    const made = mergeValues(memberType(map, name), value, memberOf(right, name));
    if (made !== value) out ??= copy(at);
    if (made === undefined) continue;
    count += 1;
    if (out !== undefined) setMember(out, name, made);
  }
  for (const name of Object.keys(right)) {
    const intent = right[name];
    if (intent === undefined || memberOf(left, name) !== undefined) continue;
    const made = mergeValues(memberType(map, name), undefined, intent);
    if (made === undefined) continue;
    count += 1;
    setMember((out ??= copy(names.length)), name, made);
  }
  if (count === 0) return undefined;
  return out ?? left;
}

interface IndexedItems {
  /** One per item, repeated where an item is there twice. */
  readonly elements: readonly string[];
  readonly items: readonly JsonValue[];
  /** Null for what is there twice: such items are not merged with, only replaced. */
  readonly byElement: ReadonlyMap<string, JsonValue>;
}

function indexItems(list: MergeList, items: JsonArray): IndexedItems {
  const elements: string[] = [];
  const placed: JsonValue[] = [];
  const byElement = new Map<string, JsonValue>();
  for (const item of items) {
    const element = itemElement(list, item);
    if (element === undefined) continue;
    elements.push(element);
    placed.push(item);
    byElement.set(element, byElement.has(element) ? null : item);
  }
  return { elements, items: placed, byElement };
}

function mergeItems(list: MergeList, left: JsonArray, right: JsonArray): JsonArray | undefined {
  const live = indexItems(list, left);
  const wanted = indexItems(list, right);
  const shared = wanted.elements.filter((element) => live.byElement.has(element));
  let nextShared = 0;
  const done = new Set<string>();
  const out: JsonValue[] = [];
  const take = (value: JsonValue | undefined, intent: JsonValue | undefined): void => {
    const made = mergeValues(list.items, value, intent);
    if (made !== undefined) out.push(made);
  };
  const takeWanted = (element: string): void => {
    done.add(element);
    take(live.byElement.get(element), wanted.byElement.get(element));
  };

  let [l, r] = [0, 0];
  while (l < live.elements.length || r < wanted.elements.length) {
    const has = live.elements[l];
    const wants = wanted.elements[r];
    if (has !== undefined && has === wants) {
      takeWanted(has);
      [l, r, nextShared] = [l + 1, r + 1, nextShared + 1];
      continue;
    }
    if (has !== undefined && wants !== undefined && wanted.byElement.has(has)) {
      const expected = shared[nextShared];
      if (expected !== undefined && expected !== has) {
        // Wanted too, but not at this place.
        l += 1;
        continue;
      }
    }
    if (has !== undefined) {
      if (!wanted.byElement.has(has)) {
        take(live.items[l], undefined);
        l += 1;
        continue;
      }
      if (done.has(has)) l += 1;
    }
    if (wants !== undefined) {
      takeWanted(wants);
      r += 1;
      if (shared[nextShared] === wants) nextShared += 1;
    }
  }
  return out.length === 0 ? undefined : out;
}
