/**
 * Builds the scheme's entry of one kind at one version from its row of the catalogue, its
 * definition and its types, under an identity and a release.
 *
 * Invariant: what concerns stored objects follows from the definition of the resource that stores
 * them; what concerns requests (table, selectable fields), from that of the resource asked for.
 */
import type { Identity } from '../apimachinery/identity.ts';
import { formatGroupVersion } from '../apimachinery/schema.ts';
import type {
  DependentsRule,
  KindInfo,
  RulesVersion,
  ScalePaths,
  SelectableField,
  SubresourceInfo,
  Verb,
} from '../apimachinery/scheme.ts';
import type { Defaulter } from '../apimachinery/typed/defaulting.ts';
import type { ObjectSchema, TypeCatalogue } from '../apimachinery/typed/type-schema.ts';
import { resourceKey } from './catalogue.ts';
import type { CatalogueKind } from './catalogue.ts';
import { underIdentity } from './kind-definition.ts';
import type { KindDefinition } from './kind-definition.ts';
import { versionOf } from './kind-set.ts';
import type { KindSet } from './kind-set.ts';
import { storageVersionOf } from './served-versions.ts';
import { subresourcesOf, writablePathsOf } from './subresources.ts';
import type { NamedSubresource } from './subresources.ts';
import { scales } from './tables/scale.ts';
import {
  conversionsOf,
  hubOf,
  storableVersions,
  storageGroupOf,
  storageKeyOf,
} from './version-families.ts';

export interface KindContext {
  readonly kinds: KindSet;
  readonly identity: Identity;
  readonly release: number;
  readonly types: TypeCatalogue;
  readonly defaultsOf: (schema: ObjectSchema) => Defaulter;
}

export function kindInfo(row: CatalogueKind, context: KindContext): KindInfo {
  const definition = context.kinds.definitionOf(resourceKey(row));
  return definition.serving === 'operation'
    ? operationInfo(row, context)
    : storedKindInfo(row, definition, context);
}

const objectVerbs: readonly Verb[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];
const computedVerbs: readonly Verb[] = ['get', 'list'];
const operationVerbs: readonly Verb[] = ['create'];

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
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: false,
    returnsDeletedObject: false,
    tracksGeneration: false,
    selectableFields: [],
  };
}

function storedKindInfo(
  row: CatalogueKind,
  requested: KindDefinition,
  context: KindContext,
): KindInfo {
  const { kinds, identity, release, types } = context;
  const stored = kinds.definitionOf(storageKeyOf(row, kinds));
  const storage = {
    group: identity.fill(storageGroupOf(row, kinds)),
    resource: row.resource,
  };
  const subresources = subresourcesOf(row, requested, release);
  const computed = requested.serving === 'computed';
  const kept = keptByStatusOf(stored);
  return {
    ...commonInfo(row, context),
    computed,
    rulesVersion: rulesVersionOf(row, context),
    listSchema: types.object(`${row.type}List`),
    verbs: computed ? computedVerbs : verbsOf(stored),
    subresources: subresources.map((each) => subresourceInfo(each, row, kept, context)),
    scale: subresources.some(({ name }) => name === 'scale') ? scalePaths : undefined,
    storage,
    storageVersion: storageVersionOf(storableVersions(row, kinds), release),
    conversions: conversionsOf(row, identity, kinds),
    nameRule: stored.names ?? 'dns-subdomain',
    dependents: dependentsRuleOf(requested, row),
    allowCreateOnUpdate: stored.createOnUpdate === true,
    allowUnconditionalUpdate: stored.conditionalUpdateOnly !== true,
    returnsDeletedObject: stored.returnsDeletedObject === true,
    tracksGeneration: stored.tracksGeneration ?? false,
    countedMetadata: stored.countedMetadata,
    anyFinalizer: stored.anyFinalizer,
    bodyValuesMax: stored.bodyValuesMax,
    keptByStatus: kept,
    ownerlessParts: stored.ownerlessParts,
    selectableFields: selectableFieldsOf(requested),
    table: requested.table && underIdentity(requested.table, identity),
  };
}

function subresourceInfo(
  subresource: NamedSubresource,
  row: CatalogueKind,
  kept: readonly string[],
  { identity, release, types, defaultsOf }: KindContext,
): SubresourceInfo {
  const { name, verbs, connects, kinds } = subresource;
  const [type = row, ...others] = (kinds?.(release) ?? []).map((each) => ({
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
    verbs,
    connects,
    writes: writablePathsOf(subresource, kept),
  };
}

const scalePaths: ScalePaths = {
  specReplicas: ['spec', 'replicas'],
  statusReplicas: ['status', 'replicas'],
  selector: ['spec', 'selector'],
};

/** A release may store a version from before the one that rules and required fields are of. */
function rulesVersionOf(row: CatalogueKind, { kinds, identity, types }: KindContext): RulesVersion {
  const eachVersion = kinds.groupOf(row.group)?.validatesEachVersion === true;
  const { group, version, type } = eachVersion ? row : hubOf(row, kinds);
  const apiVersion = formatGroupVersion({ group: identity.fill(group), version });
  return { apiVersion, schema: types.object(type) };
}

function verbsOf({ withoutDeleteCollection }: KindDefinition): readonly Verb[] {
  if (withoutDeleteCollection !== true) return objectVerbs;
  return objectVerbs.filter((verb) => verb !== 'deletecollection');
}

const clientMetadata = [
  'labels',
  'annotations',
  'finalizers',
  'ownerReferences',
  'deletionTimestamp',
] as const;
const nothingKept: readonly string[] = [];

function keptByStatusOf({ keptByStatus }: KindDefinition): readonly string[] {
  return keptByStatus === 'all' ? clientMetadata : (keptByStatus ?? nothingKept);
}

function dependentsRuleOf(definition: KindDefinition, row: CatalogueKind): DependentsRule {
  if (definition.ownsNothing === true) return 'none';
  return versionOf(definition, row).orphansDependents === true ? 'orphan' : 'delete';
}

const noFields: readonly SelectableField[] = [];

function selectableFieldsOf({ selectableFields }: KindDefinition): readonly SelectableField[] {
  return selectableFields?.trim().split(/\s+/).map(parseSelectable) ?? noFields;
}

function parseSelectable(text: string): SelectableField {
  const [left = '', unset = ''] = text.split('!');
  const [label = '', paths = label] = left.split('=');
  return { label, paths: paths.split('|').map((path) => path.split('.')), unset };
}
