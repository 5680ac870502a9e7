/**
 * The rules that somebody has, indexed for the question which of them are about one verb, group and
 * resource. Made for the rules of one request: what those do not name is left out.
 *
 * Invariants: rules that differ in their names alone count as one. A rule without names is about
 * all names.
 * Bounds: linear in the owned rules; a question walks over the shortest of three lists.
 */
import type { Steps } from '../../stdx/stepwise.ts';
import type { PolicyRule } from './policy-rules.ts';

export interface OwnedRule {
  readonly verbs: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
  readonly resources: ReadonlySet<string>;
  /** Undefined: all names. */
  names: Set<string> | undefined;
}

export interface OwnedRules {
  /** Rules that may be about all three, from the shortest index: some of them are not. */
  candidates(verb: string, group: string, resource: string): readonly (readonly OwnedRule[])[];
  /** The rules about paths. */
  readonly urlRules: readonly UrlRule[];
}

export type UrlRule = Pick<PolicyRule, 'verbs' | 'nonResourceURLs'>;

/** Rules, and texts in them, that are looked at in one step. */
const stepTexts = 4000;

/** Rules by one of their verbs, groups or resources. */
type Postings = Map<string, OwnedRule[]>;

export function* ownedRulesSteps(
  owned: readonly PolicyRule[],
  requested: readonly PolicyRule[],
): Steps<OwnedRules> {
  const wanted = {
    verbs: new Set(requested.flatMap(({ verbs }) => verbs)),
    groups: new Set(requested.flatMap(({ apiGroups }) => apiGroups)),
    resources: new Set(requested.flatMap(({ resources }) => resources)),
  };
  const byKey = new Map<string, OwnedRule>();
  const byVerb: Postings = new Map();
  const byGroup: Postings = new Map();
  const byResource: Postings = new Map();
  const urlRules: UrlRule[] = [];
  let texts = 0;
  for (const rule of owned) {
    texts += 1 + textsOf(rule);
    if (rule.nonResourceURLs.length > 0) urlRules.push(rule);
    if (rule.resources.length > 0) {
      const made = {
        verbs: among(rule.verbs, wanted.verbs),
        groups: among(rule.apiGroups, wanted.groups),
        resources: among(rule.resources, wanted.resources),
      };
      const added = addRule(byKey, made, rule.resourceNames);
      if (added !== undefined) {
        post(byVerb, added.verbs, added);
        post(byGroup, added.groups, added);
        post(byResource, added.resources, added);
      }
    }
    if (texts < stepTexts) continue;
    texts = 0;
    yield;
  }
  return {
    urlRules,
    candidates(verb, group, resource) {
      const about = [
        lists(byVerb, [verb, '*']),
        lists(byGroup, [group, '*']),
        lists(byResource, resourcePatterns(resource)),
      ];
      return about.reduce((least, each) => (lengthOf(each) < lengthOf(least) ? each : least));
    },
  };
}

/** What stands for a resource in a rule: its name, everything, or its subresource of everything. */
export function resourcePatterns(resource: string): readonly string[] {
  const slash = resource.indexOf('/');
  return slash === -1 ? [resource, '*'] : [resource, '*', `*${resource.slice(slash)}`];
}

export function textsOf(rule: PolicyRule): number {
  const { apiGroups, nonResourceURLs, resourceNames, resources, verbs } = rule;
  const ofTargets = resources.length + resourceNames.length + nonResourceURLs.length;
  return verbs.length + apiGroups.length + ofTargets;
}

/** Those that a requested rule names, or that have an asterisk. */
function among(texts: readonly string[], wanted: ReadonlySet<string>): ReadonlySet<string> {
  return new Set(texts.filter((text) => wanted.has(text) || text.startsWith('*')));
}

/** Returns the rule if it is new; else its names are added to those of the known one. */
function addRule(
  byKey: Map<string, OwnedRule>,
  made: Omit<OwnedRule, 'names'>,
  names: readonly string[],
): OwnedRule | undefined {
  if (made.verbs.size === 0 || made.groups.size === 0 || made.resources.size === 0)
    return undefined;
  const key = JSON.stringify([[...made.verbs], [...made.groups], [...made.resources]]);
  const known = byKey.get(key);
  if (known === undefined) {
    const added = { ...made, names: names.length === 0 ? undefined : new Set(names) };
    byKey.set(key, added);
    return added;
  }
  if (names.length === 0) known.names = undefined;
  else for (const name of names) known.names?.add(name);
  return undefined;
}

function post(postings: Postings, texts: Iterable<string>, rule: OwnedRule): void {
  for (const text of texts) {
    const those = postings.get(text);
    if (those === undefined) postings.set(text, [rule]);
    else those.push(rule);
  }
}

function lists(postings: Postings, texts: readonly string[]): readonly (readonly OwnedRule[])[] {
  return texts.map((text) => postings.get(text) ?? []);
}

function lengthOf(all: readonly (readonly OwnedRule[])[]): number {
  return all.reduce((sum, { length }) => sum + length, 0);
}
