/**
 * A set of groups of kinds, indexed: what everything that serves kinds collects from. The built-in
 * one is `builtInKinds`; tests make others.
 *
 * Invariants: immutable. Two definitions of one resource are a broken build and throw; a resource
 * without a definition behaves as most kinds do.
 */
import type { Identity } from '../apimachinery/identity.ts';
import { assert } from '../stdx/assert.ts';
import { catalogue, parseCatalogue, resourceKey } from './catalogue.ts';
import type { CatalogueKind } from './catalogue.ts';
import { builtInGroups } from './groups.ts';
import type { GroupDefinition, KindDefinition, VersionDefinition } from './kind-definition.ts';

export interface KindSet {
  /** In discovery order. */
  readonly groups: readonly GroupDefinition[];
  /** Every kind at every version. */
  readonly catalogue: readonly CatalogueKind[];
  /** In order of groups. */
  readonly definitions: readonly KindDefinition[];
  /** `key`: `<group template>/<resource>`. */
  definitionOf(key: string): KindDefinition;
  /** Undefined: a group of the facts that is not defined. */
  groupOf(group: string): GroupDefinition | undefined;
  /** The kinds of the catalogue by the resource in which their objects are stored. */
  readonly families: ReadonlyMap<string, readonly CatalogueKind[]>;
}

/** `rows`: the catalogue of these groups, where it has been made already. */
export function makeKindSet(
  groups: readonly GroupDefinition[],
  rows: readonly CatalogueKind[] = parseCatalogue(groups),
): KindSet {
  const definitions = groups.flatMap(({ kinds }) => kinds);
  const byResource = new Map<string, KindDefinition>();
  for (const { group, kinds } of groups) {
    for (const definition of kinds) {
      const { resource } = definition;
      assert(resource.startsWith(`${group}/`), `${resource} is defined in its own group`);
      assert(!byResource.has(resource), `${resource} is defined once`);
      byResource.set(resource, definition);
    }
  }
  const byGroup = new Map(groups.map((group) => [group.group, group]));
  const definitionOf = (key: string): KindDefinition => byResource.get(key) ?? { resource: key };
  return {
    groups,
    catalogue: rows,
    definitions,
    definitionOf,
    groupOf: (group) => byGroup.get(group),
    families: familiesOf(rows, definitionOf),
  };
}

function familiesOf(
  rows: readonly CatalogueKind[],
  definitionOf: (key: string) => KindDefinition,
): ReadonlyMap<string, readonly CatalogueKind[]> {
  const families = new Map<string, CatalogueKind[]>();
  for (const row of rows) {
    const group = definitionOf(resourceKey(row)).storedIn ?? row.group;
    const key = resourceKey({ group, resource: row.resource });
    const family = families.get(key) ?? [];
    families.set(key, family);
    family.push(row);
  }
  return families;
}

export const builtInKinds: KindSet = makeKindSet(builtInGroups, catalogue);

/** What only this version of the resource has. */
export function versionOf(
  definition: KindDefinition,
  { version }: { readonly version: string },
): VersionDefinition {
  return definition.versions?.[version] ?? nothingOfItsOwn;
}

const nothingOfItsOwn: VersionDefinition = {};

/** `<group template>/<resource>` under the identity's names. */
export function keyUnderIdentity(key: string, identity: Identity): string {
  const slash = key.lastIndexOf('/');
  return `${identity.fill(key.slice(0, slash))}${key.slice(slash)}`;
}
