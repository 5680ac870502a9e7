/**
 * What tells the items of an associative list apart: the path element of an item.
 *
 * Invariant: an absent key that has a default counts as if it were there with it.
 */
import { quote } from '../../quote.ts';
import type { JsonValue } from '../../unstructured.ts';
import type { KeyField } from '../fieldpath/path-element.ts';
import { keyElement, valueElement } from '../fieldpath/path-element.ts';
import type { MergeList } from '../schema/merge-type.ts';
import { asMap, memberOf } from './forms.ts';

export type ItemElement =
  | { readonly kind: 'element'; readonly element: string }
  | { readonly kind: 'invalid'; readonly why: string };

/** Why the item can be none of an associative list, or its path element. */
export function checkedItemElement(list: MergeList, item: JsonValue): ItemElement {
  const element = itemElement(list, item);
  if (element !== undefined) return { kind: 'element', element };
  return { kind: 'invalid', why: list.keys.length > 0 ? whyNoKey(list, item) : whyNoValue(item) };
}

/** Undefined for an item that has no place in such a list. */
export function itemElement(list: MergeList, item: JsonValue): string | undefined {
  if (list.keys.length === 0) {
    return item === null || typeof item === 'object' ? undefined : valueElement(item);
  }
  const map = asMap(item);
  if (map === undefined) return undefined;
  const [onlyKey] = list.keys;
  if (list.keys.length === 1 && onlyKey !== undefined) {
    const text = memberOf(map, onlyKey);
    if (typeof text === 'string') return textKeyElement(onlyKey, text);
  }
  const fields: KeyField[] = [];
  for (const name of list.keys) {
    // Without a default an absent key is left out: that is an element of its own.
    const own = memberOf(map, name);
    const value = own === undefined ? defaultOf(list, name) : own;
    if (value !== undefined) fields.push([name, value]);
  }
  return fields.length === 0 ? undefined : keyElement(fields);
}

/** Items are mostly told apart by one name, and names come again: their elements are made once. */
const textKeyElements = new Map<string, Map<string, string>>();
/** Of all keys, which users define. At the limit they start anew: what is in use is soon back. */
const KEY_TEXTS_MAX = 32_768;
const KEY_TEXT_KEPT_MAX = 64;
let keyTextsCount = 0;

function textKeyElement(key: string, text: string): string {
  if (text.length > KEY_TEXT_KEPT_MAX || key.length > KEY_TEXT_KEPT_MAX) {
    return keyElement([[key, text]]);
  }
  const known = textKeyElements.get(key)?.get(text);
  if (known !== undefined) return known;
  if (keyTextsCount >= KEY_TEXTS_MAX) {
    textKeyElements.clear();
    keyTextsCount = 0;
  }
  const made = keyElement([[key, text]]);
  const ofKey = textKeyElements.get(key) ?? new Map<string, string>();
  textKeyElements.set(key, ofKey.set(text, made));
  keyTextsCount += 1;
  return made;
}

function defaultOf(list: MergeList, key: string): JsonValue | undefined {
  return list.items.map?.fields.get(key)?.default;
}

function whyNoKey(list: MergeList, item: JsonValue): string {
  if (item === null) return 'associative list with keys may not have a null element';
  if (asMap(item) === undefined) {
    return 'associative list with keys may not have non-map elements';
  }
  const keys = `[${list.keys.map(quote).join(' ')}]`;
  return (
    `associative list with keys has an element that omits all key fields ${keys} ` +
    "(and doesn't have default values for any key fields)"
  );
}

function whyNoValue(item: JsonValue): string {
  if (item === null) {
    return "associative list without keys has an element that's an explicit null";
  }
  return Array.isArray(item)
    ? 'not supported: associative list with lists as elements'
    : "associative list without keys has an element that's a map type";
}
