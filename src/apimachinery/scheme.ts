/**
 * The scheme: which kinds are served, in which versions, and how each behaves; pure look-ups.
 *
 * Elsewhere: the data (src/apis), and the choice of what is enabled (src/apis/build-scheme.ts). It
 * knows no domain and no HTTP.
 *
 * Invariants: a KindInfo never changes; kinds that users define come and go as a whole
 * (served-scheme.ts), all others are there from the start. A (group, version, resource) names at
 * most one kind, and so does a (group, version, kind). All versions of one resource share one
 * `storage` resource, one storage version and one scope. `groups` and their versions stand in
 * discovery order; the first version of a group is its preferred one. A VersionInfo and a GroupInfo
 * are the same objects for as long as nothing in them changes. Spec 1, sections 4.1 and 9; spec 2,
 * section 3.3.
 */
import { ownMember } from '../stdx/lookup.ts';
import type { Requester } from '../stdx/requester.ts';
import type { Steps } from '../stdx/stepwise.ts';
import type { MergeType } from './fieldmanager/schema/merge-type.ts';
import type { GroupResource, GroupVersionKind } from './schema.ts';
import type { StatusError } from './status-error.ts';
import type { TablePrinter } from './projection/printer.ts';
import type { Conformed } from './typed/conform.ts';
import type { Defaulter } from './typed/defaulting.ts';
import type { ObjectSchema } from './typed/type-schema.ts';
import { fieldKey } from './selectors/selection.ts';
import type { ApiObject, JsonObject, JsonValue } from './unstructured.ts';

export type Verb =
  'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

/** How metadata.name is checked. generateName's prefix follows the same rule. */
export type NameRule =
  /** Lower-case letters, digits, '-', '.'; at most 253. */
  | 'dns-subdomain'
  /** Lower-case letters, digits, '-'; at most 63. */
  | 'dns-label'
  /** Like dns-label, but starts with a letter. */
  | 'dns-1035-label'
  /** Anything that is one segment of a path: not '.', not '..', no '/', no '%'. */
  | 'path-segment'
  /** The canonical text of an IP address. */
  | 'ip-address'
  /** A signer's name with ':' for '/', then ':' and a subdomain; or a subdomain alone. */
  | 'trust-bundle'
  /** '<group>.<resource>': dns-subdomain, then dns-1035-label. */
  | 'group-resource'
  /** dns-subdomain, at most 52: the kind's children append to it. */
  | 'dns-subdomain-52';

export type CountedMetadata = 'annotations' | 'labels';

/** What becomes of the objects that name a deleted one as their owner, when the request does not
 * say. `none`: the kind owns nothing, whatever a request says. */
export type DependentsRule = 'delete' | 'orphan' | 'none';

/** A fieldSelector label and where its value lies. metadata.name and metadata.namespace work for
 * every kind and are not listed. */
export interface SelectableField {
  readonly label: string;
  /** The first path that holds a non-empty scalar wins. */
  readonly paths: readonly (readonly string[])[];
  /** The value when no path does. */
  readonly unset: string;
}

export interface SubresourceInfo {
  readonly name: string;
  /** What is read and written there: the parent's kind, or another one such as Scale. */
  readonly kind: GroupVersionKind;
  /** Other kinds of the same fields that are understood when written. */
  readonly alsoKinds?: readonly GroupVersionKind[] | undefined;
  /** Of `kind`; there exactly when the parent's is. */
  readonly schema?: ObjectSchema | undefined;
  /** Of `kind`. */
  readonly defaults?: Defaulter | undefined;
  /** Of `kind`, in the place of `schema`. */
  readonly custom?: CustomKind | undefined;
  /** How it is shown in Tables, where that is not as its parent. */
  readonly table?: TablePrinter | undefined;
  readonly verbs: readonly Verb[];
  /** It leads to what runs: to a container, or with a path of its own below it to a port of one.
   * Absent: it is a part of the object. */
  readonly connects?: 'here' | 'below' | undefined;
  /** What a write through it may change, and so own: steps of field paths, where `*` is any
   * element. Undefined: whatever the parent has. */
  readonly writes?: readonly (readonly string[])[] | undefined;
}

/** Where the fields of a Scale lie in the object that it scales. */
export interface ScalePaths {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  /** A label selector object or, for kinds older than those, a plain map; or its text. No steps:
   * there is none. */
  readonly selector: readonly string[];
}

export interface PublishedForm {
  readonly version: 'v2' | 'v3';
  readonly metadata: JsonObject;
}

/** What a kind that users define says of its documents: functions, in the place of a schema. */
export interface CustomKind {
  /** As typed/conform.ts. What is wrong in embedded metadata is let pass in the store only. An
   * intent keeps nulls where none may be. */
  conform(document: JsonObject, origin: 'body' | 'intent' | 'merged' | 'stored'): Conformed;
  /** The kind's defaults in parts, for a large document. */
  defaultsSteps(document: JsonObject): Steps<JsonObject>;
  /** Reads, in steps, what requests need of a large definition. Undefined: nothing is left to be
   * read. Without it that is read at once, where it is needed. */
  prepare(): Steps<unknown> | undefined;
  /** What is wrong with the types in metadata that cannot be read; undefined: nothing is known. */
  metadataProblem(metadata: JsonValue): string | undefined;
  /** An object of the store as the version that it is stored in reads it today: the very same one
   * if nothing is to be done. */
  readStored(object: ApiObject): ApiObject;
  /** What is stored of an object at this version that has been accepted: without the defaults of
   * the version that is stored, if it came through another. */
  toStored(object: ApiObject): ApiObject;
  /** Whether what is stored reads as it is; otherwise it is read anew each time. */
  isWhole(object: ApiObject): boolean;
  /** Objects that were written under another one are read anew: readStored. */
  readonly shape: string;
  readonly mergeType: MergeType;
  /** Of each version of the definition, served or not; undefined: it has no such version. */
  mergeTypeAt(apiVersion: string): MergeType | undefined;
  /** For publication. `metadata`: the reference to its schema. */
  openApi(form: PublishedForm): JsonObject;
  /** The same in steps. */
  openApiSteps(form: PublishedForm): Steps<JsonObject>;
  /** The definition: an object is made only while its record is live. */
  readonly definition: GroupResource & { readonly name: string };
  /** Now: the definition is being deleted, and nothing is created any more. */
  isEnding(): boolean;
  /** Now: objects may be stored in another version than the one that is marked for it. */
  storesSeveral(): boolean;
  /** Of a deprecated version. */
  readonly deprecationWarning: string | undefined;
  /** Who converts its objects; absent: versions differ in their schemas only. */
  readonly webhook?: ConversionWebhook | undefined;
}

/** Conversions of such a kind throw ConversionMissing for what has not been remembered. */
export interface ConversionWebhook {
  /** A definition that changes has another one. */
  readonly id: string;
  /** The objects in this version, in their order; those that are in it already are left alone.
   * `shown` is called with each, in steps of its own, and `objects` are taken one in a step:
   * undefined among them is a place to stop. `requester`: when it goes nobody is asked any more. */
  convert<T>(
    objects: Iterable<ApiObject | undefined>,
    apiVersion: string,
    shown: (object: ApiObject) => Steps<T>,
    requester?: Requester,
  ): Promise<ConvertedObjects<T>>;
  /** In turns with others: it is known by its text, which may be long. */
  remember(object: ApiObject, apiVersion: string, converted: ApiObject): Promise<void>;
}

export type ConvertedObjects<T> =
  | { readonly kind: 'ok'; readonly objects: readonly T[] }
  | { readonly kind: 'refused'; readonly error: StatusError };

/** Between one version's fields and those of the form that all versions of its resource share.
 * Pure, lossless both ways; apiVersion and kind stay as they are. */
export interface KindConversion {
  toHub(object: ApiObject): ApiObject;
  fromHub(object: ApiObject): ApiObject;
  /** Adds what an object of the version means by what it leaves out. Complete objects say it. */
  readonly implied?: ((object: ApiObject) => ApiObject) | undefined;
}

/** The version that the rules of a resource are written for, whichever one is stored. */
export interface RulesVersion {
  readonly apiVersion: string;
  readonly schema: ObjectSchema;
}

export interface KindInfo extends GroupVersionKind {
  /** Undefined for a kind that is not known field by field: no Protobuf is offered. */
  readonly schema?: ObjectSchema | undefined;
  /** In the place of `schema`, for a kind that users define. */
  readonly custom?: CustomKind | undefined;
  /** Fills in what a client left out, in an object of this version. */
  readonly defaults?: Defaulter | undefined;
  /** The version that its rules see; there exactly when `schema` is. */
  readonly rulesVersion?: RulesVersion | undefined;
  readonly listKind: string;
  /** Of `listKind`; there exactly when `schema` is, but for an operation. */
  readonly listSchema?: ObjectSchema | undefined;
  readonly resource: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** Never empty: a kind without a verb is not in a scheme. Sorted. */
  readonly verbs: readonly Verb[];
  /** It is posted to a collection and answered, and never stored, listed or watched. */
  readonly operation?: boolean | undefined;
  /** Its objects are worked out for each request that reads them, and never stored or watched. */
  readonly computed?: boolean | undefined;
  readonly subresources: readonly SubresourceInfo[];
  readonly scale: ScalePaths | undefined;

  /** Minor releases: `33` for 1.33. Undefined: not known, or never. */
  readonly introduced: number | undefined;
  readonly deprecated: number | undefined;
  readonly removed: number | undefined;
  readonly replacement: GroupVersionKind | undefined;

  /** Where its objects live in the store, whichever version they came through. */
  readonly storage: GroupResource;
  /** The version of `storage.group` in which objects are encoded in the store. */
  readonly storageVersion: string;
  /** By the apiVersion of every version of the resource, served or not: undefined for one that has
   * the shared form. Absent: all have. */
  readonly conversions?: ReadonlyMap<string, KindConversion | undefined> | undefined;

  readonly nameRule: NameRule;
  /** Its finalizers need no domain. Absent: those of the service itself do without. */
  readonly anyFinalizer?: true | undefined;
  /** Absent: `delete`. */
  readonly dependents?: DependentsRule | undefined;
  /** PUT to a name that does not exist creates it. */
  readonly allowCreateOnUpdate: boolean;
  /** PUT without metadata.resourceVersion replaces whatever is there. */
  readonly allowUnconditionalUpdate: boolean;
  /** DELETE that removes answers with the object, not with a Status. */
  readonly returnsDeletedObject: boolean;
  /** A change outside metadata and status increments metadata.generation; of a new object it is 1,
   * or for `changes` 0, which is not shown. With `once` it stays at 1. */
  readonly tracksGeneration: boolean | 'changes' | 'once';
  /** So does a change of the status: it is a field like others. */
  readonly countsStatus?: true | undefined;
  /** What of metadata counts likewise. */
  readonly countedMetadata?: CountedMetadata | undefined;
  /** How many values a body may hold (codecs/body-bounds.ts). Absent: as many as any. */
  readonly bodyValuesMax?: number | undefined;
  /** Members of metadata that a write to the status leaves as they are; absent: none. */
  readonly keptByStatus?: readonly string[] | undefined;
  /** Members beside the status that a write to the object leaves as they are: nobody owns them. */
  readonly ownerlessParts?: readonly string[] | undefined;
  /** Labels of this version; the paths lead through the stored object. */
  readonly selectableFields: readonly SelectableField[];
  /** How it is shown in Tables; absent: name and creation time. */
  readonly table?: TablePrinter | undefined;
}

export interface VersionInfo {
  readonly version: string;
  /** In order of resource name. */
  readonly kinds: readonly KindInfo[];
}

export interface GroupInfo {
  readonly group: string;
  /** Preferred first. Never empty. */
  readonly versions: readonly VersionInfo[];
}

/** Kinds that users define came and went, or changed. Each stands here once, at the version of
 * `findStorage`. */
export interface SchemeChange {
  readonly added: readonly KindInfo[];
  readonly removed: readonly KindInfo[];
  /** Of the group: those in which kinds came, went or changed. */
  readonly versions: ReadonlySet<string>;
}

export interface Scheme {
  /** Counts the changes of what is served. */
  readonly generation: number;
  /** Called after each change, in the step in which it is made, until what is returned is called.
   * Listeners must not throw. */
  onChange(listener: (change: SchemeChange) => void): () => void;
  /** The core group first, then in discovery order. */
  readonly groups: readonly GroupInfo[];
  /** Every served kind once per version. */
  readonly kinds: readonly KindInfo[];
  /** Every resource that holds objects, once, sorted by group and resource. */
  readonly storageResources: readonly GroupResource[];
  findGroup(group: string): GroupInfo | undefined;
  findVersion(group: string, version: string): VersionInfo | undefined;
  findResource(group: string, version: string, resource: string): KindInfo | undefined;
  findKind(group: string, version: string, kind: string): KindInfo | undefined;
  /** The kind at the version its objects are stored in, or at the most preferred one served. */
  findStorage(resource: GroupResource): KindInfo | undefined;
  /** Values of the selectable fields of a stored object, for its record: those of every version
   * that is served. Unknown resource: none. */
  fieldsOf(resource: GroupResource, object: ApiObject): Readonly<Record<string, string>>;
}

/** Orders groups and versions as given; indexes them. The caller has checked the invariants.
 * Nothing in it changes. */
export function makeScheme(groups: readonly GroupInfo[]): Scheme {
  const kinds = groups.flatMap((group) => group.versions.flatMap((version) => version.kinds));
  const byGroup = new Map(groups.map((group) => [group.group, group]));
  const byVersion = new Map<string, VersionInfo>();
  for (const group of groups) {
    for (const version of group.versions) {
      byVersion.set(`${group.group}/${version.version}`, version);
    }
  }
  const byResource = indexNames(kinds);
  const byKind = new Map(kinds.map((k) => [`${k.group}/${k.version}/${k.kind}`, k]));
  const stored = kinds.filter((kind) => kind.operation !== true && kind.computed !== true);
  const byStorage = indexStorage(stored);
  const storedAs = indexStored(byStorage, indexSelectable(stored));
  const storageResources = [...byStorage.values()]
    .map((k) => k.storage)
    .sort((a, b) => compareText(a.group, b.group) || compareText(a.resource, b.resource));

  return {
    generation: 0,
    onChange: () => () => undefined,
    groups,
    kinds,
    storageResources,
    findGroup: (group) => byGroup.get(group),
    findVersion: (group, version) => byVersion.get(`${group}/${version}`),
    findResource: (group, version, resource) => byResource.get(group)?.get(version)?.get(resource),
    findKind: (group, version, kind) => byKind.get(`${group}/${version}/${kind}`),
    findStorage: ({ group, resource }) => storedAs.get(group)?.get(resource)?.kind,
    fieldsOf({ group, resource }, object) {
      const fields = storedAs.get(group)?.get(resource)?.fields;
      return fields === undefined ? noFields : selectableValues(fields, object);
    },
  };
}

/** By group, version and resource: every request asks, so no text is made of them. */
function indexNames(kinds: readonly KindInfo[]) {
  const groups = new Map<string, Map<string, Map<string, KindInfo>>>();
  for (const kind of kinds) {
    const versions = groups.get(kind.group) ?? new Map<string, Map<string, KindInfo>>();
    const resources = versions.get(kind.version) ?? new Map<string, KindInfo>();
    resources.set(kind.resource, kind);
    groups.set(kind.group, versions.set(kind.version, resources));
  }
  return groups;
}

interface StoredAs {
  readonly kind: KindInfo;
  readonly fields: ReturnType<ReturnType<typeof indexSelectable>['get']>;
}

/** Likewise, of stored kinds: by group and resource. */
function indexStored(
  byStorage: ReadonlyMap<string, KindInfo>,
  selectable: ReturnType<typeof indexSelectable>,
) {
  const groups = new Map<string, Map<string, StoredAs>>();
  for (const [name, kind] of byStorage) {
    const { group, resource } = kind.storage;
    const resources = groups.get(group) ?? new Map<string, StoredAs>();
    resources.set(resource, { kind, fields: selectable.get(name) });
    groups.set(group, resources);
  }
  return groups;
}

const noFields: Readonly<Record<string, string>> = Object.freeze({});

export function storageName(resource: GroupResource): string {
  return `${resource.group}/${resource.resource}`;
}

function indexStorage(kinds: readonly KindInfo[]): ReadonlyMap<string, KindInfo> {
  const index = new Map<string, KindInfo>();
  for (const kind of kinds) {
    const name = storageName(kind.storage);
    const isStorageVersion =
      kind.group === kind.storage.group && kind.version === kind.storageVersion;
    if (isStorageVersion || !index.has(name)) index.set(name, kind);
  }
  return index;
}

function indexSelectable(
  kinds: readonly KindInfo[],
): ReadonlyMap<string, readonly SelectableField[]> {
  const byStorage = new Map<string, KindInfo[]>();
  for (const kind of kinds) {
    const name = storageName(kind.storage);
    const known = byStorage.get(name);
    if (known === undefined) byStorage.set(name, [kind]);
    else known.push(kind);
  }
  return new Map([...byStorage].map(([name, versions]) => [name, allSelectable(versions)]));
}

/** Of the versions of a resource, every label once: those that share a label share its path. */
export function allSelectable(kinds: readonly KindInfo[]): readonly SelectableField[] {
  const all: SelectableField[] = [];
  for (const { selectableFields } of kinds) {
    for (const field of selectableFields) {
      if (!all.some((other) => other.label === field.label)) all.push(field);
    }
  }
  return all;
}

export function selectableValues(
  fields: readonly SelectableField[],
  object: ApiObject,
): Readonly<Record<string, string>> {
  if (fields.length === 0) return noFields;
  const values: Record<string, string> = {};
  for (const field of fields) {
    values[fieldKey(field.label)] = firstScalar(object, field.paths) ?? field.unset;
  }
  return values;
}

function firstScalar(
  object: JsonObject,
  paths: readonly (readonly string[])[],
): string | undefined {
  for (const path of paths) {
    const value = scalarAt(object, path);
    if (value !== undefined && value !== '') return value;
  }
  return undefined;
}

function scalarAt(object: JsonObject, path: readonly string[]): string | undefined {
  let value: JsonValue | undefined = object;
  for (const part of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    value = ownMember(value as JsonObject, part);
  }
  if (value === undefined || value === null || typeof value === 'object') return undefined;
  return String(value);
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
