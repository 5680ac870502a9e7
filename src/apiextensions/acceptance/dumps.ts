/**
 * Parts of a definition as errors of the reference show them: in the names of its own structures,
 * with everything that is not said as null or zero. Only people read these texts; they are cut
 * where they get long (go-text.ts).
 */
import { items, objects, part, text } from '../../apimachinery/members.ts';
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { goJson } from '../schema/go-text.ts';

type Dump = string;

/** In the order of the structure. */
function struct(members: readonly (readonly [name: string, dump: Dump])[]): Dump {
  return `{${members.map(([name, dump]) => `"${name}":${dump}`).join(',')}}`;
}

function list(values: readonly Dump[]): Dump {
  return values.length === 0 ? 'null' : `[${values.join(',')}]`;
}

const orNull = (value: JsonValue | undefined): Dump => goJson(value ?? null);

/** Characters of a value in a message. Policy: the rest is cut off. */
const shownMax = 10_000;

function cut(dump: Dump): Dump {
  return dump.length <= shownMax ? dump : `${dump.slice(0, shownMax)}...`;
}

/** Nesting that is shown; what lies deeper is cut off in any case. */
const depthMax = 40;

export function schemaDump(schema: JsonObject): string {
  return cut(schemaOf(schema, 0));
}

/** The `items` of a schema. */
export function itemsDump(value: JsonValue | undefined): string {
  return cut(itemsOf(value, 0));
}

type Kind = 'text' | 'flag' | 'any' | 'texts' | 'schema' | 'schemas' | 'map' | 'either' | 'items';

const members: readonly (readonly [shown: string, name: string, kind: Kind])[] = [
  ['ID', 'id', 'text'],
  ['Schema', '$schema', 'text'],
  ['Ref', '$ref', 'any'],
  ['Description', 'description', 'text'],
  ['Type', 'type', 'text'],
  ['Nullable', 'nullable', 'flag'],
  ['Format', 'format', 'text'],
  ['Title', 'title', 'text'],
  ['Default', 'default', 'any'],
  ['Maximum', 'maximum', 'any'],
  ['ExclusiveMaximum', 'exclusiveMaximum', 'flag'],
  ['Minimum', 'minimum', 'any'],
  ['ExclusiveMinimum', 'exclusiveMinimum', 'flag'],
  ['MaxLength', 'maxLength', 'any'],
  ['MinLength', 'minLength', 'any'],
  ['Pattern', 'pattern', 'text'],
  ['MaxItems', 'maxItems', 'any'],
  ['MinItems', 'minItems', 'any'],
  ['UniqueItems', 'uniqueItems', 'flag'],
  ['MultipleOf', 'multipleOf', 'any'],
  ['Enum', 'enum', 'any'],
  ['MaxProperties', 'maxProperties', 'any'],
  ['MinProperties', 'minProperties', 'any'],
  ['Required', 'required', 'texts'],
  ['Items', 'items', 'items'],
  ['AllOf', 'allOf', 'schemas'],
  ['OneOf', 'oneOf', 'schemas'],
  ['AnyOf', 'anyOf', 'schemas'],
  ['Not', 'not', 'schema'],
  ['Properties', 'properties', 'map'],
  ['AdditionalProperties', 'additionalProperties', 'either'],
  ['PatternProperties', 'patternProperties', 'map'],
  ['Dependencies', 'dependencies', 'any'],
  ['AdditionalItems', 'additionalItems', 'either'],
  ['Definitions', 'definitions', 'map'],
  ['ExternalDocs', 'externalDocs', 'any'],
  ['Example', 'example', 'any'],
  ['XPreserveUnknownFields', 'x-kubernetes-preserve-unknown-fields', 'any'],
  ['XEmbeddedResource', 'x-kubernetes-embedded-resource', 'flag'],
  ['XIntOrString', 'x-kubernetes-int-or-string', 'flag'],
  ['XListMapKeys', 'x-kubernetes-list-map-keys', 'texts'],
  ['XListType', 'x-kubernetes-list-type', 'any'],
  ['XMapType', 'x-kubernetes-map-type', 'any'],
];

function schemaOf(schema: JsonObject, depth: number): Dump {
  if (depth > depthMax) return '{}';
  const rows = members.map(([shown, name, kind]): readonly [string, Dump] => [
    shown,
    memberOf(schema, name, kind, depth),
  ]);
  const rules = objects(schema, 'x-kubernetes-validations').map(ruleDump);
  return struct([...rows, ['XValidations', list(rules)]]);
}

function memberOf(schema: JsonObject, name: string, kind: Kind, depth: number): Dump {
  const value = schema[name];
  const inner = (of: JsonValue | undefined): Dump =>
    isJsonObject(of) ? schemaOf(of, depth + 1) : 'null';
  switch (kind) {
    case 'text':
      return goJson(text(schema, name));
    case 'flag':
      return String(value === true);
    case 'texts':
      return list(items(schema, name).map(orNull));
    case 'schema':
      return inner(value);
    case 'schemas':
      return list(objects(schema, name).map(inner));
    case 'items':
      return itemsOf(value, depth);
    case 'either': {
      if (value === undefined || value === null) return 'null';
      const allows = value !== false;
      return struct([
        ['Allows', String(allows)],
        ['Schema', inner(value)],
      ]);
    }
    case 'map': {
      const entries = Object.entries(part(schema, name)).sort(([a], [b]) => (a < b ? -1 : 1));
      if (entries.length === 0) return 'null';
      return struct(entries.map(([key, of]) => [goJson(key).slice(1, -1), inner(of)]));
    }
    case 'any':
      return orNull(value);
  }
}

function itemsOf(value: JsonValue | undefined, depth: number): Dump {
  if (value === undefined || value === null) return 'null';
  const single = isJsonObject(value) ? schemaOf(value, depth + 1) : 'null';
  const several = Array.isArray(value) ? (value as readonly JsonValue[]).filter(isJsonObject) : [];
  return struct([
    ['Schema', single],
    ['JSONSchemas', list(several.map((each) => schemaOf(each, depth + 1)))],
  ]);
}

export function ruleDump(rule: JsonObject): string {
  return struct([
    ['Rule', goJson(text(rule, 'rule'))],
    ['Message', goJson(text(rule, 'message'))],
    ['MessageExpression', goJson(text(rule, 'messageExpression'))],
    ['Reason', orNull(rule['reason'])],
    ['FieldPath', goJson(text(rule, 'fieldPath'))],
    ['OptionalOldSelf', orNull(rule['optionalOldSelf'])],
  ]);
}

/** The parts of versions that all of them agree on stand beside them, and are null in each. */
export function versionsDump(
  versions: readonly JsonObject[] | undefined,
  shared: ReadonlySet<string>,
): string {
  if (versions === undefined) return 'null';
  if (versions.length === 0) return '[]';
  return cut(`[${versions.map((version) => versionDump(version, shared)).join(',')}]`);
}

function versionDump(version: JsonObject, shared: ReadonlySet<string>): Dump {
  const own = (name: string, dump: (value: JsonValue) => Dump): Dump => {
    const value = version[name];
    return value === undefined || value === null || shared.has(name) ? 'null' : dump(value);
  };
  return struct([
    ['Name', goJson(text(version, 'name'))],
    ['Served', String(version['served'] === true)],
    ['Storage', String(version['storage'] === true)],
    ['Deprecated', String(version['deprecated'] === true)],
    ['DeprecationWarning', orNull(version['deprecationWarning'])],
    ['Schema', own('schema', () => validationDump(part(version, 'schema')))],
    ['Subresources', own('subresources', () => subresourcesDump(part(version, 'subresources')))],
    [
      'AdditionalPrinterColumns',
      own('additionalPrinterColumns', () =>
        list(objects(version, 'additionalPrinterColumns').map(columnDump)),
      ),
    ],
    [
      'SelectableFields',
      own('selectableFields', () => list(objects(version, 'selectableFields').map(fieldDump))),
    ],
  ]);
}

function validationDump(validation: JsonObject): Dump {
  const schema = validation['openAPIV3Schema'];
  return struct([['OpenAPIV3Schema', isJsonObject(schema) ? schemaOf(schema, 0) : 'null']]);
}

function subresourcesDump(subresources: JsonObject): Dump {
  const { scale } = subresources;
  const scaleDump = isJsonObject(scale)
    ? struct([
        ['SpecReplicasPath', goJson(text(scale, 'specReplicasPath'))],
        ['StatusReplicasPath', goJson(text(scale, 'statusReplicasPath'))],
        ['LabelSelectorPath', orNull(scale['labelSelectorPath'])],
      ])
    : 'null';
  return struct([
    ['Status', orNull(subresources['status'])],
    ['Scale', scaleDump],
  ]);
}

function columnDump(column: JsonObject): Dump {
  return struct([
    ['Name', goJson(text(column, 'name'))],
    ['Type', goJson(text(column, 'type'))],
    ['Format', goJson(text(column, 'format'))],
    ['Description', goJson(text(column, 'description'))],
    ['Priority', orNull(column['priority'] ?? 0)],
    ['JSONPath', goJson(text(column, 'jsonPath'))],
  ]);
}

function fieldDump(field: JsonObject): Dump {
  return struct([['JSONPath', goJson(text(field, 'jsonPath'))]]);
}
