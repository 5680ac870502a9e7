/** Evaluation in parts: the same outcome as whole, and parts that are bounded. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Outcome, Program } from '../../src/cel/cel.ts';
import { costTables } from '../../src/cel/cost-tables.ts';
import { createEnvironment } from '../../src/cel/environment.ts';
import { compileSteps, evaluateInTurns, nothingSpent } from '../../src/cel/expression.ts';
import { bindings } from '../../src/cel/library/bindings.ts';
import { listsLibrary } from '../../src/cel/library/lists-library.ts';
import { twoVariableComprehensions } from '../../src/cel/library/two-variable-comprehensions.ts';
import { dynType } from '../../src/cel/type.ts';
import { ListValue, MapValue, OptionalValue } from '../../src/cel/value.ts';
import { systemClock, systemTimers } from '../../src/stdx/clock.ts';
import { finished } from '../../src/stdx/stepwise.ts';
import { createTurns } from '../../src/stdx/turns.ts';
import type { Turns } from '../../src/stdx/turns.ts';

const names = ['l', 'm', 's', 'bad'];
const environment = createEnvironment({
  costs: costTables.kubernetes,
  libraries: [bindings, listsLibrary, twoVariableComprehensions(32)],
  variables: names.map((name) => ({ name, type: dynType })),
  optionals: true,
  crossTypeComparisons: true,
});

const numbers = Array.from({ length: 400 }, (_none, i) => i);
const data = {
  l: numbers,
  m: Object.fromEntries(numbers.map((i) => [`k${i}`, { n: i }])),
  s: 'text',
  bad: { of: 'another type' },
};

function programOf(text: string): Program {
  const { ast, text: wrong } = environment.compile(text);
  assert.equal(wrong, undefined, text);
  return environment.program(ast);
}

/** Values as data, so that lists and maps of any make compare. */
function plain(value: unknown): unknown {
  if (value instanceof ListValue) {
    return Array.from({ length: value.size() }, (_none, i) => plain(value.get(i)));
  }
  if (value instanceof MapValue) {
    return Array.from(value.keys(), (key) => [plain(key), plain(value.find(key))]);
  }
  if (value instanceof OptionalValue) return { optional: plain(value.value) };
  return Array.isArray(value) ? value.map(plain) : value;
}

const shown = (outcome: Outcome): unknown =>
  outcome.kind === 'value' ? { ...outcome, value: plain(outcome.value) } : outcome;

/** Its parts, and what it comes to. */
function inParts(program: Program, budget: number): { parts: number; outcome: Outcome } {
  const evaluation = program.begin(data, { budget });
  for (let parts = 1; ; parts += 1) {
    const outcome = evaluation.next();
    if (outcome !== undefined) return { parts, outcome };
    assert.ok(parts < 10_000, 'it ends');
  }
}

/** Long enough to be more than one part, in every kind of node that can have a loop in it. */
const quantified = 'l.all(a, l.exists(b, a == b))';
const long: readonly string[] = [
  quantified,
  `!${quantified}`,
  `${quantified} && ${quantified}`,
  `bad.nothing || ${quantified}`,
  `${quantified} || bad.nothing`,
  `bad.nothing && ${quantified}`,
  `l.all(a, bad.nothing) && ${quantified}`,
  `${quantified} ? 'yes' : 'no'`,
  `s == 'text' ? ${quantified} : false`,
  'l.map(a, l.filter(b, b < a).size())',
  'l.map(a, l.exists_one(b, b == a), a)',
  'l.filter(a, l.exists_one(b, b == a)).size() > 3',
  'l.filter(a, l.map(b, b)[a] == a).map(a, a + 1)[7] - l.map(b, l.map(c, c).size()).size()',
  '[l.map(a, l.map(b, a)).size(), 2, s.size()]',
  '{l.map(a, l.map(b, a)).size(): l.map(a, l.map(b, a))[3][2]}',
  'm.map(k, m.all(j, j != k || m[j].n == m[k].n))',
  'm.transformList(k, v, l.all(a, a >= v.n || a < v.n))',
  'm.transformMap(k, v, l.all(a, a >= v.n || a < v.n))[s + s]',
  'cel.bind(x, l.map(a, l.map(b, a + b)), x.size() + x[3].size())',
  `cel.bind(x, l.map(a, l.map(b, b / (398 - a))), ${quantified} && (s != '' || x == []))`,
  'cel.bind(x, l.map(a, l.map(b, b / (398 - a))), x)',
  'l.map(a, l.map(b, a + b)).map(c, c.sum()).max() in [1, 319200]',
  'l.exists(a, l.all(b, b < 1000) && a == 399)',
  'l.all(a, l.all(b, a / (b - b) == 1))',
  'optional.of(l.map(a, l.map(b, a)).size()).orValue(3)',
  'optional.none().orValue(l.map(a, l.map(b, a)).size())',
  'm.?k3.optMap(x, l.map(a, l.map(b, x.n)).size())',
  'l.map(a, l.all(b, [a, b] == [b, a] || {s: a} != {s: b}))',
];

describe('an evaluation in parts', () => {
  for (const text of long) {
    test(`comes to what it comes to as a whole: ${text}`, () => {
      const program = programOf(text);
      const whole = program.evaluate(data, { budget: 10_000_000 });
      const { outcome, parts } = inParts(program, 10_000_000);
      assert.ok(parts > 2, `${parts} parts`);
      assert.deepEqual(shown(outcome), shown(whole));
    });
  }

  test('ends where its budget ends, whichever part that is in', () => {
    const program = programOf(quantified);
    for (let budget = 10; budget < 400_000; budget = budget * 3 + 7) {
      const whole = program.evaluate(data, { budget });
      assert.equal(whole.kind, 'budget-exceeded');
      assert.deepEqual(inParts(program, budget).outcome, whole);
    }
  });

  test('does no more in one part the more there is to do', () => {
    const budgets = [100_000, 400_000, 1_600_000];
    const parts = budgets.map((budget) => {
      const bomb = programOf('l.all(a, l.all(b, l.all(c, a + b + c >= 0)))');
      return inParts(bomb, budget).parts;
    });
    for (const [at, budget] of budgets.entries()) {
      // A part is 20,000 units and one turn of the innermost loop.
      assert.ok(Math.abs((parts[at] as number) - budget / 20_000) <= 3, String(parts));
    }
  });

  test('is over at once when it is short', () => {
    for (const text of ["s == 'text'", 'l[3] == 3', 'l.all(a, a >= 0)', 'bad.nothing']) {
      assert.equal(inParts(programOf(text), 10_000).parts, 1, text);
    }
  });

  test('works on nested values in parts, and ends when that is too much', () => {
    const nested = { l: numbers.map(() => numbers), m: {}, s: '', bad: {} };
    const evaluation = programOf('l.all(a, l.all(b, [a, l] == [b, l]))').begin(nested, {});
    let parts = 0;
    let outcome: Outcome | undefined;
    while (outcome === undefined) {
      outcome = evaluation.next();
      parts += 1;
    }
    assert.match(outcome.kind === 'budget-exceeded' ? outcome.message : '', /too much work/);
    assert.ok(parts > 3, `${parts} parts`);
  });

  test('leaves room for others between its parts, and for others like it', async () => {
    const turns = createTurns({ clock: systemClock, timers: systemTimers });
    const program = programOf('l.all(a, l.all(b, l.all(c, a + b + c >= 0)))');
    const budget = 300_000;
    const made = { program, unmadeChars: 0 };
    const at = evaluateInTurns({ ...made, program: programOf('s.size()') }, data, {}, turns);
    assert.deepEqual(at, { kind: 'value', value: 4, cost: 2 });
    const running = [1, 2, 3].map(() => evaluateInTurns(made, data, { budget }, turns));
    assert.ok(running.every((one) => one instanceof Promise));
    const whole = program.evaluate(data, { budget });
    assert.deepEqual(await Promise.all(running), [whole, whole, whole]);
  });

  test('makes the programs of many small expressions in several turns', async () => {
    const expressions = Array.from({ length: 200 }, (_none, i) => {
      const compiled = finished(compileSteps(environment, `s != 'text ${i}' && l.size() < 1${i}`));
      return compiled.kind === 'ok' ? compiled.expression : assert.fail(compiled.problem);
    });
    let asked = 0;
    const turns: Pick<Turns, 'run'> = {
      run(step) {
        asked += 1;
        while (step(() => true) === true);
      },
    };
    for (const first of [true, false]) {
      const spent = nothingSpent();
      asked = 0;
      for (const each of expressions) {
        assert.equal(each.unmadeChars > 0, first);
        const outcome = await evaluateInTurns(each, data, {}, turns, spent);
        assert.equal(outcome.kind, 'value');
      }
      assert.ok(first ? asked >= 15 : asked <= 2, `${asked} turns`);
    }
  });
});
