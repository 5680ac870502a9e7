/**
 * Which kinds are one resource in several versions, some of them in another group: they share one
 * stored object (spec 1, section 9; spec 2, sections 3.3 and 9.3).
 *
 *     networking.{domain}/v1 Ingress        hub
 *     networking.{domain}/v1beta1 Ingress   ├─ one resource in the store: networking.{domain}
 *     extensions/v1beta1 Ingress            ┘
 *
 * Elsewhere: what is served and in which version a release stores (served-versions.ts).
 *
 * Invariants: the resource in the store and the hub do not depend on the release.
 */
import type { Identity } from '../apimachinery/identity.ts';
import { formatGroupVersion } from '../apimachinery/schema.ts';
import type { KindConversion } from '../apimachinery/scheme.ts';
import { assert } from '../stdx/assert.ts';
import { resourceKey } from './catalogue.ts';
import type { CatalogueKind } from './catalogue.ts';
import { compareVersions } from './served-versions.ts';
import type { KindSet } from './kind-set.ts';
import { builtInKinds, versionOf } from './kind-set.ts';
import { losslessConversion } from './conversion/conversion.ts';
import { underIdentity } from './kind-definition.ts';

/** The group under which the objects of a kind are stored. */
export function storageGroupOf(kind: CatalogueKind, kinds: KindSet = builtInKinds): string {
  return kinds.definitionOf(resourceKey(kind)).storedIn ?? kind.group;
}

/** `<group template>/<resource>` under which the objects of a kind are stored. */
export function storageKeyOf(kind: CatalogueKind, kinds: KindSet = builtInKinds): string {
  return resourceKey({ group: storageGroupOf(kind, kinds), resource: kind.resource });
}

/** Every version that shares its stored objects, this one among them. */
export function familyOf(
  kind: CatalogueKind,
  kinds: KindSet = builtInKinds,
): readonly CatalogueKind[] {
  return kinds.families.get(storageKeyOf(kind, kinds)) ?? [];
}

/** The versions in which objects may be stored: those of the storage group. */
export function storableVersions(
  kind: CatalogueKind,
  kinds: KindSet = builtInKinds,
): readonly CatalogueKind[] {
  const group = storageGroupOf(kind, kinds);
  return familyOf(kind, kinds).filter((each) => each.group === group);
}

export function hubOf(kind: CatalogueKind, kinds: KindSet = builtInKinds): CatalogueKind {
  const [hub] = [...storableVersions(kind, kinds)].sort((a, b) =>
    compareVersions(a.version, b.version),
  );
  assert(hub !== undefined, `${kind.kind} has a version to be stored in`);
  return hub;
}

/** The conversion of a version, by the apiVersion that its objects carry. */
export type FamilyConversions = ReadonlyMap<string, KindConversion | undefined>;

/** Of every version of the family; undefined for those with the hub's fields. */
export function conversionsOf(
  kind: CatalogueKind,
  identity: Identity,
  kinds: KindSet = builtInKinds,
): FamilyConversions {
  const hub = hubOf(kind, kinds);
  return new Map(
    familyOf(kind, kinds).map((each) => [
      formatGroupVersion({ group: identity.fill(each.group), version: each.version }),
      conversionOf(each, hub, identity, kinds),
    ]),
  );
}

/** Undefined when the version has the hub's fields: its bytes are passed on with another
 * apiVersion. */
export function conversionOf(
  kind: CatalogueKind,
  hub: CatalogueKind,
  identity: Identity,
  kinds: KindSet = builtInKinds,
): KindConversion | undefined {
  const { conversion } = versionOf(kinds.definitionOf(resourceKey(kind)), kind);
  if (conversion === undefined) return undefined;
  return losslessConversion(underIdentity(conversion, identity), {
    ofVersion: keptUnder(kind.type, identity),
    ofHub: keptUnder(hub.type, identity),
  });
}

/** `conversion.<domain>/networking.v1beta1`. */
function keptUnder(type: string, identity: Identity): string {
  const inPackage = type.slice(0, type.lastIndexOf('.')).replace('/', '.');
  return `conversion.${identity.labelDomain}/${inPackage}`;
}
