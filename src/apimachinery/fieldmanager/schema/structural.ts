/**
 * The merge types of kinds that are described by an OpenAPI v3 schema with list and map markers, as
 * custom resources are (spec 1, section 4.5, rules 5 and 6).
 *
 * What the schema does not say is taken as untyped: keys are owned one by one, lists as a whole.
 */
import { part } from '../../members.ts';
import type { JsonArray, JsonObject, JsonValue } from '../../unstructured.ts';
import { isJsonObject } from '../../unstructured.ts';
import { compareText } from '../value/ordering.ts';
import { deducedType } from './deduced.ts';
import type { MergeField, MergeList, MergeMap, MergeScalar, MergeType } from './merge-type.ts';

const scalarType = (scalar: MergeScalar): MergeType => ({ scalar });
const numeric = scalarType('numeric');
const untyped = scalarType('untyped');
const scalars: ReadonlyMap<JsonValue | undefined, MergeType> = new Map([
  ['string', scalarType('string')],
  ['integer', numeric],
  ['number', numeric],
  ['boolean', scalarType('boolean')],
]);

/** Of objects and lists: a table of every text and number of a thousand definitions would stop
 * everybody whenever it has to grow. */
type Memo = WeakMap<JsonObject, MergeType>;
const strict: Memo = new WeakMap();
/** Below a part that preserves unknown fields. */
const open: Memo = new WeakMap();

/** Of the value that the schema describes. */
export function structuralType(schema: JsonObject): MergeType {
  return typeOf(schema, strict);
}

/** A part that preserves unknown fields makes all that lies below it take unknown fields, too. */
function typeOf(schema: JsonObject, inherited: Memo): MergeType {
  const { type } = schema;
  if (type !== 'object' && type !== 'array') {
    return hasFormOfText(schema) ? untyped : (scalars.get(type) ?? deducedType);
  }
  const memo = schema['x-kubernetes-preserve-unknown-fields'] === true ? open : inherited;
  const known = memo.get(schema);
  if (known !== undefined) return known;
  const made: MergeType =
    type === 'object' ? { map: mapOf(schema, memo) } : { list: listOf(schema, memo) };
  memo.set(schema, made);
  return made;
}

/** Whether a text has a format: it is then any scalar to the merge, as in the reference, and what
 * it must be is left to the validation of the whole object. */
function hasFormOfText({ format, type }: JsonObject): boolean {
  return type === 'string' && typeof format === 'string' && format !== '' && format !== 'byte';
}

/** Of the object of a kind: its metadata, which the schema does not describe, is given. */
export function structuralObjectType(schema: JsonObject, metadata: MergeType): MergeType {
  const { map } = structuralType(schema);
  const text: MergeField = { type: { scalar: 'string' }, default: undefined };
  const fields = new Map([
    ...(map?.fields ?? []),
    ['apiVersion', text],
    ['kind', text],
    ['metadata', { type: metadata, default: undefined }],
  ] as const);
  return { map: { fields, values: map?.values, atomic: false } };
}

function mapOf(schema: JsonObject, memo: Memo): MergeMap {
  const fields = new Map<string, MergeField>();
  const properties = part(schema, 'properties');
  for (const [name, property] of Object.entries(properties)) {
    if (!isJsonObject(property)) continue;
    fields.set(name, { type: typeOf(property, memo), default: property['default'] });
  }
  const atomic = isAtomic(schema['x-kubernetes-map-type']);
  return { fields, values: valuesOf(schema, fields.size === 0, memo), atomic };
}

/** An object of which nothing is said takes any field, as in the reference. */
function valuesOf(schema: JsonObject, isBare: boolean, memo: Memo): MergeType | undefined {
  const more = schema['additionalProperties'];
  if (isJsonObject(more)) return typeOf(more, memo);
  const takesAny = more === true || memo === open || (isBare && more === undefined);
  return takesAny || schema['x-kubernetes-embedded-resource'] === true ? deducedType : undefined;
}

function listOf(schema: JsonObject, memo: Memo): MergeList {
  const listType = schema['x-kubernetes-list-type'];
  const items = schema['items'];
  const keys = schema['x-kubernetes-list-map-keys'];
  return {
    items: isJsonObject(items) ? typeOf(items, memo) : deducedType,
    atomic: listType !== 'set' && listType !== 'map',
    keys:
      listType === 'map' && Array.isArray(keys)
        ? (keys as JsonArray).map(String).sort(compareText)
        : [],
  };
}

function isAtomic(marker: JsonValue | undefined): boolean {
  return marker === 'atomic';
}
