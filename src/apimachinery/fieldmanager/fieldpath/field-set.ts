/**
 * Sets of fields, in the form in which managedFields carry them: nested objects whose keys are path
 * elements (spec 1, section 2.5).
 *
 *     {"f:spec": {"f:replicas": {}, "f:template": {".": {}, "f:a": {}}}}
 *
 * Members are spec.replicas, spec.template and spec.template.a: an empty object is a member, and so
 * is one with `.`; spec is only on the way. The root is never a member. What is decoded from JSON
 * needs no second form, and what is computed needs no encoding.
 *
 * Invariants: keys are canonical texts in canonical order, `.` first; nothing is there that leads
 * to no member; sets are never changed once made, so they share their parts.
 */
import type { Steps } from '../../../stdx/stepwise.ts';
import type { JsonObject } from '../../unstructured.ts';
import { compareElements, sortElements } from './path-element.ts';

/** The root of a set, or one of its nodes. */
export type FieldSet = JsonObject;

/** A set that is being made. */
export type FieldSetDraft = Record<string, FieldSet>;

/** As a root: nothing. As a node: a member without members below. */
export const emptySet: FieldSet = Object.freeze({});

export const memberMark = '.';

export function isEmptySet(set: FieldSet): boolean {
  if (set === emptySet) return true;
  // To look for the first of many keys, the engine lists all of them.
  if (set[memberMark] !== undefined || large.has(set)) return false;
  for (const _key in set) return false;
  return true;
}

/** Of a node: whether the field itself is in the set. */
export function isMember(node: FieldSet): boolean {
  return node[memberMark] !== undefined || isEmptySet(node);
}

/** Sets of more keys than `largeMin` that have been listed once. */
const large = new WeakSet<FieldSet>();
const largeMin = 256;

function keysOf(set: FieldSet): string[] {
  const keys = Object.keys(set);
  if (keys.length > largeMin) large.add(set);
  return keys;
}

/** The node below, if any member lies there. */
export function nodeAt(set: FieldSet, element: string): FieldSet | undefined {
  return set[element] as FieldSet | undefined;
}

type Combine = (left: FieldSet, right: FieldSet) => FieldSet | undefined;

interface Zipped {
  readonly member: boolean;
  readonly both: Combine;
  readonly keepLeft: boolean;
  readonly keepRight: boolean;
}

/** Walks two nodes side by side. Undefined when no member is left; the left node itself when
 * nothing of it changes, which is the usual case: it is copied at the first thing that does. */
function zip(left: FieldSet, right: FieldSet, how: Zipped): FieldSet | undefined {
  if (!how.keepRight) return along(left, right, how);
  const leftKeys = keysOf(left);
  const rightKeys = keysOf(right);
  const leftStart = leftKeys[0] === memberMark ? 1 : 0;
  let l = leftStart;
  let r = rightKeys[0] === memberMark ? 1 : 0;
  let out: FieldSetDraft | undefined;
  const copy = (count: number): FieldSetDraft => {
    const draft: FieldSetDraft = how.member ? { [memberMark]: emptySet } : {};
    for (let at = leftStart; at < count; at += 1) {
      const key = leftKeys[at] as string;
      draft[key] = left[key] as FieldSet;
    }
    return draft;
  };
  // A mark that comes or goes is a change, too.
  if (leftKeys.length > 0 && how.member !== (leftStart === 1)) out = copy(0);
  while (l < leftKeys.length || r < rightKeys.length) {
    const leftKey = leftKeys[l];
    const rightKey = rightKeys[r];
    const order =
      leftKey === undefined ? 1 : rightKey === undefined ? -1 : compareElements(leftKey, rightKey);
    if (order > 0) {
      if (how.keepRight)
        (out ??= copy(l))[rightKey as string] = right[rightKey as string] as FieldSet;
    } else {
      const key = leftKey as string;
      const node = left[key] as FieldSet;
      const kept =
        order === 0 ? how.both(node, right[key] as FieldSet) : how.keepLeft ? node : undefined;
      if (kept !== node) out ??= copy(l);
      if (kept !== undefined && out !== undefined) out[key] = kept;
    }
    if (order <= 0) l += 1;
    if (order >= 0) r += 1;
  }
  return out === undefined && leftKeys.length > 1 ? left : finished(out ?? left, how.member);
}

/** zip() where nothing of the right node is kept: what that has besides costs nothing, so the small
 * sets of many managers can be held against one large set. */
function along(left: FieldSet, right: FieldSet, how: Zipped): FieldSet | undefined {
  const keys = keysOf(left);
  const start = keys[0] === memberMark ? 1 : 0;
  let out: FieldSetDraft | undefined;
  const copy = (count: number): FieldSetDraft => {
    const draft: FieldSetDraft = how.member ? { [memberMark]: emptySet } : {};
    for (let at = start; at < count; at += 1) {
      const key = keys[at] as string;
      draft[key] = left[key] as FieldSet;
    }
    return draft;
  };
  if (keys.length > 0 && how.member !== (start === 1)) out = copy(0);
  for (let at = start; at < keys.length; at += 1) {
    const key = keys[at] as string;
    const node = left[key] as FieldSet;
    const other = nodeAt(right, key);
    const kept = other !== undefined ? how.both(node, other) : how.keepLeft ? node : undefined;
    if (kept !== node) out ??= copy(at);
    if (kept !== undefined && out !== undefined) out[key] = kept;
  }
  return out === undefined && keys.length > 1 ? left : finished(out ?? left, how.member);
}

/** Of a node without members below only itself can be left. */
function finished(node: FieldSet, isOne: boolean): FieldSet | undefined {
  for (const key in node) if (key !== memberMark) return node;
  return isOne ? emptySet : undefined;
}

const uniteNodes: Combine = (left, right) => {
  if (left === right || (isEmptySet(left) && isEmptySet(right))) return left;
  return zip(left, right, {
    member: isMember(left) || isMember(right),
    both: uniteNodes,
    keepLeft: true,
    keepRight: true,
  });
};

/** Halves are united, then the two results, so each field is copied log2(sets) times at most. A
 * part for each union. */
export function* unionOf(sets: readonly FieldSet[]): Steps<FieldSet> {
  if (sets.length <= 2) return union(sets[0] ?? emptySet, sets[1] ?? emptySet);
  const middle = sets.length >> 1;
  const left = yield* unionOf(sets.slice(0, middle));
  yield;
  const right = yield* unionOf(sets.slice(middle));
  yield;
  return union(left, right);
}

/** What is in either. */
export function union(left: FieldSet, right: FieldSet): FieldSet {
  if (left === right || isEmptySet(right)) return left;
  if (isEmptySet(left)) return right;
  const how = { member: false, both: uniteNodes, keepLeft: true, keepRight: true };
  return zip(left, right, how) ?? emptySet;
}

const intersectNodes: Combine = (left, right) => {
  if (left === right) return left;
  if (isEmptySet(left)) return isMember(right) ? left : undefined;
  return zip(left, right, {
    member: isMember(left) && isMember(right),
    both: intersectNodes,
    keepLeft: false,
    keepRight: false,
  });
};

/** What is in both. */
export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  const how = { member: false, both: intersectNodes, keepLeft: false, keepRight: false };
  return zip(left, right, how) ?? emptySet;
}

const subtractNodes: Combine = (left, right) => {
  if (isEmptySet(left)) return isMember(right) ? undefined : left;
  return zip(left, right, {
    member: isMember(left) && !isMember(right),
    both: subtractNodes,
    keepLeft: true,
    keepRight: false,
  });
};

/** What is in the first alone. A member of the second does not take along what lies below it. */
export function difference(left: FieldSet, right: FieldSet): FieldSet {
  if (isEmptySet(right)) return left;
  const how = { member: false, both: subtractNodes, keepLeft: true, keepRight: false };
  return zip(left, right, how) ?? emptySet;
}

const cutNodes: Combine = (left, right) =>
  isMember(right)
    ? undefined
    : zip(left, right, {
        member: isMember(left),
        both: cutNodes,
        keepLeft: true,
        keepRight: false,
      });

/** Like difference, but a member of the second takes along everything below it. */
export function recursiveDifference(left: FieldSet, right: FieldSet): FieldSet {
  if (isEmptySet(right)) return left;
  const how = { member: false, both: cutNodes, keepLeft: true, keepRight: false };
  return zip(left, right, how) ?? emptySet;
}

/** Only the members that have none below them. */
export function leaves(set: FieldSet): FieldSet {
  const out: FieldSetDraft = {};
  for (const key of Object.keys(set)) {
    if (key !== memberMark) out[key] = leaves(set[key] as FieldSet);
  }
  return out;
}

export function setsEqual(left: FieldSet, right: FieldSet): boolean {
  if (left === right) return true;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => {
    const other = right[key] as FieldSet | undefined;
    return other !== undefined && setsEqual(left[key] as FieldSet, other);
  });
}

/** Calls back with every member's path: those of a level first, then those below each of them.
 * The path is reused; copy it to keep it. */
export function forEachPath(set: FieldSet, visit: (path: readonly string[]) => void): void {
  visitBelow(set, [], visit);
}

function visitBelow(set: FieldSet, path: string[], visit: (path: readonly string[]) => void): void {
  const keys = Object.keys(set).filter((key) => key !== memberMark);
  for (const key of keys) {
    if (!isMember(set[key] as FieldSet)) continue;
    path.push(key);
    visit(path);
    path.pop();
  }
  for (const key of keys) {
    path.push(key);
    visitBelow(set[key] as FieldSet, path, visit);
    path.pop();
  }
}

/** The set of one path. */
/** A set whose keys were put in in any order: sorted, without a copy when they stand right. */
export function inOrder(draft: FieldSetDraft): FieldSet {
  let previous: string | undefined;
  for (const key of keysOf(draft)) {
    if (previous !== undefined && previous !== memberMark && compareElements(previous, key) > 0) {
      return resorted(draft);
    }
    previous = key;
  }
  return draft;
}

function resorted(draft: FieldSetDraft): FieldSet {
  const out: FieldSetDraft = {};
  for (const key of sortElements(Object.keys(draft))) out[key] = draft[key] as FieldSet;
  return out;
}
