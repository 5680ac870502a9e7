/**
 * No list that a client fills costs more than its length: every list and map of every kind is tried
 * with n and 4n items, equal ones and different ones, through decoding, defaults and rules. So is
 * every text, with what patterns search for and do not find.
 *
 * SLUICE_GROWTH=full tries them with ten times as many.
 */
import { describe, it } from 'node:test';
import { formatGroupVersion } from '../../src/apimachinery/schema.ts';
import { formatFieldErrors } from '../../src/apimachinery/field-error.ts';
import { conform } from '../../src/apimachinery/typed/conform.ts';
import type { TypeSchema, ObjectSchema } from '../../src/apimachinery/typed/type-schema.ts';
import { makeTypedValidators } from '../../src/apimachinery/typed/validate-typed.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import { catalogue } from '../../src/apis/catalogue.ts';
import type { CatalogueKind } from '../../src/apis/catalogue.ts';
import { defaultersOf } from '../../src/apis/defaults/defaulters.ts';
import { fieldTypes } from '../../src/apis/field-types.ts';
import { builtInKinds } from '../../src/apis/kind-set.ts';
import { schemaExemptionsOf } from '../../src/apis/schema-exemptions.ts';
import { rulesByResource, rulesByVersion } from './rules-by-resource.ts';
import { assertLinear } from '../support/checks/processor-growth.ts';
import type { Sized } from '../support/checks/processor-growth.ts';
import { kubernetes } from '../support/data/versioned-kinds.ts';

const types = fieldTypes(kubernetes);
const defaultsOf = defaultersOf(kubernetes);
const rules = rulesByResource(kubernetes);
const versionRules = rulesByVersion(kubernetes);
const schemaRules = makeTypedValidators(schemaExemptionsOf(builtInKinds));
const items = process.env['SLUICE_GROWTH'] === 'full' ? 10_000 : 1000;
const levelsMax = 8;

/** Puts a list or map where the path leads. */
type Place = (value: JsonValue) => JsonObject;

interface Field {
  readonly path: string;
  readonly type: TypeSchema;
  readonly place: Place;
}

/** Every list and map that can be reached, each field of each type once. */
function* fieldsOf(schema: ObjectSchema, seen: Set<string>, inside: Field): Generator<Field> {
  const levels = inside.path.split('.').length;
  for (const [name, { type }] of schema.members) {
    if (seen.has(`${schema.name}.${name}`) || levels > levelsMax) continue;
    const outer: Place = (value) => inside.place({ [name]: value });
    const field = { path: `${inside.path}.${name}`, type, place: outer };
    if (type.kind === 'object') yield* fieldsOf(type, seen, field);
    if (type.kind !== 'list' && type.kind !== 'map') continue;
    seen.add(`${schema.name}.${name}`);
    yield field;
    const inner = type.kind === 'list' ? type.items : type.values;
    if (inner.kind !== 'object') continue;
    const wrap = (value: JsonValue): JsonValue => (type.kind === 'list' ? [value] : { k: value });
    yield* fieldsOf(inner, seen, { ...field, place: (value) => outer(wrap(value)) });
  }
}

/** Every text that can be reached, each field of each type once. */
function* textsOf(schema: ObjectSchema, seen: Set<string>, inside: Field): Generator<Field> {
  const levels = inside.path.split('.').length;
  for (const [name, { type }] of schema.members) {
    if (seen.has(`${schema.name}.${name}`) || levels > levelsMax) continue;
    seen.add(`${schema.name}.${name}`);
    const path = `${inside.path}.${name}`;
    const outer: Place = (value) => inside.place({ [name]: value });
    const wrap: Place = (value) =>
      outer(type.kind === 'list' ? [value] : type.kind === 'map' ? { k: value } : value);
    const inner = type.kind === 'list' ? type.items : type.kind === 'map' ? type.values : type;
    if (inner.kind === 'object') yield* textsOf(inner, seen, { path, type: inner, place: wrap });
    const isText = inner.kind === 'scalar' && ['string', 'bytes'].includes(inner.scalar);
    if (isText) yield { path, type: inner, place: wrap };
  }
}

/** Repeated, with something before and behind that leaves a pattern nothing to find. */
const texts: readonly (readonly [before: string, repeated: string, behind: string])[] = [
  ...['a', '1', '0', '/', '*', '.', '-', ':', ' ', ',', '%', 'a.', '1h', '1,', '\n', '\\'].map(
    (repeated) => ['', repeated, '!'] as const,
  ),
  ['-----BEGIN CERTIFICATE-----', '\n', ''],
  ['', '-----BEGIN CERTIFICATE-----\n', ''],
  ['https://', 'a/', '\\'],
  ['/', 'a', '*b'],
  ['1', '0', ''],
  ['@every ', '1h', '!'],
];
const characters = process.env['SLUICE_GROWTH'] === 'full' ? 100_000 : 4_000;

/** No two inputs have the same quantities: what is kept of those read before is not what is tried. */
let fresh = 0;

/** Something of this type. What is below an item is left out: lists there are tried by themselves. */
function sample(type: TypeSchema, at: number, deep: boolean): JsonValue {
  if (type.kind === 'list') return [];
  if (type.kind === 'map') return {};
  if (type.kind === 'union') return {};
  if (type.kind === 'object') {
    if (!deep) return {};
    return Object.fromEntries(
      [...type.members]
        .filter(([, member]) => member.type.kind === 'scalar')
        .map(([name, member]) => [name, sample(member.type, at, false)]),
    );
  }
  switch (type.scalar) {
    case 'int32':
    case 'int64':
    case 'double':
    case 'IntOrString':
      return at;
    case 'boolean':
      return at % 2 === 0;
    case 'bytes':
      return 'aGk=';
    case 'Quantity':
      return `${at + fresh}`;
    case 'Time':
    case 'MicroTime':
      return null;
    case 'RawExtension':
      return {};
    default:
      return type.values?.[at % type.values.length] ?? `x${at}`;
  }
}

function filled(type: TypeSchema, count: number, same: boolean): JsonValue {
  fresh += count;
  const numbers = Array.from({ length: count }, (_, at) => (same ? 7 : at));
  if (type.kind === 'list') return numbers.map((at) => sample(type.items, at, true));
  const values = type.kind === 'map' ? type.values : type;
  return Object.fromEntries(numbers.map((each, at) => [`x${at}`, sample(values, each, true)]));
}

function judge(row: CatalogueKind, document: JsonObject): string {
  const schema = types.object(row.type);
  const conformed = conform(schema, document);
  if (conformed.kind === 'refused') return conformed.problem;
  const object = defaultsOf(schema)(conformed.object) as ApiObject;
  const own = rules[`${row.group}/${row.resource}`];
  const demand = versionRules.get(`${document['apiVersion'] as string}/${row.resource}`);
  return formatFieldErrors([
    ...schemaRules(schema)(object),
    ...(own?.validate?.(object) ?? []),
    ...(own?.validateCreate?.(object) ?? []),
    ...(own?.validateUpdate?.(object, object) ?? []),
    ...(demand?.validateCreate?.(object) ?? []),
  ]);
}

/** The whole object, with nothing in it but its metadata. */
function rootOf(row: CatalogueKind) {
  const apiVersion = formatGroupVersion({
    group: kubernetes.fill(row.group),
    version: row.version,
  });
  const head = { apiVersion, kind: row.kind, metadata: { name: 'x', namespace: 'default' } };
  const place: Place = (value) => ({ ...head, ...(value as JsonObject) });
  return { apiVersion, root: { path: row.kind, type: types.object(row.type), place } };
}

function* growthOf(row: CatalogueKind, seen: Set<string>): Generator<Sized> {
  const { apiVersion, root } = rootOf(row);
  for (const field of fieldsOf(root.type, seen, root)) {
    if (field.path.startsWith(`${row.kind}.metadata.`)) continue;
    for (const same of [false, true]) {
      yield {
        name: `${apiVersion} ${field.path}${same ? ' (all equal)' : ''}`,
        prepare: (count) => {
          const document = field.place(filled(field.type, count, same));
          return () => void judge(row, document);
        },
      };
    }
  }
}

/** Where the text stands, in an object that has nothing else. */
function* textGrowthOf(row: CatalogueKind, seen: Set<string>): Generator<Sized> {
  const { apiVersion, root } = rootOf(row);
  for (const field of textsOf(root.type, seen, root)) {
    if (field.path.startsWith(`${row.kind}.metadata.`)) continue;
    for (const [before, repeated, behind] of texts) {
      yield {
        name: `${apiVersion} ${field.path}: ${before}${repeated}`,
        prepare: (count) => {
          const text = before + repeated.repeat(Math.ceil(count / repeated.length)) + behind;
          const isBytes = field.type.kind === 'scalar' && field.type.scalar === 'bytes';
          const value = isBytes ? Buffer.from(text).toString('base64') : text;
          const document = field.place(value);
          return () => void judge(row, document);
        },
      };
    }
  }
}

describe('four times the text costs at most six times the time', () => {
  const seen = new Set<string>();
  for (const row of catalogue) {
    const tried = [...textGrowthOf(row, seen)];
    if (tried.length === 0) continue;
    it(`${row.group}/${row.version} ${row.kind}: ${tried.length} cases`, () => {
      for (const each of tried) assertLinear(each, characters);
    });
  }
});

describe('four times the items cost at most six times the time', () => {
  const seen = new Set<string>();
  for (const row of catalogue) {
    const tried = [...growthOf(row, seen)];
    if (tried.length === 0) continue;
    it(`${row.group}/${row.version} ${row.kind}: ${tried.length} cases`, () => {
      for (const each of tried) assertLinear(each, items);
    });
  }
});
