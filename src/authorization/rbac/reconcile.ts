/**
 * What a default role or binding becomes where one of its name exists already (spec 2, 5.6).
 *
 * What is there stays; only what is missing is added, and nothing where the annotation `autoupdate`
 * says "false".
 *
 * Invariants: pure. The answer undefined means: as it should be, or not to be touched.
 */
import { objects, part } from '../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import { ruleObject, rulesOf } from './policy-rules.ts';
import { roleRefOf } from './rbac-objects.ts';
import { compactRules, uncoveredRules } from './rule-cover.ts';

export function reconciledRole(
  existing: ApiObject,
  expected: ApiObject,
  autoupdate: string,
): ApiObject | undefined {
  if (isProtected(existing, autoupdate)) return undefined;
  const missing = compactRules(uncoveredRules(rulesOf(existing), rulesOf(expected)));
  const rules = Array.isArray(existing['rules']) ? existing['rules'] : [];
  const { aggregationRule: _before, ...rest } = withMissingMetadata(existing, expected);
  const aggregationRule = mergedAggregation(existing, expected);
  const next: ApiObject = {
    ...rest,
    ...(missing.length === 0 ? {} : { rules: [...rules, ...missing.map(ruleObject)] }),
    ...(aggregationRule === undefined ? {} : { aggregationRule }),
  };
  return deepEqual(next, existing) ? undefined : next;
}

export type ReconciledBinding =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'update'; readonly object: ApiObject }
  /** It refers to another role, which cannot be changed: it has to be made anew. */
  | { readonly kind: 'recreate'; readonly object: ApiObject };

export function reconciledBinding(
  existing: ApiObject,
  expected: ApiObject,
  autoupdate: string,
): ReconciledBinding {
  if (isProtected(existing, autoupdate)) return { kind: 'unchanged' };
  if (!deepEqual(roleRefOf(existing), roleRefOf(expected))) {
    return { kind: 'recreate', object: expected };
  }
  const subjects = objects(existing, 'subjects');
  const missing = objects(expected, 'subjects').filter(
    (wanted) => !subjects.some((subject) => sameSubject(subject, wanted)),
  );
  const next: ApiObject = {
    ...withMissingMetadata(existing, expected),
    ...(missing.length === 0 ? {} : { subjects: [...subjects, ...missing] }),
  };
  return deepEqual(next, existing) ? { kind: 'unchanged' } : { kind: 'update', object: next };
}

function isProtected(object: ApiObject, autoupdate: string): boolean {
  return object.metadata.annotations?.[autoupdate] === 'false';
}

/** What is there wins over what is expected. */
function withMissingMetadata(existing: ApiObject, expected: ApiObject): ApiObject {
  const { labels, annotations } = existing.metadata;
  const merged = {
    labels: { ...expected.metadata.labels, ...labels },
    annotations: { ...expected.metadata.annotations, ...annotations },
  };
  return {
    ...existing,
    metadata: {
      ...existing.metadata,
      ...(Object.keys(merged.labels).length === 0 ? {} : { labels: merged.labels }),
      ...(Object.keys(merged.annotations).length === 0 ? {} : { annotations: merged.annotations }),
    },
  };
}

/** A role that is not expected to be made of others is so no longer. */
function mergedAggregation(existing: ApiObject, expected: ApiObject): JsonObject | undefined {
  const wanted = expected['aggregationRule'];
  if (!isJsonObject(wanted)) return undefined;
  const before = part(existing, 'aggregationRule');
  const selectors = objects(before, 'clusterRoleSelectors');
  const missing = objects(wanted, 'clusterRoleSelectors').filter(
    (selector) => !selectors.some((known) => deepEqual(known, selector)),
  );
  if (missing.length === 0) return before;
  return { ...before, clusterRoleSelectors: [...selectors, ...missing] };
}

function sameSubject(a: JsonObject, b: JsonObject): boolean {
  return ['kind', 'name', 'namespace', 'apiGroup'].every(
    (field) => (a[field] ?? '') === (b[field] ?? ''),
  );
}
