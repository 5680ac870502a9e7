/**
 * Makes the scheme that a server serves: the catalogue, filtered by release, configuration and
 * feature gates, under one identity.
 *
 * Elsewhere: reading flags (the text of --runtime-config is parsed in runtime-config.ts), and what
 * the scheme says of a kind (kind-info.ts).
 *
 * Invariants: all errors are reported before anything is served; storage resources and versions
 * depend on the release only, never on what is enabled, so that switching a version off and on
 * loses nothing. Spec 1, section 9; spec 2, sections 3.3 and 9.1.
 */
import type { Identity } from '../apimachinery/identity.ts';
import type { GroupInfo } from '../apimachinery/scheme.ts';
import { serveScheme } from '../apimachinery/served-scheme.ts';
import type { ServedScheme } from '../apimachinery/served-scheme.ts';
import { versionOrderKey } from '../apimachinery/version-order.ts';
import { resourceKey } from './catalogue.ts';
import type { CatalogueKind } from './catalogue.ts';
import { defaultersOf } from './defaults/defaulters.ts';
import { fieldTypes } from './field-types.ts';
import { kindInfo } from './kind-info.ts';
import { builtInKinds } from './kind-set.ts';
import type { KindSet } from './kind-set.ts';
import { emptyRuntimeConfig, isEnabled } from './runtime-config.ts';
import type { RuntimeConfig } from './runtime-config.ts';
import { currentRelease, isKnown, isServedByDefault, preferredFirst } from './served-versions.ts';
import { familyOf } from './version-families.ts';

export interface SchemeOptions {
  readonly identity: Identity;
  readonly runtimeConfig?: RuntimeConfig | undefined;
  /** Gates that are on. */
  readonly featureGates?: ReadonlySet<string> | undefined;
  /** Minor release of 1 to behave as. */
  readonly release?: number | undefined;
  /** Default: the built-in ones. */
  readonly kinds?: KindSet | undefined;
}

export type BuiltScheme =
  | { readonly kind: 'ok'; readonly scheme: ServedScheme; readonly warnings: readonly string[] }
  | { readonly kind: 'invalid'; readonly errors: readonly string[] };

export function buildScheme(options: SchemeOptions): BuiltScheme {
  const { identity } = options;
  const config = options.runtimeConfig ?? emptyRuntimeConfig;
  const release = options.release ?? currentRelease;
  const gates = options.featureGates ?? new Set<string>();
  const kinds = options.kinds ?? builtInKinds;

  const errors: string[] = [];
  const warnings: string[] = [];
  checkNames(config, { kinds, identity, release }, errors, warnings);

  const enabled = kinds.catalogue.filter(
    (kind) =>
      isKnown(kind, release) &&
      !isNeverServed(kind, kinds) &&
      isEnabled(config, named(kind, identity), isServedByDefault(kind, familyOf(kind, kinds))),
  );
  const served = enabled.filter((kind) => {
    const missing = missingGates(kind, gates, kinds);
    if (missing.length > 0) warnings.push(gateWarning(kind, identity, missing));
    return missing.length === 0;
  });
  if (!served.some((kind) => kind.group === '' && kind.resource === 'namespaces')) {
    errors.push('v1/namespaces must stay enabled: namespaced objects need their namespace');
  }
  if (errors.length > 0) return { kind: 'invalid', errors };
  return {
    kind: 'ok',
    scheme: serveScheme(groupsOf(served, { kinds, identity, release }), versionOrderKey),
    warnings,
  };
}

interface Setting {
  readonly kinds: KindSet;
  readonly identity: Identity;
  readonly release: number;
}

/** It holds no objects and has no verbs. */
function isNeverServed(kind: CatalogueKind, kinds: KindSet): boolean {
  return typeof kinds.definitionOf(resourceKey(kind)).serving === 'object';
}

function named(kind: CatalogueKind, identity: Identity) {
  return { group: identity.fill(kind.group), version: kind.version, resource: kind.resource };
}

function missingGates(
  kind: CatalogueKind,
  gates: ReadonlySet<string>,
  kinds: KindSet,
): readonly string[] {
  const { featureGates = [] } = kinds.definitionOf(resourceKey(kind));
  return featureGates.filter((gate) => !gates.has(gate));
}

function gateWarning(kind: CatalogueKind, identity: Identity, gates: readonly string[]): string {
  const name = `${identity.fill(kind.group)}/${kind.version}/${kind.resource}`;
  return `${name} is enabled but not served: it needs the feature gate ${gates.join(', ')}`;
}

/** Every version and resource the configuration names must exist; what it enables must be known to
 * the release. Disabling what is gone already is harmless. */
function checkNames(
  config: RuntimeConfig,
  { kinds, identity, release }: Setting,
  errors: string[],
  warnings: string[],
): void {
  const check = (name: string, value: boolean, rows: readonly CatalogueKind[]) => {
    const shown = name.startsWith('/') ? name.slice(1) : name;
    if (rows.length === 0) {
      errors.push(`${shown}: no such API`);
    } else if (!rows.some((row) => isKnown(row, release))) {
      const text = `${shown}: not part of release 1.${release}`;
      if (value) errors.push(text);
      else warnings.push(`runtime-config: ${text}`);
    } else if (value && rows.every((row) => isNeverServed(row, kinds))) {
      warnings.push(`runtime-config: ${shown}: holds no objects that this server stores`);
    }
  };
  for (const [name, value] of config.versions) {
    check(
      name,
      value,
      kinds.catalogue.filter((k) => versionName(k, identity) === name),
    );
  }
  for (const [name, value] of config.resources) {
    check(
      name,
      value,
      kinds.catalogue.filter((k) => `${versionName(k, identity)}/${k.resource}` === name),
    );
  }
}

function versionName(kind: CatalogueKind, identity: Identity): string {
  return `${identity.fill(kind.group)}/${kind.version}`;
}

function groupsOf(
  served: readonly CatalogueKind[],
  { kinds, identity, release }: Setting,
): readonly GroupInfo[] {
  const types = fieldTypes(identity, kinds);
  const context = { kinds, identity, release, types, defaultsOf: defaultersOf(identity, kinds) };
  const order = kinds.groups.map(({ group }) => group);
  const groups = [...new Set(served.map((kind) => kind.group))].sort(inOrder(order));
  return groups.map((group) => {
    const ofGroup = served.filter((kind) => kind.group === group);
    const names = [...new Set(ofGroup.map((kind) => kind.version))];
    const versions = preferredFirst(names, ofGroup, release);
    return {
      group: identity.fill(group),
      versions: versions.map((version) => ({
        version,
        kinds: ofGroup
          .filter((kind) => kind.version === version)
          .sort((a, b) => (a.resource < b.resource ? -1 : 1))
          .map((kind) => kindInfo(kind, context)),
      })),
    };
  });
}

/** What is not named follows by name. */
function inOrder(order: readonly string[]): (a: string, b: string) => number {
  const rankOf = (group: string) => {
    const at = order.indexOf(group);
    return at === -1 ? order.length : at;
  };
  return (a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1);
}
