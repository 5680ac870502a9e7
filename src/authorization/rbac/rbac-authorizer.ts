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
import { runToEnd } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { Turns } from '../../stdx/turns.ts';
import type { Attributes, Authorizer, Decision, RuleResolver, UserRules } from '../authorizer.ts';
import { noOpinion, tooManyRules, userRulesMax } from '../authorizer.ts';
import { ruleAllows, ruleResource } from './policy-rules.ts';
import type { PolicyRule } from './policy-rules.ts';
import type { Grant, KnownRole, RbacIndex, RbacKey } from './rbac-index.ts';
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
  const grantedRules = (user: UserInfo, namespace: string, most = Infinity): GrantedRules => {
    const rules: PolicyRule[] = [];
    const errors: string[] = [];
    index.visit(user, namespace, ({ role }) => {
      const found = index.rules(role);
      if (found !== undefined) rules.push(...found);
      else if (errors.length < resolutionErrorsMax) errors.push(missingRole(role, rbacGroup));
      return rules.length <= most;
    });
    return { rules, errors };
  };

  return {
    name: 'RBAC',
    authorize(attributes) {
      const search = new Search(attributes, rbacGroup);
      let weight = 0;
      index.visit(attributes.user, attributes.namespace, (grant) => {
        const role = index.role(grant.role);
        weight += role?.weight ?? 0;
        return weight <= rulesAtOnce && !search.allows(grant, role);
      });
      if (weight <= rulesAtOnce) return search.decision;
      return runToEnd(turns, decisionSteps(index, attributes, rbacGroup));
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

/** The decision from its beginning on, on the roles as they are now. */
function* decisionSteps(
  index: RbacIndex,
  attributes: Attributes,
  rbacGroup: string,
): Steps<Decision> {
  const grants: Grant[] = [];
  index.visit(attributes.user, attributes.namespace, (grant) => grants.push(grant) > 0);
  const search = new Search(attributes, rbacGroup);
  let weight = 0;
  for (const grant of grants) {
    const role = index.role(grant.role);
    if (search.allows(grant, role)) break;
    weight += role?.weight ?? 0;
    if (weight < rulesAtOnce) continue;
    weight = 0;
    yield;
  }
  return search.decision;
}

/** One grant after the other, until one allows it. */
class Search {
  readonly #attributes: Attributes;
  readonly #rbacGroup: string;
  readonly #resource: string;
  #errors: string[] | undefined;
  #allowed: string | undefined;

  constructor(attributes: Attributes, rbacGroup: string) {
    this.#attributes = attributes;
    this.#rbacGroup = rbacGroup;
    this.#resource = ruleResource(attributes);
  }

  /** `role`: undefined: it is not there. */
  allows({ binding, subject, role: key }: Grant, role: KnownRole | undefined): boolean {
    if (role === undefined) {
      const errors = (this.#errors ??= []);
      if (errors.length < resolutionErrorsMax) errors.push(missingRole(key, this.#rbacGroup));
      return false;
    }
    if (!role.rules.some((rule) => ruleAllows(rule, this.#attributes, this.#resource))) {
      return false;
    }
    this.#allowed = `RBAC: allowed by ${describeGrant(binding, subject)}`;
    return true;
  }

  /** As far as it is known. */
  get decision(): Decision {
    if (this.#allowed !== undefined) return { kind: 'allow', reason: this.#allowed };
    if (this.#errors === undefined) return noOpinion;
    return { kind: 'no-opinion', reason: `RBAC: ${aggregate(this.#errors)}` };
  }
}

function missingRole(role: RbacKey, rbacGroup: string): string {
  const kind = role.startsWith('/') ? 'clusterrole' : 'role';
  return `${kind}.${rbacGroup} ${quote(role.slice(role.indexOf('/') + 1))} not found`;
}

function aggregate(errors: readonly string[]): string {
  return errors.length === 1 ? (errors[0] ?? '') : `[${errors.join(', ')}]`;
}
