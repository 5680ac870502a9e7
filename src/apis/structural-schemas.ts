/**
 * Structural schemas: whether the shape of an object can be told from a schema without trying the
 * alternatives in it (spec 2, section 9.3: what apiextensions/v1 demands of a definition).
 *
 *     type at the root, of every field and item     unless x-kubernetes-int-or-string or
 *                                                   x-kubernetes-preserve-unknown-fields is set
 *     allOf, anyOf, oneOf, not                      constrain values, and name no shape
 *
 * What it is not: the checks of an OpenAPI schema as such, nor of values against it.
 *
 * Bound: a schema nested deeper than `depthMax` is refused.
 */
import { forbidden, invalid, required } from '../apimachinery/field-error.ts';
import type { FieldError } from '../apimachinery/field-error.ts';
import { isJsonObject } from '../apimachinery/unstructured.ts';
import type { ApiObject, JsonObject } from '../apimachinery/unstructured.ts';
import { objects, part, text } from './validation/checks.ts';

type Problems = readonly FieldError[];

/** Bodies nest less deep; see the decoders. */
const depthMax = 512;

/** What each place of a schema is called where it has no type. */
const places = {
  root: 'at the root',
  field: 'for specified object fields',
  item: 'for specified array items',
};

/** `spec` of a definition at its stable version. */
export function definitionProblems(definition: ApiObject): Problems {
  const spec = part(definition, 'spec');
  return objects(spec, 'versions').flatMap((version, at): Problems => {
    const path = `spec.versions[${at}].schema.openAPIV3Schema`;
    const schema = part(version, 'schema')['openAPIV3Schema'];
    if (!isJsonObject(schema)) return [required(path, 'schemas are required')];
    return schemaProblems(schema, path, 'root', 0);
  });
}

export function keptUnknown(definition: ApiObject): Problems {
  if (part(definition, 'spec')['preserveUnknownFields'] !== true) return [];
  const detail =
    'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in ' +
    'spec.versions[*].schema instead';
  return [invalid('spec.preserveUnknownFields', true, detail)];
}

function schemaProblems(
  schema: JsonObject,
  path: string,
  place: keyof typeof places,
  depth: number,
): Problems {
  if (depth > depthMax) return [forbidden(path, `nests deeper than ${depthMax} levels`)];
  const type = text(schema, 'type');
  const untyped =
    schema['x-kubernetes-int-or-string'] === true ||
    schema['x-kubernetes-preserve-unknown-fields'] === true;
  const missing = type === '' && (place === 'root' || !untyped);
  const children = [
    ...Object.entries(part(schema, 'properties')).map(
      ([name, child]) => [child, `${path}.properties[${name}]`, 'field'] as const,
    ),
    [schema['items'], `${path}.items`, 'item'] as const,
    [schema['additionalProperties'], `${path}.additionalProperties`, 'field'] as const,
  ];
  return [
    ...(missing ? [required(`${path}.type`, `must not be empty ${places[place]}`)] : []),
    ...(place === 'root' && type !== '' && type !== 'object'
      ? [invalid(`${path}.type`, type, 'must be object at the root')]
      : []),
    ...combinationProblems(schema, path),
    ...children.flatMap(([child, where, as]) =>
      isJsonObject(child) ? schemaProblems(child, where, as, depth + 1) : [],
    ),
    // The alternatives of a number or a text name its types.
    ...(schema['x-kubernetes-int-or-string'] === true ? [] : junctions(schema, path)).flatMap(
      ([child, where]) => valueProblems(child, where, depth + 1),
    ),
  ];
}

function combinationProblems(schema: JsonObject, path: string): Problems {
  const more = schema['additionalProperties'];
  const named = Object.keys(part(schema, 'properties')).length > 0;
  return [
    ...(more !== undefined && named
      ? [
          forbidden(
            `${path}.additionalProperties`,
            'additionalProperties and properties are mutually exclusive',
          ),
        ]
      : []),
    ...(more === false
      ? [forbidden(`${path}.additionalProperties`, 'additionalProperties cannot be false')]
      : []),
    ...(schema['uniqueItems'] === true
      ? [forbidden(`${path}.uniqueItems`, 'uniqueItems cannot be set to true')]
      : []),
    ...(schema['$ref'] === undefined ? [] : [forbidden(`${path}.$ref`, '$ref is not supported')]),
  ];
}

function junctions(schema: JsonObject, path: string): (readonly [JsonObject, string])[] {
  const lists = ['allOf', 'anyOf', 'oneOf'].flatMap((name) =>
    objects(schema, name).map((child, at) => [child, `${path}.${name}[${at}]`] as const),
  );
  const not = schema['not'];
  return isJsonObject(not) ? [...lists, [not, `${path}.not`]] : lists;
}

/** Say what a field is; that is said outside of alternatives. */
const shaping = ['type', 'description', 'title', 'default', 'nullable', 'additionalProperties'];

function valueProblems(schema: JsonObject, path: string, depth: number): Problems {
  if (depth > depthMax) return [forbidden(path, `nests deeper than ${depthMax} levels`)];
  const set = (value: unknown): boolean => value !== undefined && value !== '' && value !== false;
  const inner = [
    ...Object.entries(part(schema, 'properties')).map(
      ([name, child]) => [child, `${path}.properties[${name}]`] as const,
    ),
    [schema['items'], `${path}.items`] as const,
    ...junctions(schema, path),
  ];
  return [
    ...shaping
      .filter((name) => set(schema[name]))
      .map((name) => forbidden(`${path}.${name}`, 'must be empty to be structural')),
    ...inner.flatMap(([child, where]) =>
      isJsonObject(child) ? valueProblems(child, where, depth + 1) : [],
    ),
  ];
}
