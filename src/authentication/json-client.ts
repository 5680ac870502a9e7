/**
 * Small JSON exchanges with other servers: webhooks and issuers.
 *
 * Invariants: those of callHttp: it settles within `timeoutMs`, no redirect is followed, nothing is
 * tried again, and an error never repeats what was sent.
 */
import type { RequestOptions } from 'node:https';
import type { JsonValue } from '../apimachinery/unstructured.ts';
import type { Timers } from '../stdx/clock.ts';
import { callHttp } from '../webhooks/http-call.ts';

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

/** @throws HttpCallError when there was no whole answer in time. */
export async function exchangeJson(
  server: JsonServer,
  { answerBytesMax, body, method, timeoutMs }: JsonExchange,
  timers: Timers,
): Promise<JsonAnswer> {
  const payload = body === undefined ? undefined : JSON.stringify(body);
  const answer = await callHttp(
    {
      url: new URL(server.url),
      method,
      headers: { ...headersOf(payload), ...server.headers },
      body: payload,
      connection: connectionOf(server),
      timeoutMs,
      answerBytesMax,
    },
    timers,
  );
  return { status: answer.status, body: parsed(answer.body) };
}

function headersOf(payload: string | undefined): Record<string, string> {
  if (payload === undefined) return { accept: 'application/json' };
  return {
    accept: 'application/json',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(payload)),
  };
}

function connectionOf(server: JsonServer): RequestOptions {
  return {
    ca: server.ca,
    cert: server.clientCertificate,
    key: server.clientKey,
    rejectUnauthorized: server.insecure !== true,
    ...(server.serverName === undefined ? {} : { servername: server.serverName }),
  };
}

function parsed(bytes: Buffer): JsonValue | undefined {
  try {
    return JSON.parse(bytes.toString('utf8')) as JsonValue;
  } catch {
    return undefined;
  }
}
