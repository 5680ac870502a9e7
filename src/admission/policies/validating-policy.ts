/**
 * A compiled ValidatingAdmissionPolicy, and its evaluation for one request with one parameter (spec
 * 2, section 9.2).
 *
 *     match conditions ▶ validations ▶ messages of those that fail ▶ audit annotations
 *
 * validating.ts chooses the policies for a write and acts on their results.
 *
 * Invariants: it is compiled once for each generation. The failure policy decides about expressions
 * that cannot be evaluated; an expression that gives false always denies.
 * Bounds: one budget for validations and messages, and one for annotations.
 */
import { objects, part, text } from '../../apimachinery/members.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import { budgets } from '../../cel/budgets.ts';
import type { Bindings } from '../../cel/cel.ts';
import type { Language } from '../../cel/language.ts';
import { boolType, nullType, stringType } from '../../cel/type.ts';
import { after } from '../../stdx/awaitable.ts';
import type { Awaitable } from '../../stdx/awaitable.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { compileAll, evaluateAll } from '../expressions/filter.ts';
import type {
  Compiled,
  EvaluationPorts,
  FilterResult,
  NamedExpression,
  Result,
} from '../expressions/filter.ts';
import { compileMatchConditions } from '../matching/match-conditions.ts';
import type { ConditionsVerdict, MatchConditions } from '../matching/match-conditions.ts';
import { resourcesMatcher } from '../matching/matcher.ts';
import type { Matcher } from '../matching/matching.ts';
import { bindingsWith } from './lazy-variables.ts';
import { compileVariables } from './policy-environments.ts';
import type { PolicyEnvironments } from './policy-environments.ts';
import { failurePolicyOf, paramKindOf } from './policy-spec.ts';
import type { FailurePolicy, ParamKind } from './policy-spec.ts';

/** What a message expression may say. Policy: a longer message is not used, as in the reference. */
const messageBytesMax = 5 * 1024;

export interface ValidatingPolicy {
  readonly name: string;
  readonly matcher: Matcher;
  readonly paramKind: ParamKind | undefined;
  readonly failurePolicy: FailurePolicy;
  readonly conditions: MatchConditions;
  readonly variables: ReadonlyMap<string, Compiled>;
  readonly validations: readonly Validation[];
  readonly rules: readonly NamedExpression[];
  readonly messages: readonly NamedExpression[];
  readonly annotationKeys: readonly string[];
  readonly annotations: readonly NamedExpression[];
}

interface Validation {
  readonly expression: string;
  readonly message: string;
  /** '': Invalid. */
  readonly reason: string;
}

export function* compileValidatingPolicy(
  policy: ApiObject,
  language: Language,
  environments: PolicyEnvironments,
): Steps<ValidatingPolicy> {
  const spec = part(policy, 'spec');
  const paramKind = paramKindOf(spec);
  const params = paramKind !== undefined;
  const variables = yield* compileVariables(language, spec, params);
  const { types } = variables;
  const conditions = environments.at({ params, authorizer: true });
  const full = environments.at({ params, authorizer: true, variables: types });
  const plain = environments.at({ params, authorizer: false, variables: types });
  const validations = objects(spec, 'validations');
  const annotations = objects(spec, 'auditAnnotations');
  const of = (list: typeof validations, name: string) => list.map((item) => text(item, name));
  return {
    name: policy.metadata.name ?? '',
    matcher: resourcesMatcher(part(spec, 'matchConstraints')),
    paramKind,
    failurePolicy: failurePolicyOf(spec),
    conditions: yield* compileMatchConditions(conditions, spec),
    variables: variables.compiled,
    validations: validations.map((item) => ({
      expression: text(item, 'expression'),
      message: text(item, 'message'),
      reason: text(item, 'reason'),
    })),
    rules: yield* compileAll(full, of(validations, 'expression'), [boolType]),
    messages: yield* compileAll(plain, of(validations, 'messageExpression'), [stringType]),
    annotationKeys: of(annotations, 'key'),
    annotations: yield* compileAll(full, of(annotations, 'valueExpression'), [
      stringType,
      nullType,
    ]),
  };
}

export interface PolicyDecision {
  readonly action: 'admit' | 'deny';
  readonly evaluation: 'admit' | 'deny' | 'error';
  readonly message: string;
  readonly reason: string;
  /** Of the validation; 0 where it is about the whole policy. */
  readonly index: number;
}

export type AnnotationResult =
  | { readonly kind: 'publish'; readonly key: string; readonly value: string }
  | { readonly kind: 'error'; readonly message: string };

export interface PolicyResult {
  readonly decisions: readonly PolicyDecision[];
  readonly annotations: readonly AnnotationResult[];
}

const nothingSaid: PolicyResult = { decisions: [], annotations: [] };

export interface Subject {
  /** With the authorizer, and with params where the policy has them. */
  readonly full: Bindings;
  /** Without the authorizer: what messages and annotations see. */
  readonly plain: Bindings;
}

/** `observe`: told of what the match conditions came to, where there are any. */
export function evaluatePolicy(
  policy: ValidatingPolicy,
  subject: Subject,
  ports: EvaluationPorts,
  observe: (verdict: ConditionsVerdict) => void = () => undefined,
): Awaitable<PolicyResult> {
  return after(policy.conditions.evaluate(subject.full, ports), (verdict) => {
    if (policy.conditions.count > 0) observe(verdict);
    switch (verdict.kind) {
      case 'match':
        return evaluateMatched(policy, subject, ports);
      case 'excluded':
        return nothingSaid;
      case 'failed':
        // As with webhooks: an error excludes where it is ignored.
        return policy.failurePolicy === 'Ignore' ? nothingSaid : failure(policy, verdict.message);
    }
  });
}

function failure({ failurePolicy }: ValidatingPolicy, message: string): PolicyResult {
  return { decisions: [failed(failurePolicy, message, 0)], annotations: [] };
}

function failed(policy: FailurePolicy, message: string, index: number): PolicyDecision {
  const action = policy === 'Fail' ? 'deny' : 'admit';
  return { action, evaluation: 'error', message, reason: '', index };
}

function evaluateMatched(
  policy: ValidatingPolicy,
  subject: Subject,
  ports: EvaluationPorts,
): Awaitable<PolicyResult> {
  const { annotations, messages, rules } = policy;
  const evaluate: Evaluate = (expressions, bindings, budget) => {
    const own = bindingsWith(policy.variables, bindings, ports);
    return evaluateAll(expressions, own.bindings, budget, ports, own.takeCost);
  };
  return after(evaluate(rules, subject.full, budgets.perObject), (found) => {
    if (found.kind === 'out-of-budget') return failure(policy, found.message);
    const { left, results } = found;
    return after(messagesOf(messages, results, left, evaluate, subject), (texts) => {
      const decisions = results.map((result, at) => decisionOf(policy, at, result, texts));
      if (annotations.length === 0) return { decisions, annotations: [] };
      return after(evaluate(annotations, subject.plain, budgets.perObject), (values) => {
        if (values.kind === 'out-of-budget') return failure(policy, values.message);
        return { decisions, annotations: annotationsOf(policy, values.results) };
      });
    });
  });
}

type Evaluate = (
  expressions: readonly NamedExpression[],
  bindings: Bindings,
  budget: number,
) => Awaitable<FilterResult>;

/** Those that somebody will read; the others are not made. */
function messagesOf(
  messages: readonly NamedExpression[],
  results: readonly Result[],
  budget: number,
  evaluate: Evaluate,
  { plain }: Subject,
): Awaitable<FilterResult> {
  const isWanted = ({ compiled }: NamedExpression, at: number): boolean =>
    compiled !== undefined && isDenied(results[at]);
  if (!messages.some(isWanted)) return noMessages;
  const wanted = messages.map((message, at) => (isWanted(message, at) ? message : unasked));
  return evaluate(wanted, plain, budget);
}

const unasked: NamedExpression = { text: '', compiled: undefined };
const noMessages: FilterResult = { kind: 'results', results: [], left: 0 };

function isDenied(result: Result | undefined): boolean {
  return result?.kind === 'value' && result.value !== true;
}

function decisionOf(
  policy: ValidatingPolicy,
  index: number,
  result: Result,
  messages: FilterResult,
): PolicyDecision {
  const { failurePolicy } = policy;
  if (result.kind === 'error') return failed(failurePolicy, result.message, index);
  if (result.kind === 'value' && result.value === true) {
    return { action: 'admit', evaluation: 'admit', message: '', reason: '', index };
  }
  if (messages.kind === 'out-of-budget') {
    return failed(failurePolicy, `failed messageExpression: ${messages.message}`, index);
  }
  const { expression, message, reason } = policy.validations[index] as Validation;
  const made = messageOf(messages.results[index]);
  const text = made || message.trim() || `failed expression: ${expression.trim()}`;
  return { action: 'deny', evaluation: 'deny', message: text, reason, index };
}

/** '' for what is no message: too long, of several lines, or not made at all. */
function messageOf(result: Result | undefined): string {
  if (result?.kind !== 'value' || typeof result.value !== 'string') return '';
  const message = result.value.trim();
  // A character has at least a byte.
  if (message.length > messageBytesMax) return '';
  if (message.includes('\n') || Buffer.byteLength(message) > messageBytesMax) return '';
  return message;
}

function annotationsOf(
  { annotationKeys, failurePolicy }: ValidatingPolicy,
  results: readonly Result[],
): readonly AnnotationResult[] {
  return results.flatMap((result, at): readonly AnnotationResult[] => {
    if (result.kind === 'error') {
      const { message } = result;
      return failurePolicy === 'Fail' ? [{ kind: 'error', message }] : [];
    }
    if (result.kind === 'none' || typeof result.value !== 'string') return [];
    const value = result.value.trim();
    return value === '' ? [] : [{ kind: 'publish', key: annotationKeys[at] ?? '', value }];
  });
}
