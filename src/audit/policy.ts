/**
 * The audit policy: how much of a request is written down (exact names as in audit.<domain>/v1).
 *
 * Elsewhere: reading the file (policy-file.ts).
 *
 * Invariants: the first rule that matches decides; where none does nothing is written. Requests
 * whose bodies carry credentials by their nature are never written above Metadata, whatever the
 * policy says; nor are such bodies that were sent elsewhere.
 */
import { isCredentialKind } from '../apimachinery/credential-kinds.ts';
import type { JsonValue } from '../apimachinery/unstructured.ts';
import { isJsonObject } from '../apimachinery/unstructured.ts';
import type { Attributes } from '../authorization/authorizer.ts';
import type { AuditStage } from './audit.ts';

export const auditLevels = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
export type AuditLevel = (typeof auditLevels)[number];

export interface GroupResources {
  /** '' is the core group. */
  readonly group: string;
  /** Empty: all of the group. `pods`, `pods/log`, `pods/*`, `*` + `/scale`, `*`. */
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

/** What is empty does not narrow. */
export interface AuditRule {
  readonly level: AuditLevel;
  readonly users: readonly string[];
  readonly userGroups: readonly string[];
  readonly verbs: readonly string[];
  readonly resources: readonly GroupResources[];
  /** '' is what lies in no namespace. */
  readonly namespaces: readonly string[];
  /** A path, `*`, or a path that ends in `*`. */
  readonly nonResourceURLs: readonly string[];
  readonly omitStages: ReadonlySet<AuditStage>;
  readonly omitManagedFields: boolean;
}

export interface AuditPolicy {
  readonly rules: readonly AuditRule[];
}

export interface AuditChoice {
  readonly level: AuditLevel;
  readonly omitStages: ReadonlySet<AuditStage>;
  readonly omitManagedFields: boolean;
}

const nothing: AuditChoice = { level: 'None', omitStages: new Set(), omitManagedFields: false };

export function chooseAudit(policy: AuditPolicy, attributes: Attributes): AuditChoice {
  const rule = policy.rules.find((each) => matches(each, attributes));
  if (rule === undefined) return nothing;
  const { level, omitManagedFields, omitStages } = rule;
  const withBodies = level === 'Request' || level === 'RequestResponse';
  if (!withBodies || !carriesCredentials(attributes)) return rule;
  return { level: 'Metadata', omitStages, omitManagedFields };
}

/** Tokens go in or come out, or are kept in it. */
function carriesCredentials({ resource, subresource, apiGroup }: Attributes): boolean {
  if (resource === 'secrets') return apiGroup === '';
  if (resource === 'tokenreviews') return true;
  return resource === 'serviceaccounts' && subresource === 'token';
}

/** A body that says so itself, wherever it was sent: elsewhere it is refused, but would be told. Of
 * a `List` it is not asked what is in it: nothing takes one. */
export function isOfCredentials(body: JsonValue | undefined): boolean {
  const kind = isJsonObject(body) ? body['kind'] : undefined;
  if (typeof kind !== 'string') return false;
  return kind === 'List' || isCredentialKind(kind) || kind === 'SecretList';
}

function matches(rule: AuditRule, attributes: Attributes): boolean {
  const { user, verb } = attributes;
  if (rule.users.length > 0 && !rule.users.includes(user.name)) return false;
  if (rule.userGroups.length > 0 && !rule.userGroups.some((group) => user.groups.includes(group))) {
    return false;
  }
  if (rule.verbs.length > 0 && !rule.verbs.includes(verb) && !rule.verbs.includes('*')) {
    return false;
  }
  if (rule.resources.length > 0 || rule.namespaces.length > 0) {
    return attributes.isResourceRequest && matchesResource(rule, attributes);
  }
  if (rule.nonResourceURLs.length === 0) return true;
  if (attributes.isResourceRequest) return false;
  return rule.nonResourceURLs.some((pattern) => matchesPath(pattern, attributes.path));
}

function matchesResource({ namespaces, resources }: AuditRule, attributes: Attributes): boolean {
  if (namespaces.length > 0 && !namespaces.includes(attributes.namespace)) return false;
  if (resources.length === 0) return true;
  return resources.some((each) => {
    if (each.group !== attributes.apiGroup) return false;
    if (each.resourceNames.length > 0 && !each.resourceNames.includes(attributes.name)) {
      return false;
    }
    if (each.resources.length === 0) return true;
    return each.resources.some((pattern) => matchesName(pattern, attributes));
  });
}

function matchesName(pattern: string, { resource, subresource }: Attributes): boolean {
  if (pattern === '*') return true;
  if (subresource === '') return pattern === resource;
  if (pattern === `${resource}/${subresource}`) return true;
  return pattern === `*/${subresource}` || pattern === `${resource}/*`;
}

function matchesPath(pattern: string, path: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : pattern === path;
}
