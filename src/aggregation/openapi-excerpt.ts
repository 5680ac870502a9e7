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

/** `prefixes`: what its paths begin with, each with a slash at its end. @throws Error. */
export function* excerptOf(
  document: JsonObject,
  prefixes: readonly string[],
): Steps<OpenApiExcerpt> {
  const parameters = part(document, 'parameters');
  const all = part(document, 'definitions');
  const needed = new Set<string>();
  let inserted = 0;
  const insert = (reference: string): JsonValue | undefined => {
    if (reference.startsWith(definitionStart)) {
      needed.add(reference.slice(definitionStart.length));
      return undefined;
    }
    const name = reference.startsWith(parameterStart) ? reference.slice(parameterStart.length) : '';
    const found = parameters[name];
    if (!isJsonObject(found) || found['$ref'] !== undefined) throw nowhere(reference);
    inserted += JSON.stringify(found).length;
    if (inserted > excerptLimits.insertedMax)
      throw new Error('its OpenAPI says the same too often');
    return found;
  };
  const paths: Record<string, JsonValue> = {};
  for (const [path, item] of Object.entries(part(document, 'paths'))) {
    if (prefixes.some((prefix) => path.startsWith(prefix))) {
      paths[path] = yield* withReferences(item ?? null, insert);
    }
  }
  const definitions: Record<string, JsonValue> = {};
  for (const name of needed) {
    const found = Object.hasOwn(all, name) ? all[name] : undefined;
    if (!isJsonObject(found)) throw nowhere(`${definitionStart}${name}`);
    definitions[name] = yield* withReferences(found, insert);
  }
  return { paths, definitions };
}

function nowhere(reference: string): Error {
  return new Error(`its OpenAPI refers to what is not in it: ${reference.slice(0, 256)}`);
}

/** The same with other names of definitions. */
export function* renamed(value: JsonValue, names: ReadonlyMap<string, string>): Steps<JsonValue> {
  return yield* withReferences(value, (reference) => {
    const name = names.get(reference.slice(definitionStart.length));
    return name === undefined ? undefined : { $ref: `${definitionStart}${name}` };
  });
}

/** `instead`: of an object with this `$ref`; undefined: it stays. Copied once. */
function* withReferences(
  value: JsonValue,
  instead: (reference: string) => JsonValue | undefined,
): Steps<JsonValue> {
  let values = 0;
  const walk = function* (from: JsonValue, depth: number): Steps<JsonValue> {
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
    const other = reference === '' ? undefined : instead(reference);
    if (other !== undefined) return other;
    const members: [string, JsonValue][] = [];
    for (const [name, member] of Object.entries(from)) {
      members.push([name, yield* walk(member ?? null, depth + 1)]);
    }
    return Object.fromEntries(members);
  };
  return yield* walk(value, 0);
}
