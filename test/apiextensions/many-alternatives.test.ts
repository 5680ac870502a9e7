/** Schemas with thousands of alternatives, patterns or rules: looked at in parts, also for a value
 * that is small. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  structuralErrors,
  structuralSteps,
} from '../../src/apiextensions/acceptance/structural.ts';
import {
  hasManyAlternatives,
  hasManyAlternativesBelow,
} from '../../src/apiextensions/schema/alternatives.ts';
import { asSchema } from '../../src/apiextensions/schema/structural-schema.ts';
import { hasManyRules } from '../../src/apiextensions/validate/rule-plan.ts';
import { validateValue } from '../../src/apiextensions/validate/validate-value.ts';
import { createValuePlanner } from '../../src/apiextensions/validate/value-plan.ts';
import type { JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import type { Steps } from '../../src/stdx/stepwise.ts';

function parted<T>(steps: Steps<T>): { readonly parts: number; readonly value: T } {
  for (let parts = 0; ; parts += 1) {
    const step = steps.next();
    if (step.done === true) return { parts, value: step.value };
  }
}

function times<T>(count: number, make: (at: number) => T): T[] {
  return Array.from({ length: count }, (_, at) => make(at));
}

function listOf(entry: JsonObject): JsonObject {
  const items = { type: 'string', ...entry };
  return { type: 'object', properties: { list: { type: 'array', items } } };
}

function judged(schema: JsonObject, value: JsonValue) {
  const plan = createValuePlanner(undefined).planOf(asSchema(schema));
  return parted(validateValue({ value, plan }));
}

function tree(depth: number): JsonObject {
  return depth === 0 ? { minLength: 1 } : { allOf: [tree(depth - 1), tree(depth - 1)] };
}

describe('a small value that meets many alternatives', () => {
  it('is looked at in parts, the more the more there are, with the errors of all', () => {
    const partsOf = (count: number): number => {
      const anyOf = times(count, () => ({ minLength: 3 }));
      const { parts, value } = judged(listOf({ anyOf }), { list: times(10, () => 'z') });
      assert.equal(value.filter(({ detail }) => detail.includes('at least one schema')).length, 10);
      return parts;
    };
    assert(partsOf(4_000) > 20, `${partsOf(4_000)}`);
    assert(partsOf(8_000) > partsOf(4_000) * 1.5);
  });

  it('has those made ready in parts that it meets, and no others', () => {
    const { parts, value } = judged(listOf(tree(11)), { list: ['z'] });
    assert.deepEqual(value, []);
    assert(parts > 20, `${parts}`);
    const anyOf = times(10_000, () => ({ minLength: 1 }));
    assert.equal(judged(listOf({ anyOf }), { list: ['z'] }).parts, 0);
  });

  it('is known from its schema, however deep on the spine, and whatever they are', () => {
    const many = times(20, () => ({ minLength: 1 }));
    const few = times(8, () => ({ minLength: 1 }));
    for (const name of ['allOf', 'anyOf', 'oneOf']) {
      assert.equal(hasManyAlternativesBelow(asSchema(listOf({ [name]: many }))), true);
      assert.equal(hasManyAlternativesBelow(asSchema(listOf({ [name]: few }))), false);
    }
    const properties = Object.fromEntries(times(20, (at) => [`p${at}`, { minLength: 1 }]));
    for (const below of [{ properties }, { items: { allOf: many } }, { not: { anyOf: many } }]) {
      assert.equal(hasManyAlternatives(asSchema({ not: below })), true);
    }
    assert.equal(hasManyAlternatives(asSchema(listOf({ anyOf: many }))), false);
  });
});

describe('a small value with many rules', () => {
  it('is known from its schema, however deep on the spine', () => {
    const rules = (count: number): JsonObject =>
      listOf({ 'x-kubernetes-validations': times(count, (at) => ({ rule: `self != "${at}"` })) });
    assert.equal(hasManyRules(asSchema(rules(65))), true);
    assert.equal(hasManyRules(asSchema(rules(64))), false);
  });
});

describe('whether a schema is structural', () => {
  const schemas: Readonly<Record<string, (count: number) => JsonObject>> = {
    'patterns of alternatives': (count) =>
      listOf({ anyOf: times(count, (at) => ({ pattern: `^parted-${count}-[a-f]{1,9}${at}$` })) }),
    'patterns of properties': (count) => ({
      type: 'object',
      properties: Object.fromEntries(
        times(count, (at) => [`p${at}`, { type: 'string', pattern: `^own-${count}-[a-f]*${at}$` }]),
      ),
    }),
  };
  for (const [title, make] of Object.entries(schemas)) {
    it(`is found out in parts, one for each of the ${title}`, () => {
      const { parts, value } = parted(structuralSteps(make(300), ''));
      assert.deepEqual(value, []);
      assert(parts >= 300, `${parts}`);
    });
  }

  it('is found out in parts where there are many alternatives', () => {
    const { parts } = parted(structuralSteps(listOf(tree(12)), ''));
    assert(parts >= 8, `${parts}`);
  });

  it('has the same errors at once', () => {
    const broken = (): JsonObject =>
      listOf({ anyOf: times(30, () => ({ pattern: '(', type: 'a' })) });
    const { value } = parted(structuralSteps(broken(), 'at'));
    assert.equal(value.length, 60);
    assert.deepEqual(structuralErrors(broken(), 'at'), value);
  });
});
