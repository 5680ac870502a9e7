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

/** How the parts of a schema are read. */
interface Reading {
  /** Of embedded resources; undefined: nothing is known of them. */
  readonly metadata: MergeType | undefined;
  readonly memo: Memo;
  /** Below a part that preserves unknown fields; itself there. */
  readonly open: Reading | undefined;
}

function readingWith(metadata: MergeType | undefined): Reading {
  const open: Reading = { metadata, memo: new WeakMap(), open: undefined };
  return { metadata, memo: new WeakMap(), open };
}

const withoutMetadata = readingWith(undefined);
const withMetadata = new WeakMap<MergeType, Reading>();

function readingFor(metadata: MergeType | undefined): Reading {
  if (metadata === undefined) return withoutMetadata;
  const known = withMetadata.get(metadata);
  if (known !== undefined) return known;
  const made = readingWith(metadata);
  withMetadata.set(metadata, made);
  return made;
}

/** Of the value that the schema describes. `metadata`: of the resources that are embedded in it. */
export function structuralType(schema: JsonObject, metadata?: MergeType): MergeType {
  return typeOf(schema, readingFor(metadata));
}

/** A part that preserves unknown fields makes all that lies below it take unknown fields, too. */
function typeOf(schema: JsonObject, inherited: Reading): MergeType {
  const { type } = schema;
  if (type !== 'object' && type !== 'array') {
    return hasFormOfText(schema) ? untyped : (scalars.get(type) ?? deducedType);
  }
  const keepsUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const reading = keepsUnknown ? (inherited.open ?? inherited) : inherited;
  const known = reading.memo.get(schema);
  if (known !== undefined) return known;
  const made: MergeType =
    type === 'object' ? { map: mapOf(schema, reading) } : { list: listOf(schema, reading) };
  reading.memo.set(schema, made);
  return made;
}

/** Whether a text has a format: it is then any scalar to the merge, as in the reference, and what
 * it must be is left to the validation of the whole object. */
function hasFormOfText({ format, type }: JsonObject): boolean {
  return type === 'string' && typeof format === 'string' && format !== '' && format !== 'byte';
}

/** Of the object of a kind: its metadata, which the schema does not describe, is given. */
export function structuralObjectType(schema: JsonObject, metadata: MergeType): MergeType {
  const { map } = structuralType(schema, metadata);
  const fields = new Map([...(map?.fields ?? []), ...resourceFields(metadata)]);
  return { map: { fields, values: map?.values, atomic: false } };
}

/** What every resource has. */
function resourceFields(metadata: MergeType): readonly (readonly [string, MergeField])[] {
  const text: MergeField = { type: { scalar: 'string' }, default: undefined };
  return [
    ['apiVersion', text],
    ['kind', text],
    ['metadata', { type: metadata, default: undefined }],
  ];
}

function mapOf(schema: JsonObject, reading: Reading): MergeMap {
  const fields = new Map<string, MergeField>();
  const properties = part(schema, 'properties');
  for (const [name, property] of Object.entries(properties)) {
    if (!isJsonObject(property)) continue;
    fields.set(name, { type: typeOf(property, reading), default: property['default'] });
  }
  const atomic = isAtomic(schema['x-kubernetes-map-type']);
  const values = valuesOf(schema, fields.size === 0, reading);
  if (isEmbedded(schema) && reading.metadata !== undefined) {
    for (const [name, field] of resourceFields(reading.metadata)) fields.set(name, field);
  }
  return { fields, values, atomic };
}

const isEmbedded = (schema: JsonObject): boolean =>
  schema['x-kubernetes-embedded-resource'] === true;

/** An object of which nothing is said takes any field, as in the reference. */
function valuesOf(schema: JsonObject, isBare: boolean, reading: Reading): MergeType | undefined {
  const more = schema['additionalProperties'];
  if (isJsonObject(more)) return typeOf(more, reading);
  const isOpen = reading.open === undefined;
  const takesAny = more === true || isOpen || (isBare && more === undefined);
  return takesAny || isEmbedded(schema) ? deducedType : undefined;
}

function listOf(schema: JsonObject, reading: Reading): MergeList {
  const listType = schema['x-kubernetes-list-type'];
  const items = schema['items'];
  const keys = schema['x-kubernetes-list-map-keys'];
  return {
    items: isJsonObject(items) ? typeOf(items, reading) : deducedType,
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
