/**
 * The value that a YAML document describes, built from the events of its grammar.
 *
 * Keys become strings as the reference makes them; a collection or null as a key is refused. `<<`
 * merges maps, explicit keys win. A key that comes twice has its last value. Tags other than those
 * of JSON's own types and `!!binary` say nothing here, as in the reference.
 *
 * Invariants: an own `__proto__` stays an own member. What stands behind an alias is shared, so it
 * is never changed once it is complete.
 *
 * Bounds: nesting (`bodyDepthMax`) and the values of a body, those behind aliases
 * counted each time; the text that aliases stand for, `yamlAliasTextMax`; `duplicatesMax` paths of
 * keys that came twice.
 */
import { setMember } from '../../stdx/lookup.ts';
import { quote } from '../quote.ts';
import type { JsonObject, JsonValue } from '../unstructured.ts';
import { TooManyValues, bodyDepthMax, tooDeep } from './body-bounds.ts';
import { duplicatesMax, shortPath } from './json-structure.ts';
import { YamlRefusal } from './yaml-cursor.ts';
import type { NodeProperties, YamlEvents } from './yaml-grammar.ts';
import { binaryText, isBinary, taggedValue } from './yaml-scalar-tags.ts';
import { resolvePlainScalar } from './yaml-scalars.ts';

/** Characters of text that all aliases of a body may stand for; above it 400. */
const yamlAliasTextMax = 1024 * 1024;

interface Anchored {
  readonly value: JsonValue;
  /** Values and characters in it. */
  readonly values: number;
  readonly characters: number;
  /** Levels that it nests; 0 for a scalar. */
  readonly height: number;
}

/** Characters of a key that came twice. */
const keyShownMax = 100;

/** The key whose value is merged into the map. */
const merge = Symbol('<<');

interface Frame {
  readonly items: JsonValue[] | undefined;
  readonly members: Record<string, JsonValue>;
  readonly anchor: string | undefined;
  /** Of the member that is being read; undefined: a key comes next. */
  key: string | typeof merge | undefined;
  merged: Map<string, JsonValue> | undefined;
  repeated: Set<string> | undefined;
  /** Counts at its start. */
  readonly valuesBefore: number;
  readonly charactersBefore: number;
  height: number;
}

export class YamlValues implements YamlEvents {
  value: JsonValue = null;
  /** Paths of keys that came twice, and where they did. */
  readonly duplicates = new Map<string, string>();
  readonly #frames: Frame[] = [];
  /** In document order, so an alias finds the last anchor before it. */
  readonly #anchors = new Map<string, Anchored>();
  readonly #valuesMax: number;
  #values = 0;
  #characters = 0;
  #aliasCharacters = 0;
  #repetitions = 0;
  /** Of the last scalar, from 0. */
  #line = 0;
  /** Places a value that is made in parts. */
  #placing: Iterator<undefined, void> | undefined;

  constructor(valuesMax: number) {
    this.#valuesMax = valuesMax;
  }

  alias(name: string): void {
    const target = this.#anchors.get(name);
    if (target === undefined) {
      throw new YamlRefusal(`the alias *${name} stands before its anchor, or inside it`);
    }
    this.#count(target.values, target.characters);
    this.#aliasCharacters += target.characters;
    if (this.#aliasCharacters > yamlAliasTextMax) {
      throw new YamlRefusal(`the aliases stand for more than ${yamlAliasTextMax} characters`);
    }
    if (this.#frames.length + target.height > bodyDepthMax) throw new YamlRefusal(tooDeep);
    this.#raise(target.height);
    this.#place(target.value);
  }

  scalar(text: string, plain: boolean, { tag, anchor }: NodeProperties, line: number): void {
    this.#line = line;
    const isKey = this.#expectsKey();
    this.#count(isKey ? 0 : 1, text.length);
    if (isKey && plain && text === '<<' && tag === undefined) {
      (this.#frames.at(-1) as Frame).key = merge;
      return;
    }
    if (tag !== undefined && isBinary(tag)) {
      this.#placing = this.#placeBinary(text, anchor);
      return;
    }
    let value: JsonValue = text;
    if (tag !== undefined) value = taggedValue(tag, text);
    else if (plain) value = resolvedValue(text);
    this.#placeScalar(value, text, anchor);
  }

  proceed(): boolean {
    if (this.#placing === undefined) return true;
    if (this.#placing.next().done !== true) return false;
    this.#placing = undefined;
    return true;
  }

  *#placeBinary(text: string, anchor: string | undefined): Generator<undefined, void> {
    this.#placeScalar(yield* binaryText(text), text, anchor);
  }

  /** `text`: how it stands in the body. */
  #placeScalar(value: JsonValue, text: string, anchor: string | undefined): void {
    if (anchor !== undefined) {
      this.#anchors.set(anchor, { value, values: 1, characters: text.length, height: 0 });
    }
    this.#place(value);
  }

  startSequence(properties: NodeProperties): void {
    this.#start([], properties.anchor);
  }

  startMapping(properties: NodeProperties): void {
    this.#start(undefined, properties.anchor);
  }

  end(): void {
    const frame = this.#frames.pop() as Frame;
    const value = frame.items ?? mergedMembers(frame);
    const height = frame.height + 1;
    if (frame.anchor !== undefined) {
      this.#anchors.set(frame.anchor, {
        value,
        values: this.#values - frame.valuesBefore,
        characters: this.#characters - frame.charactersBefore,
        height,
      });
    }
    this.#raise(height);
    this.#place(value);
  }

  #start(items: JsonValue[] | undefined, anchor: string | undefined): void {
    if (this.#expectsKey()) throw badKey();
    if (this.#frames.length >= bodyDepthMax) throw new YamlRefusal(tooDeep);
    const valuesBefore = this.#values;
    this.#count(1, 0);
    this.#frames.push({
      items,
      members: {},
      anchor,
      key: undefined,
      merged: undefined,
      repeated: undefined,
      valuesBefore,
      charactersBefore: this.#characters,
      height: 0,
    });
  }

  #expectsKey(): boolean {
    const frame = this.#frames.at(-1);
    return frame !== undefined && frame.items === undefined && frame.key === undefined;
  }

  #count(values: number, characters: number): void {
    this.#values += values;
    this.#characters += characters;
    if (this.#values > this.#valuesMax + 1) throw new TooManyValues();
  }

  /** The innermost collection holds something of this height. */
  #raise(height: number): void {
    const frame = this.#frames.at(-1);
    if (frame !== undefined && frame.height < height) frame.height = height;
  }

  /** A complete value goes to where it stands. */
  #place(value: JsonValue): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined) this.value = value;
    else if (frame.items !== undefined) frame.items.push(value);
    else if (frame.key === undefined) this.#setKey(frame, keyOf(value));
    else {
      const { key } = frame;
      if (key === merge) mergeInto((frame.merged ??= new Map<string, JsonValue>()), value);
      else setMember(frame.members, key, value);
      frame.key = undefined;
    }
  }

  #setKey(frame: Frame, key: string): void {
    frame.key = key;
    if (Object.hasOwn(frame.members, key)) this.#noteRepeated(frame, key);
  }

  #noteRepeated(frame: Frame, key: string): void {
    if (frame.repeated?.has(key) === true || this.#repetitions >= duplicatesMax) return;
    (frame.repeated ??= new Set()).add(key);
    this.#repetitions += 1;
    const path = shortPath(this.#frames.map(stepInto));
    if (this.duplicates.has(path)) return;
    const name = key.length > keyShownMax ? `${key.slice(0, keyShownMax)}...` : key;
    this.duplicates.set(path, `line ${this.#line + 1}: key ${quote(name)} already set in map`);
  }
}

function stepInto({ items, key }: Frame): string {
  if (items !== undefined) return `[${items.length}]`;
  return key === merge ? '.<<' : `.${key ?? ''}`;
}

function mergedMembers({ members, merged }: Frame): JsonObject {
  if (merged === undefined) return members;
  for (const [key, value] of Object.entries(members)) merged.set(key, value);
  return Object.fromEntries(merged);
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

function keyOf(value: JsonValue): string {
  if (value === null || typeof value === 'object') throw badKey();
  return String(value);
}

function badKey(): YamlRefusal {
  return new YamlRefusal('a map key must be a string, a number or a boolean');
}

function resolvedValue(text: string): JsonValue {
  const scalar = resolvePlainScalar(text);
  if (scalar.kind === 'value') return scalar.value;
  throw new YamlRefusal(`the number ${text} has no JSON form`);
}
