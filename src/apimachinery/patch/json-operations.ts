/**
 * The operations of JSON Patch (RFC 6902) on a document, and the pointers (RFC 6901) they take.
 *
 * A library does not serve here: those that are kept read members named `constructor` or
 * `__proto__` as something else, and both are keys that a user's data may have.
 *
 * Invariants: only own members count. An operation that is refused may have changed the document,
 * which is the caller's own copy. Time: the length of the pointer, and of the list it ends in.
 */
import { deepEqual } from '../../stdx/deep-equal.ts';
import { ownMember, setMember } from '../../stdx/lookup.ts';
import { TextUnits } from '../../stdx/text-units.ts';
import type { JsonValue } from '../unstructured.ts';
import { isJsonObject } from '../unstructured.ts';
import { cloneJson } from './members.ts';
import type { Draft } from './members.ts';
import { patchRefused, quotedText } from './patch-result.ts';
import type { Patched } from './patch-result.ts';

export interface JsonPatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  readonly path: string;
  readonly from: string | undefined;
  readonly value: JsonValue | undefined;
}

/** Where a pointer ends: the last token, and what holds it. */
type End =
  | { readonly kind: 'whole' }
  | { readonly kind: 'member'; readonly parent: Draft; readonly key: string }
  | { readonly kind: 'item'; readonly parent: JsonValue[]; readonly key: string }
  | Nowhere;

interface Nowhere {
  readonly kind: 'nowhere';
  readonly problem: string;
}

/** May change `document`. A member that is not there passes a test for null and can be replaced,
 * as in the reference. */
export function applyOperation(document: JsonValue, operation: JsonPatchOperation): Patched {
  const { path } = operation;
  const value = operation.value ?? null;
  switch (operation.op) {
    case 'add':
      return add(document, path, cloneJson(value));
    case 'remove':
      return remove(document, path);
    case 'replace':
      return replace(document, path, cloneJson(value));
    case 'test':
      return test(document, path, value);
    case 'copy': {
      const found = valueAt(document, operation.from ?? '');
      if (found.kind === 'refused') return found;
      return add(document, path, cloneJson(found.value));
    }
    case 'move': {
      // A removal and an addition: its target is looked up when what is moved has gone, so that
      // it leads neither into itself nor past the end of a list.
      const from = operation.from ?? '';
      const found = valueAt(document, from);
      if (found.kind === 'refused') return found;
      if (path === from) return ok(document);
      const removed = path === '' ? ok(document) : remove(document, from);
      return removed.kind === 'refused' ? removed : add(removed.value, path, found.value);
    }
  }
}

/** The value that is there; refused when there is none. */
export function valueAt(document: JsonValue, pointer: string): Patched {
  return valueOf(document, endOf(document, pointer), pointer);
}

function valueOf(document: JsonValue, end: End, pointer: string): Patched {
  switch (end.kind) {
    case 'whole':
      return ok(document);
    case 'nowhere':
      return refused(end.problem);
    case 'member': {
      const found = ownMember(end.parent, end.key);
      return found === undefined ? refused(`${quotedText(pointer)} does not exist`) : ok(found);
    }
    case 'item': {
      const at = indexIn(end.parent, end.key, pointer);
      return typeof at === 'string' ? refused(at) : ok(end.parent[at] as JsonValue);
    }
  }
}

function add(document: JsonValue, pointer: string, value: JsonValue): Patched {
  return addAt(document, endOf(document, pointer), pointer, value);
}

function addAt(document: JsonValue, end: End, pointer: string, value: JsonValue): Patched {
  switch (end.kind) {
    case 'whole':
      return ok(value);
    case 'nowhere':
      return refused(end.problem);
    case 'member':
      setMember(end.parent, end.key, value);
      return ok(document);
    case 'item': {
      const { parent, key } = end;
      const { length } = parent;
      const behind = key === '-' || key === String(length);
      const at = behind ? length : indexIn(parent, key, pointer);
      if (typeof at === 'string') return refused(at);
      parent.splice(at, 0, value);
      return ok(document);
    }
  }
}

function remove(document: JsonValue, pointer: string): Patched {
  const end = endOf(document, pointer);
  const found = valueOf(document, end, pointer);
  if (found.kind === 'refused') return found;
  if (end.kind === 'member') delete end.parent[end.key];
  else if (end.kind === 'item') end.parent.splice(Number(end.key), 1);
  else return refused('the whole document cannot be removed');
  return ok(document);
}

function replace(document: JsonValue, pointer: string, value: JsonValue): Patched {
  const end = endOf(document, pointer);
  if (end.kind !== 'item') return addAt(document, end, pointer, value);
  const at = indexIn(end.parent, end.key, pointer);
  if (typeof at === 'string') return refused(at);
  end.parent[at] = value;
  return ok(document);
}

function test(document: JsonValue, pointer: string, value: JsonValue): Patched {
  const end = endOf(document, pointer);
  const found =
    end.kind === 'member'
      ? ok(ownMember(end.parent, end.key) ?? null)
      : valueOf(document, end, pointer);
  if (found.kind === 'refused') return found;
  if (deepEqual(found.value, value)) return ok(document);
  return refused('test failed: the value is another one');
}

/** One walk along the pointer, which is "" or starts with "/". */
function endOf(document: JsonValue, pointer: string): End {
  if (pointer === '') return { kind: 'whole' };
  let at: JsonValue | undefined = document;
  let start = 1;
  for (let end = pointer.indexOf('/', start); end >= 0; end = pointer.indexOf('/', start)) {
    const token = unescaped(pointer.slice(start, end));
    start = end + 1;
    if (Array.isArray(at)) {
      const index = indexIn(at as JsonValue[], token, pointer);
      if (typeof index === 'string') return { kind: 'nowhere', problem: index };
      at = (at as JsonValue[])[index];
      continue;
    }
    if (!isJsonObject(at ?? null)) return nothingHolds(token, pointer);
    at = ownMember(at as Draft, token);
    if (at === undefined)
      return { kind: 'nowhere', problem: `${quotedText(pointer)} does not exist` };
  }
  const key = unescaped(pointer.slice(start));
  if (Array.isArray(at)) return { kind: 'item', parent: at as JsonValue[], key };
  if (!isJsonObject(at)) return nothingHolds(key, pointer);
  return { kind: 'member', parent: at, key };
}

function nothingHolds(token: string, pointer: string): Nowhere {
  const problem = `${quotedText(pointer)}: nothing is there to hold ${quotedText(token)}`;
  return { kind: 'nowhere', problem };
}

/** The index that a token names, or why it names none. */
function indexIn(list: readonly JsonValue[], token: string, pointer: string): number | string {
  if (!/^(?:0|[1-9]\d*)$/.test(token))
    return `${quotedText(pointer)}: ${quotedText(token)} is no index`;
  if (Number(token) < list.length) return Number(token);
  return `${quotedText(pointer)}: index ${token} is out of bounds`;
}

/** A token of more characters is decoded by its codes. */
const shortToken = 256;

function unescaped(token: string): string {
  if (!token.includes('~')) return token;
  if (token.length > shortToken) return unescapedLong(token);
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}

const tilde = 0x7e;
const slash = 0x2f;
const digitOne = 0x31;

/** Of a token whose every "~" is part of an escape. */
function unescapedLong(token: string): string {
  const units = new TextUnits();
  for (let at = 0; at < token.length; at += 1) {
    const code = token.charCodeAt(at);
    if (code === tilde) at += 1;
    const isSlash = code === tilde && token.charCodeAt(at) === digitOne;
    units.add(isSlash ? slash : code);
  }
  return units.text;
}

const ok = (value: JsonValue): Patched => ({ kind: 'ok', value });
const refused = (problem: string): Patched => patchRefused('inapplicable', problem);
