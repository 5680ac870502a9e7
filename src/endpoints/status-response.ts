/**
 * Status answers: every failure, and the success of a delete (spec 1, section 7).
 *
 * Invariants: the body is always a Status object in JSON or, when the client asked for it, YAML; a
 * retry hint in the details is also the Retry-After header; text that came from a client cannot be
 * taken for markup (nosniff).
 */
import { encodeJson } from '../apimachinery/codecs/json.ts';
import { encodeYaml } from '../apimachinery/codecs/yaml.ts';
import type { StatusError } from '../apimachinery/status-error.ts';
import type { JsonObject } from '../apimachinery/unstructured.ts';
import type { Header, HttpExchange } from '../transport/http-exchange.ts';
import { warningHeaders } from './warnings.ts';

export function sendStatusError(
  exchange: HttpExchange,
  error: StatusError,
  warnings: readonly string[] = [],
): void {
  const retryAfter = error.details?.retryAfterSeconds;
  const headers: Header[] = [['X-Content-Type-Options', 'nosniff'], ...warningHeaders(warnings)];
  if (retryAfter !== undefined && retryAfter > 0) {
    headers.push(['Retry-After', String(retryAfter)]);
  }
  if (error.code === 401) headers.push(['WWW-Authenticate', 'Bearer']);
  sendDocument(exchange, error.code, error.toStatus(), headers);
}

/** A small document in the client's text form, outside of content negotiation: never 406. */
export function sendDocument(
  exchange: HttpExchange,
  status: number,
  document: JsonObject,
  headers: readonly Header[],
): void {
  const yaml = (exchange.header('accept') ?? '').startsWith('application/yaml');
  const body = yaml ? encodeYaml(document) : encodeJson(document);
  const type = yaml ? 'application/yaml' : 'application/json';
  exchange.send(status, [['Content-Type', type], ...headers], body);
}
