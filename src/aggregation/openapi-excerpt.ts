/**
 * What a document of OpenAPI 2.0 of another server says of the versions that it answers for: their
 * paths, and the definitions that these need.
 *
 *     paths that begin as they should ─▶ parameters that they refer to stand in their place
 *                                    └─▶ definitions that they refer to, and these in turn
 *
 * Invariants: every reference in an excerpt leads to a definition in it. In steps.
 * Bounds: `excerptLimits`; a document above them, or with a reference that leads nowhere, throws.
 */
import { jsonParts } from '../apimachinery/codecs/json-parts.ts';
import { part, text } from '../apimachinery/members.ts';
import type { JsonObject, JsonValue } from '../apimachinery/unstructured.ts';
import { isJsonObject } from '../apimachinery/unstructured.ts';
import type { Steps } from '../stdx/stepwise.ts';

const excerptLimits = {
  /** Characters of what is put in the place of references. */
  insertedMax: 8 * 1024 * 1024,
  depthMax: 200,
  valuesAtOnce: 256,
} as const;

export interface OpenApiExcerpt {
  readonly paths: JsonObject;
  readonly definitions: JsonObject;
}

const definitionStart = '#/definitions/';
const parameterStart = '#/parameters/';

/** `prefixes`: of its versions: `/api/<version>/` or `/apis/<group>/<version>/`. @throws Error. */
export function* excerptOf(
  document: JsonObject,
  prefixes: readonly string[],
): Steps<OpenApiExcerpt> {
  const all = part(document, 'definitions');
  const needed = new Set<string>();
  const parameters = new Map<string, Inserted>();
  let inserted = 0;
  const copied = withReferences(function* (reference, depth) {
    if (reference.startsWith(definitionStart)) {
      needed.add(reference.slice(definitionStart.length));
      return undefined;
    }
    const known = parameters.get(reference);
    const found = known ?? (yield* sized(copied(parameterAt(document, reference), depth)));
    parameters.set(reference, found);
    inserted += found.chars;
    if (inserted > excerptLimits.insertedMax)
      throw new Error('its OpenAPI says the same too often');
    return found.value;
  });
  const wanted = new Set(prefixes);
  const paths: Record<string, JsonValue> = {};
  yield;
  for (const [path, item] of Object.entries(part(document, 'paths'))) {
    const [prefix = ''] = versionStart.exec(path) ?? [];
    if (wanted.has(prefix)) paths[path] = yield* copied(item ?? null);
  }
  const definitions: Record<string, JsonValue> = {};
  for (const name of needed) {
    const found = Object.hasOwn(all, name) ? all[name] : undefined;
    if (!isJsonObject(found)) throw nowhere(`${definitionStart}${name}`);
    definitions[name] = yield* copied(found);
  }
  return { paths, definitions };
}

const versionStart = /^\/(?:api|apis\/[^/]*)\/[^/]*\//;

/** What stands in the place of a reference. */
interface Inserted {
  readonly value: JsonValue;
  readonly chars: number;
}

function parameterAt(document: JsonObject, reference: string): JsonObject {
  const name = reference.startsWith(parameterStart) ? reference.slice(parameterStart.length) : '';
  const found = part(document, 'parameters')[name];
  if (!isJsonObject(found) || found['$ref'] !== undefined) throw nowhere(reference);
  return found;
}

function* sized(copying: Steps<JsonValue>): Steps<Inserted> {
  const value = yield* copying;
  let chars = 0;
  for (const part of jsonParts(value)) {
    chars += part.length;
    yield;
  }
  return { value, chars };
}

function nowhere(reference: string): Error {
  return new Error(`its OpenAPI refers to what is not in it: ${reference.slice(0, 256)}`);
}

type Copying = (value: JsonValue, depth?: number) => Steps<JsonValue>;

/** What stands in the place of an object with this `$ref`; undefined: it stays. */
type Instead = (reference: string, depth: number) => Steps<JsonValue | undefined>;

/** Copies values, with other names of definitions. */
export function renaming(names: ReadonlyMap<string, string>): Copying {
  return withReferences(function* (reference) {
    const name = names.get(reference.slice(definitionStart.length));
    return name === undefined ? undefined : { $ref: `${definitionStart}${name}` };
  });
}

/** Copies each value that it is given once. Steps are counted over all of them, however small each
 * is. */
function withReferences(instead: Instead): Copying {
  let values = 0;
  const walk = function* (from: JsonValue, depth = 0): Steps<JsonValue> {
    values += 1;
    if (values % excerptLimits.valuesAtOnce === 0) yield;
    if (depth > excerptLimits.depthMax) throw new Error('its OpenAPI nests too deep');
    if (Array.isArray(from)) {
      const items: JsonValue[] = [];
      for (const item of from as readonly JsonValue[]) items.push(yield* walk(item, depth + 1));
      return items;
    }
    if (!isJsonObject(from)) return from;
    const reference = text(from, '$ref');
    const other = reference === '' ? undefined : yield* instead(reference, depth + 1);
    if (other !== undefined) return other;
    const members: [string, JsonValue][] = [];
    for (const [name, member] of Object.entries(from)) {
      members.push([name, yield* walk(member ?? null, depth + 1)]);
    }
    return Object.fromEntries(members);
  };
  return walk;
}
