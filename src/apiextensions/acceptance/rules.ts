/**
 * Validation rules of a schema: that they compile, that they can be asked where they stand, and
 * that they cannot cost too much (spec 2, sections 2.2 and 8).
 *
 * Elsewhere: the form of rules (rule-form.ts) and their evaluation.
 *
 * Invariants: a rule costs its worst case times how often its place can be there. Rules below a
 * schema that is faulty are left alone, for it may have no types. Bounds: by the size of the
 * definition; `problemsMax` errors. One step is one node with its rules.
 */
import { forbidden, internal, invalid } from '../../apimachinery/field-error.ts';
import type { FieldError } from '../../apimachinery/field-error.ts';
import { objects, part, text } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { estimateLimits } from '../../cel/budgets.ts';
import type { Language } from '../../cel/language.ts';
import { fixedText } from '../../cel/library/number-text.ts';
import { escapeProperty } from '../../cel/schema/property-names.ts';
import { cardinalityOf, compileRules } from '../../cel/schema/schema-rules.ts';
import type { CompiledRule, RuleMemo, ValidationRule } from '../../cel/schema/schema-rules.ts';
import { schemaType } from '../../cel/schema/schema-type.ts';
import type { SchemaType } from '../../cel/schema/schema-type.ts';
import { finished } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { asSchema } from '../schema/structural-schema.ts';
import { ruleDump } from './dumps.ts';
import { schemaAt } from './structural.ts';
import { isPlainScalar, nodesPerStep } from './plain-scalar.ts';
import { factsOf, factsSteps } from './schema-facts.ts';

const rulesName = 'x-kubernetes-validations';
const problemsMax = 100;
/** Of the rules that cost most this many are named. */
const dearestMax = 4;

export interface RuleValidationOptions {
  readonly language: Language;
  /** Whether a text was accepted before. */
  readonly isStored: (text: string) => boolean;
  /** Of the definition. */
  readonly memo: RuleMemo;
  /** Schemas whose rules are not looked at. */
  readonly faulty: ReadonlySet<JsonObject>;
}

interface RuleCost {
  readonly field: string;
  readonly cost: number;
}

interface Walk extends RuleValidationOptions {
  readonly problems: FieldError[];
  total: number;
  dearest: readonly RuleCost[];
  /** Nodes so far. */
  seen: number;
}

interface SchemaNode {
  readonly schema: JsonObject;
  readonly path: string;
  readonly isResource: boolean;
  /** Undefined: not yet known, or data here has no type. */
  readonly type: SchemaType | undefined;
  /** How often it can be there; undefined: without bounds. */
  readonly cardinality: number | undefined;
  /** The outermost node above whose parts have no old value each. */
  readonly uncorrelatable: string | undefined;
}

export function* ruleErrors(
  schema: JsonObject,
  path: string,
  options: RuleValidationOptions,
): Steps<readonly FieldError[]> {
  if (!factsOf(schema).hasRules) return [];
  const walk: Walk = { ...options, problems: [], total: 0, dearest: [], seen: 0 };
  yield* check(
    {
      schema,
      path,
      isResource: true,
      type: undefined,
      cardinality: 1,
      uncorrelatable: undefined,
    },
    walk,
  );
  const { dearest, problems, total } = walk;
  if (total > estimateLimits.perSchema) {
    const contributed =
      'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    for (const { field } of dearest) problems.push(forbidden(field, contributed));
    const name = `${rulesName} estimated rule cost total for entire OpenAPIv3 schema`;
    problems.push(forbidden(path, exceeded(name, total, estimateLimits.perSchema)));
  }
  return problems.slice(0, problemsMax);
}

const expressions = new WeakMap<JsonObject, readonly string[]>();

/** Texts of all expressions of a schema, on its spine. Found once for each schema. */
export function expressionsOf(schema: JsonObject): readonly string[] {
  return expressions.get(schema) ?? finished(expressionSteps(schema));
}

/** expressionsOf() in steps. */
export function* expressionSteps(schema: JsonObject): Steps<readonly string[]> {
  const known = expressions.get(schema);
  if (known !== undefined) return known;
  const facts = yield* factsSteps(schema);
  const found: string[] = [];
  const waiting = facts.hasRules ? [schema] : [];
  let seen = 0;
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    for (const rule of objects(node, rulesName)) {
      found.push(text(rule, 'rule'), text(rule, 'messageExpression'));
    }
    for (const { inner } of partsOf(node).reverse()) waiting.push(inner);
    seen += 1;
    if (seen % nodesPerStep === 0) yield;
  }
  expressions.set(schema, found);
  return found;
}

interface Part {
  readonly end: string;
  readonly inner: JsonObject;
  /** Of a property. */
  readonly name: string | undefined;
}

function partsOf(schema: JsonObject): Part[] {
  const parts: Part[] = [];
  for (const [name, inner] of Object.entries(part(schema, 'properties'))) {
    // Nothing of plain ones has rules, or is below them.
    if (!isJsonObject(inner) || isPlainScalar(inner)) continue;
    parts.push({ end: `properties[${name}]`, inner, name });
  }
  for (const end of ['additionalProperties', 'items']) {
    const inner = schemaAt(schema, end);
    if (inner !== undefined) parts.push({ end, inner, name: undefined });
  }
  return parts;
}

function* check(node: SchemaNode, walk: Walk): Steps<void> {
  if (walk.problems.length >= problemsMax) return;
  walk.seen += 1;
  if (walk.seen % nodesPerStep === 0) yield;
  const { path, schema } = node;
  const rules = objects(schema, rulesName);
  const type = node.type ?? (rules.length === 0 ? undefined : typeOf(schema, node.isResource));
  if (rules.length > 0 && !walk.faulty.has(schema)) {
    yield;
    yield* checkRules(rules, { ...node, type }, walk);
  }
  const cardinality = cardinalityBelow(node);
  const uncorrelatable = uncorrelatableBelow(node);
  for (const { end, inner, name } of partsOf(schema)) {
    yield* check(
      {
        schema: inner,
        path: `${path}.${end}`,
        isResource: inner['x-kubernetes-embedded-resource'] === true,
        type: type === undefined ? undefined : typeBelow(type, name),
        cardinality,
        uncorrelatable,
      },
      walk,
    );
  }
}

function typeOf(schema: JsonObject, resource: boolean): SchemaType | undefined {
  return schemaType(asSchema(schema), { name: 'selfType', resource });
}

/** `name`: of a property; undefined: of the elements. */
function typeBelow(type: SchemaType, name: string | undefined): SchemaType | undefined {
  if (name === undefined) return type.element;
  const escaped = escapeProperty(name);
  return escaped === undefined ? undefined : type.fields.get(escaped)?.type;
}

function cardinalityBelow({ cardinality, schema }: SchemaNode): number | undefined {
  const most = entriesOf(schema);
  return cardinality === undefined || most === undefined ? undefined : cardinality * most;
}

/** How many parts of one kind are below data of a schema; undefined: without bounds. */
function entriesOf(schema: JsonObject): number | undefined {
  const values = schema['additionalProperties'];
  const isMap = schema['type'] === 'object' && values !== undefined && values !== null;
  if (!isMap && schema['type'] !== 'array') return 1;
  const most = isMap ? schema['maxProperties'] : schema['maxItems'];
  return typeof most === 'number' ? Math.max(most, 0) : undefined;
}

/** Entries of a list without keys, members of a map of an unknown type, and all below them, have no
 * old value of their own. */
function uncorrelatableBelow({ path, schema, uncorrelatable }: SchemaNode): string | undefined {
  if (uncorrelatable !== undefined) return uncorrelatable;
  const mapType = schema['x-kubernetes-map-type'] ?? 'granular';
  if (mapType !== 'granular' && mapType !== 'atomic') return path;
  if (schema['items'] === undefined) return undefined;
  return schema['x-kubernetes-list-type'] === 'map' ? undefined : path;
}

function* checkRules(rules: readonly JsonObject[], node: SchemaNode, walk: Walk): Steps<void> {
  const { path, type } = node;
  if (type === undefined) {
    const detail =
      'internal error: failed to construct type information for x-kubernetes-validations rules: ' +
      'unable to convert structural schema to CEL declarations';
    walk.problems.push(internal(`${path}.${rulesName}`, detail));
    return;
  }
  const { isStored, language, memo } = walk;
  const compiled = yield* compileRules(rules.map(ruleOf), type, language, isStored, memo);
  const times = node.cardinality ?? cardinalityOf(type);
  for (const [at, rule] of compiled.entries()) {
    const field = `${path}.${rulesName}[${at}]`;
    costProblems(rule, field, times, walk);
    walk.problems.push(...compiledProblems(rule, field, rules[at] as JsonObject, node));
  }
}

function ruleOf(rule: JsonObject): ValidationRule {
  return {
    rule: text(rule, 'rule'),
    messageExpression: text(rule, 'messageExpression'),
    optionalOldSelf: rule['optionalOldSelf'] === true,
  };
}

function costProblems(
  { maxCost, message, messageMaxCost }: CompiledRule,
  field: string,
  times: number,
  walk: Walk,
): void {
  const limit = estimateLimits.perRule;
  const cost = maxCost * times;
  if (cost > limit) {
    walk.problems.push(forbidden(`${field}.rule`, exceeded('estimated rule cost', cost, limit)));
  }
  observe(walk, `${field}.rule`, cost);
  if (message?.kind !== 'ok') return;
  const at = `${field}.messageExpression`;
  if (messageMaxCost > limit) {
    const name = 'estimated messageExpression cost';
    walk.problems.push(forbidden(at, exceeded(name, messageMaxCost, limit)));
  }
  observe(walk, at, messageMaxCost);
}

function observe(walk: Walk, field: string, cost: number): void {
  walk.total += cost;
  if (cost < estimateLimits.perSchema / 100) return;
  const all = [...walk.dearest, { field, cost }].sort((a, b) => b.cost - a.cost);
  walk.dearest = all.slice(0, dearestMax);
}

function exceeded(name: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const shown = factor > 100 ? 'more than 100x' : `${fixedText(factor, factor < 1.5 ? 6 : 1)}x`;
  return (
    `${name} exceeds budget by factor of ${shown} (try simplifying the rule, or adding maxItems, ` +
    'maxProperties, and maxLength where arrays, maps, and strings are declared)'
  );
}

function compiledProblems(
  compiled: CompiledRule,
  field: string,
  rule: JsonObject,
  { uncorrelatable }: SchemaNode,
): readonly FieldError[] {
  const problems: FieldError[] = [];
  const whole = (problem: string, at: string): FieldError => ({
    ...invalid(at, rule, problem),
    shown: ruleDump(rule),
  });
  if (compiled.rule?.kind === 'invalid') {
    problems.push(whole(compiled.rule.problem, `${field}.rule`));
  }
  if (compiled.message?.kind === 'invalid') {
    problems.push(whole(compiled.message.problem, `${field}.messageExpression`));
  }
  const optional = rule['optionalOldSelf'] ?? undefined;
  if (compiled.usesOldSelf) {
    if (uncorrelatable !== undefined) {
      const where = 'oldSelf cannot be used on the uncorrelatable portion of the schema within';
      problems.push(invalid(`${field}.rule`, text(rule, 'rule'), `${where} ${uncorrelatable}`));
    }
  } else if (optional !== undefined) {
    const detail = 'may not be set if oldSelf is not used in rule';
    problems.push(invalid(`${field}.optionalOldSelf`, optional, detail));
  }
  return problems;
}
