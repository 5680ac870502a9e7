/**
 * YAML bodies to values (spec 1, section 4.3). Writing YAML is in yaml-encoding.ts.
 *
 * What it is not: a reader of YAML streams (one document a body) or of typed YAML: tags other
 * than those of JSON's own types are refused, `!!binary` too.
 *
 * Scalars mean what yaml-scalars.ts says. Keys become strings as the reference makes them; a
 * collection or null as a key is refused. `<<` merges maps, explicit keys win. A key that comes
 * twice has its last value.
 *
 * Bounds: nesting as for JSON; what aliases expand to in sum, `yamlAliasWeightMax`. Size is
 * bounded by whoever read the body. A body that is JSON takes JSON's way, which is much faster.
 */
import { isUtf8 } from 'node:buffer';
import { isAlias, isScalar, isSeq, parseAllDocuments } from 'yaml';
import type { Document, Node, Pair, Scalar, YAMLMap } from 'yaml';
import { decodeTrustedText } from '../object-encoding.ts';
import { newBadRequest } from '../status-error.ts';
import type { JsonObject, JsonValue } from '../unstructured.ts';
import { decodeJson, jsonDepthMax } from './json.ts';
import type { Decoded } from './json.ts';
import { resolvePlainScalar } from './yaml-scalars.ts';

/** Nodes plus characters of text that all aliases of a body may stand for; above it 400. */
export const yamlAliasWeightMax = 1024 * 1024;

class YamlRefusal extends Error {}

export function decodeYaml(bytes: Uint8Array): Decoded {
  if (bytes[0] === 0x7b) {
    const json = decodeJson(bytes);
    if (json.kind === 'value') return json;
  }
  if (!isUtf8(bytes)) return refused('the body is not valid UTF-8');
  try {
    return { kind: 'value', value: convertDocument(parseOne(decodeTrustedText(bytes))) };
  } catch (error) {
    if (error instanceof YamlRefusal) return refused(error.message);
    // The parser recurses by nesting; it is the stack that gives the bound here.
    if (error instanceof RangeError) return refused(tooDeep);
    throw error;
  }
}

const tooDeep = `the body nests deeper than ${jsonDepthMax} levels`;

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
}

function convertDocument(document: Document.Parsed | undefined): JsonValue {
  if (document === undefined) return null;
  const walk: Walk = { anchors: new Map(), weight: 0, aliasWeight: 0 };
  return convert(walk, document.contents, 1);
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
    value = node.items.map((item) => convert(walk, item as Node | null, depth + 1));
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
      own.set(key, convert(walk, pair.value, depth + 1));
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
