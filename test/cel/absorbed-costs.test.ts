/**
 * What an evaluation costs in which an error is absorbed by `&&`, `||` or a macro made of them, or
 * in which something optional is not there: what was reached, and nothing else. The figures are
 * those of the reference's own libraries (apiserver of 1.33 with cel-go 0.23).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dynType } from '../../src/cel/type.ts';
import type { Value } from '../../src/cel/value.ts';
import { testLanguage } from '../support/data/expression-language.ts';

const variablesOf = (length: number): Record<string, Value> => ({
  self: {
    name: 'abcdefghijklmnop',
    b: { c: 1 },
    list: Array.from({ length }, (_none, at) => at + 1),
    m: { k: 'v' },
  },
  now: 5,
});
const small = variablesOf(3);

const environment = testLanguage.forStored({
  variables: Object.keys(small).map((name) => ({ name, type: dynType })),
});

const costOf = (rule: string, variables: Record<string, Value>): number => {
  const { ast, text } = environment.compile(rule);
  assert.ok(ast !== undefined, text);
  const outcome = environment.program(ast).evaluate(variables);
  assert.equal(outcome.kind, 'value', `${rule}: ${JSON.stringify(outcome)}`);
  return outcome.cost;
};

const rows: readonly (readonly [rule: string, cost: number])[] = [
  ['true || self.nope == 1', 0],
  ['self.nope == 1 || true', 3],
  ['self.nope.a.b.c == 1 || true', 3],
  ['self.b.nope == 1 || self.b.c == 1', 8],
  ['self.nope == 1 && false', 3],
  ['self.nope > 1 && false', 3],
  ['1 / (now - 5) == 1 || true', 4],
  ['self.list[700] == 1 || true', 4],
  ['self.list[now + 900].x.y == 1 || true', 6],
  ["self.m['z'] == 'v' || true", 4],
  ['(self.nope + self.name).size() > 3 || true', 7],
  ['self.name.startsWith(self.nope) || true', 5],
  ['(self.nope == 1 || self.nope == 2) || true', 6],
  ['has(self.nope.x) || true', 1],
  ["self.nope.startsWith('a') || self.name == 'abcdefghijklmnop'", 7],
  ['(self.nope == self.name + self.name) || true', 8],
  ['self.name.matches(self.nope) || true', 6],
  ['!(self.nope) || true', 3],
  ['(self.nope ? 1 : 2) == 1 || true', 3],
  ["{'a': self.nope} == {'a': 1} || true", 33],
  ['self.nope.exists(x, x == 1) || true', 2],
  ['self.list.map(i, i / (i - 2)).size() == 1 || true', 53],
  ['int(self.name) == 1 || true', 4],
  ['self.nope == 1 || self.list.exists(i, i == 3)', 24],
  ['self.list.exists(i, i == 3) || self.nope == 1', 21],
  ['now in self.nope || true', 4],
  ['self.nope in [1, 2, 3] || true', 2],
  ['self.list.exists(i, i / (i - 2) == 3)', 30],
  ['self.list.all(i, i / 0 > 1 && false)', 11],
  ['self.?nope.orValue(1) == 1', 2],
  ['self.?nope.?a.?b.hasValue() || true', 2],
  ['self.?b.?nope.orValue(2) == 2', 3],
  ["self.?b[?'c'].orValue(2) == 1", 4],
  ['self.b[?self.name].hasValue() || true', 4],
  ['has(self.?b.c) && true', 2],
  ['has(self.?nope.c) || true', 0],
  ['(has(self.nope) ? self : self.b).c == 1', 4],
  ['self.list[(has(self.nope) ? self.b : self.b).c] == 2', 7],
  ['self.list.filter(i, i / (i - 2) > 0).size() == 1 || true', 33],
  ['self.list.map(i, i > 1, i / (i - 2)).size() == 1 || true', 43],
  ['self.list.exists_one(i, i / (i - 2) > 1) || true', 21],
  ['self.m.transformMap(k, v, self.nope).size() == 1 || true', 10],
  ["'x'.replace(self.nope, 'b') == 'x' || true", 3],
  ["'x'.replace('x', self.nope) == 'x' || true", 4],
  ["self.nope.replace('x', self.name) == 'x' || true", 3],
  ["self.nope.join(self.name) == 'x' || true", 6],
  ["[self.name].join(self.nope) == 'x' || true", 16],
  ["quantity(self.name).add(self.nope) == quantity('1') || true", 6],
  ["cidr('10.0.0.0/8').containsIP('zz') || true", 3],
  ["matches(self.nope, 'a.*b') || true", 2],
  ['now in [] || true', 0],
  ['self.nope in [] || true', 0],
  ["bytes(self.name) == b'' || true", 3],
  ['self.nope + 1 == 2 || 1 + self.nope == 2 || true', 8],
  ["'' == self.nope || true", 2],
  ["self.nope < 'a' || 'a' < self.nope || true", 6],
];

for (const [rule, cost] of rows) {
  test(`${rule} costs ${cost}`, () => {
    assert.equal(costOf(rule, small), cost);
    assert.equal(costOf(rule, small), cost, 'the second time');
    // A longer list costs more only where it is gone through, there as here.
    if (!/\(i,|list\[/.test(rule)) assert.equal(costOf(rule, variablesOf(300)), cost);
  });
}
