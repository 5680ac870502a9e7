/**
 * Rules over data that were stored before their schema, and have other types than it says: what has
 * no value is an error for whoever looks at it, and only there. Each row is what the reference was
 * seen to answer to an update that leaves the data as they are.
 */
import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import { customWrites } from './custom-writes.ts';

const whole = { type: 'integer' };
const text = { type: 'string' };
const pair = { type: 'object', properties: { a: whole, b: text } };

const listOf = (items: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'array',
  maxItems: 10,
  items,
  ...more,
});

const integers = listOf(whole);
const integerSet = listOf(whole, { 'x-kubernetes-list-type': 'set' });
const pairs = listOf(pair);
const keyed = listOf(
  { ...pair, required: ['b'] },
  { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['b'] },
);
const integerMap = { type: 'object', maxProperties: 5, additionalProperties: whole };

/** What a rule comes to: it holds, it does not, or why it cannot be told. */
function outcomeOf(rule: string, schema: JsonObject, data: JsonValue, next: JsonValue): string {
  const writes = customWrites();
  const part = {
    type: 'object',
    properties: { f: schema, more: text },
    'x-kubernetes-validations': [{ rule }],
  };
  const causes = writes.define({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'xs.ill.example.org' },
    spec: {
      group: 'ill.example.org',
      scope: 'Cluster',
      names: { plural: 'xs', kind: 'X' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { part } } },
        },
      ],
    },
  });
  deepEqual(causes, []);
  const thing = (value: JsonObject): JsonObject => ({
    apiVersion: 'ill.example.org/v1',
    kind: 'X',
    metadata: { name: 'a', resourceVersion: '1', uid: 'u' },
    part: value,
  });
  // Another member changes, so that what the rule says is no mere warning.
  const answer = writes.write(thing({ f: next, more: 'x' }), thing({ f: data }), false);
  const said = (answer.causes ?? []).map(({ message }) => message).join('; ');
  if (said === '') return 'true';
  if (said === `Invalid value: failed rule: ${rule}`) return 'false';
  return said.replace('Invalid value: "object": ', '').replace(` evaluating rule: ${rule}`, '');
}

type Row = readonly [rule: string, outcome: string];
interface Table {
  readonly schema: JsonObject;
  readonly data: JsonValue;
  /** What is written; as stored when left out. */
  readonly next?: JsonValue;
  readonly rows: readonly Row[];
}

const noInt = 'invalid data, expected int, got string';
const noOverload = (call: string, rule: string): string =>
  `'no such overload: ${call}(list)': call arguments did not match a supported operator, ` +
  `function or macro signature for rule: ${rule}`;

const tables: Readonly<Record<string, Table>> = {
  'an entry without a value is passed over where another one decides': {
    schema: integers,
    data: ['x', 2, 3],
    rows: [
      ['self.f.exists(x, x > 1)', 'true'],
      ['self.f.all(x, x > 1)', noInt],
      ['self.f.all(x, x > 2)', 'false'],
      ['self.f.exists(x, x > 9)', noInt],
      ['self.f.exists_one(x, x > 2)', noInt],
      ['self.f.all(x, true)', 'true'],
      ['self.f.all(x, x > 1 || true)', 'true'],
      ['self.f.all(i, x, i < 9)', 'true'],
      ['self.f.exists(i, x, x > 2)', 'true'],
      ['self.f.map(x, 1).size() == 3', 'true'],
      ['self.f.map(x, x).size() == 3', noInt],
      ['self.f.filter(x, x > 1).size() == 2', noInt],
      ['self.f.transformList(i, x, i).size() == 3', 'true'],
      ['2 in self.f', 'true'],
      ['9 in self.f', noInt],
      ['(self.f + [7]).exists(x, x == 7)', 'true'],
      ['self.f[1] == 2', 'true'],
      ['self.f[0] == 2', noInt],
    ],
  },
  'functions over a list with an entry without a value': {
    schema: integers,
    data: ['x', 2, 3],
    rows: [
      ['sets.contains(self.f, [2])', 'true'],
      ['sets.contains(self.f, [9])', noInt],
      ['sets.contains([1, 2, 3], self.f)', 'false'],
      ['sets.intersects(self.f, [2])', 'true'],
      ['sets.intersects(self.f, [9])', 'false'],
      ['sets.intersects([9], self.f)', 'false'],
      ['self.f.indexOf(2) == 1', 'true'],
      ['self.f.indexOf(9) == -1', 'true'],
      ['self.f.lastIndexOf(3) == 2', 'true'],
      ['self.f.sum() > 1', noOverload('sum', 'self.f.sum() > 1')],
      ['self.f.max() > 1', noOverload('max', 'self.f.max() > 1')],
      ['self.f.min() > 1', noOverload('min', 'self.f.min() > 1')],
      ['self.f.isSorted()', noOverload('isSorted', 'self.f.isSorted()')],
    ],
  },
  'functions that meet the entry without a value after others': {
    schema: integers,
    data: [1, 2, 'x'],
    rows: [
      ['self.f.sum() > 1', noInt],
      ['self.f.isSorted()', noInt],
      ['self.f == [1, 2, 3]', noInt],
      ['[1, 2, 3] == self.f', 'false'],
      ['self.f == [7, 2, 3]', 'false'],
    ],
  },
  'texts that are none are named by join': {
    schema: listOf(text),
    data: ['x', 5],
    rows: [
      ['self.f.join(",") == "x"', 'join: invalid input: invalid data, expected string, got int64'],
      ['self.f.exists(x, x.startsWith("x"))', 'true'],
    ],
  },
  'members of entries': {
    schema: pairs,
    data: [{ a: 'x' }, { a: 2, b: 'z' }],
    rows: [
      ['self.f.exists(x, x.a > 1)', 'true'],
      ['self.f.all(x, x.a > 1)', noInt],
      ['self.f.exists(x, has(x.b))', 'true'],
      ['self.f.indexOf(self.f[1]) == 1', 'true'],
      ['self.f != self.f', 'true'],
    ],
  },
  'values of maps': {
    schema: integerMap,
    data: { a: 'x', b: 2 },
    rows: [
      ['self.f.exists(k, self.f[k] > 1)', 'true'],
      ['self.f.exists(k, v, v > 1)', 'true'],
      ['self.f.all(k, v, v > 1)', noInt],
      ['"b" in self.f', 'true'],
      ['"a" in self.f', noInt],
      ['self.f.transformMap(k, v, 1).size() == 2', 'true'],
      ['self.f == {"c": 1, "d": 2}', 'false'],
    ],
  },
  'an old value of another type is not equal to a scalar': {
    schema: whole,
    data: 'x',
    next: 1,
    rows: [
      ['has(oldSelf.f) || true', 'true'],
      ['self.f == oldSelf.f', noInt],
      ['self == oldSelf', 'false'],
      ['self != oldSelf', 'true'],
    ],
  },
  'old entries of another type': {
    schema: integers,
    data: ['x', 2, 3],
    next: [1, 2, 3],
    rows: [
      ['self.f == oldSelf.f', 'false'],
      ['oldSelf.f == self.f', noInt],
      ['oldSelf.f.exists(x, x in self.f)', 'true'],
      ['self.f.exists(x, x in oldSelf.f)', 'true'],
      ['self.f.all(x, x in oldSelf.f)', noInt],
    ],
  },
  'old entries with keys of another type are not found': {
    schema: keyed,
    data: [
      { a: 1, b: 9 },
      { a: 2, b: 'z' },
    ],
    next: [
      { a: 1, b: 'y' },
      { a: 2, b: 'z' },
    ],
    rows: [
      ['self.f == oldSelf.f', 'false'],
      ['oldSelf.f == self.f', 'false'],
    ],
  },
  'a set of which one entry has no value': {
    schema: integerSet,
    data: ['x', 2, 3],
    rows: [
      ['(self.f + [7]).exists(x, x == 7)', 'true'],
      ['self.f == self.f', 'false'],
      ['2 in self.f', 'true'],
    ],
  },
};

for (const [what, { data, next = data, rows, schema }] of Object.entries(tables)) {
  test(`rules over data of another type than their schema: ${what}`, () => {
    const found = rows.map(([rule]): Row => [rule, outcomeOf(rule, schema, data, next)]);
    deepEqual(found, rows);
  });
}

test('a literal is compared with a set or a list with keys in the order of both', () => {
  const pairsOfKeys: JsonValue = [
    { a: 1, b: 'x' },
    { a: 2, b: 'y' },
  ];
  const rows: readonly (readonly [JsonObject, JsonValue, string, string])[] = [
    [integerSet, [1, 2], '[2, 1] == self.f', 'false'],
    [integerSet, [1, 2], 'self.f == [2, 1]', 'true'],
    [integerSet, [1, 2], '[1, 2] == self.f', 'true'],
    [integerSet, [1, 2], '[[2, 1]] == [self.f]', 'false'],
    [integerSet, [1, 2], '[self.f] == [[2, 1]]', 'true'],
    [integerSet, [1, 2], '[2, 1] in [self.f]', 'false'],
    [integerSet, [1, 2], 'self.f in [[2, 1]]', 'true'],
    [integerSet, [1, 2], '[[2, 1]].indexOf(self.f) == 0', 'false'],
    [keyed, pairsOfKeys, '[self.f[1], self.f[0]] == self.f', 'false'],
    [keyed, pairsOfKeys, 'self.f == [self.f[1], self.f[0]]', 'true'],
  ];
  const found = rows.map(([schema, data, rule]) => outcomeOf(rule, schema, data, data));
  deepEqual(
    found,
    rows.map(([, , , outcome]) => outcome),
  );
});
