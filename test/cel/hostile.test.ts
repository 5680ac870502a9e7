import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Ast, Expr } from '../../src/cel/ast.ts';
import type { Environment } from '../../src/cel/cel.ts';
import { compileExpression } from './evaluation.ts';
import { costTables } from '../../src/cel/cost-tables.ts';
import { createEnvironment } from '../../src/cel/environment.ts';
import { bindings } from '../../src/cel/library/bindings.ts';
import { quantityLibrary } from '../../src/cel/library/quantity-library.ts';
import { regexLibrary } from '../../src/cel/library/regex-library.ts';
import { twoVariableComprehensions } from '../../src/cel/library/two-variable-comprehensions.ts';
import { unparse } from './unparse.ts';
import { dynType } from '../../src/cel/type.ts';
import { seededPrng } from '../../src/stdx/prng.ts';
import { mutated, seeds } from './mutation.ts';

const names = ['self', 'object', 'a', 'c', 'x', 'now'];
const environment: Environment = createEnvironment({
  costs: costTables.kubernetes,
  libraries: [bindings, regexLibrary, twoVariableComprehensions(32)],
  variables: names.map((name) => ({ name, type: dynType })),
  optionals: true,
  escapedIdentifiers: true,
  crossTypeComparisons: true,
  validateLiterals: true,
});

/** Without ids, which count what was written. */
const shape = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, part: unknown) => {
      if (key === 'id') return undefined;
      return typeof part === 'bigint' ? `${part}n` : part;
    }),
  );

function assertPrintsBack(ast: Ast): void {
  const printed = unparse(ast);
  const again = environment.parse(printed);
  assert.equal(again.text, undefined, printed);
  assert.deepEqual(shape(again.ast.expr), shape(ast.expr), printed);
}

const data = {
  self: { replicas: 2, maxReplicas: 3, name: 'a', b: { c: 1 }, list: [{ name: 'ab' }], a: 'é' },
  object: { spec: { containers: [{ name: 'n', image: 'abc' }] } },
  a: [[1, 2], [3]],
  c: { k: 'v' },
  x: 1.5,
  now: 5,
};

function tryOut(text: string): void {
  const parsed = environment.parse(text);
  if (parsed.ast === undefined) {
    assert.ok(parsed.issues.length > 0 && parsed.text.startsWith('ERROR: '), text);
    return;
  }
  assertPrintsBack(parsed.ast);
  const outcomes = [environment.program(parsed.ast).evaluate(data, { budget: 10_000 })];
  const checked = environment.check(parsed.ast);
  if (checked.ast !== undefined) {
    const { min, max } = environment.estimate(checked.ast);
    assert.ok(min >= 0 && max >= min);
    const program = environment.program(checked.ast);
    const first = program.evaluate(data, { budget: 10_000 });
    assert.equal(program.evaluate(data, { budget: 10_000 }).cost, first.cost);
    outcomes.push(first);
  }
  for (const outcome of outcomes) {
    assert.ok(['value', 'error', 'budget-exceeded', 'unknown'].includes(outcome.kind));
  }
}

describe('no text stops the room', () => {
  test('expressions with mistakes are refused or run, and print back', () => {
    const prng = seededPrng(Number(process.env['SLUICE_CEL_SEED'] ?? 1));
    seeds.forEach(tryOut);
    const runs = Number(process.env['SLUICE_CEL_MUTATIONS'] ?? 2000);
    for (let i = 0; i < runs; i += 1) {
      const text = mutated(prng);
      try {
        tryOut(text);
      } catch (error) {
        throw new Error(`for ${JSON.stringify(text)}`, { cause: error });
      }
    }
  });

  const refusals: readonly (readonly [what: string, text: string, message: RegExp])[] = [
    ['longer than the limit', `'${'a'.repeat(100_001)}'`, /code point size exceeds limit/],
    ['10,000 nested parentheses', '('.repeat(10_000) + ')'.repeat(10_000), /recursion limit/],
    ['10,000 nested lists', '['.repeat(10_000) + ']'.repeat(10_000), /recursion limit/],
    ['10,000 nested maps', '{1:'.repeat(10_000), /recursion limit/],
    ['10,000 selections', `self${'.a'.repeat(10_000)}`, /max recursion depth/],
    ['10,000 comparisons', `1${' < 1'.repeat(10_000)}`, /max recursion depth/],
    ['10,000 conditionals', 'true ? 1 : '.repeat(8_000), /recursion limit/],
    ['nested negative numbers', '-1['.repeat(20_000), /recursion limit|no viable|Syntax/],
    ['100,000 quotes', '"'.repeat(99_999), /Syntax error/],
    ['100,000 unknown characters', '\u0001'.repeat(99_999), /Syntax error/],
    ['100,000 brackets that close nothing', ')'.repeat(99_999), /Syntax error/],
    ['half of a surrogate pair', "'a' + \ud800", /token recognition error/],
    ['an int of 90,000 digits', '9'.repeat(90_000), /invalid int literal/],
    ['a double of 90,000 digits', `${'9'.repeat(90_000)}.0`, /invalid double literal/],
    [
      'patterns that are long when they are written out',
      `'a'.matches('${'(x{9}){9}{9}'.repeat(99)}')`,
      /invalid matches argument/,
    ],
    [
      'macros that copy their arguments again and again',
      `optional.of(1)${'.optMap(x, x)'.repeat(60)}`,
      /more than 5176 nodes/,
    ],
  ];
  for (const [what, text, message] of refusals) {
    test(`a clear error for ${what}`, () => {
      const { text: shown } = environment.compile(text);
      assert.match(shown ?? 'compiled', message);
      assert.ok((shown as string).length < 200_000);
    });
  }

  test('patterns are read before an expression runs', () => {
    for (const text of [`'a'.find('${'x{1000}'.repeat(1400)}')`, "'a'.findAll('(')"]) {
      const compiled = compileExpression(environment, text);
      assert.ok(compiled.kind === 'invalid', text);
      assert.match(compiled.problem, /^program instantiation failed: /);
    }
  });

  test('long chains that do not nest are accepted', () => {
    for (const operator of ['&&', '||']) {
      const text = Array.from({ length: 10_000 }, () => 'true').join(operator);
      const { ast } = environment.compile(text);
      const outcome = environment.program(ast!).evaluate({});
      assert.deepEqual([outcome.kind, outcome.cost], ['value', 0]);
    }
  });
});

describe('an evaluation ends when its budget does', () => {
  const million = Array.from({ length: 1_000_000 }, (_, i) => i);
  const bombs: readonly string[] = [
    'l.all(a, l.all(b, l.all(c, a + b + c >= 0)))',
    'l.map(a, l.map(b, a))',
    'l.filter(a, l.exists(b, b < 0))',
    'l.exists_one(a, l.exists_one(b, a == b))',
    'l.all(a, a in l)',
    'l.all(a, [l] == [l])',
    'l.all(a, s.contains(s))',
    "l.all(a, !s.matches('(a*)*b'))",
    'l.all(a, s + s == s + s)',
    'l.transformMap(k, v, l.size() + v)',
    `${'cel.bind(l, l + l, '.repeat(60)}l == l${')'.repeat(60)}`,
    `${'cel.bind(l, [l, l], '.repeat(60)}l == l${')'.repeat(60)}`,
  ];
  for (const bomb of bombs) {
    test(bomb.slice(0, 60), () => {
      const typed = environment.extend({
        variables: ['l', 's'].map((name) => ({ name, type: dynType })),
      });
      const compiled = typed.compile(bomb);
      assert.equal(compiled.text, undefined);
      const bound = { l: million, s: 'a'.repeat(100_000) };
      const outcome = typed.program(compiled.ast).evaluate(bound, { budget: 1_000_000 });
      assert.equal(outcome.kind, 'budget-exceeded');
    });
  }
});

test('texts that are nearly amounts, numbers and durations are read once', () => {
  const typed = environment.extend({ libraries: [quantityLibrary] });
  const pieces = ['1', '1.', 's000', '0s', '1m', '.', '+'];
  const texts = pieces.flatMap((piece) => ['x', ''].map((end) => piece.repeat(200_000) + end));
  for (const function_ of ['duration', 'double', 'int', 'timestamp', 'quantity', 'isQuantity']) {
    const program = typed.program(typed.compile(`dyn(${function_}(string(x))) == 1`).ast!);
    for (const x of texts) {
      const before = process.cpuUsage().user;
      const outcome = program.evaluate({ x: `1.${x}` });
      assert.ok(outcome.kind === 'error' || outcome.kind === 'value');
      assert.ok(process.cpuUsage().user - before < 1e6, `${function_} of ${x.slice(0, 9)}`);
    }
  }
});

test('a text that would not fit is an error', () => {
  const doubled = `${'cel.bind(x, x + x, '.repeat(30)}x.size()${')'.repeat(30)}`;
  const outcome = environment.program(environment.compile(doubled).ast!).evaluate({
    x: 'a'.repeat(100_000),
  });
  assert.equal(outcome.kind === 'error' && outcome.message, 'string too long');
});

test('trees of the seeds print back', () => {
  for (const text of seeds) assertPrintsBack(environment.parse(text).ast!);
  const kept: Expr = environment.parse('a.all(x, x > 1)').ast!.expr;
  assert.equal(kept.kind, 'comprehension');
});
