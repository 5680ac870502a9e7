/**
 * Passes a request on to another server and its answer back, as it comes.
 *
 * Invariants: no more is read of the answer than the client takes. An answer that breaks off breaks
 * off for the client, too. When the client goes the call is cut.
 */
import type { IncomingMessage } from 'node:http';
import { StatusError } from '../apimachinery/status-error.ts';
import type { Timers } from '../stdx/clock.ts';
import type { HttpExchange } from '../transport/http-exchange.ts';
import { openRequest } from './open-request.ts';
import { answeredHeaders } from './passed-headers.ts';
import type { AnswerHead, PassedRequest } from './passed-request.ts';

const noBytes = new Uint8Array();

/** Settles as Pass does. */
export async function passRequest(
  exchange: HttpExchange,
  passed: PassedRequest,
  timers: Pick<Timers, 'after'>,
): Promise<StatusError | undefined> {
  const opened = await openRequest(passed, undefined, exchange, timers);
  switch (opened.kind) {
    case 'failed':
      return passed.unreachable(opened.why);
    case 'answered':
      return passAnswer(exchange, passed, opened.response);
    default:
      return undefined;
  }
}

/** Settles as Pass does. */
export async function passAnswer(
  exchange: HttpExchange,
  { changed }: Pick<PassedRequest, 'changed'>,
  response: IncomingMessage,
): Promise<StatusError | undefined> {
  const came = headOf(response);
  const head = changed === undefined ? came : changed(came);
  if (head instanceof StatusError) {
    response.destroy();
    return head;
  }
  await passBody(exchange, head, response);
  return undefined;
}

/** What says nothing of caches is kept in none that callers share: access was checked for one. */
function headOf(response: IncomingMessage): AnswerHead {
  const headers = answeredHeaders(response.rawHeaders);
  const says = headers.some(([name]) => name === 'cache-control');
  const policy = ['cache-control', 'no-cache, private'] as const;
  return { status: response.statusCode ?? 0, headers: says ? headers : [...headers, policy] };
}

function passBody(
  exchange: HttpExchange,
  { headers, status }: AnswerHead,
  response: IncomingMessage,
): Promise<void> {
  return new Promise((resolve) => {
    const stream = exchange.stream(status, headers, noBytes);
    const over = (): void => {
      exchange.offAbort(leave);
      resolve();
    };
    const leave = (): void => {
      response.destroy();
      over();
    };
    exchange.onAbort(leave);
    stream.onDrain(() => response.resume());
    response.on('data', (piece: Buffer) => {
      if (!stream.write(piece)) response.pause();
    });
    response.on('error', () => undefined);
    response.on('end', () => stream.end());
    response.on('close', () => {
      if (!response.complete) stream.abort();
      over();
    });
  });
}
