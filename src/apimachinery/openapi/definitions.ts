/**
 * OpenAPI schemas of types, from the type catalogue (spec 1, section 8).
 *
 * Elsewhere: paths and operations (operations.ts), and whole documents (documents.ts).
 *
 *     v3   `#/components/schemas/`, a reference with more to say stands in allOf, has defaults
 *     v2   `#/definitions/`, what more there is to say stands beside $ref, no defaults
 *
 * Invariants: every $ref that is made is collected, so the definitions of a document are closed;
 * equal inputs give equal definitions in equal order (documents are hashed).
 */
import { assert } from '../../stdx/assert.ts';
import { lookup } from '../../stdx/lookup.ts';
import type {
  FieldSchema,
  MergeMarkers,
  ObjectSchema,
  ScalarSchema,
  TypeSchema,
  UnionSchema,
} from '../typed/type-schema.ts';
import type { JsonObject, JsonValue } from '../unstructured.ts';
import type { DefinitionNames } from './definition-names.ts';
import { isClosedEnum, namedDefaults, unionsOf } from './type-notes.ts';
import type { Steps } from '../../stdx/stepwise.ts';

export type Dialect = 'v2' | 'v3';

export interface Definitions {
  /** `{"$ref": ...}` to an object type, which will be among the definitions. */
  toType(type: ObjectSchema): JsonObject;
  /** The type of a field, with what is to be said of the field. */
  toField(type: ObjectSchema, name: string): JsonObject;
  /** The same for a definition that is given as it is, under its full name. */
  toOwn(name: string, definition: () => JsonObject): JsonObject;
  /** The same for one that users define, which may be large. */
  toLarge(name: string, definition: () => Steps<JsonObject>): JsonObject;
  /** All that has been referred to, and what that refers to, sorted by name; in steps of one,
   * and of parts of large ones. */
  collect(): Steps<JsonObject>;
}

export interface DefinitionOptions {
  readonly dialect: Dialect;
  readonly names: DefinitionNames;
  /** Enumerations that take other values too; see isClosedEnum. */
  readonly openValues: ReadonlySet<string>;
  /** The value of x-kubernetes-group-version-kind of a type, and what to say of it. */
  describe(typeName: string): TypeDescription;
  /** What to say of a field. */
  describeField(owners: readonly string[], field: FieldSchema): string | undefined;
  /** Definitions of the same dialect that were made before: for documents of which there are
   * thousands, as those of kinds that users define. What they define is not kept. */
  readonly kept?: KeptDefinitions | undefined;
}

/** With what they refer to, which is kept, too. */
export type KeptDefinitions = Map<string, KeptDefinition>;

interface KeptDefinition {
  readonly definition: JsonObject;
  readonly refersTo: readonly string[];
}

/** Texts for people, of types and of their fields. */
export interface Describe {
  type(name: string): string | undefined;
  /** `owners`: the type that has the field, then the inline type in it that declares the field. */
  field(owners: readonly string[], field: FieldSchema): string | undefined;
}

export interface TypeDescription {
  readonly groupVersionKinds: readonly JsonObject[];
  readonly description: string | undefined;
}

export function makeDefinitions(options: DefinitionOptions): Definitions {
  const { names, dialect } = options;
  const prefix = dialect === 'v3' ? '#/components/schemas/' : '#/definitions/';
  const { made, makeAll, wait } = waitingDefinitions(options.kept);
  const toLarge = (name: string, definition: () => Steps<JsonObject>): JsonObject => {
    wait({ name, definition, isUsers: true });
    return { $ref: prefix + name };
  };
  const refer = (name: string, definition: () => JsonObject): JsonObject => {
    wait({ name, definition: () => atOnce(definition), isUsers: false });
    return { $ref: prefix + name };
  };
  const writer = schemaWriter(options, refer);
  return {
    toType: (type) => refer(names.ofType(type.name), () => writer.definition(type)),
    toField: (type, name) => writer.field(type, name),
    toOwn: refer,
    toLarge,
    *collect() {
      yield* makeAll();
      const sorted = [...made].sort(([a], [b]) => (a < b ? -1 : 1));
      return Object.fromEntries(sorted);
    },
  };
}

interface Waiting {
  readonly name: string;
  readonly definition: () => Steps<JsonObject>;
  readonly isUsers: boolean;
}

/** Those that have been referred to: each is made once, or taken from those that are kept. */
function waitingDefinitions(kept: KeptDefinitions = new Map()) {
  const made = new Map<string, JsonObject>();
  const waiting: Waiting[] = [];
  const known = new Set<string>();
  let referred: string[] = [];
  const take = (name: string, { definition, refersTo }: KeptDefinition): void => {
    known.add(name);
    made.set(name, definition);
    for (const each of refersTo) {
      const next = known.has(each) ? undefined : kept.get(each);
      if (next !== undefined) take(each, next);
    }
  };
  const wait = (next: Waiting): void => {
    referred.push(next.name);
    if (known.has(next.name)) return;
    const before = next.isUsers ? undefined : kept.get(next.name);
    if (before !== undefined) return take(next.name, before);
    known.add(next.name);
    waiting.push(next);
  };
  function* makeAll(): Steps<void> {
    const own: (readonly [string, KeptDefinition])[] = [];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      referred = [];
      const definition = yield* next.definition();
      made.set(next.name, definition);
      if (!next.isUsers) own.push([next.name, { definition, refersTo: referred }]);
      yield;
    }
    // All of them together: what is kept has what it refers to.
    for (const [name, definition] of own) kept.set(name, definition);
  }
  return { made, makeAll, wait };
}

/** Work of one step. */
function* atOnce(definition: () => JsonObject): Steps<JsonObject> {
  return definition();
}

type Refer = (name: string, definition: () => JsonObject) => JsonObject;

interface SchemaWriter {
  definition(type: ObjectSchema): JsonObject;
  field(type: ObjectSchema, name: string): JsonObject;
}

interface FieldLocation {
  /** The type whose field it is. */
  readonly owner: ObjectSchema | UnionSchema;
  readonly field: FieldSchema;
}

function schemaWriter(options: DefinitionOptions, refer: Refer): SchemaWriter {
  const { dialect, names, describe, describeField } = options;
  const scalarOf = scalarWriter(options, refer);

  const definition = (type: ObjectSchema): JsonObject => {
    const members = [...type.members.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    const properties = Object.fromEntries([
      ...(type.hasTypeMeta ? Object.entries(typeMetaProperties) : []),
      ...members.map((field): [string, JsonObject] => [
        field.name,
        property({ owner: ownerOf(type, field), field }, type),
      ]),
    ]);
    return objectSchema(type, describe(type.name), properties);
  };

  const property = (location: FieldLocation, within: ObjectSchema): JsonObject => {
    const { field, owner } = location;
    const base = schemaOf(field.type, location);
    const value = dialect === 'v3' ? defaultOf(field) : undefined;
    const description = describeField([within.name, owner.name], field);
    return withSiblings(dialect, base, {
      ...(description === undefined ? {} : { description }),
      ...(value === undefined ? {} : { default: value }),
      ...markers(field.merge),
    });
  };

  const schemaOf = (type: TypeSchema, location: FieldLocation): JsonObject => {
    switch (type.kind) {
      case 'scalar':
        return scalarOf(type, location);
      case 'list':
        return { type: 'array', items: element(type.items, location) };
      case 'map':
        return { type: 'object', additionalProperties: element(type.values, location) };
      case 'object':
        return refer(names.ofType(type.name), () => definition(type));
      case 'union':
        return refer(names.ofType(type.name), () => ({
          description: 'One of several forms; see the type that holds it.',
        }));
    }
  };

  const element = (type: TypeSchema, location: FieldLocation): JsonObject => {
    const base = schemaOf(type, location);
    const zero = dialect === 'v3' ? zeroOf(type) : undefined;
    return withSiblings(dialect, base, zero === undefined ? {} : { default: zero });
  };

  const field = (owner: ObjectSchema, name: string): JsonObject => {
    const found = owner.members.get(name);
    assert(found !== undefined, `${owner.name} has a field ${name}`);
    const description = describeField([owner.name], found);
    const base = schemaOf(found.type, { owner, field: found });
    return withSiblings(dialect, base, description === undefined ? {} : { description });
  };

  return { definition, field };
}

/** A scalar with a name is a definition of its own; others, and enumerations, stand in place. */
function scalarWriter({ dialect, names, openValues }: DefinitionOptions, refer: Refer) {
  return ({ scalar, values }: ScalarSchema, { owner, field }: FieldLocation): JsonObject => {
    const inPackage = packageOf(owner.name);
    const name = names.ofScalar(scalar, inPackage);
    if (name !== undefined) return refer(name, () => sharedScalar(scalar, dialect, inPackage));
    const base = plainScalars[scalar];
    assert(base !== undefined, `${scalar} is written in place`);
    if (values === undefined || !isClosedEnum(owner.name, field.name, openValues)) return base;
    return { ...base, enum: values };
  };
}

/** What stands beside a reference is lost in v3, so the reference moves into allOf. */
function withSiblings(dialect: Dialect, base: JsonObject, more: JsonObject): JsonObject {
  if (Object.keys(more).length === 0) return base;
  if (dialect === 'v3' && isReference(base)) return { allOf: [base], ...more };
  return { ...base, ...more };
}

function objectSchema(
  type: ObjectSchema,
  { groupVersionKinds, description }: TypeDescription,
  properties: JsonObject,
): JsonObject {
  const required = [...type.members.values()].filter((f) => f.required).map((f) => f.name);
  return {
    ...(description === undefined ? {} : { description }),
    type: 'object',
    ...(required.length === 0 ? {} : { required }),
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(groupVersionKinds.length === 0
      ? {}
      : { 'x-kubernetes-group-version-kind': groupVersionKinds }),
    ...(type.atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    ...unionsOf(type.name),
  };
}

export const typeMetaProperties: Readonly<Record<string, JsonObject>> = lookup({
  apiVersion: {
    type: 'string',
    description: 'APIVersion defines the group and version in which the object is written.',
  },
  kind: { type: 'string', description: 'Name of the type of the object, in CamelCase.' },
});

const plainScalars: Readonly<Record<string, JsonObject>> = lookup({
  string: { type: 'string' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  boolean: { type: 'boolean' },
  double: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
  any: {},
});

export const rawExtension: JsonObject = { description: 'An object of any kind.', type: 'object' };

function sharedScalar(scalar: string, dialect: Dialect, inPackage: string): JsonObject {
  const either = (schema: JsonObject, ...types: string[]): JsonObject =>
    dialect === 'v3'
      ? { description: schema['description'], oneOf: types.map((type) => ({ type })) }
      : schema;
  switch (scalar) {
    case 'Quantity': {
      const description = 'A number with an optional suffix: 500m, 2, 1Gi, 5e3.';
      return either({ description, type: 'string' }, 'string', 'number');
    }
    case 'IntOrString': {
      const description = 'A number, or a text such as a name or a percentage.';
      const form = either({ description, type: 'string' }, 'integer', 'string');
      return { ...form, format: 'int-or-string' };
    }
    case 'Time':
    case 'MicroTime': {
      const unit = scalar === 'Time' ? 'seconds' : 'microseconds';
      return {
        description: `A time as RFC 3339, in ${unit}.`,
        type: 'string',
        format: 'date-time',
      };
    }
    case 'RawExtension':
      return rawExtension;
    default:
      return inPackage.startsWith('meta/')
        ? { description: 'A set of field paths, as nested maps.', type: 'object' }
        : { description: 'Any JSON value.' };
  }
}

function markers(merge: MergeMarkers): JsonObject {
  const { listType, listMapKeys, mapType, structType, patchStrategy, patchMergeKey } = merge;
  const atomicity = mapType ?? structType;
  return {
    ...(listMapKeys === undefined ? {} : { 'x-kubernetes-list-map-keys': listMapKeys }),
    ...(listType === undefined ? {} : { 'x-kubernetes-list-type': listType }),
    ...(atomicity === undefined ? {} : { 'x-kubernetes-map-type': atomicity }),
    ...(patchMergeKey === undefined ? {} : { 'x-kubernetes-patch-merge-key': patchMergeKey }),
    ...(patchStrategy === undefined
      ? {}
      : { 'x-kubernetes-patch-strategy': patchStrategy.join(',') }),
  };
}

/** The declared default, or the zero value where the field is written even when it is zero. */
function defaultOf(field: FieldSchema): JsonValue | undefined {
  if (field.default !== undefined) {
    const named = /^ref\((\w+)\)$/.exec(field.default)?.[1];
    if (named === undefined) return JSON.parse(field.default) as JsonValue;
    const value = namedDefaults[named];
    assert(value !== undefined, `the default ${named} is known`);
    return value;
  }
  if (field.nullable) return undefined;
  if (field.type.kind === 'object') return {};
  return field.required ? zeroOf(field.type) : undefined;
}

function zeroOf(type: TypeSchema): JsonValue | undefined {
  if (type.kind === 'object') return {};
  if (type.kind !== 'scalar') return undefined;
  switch (type.scalar) {
    case 'string':
      return '';
    case 'int32':
    case 'int64':
    case 'double':
      return 0;
    case 'boolean':
      return false;
    default:
      return undefined;
  }
}

/** A member of an inline type is declared there, which decides what its enumeration means. */
function ownerOf(type: ObjectSchema, field: FieldSchema): ObjectSchema {
  if (type.fields.includes(field)) return type;
  for (const inline of type.fields) {
    if (!inline.inline || inline.type.kind !== 'object') continue;
    if ([...inline.type.members.values()].includes(field)) return ownerOf(inline.type, field);
  }
  return type;
}

function isReference(schema: JsonObject): boolean {
  return schema['$ref'] !== undefined;
}

function packageOf(typeName: string): string {
  return typeName.slice(0, typeName.lastIndexOf('.'));
}
