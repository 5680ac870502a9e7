/**
 * RBAC: a request is allowed by the first rule that a binding gives the user for it (spec 2, 5.6).
 *
 * It cannot deny: nothing found is no opinion.
 *
 * Invariants: pure on the index. Bindings to roles that are not there do not stand in the way of
 * what other bindings grant; they are reported when nothing is granted, at most
 * `resolutionErrorsMax`.
 * Bounds: a list of somebody's rules ends at `userRulesMax` rules, or as many roles. A decision
 * that has to look at more than `rulesAtOnce` goes on in turns with other requests, and sees the
 * grants that there were when it began.
 */
import { quote } from '../../apimachinery/quote.ts';
import type { UserInfo } from '../../apimachinery/user-info.ts';
import { startedAtOnce } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { Turns } from '../../stdx/turns.ts';
import type { Attributes, Authorizer, Decision, RuleResolver, UserRules } from '../authorizer.ts';
import { noOpinion, tooManyRules, userRulesMax } from '../authorizer.ts';
import { ruleAllows, ruleResource } from './policy-rules.ts';
import type { PolicyRule } from './policy-rules.ts';
import type { KnownRole, RbacIndex, RbacKey } from './rbac-index.ts';
import { describeGrant } from './rbac-objects.ts';
import type { Grant } from './subject-grants.ts';

/** Missing roles that are named in one answer; the others are left out. */
const resolutionErrorsMax = 16;

/** What is looked at in the turn of the request: far more than anybody has who wants to work, and
 * a third of a millisecond, for sixteen requests begin together. */
const rulesAtOnce = 2_000;

export interface GrantedRules {
  readonly rules: readonly PolicyRule[];
  /** Bindings that lead to no role. */
  readonly errors: readonly string[];
}

export interface RbacAuthorizer extends Authorizer, RuleResolver {
  authorize(attributes: Attributes): Decision | Promise<Decision>;
  rulesFor(user: UserInfo, namespace: string): UserRules;
  /** The raw rules of a user: what writes of roles and bindings are measured by. */
  grantedRules(user: UserInfo, namespace: string): Steps<GrantedRules>;
}

/** `rbacGroup`: the API group of roles, for messages. */
export function createRbacAuthorizer(
  index: RbacIndex,
  rbacGroup: string,
  turns: Pick<Turns, 'run'>,
): RbacAuthorizer {
  return {
    name: 'RBAC',
    authorize(attributes) {
      return startedAtOnce(turns, decisionSteps(index, attributes, rbacGroup));
    },
    rulesFor(user, namespace) {
      const granted = listedRules(index, user, namespace, rbacGroup);
      const { incomplete } = granted;
      const errors = incomplete ? [...granted.errors, tooManyRules] : granted.errors;
      const rules = granted.rules.slice(0, userRulesMax);
      return {
        resourceRules: rules.filter((rule) => rule.resources.length > 0),
        nonResourceRules: rules.filter((rule) => rule.nonResourceURLs.length > 0),
        incomplete,
        evaluationError: errors.length === 0 ? '' : aggregate(errors),
      };
    },
    grantedRules: (user, namespace) => grantedSteps(index, user, namespace, rbacGroup),
  };
}

/** What a grant counts for beside the rules of its role: it is looked up. */
const grantWeight = 8;

function* decisionSteps(
  index: RbacIndex,
  attributes: Attributes,
  rbacGroup: string,
): Steps<Decision> {
  const search = new Search(attributes, rbacGroup);
  let weight = 0;
  for (const grant of index.grants(attributes.user, attributes.namespace)) {
    const role = index.role(grant.role);
    weight += grantWeight + (role?.weight ?? 0);
    if (weight > rulesAtOnce) {
      weight = 0;
      yield;
    }
    if (search.allows(grant, role)) break;
  }
  return search.decision;
}

function* grantedSteps(
  index: RbacIndex,
  user: UserInfo,
  namespace: string,
  rbacGroup: string,
): Steps<GrantedRules> {
  const granted = new Granted(index, rbacGroup);
  let weight = 0;
  for (const grant of index.grants(user, namespace)) {
    weight += grantWeight + granted.add(grant);
    if (weight < rulesAtOnce) continue;
    weight = 0;
    yield;
  }
  return granted;
}

/** In one turn, and so not all of them where they are many. */
function listedRules(
  index: RbacIndex,
  user: UserInfo,
  namespace: string,
  rbacGroup: string,
): GrantedRules & { readonly incomplete: boolean } {
  const granted = new Granted(index, rbacGroup);
  let grants = 0;
  for (const grant of index.grants(user, namespace)) {
    granted.add(grant);
    grants += 1;
    if (granted.rules.length <= userRulesMax && grants <= userRulesMax) continue;
    return { ...granted, incomplete: true };
  }
  return { ...granted, incomplete: false };
}

class Granted implements GrantedRules {
  readonly rules: PolicyRule[] = [];
  readonly errors: string[] = [];
  readonly #index: RbacIndex;
  readonly #rbacGroup: string;

  constructor(index: RbacIndex, rbacGroup: string) {
    this.#index = index;
    this.#rbacGroup = rbacGroup;
  }

  /** How many rules it added. */
  add({ role }: Grant): number {
    const found = this.#index.rules(role);
    if (found === undefined) {
      if (this.errors.length < resolutionErrorsMax) {
        this.errors.push(missingRole(role, this.#rbacGroup));
      }
      return 0;
    }
    for (const rule of found) this.rules.push(rule);
    return found.length;
  }
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
