/**
 * AdmissionReview in both versions: the request to a webhook, and its answer.
 *
 * webhook-call.ts makes the call.
 *
 * Invariants: pure. An answer is accepted as a whole or not at all. In v1 its uid must be that of
 * the request, and a patch needs its type; v1beta1 is not checked for these.
 * Bounds: of warnings and annotations the first that a request may have (admissionNoteLimits);
 * policy: what is beyond is dropped.
 */
import { admissionNoteLimits } from '../../apimachinery/admission-data.ts';
import { stringifyJson } from '../../apimachinery/codecs/lossless.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import { quote } from '../../apimachinery/quote.ts';
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import type { HttpBody } from '../../webhooks/body-turns.ts';

export type ReviewVersion = 'v1' | 'v1beta1';

/** The first that is understood here; undefined: none is. */
export function reviewVersionOf(versions: readonly string[]): ReviewVersion | undefined {
  const known = versions.find((each) => each === 'v1' || each === 'v1beta1');
  return known;
}

export interface ReviewQuestion {
  readonly uid: string;
  readonly version: ReviewVersion;
  /** As expressions see it, too: kind, resource, userInfo ... */
  readonly request: JsonObject;
  /** The members `object` and `oldObject` in JSON: they may be large, and are the same for many.
   * Bytes are sent as they are, so that the calls of a hundred webhooks hold them once. */
  readonly objects: string | Buffer;
}

/** In JSON. */
export function reviewBody(
  { fill }: Pick<Identity, 'fill'>,
  { objects, request, uid, version }: ReviewQuestion,
): HttpBody {
  const { options = null, dryRun = false, ...rest } = request;
  const apiVersion = `${fill('admission.{domain}')}/${version}`;
  const head = membersText({ uid, ...rest });
  const tail = membersText({ dryRun, options });
  const before = `{${membersText({ kind: 'AdmissionReview', apiVersion })},"request":{${head},`;
  const behind = `,${tail}}}`;
  if (typeof objects === 'string') return `${before}${objects}${behind}`;
  return [Buffer.from(before), objects, Buffer.from(behind)];
}

/** Of an object that has some: what stands between its braces. */
function membersText(object: JsonObject): string {
  return stringifyJson(object).slice(1, -1);
}

export interface ReviewAnswer {
  readonly allowed: boolean;
  /** A JSON patch as it came; undefined: there is none. */
  readonly patch: Buffer | undefined;
  /** Of a patch; anything but `JSONPatch` is not understood. */
  readonly patchType: string;
  /** Why not; a Status. */
  readonly result: JsonObject | undefined;
  readonly auditAnnotations: ReadonlyMap<string, string>;
  readonly warnings: readonly string[];
}

export type ReadAnswer =
  | { readonly kind: 'ok'; readonly answer: ReviewAnswer }
  /** In the words of the reference. */
  | { readonly kind: 'invalid'; readonly problem: string };

export interface Expected extends Pick<ReviewQuestion, 'uid' | 'version'> {
  readonly mutating: boolean;
}

export function readAnswer(
  identity: Pick<Identity, 'fill'>,
  document: JsonObject,
  expected: Expected,
): ReadAnswer {
  const response = document['response'];
  if (!isJsonObject(response)) return invalid('webhook response was absent');
  const problem = shapeProblem(response);
  if (problem !== undefined) return invalid(problem);
  const patch = unlessEmpty(response['patch']);
  const patchType = response['patchType'] ?? undefined;
  const bytes = typeof patch === 'string' ? Buffer.from(patch, 'base64') : undefined;
  const answer: ReviewAnswer = {
    allowed: response['allowed'] === true,
    patch: undefined,
    patchType: '',
    result: resultOf(response, expected.version),
    auditAnnotations: firstAnnotations(members(response['auditAnnotations'])),
    warnings: firstWarnings((response['warnings'] ?? []) as readonly string[]),
  };
  if (expected.version === 'v1beta1') {
    const isPatched = expected.mutating && bytes !== undefined;
    return ok(isPatched ? { ...answer, patch: bytes, patchType: jsonPatchType } : answer);
  }
  const wrong =
    otherAnswer(identity, document, response, expected) ??
    patchProblem(expected.mutating, bytes !== undefined, patchType);
  if (wrong !== undefined) return invalid(wrong);
  return ok({ ...answer, patch: bytes, patchType: (patchType ?? '') as string });
}

export const jsonPatchType = 'JSONPatch';

function ok(answer: ReviewAnswer): ReadAnswer {
  return { kind: 'ok', answer };
}

function invalid(problem: string): ReadAnswer {
  return { kind: 'invalid', problem };
}

/** What is null or empty is not there. */
function unlessEmpty(value: JsonValue | undefined): JsonValue | undefined {
  return value === null || value === '' ? undefined : value;
}

function members(value: JsonValue | undefined): Record<string, string> {
  return isJsonObject(value) ? (value as Record<string, string>) : {};
}

/** As many, from the first, as a request may have. */
function firstAnnotations(annotations: Record<string, string>): ReadonlyMap<string, string> {
  const { annotationCharsMax, annotationsMax } = admissionNoteLimits;
  const first = new Map<string, string>();
  let chars = 0;
  for (const key in annotations) {
    const value = annotations[key] ?? '';
    chars += key.length + value.length;
    if (first.size === annotationsMax || chars > annotationCharsMax) break;
    first.set(key, value);
  }
  return first;
}

/** As many different ones, from the first, as a request may have. */
function firstWarnings(texts: readonly string[]): readonly string[] {
  const first = new Set<string>();
  for (const text of texts) {
    if (first.size === admissionNoteLimits.warningsMax) break;
    first.add(text);
  }
  return [...first];
}

/** The field was called `result` in the first days, as it is in code. */
function resultOf(response: JsonObject, version: ReviewVersion): JsonObject | undefined {
  const { status } = response;
  const result = status ?? (version === 'v1beta1' ? response['result'] : undefined);
  return isJsonObject(result) ? result : undefined;
}

function shapeProblem(response: JsonObject): string | undefined {
  const { allowed, auditAnnotations, patch, patchType, status, uid, warnings } = response;
  const isText = (value: JsonValue | undefined): boolean =>
    value === undefined || value === null || typeof value === 'string';
  const texts = (values: readonly (JsonValue | undefined)[]): boolean =>
    values.every((value) => typeof value === 'string');
  if (allowed !== undefined && allowed !== null && typeof allowed !== 'boolean') {
    return 'response.allowed is not a boolean';
  }
  if (isJsonObject(status) && ![status['message'], status['reason']].every(isText)) {
    return 'response.status says its message or reason otherwise than as a string';
  }
  if (!isText(uid)) return 'response.uid is not a string';
  if (!isText(patchType)) return 'response.patchType is not a string';
  if (!isText(patch) || (typeof patch === 'string' && !isPlainBase64(patch))) {
    return 'response.patch is not base64';
  }
  const isAnnotated = isJsonObject(auditAnnotations) && !texts(Object.values(auditAnnotations));
  if (isAnnotated || (auditAnnotations && !isJsonObject(auditAnnotations))) {
    return 'response.auditAnnotations is not an object of strings';
  }
  if (warnings && !(Array.isArray(warnings) && texts(warnings as readonly JsonValue[]))) {
    return 'response.warnings is not a list of strings';
  }
  return undefined;
}

function otherAnswer(
  { fill }: Pick<Identity, 'fill'>,
  document: JsonObject,
  { uid }: JsonObject,
  expected: Expected,
): string | undefined {
  if (uid !== expected.uid) {
    const got = typeof uid === 'string' ? uid : '';
    return `expected response.uid=${quote(expected.uid)}, got ${quote(got)}`;
  }
  const wanted = `${fill('admission.{domain}')}/v1, Kind=AdmissionReview`;
  const { apiVersion, kind } = document;
  const got = `${String(apiVersion ?? '')}, Kind=${String(kind ?? '')}`;
  return got === wanted ? undefined : `expected webhook response of ${wanted}, got ${got}`;
}

function patchProblem(
  mutating: boolean,
  isPatched: boolean,
  patchType: JsonValue | undefined,
): string | undefined {
  const isTyped = patchType !== undefined;
  if (!mutating) {
    if (isPatched) return 'validating webhook may not return response.patch';
    return isTyped ? 'validating webhook may not return response.patchType' : undefined;
  }
  if (isPatched && !isTyped) return 'webhook returned response.patch but not response.patchType';
  if (!isPatched && isTyped) return 'webhook returned response.patchType but not response.patch';
  return patchType === '' ? 'webhook returned invalid response.patchType of ""' : undefined;
}

function isPlainBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}
