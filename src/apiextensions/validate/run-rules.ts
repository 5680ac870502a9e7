/**
 * The rules of a schema, asked of an object (spec 2, section 2.2).
 *
 *     spec: Invalid value: replicas must be above minReplicas
 *
 * Values that are null are not asked. A rule on transitions is asked where there is an old value:
 * of members of objects, and of entries of lists with keys; with `optionalOldSelf` always.
 *
 * On an update, what a rule without an old value says of a part that has not changed is a warning.
 *
 * Bounds: a budget for each evaluation and one for the object; when that is used up, no rule is
 * asked any more. One step is one rule, or `stepUnits` places without any.
 */
import type { FieldError } from '../../apimachinery/field-error.ts';
import { FieldErrorType, formatFieldError, invalid } from '../../apimachinery/field-error.ts';
import { quote } from '../../apimachinery/quote.ts';
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { budgets } from '../../cel/budgets.ts';
import type { Bindings, Outcome, Program } from '../../cel/cel.ts';
import { schemaValue } from '../../cel/schema/schema-value.ts';
import type { SchemaType } from '../../cel/schema/schema-type.ts';
import { none, OptionalValue } from '../../cel/value.ts';
import type { Value } from '../../cel/value.ts';
import { lookup } from '../../stdx/lookup.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { shownAsJson } from '../schema/go-text.ts';
import type { Correlation } from './correlation.ts';
import { oldEntries } from './correlation.ts';
import type { PlannedRule, RulePlan } from './rule-plan.ts';
import { noField } from './value-walk.ts';

/** Places without a rule that one step looks at. */
const stepUnits = 2000;
/** Errors of rules, and warnings, that are kept of one object. Policy: further ones are dropped. */
const rulesErrorsMax = 1000;

export interface RulesSubject {
  readonly plan: RulePlan;
  readonly value: JsonValue;
  /** Undefined or null: it is new. */
  readonly old: JsonValue | undefined;
  /** There for an update: what has not changed is let pass. */
  readonly correlation?: Correlation | undefined;
  /** Of the value; '' for a whole object. */
  readonly path?: string | undefined;
  readonly budget?: number | undefined;
  /** False: nobody waits beside it, so it need not stop between the rules. True when left out. */
  readonly inSteps?: boolean | undefined;
}

export interface RulesOutcome {
  readonly errors: readonly FieldError[];
  readonly warnings: readonly string[];
  /** Below zero: it is used up, and rules were left out. */
  readonly budget: number;
}

export function* runRules(subject: RulesSubject): Steps<RulesOutcome> {
  const run: Run = {
    errors: [],
    warnings: [],
    budget: subject.budget ?? budgets.perObject,
    units: 0,
    inSteps: subject.inSteps ?? true,
  };
  const { correlation, old, path = '', plan, value } = subject;
  const node: RuleNode = {
    plan,
    value,
    old,
    path,
    unchanged: { own: correlation, above: undefined, isRoot: correlation !== undefined },
  };
  yield* visit(node, run);
  return { errors: run.errors, warnings: run.warnings, budget: run.budget };
}

interface Run {
  readonly errors: FieldError[];
  readonly warnings: string[];
  budget: number;
  units: number;
  readonly inSteps: boolean;
}

/** What is known of the old value, for what has not changed. */
interface Unchanged {
  readonly own: Correlation | undefined;
  /** Of the nearest part above that has an old value. */
  readonly above: Correlation | undefined;
  readonly isRoot: boolean;
}

interface RuleNode {
  readonly plan: RulePlan;
  readonly value: JsonValue;
  readonly old: JsonValue | undefined;
  readonly path: string;
  readonly unchanged: Unchanged;
}

function isUnchanged({ above, own }: Unchanged): boolean {
  return own === undefined ? above?.isUnchanged() === true : own.isUnchanged();
}

function below(
  unchanged: Unchanged,
  part: (of: Correlation) => Correlation | undefined,
): Unchanged {
  const { own } = unchanged;
  if (own === undefined) return { ...unchanged, isRoot: false };
  return { own: part(own), above: own, isRoot: false };
}

const nothingKnown: Unchanged = { own: undefined, above: undefined, isRoot: false };

function* visit(node: RuleNode, run: Run): Steps<void> {
  const { plan, value } = node;
  if (value === null) return;
  if (plan.rules.length > 0) {
    yield* askRules(node, run);
    if (run.budget < 0) return;
  }
  run.units += 1;
  if (run.units % stepUnits === 0) yield;
  if (!plan.hasInner) return;
  if (Array.isArray(value)) yield* visitItems(node, value as readonly JsonValue[], run);
  else if (isJsonObject(value)) yield* visitMembers(node, value, run);
}

function* visitItems(
  { old, path, plan, unchanged }: RuleNode,
  list: readonly JsonValue[],
  run: Run,
): Steps<void> {
  const { items, schema } = plan;
  if (items === undefined) return;
  const keyed = schema['x-kubernetes-list-type'] === 'map' && Array.isArray(old);
  const before = keyed ? oldEntries(old as readonly JsonValue[], schema) : undefined;
  for (let at = 0; at < list.length && run.budget >= 0; at += 1) {
    const value = list[at] as JsonValue;
    const entry: RuleNode = {
      plan: items,
      value,
      old: before?.of(value),
      path: `${path}[${at}]`,
      unchanged: below(unchanged, (own) => own.entry(at)),
    };
    yield* visit(entry, run);
  }
}

function* visitMembers(
  { old, path, plan, unchanged }: RuleNode,
  members: JsonObject,
  run: Run,
): Steps<void> {
  const { values } = plan;
  for (const name in members) {
    if (run.budget < 0) return;
    const declared = plan.property(name);
    const inner = declared ?? values;
    const value = members[name];
    if (inner === undefined || value === undefined) continue;
    const isTypeMeta = unchanged.isRoot && (name === 'apiVersion' || name === 'kind');
    const before = isJsonObject(old) && Object.hasOwn(old, name) ? old[name] : undefined;
    const within =
      declared === undefined ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
    const member: RuleNode = {
      plan: inner,
      value,
      old: before,
      path: within,
      unchanged: isTypeMeta ? nothingKnown : below(unchanged, (own) => own.member(name)),
    };
    yield* visit(member, run);
  }
}

const outOfBudget =
  'validation failed due to running out of cost budget, no further validation rules will be run';

function* askRules(node: RuleNode, run: Run): Steps<void> {
  const { plan } = node;
  if (run.budget <= 0) {
    report(run, wrongType(node, outOfBudget));
    run.budget = -1;
    return;
  }
  const subjects = new Subjects(node);
  for (let at = 0; at < plan.rules.length; at += 1) {
    if (!run.inSteps) at = afterObeyed(plan.rules, at, subjects, run);
    const planned = plan.rules[at];
    if (planned === undefined) return;
    if (run.inSteps) yield;
    if (planned.isBlank) continue;
    const rule = planned.compiled ?? (yield* planned.rule());
    if (rule.kind === 'invalid') {
      report(run, wrongType(node, `rule compile error: ${rule.problem}`));
      continue;
    }
    const usesOldSelf = planned.usesOldSelf(rule);
    const bindings = subjects.bindingsFor(planned, usesOldSelf);
    if (bindings === undefined) continue;
    const { program } = rule.expression;
    const outcome = program.isShort
      ? program.evaluate(bindings, evaluationOptions)
      : yield* evaluate(program, bindings);
    if (isObeyed(outcome, run)) run.budget -= outcome.cost;
    else yield* conclude({ planned, usesOldSelf, node, bindings }, outcome, run);
    if (run.budget < 0) return;
  }
}

function isObeyed(outcome: Outcome, { budget }: Run): boolean {
  return outcome.kind === 'value' && outcome.value === true && outcome.cost <= budget;
}

/** Most rules are short and obeyed: past those that are, from this one on. The one that it ends
 * with is evaluated again by who reports on it. */
function afterObeyed(
  rules: readonly PlannedRule[],
  from: number,
  subjects: Subjects,
  run: Run,
): number {
  for (let at = from; at < rules.length; at += 1) {
    const planned = rules[at] as PlannedRule;
    const { short } = planned;
    if (short === undefined) return at;
    const bindings = subjects.bindingsFor(planned, short.usesOldSelf);
    if (bindings === undefined) continue;
    const outcome = short.program.evaluate(bindings, evaluationOptions);
    if (!isObeyed(outcome, run)) return at;
    run.budget -= outcome.cost;
  }
  return rules.length;
}

/** Of an outcome that is not simply true. */
function* conclude(asked: Asked, outcome: Outcome, run: Run): Steps<void> {
  const { node, planned } = asked;
  if (outcome.cost > run.budget) {
    report(run, wrongType(node, outOfBudget));
    run.budget = -1;
    return;
  }
  run.budget -= outcome.cost;
  if (outcome.kind === 'value') {
    yield* reportFailure(asked, run);
    return;
  }
  const problem = outcome.kind === 'unknown' ? 'the result is not known' : outcome.message;
  const named = nameOf(planned);
  if (outcome.kind === 'budget-exceeded') {
    const detail =
      `'${problem}': no further validation rules will be run ` +
      `due to call cost exceeds limit for rule: ${named}`;
    report(run, wrongType(node, detail));
    run.budget = -1;
  } else if (problem.startsWith('no such overload')) {
    const detail =
      `'${problem}': call arguments did not match a supported operator, ` +
      `function or macro signature for rule: ${named}`;
    report(run, wrongType(node, detail));
  } else {
    report(run, wrongType(node, `${problem} evaluating rule: ${named}`));
  }
}

const evaluationOptions = { budget: budgets.perEvaluation } as const;

/** In parts: what one step of a turn is allowed to take is for the language to see to. */
function* evaluate(program: Program, bindings: Bindings): Steps<Outcome> {
  const evaluation = program.begin(bindings, evaluationOptions);
  for (;;) {
    const outcome = evaluation.next();
    if (outcome !== undefined) return outcome;
    yield;
  }
}

/** What the rules of a node are evaluated with, made once for all of them. */
class Subjects {
  readonly #node: RuleNode;
  readonly #isNew: boolean;
  #plain: Bindings | undefined;
  #optional: Bindings | undefined;

  constructor(node: RuleNode) {
    this.#node = node;
    this.#isNew = node.old === undefined || node.old === null;
  }

  /** Undefined: the rule is about a change, and there is none. */
  bindingsFor({ source }: PlannedRule, usesOldSelf: boolean): Bindings | undefined {
    if (source.optionalOldSelf === true) return (this.#optional ??= this.#bindings(true));
    if (usesOldSelf && this.#isNew) return undefined;
    return (this.#plain ??= this.#bindings(false));
  }

  #bindings(optional: boolean): Bindings {
    const { old, plan, value } = this.#node;
    const type = plan.type as SchemaType;
    const self = bound(value, type);
    if (this.#isNew) return lookup<Binding>(optional ? { self, oldSelf: none } : { self });
    const oldSelf = (): Value => {
      const made = schemaValue(old, type);
      return optional ? new OptionalValue(made) : made;
    };
    return lookup<Binding>({ self, oldSelf });
  }
}

type Binding = Value | (() => Value | undefined);

/** A value that is not what its schema says is an error of each rule that looks at it. */
function bound(value: JsonValue, type: SchemaType): Binding {
  try {
    return schemaValue(value, type);
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** The message stands for the rule, where there is one. */
function nameOf({ source }: PlannedRule): string {
  const { message = '', rule } = source;
  return (message === '' ? rule : message).trim();
}

/** The value of an error of the rule itself is the type that the schema has there. */
function wrongType({ path, plan }: RuleNode, detail: string): FieldError {
  return invalid(path === '' ? noField : path, plan.schema.type ?? '', detail);
}

/** A rule, the node that it is evaluated at, and whether it compares with the old value. */
interface Asked {
  readonly planned: PlannedRule;
  readonly usesOldSelf: boolean;
  readonly node: RuleNode;
  readonly bindings: Bindings;
}

function* reportFailure(asked: Asked, run: Run): Steps<void> {
  const { bindings, node, planned, usesOldSelf } = asked;
  const { path, plan, unchanged, value } = node;
  const { source } = planned;
  const add = (error: FieldError): void => {
    if (usesOldSelf || !isUnchanged(unchanged)) report(run, error);
    else if (run.warnings.length < rulesErrorsMax) run.warnings.push(formatFieldError(error));
  };
  const { fieldPath } = planned;
  const field = fieldPath === '' ? path : path === '' ? fieldPath : `${path}.${fieldPath}`;
  const at = field === '' ? noField : field;
  const said = yield* messageOf(planned, bindings, run);
  if (said.kind === 'stop') {
    add(invalid(at, plan.schema.type ?? '', said.problem));
    run.budget = -1;
    return;
  }
  const { message = '' } = source;
  const detail = said.text ?? (message === '' ? `failed rule: ${nameOf(planned)}` : message.trim());
  const isShown = plan.schema.type !== 'object' && plan.schema.type !== 'array';
  add(failure(at, isShown ? value : undefined, detail, source.reason));
}

function failure(
  field: string,
  value: JsonValue | undefined,
  detail: string,
  reason: string | undefined,
): FieldError {
  switch (reason) {
    case FieldErrorType.forbidden:
    case FieldErrorType.required:
      return { type: reason, field, detail };
    case FieldErrorType.duplicate:
      return shownAsJson({ type: FieldErrorType.duplicate, field, value, detail: '' });
    default:
      return shownAsJson(invalid(field, value, detail));
  }
}

type Said =
  /** `text` undefined: what it says cannot be used. */
  | { readonly kind: 'said'; readonly text: string | undefined }
  | { readonly kind: 'stop'; readonly problem: string };

/** What a message expression may say. Policy: a longer message is not used, as in the reference. */
const messageBytesMax = 5 * 1024;

function* messageOf(planned: PlannedRule, bindings: Bindings, run: Run): Steps<Said> {
  const { source } = planned;
  const message = yield* planned.message();
  if (message?.kind !== 'ok') return { kind: 'said', text: undefined };
  const outcome = yield* evaluate(message.expression.program, bindings);
  if (outcome.cost > run.budget) {
    const problem =
      'messageExpression evaluation failed due to running out of cost budget, ' +
      'no further validation rules will be run';
    return { kind: 'stop', problem };
  }
  if (outcome.kind === 'budget-exceeded') {
    const { messageExpression = '' } = source;
    const problem =
      'no further validation rules will be run due to call cost exceeds limit ' +
      `for messageExpression: ${quote(messageExpression)}`;
    return { kind: 'stop', problem };
  }
  run.budget -= outcome.cost;
  const text =
    outcome.kind === 'value' && typeof outcome.value === 'string' ? outcome.value.trim() : '';
  const isUsable =
    text !== '' && !text.includes('\n') && Buffer.byteLength(text, 'utf8') <= messageBytesMax;
  return { kind: 'said', text: isUsable ? text : undefined };
}

function report(run: Run, error: FieldError): void {
  if (run.errors.length < rulesErrorsMax) run.errors.push(error);
}
