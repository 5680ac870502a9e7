/**
 * Whether rules cover other rules: nobody may grant what they do not have (spec 2, section 5.6).
 *
 *     rules ▶ single rules (one verb, one group, one resource, one name) ▶ each within one that the
 *                                                                         owner has?
 *
 * A rule is covered when each single rule of it is within one of the owner's; names are never taken
 * for all names. owned-rules.ts finds the owner's rules that a single one may be within.
 *
 * Bounds: a rule falls into at most `singleRulesMax` single ones, and all of them together are
 * compared with at most `comparisonsMax` rules of the owner. What is above counts as not covered,
 * so that a role made to be expensive is refused, not worked through.
 */
import { quote } from '../../apimachinery/quote.ts';
import { finished } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { ownedRulesSteps, resourcePatterns } from './owned-rules.ts';
import type { OwnedRule, OwnedRules, UrlRule } from './owned-rules.ts';
import { urlCovers } from './policy-rules.ts';
import type { PolicyRule } from './policy-rules.ts';

/** Of all requested rules together. */
export const singleRulesMax = 20_000;

export const comparisonsMax = 1_000_000;

/** Comparisons between two yields. */
const stepComparisons = 5000;

/** What of `requested` is not within `owned`. */
export function uncoveredRules(
  owned: readonly PolicyRule[],
  requested: readonly PolicyRule[],
): readonly PolicyRule[] {
  return finished(uncoveredSteps(owned, requested));
}

export function* uncoveredSteps(
  owned: readonly PolicyRule[],
  requested: readonly PolicyRule[],
): Steps<readonly PolicyRule[]> {
  const compared = requested.slice(0, comparedCount(requested));
  const rules = yield* ownedRulesSteps(owned, compared);
  const work: Work = { left: comparisonsMax, stepLeft: stepComparisons };
  const missing: PolicyRule[] = [];
  for (const rule of compared) {
    yield* findUncovered(rule, rules, work, missing);
    yield* findUncoveredUrls(rule, rules, work, missing);
  }
  for (const rule of requested.slice(compared.length)) missing.push(rule);
  return missing;
}

/** How many rules, from the first, together fall into at most `singleRulesMax` single ones. */
function comparedCount(requested: readonly PolicyRule[]): number {
  let left = singleRulesMax;
  const at = requested.findIndex((rule) => {
    left -= singleRulesCount(rule);
    return left < 0;
  });
  return at === -1 ? requested.length : at;
}

export function singleRulesCount(rule: PolicyRule): number {
  const names = Math.max(1, rule.resourceNames.length);
  const ofResources = rule.apiGroups.length * rule.resources.length * names;
  return rule.verbs.length * (ofResources + rule.nonResourceURLs.length);
}

interface Work {
  left: number;
  stepLeft: number;
}

/** Takes `comparisons` off what is allowed. True: the step ends here. */
function isStepOver(work: Work, comparisons: number): boolean {
  work.left -= comparisons;
  work.stepLeft -= comparisons;
  if (work.stepLeft > 0) return false;
  work.stepLeft = stepComparisons;
  return true;
}

const empty: PolicyRule = {
  verbs: [],
  apiGroups: [],
  resources: [],
  resourceNames: [],
  nonResourceURLs: [],
};

function* findUncovered(
  { apiGroups, resourceNames, resources, verbs }: PolicyRule,
  owned: OwnedRules,
  work: Work,
  missing: PolicyRule[],
): Steps<void> {
  for (const group of apiGroups) {
    for (const resource of resources) {
      for (const verb of verbs) {
        const candidates = owned.candidates(verb, group, resource);
        const count = candidates.reduce((sum, { length }) => sum + length, 0);
        if (isStepOver(work, 1 + count + resourceNames.length)) yield;
        const those = work.left < 0 ? [] : coverers(candidates, verb, group, resource);
        if (those.some(({ names }) => names === undefined)) continue;
        const single = { ...empty, verbs: [verb], apiGroups: [group], resources: [resource] };
        if (resourceNames.length === 0) missing.push(single);
        for (const name of resourceNames) {
          if (those.some(({ names }) => names?.has(name))) continue;
          missing.push({ ...single, resourceNames: [name] });
        }
        if (isStepOver(work, those.length * resourceNames.length)) yield;
      }
    }
  }
}

/** The owner's rules that are about all of this, for some names or for all. */
function coverers(
  candidates: readonly (readonly OwnedRule[])[],
  verb: string,
  group: string,
  resource: string,
): readonly OwnedRule[] {
  const patterns = resourcePatterns(resource);
  const has = (set: ReadonlySet<string>, text: string): boolean => set.has('*') || set.has(text);
  const found: OwnedRule[] = [];
  for (const rules of candidates) {
    for (const rule of rules) {
      if (!has(rule.verbs, verb) || !has(rule.groups, group)) continue;
      if (!patterns.some((pattern) => rule.resources.has(pattern))) continue;
      if (rule.names === undefined) return [rule];
      found.push(rule);
    }
  }
  return found;
}

function* findUncoveredUrls(
  { nonResourceURLs, verbs }: PolicyRule,
  { urlRules }: OwnedRules,
  work: Work,
  missing: PolicyRule[],
): Steps<void> {
  for (const url of nonResourceURLs) {
    for (const verb of verbs) {
      let isCovered = false;
      for (const owner of urlRules) {
        if (isStepOver(work, 1 + owner.nonResourceURLs.length)) yield;
        isCovered = work.left >= 0 && coversUrl(owner, verb, url);
        if (isCovered || work.left < 0) break;
      }
      if (!isCovered) missing.push({ ...empty, verbs: [verb], nonResourceURLs: [url] });
    }
  }
}

function coversUrl({ nonResourceURLs, verbs }: UrlRule, verb: string, url: string): boolean {
  if (!verbs.includes(verb) && !verbs.includes('*')) return false;
  return nonResourceURLs.some((pattern) => urlCovers(pattern, url));
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
