/** Patterns of schemas over long texts: in parts, and to an end. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asSchema } from '../../src/apiextensions/schema/structural-schema.ts';
import { isSoundValue } from '../../src/apiextensions/validate/sound-value.ts';
import { validateValue } from '../../src/apiextensions/validate/validate-value.ts';
import { createValuePlanner } from '../../src/apiextensions/validate/value-plan.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';

function planOf(schema: JsonObject) {
  const properties = { text: { type: 'string', ...schema } };
  return createValuePlanner(undefined).planOf(asSchema({ type: 'object', properties }));
}

function judged(schema: JsonObject, text: string) {
  const walk = validateValue({ value: { text }, plan: planOf(schema) });
  for (let parts = 0; ; parts += 1) {
    const step = walk.next();
    if (step.done === true) return { parts, details: step.value.map(({ detail }) => detail) };
  }
}

const costly = '(a|b)*a(a|b){500}[cd]';
const long = 'ab'.repeat(1_000);

describe('a long text', () => {
  it('is looked through in parts, the more the longer it is, alone and below alternatives', () => {
    for (const schema of [{ pattern: costly }, { allOf: [{ pattern: costly }] }]) {
      const { details, parts } = judged(schema, long);
      assert(details.some((detail) => detail.includes('should match')));
      assert(parts > 50, `${parts}`);
      assert(judged(schema, long.repeat(2)).parts > parts * 1.5);
      assert.deepEqual(judged(schema, `${long}${'a'.repeat(501)}c`).details, []);
    }
  });

  it('is not judged at once, however few others there are', () => {
    const plan = planOf({ pattern: costly });
    assert.equal(isSoundValue(plan, { text: `${'a'.repeat(600)}c` }), false);
    assert.equal(isSoundValue(planOf({ pattern: '^a+c$' }), { text: `${'a'.repeat(600)}c` }), true);
  });

  it('that is too long anyhow is not looked through', () => {
    assert.equal(judged({ pattern: costly, maxLength: 100 }, long).parts, 0);
  });

  it('that takes too long is refused, and says so', () => {
    const { details } = judged({ pattern: costly }, 'a'.repeat(130_000));
    assert.match(details.join(), /should match .* which takes too long to find out/);
  });
});
