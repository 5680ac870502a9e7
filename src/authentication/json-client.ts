/**
 * Small JSON exchanges with other servers: webhooks and issuers.
 *
 * What it is not: a general client. No redirect is followed (it could lead a credential elsewhere),
 * nothing is retried, and an error never repeats what was sent.
 *
 * Bounds: `timeoutMs` for the whole exchange, `answerBytesMax` of answer.
 */
import http from 'node:http';
import https from 'node:https';
import type { JsonValue } from '../apimachinery/unstructured.ts';
import type { Timers } from '../stdx/clock.ts';

export interface JsonServer {
  readonly url: string;
  /** PEM; undefined: the system's. */
  readonly ca?: string | undefined;
  readonly clientCertificate?: string | undefined;
  readonly clientKey?: string | undefined;
  /** The name in the server's certificate, where it is not the URL's. */
  readonly serverName?: string | undefined;
  /** Do not look at the server's certificate. */
  readonly insecure?: boolean | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface JsonExchange {
  readonly method: 'GET' | 'POST';
  readonly body?: JsonValue | undefined;
  readonly timeoutMs: number;
  readonly answerBytesMax: number;
}

export interface JsonAnswer {
  readonly status: number;
  /** Undefined: not JSON. */
  readonly body: JsonValue | undefined;
}

/** @throws Error when there was no answer in time, or too much of it. */
export function exchangeJson(
  server: JsonServer,
  exchange: JsonExchange,
  timers: Timers,
): Promise<JsonAnswer> {
  const url = new URL(server.url);
  const payload = exchange.body === undefined ? undefined : JSON.stringify(exchange.body);
  const options: https.RequestOptions = {
    method: exchange.method,
    headers: {
      accept: 'application/json',
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
      ...(payload === undefined ? {} : { 'content-length': Buffer.byteLength(payload) }),
      ...server.headers,
    },
    ca: server.ca,
    cert: server.clientCertificate,
    key: server.clientKey,
    rejectUnauthorized: server.insecure !== true,
    ...(server.serverName === undefined ? {} : { servername: server.serverName }),
  };
  return new Promise((resolve, reject) => {
    const start = url.protocol === 'https:' ? https.request : http.request;
    const request = start(url, options, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > exchange.answerBytesMax) request.destroy(new Error('the answer is too long'));
        else chunks.push(chunk);
      });
      response.on('error', reject);
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, body: parsed(Buffer.concat(chunks)) });
      });
    });
    const timer = timers.after(exchange.timeoutMs, () => {
      request.destroy(new Error('there was no answer in time'));
    });
    request.on('close', () => timer.cancel());
    request.on('error', reject);
    request.end(payload);
  });
}

function parsed(bytes: Buffer): JsonValue | undefined {
  try {
    return JSON.parse(bytes.toString('utf8')) as JsonValue;
  } catch {
    return undefined;
  }
}
