/**
 * Applies all mutating policies to an object.
 *
 *     policy matches ▶ binding matches ▶ params ▶ mutations, each on the result of the one before
 *
 * Invariants: policies run in the order of their names, and so do the bindings of each. Matching is
 * done on the object as it was before any of them. If the object has changed, all plugins get a
 * second round; in that round only policies run that ran before, want to be reinvoked, and find the
 * object changed since.
 * Bounds: those of validating policies.
 */
import { countValues } from '../../apimachinery/codecs/body-bounds.ts';
import type { MergeType } from '../../apimachinery/fieldmanager/schema/merge-type.ts';
import { quote } from '../../apimachinery/quote.ts';
import type { GroupVersionKind } from '../../apimachinery/schema.ts';
import type { KindInfo } from '../../apimachinery/scheme.ts';
import { newForbidden, StatusError } from '../../apimachinery/status-error.ts';
import { StatusReason } from '../../apimachinery/status-table.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import { after, firstOf } from '../../stdx/awaitable.ts';
import type { Awaitable } from '../../stdx/awaitable.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import type { MatchedAs } from '../matching/matching.ts';
import { mutateByPolicy } from './mutating-policy.ts';
import type { MutatedByPolicy, MutatingPolicy } from './mutating-policy.ts';

import { collectParams } from './params.ts';
import { policyLimits } from './policies.ts';
import type { PolicyPorts, PolicyRequest } from './policies.ts';
import { policyRun } from './policy-run.ts';
import type { PolicyRun } from './policy-run.ts';
import type { BoundPolicy } from './policy-source.ts';
import type { PolicyBinding } from './policy-spec.ts';

/** The object that is changed, as it is stored and as it is shown. */
export interface MutableObject {
  /** How mutations see it; undefined: it has no fields to mutate by. */
  typeOf(kind: GroupVersionKind): { readonly kind: KindInfo; readonly type: MergeType } | undefined;
  show(object: ApiObject, kind: GroupVersionKind): Awaitable<ApiObject | StatusError | undefined>;
  store(
    before: ApiObject,
    shown: ApiObject,
    kind: GroupVersionKind,
  ): Awaitable<ApiObject | StatusError>;
}

/** What is remembered between the two passes over a write. */
export interface Reinvocation {
  readonly round: 0 | 1;
  /** Policies that want to run again, by name, binding and param. */
  readonly invoked: Set<string>;
  changed: boolean;
  output: ApiObject | undefined;
}

/** The very same object where nobody changes it. */
export function mutateByPolicies(
  policies: readonly BoundPolicy<MutatingPolicy>[],
  object: ApiObject,
  mutable: MutableObject,
  request: PolicyRequest,
  reinvocation: Reinvocation,
  ports: PolicyPorts,
): Awaitable<ApiObject | StatusError> {
  const state = new Mutating(object, mutable, request, reinvocation, ports);
  return after(
    firstOf(policies, (policy) => state.apply(policy)),
    (failure) => failure ?? state.result(),
  );
}

class Mutating {
  readonly #run: PolicyRun;
  readonly #ports: PolicyPorts;
  readonly #mutable: MutableObject;
  readonly #reinvocation: Reinvocation;
  /** Whether those who ran before are to run again, in the second pass. */
  readonly #again: boolean;
  /** Told first: they are found out before anything is changed. */
  readonly #misconfigured: string[] = [];
  readonly #failed: string[] = [];
  #object: ApiObject;

  constructor(
    object: ApiObject,
    mutable: MutableObject,
    request: PolicyRequest,
    reinvocation: Reinvocation,
    ports: PolicyPorts,
  ) {
    this.#run = policyRun(request, ports, 'admit');
    this.#object = object;
    this.#mutable = mutable;
    this.#reinvocation = reinvocation;
    this.#ports = ports;
    const { changed, output } = reinvocation;
    this.#again = changed || (output !== undefined && !deepEqual(output, object));
  }

  result(): ApiObject | StatusError {
    this.#reinvocation.output = this.#object;
    const denials = [...this.#misconfigured, ...this.#failed];
    const [first] = denials;
    if (first === undefined) return this.#object;
    const { match } = this.#run.request;
    const prefix = this.#object.metadata.generateName ?? '';
    const like = newForbidden(match.shape, match.name || prefix || 'Unknown', first);
    const causes = denials.map((message) => ({ message }));
    const details = { ...like.details, causes };
    const isFailed = this.#misconfigured.length === 0;
    const reason = isFailed ? StatusReason.invalid : StatusReason.forbidden;
    // As in the reference, the code stays that of the other reason.
    return new StatusError({ reason, message: first, details, code: like.code });
  }

  apply({ bindings, policy }: BoundPolicy<MutatingPolicy>): Awaitable<StatusError | undefined> {
    const as = this.#run.matched(policy);
    if (as === undefined) return this.#run.spend(policyLimits.unitsOfMatch);
    if (typeof as === 'string') {
      this.#misconfigure(policy, undefined, as);
      return undefined;
    }
    return firstOf(bindings, (binding) => this.#applyBound(policy, binding, as));
  }

  #applyBound(
    policy: MutatingPolicy,
    binding: PolicyBinding,
    as: MatchedAs,
  ): Awaitable<StatusError | undefined> {
    const { request } = this.#run;
    const matched = this.#run.match(binding.matcher);
    if (matched.kind === 'none') return this.#run.spend(0);
    if (matched.kind === 'error') {
      this.#misconfigure(policy, binding, matched.error.message);
      return undefined;
    }
    const { namespace } = request.match;
    const { paramKind } = policy;
    const spend = (units: number) => this.#run.spendOnLooking(units);
    const collecting = collectParams(paramKind, binding, namespace, this.#ports.params, spend);
    return after(collecting, (params) => {
      if (params instanceof StatusError) return params;
      if (typeof params !== 'string') {
        return firstOf(params, (late) =>
          after(late(), (param) => this.#applyWith(policy, binding, as, param)),
        );
      }
      this.#misconfigure(policy, binding, params);
      return undefined;
    });
  }

  #applyWith(
    policy: MutatingPolicy,
    binding: PolicyBinding,
    as: MatchedAs,
    param: ApiObject | undefined,
  ): Awaitable<StatusError | undefined> {
    const { namespace = '', name = '', uid = '' } = param?.metadata ?? {};
    const key = JSON.stringify([policy.name, binding.name, namespace, name, uid]);
    const { invoked, round } = this.#reinvocation;
    if (round === 1 && !(this.#again && invoked.has(key))) return undefined;
    if (policy.reinvoked) invoked.add(key);
    const type = this.#mutable.typeOf(as.kind);
    if (type === undefined) return undefined;
    return after(this.#shown(as), (shown) => {
      if (shown instanceof StatusError || shown === undefined) {
        if (shown !== undefined) this.#fail(policy, binding, shown.message);
        return undefined;
      }
      const namespaceObject = this.#run.namespaceObject();
      if (namespaceObject instanceof StatusError) return namespaceObject;
      const { object, oldObject } = shown;
      const hasParams = policy.paramKind !== undefined;
      const about = { as, shown: { object, oldObject }, namespaceObject, param, hasParams };
      const { full } = this.#run.subject(about);
      const startedMs = this.#ports.metrics.nowMs();
      const target = { object, kind: type.kind, mergeType: type.type, bindings: full };
      const mutated = mutateByPolicy(policy, target, this.#run.evaluation, (verdict) =>
        this.#run.observeConditions(policy.name, verdict, startedMs),
      );
      return after(mutated, (found) => this.#take(policy, binding, as, object, found));
    });
  }

  #shown(
    as: MatchedAs,
  ): Awaitable<{ object: ApiObject; oldObject: ApiObject | undefined } | StatusError | undefined> {
    return after(this.#mutable.show(this.#object, as.kind), (object) => {
      if (object === undefined || object instanceof StatusError) return object;
      return after(this.#run.request.shown(as.kind), (shown) =>
        shown instanceof StatusError ? shown : { object, oldObject: shown.oldObject },
      );
    });
  }

  #take(
    policy: MutatingPolicy,
    binding: PolicyBinding,
    as: MatchedAs,
    before: ApiObject,
    { object: found, problems }: MutatedByPolicy,
  ): Awaitable<StatusError | undefined> {
    const values = countValues(before, policyLimits.unitsAtOnce / policyLimits.unitsOfValue);
    const units = policyLimits.unitsOfEvaluation + values * policyLimits.unitsOfValue;
    const goOn = () => this.#run.spend(units);
    for (const problem of problems) this.#fail(policy, binding, problem);
    if (found === before || deepEqual(found, before)) return goOn();
    return after(this.#mutable.store(this.#object, found, as.kind), (stored) => {
      if (stored instanceof StatusError) this.#fail(policy, binding, stored.message);
      else {
        this.#object = stored;
        this.#reinvocation.changed = true;
      }
      return goOn();
    });
  }

  /** The failure policy decides. */
  #misconfigure(policy: MutatingPolicy, binding: PolicyBinding | undefined, why: string): void {
    if (policy.failurePolicy === 'Ignore') return;
    const what = binding === undefined ? 'policy' : 'binding';
    this.#misconfigured.push(denial(policy, binding, `failed to configure ${what}: ${why}`));
  }

  /** The failure policy decides. */
  #fail(policy: MutatingPolicy, binding: PolicyBinding, problem: string): void {
    if (policy.failurePolicy !== 'Ignore') this.#failed.push(denial(policy, binding, problem));
  }
}

function denial(policy: MutatingPolicy, binding: PolicyBinding | undefined, why: string): string {
  if (binding === undefined) return `policy ${quote(policy.name)} denied request: ${why}`;
  return `policy '${policy.name}' with binding '${binding.name}' denied request: ${why}`;
}
