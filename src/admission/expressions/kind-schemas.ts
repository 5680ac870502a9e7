/**
 * The types of served kinds, for checking an expression against the kind that it will be about.
 *
 * It is for type checks only: in evaluations objects are dynamic.
 *
 * Invariants: a type is made once. A recursive type ends where it repeats. Values that may be
 * anything have no named fields.
 */
import type { KindInfo } from '../../apimachinery/scheme.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { metaTypes } from '../../apimachinery/typed/meta-types.ts';
import type { ObjectSchema, ScalarKind, TypeSchema } from '../../apimachinery/typed/type-schema.ts';
import type { Schema } from '../../cel/schema/schema.ts';

const text: Schema = { type: 'string' };
const anything: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
/** Several forms and no type of its own: expressions cannot name it, nor what is made of it. */
const formless: Schema = {};

const scalars: Readonly<Record<ScalarKind, Schema>> = {
  string: text,
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  boolean: { type: 'boolean' },
  double: { type: 'number' },
  bytes: { type: 'string', format: 'byte' },
  Quantity: formless,
  IntOrString: { 'x-kubernetes-int-or-string': true },
  Time: { type: 'string', format: 'date-time' },
  MicroTime: { type: 'string', format: 'date-time' },
  RawExtension: anything,
  JSON: formless,
  any: anything,
};

const made = new WeakMap<ObjectSchema, Schema>();

/** Undefined: nothing is known of its fields. */
export function schemaOfKind({ custom, schema }: KindInfo): Schema | undefined {
  if (schema !== undefined) return schemaOfObject(schema, new Set());
  if (custom === undefined) return undefined;
  const metadata = schemaOfObject(metaTypes.object('meta/v1.ObjectMeta'), new Set());
  const form = { version: 'v3', metadata: metadata as JsonObject } as const;
  return custom.openApi(form);
}

function schemaOfObject(type: ObjectSchema, above: ReadonlySet<ObjectSchema>): Schema {
  const known = made.get(type);
  if (known !== undefined) return known;
  if (above.has(type)) return anything;
  const here = new Set([...above, type]);
  const properties: Record<string, Schema> = {};
  if (type.hasTypeMeta) {
    properties['apiVersion'] = text;
    properties['kind'] = text;
  }
  for (const [name, field] of type.members) properties[name] = schemaOf(field.type, here);
  const schema: Schema = { type: 'object', properties };
  // What ends at a type above is right only below it.
  if (above.size === 0) made.set(type, schema);
  return schema;
}

function schemaOf(type: TypeSchema, above: ReadonlySet<ObjectSchema>): Schema {
  switch (type.kind) {
    case 'scalar':
      return scalars[type.scalar];
    case 'list':
      return { type: 'array', items: schemaOf(type.items, above) };
    case 'map':
      return { type: 'object', additionalProperties: schemaOf(type.values, above) };
    case 'object':
      return schemaOfObject(type, above);
    case 'union':
      return formless;
  }
}
