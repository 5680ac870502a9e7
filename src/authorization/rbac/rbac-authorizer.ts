/**
 * RBAC: a request is allowed by the first rule that a binding gives the user for it (spec 2, 5.6).
 *
 * It cannot deny: nothing found is no opinion.
 *
 * Invariants: pure on the index. Bindings to roles that are not there do not stand in the way of
 * what other bindings grant; they are reported when nothing is granted, at most
 * `resolutionErrorsMax`.
 * Bound: a list of somebody's rules has all of the bindings up to where it has `userRulesMax`.
 */
import { quote } from '../../apimachinery/quote.ts';
import type { UserInfo } from '../../apimachinery/user-info.ts';
import type { Authorizer, Decision, RuleResolver, UserRules } from '../authorizer.ts';
import { noOpinion, tooManyRules, userRulesMax } from '../authorizer.ts';
import { ruleAllows, ruleResource } from './policy-rules.ts';
import type { PolicyRule } from './policy-rules.ts';
import type { RbacIndex, RbacKey } from './rbac-index.ts';
import { describeGrant } from './rbac-objects.ts';

/** Missing roles that are named in one answer; the others are left out. */
const resolutionErrorsMax = 16;

export interface GrantedRules {
  readonly rules: readonly PolicyRule[];
  /** Bindings that lead to no role. */
  readonly errors: readonly string[];
}

export interface RbacAuthorizer extends Authorizer, RuleResolver {
  authorize(attributes: Parameters<Authorizer['authorize']>[0]): Decision;
  rulesFor(user: UserInfo, namespace: string): UserRules;
  /** The raw rules of a user: what writes of roles and bindings are measured by. */
  grantedRules(user: UserInfo, namespace: string): GrantedRules;
}

/** `rbacGroup`: the API group of roles, for messages. */
export function createRbacAuthorizer(index: RbacIndex, rbacGroup: string): RbacAuthorizer {
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
      index.visit(attributes.user, attributes.namespace, ({ binding, subject, role }) => {
        const rules = index.rules(role);
        if (rules === undefined) {
          errors ??= [];
          if (errors.length < resolutionErrorsMax) errors.push(missing(role));
        } else if (rules.some((rule) => ruleAllows(rule, attributes, resource))) {
          allowed = `RBAC: allowed by ${describeGrant(binding, subject)}`;
        }
        return allowed === undefined;
      });
      if (allowed !== undefined) return { kind: 'allow', reason: allowed };
      if (errors === undefined) return noOpinion;
      return { kind: 'no-opinion', reason: `RBAC: ${aggregate(errors)}` };
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

function missingRole(role: RbacKey, rbacGroup: string): string {
  const kind = role.startsWith('/') ? 'clusterrole' : 'role';
  return `${kind}.${rbacGroup} ${quote(role.slice(role.indexOf('/') + 1))} not found`;
}

function aggregate(errors: readonly string[]): string {
  return errors.length === 1 ? (errors[0] ?? '') : `[${errors.join(', ')}]`;
}
