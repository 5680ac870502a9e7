/**
 * Defaults of a schema: they have no unknown fields, their embedded metadata are metadata, and they
 * are valid where they stand, also by the rules (spec 1, section 2.2).
 *
 * Inside the metadata of a resource, a default is checked as a part of the metadata that it makes.
 *
 * Bounds: all defaults of one schema share the budgets that the rules and the values of one object
 * have; when one is used up the rest is not checked. A step is one default, or a part of it.
 */
import { formatFieldErrors, invalid } from '../../apimachinery/field-error.ts';
import type { FieldError } from '../../apimachinery/field-error.ts';
import type { JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { budgets } from '../../cel/budgets.ts';
import type { Language } from '../../cel/language.ts';
import { finished } from '../../stdx/stepwise.ts';
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
import { schemaStepsMax } from '../validate/value-walk.ts';
import type { StepsLeft } from '../validate/value-walk.ts';
import { nodesPerStep } from './plain-scalar.ts';

export interface DefaultsValidationOptions {
  readonly language: Language;
  /** There must be no unknown fields in them. */
  readonly pruned: boolean;
}

const hasDefaults = spineMemo((schema) => defaultOf(schema) !== undefined);

/** The schema is structural. */
export function* defaultErrors(
  schema: StructuralSchema,
  path: string,
  { language, pruned }: DefaultsValidationOptions,
): Steps<readonly FieldError[]> {
  const walk: DefaultsWalk = {
    language,
    pruned,
    values: createValuePlanner(undefined),
    errors: [],
    budget: budgets.perObject,
    left: { looks: schemaStepsMax },
  };
  const root: Node = {
    schema,
    path,
    resource: schema,
    isRoot: true,
    pathWithin: [],
    insideMeta: false,
  };
  yield* visit(root, walk);
  return walk.errors;
}

interface DefaultsWalk {
  readonly language: Language;
  readonly pruned: boolean;
  readonly values: ValuePlanner;
  readonly errors: FieldError[];
  budget: number;
  /** For values. */
  readonly left: StepsLeft;
}

interface Node {
  readonly schema: StructuralSchema;
  readonly path: string;
  /** The resource that it is a part of: the whole, or an embedded one. */
  readonly resource: StructuralSchema;
  readonly isRoot: boolean;
  /** From the resource to here. */
  readonly pathWithin: readonly (string | number)[];
  /** It is in apiVersion, kind or metadata of the resource. */
  readonly insideMeta: boolean;
}

function* visit(given: Node, walk: DefaultsWalk): Steps<void> {
  if (!hasDefaults(given.schema) || walk.budget < 0 || walk.left.looks < 0) return;
  const embedded = isEmbedded(given.schema) || given.isRoot;
  const node = embedded
    ? { ...given, resource: given.schema, pathWithin: [], insideMeta: false }
    : given;
  const { path, schema } = node;
  const value = defaultOf(schema);
  if (value !== undefined) {
    yield;
    if (node.insideMeta) yield* checkMeta(value, node, walk);
    else yield* checkDefault(value, node, walk);
  }
  const { items } = schema;
  if (items !== undefined) {
    const pathWithin = [...node.pathWithin, 0];
    yield* visit(
      { ...node, schema: items, path: `${path}.items`, isRoot: false, pathWithin },
      walk,
    );
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const isMeta = embedded && (name === 'metadata' || name === 'apiVersion' || name === 'kind');
    const below: Node = {
      ...node,
      schema: property,
      path: `${path}.properties[${name}]`,
      isRoot: false,
      pathWithin: [...node.pathWithin, name],
      insideMeta: node.insideMeta || isMeta,
    };
    yield* visit(below, walk);
  }
}

/** A value of the resource that has nothing but this default in it. */
function nestedUnder(value: JsonValue, pathWithin: readonly (string | number)[]): JsonValue {
  const made = pathWithin.reduceRight<JsonValue>(
    (inner, step) => (typeof step === 'number' ? [inner] : { [step]: inner }),
    value,
  );
  if (!isJsonObject(made)) return made;
  return { apiVersion: 'validation/v1', kind: 'Validation', ...made };
}

function* checkMeta(
  value: JsonValue,
  { pathWithin, path, resource, schema }: Node,
  walk: DefaultsWalk,
): Steps<void> {
  const whole = nestedUnder(value, pathWithin);
  const field = `${path}.default`;
  const wrong = (problem: string): void => {
    const detail = `must result in valid metadata: ${problem}`;
    walk.errors.push(shownAsJson(invalid(field, value, detail)));
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
  yield* checkValue(value, field, schema, walk);
}

function* checkDefault(value: JsonValue, { path, schema }: Node, walk: DefaultsWalk): Steps<void> {
  const field = `${path}.default`;
  const isResource = isEmbedded(schema);
  const coerced = coerceEmbedded(value, schema, { isResource, dropsInvalid: false });
  if (walk.pruned && hasUnknown(value, schema)) {
    const shown = coerced.kind === 'ok' ? coerced.value : value;
    walk.errors.push(shownAsJson(invalid(field, shown, 'must not have unknown fields')));
  }
  if (coerced.kind === 'refused') {
    const { problem } = coerced;
    const at = `${field}.${problem.field}`;
    walk.errors.push(shownAsJson(invalid(at, problem.value, problem.detail)));
    return;
  }
  const embedded = embeddedErrors(value, schema, isResource, field);
  if (embedded.length > 0) walk.errors.push(...embedded);
  else yield* checkValue(value, field, schema, walk);
}

function* checkValue(
  value: JsonValue,
  field: string,
  schema: StructuralSchema,
  walk: DefaultsWalk,
): Steps<void> {
  const plan = walk.values.planOf(schema);
  const errors = yield* validateValue({ value, plan, prefix: field, left: walk.left });
  if (errors.length > 0) {
    walk.errors.push(...errors);
    return;
  }
  if (!hasRules(schema)) return;
  const rules = new RulePlan(schema, undefined, isEmbedded(schema), walk.language);
  // As if it had been there before, and then as if it came now: rules may ask for either.
  const { budget } = walk;
  const kept = yield* runRules({ plan: rules, value, old: value, path: field, budget });
  walk.errors.push(...kept.errors);
  walk.budget = kept.budget;
  if (kept.errors.length > 0) return;
  const brought = yield* runRules({ plan: rules, value, old: undefined, path: field, budget });
  walk.errors.push(...brought.errors);
  walk.budget = Math.min(kept.budget, brought.budget);
}

function hasUnknown(value: JsonValue, schema: StructuralSchema): boolean {
  const options = { isResource: isEmbedded(schema), dropsNulls: false };
  return prune(value, schema, options).value !== value;
}

const unpruned = new WeakMap<StructuralSchema, boolean>();

/** Whether a schema that is stored has defaults with unknown fields. Found once for each schema. */
export function hasUnprunedDefaults(schema: StructuralSchema): boolean {
  return unpruned.get(schema) ?? finished(unprunedSteps(schema));
}

/** hasUnprunedDefaults() in steps. */
export function* unprunedSteps(schema: StructuralSchema): Steps<boolean> {
  const known = unpruned.get(schema);
  if (known !== undefined) return known;
  let found = false;
  let seen = 0;
  const waiting = [schema];
  for (let node = waiting.pop(); node !== undefined && !found; node = waiting.pop()) {
    const value = defaultOf(node);
    found = value !== undefined && hasUnknown(value, node);
    for (const below of belowOf(node)) waiting.push(below);
    seen += 1;
    if (seen % nodesPerStep === 0) yield;
  }
  unpruned.set(schema, found);
  return found;
}
