/**
 * Aggregated discovery: every group with every version and resource in one document.
 *
 * Spec 1, sections 4.1 and 9.
 */
import type { GroupInfo, KindInfo } from '../../apimachinery/scheme.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { sharesVersion } from './plain.ts';

/** The two versions differ in their name only. */
export const aggregatedVersions = ['v2', 'v2beta1'] as const;
export type AggregatedVersion = (typeof aggregatedVersions)[number];

export const aggregatedKind = 'APIGroupDiscoveryList';

/** At /api (the core group alone) and at /apis (all the others). */
export function apiGroupDiscoveryList(
  groups: readonly GroupInfo[],
  discoveryGroup: string,
  version: AggregatedVersion,
): JsonObject {
  return {
    kind: aggregatedKind,
    apiVersion: `${discoveryGroup}/${version}`,
    metadata: {},
    items: groups.map(groupItem),
  };
}

function groupItem(group: GroupInfo): JsonObject {
  return {
    metadata: group.group === '' ? {} : { name: group.group },
    versions: group.versions.map((version) => ({
      version: version.version,
      resources: version.kinds.map(resourceItem),
      freshness: 'Current',
    })),
  };
}

function resourceItem(kind: KindInfo): JsonObject {
  return {
    resource: kind.resource,
    responseKind: ownKind(kind.kind),
    scope: kind.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: kind.singular,
    verbs: kind.verbs,
    ...(kind.shortNames.length > 0 ? { shortNames: kind.shortNames } : {}),
    ...(kind.categories.length > 0 ? { categories: kind.categories } : {}),
    ...(kind.subresources.length > 0 ? { subresources: subresourceItems(kind) } : {}),
  };
}

function subresourceItems(kind: KindInfo): readonly JsonObject[] {
  return kind.subresources.map((subresource) => ({
    subresource: subresource.name,
    responseKind: sharesVersion(kind, subresource)
      ? ownKind(subresource.kind.kind)
      : { ...subresource.kind },
    verbs: subresource.verbs,
  }));
}

/** An empty group and version stand for those under which the resource is listed. */
function ownKind(kind: string): JsonObject {
  return { group: '', version: '', kind };
}
