/**
 * The three patch formats say the same where they can: what becomes of an object does not depend on
 * the words a client has for the change. SLUICE_PATCH_RUNS (default 1,000) sets how many are tried.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { jsonPatchSteps, readJsonPatch } from '../../src/apimachinery/patch/json-patch.ts';
import { applyMergePatch } from '../../src/apimachinery/patch/merge-patch.ts';
import type { Patched } from '../../src/apimachinery/patch/patch-result.ts';
import { noRules } from '../../src/apimachinery/patch/strategic-schema.ts';
import type { JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import { isJsonObject } from '../../src/apimachinery/unstructured.ts';
import { finished } from '../../src/stdx/stepwise.ts';
import { applyStrategicMergePatch } from '../support/checks/strategic-merge.ts';

const many = { numRuns: Number(process.env['SLUICE_PATCH_RUNS'] ?? 1000) };

// Few names, so that documents and patches meet; one that pointers have to escape.
const name = fc.constantFrom('a', 'b', 'c', 'a/b', '~', '');
const scalar = fc.constantFrom<JsonValue>('x', 'y', '', 0, 1, true, false);

interface Values {
  readonly value: JsonValue;
  readonly object: JsonObject;
  readonly patch: JsonObject;
}

const values = fc.letrec<Values>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ) as fc.Arbitrary<JsonValue>,
  object: fc.dictionary(name, tie('value'), {
    maxKeys: 4,
    noNullPrototype: true,
  }) as fc.Arbitrary<JsonObject>,
  patch: fc.dictionary(
    name,
    fc.oneof({ depthSize: 'small' }, fc.constant(null), tie('value'), tie('patch')),
    { maxKeys: 4, noNullPrototype: true },
  ) as fc.Arbitrary<JsonObject>,
}));

function patched(result: Patched): JsonValue {
  assert.equal(result.kind, 'ok', JSON.stringify(result));
  return (result as { value: JsonValue }).value;
}

/** The merge patch that makes `after` of `before`, neither of which has a null in it. */
function mergeDifference(before: JsonObject, after: JsonObject): JsonObject {
  const patch: Record<string, JsonValue | undefined> = {};
  for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) patch[key] = null;
  for (const [key, value] of Object.entries(after)) {
    const old = before[key] as JsonValue;
    patch[key] =
      isJsonObject(value) && isJsonObject(old ?? null)
        ? mergeDifference(old as JsonObject, value)
        : value;
  }
  return patch;
}

/** The JSON patch that does what this merge patch does to this document. */
function asOperations(document: JsonObject, patch: JsonObject, above = ''): JsonObject[] {
  return Object.entries(patch).flatMap(([key, value]): JsonObject[] => {
    const path = `${above}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const isThere = Object.hasOwn(document, key);
    if (value === null) return isThere ? [{ op: 'remove', path }] : [];
    const old = isThere ? (document[key] as JsonValue) : null;
    if (!isJsonObject(value)) return [{ op: 'add', path, value }];
    if (isJsonObject(old)) return asOperations(old, value, path);
    return [{ op: 'add', path, value: {} }, ...asOperations({}, value, path)];
  });
}

function byOperations(document: JsonObject, operations: readonly JsonObject[]): JsonValue {
  const read = readJsonPatch(operations);
  assert.equal(read.kind, 'ok');
  return patched(finished(jsonPatchSteps(document, read.patch)));
}

const byStrategy = (document: JsonObject, patch: JsonObject): JsonValue =>
  patched(applyStrategicMergePatch(document, patch, noRules));

describe('JSON, merge and strategic merge patches', () => {
  it('of a kind whose lists have no keys a strategic merge patch is a merge patch', () => {
    fc.assert(
      fc.property(values.object, values.patch, (document, patch) => {
        assert.deepEqual(byStrategy(document, patch), applyMergePatch(document, patch));
      }),
      many,
    );
  });

  it('a merge patch and the operations it stands for make the same of a document', () => {
    fc.assert(
      fc.property(values.object, values.patch, (document, patch) => {
        const merged = applyMergePatch(document, patch);
        assert.deepEqual(byOperations(document, asOperations(document, patch)), merged);
      }),
      many,
    );
  });

  it('the difference of two documents makes the one of the other, in each format', () => {
    fc.assert(
      fc.property(values.object, values.object, (before, after) => {
        const difference = mergeDifference(before, after);
        assert.deepEqual(applyMergePatch(before, difference), after);
        assert.deepEqual(byStrategy(before, difference), after);
        assert.deepEqual(byOperations(before, asOperations(before, difference)), after);
      }),
      many,
    );
  });

  it('a patch of each format that is applied again changes nothing more', () => {
    fc.assert(
      fc.property(values.object, values.patch, (document, patch) => {
        const merged = applyMergePatch(document, patch) as JsonObject;
        assert.deepEqual(applyMergePatch(merged, patch), merged);
        assert.deepEqual(byStrategy(merged, patch), merged);
        const added = asOperations(document, patch).filter(({ op }) => op === 'add');
        const once = byOperations(document, added) as JsonObject;
        const again = asOperations(once, patch).filter(({ op }) => op === 'add');
        assert.deepEqual(byOperations(once, again), once);
      }),
      many,
    );
  });
});
