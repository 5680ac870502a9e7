/**
 * The rules of an aggregated ClusterRole: those of every role that its selectors choose (spec 2,
 * section 5.6, rule 6).
 *
 * Invariants: pure. Roles count in order of their names, a role never for itself, an equal rule
 * once. A selector that is malformed chooses nothing.
 */
import { labelSelectorFromSpec } from '../../apimachinery/selectors/label-selector.ts';
import type { LabelSelector } from '../../apimachinery/selectors/label-selector.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import { rulesOf } from './policy-rules.ts';
import type { PolicyRule } from './policy-rules.ts';

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

/** The rules that this role should have. `roles`: all there are, in order of names. */
function aggregatedRules(
  role: AggregatableRole,
  roles: readonly AggregatableRole[],
): readonly PolicyRule[] {
  const rules: PolicyRule[] = [];
  for (const selector of role.selectors ?? []) {
    for (const part of roles) {
      if (part.name === role.name || !selector.matches(part.labels)) continue;
      for (const rule of part.rules) {
        if (!rules.some((known) => deepEqual(known, rule))) rules.push(rule);
      }
    }
  }
  return rules;
}

/** The roles whose rules are not what they should be, with those. Parts that are made of others
 * themselves count as they will be. */
export function staleAggregates(
  roles: readonly AggregatableRole[],
): ReadonlyMap<string, readonly PolicyRule[]> {
  const stale = new Map<string, readonly PolicyRule[]>();
  let now = [...roles];
  // Each pass settles one more level of roles made of roles; a circle of them settles, too, since
  // equal rules count once.
  for (let pass = 0; pass <= roles.length; pass += 1) {
    let changed = false;
    now = now.map((role) => {
      if (role.selectors === undefined) return role;
      const rules = aggregatedRules(role, now);
      if (deepEqual(rules, role.rules)) return role;
      changed = true;
      stale.set(role.name, rules);
      return { ...role, rules };
    });
    if (!changed) break;
  }
  return stale;
}
