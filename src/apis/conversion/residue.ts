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
  let out = object;
  for (const part of readParts(text)) out = restore(out, part.path, part) ?? out;
  return out;
}

/** Undefined when the place says something else by now, or is gone. */
function restore(object: JsonObject, path: readonly string[], part: Part): JsonObject | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return undefined;
  const value = ownMember(object, name);
  if (rest.length > 0) {
    const inner = isJsonObject(value) ? restore(value, rest, part) : undefined;
    return inner && { ...object, [name]: inner };
  }
  if (hashOf(value) !== part.was) return undefined;
  if (part.value !== undefined) return { ...object, [name]: part.value };
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}

function readParts(text: string): readonly Part[] {
  let rows: JsonValue;
  try {
    rows = parseJsonText(text);
  } catch {
    return [];
  }
  if (!isList(rows)) return [];
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
  const names = Object.keys(value).sort();
  return Object.fromEntries(
    names.flatMap((name) => {
      const item = value[name];
      return item === undefined ? [] : [[name, sorted(item)] as const];
    }),
  );
}
