/**
 * Resources that may only be taken where a quota covers them: `limitedResources` in the
 * configuration of ResourceQuota.
 *
 *     apiVersion: apiserver.config.<domain>/v1
 *     kind: ResourceQuotaConfiguration     or Configuration, of resourcequota.admission.<domain>
 *     limitedResources:
 *       - apiGroup: ''
 *         resource: pods
 *         matchContains: [requests.cpu]    parts of the names that quotas use
 *         matchScopes: [{scopeName: PriorityClass, operator: In, values: [high]}]
 *
 *     a write ─▶ names of what it takes ─▶ does a quota that applies to the object limit each?
 *             ─▶ its scopes             ─▶ does a quota name each, and apply to the object by it?
 *
 * charge.ts charges.
 *
 * Invariants: pure. As in the reference, `matchContains` applies only to the resource of the entry,
 * `matchScopes` to every object that can be in the scope, and any quota with the scope covers it.
 * Bounds: `limitedResourcesMax` entries, checked for each write of their resources.
 */
import { fieldPath, oneOf, unknownFields } from '../../apimachinery/configuration-document.ts';
import { listOfTexts } from '../../apimachinery/configuration-document.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import { items, objects, text, texts } from '../../apimachinery/members.ts';
import { parseQuantity } from '../../apimachinery/quantity.ts';
import type { GroupResource } from '../../apimachinery/schema.ts';
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { isInScope, scopesByResource } from './scopes.ts';
import type { Usage } from './usage.ts';

/** Entries of one configuration. */
const limitedResourcesMax = 1_000;

interface LimitedResource {
  readonly group: string;
  readonly resource: string;
  readonly contains: readonly string[];
  readonly scopes: readonly JsonObject[];
}

export interface Limited {
  /** Sorted. */
  readonly names: readonly string[];
  readonly scopes: readonly JsonObject[];
}

export interface LimitedResources {
  /** Whether a write of it can be refused by this. */
  concerns(resource: GroupResource): boolean;
  /** What has to be bounded for an object that takes this; undefined: nothing. */
  of(resource: GroupResource, usage: Usage): Limited | undefined;
}

export function limitedResources(
  document: JsonObject | undefined,
  identity: Pick<Identity, 'groups' | 'fill'>,
  problems: string[],
): LimitedResources | undefined {
  const entries = document === undefined ? [] : readLimited(document, identity, problems);
  return entries.length === 0 ? undefined : limiting(entries);
}

function limiting(entries: readonly LimitedResource[]): LimitedResources {
  const byResource = new Map<string, string[]>();
  for (const { contains, group, resource } of entries) {
    const key = `${group}/${resource}`;
    byResource.set(key, [...(byResource.get(key) ?? []), ...contains]);
  }
  const scopes = entries.flatMap((entry) => entry.scopes);
  const namesOf = ({ group, resource }: GroupResource): readonly string[] =>
    byResource.get(`${group}/${resource}`) ?? [];
  return {
    concerns: (resource) =>
      namesOf(resource).length > 0 ||
      (scopes.length > 0 && resource.group === '' && scopesByResource.has(resource.resource)),
    of(resource, usage) {
      const parts = namesOf(resource);
      const names = Object.entries(usage.amounts)
        .filter(([name, amount]) => isTaken(amount) && parts.some((each) => name.includes(each)))
        .map(([name]) => name)
        .sort();
      const { scopes: facts } = usage;
      const inThem = facts === null ? [] : scopes.filter((scope) => isInScope(scope, facts));
      return names.length + inThem.length === 0 ? undefined : { names, scopes: inThem };
    },
  };
}

function isTaken(amount: string): boolean {
  const quantity = parseQuantity(amount);
  return quantity !== undefined && quantity.unscaled > 0n;
}

/** As the reference shows them: `[{PriorityClass In [high]}]`. */
export function shownScopes(scopes: readonly JsonObject[]): string {
  const shown = scopes.map((scope) => {
    const values = texts(scope, 'values').join(' ');
    return `{${text(scope, 'scopeName')} ${text(scope, 'operator')} [${values}]}`;
  });
  return `[${shown.join(' ')}]`;
}

function readLimited(
  document: JsonObject,
  { fill, groups }: Pick<Identity, 'groups' | 'fill'>,
  problems: string[],
): readonly LimitedResource[] {
  const group = fill('resourcequota.admission.{domain}');
  const kinds = [
    [`${groups.apiserverConfig}/v1`, 'ResourceQuotaConfiguration'],
    [`${group}/v1beta1`, 'Configuration'],
    [`${group}/v1alpha1`, 'Configuration'],
  ] as const;
  const version = text(document, 'apiVersion');
  const [, kind] = kinds.find(([each]) => each === version) ?? [];
  if (kind === undefined) {
    const all = kinds.map(([each]) => each).join(', ');
    problems.push(`apiVersion: one of ${all} expected`);
  } else if (document['kind'] !== kind) problems.push(`kind: ${kind} expected`);
  unknownFields(document, ['apiVersion', 'kind', 'limitedResources'], '', problems);
  const { limitedResources: listed } = document;
  if (listed !== undefined && listed !== null && !Array.isArray(listed)) {
    problems.push('limitedResources: a list expected');
  }
  const entries = items(document, 'limitedResources');
  if (entries.length > limitedResourcesMax) {
    problems.push(`limitedResources: must have at most ${limitedResourcesMax} items`);
    return [];
  }
  return entries.map((entry, at) => readEntry(entry, `limitedResources[${at}]`, problems));
}

const entryFields = ['apiGroup', 'resource', 'matchContains', 'matchScopes'];

function readEntry(entry: JsonValue, path: string, problems: string[]): LimitedResource {
  if (!isJsonObject(entry)) {
    problems.push(`${path}: an object expected`);
    return { group: '', resource: '', contains: [], scopes: [] };
  }
  unknownFields(entry, entryFields, path, problems);
  for (const field of ['apiGroup', 'resource']) {
    if (typeof (entry[field] ?? '') === 'string') continue;
    problems.push(`${fieldPath(path, field)}: a string expected`);
  }
  const resource = text(entry, 'resource');
  if (resource === '') problems.push(`${fieldPath(path, 'resource')}: Required value`);
  const contains = listOfTexts(entry, 'matchContains', path, problems);
  for (const [at, scope] of items(entry, 'matchScopes').entries()) {
    readScope(scope, fieldPath(path, `matchScopes[${at}]`), problems);
  }
  return {
    group: text(entry, 'apiGroup'),
    resource,
    contains,
    scopes: objects(entry, 'matchScopes'),
  };
}

const scopeNames = [
  'Terminating',
  'NotTerminating',
  'BestEffort',
  'NotBestEffort',
  'PriorityClass',
  'CrossNamespacePodAffinity',
  'VolumeAttributesClass',
] as const;

const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const;

/** The reference lets a scope that it does not know stand, and it holds for nothing. */
function readScope(scope: JsonValue, path: string, problems: string[]): void {
  if (!isJsonObject(scope)) {
    problems.push(`${path}: an object expected`);
    return;
  }
  unknownFields(scope, ['scopeName', 'operator', 'values'], path, problems);
  oneOf(scope, 'scopeName', scopeNames, path, problems, 'expected');
  oneOf(scope, 'operator', operators, path, problems, 'expected');
  listOfTexts(scope, 'values', path, problems);
}
