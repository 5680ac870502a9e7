/**
 * One HTTP call to another server, a webhook or an issuer: the one client for all of them.
 *
 *     request ─▶ answer, whole and within its bytes     resolved
 *             ─▶ anything else: a broken connection, 101, half a body, silence     HttpCallError
 *
 * Invariants: every call settles, once, within `timeoutMs`, whatever comes back; what is left of it
 * is then torn down. No redirect is followed: it could lead a credential elsewhere. An error holds
 * neither what was sent nor a credential.
 * Bounds: `answerBytesMax` of answer, `interimAnswersMax` answers that announce another one.
 */
import http from 'node:http';
import https from 'node:https';
import type { Timers } from '../stdx/clock.ts';
import { messageOf } from '../stdx/message-of.ts';

/** 1xx answers before the real one. */
const interimAnswersMax = 8;

export interface HttpCall {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** The agent, or what TLS needs to know of the server. */
  readonly connection: https.RequestOptions;
  /** For the whole call. */
  readonly timeoutMs: number;
  readonly answerBytesMax: number;
}

export interface HttpAnswer {
  readonly status: number;
  readonly body: Buffer;
}

export class HttpCallError extends Error {
  override readonly name = 'HttpCallError';
  /** `broken`: the other side may not have understood the request; `stale`: nor has it begun to, it
   * had ended the connection that was kept. */
  readonly problem: 'stale' | 'broken' | 'late' | 'too large';
  constructor(problem: HttpCallError['problem'], message: string) {
    super(message);
    this.problem = problem;
  }
}

/** @throws HttpCallError. */
export function callHttp(call: HttpCall, timers: Timers): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const request = open(call);
    if (request instanceof HttpCallError) {
      reject(request);
      return;
    }
    let settled = false;
    const settle = (): boolean => {
      const first = !settled;
      settled = true;
      if (first) timer.cancel();
      return first;
    };
    const fail = (problem: HttpCallError['problem'], message: string): void => {
      if (!settle()) return;
      reject(new HttpCallError(problem, message));
      request.destroy();
    };
    const timer = timers.after(call.timeoutMs, () => fail('late', 'no answer in time'));
    watchForTrouble(request, fail);
    request.on('response', (response) => {
      collect(response, call.answerBytesMax, fail, (answer) => {
        if (settle()) resolve(answer);
      });
    });
    request.end(call.body);
  });
}

type Fail = (problem: HttpCallError['problem'], message: string) => void;

/** An error: what is to be sent cannot be sent, as a token with a line break in it. */
function open({ connection, headers, method, url }: HttpCall): http.ClientRequest | HttpCallError {
  const start = url.protocol === 'https:' ? https.request : http.request;
  try {
    return start(url, { ...connection, method, headers });
  } catch (error) {
    return new HttpCallError('broken', messageOf(error));
  }
}

/** What comes of a connection that the other side has ended. */
const endings: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);

/** All the ways in which a request ends without an answer. After an answer they say nothing new. */
function watchForTrouble(request: http.ClientRequest, fail: Fail): void {
  let interimAnswers = 0;
  request.on('error', (error: NodeJS.ErrnoException) => {
    const isStale = request.reusedSocket && endings.has(error.code ?? '');
    fail(isStale ? 'stale' : 'broken', error.message);
  });
  request.on('upgrade', (_response, socket) => {
    socket.destroy();
    fail('broken', 'answered with status 101');
  });
  request.on('information', () => {
    interimAnswers += 1;
    if (interimAnswers > interimAnswersMax) fail('broken', 'too many interim answers');
  });
  // Behind the head of an answer, its own end says more.
  let answered = false;
  request.on('response', () => (answered = true));
  request.on('close', () => {
    if (!answered) fail('broken', 'the connection was closed without an answer');
  });
}

function collect(
  response: http.IncomingMessage,
  bytesMax: number,
  fail: Fail,
  done: (answer: HttpAnswer) => void,
): void {
  const status = response.statusCode ?? 0;
  if (status < 200) return fail('broken', `answered with status ${status}`);
  const chunks: Buffer[] = [];
  let size = 0;
  response.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > bytesMax) fail('too large', 'the answer is too long');
    else chunks.push(chunk);
  });
  response.on('error', ({ message }) => fail('broken', message));
  response.on('close', () => fail('broken', 'the answer was cut short'));
  response.on('end', () => {
    done({ status, body: Buffer.concat(chunks) });
  });
}
