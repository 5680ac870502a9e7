/**
 * What all policies share during one write: the values of their expressions, their turns, and
 * whether the client is still waiting.
 */
import { newForbidden, newNotFound, newTimeout } from '../../apimachinery/status-error.ts';
import type { StatusError } from '../../apimachinery/status-error.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import { nothingSpent } from '../../cel/expression.ts';
import { lateValues } from '../../cel/late-values.ts';
import type { Awaitable } from '../../stdx/awaitable.ts';
import { admissionBindings, requestInput, valueOf } from '../expressions/admission-input.ts';
import { authorizerSource } from '../expressions/authorizer-source.ts';
import type { EvaluationPorts } from '../expressions/filter.ts';
import type { ConditionsVerdict } from '../matching/match-conditions.ts';
import type { Match, MatchedAs, Matcher } from '../matching/matching.ts';
import { noVariables } from './lazy-variables.ts';
import { unknownParamKind } from './params.ts';
import { policyLimits } from './policies.ts';
import type { PolicyPorts, PolicyRequest, ShownObjects } from './policies.ts';
import type { ParamKind } from './policy-spec.ts';
import type { Subject } from './validating-policy.ts';

export interface PolicyRun {
  readonly request: PolicyRequest;
  readonly evaluation: EvaluationPorts;
  /** Whether the policy is about the request, and as which kind; a text: why nobody can know.
   * Undefined: it is not. */
  matched(policy: PolicyScope): MatchedAs | string | undefined;
  /** Of a policy or of a binding; long selectors bring the next turn nearer. */
  match(matcher: Matcher): Match;
  /** Of the request's namespace; undefined: what is written is cluster-scoped. */
  namespaceObject(): ApiObject | StatusError | undefined;
  subject(about: AboutRequest): Subject;
  /** Lets others have a turn when enough has been done. An error: nobody waits any more, or all
   * policies together have cost too much. */
  spend(units: number): Awaitable<StatusError | undefined>;
  /** The same of what was looked for in objects: it is a part of that cost, as expressions are. */
  spendOnLooking(units: number): Awaitable<StatusError | undefined>;
  observeConditions(policy: string, verdict: ConditionsVerdict, startedMs: number): void;
}

export interface PolicyScope {
  readonly matcher: Matcher;
  readonly paramKind: ParamKind | undefined;
}

export interface AboutRequest {
  readonly as: MatchedAs;
  readonly shown: ShownObjects;
  readonly namespaceObject: ApiObject | undefined;
  readonly param: ApiObject | undefined;
  readonly hasParams: boolean;
}

const namespacesResource = { group: '', resource: 'namespaces' } as const;

/** Of one that only found out that it is not matched. */
const unitsOfStep = 50;

export function policyRun(
  request: PolicyRequest,
  { access, metrics, params, turns }: PolicyPorts,
  type: 'admit' | 'validate',
): PolicyRun {
  const { match, user } = request;
  const { group, operation, resource } = match.shape;
  const late = lateValues();
  const source = authorizerSource(access, user, late, request.requester);
  const evaluation = { late, turns, spent: nothingSpent() };
  let spent = 0;
  // Most policies are shown the same.
  let last: Made | undefined;
  let found: ApiObject | StatusError | undefined;
  const matching = (matcher: Matcher): Match => {
    spent += matcher.requirements * policyLimits.unitsOfRequirement;
    return matcher.match(match);
  };
  const spend = (units: number): Awaitable<StatusError | undefined> => {
    if (evaluation.spent.total > policyLimits.unitsOfRequest) return refusal(request);
    spent += units + unitsOfStep;
    if (spent < policyLimits.unitsAtOnce) return undefined;
    spent = 0;
    return turns.pause().then(() => (request.isOver() ? newTimeout(overdue, 0) : undefined));
  };
  return {
    request,
    evaluation,
    match: matching,
    matched({ matcher, paramKind }) {
      const found = matching(matcher);
      if (found.kind === 'none') return undefined;
      if (found.kind === 'error') return found.error.message;
      return unknownParamKind(paramKind, params) ?? found.as;
    },
    namespaceObject() {
      const isNamespace = group === '' && resource === namespacesResource.resource;
      if (match.namespace === '' || isNamespace) return undefined;
      found ??= request.namespaceObject() ?? newNotFound(namespacesResource, match.namespace);
      return found;
    },
    subject({ as, hasParams, namespaceObject, param, shown }) {
      if (last !== undefined && isSame(last, as, shown)) {
        return withParams(last.subject, hasParams, param);
      }
      const input = { ...shown, namespaceObject, request: requestInput(request, match, as) };
      const full = { ...admissionBindings(input, source), variables: noVariables };
      const { authorizer: _none, 'authorizer.requestResource': _no, ...plain } = full;
      last = { as, shown, subject: { full, plain } };
      return withParams(last.subject, hasParams, param);
    },
    spend,
    spendOnLooking(units) {
      evaluation.spent.total += units;
      return spend(units);
    },
    observeConditions(name, verdict, startedMs) {
      const errors = verdict.kind === 'match' ? 0 : verdict.errors;
      const labels = { name, kind: 'policy', type, operation } as const;
      metrics.conditions(labels, errors, verdict.kind === 'excluded', startedMs);
    },
  };
}

const tooCostly =
  `the admission policies for this request cost more than ${policyLimits.unitsOfRequest} units ` +
  'together; make them match less, or cost less';

function refusal({ match: { name, shape } }: PolicyRequest): StatusError {
  return newForbidden(shape, name === '' ? 'Unknown' : name, tooCostly);
}

const overdue = 'request did not complete within requested timeout';

interface Made {
  readonly as: MatchedAs;
  readonly shown: ShownObjects;
  readonly subject: Subject;
}

function isSame({ as, shown }: Made, wanted: MatchedAs, objects: ShownObjects): boolean {
  return (
    shown.object === objects.object &&
    shown.oldObject === objects.oldObject &&
    as.kind.kind === wanted.kind.kind &&
    as.kind.group === wanted.kind.group &&
    as.kind.version === wanted.kind.version &&
    as.resource.resource === wanted.resource.resource &&
    as.resource.group === wanted.resource.group &&
    as.resource.version === wanted.resource.version
  );
}

function withParams(subject: Subject, hasParams: boolean, param: ApiObject | undefined): Subject {
  if (!hasParams) return subject;
  const params = valueOf(param);
  return { full: { ...subject.full, params }, plain: { ...subject.plain, params } };
}
