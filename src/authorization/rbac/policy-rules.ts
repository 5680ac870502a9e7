/**
 * Rules of roles: reading them, and whether one allows a request (spec 2, sections 2.1 and 5.6).
 *
 * Elsewhere: who has a rule (rbac-index.ts) and whether rules contain others (rule-cover.ts).
 *
 * Invariants: pure. A field that is not a list of texts counts as empty, so that an object that no
 * validation has seen grants nothing by its mistakes. A rule without resources and without URLs
 * allows nothing.
 */
import { objects, texts } from '../../apimachinery/members.ts';
import type { Attributes } from '../authorizer.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';

export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  /** `pods`, `pods/log`, `*`, or a subresource of everything: an asterisk, a slash, its name. */
  readonly resources: readonly string[];
  /** Empty: all. */
  readonly resourceNames: readonly string[];
  /** A `*` at the end stands for anything. */
  readonly nonResourceURLs: readonly string[];
}

const all = '*';

/** The rules of a Role or a ClusterRole, in order. */
export function rulesOf(role: ApiObject): readonly PolicyRule[] {
  return objects(role, 'rules').map(readRule);
}

function readRule(rule: JsonObject): PolicyRule {
  return {
    verbs: texts(rule, 'verbs'),
    apiGroups: texts(rule, 'apiGroups'),
    resources: texts(rule, 'resources'),
    resourceNames: texts(rule, 'resourceNames'),
    nonResourceURLs: texts(rule, 'nonResourceURLs'),
  };
}

/** The rule as it stands in an object: without empty lists. */
export function ruleObject(rule: PolicyRule): JsonObject {
  const fields: Record<string, JsonValue> = { verbs: rule.verbs };
  for (const name of ruleLists) {
    if (rule[name].length > 0) fields[name] = rule[name];
  }
  return fields;
}

const ruleLists = ['apiGroups', 'resources', 'resourceNames', 'nonResourceURLs'] as const;

/** What a rule names: `pods`, or `pods/log` for a subresource. */
export function ruleResource({ resource, subresource }: Attributes): string {
  return subresource === '' ? resource : `${resource}/${subresource}`;
}

/** `resource`: ruleResource of the attributes, made once for all rules. */
export function ruleAllows(rule: PolicyRule, attributes: Attributes, resource: string): boolean {
  const { verbs } = rule;
  if (!verbs.includes(attributes.verb) && !verbs.includes(all)) return false;
  if (!attributes.isResourceRequest) return urlMatches(rule, attributes.path);
  return (
    (rule.apiGroups.includes(attributes.apiGroup) || rule.apiGroups.includes(all)) &&
    resourceMatches(rule, resource, attributes.subresource) &&
    (rule.resourceNames.length === 0 || rule.resourceNames.includes(attributes.name))
  );
}

export function rulesAllow(rules: readonly PolicyRule[], attributes: Attributes): boolean {
  const resource = ruleResource(attributes);
  return rules.some((rule) => ruleAllows(rule, attributes, resource));
}

function resourceMatches(
  { resources }: PolicyRule,
  resource: string,
  subresource: string,
): boolean {
  if (resources.includes(resource) || resources.includes(all)) return true;
  return subresource !== '' && resources.includes(`${all}/${subresource}`);
}

function urlMatches({ nonResourceURLs }: PolicyRule, path: string): boolean {
  return nonResourceURLs.some((url) => urlCovers(url, path));
}

/** Also between two patterns: `/api/*` covers `/api/v1/*`. */
export function urlCovers(pattern: string, url: string): boolean {
  if (pattern === all || pattern === url) return true;
  let end = pattern.length;
  while (pattern.charAt(end - 1) === all) end -= 1;
  return end < pattern.length && url.startsWith(pattern.slice(0, end));
}
