/**
 * A version of a definition as the scheme has it: a kind like all others, of which the parts that
 * depend on its schema are made when they are first asked for.
 *
 * Elsewhere: what a schema says (custom-schema.ts) and when a definition is served.
 *
 * Invariants: a KindInfo never changes; a definition that changes makes new ones. All versions have
 * the same name in the store, whichever of them is served. Versions with the same schema share one
 * form. Between others an object goes straight from the version that it is stored in to the one
 * that it is shown in, and is read by both: by the first as it is stored, with its defaults, by the
 * second for what it knows, without.
 */
import { apiVersionText, formatGroupVersion } from '../../apimachinery/schema.ts';
import type { GroupResource } from '../../apimachinery/schema.ts';
import type {
  CustomKind,
  KindConversion,
  KindInfo,
  SubresourceInfo,
  Verb,
} from '../../apimachinery/scheme.ts';
import { objectAtVersion } from '../../apimachinery/object-version.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { CustomVersion } from '../custom-schema.ts';
import { metadataProblem } from '../prepare/metadata-problem.ts';
import type { DefinitionSummary, VersionSummary } from './definition-summary.ts';
import type { WebhookConversion, WebhookConversionDeps } from './webhook-conversion.ts';
import { versionOrderKey } from '../../apimachinery/version-order.ts';

export interface ServedKindDeps {
  /** The resource of definitions. */
  readonly definitions: GroupResource;
  /** The subresource that shows and sets how many replicas an object wants. */
  readonly scale: SubresourceInfo;
  /** Of a definition with a conversion webhook: how it is called. */
  readonly webhook: (read: WebhookConversionDeps['read']) => WebhookConversion;
  /** Now. */
  readonly isEnding: () => boolean;
  /** Now. */
  readonly storesSeveral: () => boolean;
  /** Cheap: nothing of the version is read before it is needed. */
  readonly compile: (version: VersionSummary) => CustomVersion;
}

export interface ServedKind {
  readonly kind: KindInfo;
  readonly version: CustomVersion;
}

export interface ServedDefinition {
  /** The served versions. */
  readonly kinds: readonly ServedKind[];
  /** At the version that is stored, served or not. */
  readonly stored: ServedKind;
}

/** Kinds are made of so many versions in one step. */
export const versionsAtOnce = 12;

/** Undefined: it is not served, or not yet. */
export function* servedDefinition(
  definition: DefinitionSummary,
  deps: ServedKindDeps,
): Steps<ServedDefinition | undefined> {
  if (!definition.isEstablished || definition.accepted.plural === '') return undefined;
  const storage = definition.versions.find((each) => each.storage);
  if (storage === undefined) return undefined;
  const { compiled, byApiVersion } = yield* compiledVersions(definition, deps);
  const webhook =
    definition.converts === 'Webhook' ? deps.webhook(readerOf(byApiVersion)) : undefined;
  const conversions =
    webhook === undefined
      ? conversionsOf(definition, compiled)
      : webhookConversions(definition, webhook);
  const stored = storedForms(definition, storage, byApiVersion, conversions);
  const mergeTypeAt = (apiVersion: string) => byApiVersion.get(apiVersion)?.mergeType;
  const better = bestVersion(definition);
  const served = (each: VersionSummary): ServedKind => {
    const version = compiled.get(each.name) as CustomVersion;
    const parts = { storage, stored, version, conversions, webhook, mergeTypeAt, better };
    return { kind: kindOf(definition, each, parts, deps), version };
  };
  const kinds: ServedKind[] = [];
  for (const each of definition.versions) {
    if (!each.served) continue;
    if (kinds.length > 0 && kinds.length % versionsAtOnce === 0) yield;
    kinds.push(served(each));
  }
  const own = kinds.find(({ kind }) => kind.version === storage.name) ?? served(storage);
  return { kinds, stored: own };
}

interface CompiledVersions {
  readonly compiled: ReadonlyMap<string, CustomVersion>;
  readonly byApiVersion: ReadonlyMap<string, CustomVersion>;
}

function* compiledVersions(
  { group, versions }: DefinitionSummary,
  { compile }: ServedKindDeps,
): Steps<CompiledVersions> {
  const compiled = new Map<string, CustomVersion>();
  const byApiVersion = new Map<string, CustomVersion>();
  for (const each of versions) {
    if (compiled.size > 0 && compiled.size % versionsAtOnce === 0) yield;
    const version = compile(each);
    compiled.set(each.name, version);
    byApiVersion.set(apiVersionText(group, each.name), version);
  }
  if (versions.length > versionsAtOnce) yield;
  return { compiled, byApiVersion };
}

type StoredForms = Pick<CustomKind, 'isWhole' | 'readStored' | 'toStored'> & {
  /** What is in the store is read by it. */
  readonly hub: CustomVersion;
};

/** What is in the store is read by the version that it is stored in; one that there is no more
 * reads as the one that is stored now. What is written has the defaults of the request's version,
 * and no others: those of the stored one come with each reading. */
function storedForms(
  { group }: DefinitionSummary,
  storage: VersionSummary,
  byApiVersion: ReadonlyMap<string, CustomVersion>,
  conversions: KindInfo['conversions'],
): StoredForms {
  const apiVersion = formatGroupVersion({ group, version: storage.name });
  const hub = byApiVersion.get(apiVersion) as CustomVersion;
  const readStored = (object: ApiObject): ApiObject =>
    (byApiVersion.get(object.apiVersion) ?? hub).readStored(object);
  return {
    hub,
    readStored,
    toStored: (object) => objectAtVersion(object, apiVersion, conversions),
    isWhole(object) {
      const lacksStatus = object['status'] === undefined && hub.defaultsStatus;
      if (conversions === undefined && !lacksStatus) return true;
      return readStored(object) === object;
    },
  };
}

/** In the order in which discovery has them for custom types. */
const verbs: readonly Verb[] = [
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'create',
  'update',
  'watch',
];
/** What a write to the status leaves as it is. */
const kept = [
  'generateName',
  'labels',
  'annotations',
  'finalizers',
  'ownerReferences',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
];
const statusVerbs: readonly Verb[] = ['get', 'patch', 'update'];
const statusFields = [['f:status']];

interface KindParts {
  readonly storage: VersionSummary;
  readonly stored: StoredForms;
  readonly version: CustomVersion;
  readonly conversions: KindInfo['conversions'];
  readonly webhook: WebhookConversion | undefined;
  readonly mergeTypeAt: CustomKind['mergeTypeAt'];
  /** The best of those that are served and not deprecated. */
  readonly better: VersionSummary | undefined;
}

function kindOf(
  definition: DefinitionSummary,
  summary: VersionSummary,
  parts: KindParts,
  deps: ServedKindDeps,
): KindInfo {
  const { conversions, storage, version } = parts;
  const { accepted, group, namespaced } = definition;
  const custom = customKind(definition, summary, parts, deps);
  const status = summary.hasStatus ? [statusOf(definition, summary, version, custom)] : [];
  const scale = summary.hasScale ? [deps.scale] : [];
  return {
    group,
    version: summary.name,
    kind: accepted.kind,
    custom,
    get defaults() {
      return version.defaults;
    },
    listKind: accepted.listKind,
    resource: accepted.plural,
    singular: accepted.singular,
    namespaced,
    shortNames: accepted.shortNames,
    categories: accepted.categories,
    verbs,
    // In the reference's order.
    subresources: [...status, ...scale],
    get scale() {
      return version.scale?.paths;
    },
    introduced: undefined,
    deprecated: undefined,
    removed: undefined,
    replacement: undefined,
    storage: { group, resource: accepted.plural },
    storageVersion: storage.name,
    conversions,
    nameRule: 'dns-subdomain',
    anyFinalizer: true,
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: false,
    returnsDeletedObject: false,
    tracksGeneration: true,
    countsStatus: summary.hasStatus ? undefined : true,
    keptByStatus: kept,
    get selectableFields() {
      return version.selectableFields;
    },
    get table() {
      return version.table;
    },
  };
}

function customKind(
  definition: DefinitionSummary,
  summary: VersionSummary,
  { better, mergeTypeAt, stored, version, webhook }: KindParts,
  { definitions, isEnding, storesSeveral }: ServedKindDeps,
): CustomKind {
  const { group, resource } = definitions;
  return {
    conform: (document, origin) => version.conform(document, origin),
    defaultsSteps: (document) => version.defaultsSteps(document),
    prepare: () => preparing(version, stored.hub),
    metadataProblem,
    readStored: stored.readStored,
    toStored: stored.toStored,
    isWhole: stored.isWhole,
    shape: `${definition.uid.slice(0, shapeChars)}.${definition.generation}`,
    get mergeType() {
      return version.mergeType;
    },
    mergeTypeAt,
    openApi: (form) => version.openApi(form),
    openApiSteps: (form) => version.openApiSteps(form),
    definition: { group, resource, name: definition.name },
    isEnding,
    storesSeveral,
    deprecationWarning: deprecationOf(definition, summary, better),
    webhook,
  };
}

/** Of this version, then of the one that the store is read by. */
function preparing(version: CustomVersion, hub: CustomVersion): Steps<void> | undefined {
  const own = version.prepare();
  const stored = hub === version ? undefined : hub.prepare();
  if (own === undefined || stored === undefined) return own ?? stored;
  return (function* () {
    yield* own;
    yield* stored;
  })();
}

/** Of the uid: enough to tell it from another definition of the name. */
const shapeChars = 8;

/** What the definition says or, without, which version is better. */
function deprecationOf(
  { accepted: { kind }, group }: DefinitionSummary,
  { deprecated, deprecationWarning, name }: VersionSummary,
  best: VersionSummary | undefined,
): string | undefined {
  if (!deprecated) return undefined;
  if (deprecationWarning !== undefined) return deprecationWarning;
  const isBetter = best !== undefined && versionOrderKey(best.name) < versionOrderKey(name);
  const instead = isBetter ? `; use ${group}/${best.name} ${kind}` : '';
  return `${group}/${name} ${kind} is deprecated${instead}`;
}

/** Of those that are served and not deprecated. Undefined: there are none, or nobody asks. */
function bestVersion({ versions }: DefinitionSummary): VersionSummary | undefined {
  if (!versions.some(({ deprecated }) => deprecated)) return undefined;
  let best: { readonly version: VersionSummary; readonly key: string } | undefined;
  for (const version of versions) {
    if (!version.served || version.deprecated) continue;
    const key = versionOrderKey(version.name);
    if (best === undefined || key < best.key) best = { version, key };
  }
  return best?.version;
}

function statusOf(
  { accepted, group }: DefinitionSummary,
  { name }: VersionSummary,
  version: CustomVersion,
  custom: CustomKind,
): SubresourceInfo {
  return {
    name: 'status',
    kind: { group, version: name, kind: accepted.kind },
    custom,
    get defaults() {
      return version.defaults;
    },
    verbs: statusVerbs,
    writes: statusFields,
  };
}

/** What a webhook gave, as the schema of its version reads it. */
function readerOf(
  byApiVersion: ReadonlyMap<string, CustomVersion>,
): (object: ApiObject) => ApiObject {
  return (object) => byApiVersion.get(object.apiVersion)?.readConverted(object) ?? object;
}

function webhookConversions(
  { group, versions }: DefinitionSummary,
  webhook: WebhookConversion,
): KindInfo['conversions'] {
  return new Map(
    versions.map(({ name }): [string, KindConversion] => {
      const own = apiVersionText(group, name);
      return [own, { toHub: asItIs, fromHub: (object) => webhook.need(object, own) }];
    }),
  );
}

/** No version is between the others. */
const asItIs = (object: ApiObject): ApiObject => object;

/** Versions with the same schema have the same one. Undefined: there is one form. */
function conversionsOf(
  { group, versions }: DefinitionSummary,
  compiled: ReadonlyMap<string, CustomVersion>,
): KindInfo['conversions'] {
  if (versions.every((each) => each.sameSchemaAs === versions[0]?.sameSchemaAs)) return undefined;
  const bySchema = new Map<string, KindConversion>();
  const conversionOf = ({ name, sameSchemaAs }: VersionSummary): KindConversion => {
    const known = bySchema.get(sameSchemaAs);
    if (known !== undefined) return known;
    const version = compiled.get(name) as CustomVersion;
    const made = { toHub: asItIs, fromHub: (object: ApiObject) => version.readConverted(object) };
    bySchema.set(sameSchemaAs, made);
    return made;
  };
  return new Map(versions.map((each) => [apiVersionText(group, each.name), conversionOf(each)]));
}
