/**
 * FieldsV1 from outside: JSON that claims to be a set of fields (spec 1, section 2.5).
 *
 * Sets that were made here are not read again: they are canonical already, and canonicalFields
 * remembers so for as long as the object lives.
 *
 * Invariant: elements of an unknown kind are dropped (a later release may have written them);
 * anything else that is no set makes the whole undefined.
 */
import type { JsonObject, JsonValue } from '../../unstructured.ts';
import { isJsonObject } from '../../unstructured.ts';
import type { FieldSet, FieldSetDraft } from './field-set.ts';
import { emptySet, inOrder, isEmptySet, memberMark } from './field-set.ts';
import type { ElementReader } from './element-reader.ts';
import { elementReader } from './element-reader.ts';
import {
  compareElements,
  compareParsed,
  formatPathElement,
  unknownElement,
} from './path-element.ts';

const known = new WeakSet<FieldSet>([emptySet]);

/** The set that the JSON stands for; the same object when it is canonical. Null is the empty set.
 * Undefined when it is malformed. */
export function canonicalFields(fields: JsonValue): FieldSet | undefined {
  if (fields === null) return emptySet;
  if (isJsonObject(fields) && known.has(fields)) return fields;
  const read = elementReader();
  const canonical = isJsonObject(fields) ? canonicalNode(fields, true, read) : undefined;
  const decoded = canonical ?? decodeNode(fields, true, read);
  return decoded === undefined ? undefined : markCanonical(decoded);
}

/** Says that the set was made here. */
export function markCanonical(set: FieldSet): FieldSet {
  known.add(set);
  return set;
}

/** The node itself, where all of it is as it would be written here: the usual case. */
function canonicalNode(
  node: JsonObject,
  isRoot: boolean,
  read: ElementReader,
): FieldSet | undefined {
  let previous: string | undefined;
  for (const key of Object.keys(node)) {
    const below = node[key];
    if (key === memberMark) {
      if (isRoot || previous !== undefined || !isEmptyObject(below)) return undefined;
      continue;
    }
    if (!isCanonicalElement(key, read) || !isJsonObject(below)) return undefined;
    if (previous !== undefined && compareReadElements(previous, key, read) >= 0) return undefined;
    if (canonicalNode(below, false, read) !== below) return undefined;
    previous = key;
  }
  // A mark alone is the same as nothing.
  return previous === undefined && node[memberMark] !== undefined ? undefined : node;
}

function isCanonicalElement(text: string, read: ElementReader): boolean {
  if (text.startsWith('f:')) return true;
  const element = read(text);
  if (element === undefined || element === unknownElement) return false;
  return formatPathElement(element) === text;
}

/** Both have been read: their texts need not be walked. */
function compareReadElements(a: string, b: string, read: ElementReader): number {
  if (a.startsWith('f:') || b.startsWith('f:')) return compareElements(a, b);
  const [left, right] = [read(a), read(b)];
  if (typeof left !== 'object' || typeof right !== 'object') return compareElements(a, b);
  return compareParsed(left, right);
}

function decodeNode(node: JsonValue, isRoot: boolean, read: ElementReader): FieldSet | undefined {
  if (node === null) return emptySet;
  if (!isJsonObject(node)) return undefined;
  const draft: FieldSetDraft = {};
  let isSame = true;
  let hasMark = false;
  for (const [position, key] of Object.keys(node).entries()) {
    if (key === memberMark) {
      hasMark = !isRoot;
      isSame &&= hasMark && position === 0 && isEmptyObject(node[key]);
      continue;
    }
    const element = read(key);
    if (element === undefined) return undefined;
    if (element === unknownElement) {
      isSame = false;
      continue;
    }
    const below = decodeNode(node[key] ?? null, false, read);
    if (below === undefined) return undefined;
    const text = formatPathElement(element);
    isSame &&= text === key && below === node[key];
    // Two texts of one element: the last one counts, as for any key of JSON.
    draft[text] = below;
  }
  return finish(node, draft, isSame, hasMark);
}

function finish(node: FieldSet, draft: FieldSetDraft, isSame: boolean, hasMark: boolean): FieldSet {
  // Without members below, a node is a member whether it says so or not.
  if (isEmptySet(draft)) return isSame && !hasMark ? node : emptySet;
  const ordered = inOrder(draft);
  if (isSame && ordered === draft) return node;
  return hasMark ? { [memberMark]: emptySet, ...ordered } : ordered;
}

function isEmptyObject(value: JsonValue | undefined): boolean {
  return isJsonObject(value) && isEmptySet(value);
}
