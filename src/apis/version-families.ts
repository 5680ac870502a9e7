/**
 * Which kinds are one resource in several versions, some of them in another group: they share one
 * stored object (spec 1, section 9; spec 2, sections 3.3 and 9.3).
 *
 *     networking.{domain}/v1 Ingress        hub
 *     networking.{domain}/v1beta1 Ingress   ├─ one resource in the store: networking.{domain}
 *     extensions/v1beta1 Ingress            ┘
 *
 * What it is not: what is served, or in which version a release stores (served-versions.ts).
 *
 * Invariants: the resource in the store and the hub do not depend on the release.
 */
import type { Identity } from '../apimachinery/identity.ts';
import { formatGroupVersion } from '../apimachinery/schema.ts';
import type { KindConversion } from '../apimachinery/scheme.ts';
import { assert } from '../stdx/assert.ts';
import { catalogue, resourceKey } from './catalogue.ts';
import type { CatalogueKind } from './catalogue.ts';
import { conversionOf } from './conversion/conversions.ts';
import { compareVersions } from './served-versions.ts';

/** `<group>/<resource>` -> the group under which its objects are stored. */
const storedElsewhere: ReadonlyMap<string, string> = new Map([
  ['events.{domain}/events', ''],
  ['extensions/daemonsets', 'apps'],
  ['extensions/deployments', 'apps'],
  ['extensions/ingresses', 'networking.{domain}'],
  ['extensions/networkpolicies', 'networking.{domain}'],
  ['extensions/podsecuritypolicies', 'policy'],
  ['extensions/replicasets', 'apps'],
]);

export function storageGroupOf(kind: CatalogueKind): string {
  return storedElsewhere.get(resourceKey(kind)) ?? kind.group;
}

/** `<group template>/<resource>` under which the objects of a kind are stored. */
export function storageKeyOf(kind: CatalogueKind): string {
  return resourceKey({ group: storageGroupOf(kind), resource: kind.resource });
}

const families: ReadonlyMap<string, readonly CatalogueKind[]> = groupFamilies();

function groupFamilies(): ReadonlyMap<string, readonly CatalogueKind[]> {
  const made = new Map<string, CatalogueKind[]>();
  for (const kind of catalogue) {
    const key = storageKeyOf(kind);
    const family = made.get(key) ?? [];
    made.set(key, family);
    family.push(kind);
  }
  return made;
}

/** Every version that shares its stored objects, this one among them. */
export function familyOf(kind: CatalogueKind): readonly CatalogueKind[] {
  return families.get(storageKeyOf(kind)) ?? [];
}

/** The versions in which objects may be stored: those of the storage group. */
export function storableVersions(kind: CatalogueKind): readonly CatalogueKind[] {
  const group = storageGroupOf(kind);
  return familyOf(kind).filter((each) => each.group === group);
}

export function hubOf(kind: CatalogueKind): CatalogueKind {
  const [hub] = [...storableVersions(kind)].sort((a, b) => compareVersions(a.version, b.version));
  assert(hub !== undefined, `${kind.kind} has a version to be stored in`);
  return hub;
}

/** The conversion of a version, by the apiVersion that its objects carry. */
export type FamilyConversions = ReadonlyMap<string, KindConversion | undefined>;

/** Of every version of the family; undefined for those with the hub's fields. */
export function conversionsOf(kind: CatalogueKind, identity: Identity): FamilyConversions {
  const hub = hubOf(kind);
  return new Map(
    familyOf(kind).map((each) => [
      formatGroupVersion({ group: identity.fill(each.group), version: each.version }),
      conversionOf(each.type, hub.type, identity),
    ]),
  );
}
