/**
 * ABAC: the first policy of the file that matches allows (spec 2, section 5.5).
 *
 * ABAC cannot deny, and does not change while the server runs: the file is read at start.
 */
import type { ListingAuthorizer } from '../always.ts';
import type { Attributes, NonResourceRule, ResourceRule } from '../authorizer.ts';
import type { AbacPolicy } from './policy-file.ts';

const readVerbs: readonly string[] = ['get', 'list', 'watch'];

export function createAbacAuthorizer(policies: readonly AbacPolicy[]): ListingAuthorizer {
  return {
    name: 'ABAC',
    authorize(attributes) {
      const { user } = attributes;
      const subject = { name: user.name, groups: new Set(user.groups) };
      if (policies.some((policy) => policyMatches(policy, subject, attributes))) {
        return { kind: 'allow', reason: '' };
      }
      return { kind: 'no-opinion', reason: 'No policy matched.' };
    },
    rulesFor(user, namespace) {
      const subject = { name: user.name, groups: new Set(user.groups) };
      const own = policies.filter((policy) => subjectMatches(policy, subject));
      return {
        resourceRules: own
          .filter((policy) => policy.namespace === '*' || policy.namespace === namespace)
          .flatMap(resourceRule),
        nonResourceRules: own.flatMap(nonResourceRule),
        incomplete: false,
        evaluationError: '',
      };
    },
  };
}

/** A review may ask about somebody in many thousand groups. */
interface AbacSubject {
  readonly name: string;
  readonly groups: ReadonlySet<string>;
}

function policyMatches(policy: AbacPolicy, subject: AbacSubject, attributes: Attributes): boolean {
  if (!subjectMatches(policy, subject)) return false;
  if (policy.readonly && !readVerbs.includes(attributes.verb)) return false;
  return attributes.isResourceRequest
    ? resourceMatches(policy, attributes)
    : pathMatches(policy.nonResourcePath, attributes.path);
}

/** What the policy names must be so; one that names nobody matches nobody. */
export function subjectMatches(
  { user, group }: AbacPolicy,
  { name, groups }: AbacSubject,
): boolean {
  if (user === '' && group === '') return false;
  return (user === '' || user === name) && (group === '' || groups.has(group));
}

function resourceMatches(policy: AbacPolicy, attributes: Attributes): boolean {
  return (
    is(policy.namespace, attributes.namespace) &&
    is(policy.resource, attributes.resource) &&
    is(policy.apiGroup, attributes.apiGroup)
  );
}

function is(wanted: string, given: string): boolean {
  return wanted === '*' || wanted === given;
}

function pathMatches(pattern: string, path: string): boolean {
  if (pattern === '*' || pattern === path) return true;
  return pattern.endsWith('*') && path.startsWith(pattern.replace(/(?<!\*)\*+$/, ''));
}

function verbsOf(policy: AbacPolicy): readonly string[] {
  return policy.readonly ? readVerbs : ['*'];
}

function resourceRule(policy: AbacPolicy): readonly ResourceRule[] {
  if (policy.resource === '') return [];
  const { apiGroup, resource } = policy;
  return [
    { verbs: verbsOf(policy), apiGroups: [apiGroup], resources: [resource], resourceNames: [] },
  ];
}

function nonResourceRule(policy: AbacPolicy): readonly NonResourceRule[] {
  if (policy.nonResourcePath === '') return [];
  return [{ verbs: verbsOf(policy), nonResourceURLs: [policy.nonResourcePath] }];
}
