/**
 * Evaluates all validating policies for a write: the first denial, the warnings, and the
 * annotations of the audit event.
 *
 *     policy matches ▶ binding matches ▶ params ▶ each: Deny refuses, Warn warns, Audit annotates
 *
 * Invariants: policies run in the order of their names, and so do the bindings of each. A later
 * denial does not replace the first one; the warnings and annotations of all are kept, as far as
 * there is room.
 * Bounds: other requests have a turn after `unitsAtOnce`; evaluation ends when the client has gone.
 */
import type { GroupResource } from '../../apimachinery/schema.ts';
import { newForbidden, StatusError } from '../../apimachinery/status-error.ts';
import { StatusReason } from '../../apimachinery/status-table.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import { after, firstOf } from '../../stdx/awaitable.ts';
import type { Awaitable } from '../../stdx/awaitable.ts';
import { lookup } from '../../stdx/lookup.ts';
import type { MatchedAs } from '../matching/matching.ts';
import { collectParams } from './params.ts';
import { policyLimits } from './policies.ts';
import type { PolicyPorts, PolicyRequest, PolicyRecorder, ShownObjects } from './policies.ts';
import { policyRun } from './policy-run.ts';
import type { PolicyRun } from './policy-run.ts';
import type { BoundPolicy } from './policy-source.ts';
import type { PolicyBinding } from './policy-spec.ts';
import { evaluatePolicy } from './validating-policy.ts';
import type { PolicyDecision, PolicyResult, ValidatingPolicy } from './validating-policy.ts';

export type ValidatingHook = BoundPolicy<ValidatingPolicy>;

/** Values of audit annotations, by their keys. Undefined: the policy has none. */
type Collected = Map<string, Set<string>>;

/** A value of an audit annotation. Policy: the rest is cut off. */
const annotationBytesMax = 10 * 1024;
/** Characters of all values that policies give one write: each may have another one for each of
 * thousands of params. Policy: the others are left out, and an ellipsis stands for them. */
const annotationsMax = 1024 * 1024;
const leftOut = '...';
const failureKey = 'validation.policy.admission.{domain}/validation_failure';

/** `fill`: of the identity. Undefined: nobody refuses. */
export function validateByPolicies(
  hooks: readonly ValidatingHook[],
  request: PolicyRequest,
  recorder: PolicyRecorder,
  ports: PolicyPorts,
  fill: (name: string) => string,
): Awaitable<StatusError | undefined> {
  const validation = new PolicyValidation(request, recorder, ports, fill);
  return after(
    firstOf(hooks, (hook) => validation.validate(hook)),
    (failure) => failure ?? validation.refusal(),
  );
}

interface Denial {
  readonly message: string;
  readonly reason: string;
}

class PolicyValidation {
  readonly #run: PolicyRun;
  readonly #recorder: PolicyRecorder;
  readonly #ports: PolicyPorts;
  readonly #fill: (name: string) => string;
  #annotationsLeft = annotationsMax;
  #denial: Denial | undefined;

  constructor(
    request: PolicyRequest,
    recorder: PolicyRecorder,
    ports: PolicyPorts,
    fill: (name: string) => string,
  ) {
    this.#run = policyRun(request, ports, 'validate');
    this.#recorder = recorder;
    this.#ports = ports;
    this.#fill = fill;
  }

  refusal(): StatusError | undefined {
    const denial = this.#denial;
    if (denial === undefined) return undefined;
    const { match } = this.#run.request;
    return denied(match.shape, match.name, denial);
  }

  /** An error that ends everything; undefined: go on. */
  validate({ bindings, policy }: ValidatingHook): Awaitable<StatusError | undefined> {
    const as = this.#run.matched(policy);
    if (as === undefined) return this.#run.spend(policyLimits.unitsOfMatch);
    if (typeof as === 'string') {
      this.#misconfigured(policy, undefined, as);
      return undefined;
    }
    const collected: Collected | undefined =
      policy.annotations.length === 0 ? undefined : new Map<string, Set<string>>();
    const each = firstOf(bindings, (binding) =>
      this.#validateBinding(policy, binding, as, collected),
    );
    if (collected === undefined) return each;
    return after(each, (failure) => {
      for (const [key, values] of collected) {
        this.#recorder.annotate(`${policy.name}/${key}`, [...values].join(', '));
      }
      return failure;
    });
  }

  #validateBinding(
    policy: ValidatingPolicy,
    binding: PolicyBinding,
    as: MatchedAs,
    collected: Collected | undefined,
  ): Awaitable<StatusError | undefined> {
    const { request } = this.#run;
    const matched = this.#run.match(binding.matcher);
    if (matched.kind === 'none') return this.#run.spend(0);
    if (matched.kind === 'error') {
      this.#misconfigured(policy, binding, matched.error.message);
      return undefined;
    }
    const collecting = collectParams(
      policy.paramKind,
      binding,
      request.match.namespace,
      this.#ports.params,
      (units) => this.#run.spendOnLooking(units),
    );
    return after(collecting, (params) => {
      if (params instanceof StatusError) return params;
      if (typeof params === 'string') {
        this.#misconfigured(policy, binding, params);
        return undefined;
      }
      return after(request.shown(as.kind), (shown) => {
        if (shown instanceof StatusError) {
          this.#misconfigured(policy, binding, shown.message);
          return undefined;
        }
        const namespaceObject = this.#run.namespaceObject();
        if (namespaceObject instanceof StatusError) return namespaceObject;
        return firstOf(params, (late) =>
          after(late(), (param) =>
            this.#evaluateWith(policy, binding, { as, shown, namespaceObject, param, collected }),
          ),
        );
      });
    });
  }

  #evaluateWith(
    policy: ValidatingPolicy,
    binding: PolicyBinding,
    { as, collected, namespaceObject, param, shown }: Evaluated,
  ): Awaitable<StatusError | undefined> {
    const run = this.#run;
    const startedMs = this.#ports.metrics.nowMs();
    const subject = run.subject({
      as,
      shown,
      namespaceObject,
      param,
      hasParams: policy.paramKind !== undefined,
    });
    const found = evaluatePolicy(policy, subject, run.evaluation, (verdict) =>
      run.observeConditions(policy.name, verdict, startedMs),
    );
    return after(found, (result) => {
      this.#enforce(policy, binding, result, collected, startedMs);
      return run.spend(policyLimits.unitsOfEvaluation);
    });
  }

  #enforce(
    policy: ValidatingPolicy,
    binding: PolicyBinding,
    { annotations, decisions }: PolicyResult,
    collected: Collected | undefined,
    startedMs: number,
  ): void {
    const { metrics } = this.#ports;
    const labels = { policy: policy.name, binding: binding.name };
    for (const decision of decisions) {
      const error = errorLabel(decision);
      if (decision.action === 'deny') this.#act(policy, binding, decision, startedMs);
      else if (decision.evaluation === 'error') {
        metrics.check({ ...labels, enforcement: 'allow', error }, startedMs);
      }
    }
    const admitted = decisions.every(({ evaluation }) => evaluation === 'admit');
    if (admitted) metrics.check({ ...labels, enforcement: 'allow', error: 'no_error' }, startedMs);
    for (const annotation of annotations) {
      if (annotation.kind === 'error') {
        this.#deny(policy, binding, annotation.message, '');
        continue;
      }
      if (collected !== undefined) this.#collect(collected, annotation.key, cut(annotation.value));
    }
  }

  #collect(collected: Collected, key: string, value: string): void {
    const values = collected.get(key) ?? new Set();
    collected.set(key, values);
    if (values.has(value)) return;
    const isRoom = value.length <= this.#annotationsLeft;
    if (isRoom) this.#annotationsLeft -= value.length;
    values.add(isRoom ? value : leftOut);
  }

  #act(
    policy: ValidatingPolicy,
    binding: PolicyBinding,
    decision: PolicyDecision,
    startedMs: number,
  ): void {
    const labels = { policy: policy.name, binding: binding.name, error: errorLabel(decision) };
    const { metrics } = this.#ports;
    for (const action of binding.actions) {
      if (action === 'Deny') {
        this.#deny(policy, binding, decision.message, decision.reason);
        metrics.check({ ...labels, enforcement: 'deny' }, startedMs);
      } else if (action === 'Warn') {
        const of = `ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}'`;
        this.#recorder.warn(`Validation failed for ${of}: ${decision.message}`);
        metrics.check({ ...labels, enforcement: 'warn' }, startedMs);
      } else if (action === 'Audit') {
        this.#annotateFailure(binding, decision);
        metrics.check({ ...labels, enforcement: 'audit' }, startedMs);
      }
    }
  }

  #annotateFailure(binding: PolicyBinding, { index, message }: PolicyDecision): void {
    const failures = [
      {
        message,
        policy: binding.policyName,
        binding: binding.name,
        expressionIndex: index,
        validationActions: binding.actions,
      },
    ];
    this.#recorder.annotate(this.#fill(failureKey), JSON.stringify(failures));
  }

  /** The failure policy decides. */
  #misconfigured(
    policy: ValidatingPolicy,
    binding: PolicyBinding | undefined,
    problem: string,
  ): void {
    if (policy.failurePolicy === 'Ignore') return;
    const what = binding === undefined ? 'policy' : 'binding';
    this.#deny(policy, binding, `failed to configure ${what}: ${problem}`, '');
  }

  #deny(
    policy: ValidatingPolicy,
    binding: PolicyBinding | undefined,
    message: string,
    reason: string,
  ): void {
    const bound = binding === undefined ? '' : ` with binding '${binding.name}'`;
    const who = `ValidatingAdmissionPolicy '${policy.name}'${bound}`;
    this.#denial ??= { message: `${who} denied request: ${message}`, reason };
  }
}

interface Evaluated {
  readonly as: MatchedAs;
  readonly shown: ShownObjects;
  readonly namespaceObject: ApiObject | undefined;
  readonly param: ApiObject | undefined;
  readonly collected: Collected | undefined;
}

function errorLabel({ evaluation, message }: PolicyDecision): string {
  if (evaluation !== 'error') return 'no_error';
  if (message.startsWith('compilation error')) return 'compile_error';
  if (message.includes('out of cost budget')) return 'out_of_budget';
  return 'invalid_error';
}

/** In bytes, as the reference counts. */
function cut(value: string): string {
  const bytes = Buffer.from(value.slice(0, annotationBytesMax));
  if (bytes.length <= annotationBytesMax && value.length <= annotationBytesMax) return value;
  return bytes.subarray(0, annotationBytesMax).toString();
}

const reasons = lookup<StatusReason | undefined>({
  Unauthorized: StatusReason.unauthorized,
  Forbidden: StatusReason.forbidden,
  RequestEntityTooLarge: StatusReason.requestEntityTooLarge,
  Invalid: StatusReason.invalid,
});

/** A 403 in its words, with the code that the policy chose. */
function denied(resource: GroupResource, name: string, { message, reason }: Denial): StatusError {
  const like = newForbidden(resource, name === '' ? 'Unknown' : name, message);
  return new StatusError({
    reason: reasons[reason] ?? StatusReason.invalid,
    message: like.message,
    details: { ...like.details, causes: [{ message }] },
  });
}
