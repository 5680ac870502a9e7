/**
 * The contract of custom types: one version of a CustomResourceDefinition as functions of its
 * objects (spec 1, sections 2.6, 4.5 and 4.8; spec 2, section 2.2).
 *
 *     schema/       the structural schema: the one model, read from the JSON of a definition
 *     prepare/      what becomes of a document: embedded metadata, pruning, nulls, defaults
 *     validate/     what is wrong with an object: types, values, formats, lists, rules
 *     acceptance/   what is wrong with a definition: structure, versions, defaults, rules
 *     project/      what others see of it: columns, selectable fields, scale, OpenAPI
 *     conversion/   what a conversion webhook may change
 *
 * It does no I/O and knows no clock and no scheme.
 *
 * Invariants: pure. Objects are never changed; a part that is as it should be is returned as it
 * came, so preparing twice gives the very same object. Nothing throws on any JSON. Everything is
 * made when it is first asked for: a version that nobody uses holds what it was made from.
 *
 * Bounds: work is linear in object and schema, times the alternatives (allOf, anyOf, oneOf, not)
 * that the schema has at a place; patterns run in linear time; rules have budgets. The functions
 * that can take long have a form in steps, each well below a turn.
 */
import type { FieldError } from '../apimachinery/field-error.ts';
import type { MergeType } from '../apimachinery/fieldmanager/schema/merge-type.ts';
import type { TablePrinter } from '../apimachinery/projection/printer.ts';
import type { ScalePaths, SelectableField } from '../apimachinery/scheme.ts';
import type { Conformed } from '../apimachinery/typed/conform.ts';
import type { Defaulter } from '../apimachinery/typed/defaulting.ts';
import type { ApiObject, JsonObject } from '../apimachinery/unstructured.ts';
import type { Language } from '../cel/language.ts';
import type { Steps } from '../stdx/stepwise.ts';

export interface CustomVersionDeps {
  /** Rules are compiled in it as stored expressions: they were accepted once. */
  readonly language: Language;
  /** Merge type of `metadata`, which schemas do not describe. */
  readonly metadataType: MergeType;
  /** Minor release that this server is: formats came with releases. Absent: the newest. */
  readonly release?: number | undefined;
}

/** One entry of `spec.versions`, and what the definition says for all of them. */
export interface CustomVersionSource {
  readonly group: string;
  readonly kind: string;
  readonly version: string;
  /** What `spec.preserveUnknownFields` says: nothing is pruned. Of old definitions only. */
  readonly preserveUnknownFields: boolean;
  /** Paths of its selectable fields, as the definition writes them. */
  readonly selectable: readonly string[];
  /** The definition is large: what is read of it is read in steps, where somebody asks for that. */
  readonly isLarge: boolean;
  /**
   * The entry of `spec.versions`. Called when something of it is needed for the first time, and its
   * answer is then kept; so whoever has many definitions may keep their bytes only.
   */
  entry(): JsonObject;
}

/**
 * Where a document comes from. Of a body, what is wrong in embedded metadata is refused; of the
 * store and of a conversion it is dropped, for it was accepted once. An intent of an apply keeps
 * its nulls; so does what came of it or of a webhook's patch (merged), but for those that no type
 * refuses when they are validated.
 */
export type DocumentOrigin = 'body' | 'intent' | 'merged' | 'stored';

/** '' is the object itself. Writes to `scale` are writes to the object. */
export type ValidatedPart = '' | 'status';

export interface CustomValidation {
  readonly errors: readonly FieldError[];
  /** Texts of Warning headers: rules that an unchanged part does not obey. */
  readonly warnings: readonly string[];
}

/** `next` is what would be stored, in this version; so is `current`. */
export interface CustomWrite {
  readonly next: ApiObject;
  /** Undefined: it is created. */
  readonly current?: ApiObject | undefined;
  readonly part: ValidatedPart;
}

/** What a version says of its objects. Made by `compileCustomVersion` (custom-version.ts). */
export interface CustomVersion {
  readonly group: string;
  readonly version: string;
  readonly kind: string;

  /** Reads what all requests need, in steps. Undefined: it has been read, or there is little. */
  prepare(): Steps<void> | undefined;

  /**
   * Drops what the schema does not have, and nulls where none may be and no default is; brings
   * embedded metadata into their form. In the place of typed/conform.ts: the document's own
   * apiVersion, kind and metadata are left as they are, unknown fields are named, and a problem is
   * for the message of a 400.
   */
  conform(document: JsonObject, origin: DocumentOrigin): Conformed;
  /** Fills in defaults, after `conform`. In the place of a kind's defaults. */
  readonly defaults: Defaulter;
  /** The same in parts, for a large document. */
  defaultsSteps(document: JsonObject): Steps<JsonObject>;
  /** Both, of what is in the store. Never fails. */
  readStored(object: ApiObject): ApiObject;
  /** `conform` alone, of what came from another version: the defaults are those of the version that
   * is stored. Never fails. */
  readConverted(object: ApiObject): ApiObject;

  /**
   * What is wrong with a write, metadata aside: types, values, formats, embedded resources, list
   * sets and maps, replicas, and rules. In the reference's order. What has not changed and was
   * wrong before is let pass, or warned about.
   */
  validate(write: CustomWrite): CustomValidation;
  /** The same in steps; ends with the result. For bodies that are large, or have many rules, and
   * where `takesLong`. */
  validateInSteps(write: CustomWrite): Steps<CustomValidation>;

  /** Also a small object may take long to validate. */
  readonly takesLong: boolean;

  /** It has the subresource: a write to the object leaves the status as it is. */
  readonly hasStatus: boolean;
  /** An object without a status is given one. */
  readonly defaultsStatus: boolean;
  /** Undefined: no subresource of this name. */
  readonly scale: CustomScale | undefined;

  /** How objects merge and who owns what (src/apimachinery/fieldmanager). */
  readonly mergeType: MergeType;
  /** Labels without the dot in front: `spec.color`. The value of a field that is not there: ''. */
  readonly selectableFields: readonly SelectableField[];
  /** Name, then the columns that the definition has; without any, Age. */
  readonly table: TablePrinter;

  /** The schema of whole objects for publication: v2 loses what that form cannot say. References
   * to ObjectMeta are made by `reference`. */
  openApi(form: OpenApiForm): JsonObject;
  /** The same in steps. */
  openApiSteps(form: OpenApiForm): Steps<JsonObject>;
}

export interface OpenApiForm {
  readonly version: 'v2' | 'v3';
  /** What stands for the metadata: a reference to its published schema, and what is said of it. */
  readonly metadata: JsonObject;
}

/** Paths as steps. `selector` undefined: it has none. What is found there by them is text. */
export interface CustomScale {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  readonly selector: readonly string[] | undefined;
  /** The same for `KindInfo.scale`; a kind without a selector has no steps there. */
  readonly paths: ScalePaths;
}

/** Makes a version; cheap: nothing is read before it is needed. */
export type CompileCustomVersion = (
  source: CustomVersionSource,
  deps: CustomVersionDeps,
) => CustomVersion;

// ---- Definitions
//
// What a definition must obey are rules of its kind (src/apis/apiextensions); what is asked of its
// schemas stands in acceptance/. Expressions take time: definition-expressions.ts validates in
// steps, and then knows the answer when the rules are asked. protected-groups.ts decides about
// approval.

/** The condition KubernetesAPIApprovalPolicyConformant; undefined: the group needs no approval. */
export interface ApprovalState {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

// ---- Conversion

export type ConvertedObject =
  | { readonly kind: 'ok'; readonly object: ApiObject }
  /** For `conversion webhook for <g>/<v>, Kind=<k> ...`. */
  | { readonly kind: 'refused'; readonly problem: string };

/**
 * What is stored of an object that a webhook has converted: `converted` with the metadata of
 * `original`, but for labels and annotations, which the webhook may change (conversion/).
 */
export type RestoreMetadata = (original: ApiObject, converted: JsonObject) => ConvertedObject;
