/**
 * One step of a path into an object, in its text form (spec 1, section 2.5).
 *
 *     f:replicas              a field or the key of a map
 *     k:{"name":"web"}        the item of a list that has these keys
 *     v:"a"                   the item of a set
 *     i:0                     an item by its position
 *
 * Invariant: a canonical text is the element. Two texts are the same element exactly when they are
 * equal; a text from outside becomes canonical by parsing and formatting it.
 */
import { parseJsonText } from '../../codecs/lossless.ts';
import { quote } from '../../quote.ts';
import type { JsonArray, JsonValue } from '../../unstructured.ts';
import { isJsonObject } from '../../unstructured.ts';
import { canonicalText, compareText, compareValues, sortTexts } from '../value/ordering.ts';

export type KeyField = readonly [name: string, value: JsonValue];

export type PathElement =
  | { readonly kind: 'field'; readonly name: string }
  /** Sorted by name. */
  | { readonly kind: 'key'; readonly fields: readonly KeyField[] }
  | { readonly kind: 'value'; readonly value: JsonValue }
  | { readonly kind: 'index'; readonly index: number };

/** Of another kind than is known here: a later release may have written it. */
export const unknownElement = Symbol('unknown path element');

/** Names of fields are few and come again in every object: their elements are made once. */
const fieldElements = new Map<string, string>();
const FIELD_ELEMENTS_MAX = 32_768;

export function fieldElement(name: string): string {
  const known = fieldElements.get(name);
  if (known !== undefined) return known;
  const made = `f:${name}`;
  // At the limit it starts anew: what is in use is back at once.
  if (fieldElements.size >= FIELD_ELEMENTS_MAX) fieldElements.clear();
  if (name.length <= FIELD_NAME_KEPT_MAX) fieldElements.set(name, made);
  return made;
}

/** Longer names are keys of maps that one object has. */
const FIELD_NAME_KEPT_MAX = 64;

export function valueElement(value: JsonValue): string {
  return `v:${canonicalText(value)}`;
}

/** `fields` are sorted by name. */
export function keyElement(fields: readonly KeyField[]): string {
  let text = 'k:{';
  for (let i = 0; i < fields.length; i += 1) {
    const [name, value] = fields[i] as KeyField;
    text += `${i === 0 ? '' : ','}${canonicalText(name)}:${canonicalText(value)}`;
  }
  return `${text}}`;
}

export function formatPathElement(element: PathElement): string {
  switch (element.kind) {
    case 'field':
      return fieldElement(element.name);
    case 'key':
      return keyElement(element.fields);
    case 'value':
      return valueElement(element.value);
    case 'index':
      return `i:${element.index}`;
  }
}

/** Undefined for a text that is no path element. */
export function parsePathElement(text: string): PathElement | typeof unknownElement | undefined {
  if (text.length < 2 || text[1] !== ':') return undefined;
  const rest = text.slice(2);
  switch (text[0]) {
    case 'f':
      return { kind: 'field', name: rest };
    case 'v': {
      const value = parseValue(rest);
      return value === undefined ? undefined : { kind: 'value', value };
    }
    case 'k':
      return parseKey(rest);
    case 'i':
      return /^[+-]?\d{1,15}$/.test(rest) ? { kind: 'index', index: Number(rest) } : undefined;
    default:
      return unknownElement;
  }
}

/** Commas and brackets in the text of an element, those in its own texts not counted. Policy: what
 * has more is none; items of sets are scalars, and those of lists have a few scalar keys. */
const elementPartsMax = 64;

function parseKey(text: string): PathElement | undefined {
  const value = parseValue(text);
  if (!isJsonObject(value)) return undefined;
  const fields = Object.keys(value)
    .sort(compareText)
    .map((name): KeyField => [name, value[name] ?? null]);
  return { kind: 'key', fields };
}

function parseValue(text: string): JsonValue | undefined {
  if (text.length > elementPartsMax && countParts(text) > elementPartsMax) return undefined;
  try {
    return parseJsonText(text);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

const [quotationMark, backslash, comma] = [0x22, 0x5c, 0x2c];
const [bracket, brace] = [0x5b, 0x7b];

/** Counted before it is read, to just above `elementPartsMax`: deep texts fill the stack, wide ones
 * are sorted. */
export function countParts(text: string): number {
  let parts = 0;
  for (let at = 0; at < text.length && parts <= elementPartsMax; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quotationMark) at = endOfText(text, at);
    else if (code === comma || code === bracket || code === brace) parts += 1;
  }
  return parts;
}

/** Where the text ends that begins at this quotation mark; the last place if it does not. */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === backslash) at += 1;
    else if (code === quotationMark) return at;
  }
  return text.length;
}

const kindOrder = 'fkvi';

/** Order of two canonical texts: fields, keys, values, positions. */
export function compareElements(
  a: string,
  b: string,
  parse: (text: string) => PathElement = parseCanonical,
): number {
  if (a === b) return 0;
  const [left, right] = [a.charCodeAt(0), b.charCodeAt(0)];
  if (left !== right) return rankOf(a) - rankOf(b);
  // Nearly all are fields, or differ first inside a plain text or a whole number.
  if (left === 0x66) return compareText(a, b);
  return compareByText(a, b) ?? compareParsed(parse(a), parse(b));
}

/** Canonical texts put in their order. */
export function sortElements(elements: string[]): string[] {
  const onlyFields = elements.every((each) => each.startsWith('f:') || each === '.');
  if (onlyFields) return sortTexts(elements);
  const alike = sortedByOneText(elements);
  if (alike !== undefined) return alike;
  // A sort compares each of them many times.
  const parsed = new Map<string, PathElement>();
  const parse = (text: string): PathElement => {
    const known = parsed.get(text) ?? parseCanonical(text);
    parsed.set(text, known);
    return known;
  };
  return elements.sort((a, b) => compareElements(a, b, parse));
}

const oneText = /^(?:k:\{"[^"\\]*":|v:)"/;

/** Elements that differ in one plain text: items with the same only key, as most lists have, or
 * those of a set. The engine compares texts many times as fast. Undefined: they are others. */
function sortedByOneText(elements: readonly string[]): string[] | undefined {
  const first = elements[0] === '.' ? 1 : 0;
  const [before] = oneText.exec(elements[first] ?? '') ?? [];
  if (before === undefined) return undefined;
  const behind = before.startsWith('k') ? '"}' : '"';
  const texts: string[] = [];
  for (let at = first; at < elements.length; at += 1) {
    const element = elements[at] as string;
    if (!element.startsWith(before) || !element.endsWith(behind)) return undefined;
    const text = element.slice(before.length, element.length - behind.length);
    if (text.includes('"') || text.includes('\\')) return undefined;
    texts.push(text);
  }
  const sorted = sortTexts(texts).map((text) => before + text + behind);
  return first === 0 ? sorted : ['.', ...sorted];
}

/** Of two elements of one kind, by their texts. Undefined when it cannot be seen from those. */
function compareByText(a: string, b: string): number | undefined {
  if (a.includes('\\') || b.includes('\\')) return undefined;
  let at = 0;
  let quotes = 0;
  for (; at < a.length && a[at] === b[at]; at += 1) if (a[at] === '"') quotes += 1;
  if (quotes % 2 === 0) return compareWholeNumbers(a, b, at);
  if (at >= a.length || at >= b.length) return undefined;
  // The first difference lies inside a text; the one that ends here is the shorter one.
  if (a[at] === '"') return -1;
  return b[at] === '"' ? 1 : compareText(a.slice(at), b.slice(at));
}

const wholeNumber = /:(\d{1,15})(?=[,}]|$)/y;

/** When the first difference lies in a value that is a whole number in both. */
function compareWholeNumbers(a: string, b: string, at: number): number | undefined {
  const start = a.lastIndexOf(':', at - 1);
  wholeNumber.lastIndex = start;
  const left = wholeNumber.exec(a)?.[1];
  wholeNumber.lastIndex = start;
  const right = wholeNumber.exec(b)?.[1];
  if (left === undefined || right === undefined || left === right) return undefined;
  return Number(left) - Number(right);
}

/** `.` marks membership and comes before everything. */
function rankOf(text: string): number {
  return text === '.' ? -1 : kindOrder.indexOf(text.charAt(0));
}

function parseCanonical(text: string): PathElement {
  const parsed = parsePathElement(text);
  if (parsed === undefined || parsed === unknownElement) {
    throw new Error(`not a canonical path element: ${text}`);
  }
  return parsed;
}

/** The same order of what has been read. */
export function compareParsed(a: PathElement, b: PathElement): number {
  if (a.kind === 'field' && b.kind === 'field') return compareText(a.name, b.name);
  if (a.kind === 'key' && b.kind === 'key') return compareKeys(a.fields, b.fields);
  if (a.kind === 'value' && b.kind === 'value') return compareValues(a.value, b.value);
  if (a.kind === 'index' && b.kind === 'index') return a.index - b.index;
  return kinds.indexOf(a.kind) - kinds.indexOf(b.kind);
}

const kinds: readonly PathElement['kind'][] = ['field', 'key', 'value', 'index'];

function compareKeys(a: readonly KeyField[], b: readonly KeyField[]): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i += 1) {
    const [left, right] = [a[i] as KeyField, b[i] as KeyField];
    const order = compareText(left[0], right[0]) || compareValues(left[1], right[1]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** As people read it: `.spec`, `[name="web"]`, `[="a"]`, `[0]`. */
export function displayElement(text: string): string {
  if (text.startsWith('f:')) return `.${text.slice(2)}`;
  const element = parseCanonical(text);
  switch (element.kind) {
    case 'field':
      return `.${element.name}`;
    case 'key': {
      const shown = element.fields.map(([name, value]) => `${name}=${displayValue(value)}`);
      return `[${shown.join(',')}]`;
    }
    case 'value':
      return `[=${displayValue(element.value)}]`;
    case 'index':
      return `[${element.index}]`;
  }
}

/** A path of canonical elements: `.spec.containers[name="web"].image`. */
export function displayPath(path: readonly string[]): string {
  return path.map(displayElement).join('');
}

function displayValue(value: JsonValue): string {
  if (typeof value === 'string') return quote(value);
  if (Array.isArray(value)) return `[${(value as JsonArray).map(displayValue).join(',')}]`;
  if (isJsonObject(value)) {
    return Object.entries(value)
      .map(([key, member]) => `${key}=${displayValue(member ?? null)}`)
      .join('');
  }
  return String(value);
}
