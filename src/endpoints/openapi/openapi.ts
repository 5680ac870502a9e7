/**
 * OpenAPI as documents with a name, a hash and several encodings (spec 1, sections 4 and 8).
 *
 *     /openapi/v2                          everything, OpenAPI 2.0, of other servers, too
 *     /openapi/v3                          the index: path ▶ URL with the hash of its document
 *     /openapi/v3/apis/apps/v1[?hash=H]    one group version, OpenAPI 3.0; what other servers
 *                                          answer for is in the index, and asked of those
 *
 * Elsewhere: sending. Invariants: nothing is made before it is asked for; what has been made is
 * kept as gzip only, the form that clients take, or as the pieces of one (pieced-document.ts).
 * Readers share one copy while there are any, but of a document above `sharedBytesMax` as it is:
 * that is unpacked for each of them as he takes it, and never there as a whole. A URL with a hash
 * names one content for ever. The hash is the SHA-512 of the document's JSON or, where users define
 * all that is in it, of what that is made from: so the index makes none of these. A document is
 * made anew when what it is made of has changed, and no other with it; of one that is put together
 * of pieces only what has changed. Between the documents of the index, and within the larger ones,
 * other requests get their turn. Bound: one entry per document and encoding.
 */
import { createHash } from 'node:crypto';
import type { Aggregation } from '../../aggregation/aggregation.ts';
import { pathOf } from '../../aggregation/api-service.ts';
import { gunzipWhole, gzipBytes } from '../../apimachinery/codecs/gzip.ts';
import { joinedGzip, withoutSlack } from '../../apimachinery/codecs/joined-gzip.ts';
import type { PackedPart } from '../../apimachinery/codecs/joined-gzip.ts';
import { parseAccept } from '../../apimachinery/negotiation.ts';
import type { DocumentPiece, OpenApiDocuments } from '../../apimachinery/openapi/documents.ts';
import { encodeOpenApiV3 } from '../../apimachinery/openapi/protobuf-document.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { inSteps } from '../../stdx/in-steps.ts';
import { runToEnd } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { Turns } from '../../stdx/turns.ts';
import { turnToSend } from '../turn-to-send.ts';
import { hashedJson } from './hashed-json.ts';
import { pieceStore } from './pieced-document.ts';
import type { Encoding, PieceStore } from './pieced-document.ts';
import { remotePieces } from './remote-pieces.ts';

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

/** Larger documents are unpacked for each reader. */
const sharedBytesMax = 4 * 1024 * 1024;

export interface OpenApiDocument {
  /** Packed, but sent as what is in it. */
  readonly body: Uint8Array | { readonly packed: Uint8Array };
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
  /** Documents of other servers. */
  readonly aggregation: Pick<Aggregation, 'documents' | 'services'>;
  /** Documents are made in steps: the larger ones are many megabytes. */
  readonly turns: Pick<Turns, 'run' | 'pause'>;
}

type Turning = OpenApiOptions['turns'];

interface Kept {
  /** The same in every encoding. */
  readonly hash: string;
  readonly packed: () => Promise<Uint8Array>;
  /** As it is. */
  readonly plain: () => Promise<OpenApiDocument['body']>;
}

interface DocumentCache {
  /** Made once for a source. */
  cached(name: string, source: unknown, make: () => Promise<Kept>): Promise<Kept>;
  /** In steps: there may be thousands. */
  forget(isGone: (name: string) => boolean): Steps<void>;
}

function documentCache(): DocumentCache {
  const kept = new Map<string, { readonly source: unknown; readonly made: Promise<Kept> }>();
  /** Concurrent requests for one document share its making; a failed one is not remembered. */
  const cached = (name: string, source: unknown, make: () => Promise<Kept>): Promise<Kept> => {
    const known = kept.get(name);
    if (known !== undefined && known.source === source) return known.made;
    const made = make();
    const entry = { source, made };
    kept.set(name, entry);
    made.catch(() => kept.get(name) === entry && kept.delete(name));
    return made;
  };
  return {
    cached,
    forget: (isGone) => inSteps(kept.keys(), (name) => void (isGone(name) && kept.delete(name))),
  };
}

export function makeOpenApi(options: OpenApiOptions): OpenApi {
  const { aggregation, documents, turns } = options;
  const { cached, forget } = documentCache();
  const store = pieceStore((steps) => runToEnd(turns, steps));
  const v3Of = (path: string, encoding: Encoding): Promise<Kept> =>
    cached(`v3 ${encoding} ${path}`, documents.sourceOf(path), async () => {
      const pieces = documents.piecesOf(path);
      if (pieces === undefined) return makeV3(options, path, encoding);
      const form = { dialect: 'v3', encoding } as const;
      const parts = await store.assemble(form, documents.frame('v3'), pieces);
      return keptParts(turns, parts, await runToEnd(turns, hashOfStamps(pieces)));
    });
  const v2Of = v2Maker(options, cached, store);
  const index = (): Promise<Kept> =>
    cached('index', indexSource(options), async () => {
      const all = await runToEnd(turns, documents.paths());
      const hashes = await runToEnd(turns, hashesOfPieces(documents, all));
      for (const path of all) {
        if (hashes.has(path)) continue;
        hashes.set(path, (await v3Of(path, 'json')).hash);
        await turns.pause();
      }
      const paths: Record<string, JsonObject> = {};
      const putting = inSteps(all, (path) => {
        // It may have gone since.
        if (documents.sourceOf(path) === undefined) return undefined;
        paths[path] = { serverRelativeURL: urlOf(path, hashes.get(path) ?? '') };
        return undefined;
      });
      await runToEnd(turns, putting);
      // Documents of what is no longer served.
      const forgetting = forget((name) => {
        const [kind, , path = ''] = name.split(' ');
        return kind === 'v3' && documents.sourceOf(path) === undefined;
      });
      await runToEnd(turns, forgetting);
      await runToEnd(turns, remotePaths(aggregation, paths));
      const { hash, json } = await runToEnd(turns, hashedJson({ paths }));
      return keptOf(json, hash);
    });

  return {
    async find(request) {
      const path = request.path.replace(/\/$/, '');
      if (path === '/openapi/v2') {
        const chosen = chooseEncoding(request.accept, 'v2');
        if (chosen === undefined) return notAcceptable('v2');
        return answer(turns, await v2Of(chosen.encoding), chosen.contentType, request, false);
      }
      if (path === '/openapi/v3') {
        return answer(turns, await index(), 'application/json', request, false);
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
      return answer(turns, document, chosen.contentType, request, hash !== undefined);
    },
  };
}

/** The document of everything. */
function v2Maker(
  options: OpenApiOptions,
  cached: DocumentCache['cached'],
  store: PieceStore,
): (encoding: Encoding) => Promise<Kept> {
  const { aggregation, documents, turns } = options;
  const others = remotePieces((steps) => runToEnd(turns, steps));
  return (encoding) =>
    cached(`v2 ${encoding}`, v2Source(options), async () => {
      const [always, ...defined] = await runToEnd(turns, documents.piecesV2());
      if (always === undefined) throw new Error('there is no document of everything');
      const remote = await others.piecesOf(always, aggregation.documents.openApiV2());
      const first = await store.hashOf('v2', always);
      const form = { dialect: 'v2', encoding } as const;
      const more = [...defined, ...remote];
      const parts = await store.assemble(form, documents.frame('v2'), [always, ...more]);
      return keptParts(turns, parts, await runToEnd(turns, hashOfStamps(more, first)));
    });
}

function v2Source({ aggregation, documents }: OpenApiOptions): string {
  return `${documents.generation} ${aggregation.documents.openApiV2Generation}`;
}

/** Another one when the index may be another. */
function indexSource({ aggregation, documents }: OpenApiOptions): string {
  const { documents: remote, services } = aggregation;
  const others = services.isEmpty ? '' : `${services.generation} ${remote.openApiGeneration}`;
  return `${documents.generation} ${others}`;
}

/** What another server answers for is described by nobody else. */
function* remotePaths(
  { documents, services }: OpenApiOptions['aggregation'],
  paths: Record<string, JsonObject>,
): Steps<void> {
  yield* inSteps(services.remotes(), (service) => {
    const path = pathOf(service).slice(1);
    const url = documents.openApiOf(service);
    if (url === undefined) delete paths[path];
    else paths[path] = { serverRelativeURL: url };
    return undefined;
  });
}

/** Of the documents that are made of pieces: there may be thousands. */
function* hashesOfPieces(
  documents: OpenApiDocuments,
  paths: readonly string[],
): Steps<Map<string, string>> {
  const hashes = new Map<string, string>();
  for (const path of paths) {
    const pieces = documents.piecesOf(path);
    if (pieces !== undefined) hashes.set(path, yield* hashOfStamps(pieces));
    yield;
  }
  return hashes;
}

function urlOf(path: string, hash: string): string {
  return `/openapi/v3/${path}?hash=${hash}`;
}

async function answer(
  turns: Turning,
  document: Kept,
  contentType: string,
  request: OpenApiRequest,
  immutable: boolean,
): Promise<OpenApiResult> {
  const body = await (request.gzip ? document.packed() : document.plain());
  if (!('packed' in body)) await turnToSend(turns, body);
  const etag = `"${document.hash}"`;
  const { gzip: gzipped } = request;
  return { kind: 'document', document: { body, gzipped, contentType, etag, immutable } };
}

/** To the end: a client may have gone, but the next one asks for the same document. */
async function makeV3(options: OpenApiOptions, path: string, encoding: Encoding): Promise<Kept> {
  const document = (await runToEnd(options.turns, options.documents.v3(path))) ?? {};
  const { hash, json } = await runToEnd(options.turns, hashedJson(document));
  if (encoding === 'json') return keptOf(json, hash);
  return keptOf(await runToEnd(options.turns, encodeOpenApiV3(document)), hash);
}

/** `before`: what else the document is made of. */
function* hashOfStamps(pieces: readonly DocumentPiece[], before = ''): Steps<string> {
  const hash = createHash('sha512').update(before);
  yield* inSteps(pieces, ({ stamp }) => void hash.update(`\n${stamp}`));
  return hash.digest('hex').toUpperCase();
}

async function keptOf(body: Uint8Array, hash: string): Promise<Kept> {
  const packed = withoutSlack(await gzipBytes(body));
  const document = { bytes: body.byteLength, packed: () => Promise.resolve(packed) };
  return { hash, packed: document.packed, plain: plainOf(document, body) };
}

/** Of what is put together of parts, whenever somebody asks for it. */
function keptParts(turns: Turning, parts: readonly PackedPart[], hash: string): Kept {
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  const packed = shared(() => runToEnd(turns, joinedGzip(parts)));
  return { hash, packed, plain: plainOf({ bytes, packed }) };
}

/** `body`: as it is before it was packed. */
function plainOf(
  { bytes, packed }: Pick<Kept, 'packed'> & { readonly bytes: number },
  body?: Uint8Array,
): Kept['plain'] {
  if (bytes > sharedBytesMax) return async () => ({ packed: await packed() });
  return shared(async () => gunzipWhole(await packed(), bytes), body);
}

/** One copy for all who have it, for as long as anybody has. */
function shared<T extends object>(make: () => Promise<T>, first?: T): () => Promise<T> {
  let held = first && new WeakRef(first);
  let underWay: Promise<T> | undefined;
  const made = async (): Promise<T> => {
    try {
      const value = await make();
      held = new WeakRef(value);
      return value;
    } finally {
      underWay = undefined;
    }
  };
  return async () => held?.deref() ?? (underWay ??= made());
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
