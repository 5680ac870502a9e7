/**
 * The merge types of the built-in kinds, from their fields and merge markers (spec 1, section 4.5,
 * rule 5).
 *
 * Invariants: one merge type per schema and marker, made when it is first asked for. A list without
 * a list type is atomic unless strategic merge patch merges it: then its merge key tells the items
 * apart, and without one it is a set.
 */
import type {
  FieldSchema,
  MergeMarkers,
  ObjectSchema,
  ScalarKind,
  TypeSchema,
} from '../../typed/type-schema.ts';
import type { JsonObject, JsonValue } from '../../unstructured.ts';
import { zeroOfScalar } from '../../typed/read-scalar.ts';
import { compareText } from '../value/ordering.ts';
import { atomicType, deducedType } from './deduced.ts';
import type { MergeField, MergeMap, MergeScalar, MergeType } from './merge-type.ts';

const scalarOf: Readonly<Record<ScalarKind, MergeScalar | undefined>> = {
  string: 'string',
  int32: 'numeric',
  int64: 'numeric',
  double: 'numeric',
  boolean: 'boolean',
  bytes: 'string',
  Quantity: 'untyped',
  IntOrString: 'untyped',
  Time: 'untyped',
  MicroTime: 'untyped',
  // Any JSON, so nothing is known of it.
  RawExtension: undefined,
  JSON: undefined,
  any: undefined,
};

/** Always with the same members: walks over values read them millions of times. */
function typeWith(form: MergeType): MergeType {
  return { scalar: form.scalar, list: form.list, map: form.map };
}

const scalarTypes: Readonly<Record<MergeScalar, MergeType>> = {
  string: typeWith({ scalar: 'string' }),
  numeric: typeWith({ scalar: 'numeric' }),
  boolean: typeWith({ scalar: 'boolean' }),
  untyped: typeWith({ scalar: 'untyped' }),
};

const granular = new WeakMap<ObjectSchema, MergeType>();
const atomic = new WeakMap<ObjectSchema, MergeType>();

/** The type of whole objects of a kind. */
export function mergeTypeOf(schema: ObjectSchema): MergeType {
  return objectType(schema, schema.atomic);
}

function objectType(schema: ObjectSchema, isAtomic: boolean): MergeType {
  const memo = isAtomic ? atomic : granular;
  const known = memo.get(schema);
  if (known !== undefined) return known;
  const made = typeWith({ map: new StructMap(schema, isAtomic) });
  memo.set(schema, made);
  return made;
}

/** A class, so that all structs have one shape though their fields are made when they are asked
 * for. */
class StructMap implements MergeMap {
  readonly #schema: ObjectSchema;
  #fields: ReadonlyMap<string, MergeField> | undefined;
  readonly values = undefined;
  readonly atomic: boolean;

  constructor(schema: ObjectSchema, isAtomic: boolean) {
    this.#schema = schema;
    this.atomic = isAtomic;
  }

  get fields(): ReadonlyMap<string, MergeField> {
    return (this.#fields ??= fieldsOf(this.#schema));
  }
}

const typeMeta: MergeField = { type: scalarTypes.string, default: undefined };

function fieldsOf(schema: ObjectSchema): ReadonlyMap<string, MergeField> {
  const fields = new Map<string, MergeField>();
  if (schema.hasTypeMeta) fields.set('apiVersion', typeMeta).set('kind', typeMeta);
  for (const [name, field] of schema.members) {
    fields.set(name, { type: typeOf(field.type, field.merge), default: defaultOf(field) });
  }
  return fields;
}

/** The declared default, or the zero value of what is always written: the item of a key that is
 * not given then has a place, and the rules of the kind say what is missing. */
function defaultOf({ default: declared, nullable, required, type }: FieldSchema) {
  if (declared === undefined) {
    return required && !nullable && type.kind === 'scalar' ? zeroOfScalar(type.scalar) : undefined;
  }
  // A named constant is never a default of a key.
  return declared.startsWith('ref(') ? undefined : (JSON.parse(declared) as JsonValue);
}

const noMarkers: MergeMarkers = {};
const noFields: MergeMap['fields'] = new Map();

function typeOf(schema: TypeSchema, markers: MergeMarkers): MergeType {
  switch (schema.kind) {
    case 'scalar': {
      // A foreign object is owned as a whole: nobody here knows its fields.
      if (schema.scalar === 'RawExtension') return atomicType;
      const scalar = scalarOf[schema.scalar];
      return scalar === undefined ? deducedType : scalarTypes[scalar];
    }
    case 'union':
      return deducedType;
    case 'object': {
      const marker = markers.structType ?? markers.mapType;
      return objectType(schema, marker === undefined ? schema.atomic : marker === 'atomic');
    }
    case 'map':
      return typeWith({
        map: {
          fields: noFields,
          values: typeOf(schema.values, noMarkers),
          atomic: markers.mapType === 'atomic',
        },
      });
    case 'list':
      return typeWith({
        list: { items: typeOf(schema.items, noMarkers), ...listMarkers(markers) },
      });
  }
}

function listMarkers(markers: MergeMarkers): {
  readonly atomic: boolean;
  readonly keys: readonly string[];
} {
  switch (markers.listType) {
    case 'atomic':
      return { atomic: true, keys: [] };
    case 'set':
      return { atomic: false, keys: [] };
    case 'map':
      return { atomic: false, keys: [...(markers.listMapKeys ?? [])].sort(compareText) };
    case undefined: {
      const merges = markers.patchStrategy?.includes('merge') ?? false;
      const key = markers.patchMergeKey;
      return { atomic: !merges, keys: merges && key !== undefined ? [key] : [] };
    }
  }
}

const zeroes: Readonly<Partial<Record<ScalarKind, JsonValue>>> = {
  string: '',
  int32: 0,
  int64: 0,
  double: 0,
  boolean: false,
  Quantity: '0',
  IntOrString: 0,
};

const always: ReadonlySet<ScalarKind> = new Set(['Time', 'MicroTime', 'IntOrString']);

const empties = new WeakMap<ObjectSchema, JsonObject>();

/**
 * An object of which nothing has been said: what its type writes nevertheless. Parts that cannot be
 * absent are there empty, so that nobody comes to own them by having made the object.
 */
export function emptyObjectOf(schema: ObjectSchema): JsonObject {
  const known = empties.get(schema);
  if (known !== undefined) return known;
  const empty: Record<string, JsonValue> = {};
  for (const [name, field] of schema.members) {
    const value = emptyValueOf(field);
    if (value !== undefined) empty[name] = value;
  }
  empties.set(schema, empty);
  return empty;
}

function emptyValueOf(field: FieldSchema): JsonValue | undefined {
  const { type } = field;
  if (field.nullable) return field.required ? null : undefined;
  switch (type.kind) {
    case 'object':
      return emptyObjectOf(type);
    case 'scalar':
      if (!field.written && !always.has(type.scalar)) return undefined;
      return zeroes[type.scalar] ?? null;
    default:
      return field.required ? null : undefined;
  }
}
