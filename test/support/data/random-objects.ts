/**
 * Random full objects of a type, from its schema alone: every field may be there, whether or not
 * the others make it sensible. Seeded; the same seed gives the same object.
 */
import type { Prng } from '../../../src/stdx/prng.ts';
import type {
  FieldSchema,
  ObjectSchema,
  ScalarSchema,
  TypeSchema,
} from '../../../src/apimachinery/typed/type-schema.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../../src/apimachinery/unstructured.ts';

/** Types that refer to themselves end at this depth. */
const depthMax = 9;

export interface RandomOptions {
  readonly prng: Prng;
  /** Chance of a field that may be missing, 0 to 1. */
  readonly density: number;
}

function below(prng: Prng, bound: number): number {
  return prng.uint32() % bound;
}

function pick<T>(prng: Prng, values: readonly T[]): T {
  return values[below(prng, values.length)] as T;
}

const words = ['a', 'b-c', 'web', 'x.example.org/y', 'cpu', 'Ä', '', '8080'];

function scalar(schema: ScalarSchema, prng: Prng): JsonValue {
  if (schema.values !== undefined && schema.values.length > 0) return pick(prng, schema.values);
  switch (schema.scalar) {
    case 'string':
      return pick(prng, words);
    case 'int32':
      return pick(prng, [0, 1, 30, 8080, -1, 2147483647]);
    case 'int64':
      return pick(prng, [0, 7, 9007199254740993n, 600]);
    case 'boolean':
      return pick(prng, [true, false]);
    case 'double':
      return pick(prng, [0.5, 2]);
    case 'bytes':
      return pick(prng, ['', 'AAEC', 'YQ==']);
    case 'Quantity':
      return pick(prng, ['0', '500m', '1Gi', '12']);
    case 'IntOrString':
      return pick(prng, [0, 80, 'http', '25%', '']);
    case 'Time':
      return pick(prng, ['2020-01-02T03:04:05Z', '1999-12-31T23:59:59Z']);
    case 'MicroTime':
      return '2020-01-02T03:04:05.000006Z';
    case 'RawExtension':
    case 'JSON':
    case 'any':
      return pick<JsonValue>(prng, [{ kind: 'X', deep: { list: [1, 'two'] } }, {}]);
  }
}

function value(schema: TypeSchema, options: RandomOptions, depth: number): JsonValue | undefined {
  const { prng } = options;
  switch (schema.kind) {
    case 'scalar':
      return scalar(schema, prng);
    case 'list': {
      const items = Array.from({ length: below(prng, 4) }, () =>
        value(schema.items, options, depth + 1),
      );
      return items.filter((item) => item !== undefined);
    }
    case 'map': {
      const names = new Set(Array.from({ length: below(prng, 4) }, () => pick(prng, words)));
      return Object.fromEntries(
        [...names].flatMap((name) => {
          const made = value(schema.values, options, depth + 1);
          return made === undefined ? [] : [[name, made] as const];
        }),
      );
    }
    case 'object':
      return depth > depthMax ? undefined : object(schema, options, depth);
    case 'union':
      return depth > depthMax
        ? undefined
        : value(pick(prng, schema.alternatives).type, options, depth + 1);
  }
}

function present(field: FieldSchema, { prng, density }: RandomOptions, depth: number): boolean {
  // Deep trees of optional objects would never end.
  const chance = depth > 4 && field.type.kind !== 'scalar' ? density / 2 : density;
  return field.required || below(prng, 1000) < chance * 1000;
}

function object(schema: ObjectSchema, options: RandomOptions, depth: number): JsonObject {
  const out: Record<string, JsonValue> = {};
  for (const field of schema.members.values()) {
    if (!present(field, options, depth)) continue;
    const made = value(field.type, options, depth + 1);
    if (made !== undefined) out[field.name] = made;
  }
  return out;
}

/** `own` replaces parts of the metadata. */
export function randomObject(
  schema: ObjectSchema,
  labels: { readonly apiVersion: string; readonly kind: string },
  options: RandomOptions,
  own: JsonObject = {},
): ApiObject {
  const body = object(schema, options, 0);
  const annotations = pick<JsonObject>(options.prng, [{ 'example.org/a': 'b' }, {}]);
  const metadata = {
    name: 'x',
    labels: { app: 'web' },
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    ...own,
  };
  return { ...body, kind: labels.kind, apiVersion: labels.apiVersion, metadata } as ApiObject;
}
