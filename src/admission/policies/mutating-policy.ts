/**
 * A compiled MutatingAdmissionPolicy, and its application to one object with one parameter (spec 2,
 * section 9.2).
 *
 *     match conditions ▶ mutation, mutation … each sees the result of the one before
 *
 * mutating.ts chooses and orders the policies for a write.
 *
 * Bounds: each mutation has its own budget, makes no more values than a body may hold, and no
 * object that the store does not take. A result with more than `valuesAtOnce` is made in steps.
 */
import { countValues } from '../../apimachinery/codecs/body-bounds.ts';
import { objects, part, text } from '../../apimachinery/members.ts';
import type { MergeType } from '../../apimachinery/fieldmanager/schema/merge-type.ts';
import type { KindInfo } from '../../apimachinery/scheme.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import { budgets } from '../../cel/budgets.ts';
import type { Bindings } from '../../cel/cel.ts';
import { EvaluationError } from '../../cel/evaluation-error.ts';
import type { Language } from '../../cel/language.ts';
import { listType } from '../../cel/type.ts';
import { adapt, ListValue } from '../../cel/value.ts';
import type { Value } from '../../cel/value.ts';
import { after } from '../../stdx/awaitable.ts';
import type { Awaitable } from '../../stdx/awaitable.ts';
import { startedAtOnce } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { valueOf } from '../expressions/admission-input.ts';
import { compileAll, evaluateAll } from '../expressions/filter.ts';
import type {
  Compiled,
  EvaluationPorts,
  FilterResult,
  NamedExpression,
} from '../expressions/filter.ts';
import { jsonOf } from '../expressions/json-of.ts';
import {
  jsonPatchType,
  MadeObject,
  misplacedTypes,
  mutationObjectType,
} from '../expressions/mutation-types.ts';
import { compileMatchConditions } from '../matching/match-conditions.ts';
import type { ConditionsVerdict, MatchConditions } from '../matching/match-conditions.ts';
import { resourcesMatcher } from '../matching/matcher.ts';
import type { Matcher } from '../matching/matching.ts';
import { applyConfiguration } from './apply-mutation.ts';
import { applyOperations } from './json-patch-mutation.ts';
import type { Mutated } from './json-patch-mutation.ts';
import { LazyVariables } from './lazy-variables.ts';
import { compileVariables } from './policy-environments.ts';
import type { PolicyEnvironments } from './policy-environments.ts';
import { failurePolicyOf, paramKindOf } from './policy-spec.ts';
import type { FailurePolicy, ParamKind } from './policy-spec.ts';

/** Of the object and what is written into it; they are walked over five times. */
const valuesAtOnce = 2_000;

export interface MutatingPolicy {
  readonly name: string;
  readonly matcher: Matcher;
  readonly paramKind: ParamKind | undefined;
  readonly failurePolicy: FailurePolicy;
  /** It is asked once more when something behind it has changed the object. */
  readonly reinvoked: boolean;
  readonly conditions: MatchConditions;
  readonly variables: ReadonlyMap<string, Compiled>;
  readonly mutations: readonly Mutation[];
}

interface Mutation {
  readonly form: 'apply' | 'json-patch';
  readonly expression: NamedExpression;
}

export function* compileMutatingPolicy(
  policy: ApiObject,
  language: Language,
  environments: PolicyEnvironments,
): Steps<MutatingPolicy> {
  const spec = part(policy, 'spec');
  const paramKind = paramKindOf(spec);
  const params = paramKind !== undefined;
  const { compiled, types } = yield* compileVariables(language, spec, params);
  const scope = { params, authorizer: true, variables: types, mutating: true };
  const environment = environments.at(scope);
  const mutations: Mutation[] = [];
  for (const mutation of objects(spec, 'mutations')) {
    const isPatch = text(mutation, 'patchType') === 'JSONPatch';
    const name = isPatch ? 'jsonPatch' : 'applyConfiguration';
    const result = isPatch ? listType(jsonPatchType) : mutationObjectType;
    const expressions = [text(part(mutation, name), 'expression')];
    const [expression] = yield* compileAll(environment, expressions, [result]);
    if (expression === undefined) continue;
    mutations.push({ form: isPatch ? 'json-patch' : 'apply', expression });
  }
  return {
    name: policy.metadata.name ?? '',
    matcher: resourcesMatcher(part(spec, 'matchConstraints')),
    paramKind,
    failurePolicy: failurePolicyOf(spec),
    reinvoked: text(spec, 'reinvocationPolicy') === 'IfNeeded',
    conditions: yield* compileMatchConditions(environments.at({ params, authorizer: true }), spec),
    variables: compiled,
    mutations,
  };
}

export interface MutationTarget {
  readonly object: ApiObject;
  /** At the version that the object is shown in. */
  readonly kind: KindInfo;
  readonly mergeType: MergeType;
  /** Of the request, but for the object. */
  readonly bindings: Bindings;
}

/** What a policy makes of an object, and what it could not do. */
export interface MutatedByPolicy {
  /** The very same one where nothing is to be changed. */
  readonly object: ApiObject;
  readonly problems: readonly string[];
}

/** A mutation that fails changes nothing, and those behind it go on from there. */
export function mutateByPolicy(
  policy: MutatingPolicy,
  target: MutationTarget,
  ports: EvaluationPorts,
  observe: (verdict: ConditionsVerdict) => void = () => undefined,
): Awaitable<MutatedByPolicy> {
  const { bindings, object } = target;
  const unchanged: MutatedByPolicy = { object, problems: [] };
  const seen = { ...bindings, object: valueOf(object) };
  return after(policy.conditions.evaluate(seen, ports), (verdict) => {
    if (policy.conditions.count > 0) observe(verdict);
    if (verdict.kind === 'failed') {
      return { object, problems: [verdict.message] };
    }
    return verdict.kind === 'excluded' ? unchanged : mutateFrom(policy, target, ports, 0, []);
  });
}

function mutateFrom(
  policy: MutatingPolicy,
  target: MutationTarget,
  ports: EvaluationPorts,
  from: number,
  problems: readonly string[],
): Awaitable<MutatedByPolicy> {
  const mutation = policy.mutations[from];
  if (mutation === undefined) return { object: target.object, problems };
  const bindings = { ...target.bindings, object: valueOf(target.object) };
  const own = new LazyVariables(policy.variables, bindings, ports);
  const found = evaluateAll([mutation.expression], own.bindings, budgets.perObject, ports, () =>
    own.takeCost(),
  );
  const making = after(found, (result) =>
    startedAtOnce(ports.turns, changed(mutation, target, result)),
  );
  return after(making, (made) => {
    if (typeof made !== 'string') {
      return mutateFrom(policy, { ...target, object: made }, ports, from + 1, problems);
    }
    return mutateFrom(policy, target, ports, from + 1, [...problems, made]);
  });
}

/** With a step after each walk over what is large. */
function* changed(
  { form }: Mutation,
  { kind, mergeType, object }: MutationTarget,
  found: FilterResult,
): Steps<Mutated> {
  if (found.kind === 'out-of-budget') return found.message;
  const [result] = found.results;
  if (result?.kind !== 'value') return result?.kind === 'error' ? result.message : object;
  const { value } = result;
  try {
    const misplaced = misplacedIn(form, value);
    if (misplaced !== undefined) return `type mismatch: ${misplaced}`;
    const json = yield* jsonOf(value);
    const written = countValues(json ?? null, valuesAtOnce);
    const isLarge = written + countValues(object, valuesAtOnce) > valuesAtOnce;
    if (isLarge) yield;
    if (form === 'json-patch') return yield* applyOperations(object, json ?? [], kind, isLarge);
    if (!(value instanceof MadeObject) || !isJsonObject(json)) {
      return 'unexpected return type from ApplyConfiguration expression';
    }
    return yield* applyConfiguration(object, json, { kind, type: mergeType, isLarge });
  } catch (error) {
    if (error instanceof EvaluationError) return error.message;
    throw error;
  }
}

/** Of operations only what each of them is to write, and of that no list. */
function misplacedIn(form: Mutation['form'], value: Value): string | undefined {
  if (form === 'apply') return value instanceof MadeObject ? misplacedTypes(value) : undefined;
  const operations = adapt(value);
  if (!(operations instanceof ListValue) && !Array.isArray(operations)) return undefined;
  const count = operations instanceof ListValue ? operations.size() : operations.length;
  for (let at = 0; at < count; at += 1) {
    const operation = operations instanceof ListValue ? operations.get(at) : adapt(operations[at]);
    const written = operation instanceof MadeObject ? operation.field('value') : undefined;
    const misplaced = written instanceof MadeObject ? misplacedTypes(written) : undefined;
    if (misplaced !== undefined) return misplaced;
  }
  return undefined;
}
