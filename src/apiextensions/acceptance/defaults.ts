/**
 * Defaults of a schema: they have no unknown fields, their embedded metadata are metadata, and they
 * are valid where they stand, also by the rules (spec 1, section 2.2).
 *
 * Inside the metadata of a resource, a default is judged as a part of the metadata that it makes.
 *
 * Bounds: all defaults of one schema share the budget that the rules of one object have; when that
 * is used up the rest is not judged. One step is one default.
 */
import { formatFieldErrors, invalid } from '../../apimachinery/field-error.ts';
import type { FieldError } from '../../apimachinery/field-error.ts';
import type { JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { budgets } from '../../cel/budgets.ts';
import type { Language } from '../../cel/language.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { coerceEmbedded, coerceProblemText } from '../prepare/embedded-metadata.ts';
import { prune } from '../prepare/prune.ts';
import { shownAsJson } from '../schema/go-text.ts';
import { belowOf, defaultOf, isEmbedded, spineMemo } from '../schema/structural-schema.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { embeddedErrors } from '../validate/embedded-resources.ts';
import { hasRules, RulePlan } from '../validate/rule-plan.ts';
import { runRules } from '../validate/run-rules.ts';
import { validateValue } from '../validate/validate-value.ts';
import { createValuePlanner } from '../validate/value-plan.ts';
import type { ValuePlanner } from '../validate/value-plan.ts';

export interface DefaultsDemands {
  readonly language: Language;
  /** There must be no unknown fields in them. */
  readonly pruned: boolean;
}

const hasDefaults = spineMemo((schema) => defaultOf(schema) !== undefined);

/** The schema is structural. */
export function* defaultErrors(
  schema: StructuralSchema,
  path: string,
  { language, pruned }: DefaultsDemands,
): Steps<readonly FieldError[]> {
  const judge: Judge = {
    language,
    pruned,
    values: createValuePlanner(undefined),
    errors: [],
    budget: budgets.perObject,
  };
  const root: Node = {
    schema,
    path,
    resource: schema,
    isRoot: true,
    around: [],
    insideMeta: false,
  };
  yield* visit(root, judge);
  return judge.errors;
}

interface Judge {
  readonly language: Language;
  readonly pruned: boolean;
  readonly values: ValuePlanner;
  readonly errors: FieldError[];
  budget: number;
}

interface Node {
  readonly schema: StructuralSchema;
  readonly path: string;
  /** The resource that it is a part of: the whole, or an embedded one. */
  readonly resource: StructuralSchema;
  readonly isRoot: boolean;
  /** From the resource to here. */
  readonly around: readonly (string | number)[];
  /** It is in apiVersion, kind or metadata of the resource. */
  readonly insideMeta: boolean;
}

function* visit(given: Node, judge: Judge): Steps<void> {
  if (!hasDefaults(given.schema) || judge.budget < 0) return;
  const embedded = isEmbedded(given.schema) || given.isRoot;
  const node = embedded
    ? { ...given, resource: given.schema, around: [], insideMeta: false }
    : given;
  const { path, schema } = node;
  const value = defaultOf(schema);
  if (value !== undefined) {
    yield;
    if (node.insideMeta) yield* judgeMeta(value, node, judge);
    else yield* judgeDefault(value, node, judge);
  }
  const { items } = schema;
  if (items !== undefined) {
    const around = [...node.around, 0];
    yield* visit({ ...node, schema: items, path: `${path}.items`, isRoot: false, around }, judge);
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const isMeta = embedded && (name === 'metadata' || name === 'apiVersion' || name === 'kind');
    const below: Node = {
      ...node,
      schema: property,
      path: `${path}.properties[${name}]`,
      isRoot: false,
      around: [...node.around, name],
      insideMeta: node.insideMeta || isMeta,
    };
    yield* visit(below, judge);
  }
}

/** A value of the resource that has nothing but this default in it. */
function surrounded(value: JsonValue, around: readonly (string | number)[]): JsonValue {
  const made = around.reduceRight<JsonValue>(
    (inner, step) => (typeof step === 'number' ? [inner] : { [step]: inner }),
    value,
  );
  if (!isJsonObject(made)) return made;
  return { apiVersion: 'validation/v1', kind: 'Validation', ...made };
}

function* judgeMeta(
  value: JsonValue,
  { around, path, resource, schema }: Node,
  judge: Judge,
): Steps<void> {
  const whole = surrounded(value, around);
  const field = `${path}.default`;
  const wrong = (problem: string): void => {
    const detail = `must result in valid metadata: ${problem}`;
    judge.errors.push(shownAsJson(invalid(field, value, detail)));
  };
  const coerced = coerceEmbedded(whole, resource, { isResource: true, dropsInvalid: false });
  if (coerced.kind === 'refused') {
    wrong(coerceProblemText(coerced.problem));
    return;
  }
  const embedded = embeddedErrors(whole, resource, true);
  if (embedded.length > 0) {
    wrong(formatFieldErrors(embedded));
    return;
  }
  yield* judgeValue(value, field, schema, judge);
}

function* judgeDefault(value: JsonValue, { path, schema }: Node, judge: Judge): Steps<void> {
  const field = `${path}.default`;
  const isResource = isEmbedded(schema);
  const coerced = coerceEmbedded(value, schema, { isResource, dropsInvalid: false });
  if (judge.pruned && hasUnknown(value, schema)) {
    const shown = coerced.kind === 'ok' ? coerced.value : value;
    judge.errors.push(shownAsJson(invalid(field, shown, 'must not have unknown fields')));
  }
  if (coerced.kind === 'refused') {
    const { problem } = coerced;
    const at = `${field}.${problem.field}`;
    judge.errors.push(shownAsJson(invalid(at, problem.value, problem.detail)));
    return;
  }
  const embedded = embeddedErrors(value, schema, isResource, field);
  if (embedded.length > 0) judge.errors.push(...embedded);
  else yield* judgeValue(value, field, schema, judge);
}

function* judgeValue(
  value: JsonValue,
  field: string,
  schema: StructuralSchema,
  judge: Judge,
): Steps<void> {
  const plan = judge.values.planOf(schema);
  const errors = yield* validateValue({ value, plan, prefix: field });
  if (errors.length > 0) {
    judge.errors.push(...errors);
    return;
  }
  if (!hasRules(schema)) return;
  const rules = new RulePlan(schema, undefined, isEmbedded(schema), judge.language);
  // As if it had been there before, and then as if it came now: rules may ask for either.
  const { budget } = judge;
  const kept = yield* runRules({ plan: rules, value, old: value, path: field, budget });
  judge.errors.push(...kept.errors);
  judge.budget = kept.budget;
  if (kept.errors.length > 0) return;
  const brought = yield* runRules({ plan: rules, value, old: undefined, path: field, budget });
  judge.errors.push(...brought.errors);
  judge.budget = Math.min(kept.budget, brought.budget);
}

function hasUnknown(value: JsonValue, schema: StructuralSchema): boolean {
  const options = { isResource: isEmbedded(schema), dropsNulls: false };
  return prune(value, schema, options).value !== value;
}

/** Whether a schema that is stored has defaults with unknown fields. */
export function hasUnprunedDefaults(schema: StructuralSchema): boolean {
  const value = defaultOf(schema);
  if (value !== undefined && hasUnknown(value, schema)) return true;
  return belowOf(schema).some(hasUnprunedDefaults);
}
