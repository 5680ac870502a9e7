/**
 * Answers the checker and the estimator from schemas: the fields of an object's type, and how large
 * the data at a path can be.
 */
import type { SizeHints } from '../cost.ts';
import type { TypeProvider } from '../declaration.ts';
import { evaluationError } from '../evaluation-error.ts';
import type { Type } from '../type.ts';
import { fieldOf } from './schema-type.ts';
import type { SchemaType } from './schema-type.ts';

/** The types of these schemas and of everything in them. They have no names in expressions. */
export function schemaProvider(...roots: readonly SchemaType[]): TypeProvider {
  const byName = new Map<string, SchemaType>();
  const collect = (schema: SchemaType): void => {
    if (schema.kind === 'object') byName.set(schema.type.name, schema);
    for (const field of schema.fields.values()) collect(field.type);
    if (schema.element !== undefined) collect(schema.element);
  };
  for (const root of roots) collect(root);
  return {
    findType: () => undefined,
    findField: (type: Type, field: string) => {
      const schema = byName.get(type.name);
      return schema === undefined ? undefined : fieldOf(schema, field)?.type.type;
    },
    create: (type) => {
      throw evaluationError(`unknown type: ${type.name}`);
    },
  };
}

/** Sizes of what is reached from a variable whose data have this schema, whatever its name. */
export function schemaSizes(root: SchemaType): SizeHints {
  return ({ path }) => {
    if (path === undefined || path.length === 0) return undefined;
    let schema: SchemaType | undefined = root;
    for (let i = 1; i < path.length && schema !== undefined; i += 1) {
      schema = stepInto(schema, path[i] as string);
    }
    return schema === undefined ? undefined : { min: 0, max: schema.maxElements };
  };
}

function stepInto(schema: SchemaType, step: string): SchemaType | undefined {
  if (step === '@items' || step === '@values') return schema.element;
  if (step === '@keys') return schema.kind === 'map' ? (schema.key ?? anyKey(schema)) : undefined;
  return fieldOf(schema, step)?.type;
}

/** Nothing is said of the keys of a map. */
function anyKey(schema: SchemaType): SchemaType {
  return { ...schema, kind: 'string', maxElements: 0, element: undefined };
}
