/** One object as a response (spec 1, section 4.3). Lists and streams have their own modules. */
import {
  acceptsGzip,
  gzipBytes,
  gzipHeaders,
  gzipThresholdBytes,
} from '../apimachinery/codecs/gzip.ts';
import type { Header } from '../transport/http-exchange.ts';
import type { Representation } from './representation.ts';
import { renderObject } from './representation.ts';
import type { ApiRequest, EndpointDeps } from './request.ts';
import { warningHeaders } from './warnings.ts';

/** Undefined: it has been sent. Most answers are, and a promise would be one of a dozen more. */
export type Sending = Promise<void> | undefined;

/** `bytes`: stamped, in the stored version. */
export function sendObject(
  deps: EndpointDeps,
  request: ApiRequest,
  status: number,
  representation: Representation,
  object: { readonly bytes: Uint8Array; readonly revision: bigint },
): Sending {
  // What a dry run makes has no version.
  const version = object.revision === 0n ? '' : object.revision.toString();
  const body = renderObject(deps, representation, object.bytes, version);
  return sendBody(deps, request, status, representation.negotiated.mediaType, body);
}

/** A body that is complete in memory, gzipped when that is worth it and the client takes it. */
export function sendBody(
  deps: EndpointDeps,
  request: ApiRequest,
  status: number,
  mediaType: string,
  body: Uint8Array,
): Sending {
  const headers = bodyHeaders(request, mediaType);
  if (body.length >= gzipThresholdBytes && compresses(deps, request)) {
    return sendPacked(request, status, headers, body);
  }
  request.exchange.send(status, headers, body);
  return undefined;
}

async function sendPacked(
  request: ApiRequest,
  status: number,
  headers: readonly Header[],
  body: Uint8Array,
): Promise<void> {
  const packed = await gzipBytes(body);
  request.exchange.send(status, [...headers, ...gzipHeaders], packed);
}

export function bodyHeaders(request: ApiRequest, mediaType: string): Header[] {
  return [
    ['Content-Type', mediaType],
    ['Cache-Control', 'no-cache, private'],
    ...warningHeaders(request.warnings),
  ];
}

/** Only answers to reads are compressed. */
export function compresses(deps: EndpointDeps, request: ApiRequest): boolean {
  return (
    deps.features.responseCompression &&
    request.exchange.method === 'GET' &&
    acceptsGzip(request.exchange.header('accept-encoding'))
  );
}
