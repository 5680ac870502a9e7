/**
 * What a version cannot hold, kept in an annotation until the object comes back (spec 2, section
 * 9.1, rule 2).
 *
 *     a ──map──▶ b ──inverse──▶ back          residue = what `a` has and `back` has not
 *                                             b.metadata.annotations[name] = residue
 *
 * Invariants: a part of the residue is restored only where the converted object still says what it
 * said when the residue was made, so a change that a client made meanwhile is never undone. Lists
 * are one value. An annotation that cannot be read is left out, never an error.
 * Bounds: any client may write one. Restoring costs as much as the object and the text are long; of
 * more parts than a conversion makes, nothing is restored.
 */
import { createHash } from 'node:crypto';
import { parseJsonText, stringifyJson } from '../../apimachinery/codecs/lossless.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import { ownMember } from '../../stdx/lookup.ts';
import { isList } from './fields.ts';

interface Part {
  readonly path: readonly string[];
  /** Hash of what stood at the path when the residue was made; '' for nothing. */
  readonly was: string;
  /** Undefined: nothing stood there in the original. */
  readonly value: JsonValue | undefined;
}

/** Text of the residue; undefined when nothing was lost. */
export function residueText(original: JsonObject, back: JsonObject): string | undefined {
  const parts: Part[] = [];
  collect(original, back, [], parts);
  if (parts.length === 0) return undefined;
  const rows = parts.map(({ path, was, value }) =>
    value === undefined ? { path, was } : { path, was, value },
  );
  return stringifyJson(rows);
}

function collect(
  original: JsonObject,
  back: JsonObject,
  path: readonly string[],
  parts: Part[],
): void {
  for (const name of new Set([...Object.keys(original), ...Object.keys(back)])) {
    const value = ownMember(original, name);
    const found = ownMember(back, name);
    if (deepEqual(value, found)) continue;
    const at = [...path, name];
    if (isJsonObject(value) && isJsonObject(found)) collect(value, found, at, parts);
    else parts.push({ path: at, was: hashOf(found), value });
  }
}

/** The object with every part of the residue whose place has not changed since. */
export function restored(object: JsonObject, text: string): JsonObject {
  const below = placesOf(readParts(text));
  return below.size === 0 ? object : restoredBelow(object, below);
}

/** A part stands here, or places are below. */
type Place = Part | Map<string, Place>;

/** No place is within another one: what a client has written so is passed over. So each value of
 * the object is looked at once, however often it is named. */
function placesOf(parts: readonly Part[]): Map<string, Place> {
  const root = new Map<string, Place>();
  for (const part of parts) {
    let below: Map<string, Place> | undefined = root;
    const { path } = part;
    for (let at = 0; below !== undefined && at < path.length; at += 1) {
      const name = path[at] as string;
      let place: Place | undefined = below.get(name);
      if (place === undefined) {
        place = at === path.length - 1 ? part : new Map<string, Place>();
        below.set(name, place);
      }
      below = place instanceof Map ? place : undefined;
    }
  }
  return root;
}

function restoredBelow(object: JsonObject, places: ReadonlyMap<string, Place>): JsonObject {
  const members = new Map(Object.entries(object));
  for (const [name, place] of places) {
    const value = members.get(name);
    if (place instanceof Map) {
      if (isJsonObject(value)) members.set(name, restoredBelow(value, place));
    } else if (hashOf(value) === place.was) {
      if (place.value === undefined) members.delete(name);
      else members.set(name, place.value);
    }
  }
  return Object.fromEntries(members);
}

/** A part is a field that another version lacks, and no item of a list: a kind has tens of them. */
export const residuePartsMax = 500;

function readParts(text: string): readonly Part[] {
  let rows: JsonValue;
  try {
    rows = parseJsonText(text);
  } catch {
    return [];
  }
  if (!isList(rows) || rows.length > residuePartsMax) return [];
  return rows.flatMap((row): Part[] => {
    if (!isJsonObject(row) || !isList(row['path']) || typeof row['was'] !== 'string') return [];
    const path = row['path'].filter((name) => typeof name === 'string');
    // Only fields of the object travel this way: metadata beside annotations is not the client's.
    if (path[0] === 'metadata' && path[1] !== 'annotations') return [];
    return [{ path, was: row['was'], value: row['value'] }];
  });
}

const hashLength = 16;

function hashOf(value: JsonValue | undefined): string {
  if (value === undefined) return '';
  const text = stringifyJson(sorted(value));
  return createHash('sha256').update(text).digest('hex').slice(0, hashLength);
}

/** Keys in order, so that equal values have one text. */
function sorted(value: JsonValue): JsonValue {
  if (isList(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const out: Record<string, JsonValue> = {};
  for (const name of Object.keys(value).sort()) {
    const item = value[name];
    if (item === undefined) continue;
    if (name === '__proto__') return sortedEntries(value);
    out[name] = sorted(item);
  }
  return out;
}

/** The same of an object one of whose keys cannot be assigned. */
function sortedEntries(value: JsonObject): JsonObject {
  const names = Object.keys(value).sort();
  return Object.fromEntries(
    names.flatMap((name) => {
      const item = value[name];
      return item === undefined ? [] : [[name, sorted(item)] as const];
    }),
  );
}
