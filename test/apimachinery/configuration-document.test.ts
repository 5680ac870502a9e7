import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  durationMs,
  listOfTexts,
  oneOf,
  openDocument,
  trueOrFalse,
  unknownField,
  unknownFields,
} from '../../src/apimachinery/configuration-document.ts';
import type { JsonValue } from '../../src/apimachinery/unstructured.ts';

const opened: readonly (readonly [string, readonly string[], string | undefined])[] = [
  ['apiVersion: g/v1\nkind: Kind\n', ['g/v1'], undefined],
  ['{"apiVersion": "g/v2", "kind": "Kind"}', ['g/v1', 'g/v2'], undefined],
  ['a: [', ['g/v1'], 'not valid YAML: did not find the expected content at line 1, column 5'],
  ['- a', ['g/v1'], 'not an object'],
  ['kind: Kind', ['g/v1'], 'apiVersion: g/v1 expected'],
  ['apiVersion: 1\nkind: Kind', ['g/v1', 'g/v2'], 'apiVersion: one of g/v1, g/v2 expected'],
  ['apiVersion: g/v1\nkind: Other', ['g/v1'], 'kind: Kind expected'],
];

test('a document opens only in a known version and as its kind', () => {
  for (const [text, versions, problem] of opened) {
    const found = openDocument(Buffer.from(text), versions, 'Kind');
    assert.equal(found.kind === 'ok' ? undefined : found.problem, problem, text);
  }
});

type Read = (value: JsonValue | undefined, path: string, problems: string[]) => unknown;
const texts: Read = (f, path, problems) => listOfTexts({ f }, 'f', path, problems);
const flag: Read = (f, path, problems) => trueOrFalse({ f }, 'f', path, problems);
const choice: Read = (f, path, problems) => oneOf({ f }, 'f', ['A', 'B'], path, problems);
const time: Read = (f, path, problems) => durationMs({ f }, 'f', '5s', path, problems);

const read: readonly (readonly [Read, JsonValue | undefined, unknown, string | undefined])[] = [
  [texts, undefined, [], undefined],
  [texts, ['a'], ['a'], undefined],
  [texts, ['a', 1], [], 'f: a list of strings expected'],
  [texts, 'a', [], 'f: a list of strings expected'],
  [flag, undefined, undefined, undefined],
  [flag, false, false, undefined],
  [flag, 'true', undefined, 'f: true or false expected'],
  [choice, 'B', 'B', undefined],
  [choice, undefined, 'A', 'f: one of A, B is required'],
  [choice, 'C', 'A', 'f: one of A, B is required'],
  [time, undefined, 5000, undefined],
  [time, '1m', 60_000, undefined],
  [time, '', 0, undefined],
  [time, 5, 0, 'f: not a duration (as 5m0s)'],
  [time, 'soon', 0, 'f: not a duration (as 5m0s)'],
];

test('what a field may not hold is a problem with its place, and reads as harmless', () => {
  for (const path of ['', 'list[1]']) {
    for (const [reader, value, expected, problem] of read) {
      const problems: string[] = [];
      assert.deepEqual(reader(value, path, problems), expected, String(value));
      const place = path === '' ? '' : `${path}.`;
      assert.deepEqual(problems, problem === undefined ? [] : [place + problem]);
    }
  }
});

test('each field that is not known is a problem', () => {
  const problems: string[] = [];
  unknownFields({ a: 1, b: 2, c: 3 }, ['b'], 'list[0]', problems);
  assert.deepEqual(problems, ['list[0].a: unknown field', 'list[0].c: unknown field']);
  assert.equal(unknownField({ a: 1, b: 2, c: 3 }, ['a']), 'b');
  assert.equal(unknownField({ a: 1 }, ['a']), undefined);
});
