/**
 * The HTTP client of the tests: a request, and its answer whole or as it comes. In the clear or over
 * TLS, as the URL says; on a connection of its own, unless an agent is given.
 *
 * What it is not: for load (http-connection.ts), for bytes that no client would send and framing
 * that none would forgive (raw-http.ts).
 */
import { request as requestPlain } from 'node:http';
import type { Agent, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { request as requestSecure } from 'node:https';
import type { SecureVersion } from 'node:tls';
import type { JsonObject } from '../../../src/apimachinery/unstructured.ts';

export interface HttpRequest {
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string | string[]>> | undefined;
  /** An object is sent as JSON; text and bytes as they are. */
  readonly body?: object | string | Uint8Array | undefined;
  readonly token?: string | undefined;
  readonly tls?: TlsOptions | undefined;
  readonly agent?: Agent | undefined;
  /** Ends the connection, whatever has come. */
  readonly signal?: AbortSignal | undefined;
}

/** PEM. Without a CA the server may be anybody. */
export interface TlsOptions {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly maxVersion?: SecureVersion;
}

export interface HttpReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  /** The parsed JSON body; throws when it is none. */
  readonly body: JsonObject;
}

/** Resolves with the head. `target`: as it is to be sent; a URL would tidy it up. */
export function openResponse(
  url: string,
  target: string,
  { agent, body, method = 'GET', signal, tls, token, headers = {} }: HttpRequest = {},
): Promise<IncomingMessage> {
  const { hostname: host, port, protocol } = new URL(url);
  const json = typeof body === 'object' && !(body instanceof Uint8Array);
  const payload = json ? JSON.stringify(body) : body;
  const own: Record<string, string> = json ? { 'content-type': 'application/json' } : {};
  // Node leaves the length out of a DELETE, and the body would look like the next request.
  if (payload !== undefined) own['content-length'] = String(Buffer.byteLength(payload));
  if (token !== undefined) own['authorization'] = `Bearer ${token}`;
  const to = { host, port, path: target, method, agent: agent ?? false, ...(signal && { signal }) };
  const options = { ...to, headers: { ...own, ...headers } };
  return new Promise((resolve, reject) => {
    const request =
      protocol === 'https:'
        ? requestSecure({ ...options, rejectUnauthorized: tls?.ca !== undefined, ...tls })
        : requestPlain(options);
    request.on('response', resolve).on('error', reject);
    request.end(payload);
  });
}

export async function exchange(
  url: string,
  target: string,
  request?: HttpRequest,
): Promise<HttpReply> {
  return wholeReply(await openResponse(url, target, request));
}

/** The status alone; 0: there was no answer, or not all of it. */
export async function statusOf(
  url: string,
  target: string,
  request?: HttpRequest,
): Promise<number> {
  try {
    const response = await openResponse(url, target, request);
    // Not kept: it may be long.
    for await (const _ of response);
    return response.statusCode ?? 0;
  } catch {
    return 0;
  }
}

async function wholeReply(response: IncomingMessage): Promise<HttpReply> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const text = bytes.toString('utf8');
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    bytes,
    text,
    get body() {
      return JSON.parse(text) as JsonObject;
    },
  };
}
