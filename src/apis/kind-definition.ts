/**
 * The definition of one kind, in one place: its rows, versions, defaults, rules, table, warnings,
 * strategy and subresources. Everything that serves a kind collects from these definitions, so
 * adding a kind is writing one of them and naming it in its group (docs/adding-a-kind.md).
 *
 * Elsewhere: the fields of its types, which are generated from the facts for every kind that the
 * facts have (field-types.gen.ts), and any engine.
 *
 * Invariants: data and pure functions. A definition covers all versions of its resource; what only
 * one of them has stands under `versions`. All of it but `resource` is optional: what is absent is
 * what most kinds have.
 */
import type { Identity } from '../apimachinery/identity.ts';
import type { TablePrinter } from '../apimachinery/projection/printer.ts';
import type { CountedMetadata, NameRule, Verb } from '../apimachinery/scheme.ts';
import type { DefaultTable } from '../apimachinery/typed/defaulting.ts';
import type { Connect, Operation } from '../registry/registry.ts';
import type { DecideOperation } from '../registry/write-command.ts';
import type { KindStrategy, SubresourceRules } from '../registry/strategy.ts';
import type { Language } from '../cel/language.ts';
import type { FieldMaps } from './conversion/conversion.ts';
import type { KindRules } from './validation/kind-rules.ts';
import type { Migration } from './validation/migrated-rules.ts';
import type { KindWarnings } from './warnings/kind-warnings.ts';

/** A value, or what makes it where it holds names with the identity's domain. */
export type ByIdentity<T> = T | ((identity: Identity) => T);

export function underIdentity<T extends object>(value: ByIdentity<T>, identity: Identity): T {
  return typeof value === 'function' ? value(identity) : value;
}

export interface KindDefinition {
  /** `<group template>/<resource>`: `batch/jobs`, `/pods`, `storage.{domain}/csinodes`. */
  readonly resource: string;
  /** For a kind that the facts leave out. */
  readonly added?: AddedRows | undefined;
  /** The group that stores its objects, where that is another one: `apps` for the deployments of
   * `extensions`. They share its definition but for what is said here. */
  readonly storedIn?: string | undefined;
  readonly serving?: Serving | undefined;
  /** Of one that is served as an operation: what it does. Absent: it asks (endpoints/reviews). */
  readonly operation?: Operation | undefined;
  /** Where expressions stand in its objects, and what they must obey when they are written. */
  readonly expressions?: ((language: Language) => KindRules) | undefined;
  /** What operations do to an object of it, by the name that they give in their command. */
  readonly decisions?: Readonly<Record<string, DecideOperation>> | undefined;
  /** Feature gates that it needs, all of them. */
  readonly featureGates?: readonly string[] | undefined;

  /** How names are checked. Default: `dns-subdomain`. */
  readonly names?: NameRule | undefined;
  /** A finalizer of its objects needs no domain. */
  readonly anyFinalizer?: true | undefined;
  /** Its objects are nobody's owner. */
  readonly ownsNothing?: true | undefined;
  /** PUT to a free name creates. */
  readonly createOnUpdate?: true | undefined;
  /** PUT must name the resourceVersion that it replaces. */
  readonly conditionalUpdateOnly?: true | undefined;
  /** DELETE that removes answers with the object as it was last. */
  readonly returnsDeletedObject?: true | undefined;
  /** Not deleted in one request for a whole collection. */
  readonly withoutDeleteCollection?: true | undefined;
  /** metadata.generation counts changes of the desired state, from 1; `changes`: from none;
   * `once`: it stays at 1. */
  readonly tracksGeneration?: true | 'changes' | 'once' | undefined;
  /** What of metadata counts likewise. */
  readonly countedMetadata?: CountedMetadata | undefined;
  /** How many values a body may hold. Default: as many as any. */
  readonly bodyValuesMax?: number | undefined;
  /** Members of metadata that a write to the status leaves as they are; `all`: every one that
   * clients may write. */
  readonly keptByStatus?: 'all' | readonly string[] | undefined;
  /** Members beside the status that an update leaves as they are: nobody owns them. */
  readonly ownerlessParts?: readonly string[] | undefined;
  /** `label`, `label=path|second.path`, `label!default`: without `=` the label is the path. Paths
   * lead through the stored form, which all versions of a resource share. */
  readonly selectableFields?: string | undefined;

  readonly defaults?: DefaultTable | undefined;
  /** Rules beyond the schema, in every version. */
  readonly validation?:
    KindRules | ((identity: Identity, migration: Migration) => KindRules) | undefined;
  /** Where the reference takes what the schema calls missing or unknown. */
  readonly schemaExemptions?: ExemptFields | undefined;
  readonly warnings?: ByIdentity<KindWarnings> | undefined;
  /** What replaces functions of the generic strategy. */
  readonly strategy?:
    ((generic: KindStrategy, identity: Identity) => Partial<KindStrategy>) | undefined;
  /** Columns and cells. Default: name and creation time. */
  readonly table?: ByIdentity<TablePrinter> | undefined;
  /** What is accepted although nothing here acts on it. A row goes when its feature comes. */
  readonly unserved?: readonly UnservedNotice[] | undefined;
  /** By name: those beside `status` and `scale`, which are the same for every kind. */
  readonly subresources?: Readonly<Record<string, SubresourceDefinition>> | undefined;
  /** What only one version has, by its name: `v1beta1`. */
  readonly versions?: Readonly<Record<string, VersionDefinition>> | undefined;
}

/** Rows as those of kinds.gen.ts, without their group, and field-types.gen.ts. */
export interface AddedRows {
  readonly kinds: string;
  /** '' where the facts have the types. */
  readonly types: string;
}

export type Serving =
  /** Nobody stores its objects: each request works them out, so they are only read. */
  | 'computed'
  /** It is posted to a collection and answered, and never stored: its only verb is create. */
  | 'operation'
  /** It holds no objects and has no verbs, for this reason. */
  | { readonly never: string };

export interface VersionDefinition {
  /** The minor release that deprecated it, where its end was never announced. */
  readonly deprecated?: number | undefined;
  /** What takes its place, where the facts do not name it: a version of the same kind, or
   * `<group template>/<version>/<kind>`. */
  readonly replacement?: string | undefined;
  /** Between its fields and the hub's. Absent: it has the hub's fields. */
  readonly conversion?: ByIdentity<FieldMaps> | undefined;
  /** Rules of writes that come through it, beside those of its resource. */
  readonly validation?: ByIdentity<KindRules> | undefined;
  /** What it completes or drops in writes that come through it. */
  readonly preparation?: ByIdentity<Partial<Preparation>> | undefined;
  /** A delete that says nothing of dependents orphans them. */
  readonly orphansDependents?: true | undefined;
  /** The warning for a delete without a propagation policy. */
  readonly deletionWarning?: string | undefined;
}

export type Preparation = Pick<KindStrategy, 'prepareForCreate' | 'prepareForUpdate'>;

/** Names as `<package>.<Type>.<field>`, for every version, separated by blanks. */
export interface ExemptFields {
  /** May be left out although their schema calls them required. */
  readonly optional?: string | undefined;
  /** Take other values than those that their schema lists. */
  readonly openValues?: string | undefined;
}

/** One sentence. */
export interface UnservedNotice {
  readonly says: string;
}

export interface SubresourceDefinition {
  readonly verbs: readonly Verb[];
  /** Minor release of 1 that had it first, where its kind is older. */
  readonly since?: number | undefined;
  /** What it is read and written as at a release, where that is not as its parent: the kind that
   * discovery shows, then others that are understood. */
  readonly kinds?: ((release: number) => readonly WrittenKind[]) | undefined;
  /** It leads to what runs; `below`: with a path of its own behind it. */
  readonly connects?: 'here' | 'below' | undefined;
  /** Of one that leads to what runs: where to. */
  readonly connection?: Connect | undefined;
  /** What a write through it may change and so own: steps of field paths, `*` is any element. */
  readonly writes?: readonly (readonly string[])[] | undefined;
  /** Of one that is posted and shows no part of the object: what it does. */
  readonly operation?: Operation | undefined;
  /** Of one that shows the object itself: what a write may change, and must obey. */
  readonly rules?: ByIdentity<SubresourceRules> | undefined;
}

/** A kind by its group (a template), and its name among the catalogue's types. */
export interface WrittenKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly type: string;
}

export interface GroupDefinition {
  /** Template: '' for core, `{domain}` still in it. */
  readonly group: string;
  /** The package of its types: `core`. */
  readonly types: string;
  /** groupPriorityMinimum of its APIServices. Absent: it has none. */
  readonly priority?: number | undefined;
  readonly versions?: Readonly<Record<string, GroupVersionDefinition>> | undefined;
  readonly kinds: readonly KindDefinition[];
  /** Texts of types and fields (descriptions/descriptions.ts says how they are written). */
  readonly descriptions?: string | undefined;
  /** Its rules know the form of each version, so that errors name the fields that were written,
   * and report what is missing themselves. */
  readonly validatesEachVersion?: true | undefined;
}

export interface GroupVersionDefinition {
  /** versionPriority of its APIService. */
  readonly priority?: number | undefined;
  /** Minor releases of 1 that the facts leave out. */
  readonly introduced?: number | undefined;
  readonly removed?: number | undefined;
  /** Preferred in its first release already: nothing of the group was on by default before. */
  readonly preferredAtOnce?: true | undefined;
}
