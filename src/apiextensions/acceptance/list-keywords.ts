/** What lists that merge must keep to: sets, and lists whose entries have keys. */
import { forbidden, invalid, notSupported, required } from '../../apimachinery/field-error.ts';
import type { FieldError } from '../../apimachinery/field-error.ts';
import { part, text, texts } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { goJson } from '../schema/go-text.ts';
import { isNonAtomicSet } from './schema-facts.ts';
import type { SchemaValidationOptions } from './schema-options.ts';
import { itemsDump } from './dumps.ts';
import { schemaAt } from './structural.ts';

const listTypeName = 'x-kubernetes-list-type';
const keysName = 'x-kubernetes-list-map-keys';
const listTypes = ['atomic', 'set', 'map'];

export function listErrors(
  schema: JsonObject,
  path: string,
  options: SchemaValidationOptions,
): readonly FieldError[] {
  const given = schema[listTypeName];
  const listType = typeof given === 'string' ? given : undefined;
  const keys = texts(schema, keysName);
  const errors: FieldError[] = [];
  if (listType !== undefined) {
    errors.push(...typeErrors(schema, path, options));
    if (!listTypes.includes(listType)) {
      errors.push(notSupported(`${path}.${listTypeName}`, listType, listTypes));
    }
  }
  if (keys.length > 0 && listType !== 'map') {
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty';
    const field = `${path}.${listTypeName}`;
    errors.push(
      listType === undefined ? required(field, detail) : invalid(field, listType, detail),
    );
  }
  if (listType === 'map') errors.push(...keyedListErrors(schema, keys, path));
  if (options.requireListKeys && (listType === 'map' || listType === 'set')) {
    errors.push(...missingErrors(schema, listType, keys, path));
  }
  return errors;
}

function typeErrors(
  schema: JsonObject,
  path: string,
  options: SchemaValidationOptions,
): readonly FieldError[] {
  const type = text(schema, 'type');
  if (type !== 'array') {
    const detail = 'must be array if x-kubernetes-list-type is specified';
    const field = `${path}.type`;
    return [type === '' ? required(field, detail) : invalid(field, type, detail)];
  }
  if (!options.requireAtomicSets || !isNonAtomicSet(schema)) return [];
  const entries = schemaAt(schema, 'items');
  const name = text(entries, 'type') === 'array' ? listTypeName : 'x-kubernetes-map-type';
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  // The reference shows the type of the list for both.
  return [invalid(`${path}.items.${name}`, entries?.[listTypeName] ?? null, detail)];
}

function keyedListErrors(
  schema: JsonObject,
  keys: readonly string[],
  path: string,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (keys.length === 0) {
    const detail = 'must not be empty if x-kubernetes-list-type is map';
    errors.push(required(`${path}.${keysName}`, detail));
  }
  const entries = schemaAt(schema, 'items');
  if (schema['items'] === undefined) {
    const detail = 'must have a schema if x-kubernetes-list-type is map';
    errors.push(required(`${path}.items`, detail));
  } else if (entries === undefined) {
    const detail = 'must only have a single schema if x-kubernetes-list-type is map';
    const shown = itemsDump(schema['items']);
    errors.push({ ...invalid(`${path}.items`, schema['items'], detail), shown });
  }
  if (entries === undefined) return errors;
  const type = text(entries, 'type');
  if (type !== 'object') {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    errors.push(invalid(`${path}.items.type`, type, detail));
    return errors;
  }
  const properties = part(entries, 'properties');
  const wrong = (detail: string): number =>
    errors.push({ ...invalid(`${path}.${keysName}`, [...keys], detail), shown: goJson([...keys]) });
  for (const [at, key] of keys.entries()) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    const keyType = isJsonObject(property) ? text(property, 'type') : undefined;
    if (keyType === undefined) wrong('entries must all be names of item properties');
    if (keyType === 'array' || keyType === 'object') {
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(invalid(`${path}.items.properties[${key}].type`, type, detail));
    }
    if (keys.indexOf(key) < at) wrong('must not contain duplicate entries');
  }
  return errors;
}

/** Entries and keys that could be missing would not tell entries apart. */
function missingErrors(
  schema: JsonObject,
  listType: string,
  keys: readonly string[],
  path: string,
): readonly FieldError[] {
  const entries = schemaAt(schema, 'items');
  if (entries === undefined) return [];
  const errors: FieldError[] = [];
  if (entries['nullable'] === true) {
    const detail = `cannot be nullable when x-kubernetes-list-type is ${listType}`;
    errors.push(forbidden(`${path}.items.nullable`, detail));
  }
  if (listType === 'set') return errors;
  const given = new Set(texts(entries, 'required'));
  const properties = part(entries, 'properties');
  const isKey = 'this property is in x-kubernetes-list-map-keys, so it';
  for (const key of keys) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (!isJsonObject(property)) continue;
    const field = `${path}.items.properties[${key}]`;
    if (!given.has(key) && (property['default'] ?? null) === null) {
      const detail = `${isKey} must have a default or be a required property`;
      errors.push(required(`${field}.default`, detail));
    }
    if (property['nullable'] === true) {
      errors.push(forbidden(`${field}.nullable`, `${isKey} cannot be nullable`));
    }
  }
  return errors;
}
