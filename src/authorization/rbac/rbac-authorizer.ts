/**
 * RBAC: a request is allowed by the first rule that a binding gives the user for it (spec 2, 5.6).
 *
 * It cannot deny: nothing found is no opinion.
 *
 * Invariants: pure on the index. Bindings to roles that are not there do not stand in the way of
 * what other bindings grant; they are reported when nothing is granted, at most
 * `resolutionErrorsMax`.
 * Bounds: a list of somebody's rules has all of the bindings up to where it has `userRulesMax`. A
 * decision that has to look at more than `rulesAtOnce` goes on in turns with other requests.
 */
import { quote } from '../../apimachinery/quote.ts';
import type { UserInfo } from '../../apimachinery/user-info.ts';
import { assert } from '../../stdx/assert.ts';
import { runStepwise } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { Turns } from '../../stdx/turns.ts';
import type { Attributes, Authorizer, Decision, RuleResolver, UserRules } from '../authorizer.ts';
import { noOpinion, tooManyRules, userRulesMax } from '../authorizer.ts';
import { ruleAllows, ruleResource } from './policy-rules.ts';
import type { PolicyRule } from './policy-rules.ts';
import type { Grant, RbacIndex, RbacKey } from './rbac-index.ts';
import { describeGrant } from './rbac-objects.ts';

/** Missing roles that are named in one answer; the others are left out. */
const resolutionErrorsMax = 16;

/** What is looked at in the turn of the request: far more than anybody has who wants to work. */
const rulesAtOnce = 10_000;

export interface GrantedRules {
  readonly rules: readonly PolicyRule[];
  /** Bindings that lead to no role. */
  readonly errors: readonly string[];
}

export interface RbacAuthorizer extends Authorizer, RuleResolver {
  authorize(attributes: Attributes): Decision | Promise<Decision>;
  rulesFor(user: UserInfo, namespace: string): UserRules;
  /** The raw rules of a user: what writes of roles and bindings are measured by. */
  grantedRules(user: UserInfo, namespace: string): GrantedRules;
}

/** `rbacGroup`: the API group of roles, for messages. */
export function createRbacAuthorizer(
  index: RbacIndex,
  rbacGroup: string,
  turns: Pick<Turns, 'run'>,
): RbacAuthorizer {
  const missing = (role: RbacKey): string => missingRole(role, rbacGroup);

  const grantedRules = (user: UserInfo, namespace: string, most = Infinity): GrantedRules => {
    const rules: PolicyRule[] = [];
    const errors: string[] = [];
    index.visit(user, namespace, ({ role }) => {
      const found = index.rules(role);
      if (found !== undefined) rules.push(...found);
      else if (errors.length < resolutionErrorsMax) errors.push(missing(role));
      return rules.length <= most;
    });
    return { rules, errors };
  };

  return {
    name: 'RBAC',
    authorize(attributes) {
      const resource = ruleResource(attributes);
      let allowed: string | undefined;
      let errors: string[] | undefined;
      let weight = 0;
      index.visit(attributes.user, attributes.namespace, (grant) => {
        const role = index.role(grant.role);
        if (role === undefined) {
          errors ??= [];
          if (errors.length < resolutionErrorsMax) errors.push(missing(grant.role));
          return true;
        }
        weight += role.weight;
        if (weight > rulesAtOnce) return false;
        if (role.rules.some((rule) => ruleAllows(rule, attributes, resource))) {
          allowed = allowedBy(grant);
        }
        return allowed === undefined;
      });
      if (allowed !== undefined) return { kind: 'allow', reason: allowed };
      if (weight > rulesAtOnce) return inTurns(turns, decisionSteps(index, attributes, missing));
      return errors === undefined ? noOpinion : noneOf(errors);
    },
    rulesFor(user, namespace) {
      const granted = grantedRules(user, namespace, userRulesMax);
      const incomplete = granted.rules.length > userRulesMax;
      const errors = incomplete ? [...granted.errors, tooManyRules] : granted.errors;
      const rules = granted.rules.slice(0, userRulesMax);
      return {
        resourceRules: rules.filter((rule) => rule.resources.length > 0),
        nonResourceRules: rules.filter((rule) => rule.nonResourceURLs.length > 0),
        incomplete,
        evaluationError: errors.length === 0 ? '' : aggregate(errors),
      };
    },
    grantedRules: (user, namespace) => grantedRules(user, namespace),
  };
}

async function inTurns(turns: Pick<Turns, 'run'>, work: Steps<Decision>): Promise<Decision> {
  const decision = await runStepwise(turns, work, () => false);
  assert(decision !== undefined, 'nobody stops it');
  return decision;
}

/** The decision from its beginning on, on the roles as they are now. */
function* decisionSteps(
  index: RbacIndex,
  attributes: Attributes,
  missing: (role: RbacKey) => string,
): Steps<Decision> {
  const grants: Grant[] = [];
  index.visit(attributes.user, attributes.namespace, (grant) => grants.push(grant) > 0);
  const resource = ruleResource(attributes);
  const errors: string[] = [];
  let weight = 0;
  for (const grant of grants) {
    const role = index.role(grant.role);
    if (role === undefined) {
      if (errors.length < resolutionErrorsMax) errors.push(missing(grant.role));
      continue;
    }
    weight += role.weight;
    if (role.rules.some((rule) => ruleAllows(rule, attributes, resource))) {
      return { kind: 'allow', reason: allowedBy(grant) };
    }
    if (weight < rulesAtOnce) continue;
    weight = 0;
    yield;
  }
  return errors.length === 0 ? noOpinion : noneOf(errors);
}

function allowedBy({ binding, subject }: Grant): string {
  return `RBAC: allowed by ${describeGrant(binding, subject)}`;
}

function noneOf(errors: readonly string[]): Decision {
  return { kind: 'no-opinion', reason: `RBAC: ${aggregate(errors)}` };
}

function missingRole(role: RbacKey, rbacGroup: string): string {
  const kind = role.startsWith('/') ? 'clusterrole' : 'role';
  return `${kind}.${rbacGroup} ${quote(role.slice(role.indexOf('/') + 1))} not found`;
}

function aggregate(errors: readonly string[]): string {
  return errors.length === 1 ? (errors[0] ?? '') : `[${errors.join(', ')}]`;
}
