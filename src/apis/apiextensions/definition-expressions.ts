/**
 * Validation rules in the schemas of custom resource definitions: that they compile, that they can
 * be evaluated where they stand, and that they cannot cost too much.
 *
 * What it is not: the check that a schema is structural; a schema with other errors has its rules
 * left alone, for it may have no types. Nor their evaluation.
 *
 * Invariants: a rule costs its worst case times how often its place can be there. Bounds: by the
 * size of the definition; `problemsMax` errors.
 */
import { forbidden, invalid, notSupported, required } from '../../apimachinery/field-error.ts';
import type { FieldError } from '../../apimachinery/field-error.ts';
import { objects, part, text } from '../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { estimateLimits } from '../../cel/budgets.ts';
import { fixedText } from '../../cel/library/number-text.ts';
import type { Language } from '../../cel/language.ts';
import { cardinalityOf, compileRules } from '../../cel/schema/schema-rules.ts';
import type { CompiledRule, ValidationRule } from '../../cel/schema/schema-rules.ts';
import { escapeProperty } from '../../cel/schema/property-names.ts';
import { schemaType } from '../../cel/schema/schema-type.ts';
import type { SchemaType } from '../../cel/schema/schema-type.ts';
import type { Schema } from '../../cel/schema/schema.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import { finished } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import { textSizeProblems } from '../expressions/expression-check.ts';
import { isFieldPath } from '../expressions/rule-field-path.ts';

const rulesName = 'x-kubernetes-validations';
const problemsMax = 100;
/** Of the rules that cost most this many are named. */
const dearestMax = 4;

interface RuleCost {
  readonly field: string;
  readonly cost: number;
}

interface Walk {
  readonly language: Language;
  readonly isStored: (text: string) => boolean;
  readonly problems: FieldError[];
  total: number;
  dearest: RuleCost[];
}

interface Place {
  readonly schema: Schema & JsonObject;
  readonly path: string;
  /** Undefined: not yet known, or data here has no type. */
  readonly type: SchemaType | undefined;
  /** How often it can be there; undefined: without bounds. */
  readonly cardinality: number | undefined;
  /** The outermost place above whose parts have no old value each. */
  readonly uncorrelatable: string | undefined;
}

export function definitionExpressions(language: Language): KindRules {
  const judged = new WeakMap<JsonObject, Judged>();
  function* check(
    definition: ApiObject,
    current: ApiObject | undefined,
  ): Steps<readonly FieldError[]> {
    const before = schemasOf(current);
    const written: string[] = [];
    for (const [, schema] of schemasOf(definition)) collectRules(schema, written);
    const long = textSizeProblems('spec.versions', written);
    if (long.length > 0) return long;
    const accepted: string[] = [];
    for (const [, schema] of before) collectRules(schema, accepted);
    const stored = new Set(accepted);
    const problems: FieldError[] = [];
    for (const [path, schema] of schemasOf(definition)) {
      // What has not changed has been accepted, whatever it costs.
      if (before.some(([, other]) => deepEqual(other, schema))) continue;
      const others = before.map(([, other]) => other);
      let known = judged.get(schema);
      if (known?.path !== path || !areSame(known.before, others)) {
        const isStored = (rule: string): boolean => stored.has(rule);
        const walk = { language, isStored, problems: [], total: 0, dearest: [] };
        known = { path, before: others, problems: yield* schemaProblems(schema, path, walk) };
        judged.set(schema, known);
      }
      problems.push(...known.problems);
    }
    return problems;
  }
  return {
    *prepare(next, current) {
      yield* check(next, current);
    },
    validateCreate: (object) => finished(check(object, undefined)),
    validateUpdate: (next, current) => finished(check(next, current)),
  };
}

/** What was found out about a schema, for whoever asks for it again: when it was prepared in parts
 * it is about to be asked for. */
interface Judged {
  readonly path: string;
  readonly before: readonly JsonObject[];
  readonly problems: readonly FieldError[];
}

function areSame(some: readonly JsonObject[], others: readonly JsonObject[]): boolean {
  return some.length === others.length && some.every((each, at) => each === others[at]);
}

/** The schemas with the path of each; where all versions agree they are one, and so is its path. */
function schemasOf(
  definition: ApiObject | undefined,
): readonly (readonly [path: string, schema: JsonObject])[] {
  if (definition === undefined) return [];
  const versions = objects(part(definition, 'spec'), 'versions');
  const schemas = versions.map((version) => part(version, 'schema')['openAPIV3Schema']);
  const [first] = schemas;
  if (isJsonObject(first) && schemas.every((schema) => deepEqual(schema, first))) {
    return [['spec.validation.openAPIV3Schema', first]];
  }
  return schemas.flatMap((schema, at) =>
    isJsonObject(schema) ? [[`spec.versions[${at}].schema.openAPIV3Schema`, schema] as const] : [],
  );
}

function collectRules(schema: JsonObject, found: string[]): void {
  for (const rule of objects(schema, rulesName)) {
    found.push(text(rule, 'rule'), text(rule, 'messageExpression'));
  }
  for (const [, inner] of innerSchemas(schema)) collectRules(inner, found);
}

/** Below a schema, with the end of the path of each; not those of allOf and the like. */
function innerSchemas(schema: JsonObject): readonly (readonly [end: string, inner: JsonObject])[] {
  const properties = part(schema, 'properties');
  const found: (readonly [string, JsonObject])[] = [];
  for (const [name, inner] of Object.entries(properties)) {
    if (isJsonObject(inner)) found.push([`properties[${name}]`, inner]);
  }
  for (const name of ['additionalProperties', 'items']) {
    const inner = schema[name];
    if (isJsonObject(inner)) found.push([name, inner]);
  }
  return found;
}

function* schemaProblems(
  schema: JsonObject,
  path: string,
  walk: Walk,
): Steps<readonly FieldError[]> {
  const root = { schema, path, type: undefined, cardinality: 1, uncorrelatable: undefined };
  yield* checkPlace(root, walk);
  const { problems, total, dearest } = walk;
  if (total > estimateLimits.perSchema) {
    const contributed =
      'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    for (const { field } of dearest) problems.push(forbidden(field, contributed));
    const name = `${rulesName} estimated rule cost total for entire OpenAPIv3 schema`;
    problems.push(forbidden(path, exceeded(name, total, estimateLimits.perSchema)));
  }
  return problems.slice(0, problemsMax);
}

function* checkPlace(place: Place, walk: Walk): Steps<void> {
  if (walk.problems.length >= problemsMax) return;
  const { path, schema } = place;
  const rules = objects(schema, rulesName);
  const isRoot = path.endsWith('.openAPIV3Schema');
  const type =
    place.type ?? (rules.length === 0 ? undefined : typeOf(schema, isRoot || isEmbedded(schema)));
  if (rules.length > 0) {
    yield;
    yield* checkRules(rules, { ...place, type }, walk);
  }
  const within = uncorrelatableBelow(place);
  for (const [end, inner] of innerSchemas(schema)) {
    yield* checkPlace(
      {
        schema: inner,
        path: `${path}.${end}`,
        type: type === undefined ? undefined : typeBelow(type, end),
        cardinality: cardinalityBelow(place),
        uncorrelatable: within,
      },
      walk,
    );
  }
}

function typeOf(schema: Schema, resource: boolean): SchemaType | undefined {
  return schemaType(schema, { name: 'selfType', resource });
}

function isEmbedded(schema: Schema): boolean {
  return schema['x-kubernetes-embedded-resource'] === true;
}

function typeBelow(type: SchemaType, end: string): SchemaType | undefined {
  const property = /^properties\[(.*)\]$/s.exec(end)?.[1];
  if (property === undefined) return type.element;
  const name = escapeProperty(property);
  return name === undefined ? undefined : type.fields.get(name)?.type;
}

function cardinalityBelow({ schema, cardinality }: Place): number | undefined {
  const most = entriesOf(schema);
  return cardinality === undefined || most === undefined ? undefined : cardinality * most;
}

/** How many parts of one kind are below data of a schema; undefined: without bounds. */
function entriesOf({
  type,
  additionalProperties,
  maxItems,
  maxProperties,
}: Schema): number | undefined {
  const isMap = type === 'object' && additionalProperties !== undefined;
  if (!isMap && type !== 'array') return 1;
  const most = isMap ? maxProperties : maxItems;
  return most === undefined ? undefined : Math.max(most, 0);
}

/** Entries of a list without keys, and all below them, have no old value of their own. */
function uncorrelatableBelow({ schema, path, uncorrelatable }: Place): string | undefined {
  if (uncorrelatable !== undefined || schema.type !== 'array') return uncorrelatable;
  return schema['x-kubernetes-list-type'] === 'map' ? undefined : path;
}

function* checkRules(rules: readonly JsonObject[], place: Place, walk: Walk): Steps<void> {
  const { path, type } = place;
  const before = walk.problems.length;
  for (const [at, rule] of rules.entries()) {
    walk.problems.push(...formProblems(rule, `${path}.${rulesName}[${at}]`, place.schema));
  }
  // A rule that has not its form may still be compiled; the reference does not either.
  if (walk.problems.length > before) return;
  if (type === undefined) {
    const detail = 'unable to convert structural schema to CEL declarations';
    walk.problems.push(forbidden(`${path}.${rulesName}`, detail));
    return;
  }
  const compiled = yield* compileRules(rules.map(ruleOf), type, walk.language, walk.isStored);
  const times = place.cardinality ?? cardinalityOf(type);
  for (const [at, rule] of compiled.entries()) {
    const field = `${path}.${rulesName}[${at}]`;
    costProblems(rule, field, times, walk);
    walk.problems.push(...compiledProblems(rule, field, rules[at] as JsonObject, place));
  }
}

function ruleOf(rule: JsonObject): ValidationRule {
  return {
    rule: text(rule, 'rule'),
    messageExpression: text(rule, 'messageExpression'),
    optionalOldSelf: rule['optionalOldSelf'] === true,
  };
}

const reasons = [
  'FieldValueDuplicate',
  'FieldValueForbidden',
  'FieldValueInvalid',
  'FieldValueRequired',
];
const lineBreaks = /[\r\n]/;

function formProblems(rule: JsonObject, field: string, schema: Schema): readonly FieldError[] {
  const problems: FieldError[] = [];
  const message = text(rule, 'message');
  const messageExpression = text(rule, 'messageExpression');
  const fieldPath = text(rule, 'fieldPath');
  const reason = text(rule, 'reason');
  const source = text(rule, 'rule').trim();
  const wrongMessage = (detail: string) => invalid(`${field}.message`, message, detail);
  if (source === '') {
    problems.push(required(`${field}.rule`, 'rule is not specified'));
  } else if (message !== '' && message.trim() === '') {
    problems.push(wrongMessage('message must be non-empty if specified'));
  } else if (lineBreaks.test(message.trim())) {
    problems.push(wrongMessage('message must not contain line breaks'));
  } else if (lineBreaks.test(source) && message.trim() === '') {
    const detail = 'message must be specified if rule contains line breaks';
    problems.push(required(`${field}.message`, detail));
  }
  if (messageExpression !== '' && messageExpression.trim() === '') {
    const detail = 'messageExpression must be non-empty if specified';
    problems.push(required(`${field}.messageExpression`, detail));
  }
  if (reason !== '' && !reasons.includes(reason)) {
    problems.push(notSupported(`${field}.reason`, reason, reasons));
  }
  if (fieldPath === '') return problems;
  const wrongPath = (detail: string) => invalid(`${field}.fieldPath`, fieldPath, detail);
  if (fieldPath.trim() === '') {
    problems.push(wrongPath('fieldPath must be non-empty if specified'));
  }
  if (lineBreaks.test(fieldPath)) {
    problems.push(wrongPath('fieldPath must not contain line breaks'));
  }
  if (!isFieldPath(fieldPath, schema)) {
    problems.push(wrongPath('fieldPath must be a valid path'));
  }
  return problems;
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
  { uncorrelatable }: Place,
): readonly FieldError[] {
  const problems: FieldError[] = [];
  const whole = (problem: string, at: string): FieldError => ({
    ...invalid(at, rule, problem),
    shown: shownRule(rule),
  });
  if (compiled.rule?.kind === 'invalid') {
    problems.push(whole(compiled.rule.problem, `${field}.rule`));
  }
  if (compiled.message?.kind === 'invalid') {
    problems.push(whole(compiled.message.problem, `${field}.messageExpression`));
  }
  if (compiled.usesOldSelf) {
    if (uncorrelatable !== undefined) {
      const where = 'oldSelf cannot be used on the uncorrelatable portion of the schema within';
      problems.push(invalid(`${field}.rule`, text(rule, 'rule'), `${where} ${uncorrelatable}`));
    }
  } else if (rule['optionalOldSelf'] !== undefined && rule['optionalOldSelf'] !== null) {
    const detail = 'may not be set if oldSelf is not used in rule';
    problems.push(invalid(`${field}.optionalOldSelf`, rule['optionalOldSelf'], detail));
  }
  return problems;
}

/** As clients of the reference see it. */
function shownRule(rule: JsonObject): string {
  const shown = {
    Rule: text(rule, 'rule'),
    Message: text(rule, 'message'),
    MessageExpression: text(rule, 'messageExpression'),
    Reason: rule['reason'] ?? null,
    FieldPath: text(rule, 'fieldPath'),
    OptionalOldSelf: rule['optionalOldSelf'] ?? null,
  };
  const unsafe = /[<>&\u2028\u2029]/g;
  return JSON.stringify(shown).replace(
    unsafe,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
