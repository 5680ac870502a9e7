/**
 * How an object is shown: the negotiated media type, version and projection as functions on bytes
 * (spec 1, sections 2.6, 4.3).
 *
 * Elsewhere: sending. See object-response.ts and list-response.ts.
 *
 * Invariant: in the common case (JSON, stored version, whole object) nothing is parsed: the cached
 * bytes are shown, in a line.
 */
import { encodeCbor, encodeCborSteps } from '../apimachinery/codecs/cbor.ts';
import { indentedSteps } from '../apimachinery/codecs/indented-json.ts';
import { asLine, encodeJson, prettyIndent } from '../apimachinery/codecs/json.ts';
import { encodeProtobuf, encodeProtobufSteps } from '../apimachinery/codecs/protobuf.ts';
import { encodeYamlSteps } from '../apimachinery/codecs/yaml.ts';
import { protobufMediaTypes } from '../apimachinery/identity.ts';
import type {
  Negotiated,
  NegotiationOptions,
  NegotiationResult,
  SupportedType,
} from '../apimachinery/negotiation.ts';
import {
  cborType,
  negotiate,
  protobufType,
  supportedTypes,
  wantsPretty,
} from '../apimachinery/negotiation.ts';
import { decodeSteps, isLarge } from '../apimachinery/object-encoding.ts';
import { metaApiVersion, partialForm } from '../apimachinery/projection/partial-metadata.ts';
import type { TablePrinter } from '../apimachinery/projection/printer.ts';
import type { IncludeObject, TableForm } from '../apimachinery/projection/table.ts';
import { parseIncludeObject, tableForm } from '../apimachinery/projection/table.ts';
import { queryValue } from '../apimachinery/query.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import { partialMetadataType } from '../apimachinery/typed/meta-types.ts';
import type { ObjectSchema } from '../apimachinery/typed/type-schema.ts';
import type { Result } from '../registry/registry.ts';
import { ok, refused } from '../registry/registry.ts';
import { responseEncoder } from '../registry/versions.ts';
import type { ResponseEncoder } from '../registry/versions.ts';
import { assert } from '../stdx/assert.ts';
import { finished } from '../stdx/stepwise.ts';
import type { Steps } from '../stdx/stepwise.ts';
import { responseConverter } from './response-conversion.ts';
import type { ResponseConverter } from './response-conversion.ts';
import { unknownMediaType } from './other-identity.ts';
import type { ApiRequest, EndpointDeps, ResourceRequest } from './request.ts';

export interface Representation {
  readonly negotiated: Negotiated;
  readonly pretty: boolean;
  readonly includeObject: IncludeObject;
  /** From stored bytes to the bytes of one object in the version of the request. */
  readonly show: (bytes: Uint8Array) => Uint8Array;
  /** The same in parts. There where `show` may have to copy the object, or read it and write it
   * anew. */
  readonly showSteps: ((bytes: Uint8Array) => Steps<Uint8Array>) | undefined;
  /** There where somebody else has to be asked first: `show` is for what comes back. */
  readonly convert?: ResponseConverter | undefined;
  /** Fields of the request's kind; there when the format is protobuf. CBOR does without. */
  readonly schema: ObjectSchema | undefined;
  /** How the request's kind is shown in Tables. */
  readonly printer: TablePrinter | undefined;
}

/** What bodies at this kind, or its subresource, can be written in. */
export function bodyTypesOf(
  deps: EndpointDeps,
  { kind, resource }: Pick<ResourceRequest, 'kind' | 'resource'>,
): readonly SupportedType[] {
  return offeredTypes(deps, hasProtobuf(kind, resource.subresource));
}

/** Of a kind that users define its projections have a Protobuf form, and its scale; it has not. */
function hasProtobuf({ custom, schema }: KindInfo, subresource: string): boolean {
  return schema !== undefined || (custom !== undefined && subresource === 'scale');
}

function offeredTypes(deps: EndpointDeps, withProtobuf: boolean): readonly SupportedType[] {
  const offered = deps.features.cbor ? typesWithCbor : typesWithoutCbor;
  return offered.get(withProtobuf ? deps.identity.mediaTypes.protobuf : '') ?? supportedTypes;
}

/** By the name of Protobuf in the identity; '' for a kind that has no Protobuf form. */
function typesByProtobuf(
  more: readonly SupportedType[],
): ReadonlyMap<string, readonly SupportedType[]> {
  return new Map([
    ['', [...supportedTypes, ...more]],
    ...protobufMediaTypes.map((name): [string, readonly SupportedType[]] => [
      name,
      [...supportedTypes, protobufType(name), ...more],
    ]),
  ]);
}

const typesWithoutCbor = typesByProtobuf([]);
const typesWithCbor = typesByProtobuf([cborType]);

export function negotiateRepresentation(
  deps: EndpointDeps,
  request: ResourceRequest,
  options: {
    readonly projections: boolean;
    readonly stream?: boolean;
    readonly holds?: 'object' | 'list';
  },
): Result<Representation> {
  const { exchange, query, kind, resource } = request;
  const whole = hasProtobuf(kind, resource.subresource);
  const result = negotiateCached(exchange.header('accept'), {
    supported: offeredTypes(deps, whole || kind.custom !== undefined),
    wholeWithoutProtobuf: !whole,
    allowTable: options.projections,
    allowPartial: options.projections,
    domain: deps.identity.domain,
    stream: options.stream,
    holds: options.holds,
  });
  if (result.kind === 'refused') {
    return refused(unknownMediaType(deps.identity, exchange.header('accept'), result.error));
  }
  const include = parseIncludeObject(queryValue(query, 'includeObject'));
  if (include.kind === 'refused') return refused(include.error);
  const convert = responseConverter(kind);
  return ok({
    convert,
    negotiated: result.negotiated,
    pretty: result.negotiated.pretty || prettyByRequest(request),
    includeObject: include.includeObject,
    show: convert === undefined ? encoderOf(kind).encode : asConverted,
    showSteps: convert === undefined && mayConvert(kind) ? encoderOf(kind).encodeSteps : undefined,
    schema: kind.schema,
    printer: kind.table,
  });
}

/** Few clients, few headers: what an Accept means is worked out once for each list of offered
 * types and each use. Emptied when full. */
const negotiations = new WeakMap<readonly SupportedType[], Map<number, Negotiations>>();
const negotiationsMax = 512;
const acceptBytesMax = 1024;

interface Negotiations {
  readonly domain: string;
  readonly byAccept: Map<string | undefined, NegotiationResult>;
}

function negotiateCached(
  accept: string | undefined,
  options: NegotiationOptions,
): NegotiationResult {
  if (accept !== undefined && accept.length > acceptBytesMax) return negotiate(accept, options);
  const { byAccept } = negotiationsFor(options);
  const before = byAccept.get(accept);
  if (before !== undefined) return before;
  const result = negotiate(accept, options);
  if (byAccept.size >= negotiationsMax) byAccept.clear();
  byAccept.set(accept, result);
  return result;
}

function negotiationsFor(options: NegotiationOptions): Negotiations {
  const { domain, supported } = options;
  let uses = negotiations.get(supported);
  if (uses === undefined) {
    uses = new Map();
    negotiations.set(supported, uses);
  }
  const use = useOf(options);
  let known = uses.get(use);
  if (known?.domain !== domain) {
    known = { domain, byAccept: new Map() };
    uses.set(use, known);
  }
  return known;
}

/** All else that the result depends on, as a number: every request asks. */
function useOf(options: NegotiationOptions): number {
  const { allowPartial, allowTable, holds, stream, wholeWithoutProtobuf } = options;
  const held = holds === undefined ? 0 : holds === 'object' ? 1 : 2;
  return (
    (stream === true ? 1 : 0) +
    (allowTable ? 2 : 0) +
    (allowPartial ? 4 : 0) +
    (wholeWithoutProtobuf === true ? 8 : 0) +
    held * 16
  );
}

/** Whether JSON is indented, whatever the Accept header says. */
export function prettyByRequest(request: Pick<ApiRequest, 'exchange' | 'query'>): boolean {
  return wantsPretty(queryValue(request.query, 'pretty'), request.exchange.header('user-agent'));
}

const asConverted = (bytes: Uint8Array): Uint8Array => bytes;

/** What users define may be stored in another version than the one that is marked for it. In
 * another version an object of the same shape is copied, which takes long where it is large. */
function mayConvert({ conversions, custom, storageVersion, version }: KindInfo): boolean {
  return storageVersion !== version || (conversions !== undefined && custom !== undefined);
}

/** Made once for each kind: every request asks. */
const encoders = new WeakMap<KindInfo, ResponseEncoder>();

function encoderOf(kind: KindInfo): ResponseEncoder {
  const known = encoders.get(kind);
  if (known !== undefined) return known;
  const made = responseEncoder(kind);
  encoders.set(kind, made);
  return made;
}

/** The Table form for this request; the objects in its rows are in the request's version. */
export function tableFormOf(
  deps: EndpointDeps,
  version: 'v1' | 'v1beta1',
  { includeObject, printer }: Pick<Representation, 'includeObject' | 'printer'>,
): TableForm {
  const nowMs = () => deps.clock.nowMs();
  return tableForm({ domain: deps.identity.domain, version, includeObject, printer, nowMs });
}

/** One object as negotiated. `bytes` are stamped and in the stored version. */
export function renderObject(
  deps: EndpointDeps,
  representation: Representation,
  bytes: Uint8Array,
  resourceVersion: string,
): Uint8Array {
  return finished(renderSteps(deps, representation, bytes, resourceVersion));
}

/** `show` of the representation, in parts where it takes long. */
export function* shownSteps(
  { show, showSteps }: Pick<Representation, 'show' | 'showSteps'>,
  bytes: Uint8Array,
): Steps<Uint8Array> {
  return showSteps === undefined ? show(bytes) : yield* showSteps(bytes);
}

/** renderObject() in parts, for a large object. */
export function* renderSteps(
  deps: EndpointDeps,
  representation: Representation,
  bytes: Uint8Array,
  resourceVersion: string,
): Steps<Uint8Array> {
  const { negotiated, pretty, schema } = representation;
  const shown = yield* shownSteps(representation, bytes);
  if (shown !== bytes) yield;
  const { projection } = negotiated;
  switch (projection.kind) {
    case 'none':
      return yield* inFormatSteps(shown, negotiated, pretty, schema);
    case 'partial': {
      const form = partialForm({ domain: deps.identity.domain, version: projection.version });
      return yield* inFormatSteps(form.project(shown), negotiated, pretty, partialMetadataType);
    }
    case 'table': {
      const form = tableFormOf(deps, projection.version, representation);
      const table = yield* form.tableSteps(shown, resourceVersion);
      return yield* inFormatSteps(table, negotiated, pretty, undefined);
    }
  }
}

/** JSON bytes as a line, indented, as YAML, or as Protobuf or CBOR of this schema. */
export function inFormat(
  json: Uint8Array,
  negotiated: Negotiated,
  pretty: boolean,
  schema: ObjectSchema | undefined,
): Uint8Array {
  return finished(inFormatSteps(json, negotiated, pretty, schema));
}

function* inFormatSteps(
  json: Uint8Array,
  { format }: Negotiated,
  pretty: boolean,
  schema: ObjectSchema | undefined,
): Steps<Uint8Array> {
  if (format === 'json' && !pretty) return asLine(json);
  const object = yield* decodeSteps(json);
  yield;
  switch (format) {
    case 'json':
      if (isLarge(json)) return yield* indentedSteps(object, prettyIndent);
      return encodeJson(object, true);
    case 'yaml':
      return yield* encodeYamlSteps(object);
    case 'protobuf':
      assert(schema !== undefined, 'protobuf is negotiated for what has a schema');
      if (isLarge(json)) return yield* encodeProtobufSteps(schema, object, json.length);
      return encodeProtobuf(schema, object);
    case 'cbor':
      if (isLarge(json)) return yield* encodeCborSteps(object, schema, json.length);
      return encodeCbor(object, schema);
  }
}

/** apiVersion of the projections, for lists. */
export function metaVersionOf(deps: EndpointDeps, version: 'v1' | 'v1beta1'): string {
  return metaApiVersion({ domain: deps.identity.domain, version });
}
