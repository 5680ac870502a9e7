/**
 * A document as an object of its kind: conformed, its metadata read, its defaults filled in, and
 * what it should not have held ignored, warned about or refused (spec 1, section 4.8).
 *
 * Pure: it may run inside an actor's decision.
 *
 * Invariants: a wrong type is refused at every level, and comes before unknown and duplicate
 * fields. With `Strict` every one of those is named in one answer; with `Warn` each is a warning.
 * Bounds: `strictProblemsMax` of them are named, the rest are counted.
 */
import { TooManyValues } from '../codecs/body-bounds.ts';
import { isCredentialKind } from '../credential-kinds.ts';
import { quote } from '../quote.ts';
import { formatGroupVersion } from '../schema.ts';
import type { GroupVersionKind } from '../schema.ts';
import { newBadRequest, newInvalid, newTooLarge } from '../status-error.ts';
import type { StatusError } from '../status-error.ts';
import type { ApiObject, JsonObject, JsonValue } from '../unstructured.ts';
import { checkMetaShape } from '../validation/meta-shape.ts';
import { metadataCountErrors } from '../validation/metadata-limits.ts';
import type { FieldValidation } from '../write-options.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { conform } from './conform.ts';
import { conformSteps } from './conform-steps.ts';
import type { Conformed } from './conform.ts';
import type { Defaulter } from './defaulting.ts';
import type { ObjectSchema } from './type-schema.ts';

export const strictProblemsMax = 100;

/** What a document is to be. */
export interface DocumentType extends GroupVersionKind {
  /** Undefined: what `custom` says or, without, any fields may be in it, beside metadata. */
  readonly schema?: ObjectSchema | undefined;
  /** Of a kind that users define (KindInfo.custom). */
  readonly custom?: CustomDocument | undefined;
  readonly defaults?: Defaulter | undefined;
  /** What an apply intends. */
  readonly intent?: boolean;
}

type WrittenOrigin = 'body' | 'intent' | 'merged';

interface CustomDocument {
  conform(document: JsonObject, origin: WrittenOrigin): Conformed;
  defaultsSteps(document: JsonObject): Steps<JsonObject>;
  metadataProblem(metadata: JsonValue): string | undefined;
}

export type TypedDocument =
  | { readonly kind: 'ok'; readonly object: ApiObject; readonly warnings: readonly string[] }
  | { readonly kind: 'refused'; readonly error: StatusError };

/** Fields that came twice, by their paths; the document has their last values. `places`: where each
 * came again, in words. */
export function duplicateFields(
  paths: readonly string[],
  places: readonly string[] = [],
): readonly string[] {
  return paths.map((path, at) => {
    const place = places[at];
    return `duplicate field ${quote(path)}${place === undefined ? '' : ` (${place})`}`;
  });
}

/** `noticed`: what was wrong with the text that the document came as. */
export function typedDocument(
  document: JsonObject,
  type: DocumentType,
  mode: FieldValidation,
  noticed: readonly string[],
  conformed: Conformed = conformedDocument(document, type),
): TypedDocument {
  const shaped = shapedDocument(document, type, mode, noticed, conformed);
  const { defaults } = type;
  if (shaped.kind === 'refused' || defaults === undefined) return shaped;
  try {
    return { ...shaped, object: defaults(shaped.object) as ApiObject };
  } catch (error) {
    return tooManyDefaults(error);
  }
}

/** typedDocument() in parts, of a large one that has been conformed. */
export function* typedSteps(
  document: JsonObject,
  type: DocumentType,
  mode: FieldValidation,
  noticed: readonly string[],
  conformed: Conformed,
): Steps<TypedDocument> {
  const { custom, defaults } = type;
  if (custom === undefined || defaults === undefined) {
    return typedDocument(document, type, mode, noticed, conformed);
  }
  const shaped = shapedDocument(document, type, mode, noticed, conformed);
  if (shaped.kind === 'refused') return shaped;
  yield;
  try {
    return { ...shaped, object: (yield* custom.defaultsSteps(shaped.object)) as ApiObject };
  } catch (error) {
    return tooManyDefaults(error);
  }
}

/** Without its defaults. */
function shapedDocument(
  document: JsonObject,
  type: DocumentType,
  mode: FieldValidation,
  noticed: readonly string[],
  conformed: Conformed,
): TypedDocument {
  if (conformed.kind === 'refused') {
    // Its own metadata are read before those of what is inside.
    const own = type.custom?.metadataProblem(document['metadata'] ?? null);
    if (own !== undefined) return refused(type, own);
    const { problem, unquotedProblem } = conformed;
    return refused(type, isCredentialKind(type.kind) ? unquotedProblem : problem);
  }
  const label = { apiVersion: formatGroupVersion(type), kind: type.kind };
  const shape = checkMetaShape(conformed.object, label);
  if (shape.kind === 'refused') {
    const problem = type.custom?.metadataProblem(document['metadata'] ?? null);
    return refused(type, problem ?? shape.problem);
  }
  const { metadata } = shape.object;
  const tooMuch = metadataCountErrors(metadata);
  if (tooMuch.length > 0) {
    return { kind: 'refused', error: newInvalid(type, metadata.name ?? '', tooMuch) };
  }
  const unknown = mode === 'Ignore' ? [] : shape.unknownFields.concat(conformed.unknownFields);
  const problems =
    mode === 'Ignore' ? [] : strictProblems(unknown, noticed, type.custom !== undefined);
  if (mode === 'Strict' && problems.length > 0) {
    const untyped = type.intent === true ? untypedFields(unknown) : '';
    return refused(type, `strict decoding error: ${problems.join(', ')}${untyped}`);
  }
  return { kind: 'ok', object: shape.object, warnings: problems };
}

/** Of a document with more of them than a body may hold; anything else is thrown on. */
function tooManyDefaults(error: unknown): TypedDocument {
  if (!(error instanceof TooManyValues)) throw error;
  const message = 'its defaults are more than a body may hold';
  return { kind: 'refused', error: newTooLarge(message) };
}

/** The first half of the work, and by itself a long turn where the document is a large one.
 * 'intent': of an apply. 'merged': what came of one, or what a webhook has patched. */
export function conformedDocument(
  document: JsonObject,
  { custom, schema }: DocumentType,
  origin: WrittenOrigin = 'body',
): Conformed {
  if (schema !== undefined) return conform(schema, document, origin === 'intent');
  return custom?.conform(document, origin) ?? { kind: 'ok', object: document, unknownFields: [] };
}

/** conformedDocument() in steps: of a large one. What users define is conformed at once. */
export function* conformedSteps(
  document: JsonObject,
  type: DocumentType,
  origin: WrittenOrigin = 'body',
): Steps<Conformed> {
  const { schema } = type;
  if (schema !== undefined) return yield* conformSteps(schema, document, origin === 'intent');
  return conformedDocument(document, type, origin);
}

/** Of kinds that users define, the text is looked at before the fields. */
function strictProblems(
  unknownFields: readonly string[],
  noticed: readonly string[],
  textFirst: boolean,
): readonly string[] {
  if (unknownFields.length === 0 && noticed.length === 0) return [];
  const unknown = unknownFields.map((path) => `unknown field ${quote(path)}`);
  const all = new Set(textFirst ? [...noticed, ...unknown] : [...unknown, ...noticed]);
  const named = [...all].slice(0, strictProblemsMax);
  const more = all.size - named.length;
  return more === 0 ? named : [...named, `and ${more} more`];
}

/** The same in the words of a typed merge, which clients look for in the answer to an apply. */
function untypedFields(unknownFields: readonly string[]): string {
  if (unknownFields.length === 0) return '';
  const named = unknownFields.slice(0, strictProblemsMax);
  const undeclared = named.map((path) => `.${path}: field not declared in schema`);
  return `; failed to create typed patch object: ${undeclared.join(', ')}`;
}

function refused(type: GroupVersionKind, problem: string): TypedDocument {
  const { kind, version } = type;
  const what = `${kind} in version ${quote(version)} cannot be handled as a ${kind}`;
  return { kind: 'refused', error: newBadRequest(`${what}: ${problem}`) };
}
