/**
 * Makes the scheme that a server serves: the catalogue, filtered by release, configuration and
 * feature gates, under one identity.
 *
 * What it is not: reading flags (the text of --runtime-config is parsed in runtime-config.ts).
 *
 * Invariants: every error is found before anything is served; storage resources and versions depend
 * on the release only, never on what is enabled, so that switching a version off and on loses
 * nothing. Spec 1, section 9; spec 2, sections 3.3 and 9.1.
 */
import type { Identity } from '../apimachinery/identity.ts';
import type { Defaulter } from '../apimachinery/typed/defaulting.ts';
import type { ObjectSchema, TypeCatalogue } from '../apimachinery/typed/type-schema.ts';
import { formatGroupVersion } from '../apimachinery/schema.ts';
import { makeScheme } from '../apimachinery/scheme.ts';
import type {
  GroupInfo,
  JudgedVersion,
  KindInfo,
  Scheme,
  SubresourceInfo,
  Verb,
} from '../apimachinery/scheme.ts';
import * as behaviour from './behaviour.ts';
import { catalogue, resourceKey } from './catalogue.ts';
import type { CatalogueKind } from './catalogue.ts';
import { defaultersOf } from './defaults/defaults.ts';
import { fieldTypes } from './field-types.ts';
import {
  computedResources,
  gatedResources,
  reviewResources,
  virtualResources,
} from './lifecycle.ts';
import { emptyRuntimeConfig, isEnabled } from './runtime-config.ts';
import type { RuntimeConfig } from './runtime-config.ts';
import {
  currentRelease,
  groupOrder,
  isKnown,
  isServedByDefault,
  preferredFirst,
  storageVersionOf,
} from './served-versions.ts';
import {
  conversionsOf,
  familyOf,
  hubOf,
  storableVersions,
  storageGroupOf,
  storageKeyOf,
} from './version-families.ts';
import {
  connecting,
  operations,
  subresourcesOf,
  writablePathsOf,
  writtenAs,
} from './subresources.ts';
import { tableOf } from './tables/tables.ts';
import { scales } from './tables/workloads.ts';
import { computedVerbs, objectVerbs, operationVerbs, servedSubresources } from './verbs.ts';

export interface SchemeOptions {
  readonly identity: Identity;
  readonly runtimeConfig?: RuntimeConfig | undefined;
  /** Gates that are on. */
  readonly featureGates?: ReadonlySet<string> | undefined;
  /** Minor release of 1 to behave as. */
  readonly release?: number | undefined;
}

export type BuiltScheme =
  | { readonly kind: 'ok'; readonly scheme: Scheme; readonly warnings: readonly string[] }
  | { readonly kind: 'invalid'; readonly errors: readonly string[] };

export function buildScheme(options: SchemeOptions): BuiltScheme {
  const { identity } = options;
  const config = options.runtimeConfig ?? emptyRuntimeConfig;
  const release = options.release ?? currentRelease;
  const gates = options.featureGates ?? new Set<string>();

  const errors: string[] = [];
  const warnings: string[] = [];
  checkNames(config, identity, release, errors, warnings);

  const enabled = [...catalogue, ...operations].filter(
    (kind) =>
      isKnown(kind, release) &&
      !virtualResources.has(resourceKey(kind)) &&
      isEnabled(config, named(kind, identity), isServedByDefault(kind, familyOf(kind))),
  );
  const served = enabled.filter((kind) => {
    const missing = missingGates(kind, gates);
    if (missing.length > 0) warnings.push(gateWarning(kind, identity, missing));
    return missing.length === 0;
  });
  if (!served.some((kind) => kind.group === '' && kind.resource === 'namespaces')) {
    errors.push(
      'runtime-config: v1/namespaces must stay enabled: namespaced objects need their namespace',
    );
  }
  if (errors.length > 0) return { kind: 'invalid', errors };
  return { kind: 'ok', scheme: makeScheme(groupsOf(served, identity, release)), warnings };
}

function named(kind: CatalogueKind, identity: Identity) {
  return { group: identity.fill(kind.group), version: kind.version, resource: kind.resource };
}

function missingGates(kind: CatalogueKind, gates: ReadonlySet<string>): readonly string[] {
  return (gatedResources.get(resourceKey(kind)) ?? []).filter((gate) => !gates.has(gate));
}

function gateWarning(kind: CatalogueKind, identity: Identity, gates: readonly string[]): string {
  const name = `${identity.fill(kind.group)}/${kind.version}/${kind.resource}`;
  return `${name} is enabled but not served: it needs the feature gate ${gates.join(', ')}`;
}

/** Every version and resource the configuration names must exist; what it enables must be known to
 * the release. Disabling what is gone already is harmless. */
function checkNames(
  config: RuntimeConfig,
  identity: Identity,
  release: number,
  errors: string[],
  warnings: string[],
): void {
  const check = (name: string, value: boolean, rows: readonly CatalogueKind[]) => {
    const shown = name.startsWith('/') ? name.slice(1) : name;
    if (rows.length === 0) {
      errors.push(`runtime-config: ${shown}: no such API`);
    } else if (!rows.some((row) => isKnown(row, release))) {
      const text = `runtime-config: ${shown}: not part of release 1.${release}`;
      if (value) errors.push(text);
      else warnings.push(text);
    } else if (value && rows.every((row) => virtualResources.has(resourceKey(row)))) {
      warnings.push(`runtime-config: ${shown}: holds no objects that this server stores`);
    }
  };
  for (const [name, value] of config.versions) {
    check(
      name,
      value,
      catalogue.filter((k) => versionName(k, identity) === name),
    );
  }
  for (const [name, value] of config.resources) {
    check(
      name,
      value,
      catalogue.filter((k) => `${versionName(k, identity)}/${k.resource}` === name),
    );
  }
}

function versionName(kind: CatalogueKind, identity: Identity): string {
  return `${identity.fill(kind.group)}/${kind.version}`;
}

function groupsOf(
  served: readonly CatalogueKind[],
  identity: Identity,
  release: number,
): readonly GroupInfo[] {
  const types = fieldTypes(identity);
  const defaultsOf = defaultersOf(identity);
  const groups = [...new Set(served.map((kind) => kind.group))].sort(compareGroups);
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
          .map((kind) => kindInfo(kind, { identity, release, types, defaultsOf })),
      })),
    };
  });
}

function compareGroups(a: string, b: string): number {
  const place = (group: string) => {
    const at = groupOrder.indexOf(group);
    return at === -1 ? groupOrder.length : at;
  };
  return place(a) - place(b) || (a < b ? -1 : 1);
}

interface KindContext {
  readonly identity: Identity;
  readonly release: number;
  readonly types: TypeCatalogue;
  readonly defaultsOf: (schema: ObjectSchema) => Defaulter;
}

function kindInfo(row: CatalogueKind, context: KindContext): KindInfo {
  const operation = operations.includes(row) || reviewResources.has(resourceKey(row));
  return operation ? operationInfo(row, context) : storedKindInfo(row, context);
}

/** What every kind has, stored or not. */
function commonInfo(row: CatalogueKind, { identity, types, defaultsOf }: KindContext) {
  const schema = types.object(row.type);
  return {
    group: identity.fill(row.group),
    version: row.version,
    kind: row.kind,
    schema,
    defaults: defaultsOf(schema),
    listKind: `${row.kind}List`,
    resource: row.resource,
    singular: row.kind.toLowerCase(),
    namespaced: row.namespaced,
    shortNames: row.shortNames,
    categories: row.categories,
    introduced: row.introduced,
    deprecated: row.deprecated,
    removed: row.removed,
    replacement:
      row.replacement === undefined
        ? undefined
        : { ...row.replacement, group: identity.fill(row.replacement.group) },
  };
}

function operationInfo(row: CatalogueKind, context: KindContext): KindInfo {
  const common = commonInfo(row, context);
  return {
    ...common,
    operation: true,
    verbs: operationVerbs,
    subresources: [],
    scale: undefined,
    storage: { group: common.group, resource: common.resource },
    storageVersion: common.version,
    nameRule: 'dns-subdomain',
    deletion: 'immediate',
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: false,
    returnsDeletedObject: false,
    tracksGeneration: false,
    selectableFields: [],
  };
}

function storedKindInfo(row: CatalogueKind, context: KindContext): KindInfo {
  const { identity, release, types } = context;
  const key = storageKeyOf(row);
  const storage = { group: identity.fill(storageGroupOf(row)), resource: row.resource };
  const storageVersion = storageVersionOf(storableVersions(row), release);
  const subresources = subresourcesOf(row, release);
  const computed = computedResources.has(resourceKey(row));
  return {
    ...commonInfo(row, context),
    computed,
    judged: judgedVersionOf(row, context),
    listSchema: types.object(`${row.type}List`),
    verbs: computed ? computedVerbs : verbsOf(key),
    subresources: subresources.map((name) => subresourceInfo(name, row, context)),
    scale: subresources.includes('scale') ? behaviour.scalePaths : undefined,
    storage,
    storageVersion,
    conversions: conversionsOf(row, identity),
    nameRule: behaviour.nameRuleOf(key),
    deletion: behaviour.deletionRuleOf(key),
    dependents: behaviour.dependentsRuleOf(resourceKey(row), row.version),
    allowCreateOnUpdate: behaviour.createOnUpdate.has(key),
    allowUnconditionalUpdate: !behaviour.conditionalUpdateOnly.has(key),
    returnsDeletedObject: behaviour.returnsDeletedObject.has(key),
    tracksGeneration: behaviour.tracksGeneration.has(key),
    countedMetadata: behaviour.countedMetadataOf(key),
    keptByStatus: behaviour.keptByStatusOf(key),
    selectableFields: behaviour.selectableFieldsOf(resourceKey(row)),
    table: tableOf(resourceKey(row), (template) => identity.fill(template)),
  };
}

function subresourceInfo(
  name: string,
  row: CatalogueKind,
  { identity, release, types, defaultsOf }: KindContext,
): SubresourceInfo {
  const [type = row, ...others] = writtenAs(name, row.kind, release).map((each) => ({
    ...each,
    group: identity.fill(each.group),
  }));
  const schema = types.object(type.type);
  return {
    name,
    kind: { group: identity.fill(type.group), version: type.version, kind: type.kind },
    alsoKinds: others.map(({ group, version, kind }) => ({ group, version, kind })),
    schema,
    defaults: defaultsOf(schema),
    table: name === 'scale' ? scales : undefined,
    verbs: servedSubresources.get(name) ?? [],
    connects: connecting[name],
    writes: writablePathsOf(name, behaviour.keptByStatusOf(storageKeyOf(row))),
  };
}

/** Groups whose rules know the form of each version: errors name the fields that were written. */
const judgedAsWritten: ReadonlySet<string> = new Set(['resource.{domain}']);

/** A release may store a version from before the one that rules and required fields are of. */
function judgedVersionOf(row: CatalogueKind, { identity, types }: KindContext): JudgedVersion {
  const judged = judgedAsWritten.has(row.group) ? row : hubOf(row);
  const apiVersion = formatGroupVersion({
    group: identity.fill(judged.group),
    version: judged.version,
  });
  return { apiVersion, schema: types.object(judged.type) };
}

function verbsOf(key: string): readonly Verb[] {
  if (!behaviour.withoutDeleteCollection.has(key)) return objectVerbs;
  return objectVerbs.filter((verb) => verb !== 'deletecollection');
}
