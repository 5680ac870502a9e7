/**
 * A version of a definition as the scheme has it: a kind like all others, of which the parts that
 * depend on its schema are made when they are first asked for.
 *
 * What it is not: what a schema says (custom-schema.ts), or when a definition is served.
 *
 * Invariants: a KindInfo never changes; a definition that changes makes new ones. All versions have
 * the same name in the store, whichever of them is served. Versions with the same schema share one
 * form; between others objects are read anew, by the schema of the version that they come to.
 */
import { formatGroupVersion } from '../../apimachinery/schema.ts';
import type { GroupResource } from '../../apimachinery/schema.ts';
import type {
  CustomKind,
  KindConversion,
  KindInfo,
  SubresourceInfo,
  Verb,
} from '../../apimachinery/scheme.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import type { CustomVersion } from '../custom-schema.ts';
import type { DefinitionSummary, VersionSummary } from './definition-summary.ts';
import type { WebhookConversion, WebhookConversionDeps } from './webhook-conversion.ts';
import { compareVersionNames } from '../../apimachinery/version-order.ts';

export interface ServedKindDeps {
  /** The resource of definitions. */
  readonly definitions: GroupResource;
  /** The subresource that shows and sets how many replicas an object wants. */
  readonly scale: SubresourceInfo;
  /** Of a definition with a conversion webhook: how it is called. */
  readonly webhook: (read: WebhookConversionDeps['read']) => WebhookConversion;
  /** Now. */
  readonly isEnding: () => boolean;
  /** Cheap: nothing of the version is read before it is needed. */
  readonly compile: (version: VersionSummary) => CustomVersion;
}

export interface ServedKind {
  readonly kind: KindInfo;
  readonly version: CustomVersion;
  /** In which its objects are stored. */
  readonly stored: CustomVersion;
}

export interface ServedDefinition {
  /** The served versions. */
  readonly kinds: readonly ServedKind[];
  /** At the version that is stored, served or not. */
  readonly stored: ServedKind;
}

/** Undefined: it is not served, or not yet. */
export function servedDefinition(
  definition: DefinitionSummary,
  deps: ServedKindDeps,
): ServedDefinition | undefined {
  if (!definition.isEstablished || definition.accepted.plural === '') return undefined;
  const storage = definition.versions.find((each) => each.storage);
  if (storage === undefined) return undefined;
  const compiled = new Map(definition.versions.map((each) => [each.name, deps.compile(each)]));
  const webhook =
    definition.converts === 'Webhook'
      ? deps.webhook(readerOf(definition, storage, compiled))
      : undefined;
  const conversions =
    webhook === undefined
      ? conversionsOf(definition, storage, compiled)
      : webhookConversions(definition, storage, webhook);
  const served = (each: VersionSummary): ServedKind => {
    const version = compiled.get(each.name) as CustomVersion;
    const parts = { storage, version, conversions, webhook };
    const kind = kindOf(definition, each, parts, deps);
    return { kind, version, stored: compiled.get(storage.name) as CustomVersion };
  };
  const kinds = definition.versions.filter((each) => each.served).map(served);
  const stored = kinds.find(({ kind }) => kind.version === storage.name) ?? served(storage);
  return { kinds, stored };
}

const verbs: readonly Verb[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];
/** What a write to the status leaves as it is. */
const kept = ['labels', 'annotations', 'finalizers', 'ownerReferences', 'deletionTimestamp'];
const statusVerbs: readonly Verb[] = ['get', 'patch', 'update'];
const statusFields = [['f:status']];

interface KindParts {
  readonly storage: VersionSummary;
  readonly version: CustomVersion;
  readonly conversions: KindInfo['conversions'];
  readonly webhook: WebhookConversion | undefined;
}

function kindOf(
  definition: DefinitionSummary,
  summary: VersionSummary,
  { conversions, storage, version, webhook }: KindParts,
  deps: ServedKindDeps,
): KindInfo {
  const { accepted, group, namespaced } = definition;
  const custom = customKind(definition, summary, version, webhook, deps);
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
    subresources: [...scale, ...status],
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
  version: CustomVersion,
  webhook: WebhookConversion | undefined,
  { definitions, isEnding }: ServedKindDeps,
): CustomKind {
  const { group, resource } = definitions;
  return {
    conform: (document, origin) => version.conform(document, origin),
    readStored: (object) => version.readStored(object),
    shape: `${definition.uid.slice(0, shapeChars)}.${definition.generation}`,
    get mergeType() {
      return version.mergeType;
    },
    openApi: (form) => version.openApi(form),
    definition: { group, resource, name: definition.name },
    isEnding,
    deprecationWarning: deprecationOf(definition, summary),
    webhook,
  };
}

/** Of the uid: enough to tell it from another definition of the name. */
const shapeChars = 8;

/** What the definition says or, without, which version is better. */
function deprecationOf(
  { accepted: { kind }, group, versions }: DefinitionSummary,
  { deprecated, deprecationWarning, name }: VersionSummary,
): string | undefined {
  if (!deprecated) return undefined;
  if (deprecationWarning !== undefined) return deprecationWarning;
  const better = versions
    .filter((each) => each.served && !each.deprecated)
    .map((each) => each.name)
    .sort(compareVersionNames)
    .find((each) => compareVersionNames(each, name) < 0);
  const instead = better === undefined ? '' : `; use ${group}/${better} ${kind}`;
  return `${group}/${name} ${kind} is deprecated${instead}`;
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

/** What a webhook gave, as the schema of its version reads it; what is stored has its defaults. */
function readerOf(
  { group }: DefinitionSummary,
  { name: stored }: VersionSummary,
  compiled: ReadonlyMap<string, CustomVersion>,
): (object: ApiObject) => ApiObject {
  const readers = new Map(
    [...compiled].map(([version, each]) => [
      formatGroupVersion({ group, version }),
      version === stored ? each.readStored : each.readConverted,
    ]),
  );
  return (object) => readers.get(object.apiVersion)?.(object) ?? object;
}

function webhookConversions(
  { group, versions }: DefinitionSummary,
  storage: VersionSummary,
  webhook: WebhookConversion,
): KindInfo['conversions'] {
  const stored = formatGroupVersion({ group, version: storage.name });
  return new Map(
    versions.map(({ name }): [string, KindConversion | undefined] => {
      const own = formatGroupVersion({ group, version: name });
      if (own === stored) return [own, undefined];
      return [
        own,
        {
          toHub: (object) => webhook.need(object, stored),
          fromHub: (object) => webhook.need(object, own),
        },
      ];
    }),
  );
}

/** The form that all versions share is the one that is stored. Undefined: there is one form. */
function conversionsOf(
  { group, versions }: DefinitionSummary,
  storage: VersionSummary,
  compiled: ReadonlyMap<string, CustomVersion>,
): KindInfo['conversions'] {
  const { sameSchemaAs } = storage;
  if (versions.every((each) => each.sameSchemaAs === sameSchemaAs)) return undefined;
  const hub = compiled.get(storage.name);
  const conversions = versions.map((each) => {
    const { name } = each;
    const version = compiled.get(name);
    const conversion: KindConversion | undefined =
      each.sameSchemaAs === sameSchemaAs || hub === undefined || version === undefined
        ? undefined
        : {
            toHub: (object) => hub.readStored(object),
            fromHub: (object) => version.readConverted(object),
          };
    return [formatGroupVersion({ group, version: name }), conversion] as const;
  });
  return new Map(conversions);
}
