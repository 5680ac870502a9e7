/**
 * OpenAPI as documents with a name, a hash and several encodings (spec 1, sections 4 and 8).
 *
 *     /openapi/v2                          everything, OpenAPI 2.0
 *     /openapi/v3                          the index: path ▶ URL with the hash of its document
 *     /openapi/v3/apis/apps/v1[?hash=H]    one group version, OpenAPI 3.0
 *
 * What it is not: sending. Invariants: nothing is made before it is asked for; what has been made
 * is kept as gzip only, the form that clients take; the hash is the SHA-512 of the document's JSON,
 * so a URL with it names one content for ever; a document is made anew when what it is made of has
 * changed, and no other with it. Each is made in steps, between which other requests get their
 * turn. Bound: one entry per document and encoding.
 */
import { createHash } from 'node:crypto';
import { gunzipBytes, gzipBytes } from '../../apimachinery/codecs/gzip.ts';
import { parseAccept } from '../../apimachinery/negotiation.ts';
import type { OpenApiDocuments } from '../../apimachinery/openapi/documents.ts';
import { encodeOpenApiV2, encodeOpenApiV3 } from '../../apimachinery/openapi/protobuf-document.ts';
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { runStepwise } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { Turns } from '../../stdx/turns.ts';

export interface OpenApiRequest {
  /** As requested; a trailing slash does not matter. */
  readonly path: string;
  readonly accept: string | undefined;
  /** The query parameter `hash`. */
  readonly hash: string | undefined;
  readonly gzip: boolean;
}

export type OpenApiResult =
  | { readonly kind: 'document'; readonly document: OpenApiDocument }
  /** The document has another hash by now. */
  | { readonly kind: 'redirect'; readonly location: string }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'not-acceptable'; readonly accepted: readonly string[] };

export interface OpenApiDocument {
  readonly body: Uint8Array;
  readonly gzipped: boolean;
  readonly contentType: string;
  /** Quoted. */
  readonly etag: string;
  /** It was asked for by its hash. */
  readonly immutable: boolean;
}

export interface OpenApi {
  find(request: OpenApiRequest): Promise<OpenApiResult>;
}

export interface OpenApiOptions {
  readonly documents: OpenApiDocuments;
  /** Documents are made in steps: those of all definitions of a group are many megabytes. */
  readonly turns: Pick<Turns, 'run' | 'pause'>;
}

interface Kept {
  readonly packed: Uint8Array;
  /** Of the JSON form. */
  readonly hash: string;
  /** The document as it is: one copy for all its readers, for as long as there are any. */
  readonly plain: () => Promise<Uint8Array>;
}

type Encoding = 'json' | 'protobuf';

export function makeOpenApi(options: OpenApiOptions): OpenApi {
  const { documents } = options;
  const kept = new Map<string, { readonly source: unknown; readonly made: Promise<Kept> }>();
  /** Concurrent requests for one document share its making; a failed one is not remembered. */
  const keep = (name: string, source: unknown, make: () => Promise<Kept>): Promise<Kept> => {
    const known = kept.get(name);
    if (known !== undefined && known.source === source) return known.made;
    const made = make();
    const entry = { source, made };
    kept.set(name, entry);
    made.catch(() => kept.get(name) === entry && kept.delete(name));
    return made;
  };
  const v3Of = (path: string, encoding: Encoding) =>
    keep(`v3 ${encoding} ${path}`, documents.sourceOf(path), () => makeV3(options, path, encoding));
  const v2Of = (encoding: Encoding) =>
    keep(`v2 ${encoding}`, documents.generation, () => makeV2(options, encoding));
  const index = () =>
    keep('index', documents.generation, async () => {
      const paths: Record<string, JsonObject> = {};
      for (const path of documents.paths) {
        // It may have gone since.
        if (documents.sourceOf(path) === undefined) continue;
        const { hash } = await v3Of(path, 'json');
        paths[path] = { serverRelativeURL: urlOf(path, hash) };
        await options.turns.pause();
      }
      forgetOthers();
      return packed(options, { paths });
    });
  /** Documents of what is no longer served. */
  const forgetOthers = (): void => {
    for (const name of kept.keys()) {
      const [kind, , path = ''] = name.split(' ');
      if (kind === 'v3' && documents.sourceOf(path) === undefined) kept.delete(name);
    }
  };

  return {
    async find(request) {
      const path = request.path.replace(/\/$/, '');
      if (path === '/openapi/v2') {
        const chosen = chooseEncoding(request.accept, 'v2');
        if (chosen === undefined) return notAcceptable('v2');
        return answer(await v2Of(chosen.encoding), chosen.contentType, request, false);
      }
      if (path === '/openapi/v3') {
        return answer(await index(), 'application/json', request, false);
      }
      const section = path.startsWith('/openapi/v3/') ? path.slice('/openapi/v3/'.length) : '';
      if (documents.sourceOf(section) === undefined) return { kind: 'not-found' };
      const chosen = chooseEncoding(request.accept, 'v3');
      if (chosen === undefined) return notAcceptable('v3');
      const document = await v3Of(section, chosen.encoding);
      const { hash } = request;
      if (hash !== undefined && hash !== document.hash) {
        return { kind: 'redirect', location: urlOf(section, document.hash) };
      }
      return answer(document, chosen.contentType, request, hash !== undefined);
    },
  };
}

function urlOf(path: string, hash: string): string {
  return `/openapi/v3/${path}?hash=${hash}`;
}

async function answer(
  document: Kept,
  contentType: string,
  request: OpenApiRequest,
  immutable: boolean,
): Promise<OpenApiResult> {
  const body = request.gzip ? document.packed : await document.plain();
  const etag = `"${document.hash}"`;
  const { gzip: gzipped } = request;
  return { kind: 'document', document: { body, gzipped, contentType, etag, immutable } };
}

async function makeV3(options: OpenApiOptions, path: string, encoding: Encoding): Promise<Kept> {
  const document = (await inSteps(options, options.documents.v3(path))) ?? {};
  if (encoding === 'json') return packed(options, document);
  return packed(options, document, await inSteps(options, encodeOpenApiV3(document)));
}

async function makeV2(options: OpenApiOptions, encoding: Encoding): Promise<Kept> {
  const document = await inSteps(options, options.documents.v2());
  if (encoding === 'json') return packed(options, document);
  return packed(options, document, await inSteps(options, encodeOpenApiV2(document)));
}

/** Whoever asked may have gone: the next one asks for the same. */
async function inSteps<T>({ turns }: OpenApiOptions, work: Steps<T>): Promise<T> {
  return (await runStepwise(turns, work, () => false)) as T;
}

/** `body` undefined: the JSON itself, of which the hash is in any case. */
async function packed(
  options: OpenApiOptions,
  document: JsonObject,
  body?: Uint8Array,
): Promise<Kept> {
  const { hash, json } = await inSteps(options, hashedJson(document));
  const bytes = await gzipBytes(body ?? json);
  return { packed: bytes, hash, plain: unpacking(bytes) };
}

/** In one step. */
const stepCharacters = 128 * 1024;
/** Members this deep are written one by one: `components.schemas.NAME`. */
const depthMax = 3;

function* hashedJson(document: JsonObject): Steps<{ json: Uint8Array; hash: string }> {
  const hash = createHash('sha512');
  const pieces: Uint8Array[] = [];
  let text = '';
  for (const piece of jsonPieces(document, depthMax)) {
    text += piece;
    if (text.length < stepCharacters) continue;
    const bytes = Buffer.from(text, 'utf8');
    hash.update(bytes);
    pieces.push(bytes);
    text = '';
    yield;
  }
  const last = Buffer.from(text, 'utf8');
  pieces.push(last);
  const digest = hash.update(last).digest('hex').toUpperCase();
  return { json: Buffer.concat(pieces), hash: digest };
}

/** What JSON.stringify gives, in pieces. */
function* jsonPieces(value: JsonValue, depth: number): Generator<string, void> {
  if (depth === 0 || !isJsonObject(value)) return yield JSON.stringify(value);
  let before = '{';
  for (const [name, member] of Object.entries(value)) {
    // As there: it is not written.
    if (member === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    yield* jsonPieces(member, depth - 1);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

function unpacking(bytes: Uint8Array): Kept['plain'] {
  let held: WeakRef<Uint8Array> | undefined;
  let underWay: Promise<Uint8Array> | undefined;
  const unpack = async (): Promise<Uint8Array> => {
    try {
      const plain = await gunzipBytes(bytes);
      held = new WeakRef(plain);
      return plain;
    } finally {
      underWay = undefined;
    }
  };
  return async () => held?.deref() ?? (underWay ??= unpack());
}

/** The name with an @ is what clients send and no media type can be; the answer has a dot. */
function protobufName(version: 'v2' | 'v3'): string {
  return `com.github.proto-openapi.spec.${version}.v1.0+protobuf`;
}

function chooseEncoding(
  accept: string | undefined,
  version: 'v2' | 'v3',
): { readonly encoding: Encoding; readonly contentType: string } | undefined {
  const protobuf = protobufName(version);
  const header = accept === undefined || accept.trim() === '' ? '*/*' : accept;
  for (const { type, subtype, q } of parseAccept(header.replaceAll('@', '.'))) {
    if (q === 0 || (type !== 'application' && type !== '*')) continue;
    if (subtype === 'json' || subtype === '*') {
      return { encoding: 'json', contentType: 'application/json' };
    }
    if (subtype === protobuf) {
      return { encoding: 'protobuf', contentType: `application/${protobuf}` };
    }
  }
  return undefined;
}

function notAcceptable(version: 'v2' | 'v3'): OpenApiResult {
  const accepted = ['application/json', `application/${protobufName(version)}`];
  return { kind: 'not-acceptable', accepted };
}
