/** A document that is conformed in steps is the one that is conformed at once, in every part. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { identityOf } from '../../src/apimachinery/identity.ts';
import { conformSteps } from '../../src/apimachinery/typed/conform-steps.ts';
import { conform } from '../../src/apimachinery/typed/conform.ts';
import type { ObjectSchema } from '../../src/apimachinery/typed/type-schema.ts';
import type { JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import { isJsonObject } from '../../src/apimachinery/unstructured.ts';
import { buildScheme } from '../../src/apis/build-scheme.ts';
import { randomBelow, seededPrng } from '../../src/stdx/prng.ts';
import type { Prng } from '../../src/stdx/prng.ts';
import { finished } from '../../src/stdx/stepwise.ts';
import { randomObject } from '../support/data/random-objects.ts';

const built = buildScheme({ identity: identityOf('kubernetes') });
assert.equal(built.kind, 'ok');
const { scheme } = built;
const mutationsEach = 12;

function compare(schema: ObjectSchema, document: JsonObject): void {
  const [atOnce, inSteps] = [conform(schema, document), finished(conformSteps(schema, document))];
  assert.deepStrictEqual(inSteps, atOnce);
  if (atOnce.kind !== 'ok' || inSteps.kind !== 'ok') return;
  assert.deepStrictEqual(namesIn(inSteps.object), namesIn(atOnce.object), 'in the same order');
  assert.equal(inSteps.object === document, atOnce.object === document, 'copied alike');
}

/** In their order, which deepEqual does not look at. */
function namesIn(value: JsonValue | undefined): unknown {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(namesIn);
  if (!isJsonObject(value)) return undefined;
  return Object.keys(value).map((name) => [name, namesIn(value[name])]);
}

const wrong: readonly JsonValue[] = [null, 7, 'text', true, [], {}, [null], { a: null }, [{}, 1]];

/** With something else at one place of it, or with one member more. */
function mutated(value: JsonValue | undefined, prng: Prng): JsonValue {
  const other = wrong[randomBelow(prng, wrong.length)] ?? null;
  const parts = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  if (value === undefined || parts.length === 0 || randomBelow(prng, 4) === 0) return other;
  const name = parts[randomBelow(prng, parts.length)] as string;
  if (Array.isArray(value)) {
    const list: readonly JsonValue[] = value;
    return list.map((item, at) => (at === Number(name) ? mutated(item, prng) : item));
  }
  const members = value as JsonObject;
  if (randomBelow(prng, 5) === 0) return { noSuchField: other, ...members, norThis: other };
  return { ...members, [name]: mutated(members[name], prng) };
}

describe('conforming in steps', () => {
  for (const kind of scheme.kinds) {
    const { group, kind: name, schema, version } = kind;
    if (schema === undefined) continue;
    it(`gives what conforming at once gives: ${group}/${version} ${name}`, () => {
      const labels = { apiVersion: group === '' ? version : `${group}/${version}`, kind: name };
      const prng = seededPrng(7);
      for (const density of [0.2, 0.7]) {
        const document = randomObject(schema, labels, { prng, density });
        compare(schema, document);
        for (let i = 0; i < mutationsEach; i += 1) {
          const other = mutated(document, prng);
          if (isJsonObject(other)) compare(schema, other);
        }
      }
    });
  }

  it('gives way between parts of a wide definition, however deep or wide, and stops at the end', () => {
    const kind = scheme.findKind('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition');
    assert.ok(kind?.schema !== undefined);
    const field = { type: 'string', description: 'a field', nullable: null };
    const properties = Object.fromEntries(
      Array.from({ length: 9_000 }, (_, i) => [`f${i}`, field]),
    );
    const schema = { openAPIV3Schema: { type: 'object', properties } };
    const spec = { group: 'a', versions: [{ name: 'v1', served: true, storage: true, schema }] };
    const document = { metadata: { name: 'a' }, spec };
    const steps = conformSteps(kind.schema, document);
    let parts = 0;
    while (steps.next().done !== true) parts += 1;
    assert.ok(parts >= 9, `${parts} parts`);
    compare(kind.schema, document);
  });
});
