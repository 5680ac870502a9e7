/** How much one write may take of its schema: values times alternatives, enumerations, patterns. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultErrors } from '../../src/apiextensions/acceptance/defaults.ts';
import { asSchema } from '../../src/apiextensions/schema/structural-schema.ts';
import { correlate } from '../../src/apiextensions/validate/correlation.ts';
import { validateValue } from '../../src/apiextensions/validate/validate-value.ts';
import { createValuePlanner } from '../../src/apiextensions/validate/value-plan.ts';
import { formatFieldError } from '../../src/apimachinery/field-error.ts';
import type { JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import { finished } from '../../src/stdx/stepwise.ts';
import { testLanguage } from '../support/data/expression-language.ts';

function times<T>(count: number, make: (at: number) => T): T[] {
  return Array.from({ length: count }, (_, at) => make(at));
}

function membersOf<T>(count: number, make: (at: number) => T): Record<string, T> {
  return Object.fromEntries(times(count, (at) => [`p${at}`, make(at)]));
}

function listOf(items: JsonObject): JsonObject {
  return { type: 'object', properties: { list: { type: 'array', items } } };
}

const costly = listOf({ type: 'integer', anyOf: times(2_000, (at) => ({ minimum: 1e6 + at })) });
const many: JsonObject = { list: times(10_000, (at) => at) };

/** `looks`: what is left to it; undefined: all that a write may take. */
function judged(
  schema: JsonObject,
  value: JsonValue,
  { looks, old }: { readonly looks?: number; readonly old?: JsonValue } = {},
): readonly string[] {
  const read = asSchema(schema);
  const plan = createValuePlanner(undefined).planOf(read);
  const before = old === undefined ? undefined : correlate(value, old, read);
  const left = looks === undefined ? undefined : { looks };
  return finished(validateValue({ value, plan, old: before, left })).map(formatFieldError);
}

const tooMany = '<nil>: Too many: validation against the schema may take at most 2000000 steps';

describe('a value that takes more steps of its schema than a write may', () => {
  it('is refused with the bound, whatever takes them', () => {
    const texts = { list: times(40, () => 'x'.repeat(30_000)) };
    const pattern = '(x+x+)+(a|b|[a-z]{1,200})*y';
    const listed = { type: 'object', enum: times(5_000, (at) => ({ a: { b: at } })) };
    const entries = { list: times(8_000, () => ({ a: {} })) };
    assert.deepEqual(judged(costly, many), [tooMany]);
    const few = { looks: 20_000 };
    assert.deepEqual(judged(listOf({ type: 'string', pattern }), texts, few), [tooMany]);
    assert.deepEqual(judged(listOf(listed), entries, few), [tooMany]);
  });

  it('may change in its metadata while everything else stays', () => {
    const looks = 20_000;
    const next = { metadata: {}, ...many };
    const before: JsonObject = { metadata: { finalizers: ['a/b'] }, ...structuredClone(many) };
    assert.deepEqual(judged(costly, next, { looks, old: before }), []);
    const changed = { ...before, list: [...(before['list'] as number[]), 1] };
    assert.deepEqual(judged(costly, next, { looks, old: changed }), [tooMany]);
    assert.deepEqual(judged(costly, next, { looks, old: { ...before, other: 1 } }), [tooMany]);
  });

  it('ends the validation of all defaults of its definition', () => {
    const list = (costly['properties'] as JsonObject)['list'] as JsonObject;
    const given = many['list'] as JsonValue;
    const properties = membersOf(3, () => ({ ...list, default: given }));
    const schema = asSchema({ type: 'object', properties });
    const options = { language: testLanguage, pruned: true };
    const errors = finished(defaultErrors(schema, 'schema', options)).map(formatFieldError);
    assert.deepEqual(errors, [tooMany.replace('<nil>', 'schema.properties[p0].default')]);
  });
});

describe('a value of the size that a body may have is validated to its end', () => {
  const intOrString = { 'x-kubernetes-int-or-string': true };
  const cases: Readonly<Record<string, readonly [JsonObject, JsonValue]>> = {
    'against two alternatives': [
      listOf({ ...intOrString, anyOf: [{ type: 'integer' }, { type: 'string' }] }),
      { list: times(25_000, () => 'x') },
    ],
    'of ten thousand properties and three million characters': [
      {
        type: 'object',
        properties: membersOf(10_000, () => ({ type: 'string', pattern: '^[a-z]*$' })),
      },
      membersOf(10_000, () => 'x'.repeat(300)),
    ],
    'against an enumeration of five hundred numbers': [
      listOf({ type: 'integer', enum: times(500, (at) => at) }),
      { list: times(20_000, (at) => at % 500) },
    ],
    'against twenty forms of entries with ten members': [
      listOf({
        type: 'object',
        properties: membersOf(10, () => ({ type: 'string' })),
        oneOf: times(20, (at) => ({ properties: { p0: { enum: [`k${at}`] } }, required: ['p9'] })),
      }),
      { list: times(2_200, (at) => ({ ...membersOf(10, () => 'v'), p0: `k${at % 20}` })) },
    ],
    'as one text with a pattern': [
      listOf({ type: 'string', pattern: '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{3}=)?$' }),
      { list: ['abcd'.repeat(700_000)] },
    ],
  };
  for (const [title, [schema, value]] of Object.entries(cases)) {
    it(title, () => {
      assert.deepEqual(judged(schema, value), []);
    });
  }
});
