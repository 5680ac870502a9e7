/**
 * Status answers: every failure, and the success of a delete (spec 1, section 7).
 *
 * Invariants: the body is always a Status object, in the encoding that the client prefers, in JSON
 * when there is none of them, and indented as other answers are; a retry hint in the details is
 * also the Retry-After header; text that came from a client cannot be taken for markup (nosniff).
 */
import { encodeCbor } from '../apimachinery/codecs/cbor.ts';
import { asLine, encodeJson } from '../apimachinery/codecs/json.ts';
import { encodeProtobuf } from '../apimachinery/codecs/protobuf.ts';
import { encodeYaml } from '../apimachinery/codecs/yaml.ts';
import { protobufMediaTypes } from '../apimachinery/identity.ts';
import {
  cborType,
  chooseType,
  protobufType,
  supportedTypes,
  wantsPretty,
} from '../apimachinery/negotiation.ts';
import type { BodyFormat, SupportedType } from '../apimachinery/negotiation.ts';
import { parseQuery, queryValue } from '../apimachinery/query.ts';
import { StatusError } from '../apimachinery/status-error.ts';
import { statusType } from '../apimachinery/typed/meta-types.ts';
import type { JsonObject } from '../apimachinery/unstructured.ts';
import { uncached } from '../transport/cache-policy.ts';
import type { Header, HttpExchange } from '../transport/http-exchange.ts';
import { warningHeaders } from './warnings.ts';

export function sendStatusError(
  exchange: HttpExchange,
  error: StatusError,
  warnings: readonly string[] = [],
): void {
  const retryAfter = error.details?.retryAfterSeconds;
  const headers: Header[] = [
    uncached,
    ['X-Content-Type-Options', 'nosniff'],
    ...warningHeaders(warnings),
  ];
  if (retryAfter !== undefined && retryAfter > 0) {
    headers.push(['Retry-After', String(retryAfter)]);
  }
  if (error.code === 401) headers.push(['WWW-Authenticate', 'Bearer']);
  sendStatus(exchange, error.code, error.toStatus(), headers);
}

/** Outside of content negotiation: never 406, and projections do not count. */
function sendStatus(
  exchange: HttpExchange,
  code: number,
  status: JsonObject,
  headers: readonly Header[],
): void {
  const offered = speakingCbor.has(exchange) ? statusTypesWithCbor : statusTypes;
  const chosen = chooseType(exchange.header('accept'), offered, () => true);
  const { mediaType, format } = chosen?.type ?? plainJson;
  // Only JSON is indented, and the query is read once more to know.
  const pretty = format === 'json' && (chosen?.pretty === true || isPrettyAsked(exchange));
  exchange.send(code, [['Content-Type', mediaType], ...headers], encode(status, format, pretty));
}

/** Of a query that cannot be read nothing counts: that may be what the answer says. */
function isPrettyAsked(exchange: HttpExchange): boolean {
  const query = parseQuery(exchange.query);
  const asked = query instanceof StatusError ? undefined : queryValue(query, 'pretty');
  return wantsPretty(asked, exchange.header('user-agent'));
}

const plainJson = { mediaType: 'application/json', format: 'json' } as const;

/** It may not be known yet what is asked for, or whether it exists: what any kind may offer. */
const statusTypes: readonly SupportedType[] = [
  ...supportedTypes,
  ...protobufMediaTypes.map(protobufType),
];

const statusTypesWithCbor: readonly SupportedType[] = [...statusTypes, cborType];

/** Errors come from everywhere, and most places know nothing of the server's features. */
const speakingCbor = new WeakSet<HttpExchange>();

/** The answer to this exchange may be in CBOR, an error too. */
export function allowCbor(exchange: HttpExchange): void {
  speakingCbor.add(exchange);
}

function encode(status: JsonObject, format: BodyFormat, pretty: boolean): Uint8Array {
  switch (format) {
    case 'json':
      return pretty ? encodeJson(status, true) : asLine(encodeJson(status));
    case 'yaml':
      return encodeYaml(status);
    case 'protobuf':
      return encodeProtobuf(statusType, status);
    case 'cbor':
      return encodeCbor(status);
  }
}
