import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Environment } from '../../src/cel/cel.ts';
import type { SizedNode, SizeEstimate } from '../../src/cel/cost.ts';
import { costTables } from '../../src/cel/cost-tables.ts';
import { createEnvironment } from '../../src/cel/environment.ts';
import { bindings } from '../../src/cel/library/bindings.ts';
import { twoVariableComprehensions } from '../../src/cel/library/two-variable-comprehensions.ts';
import {
  boolType,
  doubleType,
  intType,
  listType,
  mapType,
  stringType,
} from '../../src/cel/type.ts';
import { Double } from '../../src/cel/value.ts';

const variables = [
  { name: 'i', type: intType },
  { name: 's', type: stringType },
  { name: 'b', type: boolType },
  { name: 'd', type: doubleType },
  { name: 'l', type: listType(intType) },
  { name: 'm', type: mapType(stringType, intType) },
];

const environments: readonly Environment[] = (['svc', 'kubernetes'] as const).map((table) =>
  createEnvironment({
    costs: costTables[table],
    libraries: [bindings, twoVariableComprehensions(32)],
    variables,
    optionals: true,
  }),
);

/** Well-typed expressions. `x` is an int that a macro around them declares. */
const { int, bool, text, list } = fc.letrec<Record<'int' | 'bool' | 'text' | 'list', string>>(
  (tie) => {
    const of = (name: 'int' | 'bool' | 'text' | 'list'): fc.Arbitrary<string> => tie(name);
    const row = (...parts: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string[]> =>
      fc.tuple(...parts);
    const anyInt = of('int');
    const anyBool = of('bool');
    const anyText = of('text');
    const anyList = of('list');
    return {
      int: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom('i', 'x', '0', '-3', '9007199254740993', '2', 'l[0]', "m['k']", 'm.k'),
        row(anyInt, fc.constantFrom('+', '-', '*', '/', '%'), anyInt).map(
          ([a, op, b]) => `(${a} ${op} ${b})`,
        ),
        anyList.map((l) => `size(${l})`),
        anyText.map((s) => `${s}.size()`),
        row(anyBool, anyInt, anyInt).map(([c, a, b]) => `(${c} ? ${a} : ${b})`),
        row(anyInt, anyInt).map(([a, b]) => `cel.bind(x, ${a}, ${b} + x)`),
      ),
      bool: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom('b', 'true', 'has(m.k)', '(d < 1.5)', "('k' in m)"),
        row(anyInt, fc.constantFrom('<', '<=', '==', '!=', '>', '>='), anyInt).map(
          ([a, op, b]) => `(${a} ${op} ${b})`,
        ),
        row(anyText, fc.constantFrom('<', '==', '>='), anyText).map(
          ([a, op, b]) => `(${a} ${op} ${b})`,
        ),
        row(anyBool, fc.constantFrom('&&', '||'), anyBool).map(([a, op, b]) => `(${a} ${op} ${b})`),
        anyBool.map((a) => `!${a}`),
        row(anyInt, anyList).map(([a, l]) => `(${a} in ${l})`),
        row(anyText, anyText).map(([a, b]) => `${a}.contains(${b})`),
        row(anyText, anyText).map(([a, b]) => `${a}.startsWith(${b})`),
        row(anyList, fc.constantFrom('all', 'exists', 'exists_one'), anyBool).map(
          ([l, macro, p]) => `${l}.${macro}(x, ${p})`,
        ),
        row(anyList, anyBool).map(([l, p]) => `${l}.all(k, x, ${p} || k > x)`),
        row(anyList, anyList).map(([a, b]) => `(${a} == ${b})`),
      ),
      text: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom('s', "'a'", "'é😁'", "''"),
        row(anyText, anyText).map(([a, b]) => `(${a} + ${b})`),
        anyInt.map((a) => `string(${a})`),
        row(anyBool, anyText, anyText).map(([c, a, b]) => `(${c} ? ${a} : ${b})`),
      ),
      list: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom('l', '[1, 2]', '[3]'),
        row(anyInt, anyInt).map(([a, b]) => `[${a}, ${b}]`),
        row(anyList, anyList).map(([a, b]) => `(${a} + ${b})`),
        row(anyList, anyInt).map(([l, f]) => `${l}.map(x, ${f})`),
        row(anyList, anyBool).map(([l, p]) => `${l}.filter(x, ${p})`),
        row(anyList, anyInt).map(([l, f]) => `${l}.transformList(k, x, ${f} + k)`),
      ),
    };
  },
);

/** What a schema would say of the variables. */
const bounds: Readonly<Record<string, SizeEstimate>> = {
  s: { min: 0, max: 12 },
  l: { min: 0, max: 4 },
  m: { min: 0, max: 3 },
};

const hints = ({ path }: SizedNode): SizeEstimate | undefined =>
  path?.length === 1 ? bounds[path[0] as string] : undefined;

const data = fc.record({
  i: fc.maxSafeInteger(),
  s: fc.string({ unit: 'binary', maxLength: 12 }),
  b: fc.boolean(),
  d: fc.double().map((d) => new Double(d)),
  l: fc.array(fc.integer(), { maxLength: 4 }),
  m: fc.dictionary(fc.constantFrom('k', 'constructor', '__proto__'), fc.integer()),
});

const runs = {
  numRuns: Number(process.env['SLUICE_CEL_RUNS'] ?? 300),
  seed: Number(process.env['SLUICE_CEL_SEED'] ?? 1),
};

// A name that no macro declares is an int of the data.
const closed = (expr: string): string => `cel.bind(x, i, ${expr})`;

describe('expressions that pass the check', () => {
  for (const [n, environment] of environments.entries()) {
    const table = n === 0 ? 'svc' : 'kubernetes';
    test(`never fail with a type, cost the same each time, and no more than estimated (${table})`, () => {
      fc.assert(
        fc.property(fc.oneof(bool, int, text, list).map(closed), data, (expr, bound) => {
          const { ast, text: wrong } = environment.compile(expr);
          assert.equal(wrong, undefined, expr);
          const program = environment.program(ast, { foldConstants: false });
          const outcome = program.evaluate(bound);
          if (outcome.kind === 'error') assert.doesNotMatch(outcome.message, /no such overload/);
          const again = program.evaluate(bound);
          assert.deepEqual([again.kind, again.cost], [outcome.kind, outcome.cost]);
          if (outcome.kind !== 'value') return;
          const { min, max } = environment.estimate(ast, hints);
          assert.ok(outcome.cost <= max, `${outcome.cost} is above ${max}: ${expr}`);
          // Prices of equality start at the size that is not empty; an empty one costs nothing.
          assert.ok(min <= max);
          const folded = environment.program(ast).evaluate(bound);
          assert.deepEqual(show(folded), show(outcome), expr);
          assert.ok(folded.cost <= outcome.cost, expr);
        }),
        runs,
      );
    });
  }

  test('print to text that compiles to the same value and cost', async () => {
    const { unparse } = await import('./unparse.ts');
    const environment = environments[1]!;
    fc.assert(
      fc.property(fc.oneof(bool, int, text, list).map(closed), data, (expr, bound) => {
        const printed = unparse(environment.parse(expr).ast!);
        const [first, second] = [expr, printed].map((source) => {
          const outcome = environment.program(environment.compile(source).ast!).evaluate(bound);
          return [show(outcome), outcome.cost];
        });
        assert.deepEqual(second, first, printed);
      }),
      runs,
    );
  });
});

const show = (outcome: object): string =>
  JSON.stringify({ ...outcome, cost: 0 }, (_key, part: unknown) => {
    if (typeof part === 'bigint') return `${part}n`;
    return part instanceof Object && 'get' in part && 'size' in part ? elements(part) : part;
  });

function elements(list: object): unknown[] {
  const { size, get } = list as { size(): number; get(i: number): unknown };
  return Array.from({ length: size.call(list) }, (_, i) => get.call(list, i));
}
