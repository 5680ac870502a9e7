/**
 * What an evaluation costs in which an error is absorbed by `&&`, `||` or a macro made of them, or
 * in which something optional is not there: what was reached, and nothing else. The figures are
 * those of the reference's library (0.30).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { costTables } from '../../src/cel/cost-tables.ts';
import { createEnvironment } from '../../src/cel/environment.ts';
import { dynType } from '../../src/cel/type.ts';
import type { Value } from '../../src/cel/value.ts';

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

const environment = createEnvironment({
  costs: costTables.kubernetes,
  variables: Object.keys(small).map((name) => ({ name, type: dynType })),
  crossTypeComparisons: true,
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
  ['self.nope == 1 || true', 2],
  ['self.nope.a.b.c == 1 || true', 2],
  ['self.b.nope == 1 || self.b.c == 1', 7],
  ['self.nope == 1 && false', 2],
  ['self.nope > 1 && false', 2],
  ['1 / (now - 5) == 1 || true', 3],
  ['self.list[700] == 1 || true', 3],
  ['self.list[now + 900].x.y == 1 || true', 3],
  ["self.m['z'] == 'v' || true", 3],
  ['(self.nope + self.name).size() > 3 || true', 3],
  ['self.name.startsWith(self.nope) || true', 5],
  ['(self.nope == 1 || self.nope == 2) || true', 4],
  ['has(self.nope.x) || true', 1],
  ["self.nope.startsWith('a') || self.name == 'abcdefghijklmnop'", 6],
  ['(self.nope == self.name + self.name) || true', 2],
  ['self.name.matches(self.nope) || true', 6],
  ['!(self.nope) || true', 3],
  ['(self.nope ? 1 : 2) == 1 || true', 2],
  ['[self.nope, 1] == [1] || true', 12],
  ["{'a': self.nope} == {'a': 1} || true", 32],
  ['self.nope.exists(x, x == 1) || true', 2],
  ['self.list.map(i, i / (i - 2)).size() == 1 || true', 37],
  ['int(self.name) == 1 || true', 3],
  ['self.nope == 1 || self.list.exists(i, i == 3)', 23],
  ['self.list.exists(i, i == 3) || self.nope == 1', 21],
  ['now in self.nope || true', 4],
  ['self.nope in [1, 2, 3] || true', 2],
  ['self.list.exists(i, i / (i - 2) == 3)', 29],
  ['self.list.all(i, i / 0 > 1 && false)', 10],
];

for (const [rule, cost] of rows) {
  test(`${rule} costs ${cost}`, () => {
    assert.equal(costOf(rule, small), cost);
    assert.equal(costOf(rule, small), cost, 'the second time');
    // A longer list costs more only where it is gone through, there as here.
    if (!rule.includes('(i,')) assert.equal(costOf(rule, variablesOf(300)), cost);
  });
}
