/**
 * What a connection asks for in its query, as the object that its kind says (PodExecOptions,
 * PodPortForwardOptions, ServiceProxyOptions ...), and back.
 *
 * Invariant: only what the kind knows, and what is said: what is not given is not there.
 */
import { queryBoolean } from '../apimachinery/query.ts';
import type { QueryParameters } from '../apimachinery/query.ts';
import { formatGroupVersion } from '../apimachinery/schema.ts';
import type { SubresourceInfo } from '../apimachinery/scheme.ts';
import type { TypeSchema } from '../apimachinery/typed/type-schema.ts';
import type { ApiObject, JsonObject, JsonValue } from '../apimachinery/unstructured.ts';

/** `subpath`: what stands behind `/proxy`. */
export function connectOptions(
  { kind, schema }: SubresourceInfo,
  query: QueryParameters,
  subpath: string,
): ApiObject {
  const given: Record<string, JsonValue> = {};
  for (const [name, { type }] of schema?.members ?? []) {
    const value = name === 'path' ? subpath : valueOf(query, name, type);
    if (value !== undefined && value !== '') given[name] = value;
  }
  return { kind: kind.kind, apiVersion: formatGroupVersion(kind), metadata: {}, ...given };
}

function valueOf(query: QueryParameters, name: string, type: TypeSchema): JsonValue | undefined {
  const values = query.get(name);
  if (values === undefined) return undefined;
  if (type.kind === 'list') return values.map((each) => scalarOf(each, type.items));
  if (type.kind === 'scalar' && type.scalar === 'boolean') return queryBoolean(query, name);
  return scalarOf(values[0] ?? '', type);
}

function scalarOf(text: string, type: TypeSchema): JsonValue {
  const isNumber = type.kind === 'scalar' && type.scalar === 'int32';
  return isNumber && /^\d{1,9}$/.test(text) ? Number(text) : text;
}

/** The query that asks for these options instead, and for what else it asked before. */
export function connectQuery(
  { schema }: SubresourceInfo,
  query: QueryParameters,
  options: JsonObject,
): QueryParameters {
  const next = new Map(query);
  for (const name of schema?.members.keys() ?? []) {
    const value = options[name];
    next.delete(name);
    if (value === undefined || value === null) continue;
    next.set(name, Array.isArray(value) ? value.map(String) : [String(value)]);
  }
  return next;
}
