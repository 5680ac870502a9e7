/**
 * A list as a response: bytes that already exist, put together as the socket takes them
 * (spec 1, sections 2.3, 4.9).
 *
 *   small  ──▶ one buffer, Content-Length
 *   large  ──▶ chunks of `listChunkBytes`, the next made when the last was taken
 *
 * What it is not: one object as a response (object-response.ts), or a stream of events
 * (handlers/watch.ts).
 *
 * Invariants: memory does not depend on the size of the collection (except for indented, YAML,
 * CBOR and Protobuf lists, which are built whole). A client that goes away stops the work.
 */
import { encodeMessage } from '../apimachinery/codecs/protobuf-encode.ts';
import { encodeContinueToken } from '../apimachinery/continue-token.ts';
import { gzipChunks, gzipHeaders } from '../apimachinery/codecs/gzip.ts';
import type { ListFrame, ListItem, ListMeta } from '../apimachinery/list-body.ts';
import {
  listBody,
  listFrame,
  packList,
  projectItems,
  tableFrame,
} from '../apimachinery/list-body.ts';
import { decodeObject } from '../apimachinery/object-encoding.ts';
import { partialForm } from '../apimachinery/projection/partial-metadata.ts';
import { protobufList } from '../apimachinery/protobuf-list.ts';
import { formatGroupVersion } from '../apimachinery/schema.ts';
import { metaTypes, partialMetadataType } from '../apimachinery/typed/meta-types.ts';
import type { ObjectSchema } from '../apimachinery/typed/type-schema.ts';
import type { ListResult } from '../registry/registry.ts';
import { continueStart } from '../registry/read.ts';
import { assert } from '../stdx/assert.ts';
import type { Header, HttpExchange } from '../transport/http-exchange.ts';
import { bodyHeaders, compresses, sendBody } from './object-response.ts';
import type { Representation } from './representation.ts';
import { inFormat, metaVersionOf, tableFormOf } from './representation.ts';
import type { EndpointDeps, ResourceRequest } from './request.ts';

/** What is sent in one write of a long list. */
const listChunkBytes = 256 * 1024;
/** Lists up to this size are sent whole, with their length. */
const wholeListBytesMax = 128 * 1024;

/** What is sent of a list. Without a revision: nothing of it is stored. */
export interface SentList extends Pick<
  ListResult,
  'entries' | 'continueAfter' | 'remainingItemCount'
> {
  readonly revision: ListResult['revision'] | undefined;
}

export async function sendList(
  deps: EndpointDeps,
  request: ResourceRequest,
  representation: Representation,
  list: SentList,
): Promise<void> {
  const { negotiated, pretty } = representation;
  const { mediaType } = negotiated;
  if (negotiated.format === 'protobuf') {
    const body = protobufBody(deps, request, representation, list);
    return sendBody(deps, request, 200, mediaType, body);
  }
  const { frame, items } = layout(deps, request, representation, list);
  if (negotiated.format !== 'json' || pretty || request.exchange.method === 'HEAD') {
    const whole = negotiated.projection.kind === 'none';
    const schema = whole ? request.kind.listSchema : undefined;
    const body = inFormat(listBody(frame, [...items]), negotiated, pretty, schema);
    return sendBody(deps, request, 200, mediaType, body);
  }
  const iterator = items[Symbol.iterator]();
  const first: ListItem[] = [];
  let bytes = 0;
  let next = iterator.next();
  for (; next.done !== true && bytes < wholeListBytesMax; next = iterator.next()) {
    first.push(next.value);
    bytes += next.value.bytes.length;
  }
  if (next.done === true) {
    return sendBody(deps, request, 200, mediaType, listBody(frame, first));
  }
  const headers = bodyHeaders(request, mediaType);
  const compressed = compresses(deps, request);
  const chunks = packList(frame, resumed([...first, next.value], iterator), {
    chunkBytes: listChunkBytes,
    reuse: !compressed,
  });
  if (!compressed) return pump(request.exchange, headers, chunks);
  return pumpAsync(request.exchange, [...headers, ...gzipHeaders], gzipChunks(chunks));
}

/** Each entry is parsed and encoded: the cache holds JSON. */
function protobufBody(
  deps: EndpointDeps,
  request: ResourceRequest,
  { schema, show, negotiated }: Representation,
  list: SentList,
): Uint8Array {
  const { kind } = request;
  const { projection } = negotiated;
  const encodeAll = (type: ObjectSchema, shown: (bytes: Uint8Array) => Uint8Array) =>
    Array.from(list.entries, (entry) => encodeMessage(type, decodeObject(shown(entry.bytes))));
  if (projection.kind !== 'partial') {
    assert(schema !== undefined && kind.listSchema !== undefined, 'the kind has a schema');
    const meta = listMeta(deps, request, list, kind.listKind, formatGroupVersion(kind));
    return protobufList(kind.listSchema, meta, encodeAll(schema, show));
  }
  const { version } = projection;
  const form = partialForm({ domain: deps.identity.domain, version });
  const listSchema = metaTypes.object(`meta/${version}.${form.listKind}`);
  const meta = listMeta(deps, request, list, form.listKind, metaVersionOf(deps, version));
  const projected = (bytes: Uint8Array) => form.project(show(bytes));
  return protobufList(listSchema, meta, encodeAll(partialMetadataType, projected));
}

interface ListLayout {
  readonly frame: ListFrame;
  readonly items: Iterable<ListItem>;
}

function layout(
  deps: EndpointDeps,
  request: ResourceRequest,
  representation: Representation,
  list: SentList,
): ListLayout {
  const { kind } = request;
  const { show, negotiated } = representation;
  const { projection } = negotiated;
  const shown = projectItems(list.entries, show);
  switch (projection.kind) {
    case 'none': {
      const meta = listMeta(deps, request, list, kind.listKind, formatGroupVersion(kind));
      return { frame: listFrame(meta), items: shown };
    }
    case 'partial': {
      const { version } = projection;
      const form = partialForm({ domain: deps.identity.domain, version });
      const apiVersion = metaVersionOf(deps, version);
      const meta = listMeta(deps, request, list, form.listKind, apiVersion);
      return { frame: listFrame(meta), items: projectItems(shown, form.project) };
    }
    case 'table': {
      const form = tableFormOf(deps, projection.version, representation);
      const meta = listMeta(deps, request, list, form.kind, form.apiVersion);
      return { frame: tableFrame(meta, form.columnsText), items: projectItems(shown, form.row) };
    }
  }
}

function listMeta(
  deps: EndpointDeps,
  request: ResourceRequest,
  list: SentList,
  kind: string,
  apiVersion: string,
): ListMeta {
  return {
    kind,
    apiVersion,
    resourceVersion: list.revision?.toString() ?? '',
    continue: continueTokenOf(deps, request, list),
    remainingItemCount: list.remainingItemCount,
  };
}

/** The token of the next page; undefined on the last one. */
export function continueTokenOf(
  deps: EndpointDeps,
  request: ResourceRequest,
  list: SentList,
): string | undefined {
  if (list.continueAfter === undefined || list.revision === undefined) return undefined;
  const target = { kind: request.kind, namespace: request.resource.namespace };
  return encodeContinueToken(deps.identity.groups.meta, {
    revision: list.revision,
    start: continueStart(target, list.continueAfter),
  });
}

/** What was taken already, then the rest. */
function resumed(first: readonly ListItem[], rest: Iterator<ListItem>): Iterable<ListItem> {
  let at = 0;
  const next = (): IteratorResult<ListItem> =>
    at < first.length ? { done: false, value: first[at++] as ListItem } : rest.next();
  return { [Symbol.iterator]: () => ({ next }) };
}

/** The first chunk follows at once, so the head needs no help. */
const preamble = new Uint8Array(0);

/** Writes until the socket is full, and goes on when it has drained. */
function pump(
  exchange: HttpExchange,
  headers: readonly Header[],
  chunks: Iterator<Uint8Array>,
): Promise<void> {
  const stream = exchange.stream(200, headers, preamble);
  return new Promise((resolve) => {
    exchange.onAbort(resolve);
    const fill = (): void => {
      while (!stream.closed) {
        const next = chunks.next();
        if (next.done === true) {
          stream.end();
          resolve();
          return;
        }
        if (!stream.write(next.value)) return stream.onDrain(fill);
      }
    };
    fill();
  });
}

async function pumpAsync(
  exchange: HttpExchange,
  headers: readonly Header[],
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  const stream = exchange.stream(200, headers, preamble);
  let wake: (() => void) | undefined;
  exchange.onAbort(() => wake?.());
  for await (const chunk of chunks) {
    if (stream.closed) return;
    if (stream.write(chunk)) continue;
    await new Promise<void>((resolve) => {
      wake = resolve;
      stream.onDrain(resolve);
    });
  }
  stream.end();
}
