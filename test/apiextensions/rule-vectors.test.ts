/**
 * Validation rules by vectors of the reference: rules that hold, fail and are refused; places of
 * rules; messages, reasons and paths; what has not changed; old values that may be missing.
 */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { formatFieldError } from '../../src/apimachinery/field-error.ts';
import type { JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import { correlate } from '../../src/apiextensions/validate/correlation.ts';
import { RulePlan } from '../../src/apiextensions/validate/rule-plan.ts';
import { runRules } from '../../src/apiextensions/validate/run-rules.ts';
import type { RulesOutcome } from '../../src/apiextensions/validate/run-rules.ts';
import { rulePath } from '../../src/apiextensions/schema/rule-path.ts';
import type { StructuralSchema } from '../../src/apiextensions/schema/structural-schema.ts';
import { finished } from '../../src/stdx/stepwise.ts';
import { testLanguage } from '../support/data/expression-language.ts';
import { sharedVectors } from '../cel/shared-vectors.ts';
import { customWrites, sortedCauses, writeDefinition } from './custom-writes.ts';
import type { Cause, RecordedAnswer } from './custom-writes.ts';

interface Answers {
  readonly crd: RecordedAnswer;
  readonly old?: RecordedAnswer;
  readonly object?: RecordedAnswer;
}

interface ExpressionRow {
  readonly name: string;
  readonly schema: JsonObject;
  readonly obj: JsonObject;
  readonly oldObj?: JsonObject | null;
  readonly isRoot?: boolean;
  readonly valid: readonly string[];
  readonly errors: Readonly<Record<string, string>>;
  readonly reference?: Readonly<Record<string, Answers>>;
}

interface PlacedRow {
  readonly name: string;
  readonly schema: StructuralSchema;
  readonly obj: JsonValue;
  readonly oldObj: JsonValue;
  readonly errors: readonly string[];
}

interface Vectors {
  readonly expressions: readonly ExpressionRow[];
  readonly atSchemaLevels: readonly PlacedRow[];
  readonly messageExpression: readonly {
    readonly name: string;
    readonly message?: string;
    readonly messageExpression: string;
    readonly expectedValidationErr: string;
    readonly costBudget: number;
    readonly expectedRemainingBudget?: number;
    readonly expectedLogErr?: string;
  }[];
  readonly reasonAndFieldPath: readonly {
    readonly name: string;
    readonly schema: StructuralSchema;
    readonly obj: JsonValue;
    readonly errors: readonly { readonly type: string; readonly field: string }[];
  }[];
  readonly fieldPath: readonly {
    readonly name: string;
    readonly fieldPath: string;
    readonly pathOfFieldPath: string;
    readonly schema: StructuralSchema;
    readonly validFieldPath?: string;
    readonly errDetail?: string;
  }[];
  readonly ratcheting: readonly {
    readonly name: string;
    readonly schema: StructuralSchema;
    readonly oldObj: JsonValue;
    readonly newObj: JsonValue;
    readonly warnings?: readonly string[];
    readonly errors?: readonly string[];
    readonly runtimeCostBudget?: number;
  }[];
  readonly optionalOldSelf: readonly PlacedRow[];
  readonly optionalOldSelfNull: readonly PlacedRow[];
  readonly optionalOldSelfType: readonly PlacedRow[];
}

const vectors = sharedVectors<Vectors>('crd-cel/validation-cases.json');

/** What came after the release that the language of the tests is of. */
const isLater = (name: string): boolean => name.startsWith('ext lists version 3');

function definitionOf(schema: JsonObject, rule: string, isRoot: boolean): JsonObject {
  const ruled = { ...schema, 'x-kubernetes-validations': [{ rule }] };
  const openAPIV3Schema = isRoot ? ruled : { type: 'object', properties: { spec: ruled } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'xs.check.example.org' },
    spec: {
      group: 'check.example.org',
      scope: 'Namespaced',
      names: { plural: 'xs', kind: 'X' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}

function objectOf(content: JsonObject, isRoot: boolean): JsonObject {
  const meta = { apiVersion: 'check.example.org/v1', kind: 'X', metadata: { name: 'x' } };
  return isRoot ? { ...content, ...meta } : { ...meta, spec: content };
}

/** The reference gives the type of `self` a number, which is another each time. */
function named({ message, ...rest }: Cause): Cause {
  return { ...rest, message: message.replaceAll(/selfType\d+/g, 'selfType') };
}

function expectAnswer(answer: RecordedAnswer, wanted: RecordedAnswer | undefined): void {
  const { causes = [], code = 200 } = wanted ?? {};
  const found = sortedCauses((answer.causes ?? []).map(named));
  deepEqual(found, sortedCauses(causes.map(named)));
  equal(answer.code === 201 ? 200 : answer.code, code === 201 ? 200 : code);
}

for (const row of vectors?.expressions ?? []) {
  const isRoot = row.isRoot === true;
  for (const rule of [...row.valid, ...Object.keys(row.errors)]) {
    if (isLater(row.name)) continue;
    test(`expressions: ${row.name}: ${rule.slice(0, 200)}`, () => {
      const answers = row.reference?.[rule];
      const definition = definitionOf(row.schema, rule, isRoot);
      expectAnswer(writeDefinition(definition), answers?.crd);
      if (answers !== undefined && answers.crd.code >= 300) return;
      const writes = customWrites();
      deepEqual(writes.define(definition), []);
      const old = row.oldObj ? objectOf(row.oldObj, isRoot) : undefined;
      if (old !== undefined) {
        const first = writes.write(old, undefined, false);
        expectAnswer(first, answers?.old);
        if (first.code >= 300) return;
      }
      expectAnswer(writes.write(objectOf(row.obj, isRoot), old, false), answers?.object);
    });
  }
}

function run(
  schema: StructuralSchema,
  value: JsonValue,
  old: JsonValue | undefined,
  more: { readonly budget?: number | undefined; readonly ratchets?: boolean } = {},
): RulesOutcome {
  const plan = new RulePlan(schema, undefined, false, testLanguage);
  const correlation = more.ratchets === true ? correlate(value, old ?? null, schema) : undefined;
  return finished(runRules({ plan, value, old, path: 'root', correlation, budget: more.budget }));
}

function expectTexts(found: readonly string[], wanted: readonly string[]): void {
  equal(found.length, wanted.length, found.join('\n'));
  for (const text of wanted) {
    ok(
      found.some((each) => each.includes(text)),
      `${text} in\n${found.join('\n')}`,
    );
  }
}

function placed(section: string, rows: readonly PlacedRow[], optional: boolean): void {
  for (const { errors, name, obj, oldObj, schema } of rows) {
    // No definition is accepted that has rules in an allOf.
    const skip = JSON.stringify(schema).includes('"allOf"') && 'rules in allOf are refused';
    test(`${section}: ${name}`, { skip }, () => {
      const rules = (schema['x-kubernetes-validations'] ?? []).map((rule) => ({
        ...rule,
        optionalOldSelf: optional,
      }));
      const ruled = optional ? { ...schema, 'x-kubernetes-validations': rules } : schema;
      const outcome = run(ruled, obj, oldObj);
      expectTexts(outcome.errors.map(formatFieldError), errors);
    });
  }
}

placed('places of rules', vectors?.atSchemaLevels ?? [], false);
placed('optional old values', vectors?.optionalOldSelf ?? [], true);
placed('old values that are null', vectors?.optionalOldSelfNull ?? [], true);
placed('types of optional old values', vectors?.optionalOldSelfType ?? [], true);

for (const row of vectors?.messageExpression ?? []) {
  test(`messages: ${row.name}`, () => {
    const { message, messageExpression } = row;
    const rule = { rule: 'false', message, messageExpression };
    const schema: StructuralSchema = {
      type: 'object',
      properties: { str: { type: 'string' } },
      'x-kubernetes-validations': [rule],
    };
    // The rule itself costs nothing.
    const outcome = run(schema, { str: 'a string' }, undefined, { budget: row.costBudget });
    expectTexts(outcome.errors.map(formatFieldError), [row.expectedValidationErr]);
    // What an expression that fails has cost by then is the reference's own affair.
    const fails = row.expectedLogErr?.includes('evaluation failed') === true;
    if (row.expectedRemainingBudget !== undefined && !fails) {
      equal(outcome.budget, row.expectedRemainingBudget);
    }
  });
}

for (const { errors, name, obj, schema } of vectors?.reasonAndFieldPath ?? []) {
  test(`reasons and paths: ${name}`, () => {
    const found = run(schema, obj, undefined).errors.map(({ field, type }) => ({ type, field }));
    deepEqual(
      found,
      errors.map(({ field, type }) => ({ type: `FieldValue${type}`, field })),
    );
  });
}

for (const { errDetail, fieldPath, name, schema, validFieldPath } of vectors?.fieldPath ?? []) {
  test(`paths of fields: ${name}`, () => {
    const path = rulePath(fieldPath, schema);
    if (errDetail === undefined) {
      ok(path.kind === 'ok');
      if (validFieldPath !== undefined) equal(path.field, validFieldPath);
    } else {
      ok(path.kind === 'invalid');
      equal(path.problem, errDetail);
    }
  });
}

for (const row of vectors?.ratcheting ?? []) {
  test(`what has not changed: ${row.name}`, () => {
    const outcome = run(row.schema, row.newObj, row.oldObj, {
      ratchets: true,
      budget: row.runtimeCostBudget,
    });
    expectTexts(outcome.errors.map(formatFieldError), row.errors ?? []);
    deepEqual([...outcome.warnings].sort(), [...(row.warnings ?? [])].sort());
  });
}
