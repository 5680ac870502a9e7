/**
 * Posts JSON to one webhook server over kept connections, once for each call.
 *
 * It does not retry and does not read the answer (webhook-client.ts).
 *
 * Invariants: a call ends within its time, and when who asked goes. Redirects are failures. An
 * error contains neither the request nor a credential. After close() nothing is sent, and calls
 * under way fail.
 * Bounds: `posterLimits`: bytes of an answer, connections; further calls wait for a connection.
 */
import type http from 'node:http';
import type https from 'node:https';
import type { Timers } from '../stdx/clock.ts';
import { messageOf } from '../stdx/message-of.ts';
import type { Requester } from '../stdx/requester.ts';
import type { HttpBody } from './body-turns.ts';
import { bodyBytes } from './body-turns.ts';
import { callHttp, HttpCallError } from './http-call.ts';
import type { HttpAnswer } from './http-call.ts';
import type { WebhookTarget } from './kubeconfig-target.ts';
import { agentInTurns } from './read-turns.ts';
import { bundleProblem, tlsOptionsOf } from './trust.ts';

const posterLimits = {
  /** Larger answers are failures. */
  answerBytesMax: 1024 * 1024,
  /** Kept open to one webhook. */
  connectionsMax: 32,
} as const;

export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  readonly mayTryAgain: boolean;
  /** Why nothing came: there was no time left, or who asked has gone. */
  readonly ended: 'late' | 'left' | undefined;
  /** What came instead of a success; undefined: nothing came. */
  readonly answer: HttpAnswer | undefined;
  constructor(message: string, mayTryAgain: boolean, ended?: 'late' | 'left', answer?: HttpAnswer) {
    super(message);
    this.mayTryAgain = mayTryAgain;
    this.ended = ended;
    this.answer = answer;
  }
}

export interface WebhookPoster {
  /** The body of the answer. `url`: of the same server; absent: as the target says. `requester`:
   * when it goes the call is cut.
   * @throws WebhookError, also for any status but 2xx. */
  post(body: HttpBody, timeoutMs: number, url?: URL, requester?: Requester): Promise<Buffer>;
  close(): void;
}

export interface PosterOptions {
  /** Larger answers are failures. */
  readonly answerBytesMax?: number | undefined;
  /** Calls beyond wait for one of these connections. */
  readonly connectionsMax?: number | undefined;
}

export function createWebhookPoster(
  target: WebhookTarget,
  timers: Timers,
  options: PosterOptions = {},
): WebhookPoster {
  const secure = target.url.protocol === 'https:';
  const { answerBytesMax = posterLimits.answerBytesMax } = options;
  const { connectionsMax: maxSockets = posterLimits.connectionsMax } = options;
  let agents: { readonly agent: http.Agent; readonly fresh: http.Agent } | undefined;
  const connect = () => {
    if (agents !== undefined) return agents;
    const tls = secure ? tlsOptions(target) : {};
    const agent = agentInTurns(secure, { keepAlive: true, maxSockets, ...tls });
    return (agents = { agent, fresh: agentInTurns(secure, { keepAlive: false, ...tls }) });
  };
  let closed = false;
  return {
    async post(body, timeoutMs, url = target.url, requester?) {
      if (closed) throw new WebhookError('not called any more', false);
      const headers = headersOf(target, body);
      const limits = { answerBytesMax, timeoutMs };
      const call = { url, method: 'POST', headers, body, requester, ...limits } as const;
      try {
        const { agent, fresh } = connect();
        const ifOpen = () => (closed ? undefined : fresh);
        return bodyOf(await callHttp({ ...call, agent, fresh: ifOpen }, timers));
      } catch (error) {
        throw error instanceof WebhookError ? error : webhookErrorOf(error);
      }
    },
    close() {
      closed = true;
      agents?.agent.destroy();
      agents?.fresh.destroy();
    },
  };
}

/** @throws WebhookError: its CAs are too many. */
function tlsOptions(target: WebhookTarget): https.AgentOptions {
  const problem = bundleProblem(target.ca);
  if (problem !== undefined) throw new WebhookError(problem, false);
  return tlsOptionsOf(target);
}

function headersOf(target: WebhookTarget, body: HttpBody): Record<string, string> {
  const authorization = target.authorization();
  return {
    'Content-Type': 'application/json',
    Accept: 'application/json',
    'Content-Length': String(bodyBytes(body)),
    ...(authorization === undefined ? {} : { Authorization: authorization }),
  };
}

/** Only a connection that broke is tried again: the webhook may not have understood. */
function webhookErrorOf(error: unknown): WebhookError {
  const problem = error instanceof HttpCallError ? error.problem : 'broken';
  const ended = problem === 'late' || problem === 'left' ? problem : undefined;
  return new WebhookError(messageOf(error), problem === 'broken', ended);
}

function bodyOf(answer: HttpAnswer): Buffer {
  const { body, status } = answer;
  if (status >= 200 && status <= 299) return body;
  const mayTryAgain = status === 429 || status >= 500;
  throw new WebhookError(`answered with status ${status}`, mayTryAgain, undefined, answer);
}
