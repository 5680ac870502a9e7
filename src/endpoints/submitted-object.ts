/**
 * From a request body to an object: size, media type, decoding, agreement with the URL
 * (spec 1, sections 4.3, 4.8).
 *
 * Invariants: nothing has been changed when a body is refused; an accepted object has the
 * apiVersion and kind of the URL (filled in when absent), the fields of its type and no others,
 * its defaults, and the namespace and name of the URL.
 */
import { checkContentEncoding } from '../apimachinery/codecs/gzip.ts';
import { stringifyJson } from '../apimachinery/codecs/lossless.ts';
import type { Decoded } from '../apimachinery/codecs/json.ts';
import type { SchemaOf } from '../apimachinery/codecs/protobuf.ts';
import { isLargeValue } from '../apimachinery/large-value.ts';
import { parseContentType } from '../apimachinery/negotiation.ts';
import type { SupportedType } from '../apimachinery/negotiation.ts';
import { formatGroupVersion } from '../apimachinery/schema.ts';
import { newTypeMismatch } from '../apimachinery/type-mismatch.ts';
import type { GroupVersionKind } from '../apimachinery/schema.ts';
import type { KindInfo, SubresourceInfo } from '../apimachinery/scheme.ts';
import {
  nameMismatch,
  newBadRequest,
  newOtherNamespace,
  newRequestEntityTooLarge,
  newTimeout,
  newTooManyRequests,
} from '../apimachinery/status-error.ts';
import type { StatusError } from '../apimachinery/status-error.ts';
import type { ApiObject, JsonObject, JsonValue } from '../apimachinery/unstructured.ts';
import { isJsonObject } from '../apimachinery/unstructured.ts';
import { deleteOptionsType } from '../apimachinery/typed/meta-types.ts';
import {
  conformedSteps,
  duplicateFields,
  typedDocument,
  typedSteps,
} from '../apimachinery/typed/field-validation.ts';
import type { DocumentType, TypedDocument } from '../apimachinery/typed/field-validation.ts';
import { fieldValidationOf } from '../apimachinery/write-options.ts';
import type { Result } from '../registry/registry.ts';
import { ok, refused } from '../registry/registry.ts';
import { unreachable } from '../stdx/assert.ts';
import { runToEnd } from '../stdx/stepwise.ts';
import { wholeTurnMs } from '../stdx/turns.ts';
import type { BodyResult } from '../transport/http-exchange.ts';
import { atOnceBytesMax, decodeBody } from './body-decoding.ts';
import type { BodyDecodeOptions } from './body-decoding.ts';
import { unknownMediaType } from './other-identity.ts';
import { bodyTypesOf } from './representation.ts';
import type { ApiRequest, EndpointDeps, ResourceRequest } from './request.ts';

/** A delete's body: the kind alone says what it is; clients send it in any group's version. */
export const deleteOptionsOnly: SchemaOf = (_apiVersion, kind) =>
  kind === 'DeleteOptions' ? deleteOptionsType : undefined;

/** The expected type of a body. */
export type Expected = DocumentType & {
  /** Other kinds of the same fields that are understood. */
  readonly alsoKinds?: readonly GroupVersionKind[] | undefined;
};

export interface RequestBody {
  readonly bytes: Uint8Array;
  readonly type: SupportedType;
}

/** What is submitted at a kind, or at its subresource. */
export function submittedType(kind: KindInfo, subresource: SubresourceInfo | undefined): Expected {
  if (subresource === undefined) return kind;
  const { group, version, kind: name } = subresource.kind;
  const { schema, custom, defaults, alsoKinds } = subresource;
  return { group, version, kind: name, schema, custom, defaults, alsoKinds };
}

/** The body in one of these media types, or undefined when it is empty. */
export async function readBody(
  deps: EndpointDeps,
  request: ApiRequest,
  bodyTypes: readonly SupportedType[],
): Promise<Result<RequestBody | undefined>> {
  return checkedBody(deps, request, bodyTypes, await takenBody(deps, request));
}

/** The body is read in any case, so that the connection stays usable for the next request. */
function takenBody({ limits }: EndpointDeps, { exchange }: ApiRequest): Promise<BodyResult> {
  return exchange.readBody(limits.requestBodyBytesMax);
}

const bodiesBusy = 'the request bodies being received are too large together, please try again';

/** What has been taken goes on here. */
function checkedBody(
  { clock, identity, turnWatch }: EndpointDeps,
  request: ApiRequest,
  bodyTypes: readonly SupportedType[],
  body: BodyResult,
): Result<RequestBody | undefined> {
  const { exchange } = request;
  request.receivedMs = clock.monotonicMs();
  turnWatch.mark(request.info, request.receivedMs);
  if (body.kind === 'complete') request.bodyBytes = body.bytes.length;
  const encoding = checkContentEncoding(exchange.header('content-encoding'));
  const type = parseContentType(exchange.header('content-type'), bodyTypes);
  if (body.kind !== 'complete') return refused(bodyRefusal(body));
  if (body.bytes.length === 0) return ok(undefined);
  if (encoding !== undefined) return refused(encoding);
  if (type.kind === 'ok') return ok({ bytes: body.bytes, type: type.type });
  return refused(unknownMediaType(identity, exchange.header('content-type'), type.error));
}

function bodyRefusal(body: Exclude<BodyResult, { readonly kind: 'complete' }>): StatusError {
  switch (body.kind) {
    case 'too-large':
      return newRequestEntityTooLarge(body.limitBytes);
    case 'busy':
      return newTooManyRequests(bodiesBusy, 1);
    case 'aborted':
      return newTimeout('the request body did not arrive in full', 1);
    default:
      return unreachable(body);
  }
}

/** The body as it is, for another server. Undefined: there is none. */
export async function readPassedBody(
  deps: EndpointDeps,
  request: ApiRequest,
): Promise<Result<Uint8Array | undefined>> {
  const body = await takenBody(deps, request);
  if (body.kind !== 'complete') return refused(bodyRefusal(body));
  request.bodyBytes = body.bytes.length;
  return ok(body.bytes.length === 0 ? undefined : body.bytes);
}

/** The decoded body, or undefined when it is empty. `schemaOf` says what may come in Protobuf. */
export async function readDocument(
  deps: EndpointDeps,
  request: ResourceRequest,
  schemaOf: SchemaOf,
): Promise<Result<JsonObject | undefined>> {
  const body = await readBody(deps, request, bodyTypesOf(deps, request));
  const decoding = decodeRequest(deps, request, body, { schemaOf, findDuplicates: false });
  const decoded = decodedOf(decoding instanceof Promise ? await decoding : decoding, 'nullable');
  return decoded.kind === 'refused' ? decoded : ok(decoded.value?.document);
}

interface DecodedBody {
  readonly document: JsonObject;
  /** Paths of fields that came twice, when they were looked for. */
  readonly duplicates: readonly string[];
  readonly duplicatePlaces: readonly string[] | undefined;
}

/** Undefined for an empty body. */
type Decoding = Decoded | undefined;

function decodeRequest(
  deps: EndpointDeps,
  { exchange }: ApiRequest,
  body: Result<RequestBody | undefined>,
  reading: BodyDecodeOptions,
): Decoding | Promise<Decoding> {
  if (body.kind === 'refused') return body;
  if (body.value === undefined) return undefined;
  const { bytes, type } = body.value;
  return decodeBody(deps, exchange, bytes, type.format, reading);
}

/** `nullable`: null is an object without members. */
function decodedOf(decoded: Decoding, nullable?: 'nullable'): Result<DecodedBody | undefined> {
  if (decoded === undefined) return ok(undefined);
  if (decoded.kind === 'refused') return decoded;
  const document = decoded.value ?? (nullable === undefined ? null : {});
  if (!isJsonObject(document)) return refused(newBadRequest('the body must be an object'));
  const { duplicates = [], duplicatePlaces } = decoded;
  return ok({ document, duplicates, duplicatePlaces });
}

/**
 * Reads the body as an object of `expected`: typed, and with its defaults. What it should not hold
 * is dropped, and warned about or refused as `fieldValidation` in the query says.
 */
export async function readObject(
  deps: EndpointDeps,
  request: ResourceRequest,
  expected: Expected,
): Promise<Result<ApiObject>> {
  const mode = fieldValidationOf(request.query);
  // Not readBody: it would be one more promise of every write.
  const taken = await takenBody(deps, request);
  const body = checkedBody(deps, request, bodyTypesOf(deps, request), taken);
  const decoding = decodeRequest(deps, request, body, {
    schemaOf: (_apiVersion, kind) =>
      kind === '' || kind === expected.kind ? expected.schema : undefined,
    findDuplicates: mode !== 'Ignore',
    valuesMax: request.kind.bodyValuesMax,
  });
  const decoded = decodedOf(decoding instanceof Promise ? await decoding : decoding);
  if (decoded.kind === 'refused') return decoded;
  if (decoded.value === undefined) {
    const given = request.exchange.header('content-type');
    const type = parseContentType(given, bodyTypesOf(deps, request));
    if (type.kind === 'refused') return refused(unknownMediaType(deps.identity, given, type.error));
    return refused(newBadRequest(`a ${expected.kind} is required as the request body`));
  }
  const { document, duplicates, duplicatePlaces } = decoded.value;
  const mismatch = checkCustomKind(document, expected) ?? checkVersionAndKind(document, expected);
  if (mismatch !== undefined) return refused(mismatch);
  const noticed = duplicateFields(duplicates, duplicatePlaces);
  let typed: TypedDocument;
  if (request.bodyBytes > atOnceBytesMax) {
    const { turns } = deps.registry;
    const conformed = await runToEnd(turns, conformedSteps(document, expected));
    await turns.pause(wholeTurnMs);
    typed = await runToEnd(turns, typedSteps(document, expected, mode, noticed, conformed));
  } else typed = typedDocument(document, expected, mode, noticed);
  if (typed.kind === 'refused') return typed;
  // Defaults of a kind that users define may be many times what was sent.
  if (expected.custom !== undefined && isLargeValue(typed.object)) request.hasLargeObject = true;
  request.warnings.push(...typed.warnings);
  return ok(typed.object);
}

/** Of a kind that users define, a document says itself what it is: its apiVersion and kind have no
 * default, and another kind is an invalid value. */
function checkCustomKind(document: JsonObject, expected: Expected): StatusError | undefined {
  if (expected.custom === undefined) return undefined;
  const { metadata } = document;
  const apiVersion = document['apiVersion'] ?? '';
  const kind = document['kind'] ?? '';
  const served = formatGroupVersion(expected);
  if (kind === '') {
    const unknown = `the object provided is unrecognized (must be of type ${expected.kind})`;
    return newBadRequest(`${unknown}: Object 'Kind' is missing`);
  }
  if (apiVersion !== served || typeof kind !== 'string' || kind === expected.kind) {
    return apiVersion === '' ? newOtherVersion(apiVersion, served) : undefined;
  }
  const name = isJsonObject(metadata ?? null) ? (metadata as JsonObject)['name'] : '';
  const object = { group: expected.group, kind, name: typeof name === 'string' ? name : '' };
  return newTypeMismatch(object, { field: 'kind', found: kind, expected: expected.kind }, '');
}

/** A document without them is taken for what the URL names. */
export function checkVersionAndKind(
  document: JsonObject,
  expected: GroupVersionKind & { readonly alsoKinds?: readonly GroupVersionKind[] | undefined },
): StatusError | undefined {
  const mismatch = mismatchWith(document, expected);
  if (mismatch === undefined) return undefined;
  return expected.alsoKinds?.some((each) => mismatchWith(document, each) === undefined) === true
    ? undefined
    : mismatch;
}

function mismatchWith(document: JsonObject, expected: GroupVersionKind): StatusError | undefined {
  const apiVersion = formatGroupVersion(expected);
  const given = { apiVersion: document['apiVersion'] ?? '', kind: document['kind'] ?? '' };
  if (given.apiVersion !== '' && given.apiVersion !== apiVersion) {
    return newOtherVersion(given.apiVersion, apiVersion);
  }
  if (given.kind !== '' && given.kind !== expected.kind) {
    return newBadRequest(
      `the kind in the data (${text(given.kind)}) does not match ` +
        `the expected kind (${expected.kind})`,
    );
  }
  return undefined;
}

function newOtherVersion(given: JsonValue, expected: string): StatusError {
  return newBadRequest(
    `the API version in the data (${text(given)}) does not match ` +
      `the expected API version (${expected})`,
  );
}

function text(value: JsonValue): string {
  return typeof value === 'string' ? value : stringifyJson(value);
}

/** For a create: the namespace of the URL goes in; another one is an error. */
export function inRequestNamespace(object: ApiObject, request: ResourceRequest): Result<ApiObject> {
  const namespace = object.metadata.namespace ?? '';
  const { kind, resource } = request;
  if (!kind.namespaced || namespace === '' || namespace === resource.namespace) {
    return ok(object);
  }
  return refused(newOtherNamespace());
}

/** The same for what is posted and not stored: it is of the namespace of the request, and of none
 * where the resource has none. */
export function postedInNamespace(object: ApiObject, request: ResourceRequest): Result<ApiObject> {
  const placed = inRequestNamespace(object, request);
  if (placed.kind === 'refused') return placed;
  const { namespace: _asked, ...others } = object.metadata;
  const { namespace } = request.resource;
  const metadata = request.kind.namespaced ? { ...others, namespace } : others;
  return ok({ ...object, metadata });
}

/** For a write to an existing object: name and namespace agree with the URL, or are absent. Who
 * asks for it gives the name; the namespace is known without. */
export function atRequestTarget(
  object: ApiObject,
  request: ResourceRequest,
  asked?: 'named',
): Result<ApiObject> {
  const { name = '', namespace } = object.metadata;
  const { kind, resource } = request;
  const misnamed = name === '' && asked !== 'named' ? undefined : nameMismatch(name, resource.name);
  if (misnamed !== undefined) return refused(misnamed);
  const differs = namespace !== undefined && namespace !== '' && namespace !== resource.namespace;
  if (kind.namespaced && differs) {
    return refused(
      newBadRequest(
        `the namespace of the object (${namespace}) does not match ` +
          `the namespace on the request (${resource.namespace})`,
      ),
    );
  }
  return ok(object);
}
