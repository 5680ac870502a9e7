/**
 * One APIService for each group and version that this server serves itself: clients look there
 * for the server of a group.
 *
 * Elsewhere: writing them (src/controllers/local-api-services.ts). The version of APIServices
 * itself has none, as in the reference: it is served by the server that stores them.
 *
 * Rules: a group with a higher priority comes first in lists of groups, and a version with a higher
 * one first in its group. The numbers are the reference's.
 */
import type { Identity } from '../apimachinery/identity.ts';
import type { Scheme, VersionInfo } from '../apimachinery/scheme.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import { assert } from '../stdx/assert.ts';
import type { GroupDefinition } from './kind-definition.ts';
import { builtInKinds } from './kind-set.ts';
import type { KindSet } from './kind-set.ts';

interface Priorities {
  readonly groupPriorityMinimum: number;
  readonly versionPriority: number;
}

/** `<group template>/<version>` -> where it stands. */
export function prioritiesOf(groups: readonly GroupDefinition[]): ReadonlyMap<string, Priorities> {
  return new Map(
    groups.flatMap(({ group, priority: groupPriorityMinimum, versions = {} }) =>
      Object.entries(versions).flatMap(([version, { priority: versionPriority }]) => {
        if (groupPriorityMinimum === undefined || versionPriority === undefined) return [];
        const priorities = { groupPriorityMinimum, versionPriority };
        return [[`${group}/${version}`, priorities] as const];
      }),
    ),
  );
}

/** The group of APIServices, and where they lie. */
export const apiServicesGroup = 'apiregistration.{domain}';

export function localApiServices(
  scheme: Scheme,
  identity: Identity,
  { groups }: KindSet = builtInKinds,
): readonly ApiObject[] {
  const own = identity.fill(apiServicesGroup);
  const filled = new Map(
    [...prioritiesOf(groups)].map(([name, each]): [string, Priorities] => {
      const slash = name.lastIndexOf('/');
      return [`${identity.fill(name.slice(0, slash))}${name.slice(slash)}`, each];
    }),
  );
  // Its own groups only: the lists of those that users define need not be made for that.
  const served = groups
    .map(({ group }) => identity.fill(group))
    .flatMap((group) => (group === own ? [] : (scheme.findGroup(group) ?? [])));
  return served.flatMap(({ group, versions }) =>
    versions.filter(isBuiltIn).map(({ version }) => {
      const priorities = filled.get(`${group}/${version}`);
      assert(priorities !== undefined, `${group}/${version} has a priority`);
      return {
        apiVersion: `${own}/v1`,
        kind: 'APIService',
        metadata: {
          name: `${version}.${group}`,
          labels: { [identity.labels.automanaged]: automanagedOnStart },
        },
        spec: { ...(group === '' ? {} : { group }), version, ...priorities },
      };
    }),
  );
}

/** In others there is only what users define. */
function isBuiltIn({ kinds }: VersionInfo): boolean {
  return kinds.some(({ custom }) => custom === undefined);
}

/** The value of the label: put right at each start, and not in between. */
const automanagedOnStart = 'onstart';
