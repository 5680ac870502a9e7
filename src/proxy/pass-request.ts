/**
 * Passes a request on to another server and its answer back, as it comes.
 *
 * A short answer that says how long it is goes on as one, and says it, too; others as they come. An
 * answer to HEAD says what it says.
 *
 * Invariants: no more is read of the answer than the client takes. An answer that breaks off breaks
 * off for the client, too. When the client goes, or its time is over, the call is cut.
 */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { StatusError } from '../apimachinery/status-error.ts';
import type { Timers } from '../stdx/clock.ts';
import { withCachePolicy } from '../transport/cache-policy.ts';
import type { HttpExchange, ResponseStream } from '../transport/http-exchange.ts';
import { openRequest } from './open-request.ts';
import type { Opened } from './open-request.ts';
import { whenOver } from './over.ts';
import { answeredHeaders } from './passed-headers.ts';
import type { AnswerHead, PassedRequest, Refusal } from './passed-request.ts';

const noBytes = new Uint8Array();

/** Statuses whose answers have no body. */
const bodiless: ReadonlySet<number> = new Set([204, 304]);

/** Longer ones go on as they come. */
const shortBytesMax = 64 * 1024;

/** Settles as Pass does. */
export async function passRequest<R extends Refusal>(
  exchange: HttpExchange,
  passed: PassedRequest<R>,
  timers: Pick<Timers, 'after'>,
): Promise<R | undefined> {
  const opened = await openAgain(exchange, passed, timers);
  switch (opened.kind) {
    case 'failed':
      if (opened.isLate && passed.late !== undefined) return passed.late();
      return passed.unreachable(opened.why);
    case 'answered':
      return passAnswer(exchange, passed, opened.response, timers);
    default:
      return undefined;
  }
}

const harmless: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Once more, where the connection that was kept had been ended, and twice does no harm. */
export async function openAgain<R extends Refusal>(
  exchange: HttpExchange,
  passed: PassedRequest<R>,
  timers: Pick<Timers, 'after'>,
): Promise<Opened> {
  const opened = await openRequest(passed, undefined, exchange, timers);
  const { body, fresh, method } = passed;
  const isStale = opened.kind === 'failed' && opened.wasKept;
  if (!isStale || fresh === undefined || body !== undefined || !harmless.has(method)) return opened;
  return openRequest({ ...passed, agent: fresh }, undefined, exchange, timers);
}

/** Settles as Pass does. */
export async function passAnswer<R extends Refusal>(
  exchange: HttpExchange,
  { bodyTimeoutMs, changed }: Pick<PassedRequest<R>, 'bodyTimeoutMs' | 'changed'>,
  response: IncomingMessage,
  timers: Pick<Timers, 'after'>,
): Promise<R | undefined> {
  const came = headOf(exchange, response);
  const head = changed === undefined ? came : changed(came);
  if (isRefusal(head)) {
    response.destroy();
    return head;
  }
  const cut = (): void => void response.destroy();
  const timer = bodyTimeoutMs === undefined ? undefined : timers.after(bodyTimeoutMs, cut);
  const answer = head as AnswerHead;
  const isWhole = answer.messages === undefined && isShort(exchange, response);
  await (isWhole ? passWhole : passBody)(exchange, answer, response);
  timer?.cancel();
  return undefined;
}

function isRefusal<R extends Refusal>(head: AnswerHead | R): head is R {
  return head instanceof StatusError || 'kind' in head;
}

function headOf({ method }: HttpExchange, response: IncomingMessage): AnswerHead {
  const headers = [...answeredHeaders(response.rawHeaders)];
  const length = response.headers['content-length'];
  // The answer itself; of a body the transport says it.
  if (method === 'HEAD' && length !== undefined) headers.push(['content-length', length]);
  return { status: response.statusCode ?? 0, headers: withCachePolicy(headers) };
}

/** What has no body says nothing of its length here. */
function isShort({ method }: HttpExchange, { headers, statusCode }: IncomingMessage): boolean {
  const bytes = Number(headers['content-length'] ?? 0);
  return method !== 'HEAD' && statusCode !== 304 && bytes > 0 && bytes <= shortBytesMax;
}

async function passWhole(
  exchange: HttpExchange,
  head: AnswerHead,
  response: IncomingMessage,
): Promise<void> {
  const { headers, preamble = noBytes, status } = head;
  const pieces: Buffer[] = [];
  const isWhole = await readBody(exchange, head, response, () => (piece) => pieces.push(piece));
  if (isWhole) exchange.send(status, headers, Buffer.concat(pieces));
  else exchange.stream(status, headers, preamble).abort();
}

async function passBody(
  exchange: HttpExchange,
  head: AnswerHead,
  response: IncomingMessage,
): Promise<void> {
  const { headers, messages, preamble = noBytes, status } = head;
  let stream: ResponseStream | undefined;
  const isWhole = await readBody(exchange, head, response, (body) => {
    const opened = exchange.stream(status, headers, preamble, messages?.framing);
    stream = opened;
    opened.onDrain(() => body.resume());
    body.on('end', () => opened.end());
    return (piece) => {
      if (!opened.write(messages?.encode(piece) ?? piece)) body.pause();
    };
  });
  if (!isWhole) stream?.abort();
}

/** `into` takes what becomes of the body. Resolves when it is over: whether it came whole. */
async function readBody(
  exchange: HttpExchange,
  { changed, status }: AnswerHead,
  response: IncomingMessage,
  into: (body: Readable) => (piece: Buffer) => void,
): Promise<boolean> {
  const leave = (): void => void response.destroy();
  // First of all: a head that HTTP cannot carry ends the exchange at once.
  exchange.onAbort(leave);
  const isBare = exchange.method === 'HEAD' || bodiless.has(status);
  const body = changed === undefined || isBare ? response : changed(response);
  body.on('data', into(body));
  body.on('error', () => undefined);
  await new Promise<void>((resolve) => whenOver(body, resolve));
  exchange.offAbort(leave);
  return body.readableEnded && response.complete;
}
