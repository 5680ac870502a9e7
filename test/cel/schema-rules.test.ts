/**
 * Rules over data of schemas against the reference's own tests: values, errors and costs.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { costTables } from '../../src/cel/cost-tables.ts';
import { createLanguage } from '../../src/cel/language.ts';
import type { CompiledRule } from '../../src/cel/schema/schema-rules.ts';
import { compileRules } from '../../src/cel/schema/schema-rules.ts';
import { schemaType } from '../../src/cel/schema/schema-type.ts';
import type { SchemaType } from '../../src/cel/schema/schema-type.ts';
import { schemaValue } from '../../src/cel/schema/schema-value.ts';
import type { Schema } from '../../src/cel/schema/schema.ts';
import { finished } from '../../src/stdx/stepwise.ts';
import { sharedVectors } from './shared-vectors.ts';

const language = createLanguage({ release: 33, costs: costTables.kubernetes });

interface CostRow {
  readonly name: string;
  readonly schema: Schema;
  readonly obj: unknown;
  readonly expectCost: Readonly<Record<string, number>>;
}

/** The reference's test says so in its code. */
const isResource = (name: string): boolean => name.startsWith('typemeta and objectmeta access');

/** What came after release 1.33. */
const isLater = (name: string): boolean => name.startsWith('ext lists version 3');

interface CostVectors {
  readonly runtime: readonly CostRow[];
  readonly estimated: readonly CostRow[];
  readonly costEstimation: readonly {
    readonly name: string;
    readonly schema: RuledSchema;
    readonly schemaWithLimit?: RuledSchema;
    readonly expectedCalcCost?: number;
    readonly expectCalcCostExceedsLimit?: number;
    readonly expectedSetCost: number;
    readonly setMaxElements: number;
  }[];
}

type RuledSchema = Schema & {
  readonly 'x-kubernetes-validations'?: readonly { readonly rule: string }[];
};

const costs = sharedVectors<CostVectors>('crd-cel/cost-cases.json');

function typeOf(schema: Schema, resource = false): SchemaType {
  const type = schemaType(schema, { name: 'selfType', resource });
  assert.ok(type !== undefined, 'the schema has a type');
  return type;
}

function compile(rule: string, type: SchemaType): CompiledRule {
  const [compiled] = finished(compileRules([{ rule }], type, language, () => true));
  assert.ok(compiled !== undefined);
  return compiled;
}

function run(rule: string, type: SchemaType, data: unknown, old?: unknown) {
  const { rule: compiled } = compile(rule, type);
  assert.ok(compiled?.kind === 'ok', compiled?.kind === 'invalid' ? compiled.problem : 'blank');
  return compiled.expression.program.evaluate({
    self: () => schemaValue(data, type),
    oldSelf: () => (old === undefined || old === null ? undefined : schemaValue(old, type)),
  });
}

describe('costs at run time', () => {
  for (const { name, schema, obj, expectCost } of costs?.runtime ?? []) {
    if (isLater(name)) continue;
    for (const [rule, cost] of Object.entries(expectCost)) {
      test(`${name}: ${rule}`, () => {
        const outcome = run(rule, typeOf(schema, isResource(name)), obj);
        assert.equal(outcome.kind, 'value', 'message' in outcome ? outcome.message : '');
        assert.equal(outcome.cost, cost);
      });
    }
  }
});

describe('estimated costs', () => {
  for (const { name, schema, expectCost } of costs?.estimated ?? []) {
    if (isLater(name)) continue;
    for (const [rule, cost] of Object.entries(expectCost)) {
      test(`${name}: ${rule}`, () => {
        const compiled = compile(rule, typeOf(schema, isResource(name)));
        const { rule: expression } = compiled;
        assert.equal(
          expression?.kind,
          'ok',
          expression?.kind === 'invalid' ? expression.problem : '',
        );
        // Figures beyond 2^53 are as near as a double comes.
        assert.equal(compiled.maxCost, Number(cost));
      });
    }
  }
});

describe('estimates from the bounds of a schema', () => {
  for (const row of costs?.costEstimation ?? []) {
    const costOf = (schema: RuledSchema): number => {
      const rule = schema['x-kubernetes-validations']?.[0]?.rule ?? '';
      const { maxCost, rule: compiled } = compile(rule, typeOf(schema));
      assert.ok(compiled?.kind === 'ok', compiled?.kind === 'invalid' ? compiled.problem : '');
      return maxCost;
    };
    test(row.name, () => {
      const { schemaWithLimit, expectedCalcCost, expectCalcCostExceedsLimit } = row;
      const cost = costOf(row.schema);
      // 0 stands for a figure that the reference's test does not look at.
      if ((expectedCalcCost ?? 0) > 0) assert.equal(cost, expectedCalcCost);
      if (expectCalcCostExceedsLimit !== undefined) assert.ok(cost > expectCalcCostExceedsLimit);
      if (schemaWithLimit !== undefined && row.expectedSetCost > 0) {
        assert.equal(costOf(schemaWithLimit), row.expectedSetCost);
      }
    });
  }
});

interface Refusal {
  readonly code: number;
  readonly causes?: readonly { readonly message: string }[];
}

interface RuleRow {
  readonly name: string;
  readonly schema: Schema;
  readonly obj: unknown;
  readonly oldObj?: unknown;
  readonly valid: readonly string[] | null;
  readonly errors: Readonly<Record<string, string>> | null;
  /** What the reference's server says, where it is not what its test says. */
  readonly reference?: Readonly<
    Record<string, { readonly crd: Refusal; readonly object?: Refusal | undefined }>
  >;
  readonly isRoot?: boolean;
  readonly expectSkipped?: boolean;
}

const rules = sharedVectors<{ readonly expressions: readonly RuleRow[] }>(
  'crd-cel/validation-cases.json',
);

/** A schema that is refused for another reason says nothing of the rule. */
function checkRefused(rule: string, type: SchemaType, { causes = [] }: Refusal): void {
  // The reference gives the type another number each time.
  const wanted = causes
    .map(({ message }) => message.replace(/selfType\d+/g, 'selfType'))
    .find((text) => text.includes('compilation'));
  if (wanted === undefined) return;
  const { rule: compiled } = compile(rule, type);
  assert.ok(compiled?.kind === 'invalid', 'it compiles');
  assert.ok(wanted.endsWith(compiled.problem), `${compiled.problem} for ${wanted}`);
}

describe('rules over data', () => {
  for (const row of rules?.expressions ?? []) {
    if (isLater(row.name)) continue;
    const type = (): SchemaType => typeOf(row.schema, row.isRoot);
    for (const rule of row.valid ?? []) {
      const { crd } = row.reference?.[rule] ?? {};
      if (crd?.code === 422) {
        test(`${row.name}: ${rule} is refused`, () => {
          checkRefused(rule, type(), crd);
        });
        continue;
      }
      test(`${row.name}: ${rule} holds`, () => {
        if (row.expectSkipped === true) {
          assert.ok(compile(rule, type()).usesOldSelf);
          return;
        }
        const outcome = run(rule, type(), row.obj, row.oldObj);
        assert.ok(outcome.kind === 'value', 'message' in outcome ? outcome.message : outcome.kind);
        assert.equal(outcome.value, true);
      });
    }
    for (const [rule, error] of Object.entries(row.errors ?? {})) {
      test(`${row.name}: ${rule} fails`, () => {
        const { rule: compiled } = compile(rule, type());
        const { crd } = row.reference?.[rule] ?? {};
        if (crd?.code === 422) return checkRefused(rule, type(), crd);
        if (compiled?.kind === 'invalid') {
          assert.ok(compiled.problem.includes(error), compiled.problem);
          return;
        }
        const outcome = run(rule, type(), row.obj, row.oldObj);
        const message =
          outcome.kind === 'value'
            ? outcome.value === false
              ? 'failed rule'
              : String(outcome.value)
            : 'message' in outcome
              ? outcome.message
              : outcome.kind;
        assert.ok(message.includes(error) || error.includes(message), `${message} for ${error}`);
      });
    }
  }
});

interface CompilationRow {
  readonly name: string;
  readonly schema: RuledSchema;
  readonly expectPerRule: readonly {
    readonly invalidError?: string;
    readonly messageExpressionError?: string;
    readonly transitionRule?: boolean;
  }[];
}

const compilations = sharedVectors<{ readonly compilation: readonly CompilationRow[] }>(
  'crd-cel/cost-cases.json',
);

describe('what is wrong with rules', () => {
  for (const { name, schema, expectPerRule } of compilations?.compilation ?? []) {
    test(name, () => {
      const given = schema['x-kubernetes-validations'] ?? [];
      const compiled = finished(compileRules(given, typeOf(schema), language, () => false));
      for (const [at, expected] of expectPerRule.entries()) {
        const { message, rule, usesOldSelf } = compiled[at] as CompiledRule;
        const { invalidError, messageExpressionError, transitionRule } = expected;
        if (invalidError !== undefined) {
          assert.ok(rule?.kind === 'invalid');
          assert.ok(rule.problem.includes(invalidError), rule.problem);
        } else assert.notEqual(rule?.kind, 'invalid');
        if (messageExpressionError !== undefined) {
          assert.ok(message?.kind === 'invalid');
          assert.ok(message.problem.includes(messageExpressionError), message.problem);
        }
        if (transitionRule === true) assert.ok(usesOldSelf);
      }
    });
  }
});
