/**
 * The shape of a value: a text, in pieces, that holds everything which its set of fields depends
 * on, and nothing else. Objects that a controller makes differ in names and numbers and have one
 * shape, so what is worked out for a shape need not be worked out for each object.
 *
 *     {containers: [{name: 'web', image: 'nginx', ports: []}], replicas: 3}      of a pod template
 *     {containers[3:web{name.image.ports[]}]replicas.}
 *
 *     .  a scalar      [ ]  an associative list: what tells an item apart, then its shape
 *     !  null          { }  a map or struct: a name, then the shape of its member
 *     *  one value     ?    what has no form of its type      =  the same as before
 *
 * Invariant: two values of one type with equal shapes over one `before` have equal sets of fields
 * in every comparison with it. Names that no schema declares, and texts, stand behind their length,
 * so that nothing in them can be taken for anything else.
 *
 * In pieces, because every creation asks: those of a known shape are compared one by one, mostly as
 * the very same texts, and no text is made of them.
 */
import { deepEqual } from '../../../stdx/deep-equal.ts';
import { stringifyJson } from '../../codecs/lossless.ts';
import type { JsonArray, JsonObject, JsonValue } from '../../unstructured.ts';
import { deducedType } from '../schema/deduced.ts';
import type { MergeList, MergeMap, MergeType } from '../schema/merge-type.ts';
import { asList, asMap, formFor, memberOf } from './forms.ts';

/** The pieces of one shape. The same list is used for value after value, and written over. */
export class ShapePieces {
  readonly #texts: string[] = [];
  #count = 0;

  /** The engine is slow to set the length of a list, and each creation would. */
  clear(): void {
    this.#count = 0;
  }

  add(text: string): void {
    this.#texts[this.#count] = text;
    this.#count += 1;
  }

  areThose(others: readonly string[]): boolean {
    if (others.length !== this.#count) return false;
    for (let at = 0; at < others.length; at += 1) if (others[at] !== this.#texts[at]) return false;
    return true;
  }

  get count(): number {
    return this.#count;
  }

  all(): readonly string[] {
    return this.#texts.slice(0, this.#count);
  }
}

/** Adds the pieces of its shape. `before`: what the value is compared with; undefined where there
 * is nothing. */
export function addShape(
  pieces: ShapePieces,
  type: MergeType,
  value: JsonValue,
  before?: JsonValue,
): void {
  addShapeAlone(pieces, type, value, before);
  if (before !== undefined && deepEqual(before, value)) pieces.add('=');
}

function addShapeAlone(
  pieces: ShapePieces,
  type: MergeType,
  value: JsonValue,
  before: JsonValue | undefined,
): void {
  if (value === null) return pieces.add('!');
  switch (formFor(type, value)) {
    case 'scalar':
      pieces.add('.');
      return;
    case 'list': {
      const list = type.list as MergeList;
      const items = list.atomic ? undefined : asList(value);
      if (items === undefined) pieces.add(list.atomic ? '*' : '?');
      else addItems(pieces, list, items);
      return;
    }
    case 'map': {
      const map = type.map as MergeMap;
      const members = map.atomic ? undefined : asMap(value);
      if (members === undefined) pieces.add(map.atomic ? '*' : '?');
      else addMembers(pieces, map, members, asMap(before));
      return;
    }
  }
}

function addMembers(
  pieces: ShapePieces,
  map: MergeMap,
  members: JsonObject,
  before: JsonObject | undefined,
): void {
  pieces.add('{');
  for (const name in members) {
    const value = members[name];
    if (value === undefined) continue;
    const field = map.fields.get(name);
    const type = field?.type ?? map.values ?? deducedType;
    const was = before === undefined ? undefined : memberOf(before, name);
    if (field === undefined) addMeasured(pieces, name);
    else pieces.add(name);
    addShape(pieces, type, value, was);
  }
  pieces.add('}');
}

function addItems(pieces: ShapePieces, list: MergeList, items: JsonArray): void {
  pieces.add('[');
  for (const item of items) {
    const map = list.keys.length === 0 ? undefined : asMap(item);
    if (map === undefined) addValue(pieces, item);
    else for (const key of list.keys) addValue(pieces, memberOf(map, key));
    addShapeAlone(pieces, list.items, item, undefined);
  }
  pieces.add(']');
}

/** Equal for equal values only. Undefined: an absent key, which may have a default. */
function addValue(pieces: ShapePieces, value: JsonValue | undefined): void {
  if (typeof value === 'string') addMeasured(pieces, value);
  else pieces.add(value === undefined ? '~' : `${stringifyJson(value)};`);
}

function addMeasured(pieces: ShapePieces, text: string): void {
  pieces.add(String(text.length));
  pieces.add(':');
  pieces.add(text);
}
