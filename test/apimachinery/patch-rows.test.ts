// Rows of our own for the two patches that have RFCs: what a clone without the shared vectors has.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { jsonPatchSteps, readJsonPatch } from '../../src/apimachinery/patch/json-patch.ts';
import { applyMergePatch } from '../../src/apimachinery/patch/merge-patch.ts';
import type { JsonValue } from '../../src/apimachinery/unstructured.ts';
import { finished } from '../../src/stdx/stepwise.ts';

const parse = (text: string): JsonValue => JSON.parse(text) as JsonValue;

function patched(document: string, patch: string): JsonValue | undefined {
  const read = readJsonPatch(parse(patch));
  if (read.kind === 'refused') return undefined;
  const result = finished(jsonPatchSteps(parse(document), read.patch));
  return result.kind === 'ok' ? result.value : undefined;
}

describe('a JSON Patch', () => {
  const rows: readonly (readonly [document: string, patch: string, result: string])[] = [
    ['{"a":1}', '[{"op":"add","path":"/b","value":2}]', '{"a":1,"b":2}'],
    ['{"a":1}', '[{"op":"add","path":"/a","value":null}]', '{"a":null}'],
    ['[1,3]', '[{"op":"add","path":"/1","value":2}]', '[1,2,3]'],
    ['[1]', '[{"op":"add","path":"/-","value":[2]}]', '[1,[2]]'],
    ['[1]', '[{"op":"add","path":"/1","value":2}]', '[1,2]'],
    ['{"a":{"b":1}}', '[{"op":"add","path":"","value":7}]', '7'],
    ['{"a":1,"b":2}', '[{"op":"remove","path":"/a"}]', '{"b":2}'],
    ['[1,2,3]', '[{"op":"remove","path":"/1"}]', '[1,3]'],
    ['{"a":1}', '[{"op":"replace","path":"/a","value":{"b":2}}]', '{"a":{"b":2}}'],
    ['{"a/b":1,"c~d":2}', '[{"op":"remove","path":"/a~1b"}]', '{"c~d":2}'],
    ['{"c~d":2,"~1":3}', '[{"op":"remove","path":"/c~0d"}]', '{"~1":3}'],
    ['{"~1":3}', '[{"op":"remove","path":"/~01"}]', '{}'],
    ['{"":1}', '[{"op":"replace","path":"/","value":2}]', '{"":2}'],
    ['{"a":[1,2]}', '[{"op":"move","from":"/a/0","path":"/b"}]', '{"a":[2],"b":1}'],
    ['{"a":{"b":1}}', '[{"op":"copy","from":"/a","path":"/c"}]', '{"a":{"b":1},"c":{"b":1}}'],
    ['{"a":{"b":[1]}}', '[{"op":"test","path":"/a","value":{"b":[1]}}]', '{"a":{"b":[1]}}'],
    ['{}', '[]', '{}'],
  ];
  for (const [document, patch, result] of rows) {
    it(`${document} with ${patch} is ${result}`, () =>
      assert.deepEqual(patched(document, patch), parse(result)));
  }

  const refused: readonly (readonly [document: string, patch: string])[] = [
    ['{"a":1}', '[{"op":"remove","path":"/b"}]'],
    ['{"a":1}', '[{"op":"add","path":"/b/c","value":1}]'],
    ['[1]', '[{"op":"add","path":"/2","value":1}]'],
    ['[1]', '[{"op":"add","path":"/01","value":1}]'],
    ['[1]', '[{"op":"remove","path":"/-"}]'],
    ['{"a":1}', '[{"op":"test","path":"/a","value":"1"}]'],
    ['{"a":1}', '[{"op":"add","path":"/b","value":1},{"op":"test","path":"/b","value":2}]'],
    ['{"a":{"b":1}}', '[{"op":"move","from":"/a","path":"/a/b"}]'],
    ['{}', '[{"op":"none","path":"/a"}]'],
    ['{}', '[{"op":"add","path":"a","value":1}]'],
    ['{}', '[{"op":"add","path":"/a"}]'],
    ['{}', '{"op":"add","path":"/a","value":1}'],
  ];
  for (const [document, patch] of refused) {
    it(`${patch} is refused on ${document}`, () =>
      assert.equal(patched(document, patch), undefined));
  }
});

describe('a merge patch', () => {
  const rows: readonly (readonly [target: string, patch: string, result: string])[] = [
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":"b"}', '{"c":null}', '{"a":"b"}'],
    ['{"a":{"b":{"c":1,"d":2}}}', '{"a":{"b":{"c":null,"e":3}}}', '{"a":{"b":{"d":2,"e":3}}}'],
    ['{"a":[1,2]}', '{"a":[3]}', '{"a":[3]}'],
    ['{"a":[{"b":1}]}', '{"a":[null]}', '{"a":[null]}'],
    ['{"a":"b"}', '{"a":{"b":null,"c":1}}', '{"a":{"c":1}}'],
    ['{"a":{"b":1}}', '{"a":"text"}', '{"a":"text"}'],
    ['{"a":1}', '{}', '{"a":1}'],
  ];
  for (const [target, patch, result] of rows) {
    it(`${target} with ${patch} is ${result}`, () =>
      assert.deepEqual(applyMergePatch(parse(target), parse(patch)), parse(result)));
  }
});
