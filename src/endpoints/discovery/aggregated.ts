/**
 * Aggregated discovery: every group with every version and resource in one document.
 *
 * Spec 1, sections 4.1 and 9. Bound: a group may have thousands of kinds that users have defined,
 * and there may be thousands of groups: it is made in steps.
 */
import type { KindInfo } from '../../apimachinery/scheme.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { inSteps } from '../../stdx/in-steps.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { sharesVersion } from './plain.ts';
import type { ResourcesOf, ShownGroup } from './shown-groups.ts';

/** The two versions differ in their name only. */
export const aggregatedVersions = ['v2', 'v2beta1'] as const;
export type AggregatedVersion = (typeof aggregatedVersions)[number];

export const aggregatedKind = 'APIGroupDiscoveryList';

/** At /api (the core group alone) and at /apis (all the others). */
export function* apiGroupDiscoveryList(
  groups: readonly ShownGroup[],
  resourcesOf: ResourcesOf,
  discoveryGroup: string,
  version: AggregatedVersion,
): Steps<JsonObject> {
  const items: JsonObject[] = [];
  yield* inSteps(groupItems(groups, resourcesOf), (item) => {
    if (item !== undefined) items.push(item);
    return undefined;
  });
  return { kind: aggregatedKind, apiVersion: `${discoveryGroup}/${version}`, metadata: {}, items };
}

/** Each group behind its kinds, for each of which there is undefined: a step counts both, be there
 * many groups or many kinds in one. */
function* groupItems(
  groups: readonly ShownGroup[],
  resourcesOf: ResourcesOf,
): Generator<JsonObject | undefined, void> {
  for (const group of groups) {
    const versions: JsonObject[] = [];
    for (const shown of group.versions) {
      const { version } = shown;
      if ('remote' in shown) {
        const { freshness, resources } = resourcesOf(shown.remote);
        versions.push({ version, resources, freshness });
        yield undefined;
        continue;
      }
      const resources: JsonObject[] = [];
      for (const kind of shown.kinds) {
        resources.push(resourceItem(kind));
        yield undefined;
      }
      versions.push({ version, resources, freshness: 'Current' });
    }
    yield { metadata: group.group === '' ? {} : { name: group.group }, versions };
  }
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
