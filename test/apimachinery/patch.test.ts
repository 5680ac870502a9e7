/** The three patch formats against vectors, and what they refuse. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { bodyDepthMax } from '../../src/apimachinery/codecs/body-bounds.ts';
import { decodeJson } from '../../src/apimachinery/codecs/json.ts';
import { jsonPatchSteps, readJsonPatch } from '../../src/apimachinery/patch/json-patch.ts';
import { applyMergePatch } from '../../src/apimachinery/patch/merge-patch.ts';
import { patchLimits } from '../../src/apimachinery/patch/patch-result.ts';
import type { Patched } from '../../src/apimachinery/patch/patch-result.ts';
import { noRules } from '../../src/apimachinery/patch/strategic-schema.ts';
import type { StrategicSchema } from '../../src/apimachinery/patch/strategic-schema.ts';
import type { JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import { finished } from '../../src/stdx/stepwise.ts';
import { readCorpus } from '../support/data/corpora.ts';
import { applyStrategicMergePatch } from '../support/checks/strategic-merge.ts';

interface JsonPatchRow {
  readonly comment?: string;
  readonly doc: JsonValue;
  readonly patch: JsonValue;
  readonly expected?: JsonValue;
  readonly error?: string;
  readonly disabled?: boolean;
}

function jsonPatch(document: JsonValue, body: JsonValue): Patched {
  const read = readJsonPatch(body);
  return read.kind === 'refused' ? read : finished(jsonPatchSteps(document, read.patch));
}

describe('JSON Patch vectors', () => {
  for (const file of ['tests.json', 'spec_tests.json']) {
    for (const [index, row] of readCorpus<JsonPatchRow[]>(`json-patch/${file}`).entries()) {
      const title = `${file} ${index}: ${row.comment ?? row.error ?? JSON.stringify(row.patch)}`;
      if (row.disabled === true) {
        test(title, { skip: 'the vectors themselves mark this row as disabled' }, () => undefined);
        continue;
      }
      test(title, () => {
        const before = structuredClone(row.doc);
        const result = jsonPatch(row.doc, row.patch);
        assert.deepEqual(row.doc, before, 'the document is not changed');
        if (row.error !== undefined) {
          assert.equal(result.kind, 'refused', inspect(result));
          return;
        }
        assert.equal(result.kind, 'ok', inspect(result));
        if (row.expected !== undefined) assert.deepEqual(value(result), row.expected);
      });
    }
  }
});

test('a JSON Patch beyond the number of operations is refused before anything is applied', () => {
  const operation = { op: 'add', path: '/a', value: 1 };
  const many = new Array<typeof operation>(patchLimits.operationsMax + 1).fill(operation);
  const read = readJsonPatch(many);
  assert.ok(read.kind === 'refused' && read.why === 'too-large', JSON.stringify(read).slice(0, 99));
  assert.equal(readJsonPatch(many.slice(1)).kind, 'ok');
});

test('copies that double a value again and again stop at the limit', () => {
  const doubling = (count: number): JsonValue =>
    new Array(count).fill(0).flatMap((_, i) => [{ op: 'copy', from: '/a', path: `/a/${i}` }]);
  const refused = jsonPatch({ a: { text: 'x'.repeat(100) } }, doubling(40));
  assert.ok(refused.kind === 'refused' && /copies more than/.test(refused.problem));
  assert.equal(jsonPatch({ a: { text: 'x' } }, doubling(5)).kind, 'ok');
});

test('small values that are copied into themselves again and again are counted, too', () => {
  const data = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, 1]));
  const operations = Array.from({ length: 20 }, (_, i) => ({
    op: 'copy',
    from: '/data',
    path: `/data/copy${i}`,
  }));
  const refused = jsonPatch({ data }, operations);
  assert.ok(refused.kind === 'refused');
  assert.match(refused.problem, /^operation 2 copies more than 25000 values$/);
  assert.equal(jsonPatch({ data }, operations.slice(0, 2)).kind, 'ok');
});

test('a pointer has 256 segments at most, and what a patch makes as many levels as a body', () => {
  const problemOf = (document: JsonValue, ...operations: JsonObject[]): string => {
    const made = jsonPatch(document, operations);
    return made.kind === 'refused' ? made.problem.replace(/^operation .*?: /, '') : '';
  };
  const nested = (levels: number): JsonValue => (levels === 0 ? 1 : { a: nested(levels - 1) });
  const { depthMax } = patchLimits;
  for (const member of ['path', 'from']) {
    const copy = { op: 'copy', path: '/b', from: '/b' };
    const isRefused = (segments: number): boolean =>
      problemOf(nested(1), { ...copy, [member]: '/a'.repeat(segments) }).includes(
        `has more than ${depthMax} segments`,
      );
    assert.deepEqual([depthMax, depthMax + 1].map(isRefused), [false, true], member);
  }
  const tooDeep = `the result nests deeper than ${bodyDepthMax} levels`;
  for (const [levels, problem] of [
    [bodyDepthMax - 1, ''],
    [bodyDepthMax, tooDeep],
  ] as const) {
    const value = nested(levels);
    assert.equal(problemOf({}, { op: 'add', path: '/a', value }), problem);
    assert.equal(problemOf({ a: 1 }, { op: 'replace', path: '/a', value }), problem);
    const copy = { op: 'copy', from: '/deep', path: '/b/c' };
    assert.equal(problemOf({ deep: nested(levels - 1), b: {} }, copy), problem);
  }
});

test('a pointer through the prototype leads to a key of the document or nowhere', () => {
  for (const path of ['/__proto__/polluted', '/constructor/prototype/polluted']) {
    assert.equal(jsonPatch({}, [{ op: 'add', path, value: 1 }]).kind, 'refused');
  }
  for (const key of ['__proto__', 'constructor']) {
    assert.equal(jsonPatch({}, [{ op: 'remove', path: `/${key}` }]).kind, 'refused');
    const added = jsonPatch({}, [
      { op: 'add', path: `/${key}`, value: {} },
      { op: 'add', path: `/${key}/polluted`, value: 1 },
    ]);
    assert.equal(JSON.stringify(value(added)), `{"${key}":{"polluted":1}}`);
  }
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
});

test('a long pointer names the same key as a short one', () => {
  for (const [written, key] of [
    ['~1', '/'],
    ['~0', '~'],
    ['~01', '~1'],
    ['\u00e9~1\ud83d\ude00~0\ud800', '\u00e9/\ud83d\ude00~\ud800'],
  ] as const) {
    for (const times of [1, 1_000]) {
      const path = `/${written.repeat(times)}`;
      const added = value(jsonPatch({}, [{ op: 'add', path, value: 1 }]));
      assert.deepEqual(Object.keys(added as JsonObject), [key.repeat(times)]);
    }
  }
});

test('moves of a large value again and again stop at the limit', () => {
  const document = { a: 'x'.repeat(1_000_000) };
  const moves = (count: number): JsonValue =>
    new Array(count).fill(0).map((_, i) => {
      const [from, path] = i % 2 === 0 ? ['/a', '/b'] : ['/b', '/a'];
      return { op: 'move', from, path };
    });
  assert.equal(jsonPatch(document, moves(3)).kind, 'ok');
  const refused = jsonPatch(document, moves(4));
  assert.ok(refused.kind === 'refused' && /moves more than/.test(refused.problem));
});

test('test compares integers beyond 2^53 digit by digit', () => {
  const document = { n: 9007199254740993n };
  const same = [{ op: 'test', path: '/n', value: 9007199254740993n }];
  const other = [{ op: 'test', path: '/n', value: 9007199254740992n }];
  assert.equal(jsonPatch(document, same).kind, 'ok');
  assert.equal(jsonPatch(document, other).kind, 'refused');
});

test('a pointer that leads nowhere says where it ends', () => {
  const document = { spec: { list: [1] } };
  const rows: readonly (readonly [JsonValue, RegExp])[] = [
    [{ op: 'replace', path: '/spec/list/x', value: 1 }, /"x" is no index/],
    [{ op: 'replace', path: '/spec/list/-', value: 1 }, /"-" is no index/],
    [{ op: 'remove', path: '/spec/list/1' }, /index 1 is out of bounds/],
    [{ op: 'add', path: '/spec/list/3', value: 1 }, /index 3 is out of bounds/],
    [{ op: 'remove', path: '/spec/absent' }, /does not exist/],
    [{ op: 'add', path: '/absent/a', value: 1 }, /does not exist/],
  ];
  for (const [operation, expected] of rows) {
    const result = jsonPatch(document, [operation]);
    assert.ok(result.kind === 'refused' && result.why === 'inapplicable');
    assert.match(result.problem, expected);
  }
});

interface MergePatchCorpus {
  readonly rfc7396: readonly { target: string; patch: string; expected: string }[];
  readonly replaceNonObjects: readonly { doc: string; pat: string; res: string }[];
  readonly nilArray: readonly { original: string; patch: string; res: string }[];
  readonly mergeMergePatches: readonly { demonstrates: string; p1: string; p2: string }[];
}

describe('JSON merge patch vectors', () => {
  const corpus = readCorpus<MergePatchCorpus>('json-merge-patch/rfc7396-evanphx.json');
  const rows = [
    ...corpus.rfc7396.map(({ target, patch, expected }) => [target, patch, expected] as const),
    ...corpus.replaceNonObjects.map(({ doc, pat, res }) => [doc, pat, res] as const),
    ...corpus.nilArray.map(({ original, patch, res }) => [original, patch, res] as const),
  ];
  for (const [target, patch, expected] of rows) {
    test(`${target} + ${patch}`, () => {
      const merged = applyMergePatch(
        JSON.parse(target) as JsonValue,
        JSON.parse(patch) as JsonValue,
      );
      assert.deepEqual(merged, JSON.parse(expected));
    });
  }
  test('leaves null members of objects in lists out, and the nulls that are items in', () => {
    const patch = { a: [{ b: null, c: [{ d: null }, null] }, null, 1], e: { f: null } };
    assert.deepEqual(applyMergePatch({}, patch), { a: [{ c: [{}, null] }, null, 1], e: {} });
    assert.deepEqual(applyMergePatch({ a: ['x'] }, { a: [{ b: null }] }), { a: [{}] });
    assert.deepEqual(applyMergePatch({ a: { x: 1 } }, { a: [{ b: null }] }), { a: [{ b: null }] });
    assert.deepEqual(patch.a[0], { b: null, c: [{ d: null }, null] }, 'the patch is not changed');
  });
  for (const { demonstrates } of corpus.mergeMergePatches) {
    const skip = 'two patches made into one is for clients; a server applies one patch';
    test(`merging of patches: ${demonstrates}`, { skip }, () => undefined);
  }
});

interface StrategicRow {
  readonly name: string;
  readonly schema: string;
  readonly original?: JsonObject;
  readonly patch?: JsonObject;
  readonly expected?: JsonObject;
  readonly originalText?: string;
  readonly patchText?: string;
  readonly expectedText?: string;
  readonly error?: string;
}

describe('strategic merge patch vectors', () => {
  const { apply } = readCorpus<{ apply: StrategicRow[] }>('strategic-merge-patch/cases.json');
  for (const [index, row] of apply.entries()) {
    test(`${index} ${row.name}`, () => {
      const result = strategic(row);
      if (row.error !== undefined) {
        assert.equal(result.kind, 'refused', inspect(result));
        return;
      }
      assert.equal(result.kind, 'ok', inspect(result));
      assert.deepEqual(value(result), row.expected ?? lossless(row.expectedText ?? ''));
    });
  }
});

function strategic(row: StrategicRow): Patched {
  const original = row.original ?? lossless(row.originalText ?? '{}');
  const patch = row.patch ?? decoded(row.patchText ?? '{}');
  if (patch === undefined) return { kind: 'refused', why: 'malformed', problem: 'not JSON' };
  return applyStrategicMergePatch(original as JsonObject, patch as JsonObject, swagger(row.schema));
}

function decoded(text: string): JsonValue | undefined {
  const result = decodeJson(Buffer.from(text));
  return result.kind === 'value' ? result.value : undefined;
}

function lossless(text: string): JsonValue {
  const found = decoded(text);
  assert.ok(found !== undefined, text);
  return found;
}

interface SwaggerSchema {
  readonly $ref?: string;
  readonly allOf?: readonly SwaggerSchema[];
  readonly properties?: Readonly<Record<string, SwaggerSchema>>;
  readonly items?: SwaggerSchema;
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
}

interface SwaggerDocument {
  readonly components: { readonly schemas: Readonly<Record<string, SwaggerSchema>> };
}

const swaggerTypes: Readonly<Record<string, SwaggerSchema>> = Object.assign(
  {},
  ...['swagger-merge-item-v3.json', 'swagger-precision-item-v3.json'].map((file) => {
    const document = readCorpus<SwaggerDocument>(`strategic-merge-patch/${file}`);
    return document.components.schemas;
  }),
) as Record<string, SwaggerSchema>;

function swagger(name: string): StrategicSchema {
  const type = swaggerTypes[name];
  assert.ok(type !== undefined, `no schema ${name}`);
  return rulesOf(type);
}

function rulesOf(type: SwaggerSchema): StrategicSchema {
  const { $ref, allOf, items } = type;
  if ($ref !== undefined) return swagger($ref.slice($ref.lastIndexOf('/') + 1));
  if (allOf?.[0] !== undefined) return rulesOf(allOf[0]);
  if (items !== undefined) return rulesOf(items);
  return (field) => {
    const found = type.properties?.[field];
    if (found === undefined) return noRules(field);
    return {
      strategies: (found['x-kubernetes-patch-strategy'] ?? '').split(',').filter((s) => s !== ''),
      mergeKey: found['x-kubernetes-patch-merge-key'],
      inside: (inner) => rulesOf(found)(inner),
    };
  };
}

function value(result: Patched): JsonValue {
  assert.equal(result.kind, 'ok');
  return (result as { value: JsonValue }).value;
}
