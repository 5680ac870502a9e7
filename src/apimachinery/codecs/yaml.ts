/**
 * YAML bodies to values, and values to YAML responses (spec 1, section 4.3).
 *
 * What it is not: a reader of YAML streams (one document a body) or of typed YAML: tags other
 * than those of JSON's own types are refused, `!!binary` too.
 *
 * Scalars mean what yaml-scalars.ts says. Keys become strings as the reference makes them; a
 * collection or null as a key is refused. `<<` merges maps, explicit keys win. A key that comes
 * twice has its last value.
 *
 * Bounds: nesting, at most as for JSON (several hundred levels are certain); what aliases expand
 * to in sum, `yamlAliasWeightMax`; size, `yamlBytesMax`. A body that is JSON takes JSON's way,
 * which is much faster.
 *
 * Writing: block style, keys in the value's own order. What is written reads back as the same
 * value here and with any reader of YAML 1.1 or 1.2. A string is left unquoted only when no reader
 * can take it for anything else, becomes a literal block when it is plain text of several lines,
 * and is double-quoted otherwise; JSON's quoted strings are YAML's.
 */
import { isUtf8 } from 'node:buffer';
import { isAlias, isScalar, isSeq, parseAllDocuments } from 'yaml';
import type { Document, Node, Pair, Scalar, YAMLMap } from 'yaml';
import { decodeTrustedText } from '../object-encoding.ts';
import { newBadRequest, newRequestEntityTooLarge } from '../status-error.ts';
import { isJsonObject } from '../unstructured.ts';
import type { JsonObject, JsonValue } from '../unstructured.ts';
import { decodeJson, jsonDepthMax } from './json.ts';
import type { DecodeOptions, Decoded } from './json.ts';
import { duplicatesMax } from './json-structure.ts';
import { needsQuotes, resolvePlainScalar } from './yaml-scalars.ts';

/** Nodes plus characters of text that all aliases of a body may stand for; above it 400. */
const yamlAliasWeightMax = 1024 * 1024;

/** Largest YAML body, JSON's subset excepted; above it 413. Reading YAML takes about a second a
 * megabyte, and everybody waits for it. */
export const yamlBytesMax = 1024 * 1024;

class YamlRefusal extends Error {}

export function decodeYaml(bytes: Uint8Array, options?: DecodeOptions): Decoded {
  if (bytes[0] === 0x7b || bytes[0] === 0x5b) {
    const json = decodeJson(bytes, options);
    if (json.kind === 'value') return json;
  }
  if (bytes.length > yamlBytesMax) {
    return { kind: 'refused', error: newRequestEntityTooLarge(yamlBytesMax) };
  }
  if (!isUtf8(bytes)) return refused('the body is not valid UTF-8');
  try {
    return convertDocument(parseOne(decodeTrustedText(bytes)));
  } catch (error) {
    if (error instanceof YamlRefusal) return refused(error.message);
    // The parser recurses by nesting; it is the stack that gives the bound here.
    if (error instanceof RangeError) return refused(tooDeep);
    throw error;
  }
}

const tooDeep = 'the body nests too deeply';

function refused(message: string): Decoded {
  return { kind: 'refused', error: newBadRequest(message) };
}

function parseOne(text: string): Document.Parsed | undefined {
  const documents = parseAllDocuments(text, {
    schema: 'failsafe',
    resolveKnownTags: false,
    uniqueKeys: false,
    logLevel: 'silent',
  });
  const full: Document.Parsed[] = [];
  // A lone `---` at the end begins a document with nothing in it; that is no second one.
  for (const document of documents as Document.Parsed[]) {
    const error = document.errors[0];
    // The parser's own answer to nesting that its stack cannot hold.
    if ((error?.code as string) === 'RESOURCE_EXHAUSTION') throw new YamlRefusal(tooDeep);
    if (error !== undefined) {
      throw new YamlRefusal(`the body is not valid YAML: ${firstLine(error.message)}`);
    }
    if (!isEmpty(document)) full.push(document);
  }
  if (full.length > 1) throw new YamlRefusal('the body holds more than one YAML document');
  return full[0];
}

function isEmpty(document: Document.Parsed): boolean {
  const contents = document.contents as Node | null;
  return contents === null || (isScalar(contents) && contents.source === '' && isPlain(contents));
}

/** `:` ends what the parser says before it shows the lines around. */
function firstLine(message: string): string {
  return (message.split('\n', 1)[0] as string).replace(/:$/, '');
}

interface Anchored {
  readonly value: JsonValue;
  readonly weight: number;
}

interface Walk {
  /** In document order, so an alias finds the last anchor before it. */
  readonly anchors: Map<string, Anchored>;
  /** Nodes and characters seen, those behind aliases included. */
  weight: number;
  aliasWeight: number;
  /** Where the walk is, as a path is written: `spec`, `[0]`. */
  readonly path: string[];
  readonly duplicates: Set<string>;
}

function convertDocument(document: Document.Parsed | undefined): Decoded {
  if (document === undefined) return { kind: 'value', value: null };
  const walk: Walk = {
    anchors: new Map(),
    weight: 0,
    aliasWeight: 0,
    path: [],
    duplicates: new Set(),
  };
  const value = convert(walk, document.contents, 1);
  return { kind: 'value', value, duplicates: [...walk.duplicates] };
}

/** The value of a member or an item, whose errors and duplicates lie under `step`. */
function convertInside(walk: Walk, step: string, node: Node | null, depth: number): JsonValue {
  walk.path.push(step);
  const value = convert(walk, node, depth);
  walk.path.pop();
  return value;
}

function noteDuplicate(walk: Walk, key: string): void {
  if (walk.duplicates.size >= duplicatesMax) return;
  const steps = [...walk.path, `.${key}`];
  walk.duplicates.add(steps.join('').replace(/^\./, ''));
}

function convert(walk: Walk, node: Node | null, depth: number): JsonValue {
  if (node === null) return null;
  if (isAlias(node)) return followAlias(walk, node.source);
  const before = walk.weight;
  walk.weight += 1;
  let value: JsonValue;
  if (isScalar(node)) value = convertScalar(walk, node);
  else if (depth > jsonDepthMax) throw new YamlRefusal(tooDeep);
  else if (isSeq(node)) {
    checkTag(node.tag, 'seq');
    value = node.items.map((item, at) =>
      convertInside(walk, `[${at}]`, item as Node | null, depth + 1),
    );
  } else {
    checkTag(node.tag, 'map');
    value = convertMap(walk, node, depth);
  }
  const anchor = (node as { anchor?: string }).anchor;
  if (anchor !== undefined) walk.anchors.set(anchor, { value, weight: walk.weight - before });
  return value;
}

function followAlias(walk: Walk, name: string): JsonValue {
  const target = walk.anchors.get(name);
  if (target === undefined) {
    throw new YamlRefusal(`the alias *${name} stands before its anchor, or inside it`);
  }
  walk.weight += target.weight;
  walk.aliasWeight += target.weight;
  if (walk.aliasWeight > yamlAliasWeightMax) {
    throw new YamlRefusal(`the aliases stand for more than ${yamlAliasWeightMax} nodes and bytes`);
  }
  return target.value;
}

function convertMap(walk: Walk, map: YAMLMap, depth: number): JsonObject {
  const merged = new Map<string, JsonValue>();
  const own = new Map<string, JsonValue>();
  for (const pair of map.items as Pair<Node | null, Node | null>[]) {
    if (isMergeKey(pair.key)) {
      mergeInto(merged, convert(walk, pair.value, depth + 1));
    } else {
      const key = convertKey(walk, pair.key);
      if (own.has(key)) noteDuplicate(walk, key);
      own.set(key, convertInside(walk, `.${key}`, pair.value, depth + 1));
    }
  }
  for (const [key, value] of own) merged.set(key, value);
  // Unlike assignment, fromEntries makes own properties of whatever name.
  return Object.fromEntries(merged);
}

function isMergeKey(key: Node | null): boolean {
  return isScalar(key) && key.value === '<<' && isPlain(key) && key.tag === undefined;
}

/** The first source that has a key wins. */
function mergeInto(merged: Map<string, JsonValue>, source: JsonValue): void {
  const sources = Array.isArray(source) ? (source as readonly JsonValue[]) : [source];
  for (const each of sources) {
    if (typeof each !== 'object' || each === null || Array.isArray(each)) {
      throw new YamlRefusal('only maps can be merged with <<');
    }
    for (const [key, value] of Object.entries(each as JsonObject)) {
      if (!merged.has(key) && value !== undefined) merged.set(key, value);
    }
  }
}

function convertKey(walk: Walk, node: Node | null): string {
  const key = convert(walk, node, 1);
  if (key === null || typeof key === 'object') {
    throw new YamlRefusal('a map key must be a string, a number or a boolean');
  }
  return String(key);
}

const tagPrefix = 'tag:yaml.org,2002:';
const scalarTypes: Readonly<Record<string, readonly string[]>> = {
  null: ['object'],
  bool: ['boolean'],
  int: ['number', 'bigint'],
  float: ['number', 'bigint'],
};

function convertScalar(walk: Walk, node: Scalar): JsonValue {
  const text = String(node.value ?? '');
  walk.weight += text.length;
  const tag = node.tag?.startsWith(tagPrefix) ? node.tag.slice(tagPrefix.length) : node.tag;
  if (tag === 'str' || tag === 'timestamp' || tag === '!') return text;
  if (tag === undefined) return isPlain(node) ? resolvedValue(text) : text;
  const types = scalarTypes[tag];
  if (types === undefined) throw new YamlRefusal(`the tag ${node.tag} is not supported`);
  const value = resolvedValue(text);
  if (!types.includes(typeof value)) {
    throw new YamlRefusal(`the tag !!${tag} does not fit its value`);
  }
  return value;
}

function resolvedValue(text: string): JsonValue {
  const scalar = resolvePlainScalar(text);
  if (scalar.kind === 'value') return scalar.value;
  throw new YamlRefusal(`the number ${text} has no JSON form`);
}

function isPlain(node: Scalar): boolean {
  return node.type === undefined || node.type === 'PLAIN';
}

function checkTag(tag: string | undefined, expected: 'map' | 'seq'): void {
  if (tag !== undefined && tag !== '!' && tag !== tagPrefix + expected) {
    throw new YamlRefusal(`the tag ${tag} is not supported`);
  }
}

export function encodeYaml(value: JsonValue): Uint8Array {
  const out: string[] = [];
  if (isFlow(value)) out.push(formatScalar(value, ''), '\n');
  else writeBlock(out, value, '', '');
  return Buffer.from(out.join(''), 'utf8');
}

type Block = JsonObject | readonly JsonValue[];

/** Scalars and empty collections stand on the line of their key. */
function isFlow(value: JsonValue): value is Exclude<JsonValue, Block> {
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return Object.values(value).every((item) => item === undefined);
}

/** `first` is what stands before the first line instead of `indent`: the dash of an item. */
function writeBlock(out: string[], value: JsonValue, indent: string, first: string): void {
  let lead = first;
  if (Array.isArray(value)) {
    for (const item of value as readonly JsonValue[]) {
      writeItem(out, item, indent, lead);
      lead = indent;
    }
    return;
  }
  for (const [key, item] of Object.entries(value as JsonObject)) {
    if (item === undefined) continue;
    writeEntry(out, key, item, indent, lead);
    lead = indent;
  }
}

function writeItem(out: string[], item: JsonValue, indent: string, lead: string): void {
  if (isFlow(item)) out.push(lead, '- ', formatScalar(item, indent), '\n');
  else writeBlock(out, item, `${indent}  `, `${lead}- `);
}

function writeEntry(
  out: string[],
  key: string,
  item: JsonValue,
  indent: string,
  lead: string,
): void {
  out.push(lead, formatKey(key, indent), ':');
  if (isFlow(item)) {
    out.push(' ', formatScalar(item, indent), '\n');
  } else {
    out.push('\n');
    // Items of a list stand under their key, those of a map two spaces in.
    const inner = isJsonObject(item) ? `${indent}  ` : indent;
    writeBlock(out, item, inner, inner);
  }
}

/** YAML readers give up on an implicit key after 1024 characters. */
const implicitKeyLengthMax = 1000;

function formatKey(key: string, indent: string): string {
  const text = isPlainSafe(key) ? key : quote(key);
  return text.length <= implicitKeyLengthMax ? text : `? ${text}\n${indent}`;
}

function formatScalar(value: JsonValue, indent: string): string {
  if (typeof value === 'string') {
    if (isPlainSafe(value)) return value;
    return isLiteralText(value) ? formatLiteral(value, indent) : quote(value);
  }
  if (typeof value === 'bigint') return value.toString();
  // null, booleans, numbers, {} and []
  return JSON.stringify(value);
}

const plainWord =
  /^[A-Za-z0-9_/.+-](?:[A-Za-z0-9_/.+@=-]|[ ](?=[A-Za-z0-9_/.+])|:(?=[A-Za-z0-9_/.+-]))*$/;
/** Some readers take an exponent alone for a number. */
const lenientNumber = /^[eE][-+]?[0-9]+$/;
/** Marks and signs at the start mean something to one reader or another; quoted, they do not. */
const markerStart = /^[-+.]/;

function isPlainSafe(text: string): boolean {
  if (text.length > 512 || !plainWord.test(text) || markerStart.test(text)) return false;
  // Time stamps and base-60 numbers are strings to us, but not to every reader.
  if (/^[-+]?[0-9]/.test(text) && /[-:]/.test(text)) return false;
  return !lenientNumber.test(text) && !needsQuotes(text);
}

const notLiteral = /[^\n\x20-\x7e\u00a1-\u2027\u202a-\ud7ff]|^[ \n]| \n| $|\n\n$/;

/** Several lines of printable text without blanks at the start or at the end of a line. */
function isLiteralText(text: string): boolean {
  return text.includes('\n') && !notLiteral.test(text);
}

function formatLiteral(text: string, indent: string): string {
  const ends = text.endsWith('\n');
  const lines = (ends ? text.slice(0, -1) : text).split('\n');
  const inner = `${indent}  `;
  const body = lines.map((line) => (line === '' ? '' : inner + line)).join('\n');
  return `${ends ? '|' : '|-'}\n${body}`;
}

/** JSON's form, with what YAML 1.1 takes for a line break or forbids written as escapes. */
function quote(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u00a0\u2028\u2029\ufeff\ufffe\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
