/**
 * The rules of an aggregated ClusterRole: those of every role that its selectors choose (spec 2,
 * section 5.6, rule 6).
 *
 * Invariants: pure. Roles count in order of their names, a role never for itself, an equal rule
 * once. A selector that is malformed chooses nothing.
 * Bounds: in parts. Roles whose rules together have more than `aggregatedTextsMax` texts, which is
 * what a body may hold, make none.
 */
import { bodyValuesMax } from '../../apimachinery/codecs/body-bounds.ts';
import { labelSelectorFromSpec } from '../../apimachinery/selectors/label-selector.ts';
import type { LabelSelector } from '../../apimachinery/selectors/label-selector.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { finished } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { textsOf } from './owned-rules.ts';
import { rulesOf } from './policy-rules.ts';
import type { PolicyRule } from './policy-rules.ts';

export const aggregatedTextsMax = bodyValuesMax;

/** Rules, and requirements of selectors, that are looked at in one step. */
const stepRules = 2000;

export interface AggregatableRole {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly rules: readonly PolicyRule[];
  /** Undefined: the role says its rules itself. */
  readonly selectors: readonly LabelSelector[] | undefined;
}

export function aggregatableRole(object: ApiObject): AggregatableRole {
  return {
    name: object.metadata.name ?? '',
    labels: object.metadata.labels ?? {},
    rules: rulesOf(object),
    selectors: selectorsOf(object),
  };
}

function selectorsOf(object: ApiObject): readonly LabelSelector[] | undefined {
  const aggregation = object['aggregationRule'];
  if (!isJsonObject(aggregation)) return undefined;
  const specs = aggregation['clusterRoleSelectors'];
  if (!Array.isArray(specs)) return [];
  const selectors: LabelSelector[] = [];
  for (const spec of specs) {
    if (!isJsonObject(spec)) continue;
    const selector = labelSelectorFromSpec(spec);
    if ('matches' in selector) selectors.push(selector);
  }
  return selectors;
}

/** Undefined: the roles together have more rules than one role may. */
export type AggregatedRules = readonly PolicyRule[] | undefined;

/** The roles whose rules are not what they should be, with those. Parts that are made of others
 * themselves count as they will be. `roles`: all there are, in order of names. */
export function staleAggregates(
  roles: readonly AggregatableRole[],
): ReadonlyMap<string, AggregatedRules> {
  return finished(staleAggregateSteps(roles));
}

export function* staleAggregateSteps(
  roles: readonly AggregatableRole[],
): Steps<ReadonlyMap<string, AggregatedRules>> {
  const aggregates = yield* aggregatesOf(roles);
  const stale = new Map<string, AggregatedRules>();
  const now = roles.map(({ rules }) => rules);
  const users = yield* usersOf(aggregates);
  let due = aggregates;
  // Each pass settles one more level of roles made of roles; a circle of them settles, too, since
  // equal rules count once.
  for (let pass = 0; pass <= roles.length && due.length > 0; pass += 1) {
    const next = new Map<number, readonly PolicyRule[]>();
    for (const { at, parts } of due) {
      yield;
      const { name = '' } = roles[at] ?? {};
      const rules = yield* aggregatedRules(parts.map((part) => now[part] ?? []));
      if (rules === undefined) stale.set(name, undefined);
      if (rules === undefined || sameRules(rules, now[at] ?? [])) continue;
      next.set(at, rules);
      stale.set(name, rules);
    }
    const changed = new Set<Aggregate>();
    for (const [at, rules] of next) {
      now[at] = rules;
      for (const user of users.get(at) ?? []) changed.add(user);
      yield;
    }
    due = [...changed];
  }
  return stale;
}

interface Aggregate {
  /** The indexes, in the list of all roles, of this role and of those that it is made of. */
  readonly at: number;
  readonly parts: readonly number[];
}

/** Those that are made of an aggregate: the rules of no other role change. */
function* usersOf(
  aggregates: readonly Aggregate[],
): Steps<ReadonlyMap<number, readonly Aggregate[]>> {
  const users = new Map<number, Aggregate[]>(aggregates.map(({ at }) => [at, []]));
  for (const aggregate of aggregates) {
    for (const part of aggregate.parts) users.get(part)?.push(aggregate);
    yield;
  }
  return users;
}

function* aggregatesOf(roles: readonly AggregatableRole[]): Steps<readonly Aggregate[]> {
  const found: Aggregate[] = [];
  let looked = 0;
  for (const [at, { selectors }] of roles.entries()) {
    if (selectors === undefined) continue;
    const parts = new Set<number>();
    for (const selector of selectors) {
      for (const [part, { labels }] of roles.entries()) {
        if (part !== at && selector.matches(labels)) parts.add(part);
        looked += 1 + selector.requirements.length;
        if (looked < stepRules) continue;
        looked = 0;
        yield;
      }
    }
    found.push({ at, parts: [...parts] });
  }
  return found;
}

function* aggregatedRules(parts: readonly (readonly PolicyRule[])[]): Steps<AggregatedRules> {
  const rules = new Map<string, PolicyRule>();
  let texts = 0;
  let looked = 0;
  for (const part of parts) {
    for (const rule of part) {
      const key = keyOf(rule);
      if (!rules.has(key)) {
        rules.set(key, rule);
        texts += 1 + textsOf(rule);
        looked += 1 + textsOf(rule);
      }
      if (texts > aggregatedTextsMax) return undefined;
      looked += 1;
      if (looked < stepRules) continue;
      looked = 0;
      yield;
    }
  }
  return [...rules.values()];
}

const keys = new WeakMap<PolicyRule, string>();

/** A text that two rules share exactly when they are equal. */
function keyOf(rule: PolicyRule): string {
  const known = keys.get(rule);
  if (known !== undefined) return known;
  const { apiGroups, nonResourceURLs, resourceNames, resources, verbs } = rule;
  const key = JSON.stringify([verbs, apiGroups, resources, resourceNames, nonResourceURLs]);
  keys.set(rule, key);
  return key;
}

function sameRules(a: readonly PolicyRule[], b: readonly PolicyRule[]): boolean {
  return a.length === b.length && a.every((rule, at) => keyOf(rule) === keyOf(b[at] as PolicyRule));
}
