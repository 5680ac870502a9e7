/**
 * One HTTP call to another server, such as a webhook or a token issuer. All calls of this server to
 * others go through here.
 *
 *     request ─▶ the whole answer, within its limit      resolves
 *             ─▶ a kept connection had been closed       once more, on `fresh`
 *             ─▶ anything else: a broken connection, 101, half a body, silence     HttpCallError
 *             ─▶ who asked has gone                                                HttpCallError
 *
 * Invariants: every call settles exactly once, within `timeoutMs`, whatever comes back; the
 * connection is torn down if it failed. Redirects are not followed, because they could send a
 * credential elsewhere. An error contains neither the request nor a credential.
 * Bounds: `answerBytesMax` bytes of answer, in pieces of `pieceBytes` on average but for the first
 * `piecesMin`; `interimAnswersMax` interim (1xx) answers. Bodies are written (body-turns.ts) and
 * answers read (read-turns.ts) in turns. An answer that comes before the body has been written ends
 * the connection.
 */
import http from 'node:http';
import https from 'node:https';
import type { Timers } from '../stdx/clock.ts';
import { systemTimers } from '../stdx/clock.ts';
import { GatheredBytes } from '../stdx/gathered-bytes.ts';
import { messageOf } from '../stdx/message-of.ts';
import type { Requester } from '../stdx/requester.ts';
import { beginHttpCall, endHttpCall } from '../stdx/trace.ts';
import type { Step } from '../stdx/trace.ts';
import type { HttpBody } from './body-turns.ts';
import { writeInTurns } from './body-turns.ts';
import { createEndingCalls } from './ending-calls.ts';
import { turnsOfProcess } from './read-turns.ts';

/** 1xx answers before the real one. */
const interimAnswersMax = 8;

/** Each piece of an answer costs a microsecond or two, be it one byte. */
const pieceLimits = { piecesMin: 256, pieceBytes: 32 } as const;

/** The pieces are so small that their number is what they cost: nobody sends so who means well. */
export function isInCrumbs(pieces: number, bytes: number): boolean {
  return pieces > pieceLimits.piecesMin + bytes / pieceLimits.pieceBytes;
}

export interface HttpCall {
  readonly url: URL;
  readonly method: 'GET' | 'POST' | 'DELETE' | 'PATCH';
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: HttpBody | undefined;
  /** Of agentInTurns(): it knows what TLS needs to know of the server. */
  readonly agent: http.Agent;
  /** Keeps no connection, for when the one that was kept turns out to have ended. Asked then;
   * undefined: nothing more is sent. */
  readonly fresh?: (() => http.Agent | undefined) | undefined;
  /** For the whole call. */
  readonly timeoutMs: number;
  readonly answerBytesMax: number;
  /** When it goes the call is cut. */
  readonly requester?: Requester | undefined;
  /** The name that the server's certificate is to have, where the agent does not say it. */
  readonly serverName?: string | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

export class HttpCallError extends Error {
  override readonly name = 'HttpCallError';
  /** `broken`: the other side may not have understood the request; `left`: nobody waits for the
   * answer any more. */
  readonly problem: 'broken' | 'late' | 'left' | 'too large';
  constructor(problem: HttpCallError['problem'], message: string) {
    super(message);
    this.problem = problem;
  }
}

/** Of the process: it has one event loop. */
const endingCalls = createEndingCalls(systemTimers);

/** @throws HttpCallError. */
export function callHttp(call: HttpCall, timers: Timers): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const step = beginHttpCall(call.requester?.trace, call.method, call.url);
    let request: http.ClientRequest | undefined;
    let settled = false;
    const settle = (): boolean => {
      const first = !settled;
      settled = true;
      if (!first) return false;
      timer.cancel();
      call.requester?.offAbort(leave);
      return true;
    };
    const fail = (problem: HttpCallError['problem'], message: string): void => {
      if (!settle()) return;
      reject(new HttpCallError(problem, message));
      step?.end(message);
      request?.destroy();
    };
    const timer = timers.after(call.timeoutMs, () => {
      endingCalls(() => fail('late', 'no answer in time'));
    });
    const nobodyWaits = (): void => fail('left', 'nobody waits for the answer');
    const leave = (): void => endingCalls(nobodyWaits);
    if (call.requester?.closed === true) return nobodyWaits();
    const attempt = ({ agent, fresh }: Pick<HttpCall, 'agent' | 'fresh'>): void => {
      const opened = open(call, agent, step);
      if (opened instanceof HttpCallError) return fail(opened.problem, opened.message);
      request = opened;
      const again = (): boolean => {
        const other = fresh?.();
        if (other !== undefined) attempt({ agent: other });
        return other !== undefined;
      };
      watchForTrouble(opened, () => settled || request !== opened, fail, again);
      opened.on('response', (response) => {
        collect(response, call.answerBytesMax, fail, (answer) => {
          endHttpCall(step, answer.status);
          if (settle()) resolve(answer);
          if (!opened.writableEnded) opened.destroy();
        });
      });
      if (call.body === undefined) opened.end();
      else writeInTurns(opened, call.body, turnsOfProcess);
    };
    call.requester?.onAbort(leave);
    attempt(call);
  });
}

type Fail = (problem: HttpCallError['problem'], message: string) => void;

/** An error: what is to be sent cannot be sent, as a token with a line break in it. */
function open(
  { headers, method, serverName, url }: HttpCall,
  agent: http.Agent,
  step: Step | undefined,
): http.ClientRequest | HttpCallError {
  const start = url.protocol === 'https:' ? https.request : http.request;
  const name = serverName === undefined ? {} : { servername: serverName };
  try {
    return start(url, { agent, method, headers: { ...headers, ...step?.headers }, ...name });
  } catch (error) {
    return new HttpCallError('broken', messageOf(error));
  }
}

/** What comes of a connection that the other side has ended. */
const endings: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);

/** All the ways in which a request ends without an answer. After an answer they say nothing new.
 * `isOver`: nobody waits for this request any more. */
function watchForTrouble(
  request: http.ClientRequest,
  isOver: () => boolean,
  fail: Fail,
  again: () => boolean,
): void {
  let interimAnswers = 0;
  // Behind the head of an answer, its own end says more.
  let answered = false;
  request.on('response', () => (answered = true));
  request.on('error', (error: NodeJS.ErrnoException) => {
    if (isOver()) return;
    const isStale = request.reusedSocket && endings.has(error.code ?? '');
    if (!isStale || answered || !again()) fail('broken', error.message);
  });
  request.on('upgrade', (_response, socket) => {
    socket.destroy();
    fail('broken', 'answered with status 101');
  });
  request.on('information', () => {
    interimAnswers += 1;
    if (interimAnswers > interimAnswersMax) fail('broken', 'too many interim answers');
  });
  request.on('close', () => {
    if (!answered && !isOver()) fail('broken', 'the connection was closed without an answer');
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
  const answer = new GatheredBytes();
  let pieces = 0;
  response.on('data', (piece: Buffer) => {
    pieces += 1;
    const size = answer.size + piece.length;
    if (size > bytesMax) fail('too large', 'the answer is too long');
    else if (isInCrumbs(pieces, size)) fail('broken', 'the answer is in too small pieces');
    else answer.add(piece);
  });
  response.on('error', ({ message }) => fail('broken', message));
  response.on('close', () => fail('broken', 'the answer was cut short'));
  response.on('end', () => {
    done({ status, headers: response.headers, body: answer.whole() });
  });
}
