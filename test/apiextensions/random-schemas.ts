/**
 * Random schemas, mostly structural, and random values that mostly fit them; and mutations of both:
 * what somebody sends who means well, and then somebody who does not. Seeded.
 */
import type { JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import { isJsonObject } from '../../src/apimachinery/unstructured.ts';
import { randomBelow } from '../../src/stdx/prng.ts';
import type { Prng } from '../../src/stdx/prng.ts';

const names = [
  'a',
  'b',
  'spec',
  'x-y',
  'metadata',
  'kind',
  '__proto__',
  'constructor',
  'ä',
  '1',
  'in',
];
const texts = [
  '',
  'a',
  'a1',
  '10.0.0.1',
  '2020-01-02',
  '1h',
  'ä😀',
  'x'.repeat(40),
  '::1',
  '3 days',
];
const numbers = [0, 1, -1, 5, 1.5, 1e21, -1e-7, 2147483648, 9007199254740991];
const formats = [
  ...['date-time', 'date', 'duration', 'byte', 'email', 'hostname', 'ipv4', 'ipv6', 'cidr', 'mac'],
  ...['uri', 'uuid', 'uuid3', 'isbn', 'creditcard', 'ssn', 'hexcolor', 'rgbcolor', 'bsonobjectid'],
  ...['int32', 'int64', 'float', 'double', 'k8s-long-name', 'no-such-format'],
];
const patterns = ['^a+$', '(a|a)*b', '[', '^(a+)+$', '\\d{3}', '(?=a)', '.*', 'x{1000}'];
const rules = [
  'true',
  'false',
  'self == self',
  'self.a == 1',
  'oldSelf == self',
  'size(self) < 3',
  'self.all(x, x > 0)',
  '1 / 0 == 1',
  'has(self.a)',
  'self.matches("^a")',
  'nonsense(',
  '',
];

function pick<T>(prng: Prng, values: readonly T[]): T {
  return values[randomBelow(prng, values.length)] as T;
}

function chance(prng: Prng, percent: number): boolean {
  return randomBelow(prng, 100) < percent;
}

export function randomSchema(prng: Prng, depth = 0): JsonObject {
  const type = depth === 0 ? 'object' : pick(prng, depth > 3 ? scalars : allTypes);
  const schema: Record<string, JsonValue> = { type };
  if (chance(prng, 10) && depth > 0) schema['nullable'] = true;
  if (type === 'object') addMembers(schema, prng, depth);
  if (type === 'array') {
    schema['items'] = randomSchema(prng, depth + 1);
    addBounds(schema, prng, 'Items');
    if (chance(prng, 30)) schema['x-kubernetes-list-type'] = pick(prng, ['set', 'map', 'atomic']);
    if (schema['x-kubernetes-list-type'] === 'map') schema['x-kubernetes-list-map-keys'] = ['a'];
  }
  if (type === 'string') {
    addBounds(schema, prng, 'Length');
    if (chance(prng, 25)) schema['format'] = pick(prng, formats);
    if (chance(prng, 15)) schema['pattern'] = pick(prng, patterns);
    if (chance(prng, 10)) schema['enum'] = ['a', 'a1'];
  }
  if (type === 'integer' || type === 'number') addNumberBounds(schema, prng);
  if (chance(prng, 6) && depth > 0) {
    delete schema['type'];
    schema[pick(prng, ['x-kubernetes-int-or-string', 'x-kubernetes-preserve-unknown-fields'])] =
      true;
  }
  if (chance(prng, 8)) addJunctor(schema, prng);
  if (chance(prng, 12)) addRule(schema, prng);
  if (chance(prng, 10) && depth > 0) schema['default'] = randomValue(schema, prng);
  return schema;
}

const scalars = ['string', 'integer', 'number', 'boolean'];
const allTypes = [...scalars, 'object', 'object', 'array', 'array'];

function addMembers(schema: Record<string, JsonValue>, prng: Prng, depth: number): void {
  if (depth > 0 && chance(prng, 25)) {
    schema['additionalProperties'] = chance(prng, 15) ? true : randomSchema(prng, depth + 1);
    addBounds(schema, prng, 'Properties');
    return;
  }
  const own = names.filter(() => chance(prng, 30)).filter((name) => depth > 0 || name !== 'kind');
  const properties = own.map((name) => [name, randomSchema(prng, depth + 1)] as const);
  schema['properties'] = Object.fromEntries(properties);
  if (chance(prng, 30)) schema['required'] = own.slice(0, 2);
  if (chance(prng, 8) && depth > 0) {
    schema['x-kubernetes-embedded-resource'] = true;
    schema['x-kubernetes-preserve-unknown-fields'] = true;
  }
}

function addBounds(schema: Record<string, JsonValue>, prng: Prng, of: string): void {
  if (chance(prng, 40)) schema[`max${of}`] = randomBelow(prng, 6);
  if (chance(prng, 20)) schema[`min${of}`] = randomBelow(prng, 3);
}

function addNumberBounds(schema: Record<string, JsonValue>, prng: Prng): void {
  for (const name of ['maximum', 'minimum', 'multipleOf']) {
    if (chance(prng, 20)) schema[name] = pick(prng, numbers);
  }
  if (chance(prng, 20)) schema['exclusiveMaximum'] = true;
  if (chance(prng, 30)) schema['format'] = pick(prng, formats);
}

function addJunctor(schema: Record<string, JsonValue>, prng: Prng): void {
  const nested = (): JsonObject =>
    pick(prng, [{ minLength: 2 }, { required: ['a'] }, { enum: [1] }]);
  const name = pick(prng, ['allOf', 'anyOf', 'oneOf', 'not']);
  schema[name] = name === 'not' ? nested() : [nested(), nested()];
}

function addRule(schema: Record<string, JsonValue>, prng: Prng): void {
  const rule: Record<string, JsonValue> = { rule: pick(prng, rules) };
  if (chance(prng, 20)) rule['message'] = 'must be so';
  if (chance(prng, 20)) rule['messageExpression'] = pick(prng, ['"a" + "b"', '1', 'self.a']);
  if (chance(prng, 10)) rule['fieldPath'] = pick(prng, ['.a', ".['x-y']", '.spec.a', 'a', '.']);
  if (chance(prng, 10)) rule['optionalOldSelf'] = true;
  schema['x-kubernetes-validations'] = [rule];
}

/** Of the schema's type, most of the time. */
export function randomValue(schema: JsonObject | undefined, prng: Prng, depth = 0): JsonValue {
  if (schema === undefined || depth > 6 || chance(prng, 6)) return randomJson(prng, depth);
  switch (schema['type']) {
    case 'object':
      return randomMembers(schema, prng, depth);
    case 'array': {
      const { items } = schema;
      const inner = isJsonObject(items) ? items : undefined;
      const count = randomBelow(prng, 5);
      return Array.from({ length: count }, () => randomValue(inner, prng, depth + 1));
    }
    case 'string':
      return pick(prng, texts);
    case 'integer':
      return pick(prng, [0, 1, -1, 5, 2147483648, 9007199254740993n]);
    case 'number':
      return pick(prng, numbers);
    case 'boolean':
      return chance(prng, 50);
    default:
      return randomJson(prng, depth);
  }
}

function randomMembers(schema: JsonObject, prng: Prng, depth: number): JsonObject {
  const { additionalProperties, properties } = schema;
  const declared = isJsonObject(properties) ? Object.keys(properties) : names;
  const wanted = declared.filter(() => chance(prng, 70));
  if (chance(prng, 15)) wanted.push(pick(prng, names));
  return Object.fromEntries(
    wanted.map((name) => {
      const own =
        isJsonObject(properties) && Object.hasOwn(properties, name)
          ? properties[name]
          : additionalProperties;
      return [name, randomValue(isJsonObject(own) ? own : undefined, prng, depth + 1)];
    }),
  );
}

export function randomJson(prng: Prng, depth: number): JsonValue {
  const kind = randomBelow(prng, depth > 6 ? 5 : 7);
  switch (kind) {
    case 0:
      return null;
    case 1:
      return chance(prng, 50);
    case 2:
      return pick(prng, numbers);
    case 3:
      return pick(prng, texts);
    case 4:
      return 2n ** 63n;
    case 5:
      return Array.from({ length: randomBelow(prng, 3) }, () => randomJson(prng, depth + 1));
    default:
      return Object.fromEntries(
        names.filter(() => chance(prng, 15)).map((name) => [name, randomJson(prng, depth + 1)]),
      );
  }
}

const keywords = [
  ...['type', 'items', 'properties', 'additionalProperties', 'required', 'enum', 'default'],
  ...['nullable', 'allOf', 'not', 'pattern', 'format', 'maxLength', 'minimum', 'uniqueItems'],
  ...['$ref', 'id', 'definitions', 'dependencies', 'patternProperties', 'additionalItems'],
  ...['x-kubernetes-list-type', 'x-kubernetes-list-map-keys', 'x-kubernetes-map-type'],
  ...['x-kubernetes-validations', 'x-kubernetes-embedded-resource', 'x-kubernetes-int-or-string'],
];

/** One place of a schema is another. */
export function mutatedSchema(schema: JsonObject, prng: Prng): JsonObject {
  const places = Object.keys(schema).filter((name) => isJsonObject(schema[name]));
  const name = places.length === 0 ? undefined : pick(prng, places);
  const inner = name === undefined ? undefined : schema[name];
  if (name !== undefined && isJsonObject(inner) && chance(prng, 70)) {
    return { ...schema, [name]: mutatedSchema(inner, prng) };
  }
  const keyword = pick(prng, keywords);
  return {
    ...schema,
    [keyword]: pick(prng, [randomJson(prng, 4), randomSchema(prng, 3), keyword]),
  };
}
