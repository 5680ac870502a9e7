/**
 * Small JSON exchanges with other servers: webhooks and issuers.
 *
 * Invariants: those of callHttp: it settles within `timeoutMs`, no redirect is followed, nothing is
 * tried again, and an error never repeats what was sent. A large answer is read in turns with the
 * work of others.
 */
import type http from 'node:http';
import { jsonSteps } from '../apimachinery/codecs/json.ts';
import type { JsonValue } from '../apimachinery/unstructured.ts';
import type { Timers } from '../stdx/clock.ts';
import type { Requester } from '../stdx/requester.ts';
import { finished, runToEnd } from '../stdx/stepwise.ts';
import type { Turns } from '../stdx/turns.ts';
import { callHttp } from '../webhooks/http-call.ts';
import { agentInTurns } from '../webhooks/read-turns.ts';
import { trusting } from '../webhooks/trust.ts';

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
  /** The header, asked for every exchange: a token file may change. Undefined: there is none.
   * @throws Error: it cannot be had. */
  readonly authorization?: (() => string | undefined) | undefined;
}

export interface JsonExchange {
  readonly method: 'GET' | 'POST';
  readonly body?: JsonValue | undefined;
  readonly timeoutMs: number;
  readonly answerBytesMax: number;
  /** Whether the connection to this very `server` is kept for the next. */
  readonly keepsConnection?: boolean | undefined;
  /** When it goes the call is cut. */
  readonly requester?: Requester | undefined;
}

export interface JsonAnswer {
  readonly status: number;
  /** Undefined: not JSON. */
  readonly body: JsonValue | undefined;
}

export interface JsonExchangePorts {
  readonly timers: Timers;
  readonly turns: Pick<Turns, 'run'>;
}

/** Bytes: a smaller answer is read at once. */
const largeAnswer = 16 * 1024;

/** @throws HttpCallError when there was no whole answer in time; what `authorization` throws. */
export async function exchangeJson(
  server: JsonServer,
  { answerBytesMax, body, keepsConnection = false, method, requester, timeoutMs }: JsonExchange,
  { timers, turns }: JsonExchangePorts,
): Promise<JsonAnswer> {
  const payload = body === undefined ? undefined : JSON.stringify(body);
  const answer = await callHttp(
    {
      url: new URL(server.url),
      method,
      headers: { ...headersOf(payload), ...credentialsOf(server) },
      body: payload,
      agent: keepsConnection ? keptAgentOf(server) : agentOf(server, false),
      timeoutMs,
      answerBytesMax,
      requester,
    },
    timers,
  );
  return { status: answer.status, body: await parsed(answer.body, turns) };
}

function headersOf(payload: string | undefined): Record<string, string> {
  if (payload === undefined) return { accept: 'application/json' };
  return {
    accept: 'application/json',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(payload)),
  };
}

function credentialsOf({ authorization }: JsonServer): Record<string, string> {
  const header = authorization?.();
  return header === undefined ? {} : { authorization: header };
}

/** Of servers that are asked again and again. */
const agents = new WeakMap<JsonServer, http.Agent>();

function keptAgentOf(server: JsonServer): http.Agent {
  const known = agents.get(server) ?? agentOf(server, true);
  agents.set(server, known);
  return known;
}

function agentOf(server: JsonServer, keepAlive: boolean): http.Agent {
  return agentInTurns(server.url.startsWith('https:'), {
    keepAlive,
    ...trusting(server.ca),
    cert: server.clientCertificate,
    key: server.clientKey,
    rejectUnauthorized: server.insecure !== true,
    ...(server.serverName === undefined ? {} : { servername: server.serverName }),
  });
}

async function parsed(bytes: Buffer, turns: Pick<Turns, 'run'>): Promise<JsonValue | undefined> {
  const reading = jsonSteps(bytes);
  const isLarge = bytes.length > largeAnswer;
  const read = isLarge ? await runToEnd(turns, reading) : finished(reading);
  return read.kind === 'value' ? read.value : undefined;
}
