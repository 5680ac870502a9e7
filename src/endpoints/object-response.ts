/** One object as a response (spec 1, section 4.3). Lists and streams have their own modules. */
import {
  acceptsGzip,
  gzipAnswer,
  gzipHeaders,
  gzipThresholdBytes,
} from '../apimachinery/codecs/gzip.ts';
import { bytesAtOnceMax } from '../apimachinery/object-cost.ts';
import { StatusError } from '../apimachinery/status-error.ts';
import { uncached } from '../transport/cache-policy.ts';
import type { Header } from '../transport/http-exchange.ts';
import { bodyAnswer, objectAnswer } from './answer.ts';
import type { BodyAnswer, ObjectAnswer } from './answer.ts';
import type { Representation } from './representation.ts';
import { objectInTurns } from './object-in-turns.ts';
import { renderObject, renderSteps } from './representation.ts';
import type { AnsweredRequest, EndpointDeps } from './request.ts';
import type { ResponseConverter } from './response-conversion.ts';
import { sendStatusError } from './status-response.ts';
import { warningHeaders } from './warnings.ts';

/** Undefined: it has been sent. Most answers are sent at once, without a promise. */
export type Sending = Promise<void> | undefined;

export function sendObject(
  deps: EndpointDeps,
  request: AnsweredRequest,
  answer: ObjectAnswer,
): Sending {
  const { object, representation, status } = answer;
  const { bytes } = object;
  const { convert } = representation;
  if (convert !== undefined) return sendConverted(deps, request, answer, convert);
  const isAsIs = representation.showSteps === undefined && isShownInJson(representation);
  if (bytes.length > bytesAtOnceMax && !isAsIs) {
    return sendLarge(deps, request, answer);
  }
  const body = renderObject(deps, representation, bytes, versionOf(object));
  return sendBody(deps, request, bodyAnswer(status, representation.negotiated.mediaType, body));
}

/** If this is the answer to a write, the object has been written although it cannot be converted
 * for the answer. */
async function sendConverted(
  deps: EndpointDeps,
  request: AnsweredRequest,
  { object, representation, status }: ObjectAnswer,
  convert: ResponseConverter,
): Promise<void> {
  const { bytes, revision } = object;
  const converted = await convert([bytes], request.exchange);
  if (converted instanceof StatusError) {
    return sendStatusError(request.exchange, converted, request.warnings);
  }
  const [shown = bytes] = converted;
  const own = { ...representation, convert: undefined };
  await sendObject(deps, request, objectAnswer(status, own, { bytes: shown, revision }));
}

/** As it is stored, perhaps in another version. */
function isShownInJson({ negotiated, pretty }: Representation): boolean {
  return negotiated.format === 'json' && negotiated.projection.kind === 'none' && !pretty;
}

async function sendLarge(
  deps: EndpointDeps,
  request: AnsweredRequest,
  { object, representation, status }: ObjectAnswer,
): Promise<void> {
  const steps = renderSteps(deps, representation, object.bytes, versionOf(object));
  const body = await objectInTurns(deps, request.exchange, object.bytes, steps);
  if (body === undefined) return;
  await sendBody(deps, request, bodyAnswer(status, representation.negotiated.mediaType, body));
}

/** The result of a dry run has no resourceVersion. */
function versionOf({ revision }: { readonly revision: bigint }): string {
  return revision === 0n ? '' : revision.toString();
}

/** A body that is complete in memory, gzipped when that is worth it and the client takes it. */
export function sendBody(
  deps: EndpointDeps,
  request: AnsweredRequest,
  { body, mediaType, status }: BodyAnswer,
): Sending {
  const headers = bodyHeaders(request, mediaType);
  if (body.length >= gzipThresholdBytes && compresses(deps, request)) {
    const packing = gzipAnswer(body);
    if (packing !== undefined) return sendPacked(request, status, headers, packing);
  }
  request.exchange.send(status, headers, body);
  return undefined;
}

async function sendPacked(
  request: AnsweredRequest,
  status: number,
  headers: readonly Header[],
  packing: Promise<Uint8Array>,
): Promise<void> {
  const packed = await packing;
  request.exchange.send(status, [...headers, ...gzipHeaders], packed);
}

export function bodyHeaders(
  request: Pick<AnsweredRequest, 'warnings'>,
  mediaType: string,
): Header[] {
  return [['Content-Type', mediaType], uncached, ...warningHeaders(request.warnings)];
}

/** Only answers to reads are compressed. */
export function compresses(deps: EndpointDeps, request: AnsweredRequest): boolean {
  return (
    deps.features.responseCompression &&
    request.exchange.method === 'GET' &&
    acceptsGzip(request.exchange.header('accept-encoding'))
  );
}
