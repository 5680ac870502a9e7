/**
 * A request to another server, up to the head of its answer.
 *
 *     dial ─▶ sent ─▶ answered   the head of an answer; its body is still to be read
 *                  ─▶ switched   101: the connection is the caller's
 *     else: refused connection, broken head, no answer in time     failed
 *     the client goes                                              left
 *
 * Invariants: it settles once, whatever comes back, and nothing is left open that nobody is told
 * of. Redirects are not followed. Interim answers (1xx) count for nothing; above
 * `interimAnswersMax` the server has failed.
 */
import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Timers } from '../stdx/clock.ts';
import { messageOf } from '../stdx/message-of.ts';
import type { Requester } from '../stdx/requester.ts';
import { beginHttpCall, endHttpCall } from '../stdx/trace.ts';
import type { Step } from '../stdx/trace.ts';
import { unbracketed } from '../stdx/url-host.ts';
import { headersForNode } from './passed-headers.ts';
import type { PassedRequest, Refusal } from './passed-request.ts';

const interimAnswersMax = 8;

/** What every version of HTTP can say of an answer. */
const finalStatuses = { first: 200, last: 599 } as const;

/** What comes of a connection that the other side has ended. */
const endings: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);

export type Opened =
  | { readonly kind: 'answered'; readonly response: http.IncomingMessage }
  | {
      readonly kind: 'switched';
      readonly response: http.IncomingMessage;
      readonly socket: Duplex;
      /** What has come behind the head. */
      readonly rest: Buffer;
    }
  | {
      readonly kind: 'failed';
      readonly why: string;
      /** On a connection that had been kept, and was ended meanwhile. */
      readonly wasKept: boolean;
      /** It has been sent, and was not answered in time. */
      readonly isLate: boolean;
    }
  | { readonly kind: 'left' };

/** `upgrade`: the protocol that is asked for; undefined: HTTP goes on. */
export function openRequest(
  passed: PassedRequest<Refusal>,
  upgrade: string | undefined,
  requester: Requester,
  timers: Pick<Timers, 'after'>,
): Promise<Opened> {
  return new Promise((resolve) => {
    let settled = false;
    const step = beginHttpCall(requester.trace, passed.method, passed.url);
    const settle = (opened: Opened): void => {
      if (settled) return;
      settled = true;
      endStep(step, opened);
      timer?.cancel();
      requester.offAbort(leave);
      resolve(opened);
    };
    const fail = (why: string, wasKept = false, isLate = false): void => {
      settle({ kind: 'failed', why, wasKept, isLate });
      request?.destroy();
    };
    const leave = (): void => {
      settle({ kind: 'left' });
      request?.destroy();
    };
    const within = (ms: number | undefined, why: string, isLate = false) =>
      ms === undefined ? undefined : timers.after(ms, () => fail(why, false, isLate));
    const begun = begin(passed, upgrade, step);
    const request = typeof begun === 'string' ? undefined : begun;
    let timer = within(passed.dialTimeoutMs, 'dial timeout');
    requester.onAbort(leave);
    if (typeof begun === 'string') return fail(begun);
    let interimAnswers = 0;
    begun.on('finish', () => {
      if (settled) return;
      timer?.cancel();
      timer = within(passed.headTimeoutMs, 'no answer in time', true);
    });
    begun.on('information', () => {
      interimAnswers += 1;
      if (interimAnswers > interimAnswersMax) fail('too many interim answers');
    });
    begun.on('response', (response) => {
      if (settled) return void response.destroy();
      const { statusCode = 0 } = response;
      const { first, last } = finalStatuses;
      if (statusCode < first || statusCode > last)
        return fail(`answered with status ${statusCode}`);
      settle({ kind: 'answered', response });
    });
    begun.on('upgrade', (response, socket, rest) => {
      // Node listens no more, and it may break off before anybody else does.
      socket.on('error', () => undefined);
      if (settled || upgrade === undefined) {
        socket.destroy();
        return fail('answered with status 101');
      }
      settle({ kind: 'switched', response, socket, rest });
    });
    begun.on('error', (error: NodeJS.ErrnoException) => {
      fail(error.message, begun.reusedSocket && endings.has(error.code ?? ''));
    });
    begun.on('close', () => fail('the connection was closed without an answer'));
    begun.end(passed.body);
  });
}

function endStep(step: Step | undefined, opened: Opened): void {
  if (step === undefined) return;
  if (opened.kind === 'failed') step.end(opened.why);
  else if (opened.kind === 'left') step.end('the client has gone');
  else endHttpCall(step, opened.response.statusCode ?? 0);
}

const notAscii = /[^\x00-\x7f]+/g;

/** What a caller may have sent as it is: to others it means the same. */
function encoded(target: string): string {
  return target.replace(notAscii, encodeURIComponent);
}

/** What stands in place of bytes that nobody knows any more. Who means it sends it encoded. */
const unknownBytes = '\ufffd';

/** A text: why it cannot be sent at all. */
function begin(
  { agent, body, headers, method, target, url }: PassedRequest<Refusal>,
  upgrade: string | undefined,
  step: Step | undefined,
): http.ClientRequest | string {
  const start = url.protocol === 'https:' ? https.request : http.request;
  const own = { ...headersForNode(headers), ...step?.headers };
  if (body !== undefined) own['content-length'] = body.byteLength;
  if (upgrade !== undefined) Object.assign(own, { connection: 'Upgrade', upgrade });
  // Else node takes the name of the Host header, which is this server's.
  const servername = isIP(unbracketed(url.hostname)) === 0 ? url.hostname : '';
  const path = target ?? `${url.pathname}${url.search}`;
  if (path.includes(unknownBytes)) return 'the path holds what is no UTF-8';
  const options: https.RequestOptions = {
    agent,
    method,
    path: encoded(path),
    headers: own,
    servername,
  };
  try {
    return start(url, options);
  } catch (error) {
    return messageOf(error);
  }
}
