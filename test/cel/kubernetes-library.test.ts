/**
 * The libraries against the reference's own tests: what calls give, and what they cost.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { costTables } from '../../src/cel/cost-tables.ts';
import type { SizeHints } from '../../src/cel/cost.ts';
import { createEnvironment } from '../../src/cel/environment.ts';
import { libraryReleases } from '../../src/cel/language.ts';
import { AuthorizerValue, authorizerType } from '../../src/cel/library/authorizer-library.ts';
import { equalityCost } from '../../src/cel/library/equality-costs.ts';
import { jsonPatchLibrary } from '../../src/cel/library/json-patch-library.ts';
import { Double, none, OpaqueValue, OptionalValue } from '../../src/cel/value.ts';
import type { Value } from '../../src/cel/value.ts';
import { sharedVectors } from './shared-vectors.ts';

const environment = createEnvironment({
  costs: { ...costTables.kubernetes, overloads: { equals: equalityCost } },
  optionals: true,
  crossTypeComparisons: true,
  variables: [{ name: 'authorizer', type: authorizerType }],
  libraries: [...libraryReleases.map(([, library]) => library), jsonPatchLibrary],
});
/** What the reference's tests say of data that nothing is known of. */
const sizes: SizeHints = ({ type }) =>
  type.kind === 'string' || type.kind === 'bytes' ? { min: 0, max: 12 } : undefined;
const authorizer = new AuthorizerValue(
  { answer: () => ({ allowed: true, reason: '', error: '' }) },
  undefined,
);

interface Vectors {
  readonly cost: readonly {
    readonly expr: string;
    readonly estimate: { readonly min: number; readonly max: number };
    readonly runtime: number;
  }[];
  readonly results: readonly {
    readonly expr: string;
    readonly expect: Readonly<Record<string, unknown>> | null;
    readonly compileErrors: readonly string[] | null;
    readonly runtimeError: string | null;
  }[];
}

const vectors = sharedVectors<Vectors>('cel-k8s-library/cases.json');

function evaluate(expr: string) {
  const compiled = environment.compile(expr);
  if (compiled.ast === undefined) return { text: compiled.text };
  const program = environment.program(compiled.ast, { foldConstants: false });
  return { ast: compiled.ast, outcome: program.evaluate({ authorizer }) };
}

describe('costs of library functions', () => {
  for (const { expr, estimate, runtime } of vectors?.cost ?? []) {
    test(expr, () => {
      const { ast, outcome, text } = evaluate(expr);
      assert.ok(ast !== undefined && outcome !== undefined, text);
      assert.deepEqual(environment.estimate(ast, sizes), estimate, 'estimate');
      assert.equal(outcome.cost, runtime, 'at run time');
    });
  }
});

describe('results of library functions', () => {
  for (const row of vectors?.results ?? []) {
    test(row.expr, () => {
      const { outcome, text } = evaluate(row.expr);
      if (row.compileErrors !== null) {
        for (const error of row.compileErrors) assert.match(text ?? '', new RegExp(error));
        return;
      }
      assert.ok(outcome !== undefined, text);
      if (row.runtimeError !== null) {
        assert.ok(outcome.kind === 'error', inspect(outcome));
        assert.ok(
          outcome.message.includes(row.runtimeError) ||
            new RegExp(row.runtimeError).test(outcome.message),
          outcome.message,
        );
        return;
      }
      assert.ok(outcome.kind === 'value', inspect(outcome));
      checkValue(outcome.value, row.expect ?? {});
    });
  }
});

function checkValue(value: Value, expected: Readonly<Record<string, unknown>>): void {
  const [kind, wanted] = Object.entries(expected)[0] ?? [];
  switch (kind) {
    case 'go':
      assert.ok(value instanceof OpaqueValue);
      break;
    case 'double':
      assert.ok(value instanceof Double);
      assert.equal(value.value, wanted);
      break;
    case 'optional':
      if (wanted === 'none') assert.equal(value, none);
      else assert.deepEqual(value instanceof OptionalValue ? value.value : value, wanted);
      break;
    default:
      assert.deepEqual(value, wanted);
  }
}
