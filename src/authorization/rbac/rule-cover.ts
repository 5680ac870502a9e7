/**
 * Whether rules cover other rules: nobody may grant what they do not have (spec 2, section 5.6).
 *
 *     rules ▶ single rules (one verb, one group, one resource, one name) ▶ each within one that the
 *                                                                         owner has?
 *
 * A rule is covered when each single rule of it is within one of the owner's; names are never taken
 * for all names.
 *
 * Bound: a rule falls into at most `singleRulesMax` single ones. A larger one counts as not
 * covered, so that a role made to be expensive is refused, not worked through.
 */
import { quote } from '../../apimachinery/quote.ts';
import { urlCovers } from './policy-rules.ts';
import type { PolicyRule } from './policy-rules.ts';

/** Of all requested rules together. */
export const singleRulesMax = 20_000;

/** What of `requested` is not within `owned`. */
export function uncoveredRules(
  owned: readonly PolicyRule[],
  requested: readonly PolicyRule[],
): readonly PolicyRule[] {
  const missing: PolicyRule[] = [];
  let left = singleRulesMax;
  for (const rule of requested) {
    left -= singleRulesCount(rule);
    if (left < 0) {
      missing.push(rule);
      continue;
    }
    for (const single of singleRules(rule)) {
      if (!owned.some((owner) => covers(owner, single))) missing.push(single);
    }
  }
  return missing;
}

function singleRulesCount(rule: PolicyRule): number {
  const names = Math.max(1, rule.resourceNames.length);
  const ofResources = rule.apiGroups.length * rule.resources.length * names;
  return rule.verbs.length * (ofResources + rule.nonResourceURLs.length);
}

function singleRules(rule: PolicyRule): readonly PolicyRule[] {
  const singles: PolicyRule[] = [];
  const names = rule.resourceNames.length === 0 ? [[]] : rule.resourceNames.map((name) => [name]);
  for (const group of rule.apiGroups) {
    for (const resource of rule.resources) {
      for (const verb of rule.verbs) {
        for (const resourceNames of names) {
          singles.push({
            ...empty,
            verbs: [verb],
            apiGroups: [group],
            resources: [resource],
            resourceNames,
          });
        }
      }
    }
  }
  for (const url of rule.nonResourceURLs) {
    for (const verb of rule.verbs) {
      singles.push({ ...empty, verbs: [verb], nonResourceURLs: [url] });
    }
  }
  return singles;
}

const empty: PolicyRule = {
  verbs: [],
  apiGroups: [],
  resources: [],
  resourceNames: [],
  nonResourceURLs: [],
};

function covers(owner: PolicyRule, single: PolicyRule): boolean {
  return (
    hasAll(owner.verbs, single.verbs) &&
    hasAll(owner.apiGroups, single.apiGroups) &&
    single.resources.every((resource) => hasResource(owner.resources, resource)) &&
    single.nonResourceURLs.every((url) => owner.nonResourceURLs.some((p) => urlCovers(p, url))) &&
    hasNames(owner.resourceNames, single.resourceNames)
  );
}

function hasAll(owned: readonly string[], wanted: readonly string[]): boolean {
  return owned.includes('*') || wanted.every((item) => owned.includes(item));
}

/** Every subresource of a name, asterisk and slash before it, covers that subresource. */
function hasResource(owned: readonly string[], wanted: string): boolean {
  if (owned.includes('*') || owned.includes(wanted)) return true;
  const slash = wanted.indexOf('/');
  return slash !== -1 && owned.includes(`*${wanted.slice(slash)}`);
}

function hasNames(owned: readonly string[], wanted: readonly string[]): boolean {
  if (owned.length === 0) return true;
  return wanted.length > 0 && wanted.every((name) => owned.includes(name));
}

/** Single rules that differ in their verb alone as one rule, in the order they came. */
export function compactRules(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const merged = new Map<string, PolicyRule>();
  rules.forEach((rule, at) => {
    const isSingle =
      rule.apiGroups.length === 1 &&
      rule.resources.length === 1 &&
      rule.resourceNames.length <= 1 &&
      rule.nonResourceURLs.length === 0;
    const key = isSingle
      ? JSON.stringify([rule.apiGroups, rule.resources, rule.resourceNames])
      : String(at);
    const known = merged.get(key);
    if (known === undefined) merged.set(key, rule);
    else merged.set(key, { ...known, verbs: [...new Set([...known.verbs, ...rule.verbs])] });
  });
  return [...merged.values()];
}

const shownLists = [
  ['APIGroups', 'apiGroups'],
  ['Resources', 'resources'],
  ['NonResourceURLs', 'nonResourceURLs'],
  ['ResourceNames', 'resourceNames'],
  ['Verbs', 'verbs'],
] as const;

/** `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}` */
export function describeRule(rule: PolicyRule): string {
  const parts = shownLists
    .filter(([, field]) => rule[field].length > 0)
    .map(([label, field]) => `${label}:${quoteList(rule[field])}`);
  return `{${parts.join(', ')}}`;
}

/** `["a" "b"]` */
export function quoteList(items: readonly string[]): string {
  return `[${items.map(quote).join(' ')}]`;
}
