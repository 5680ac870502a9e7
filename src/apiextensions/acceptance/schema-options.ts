/**
 * What a schema has to keep to, and what is let pass because the definition had it before: rules
 * that came later must not lock anybody out of a definition that is stored (spec 2, section 9.1).
 */
import { items, objects, part, text, texts } from '../../apimachinery/members.ts';
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { isPlainScalar } from './plain-scalar.ts';
import { isStructural, schemaAt } from './structural.ts';

export interface SchemaValidationOptions {
  /** Types are those of the form. */
  readonly requireKnownTypes: boolean;
  readonly requireStructural: boolean;
  /** Defaults have no unknown fields. */
  readonly requirePrunedDefaults: boolean;
  /** Entries of a set are one value each. */
  readonly requireAtomicSets: boolean;
  /** Keys of lists are always there. */
  readonly requireListKeys: boolean;
}

export const strictSchemaOptions: SchemaValidationOptions = {
  requireKnownTypes: true,
  requireStructural: true,
  requirePrunedDefaults: true,
  requireAtomicSets: true,
  requireListKeys: true,
};

export const typeNames = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

/** `before`: the schemas of the stored definition. */
export function schemaOptionsAfter(
  before: readonly JsonObject[],
  hasUnprunedDefaults: (schema: JsonObject) => boolean,
): SchemaValidationOptions {
  return {
    requireKnownTypes: !before.some((schema) => someSubschema(schema, hasUnknownType)),
    requireStructural: before.every(isStructural),
    requirePrunedDefaults: !before.some(hasUnprunedDefaults),
    requireAtomicSets: !before.some((schema) => someSubschema(schema, isNonAtomicSet)),
    requireListKeys: !before.some((schema) => someSubschema(schema, hasOptionalKeys)),
  };
}

function hasUnknownType(schema: JsonObject): boolean {
  const type = text(schema, 'type');
  return type !== '' && !typeNames.includes(type);
}

/** A set whose entries have parts of their own. */
export function isNonAtomicSet(schema: JsonObject): boolean {
  const entries = schemaAt(schema, 'items');
  if (text(schema, 'x-kubernetes-list-type') !== 'set' || entries === undefined) return false;
  const type = text(entries, 'type');
  if (type === 'array') return !['', 'atomic'].includes(text(entries, 'x-kubernetes-list-type'));
  return type === 'object' && text(entries, 'x-kubernetes-map-type') !== 'atomic';
}

/** A list of type set or map whose entries, or keys, may be missing. */
function hasOptionalKeys(schema: JsonObject): boolean {
  const entries = schemaAt(schema, 'items');
  const listType = text(schema, 'x-kubernetes-list-type');
  if (entries === undefined || (listType !== 'set' && listType !== 'map')) return false;
  if (entries['nullable'] === true) return true;
  if (listType === 'set') return false;
  const required = texts(entries, 'required');
  return texts(schema, 'x-kubernetes-list-map-keys').some((key) => {
    const property = part(entries, 'properties')[key];
    if (!isJsonObject(property)) return false;
    const isGiven = required.includes(key) || (property['default'] ?? null) !== null;
    return !isGiven || property['nullable'] === true;
  });
}

const maps = ['properties', 'patternProperties', 'definitions', 'dependencies'];
const lists = ['allOf', 'anyOf', 'oneOf', 'items'];
const singles = ['not', 'items', 'additionalProperties', 'additionalItems'];

/** Every schema right below one, whatever it is to it. */
export function subschemasOf(schema: JsonObject): readonly JsonObject[] {
  if (isPlainScalar(schema)) return [];
  const below: (JsonValue | undefined)[] = singles.map((name) => schema[name]);
  for (const name of maps) below.push(...Object.values(part(schema, name)));
  for (const name of lists) below.push(...items(schema, name));
  return below.filter(isJsonObject);
}

/** Whether it holds of a schema, or of one below it. */
export function someSubschema(schema: JsonObject, holds: (schema: JsonObject) => boolean): boolean {
  return holds(schema) || subschemasOf(schema).some((inner) => someSubschema(inner, holds));
}

const extensions = [
  'x-kubernetes-embedded-resource',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-validations',
];

/** Whether it says what only structural schemas can: defaults, or extensions. */
export function requiresStructuralSchema(schema: JsonObject): boolean {
  return someSubschema(
    schema,
    (each) =>
      (each['default'] ?? null) !== null || extensions.some((name) => each[name] !== undefined),
  );
}

/** The schemas of a definition, with the path of each; where all versions agree it is one. */
export interface VersionSchema {
  readonly path: string;
  readonly schema: JsonObject;
  /** Of the version, or of the first. */
  readonly version: string;
  readonly hasStatus: boolean;
}

export function hasStatus(version: JsonObject): boolean {
  return isJsonObject(part(version, 'subresources')['status']);
}

export function versionsOf(definition: JsonObject | undefined): readonly JsonObject[] {
  return objects(part(definition, 'spec'), 'versions');
}
