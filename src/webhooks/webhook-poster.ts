/**
 * Posts JSON to a webhook, once.
 *
 * What it is not: trying again, or reading what comes back (webhook-client.ts).
 *
 * Invariants: a call ends within its time. No answer is followed anywhere else (redirects are
 * failures). An error holds neither what was sent nor a credential. Once it is closed nothing is
 * sent any more, and what is under way fails.
 */
import http from 'node:http';
import https from 'node:https';
import type { Timers } from '../stdx/clock.ts';
import type { WebhookTarget } from './kubeconfig-target.ts';

const posterLimits = {
  /** Larger answers are failures. */
  answerBytesMax: 1024 * 1024,
  /** Kept open to one webhook. */
  connectionsMax: 32,
} as const;

export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  readonly mayTryAgain: boolean;
  readonly timedOut: boolean;
  constructor(message: string, mayTryAgain: boolean, timedOut = false) {
    super(message);
    this.mayTryAgain = mayTryAgain;
    this.timedOut = timedOut;
  }
}

export interface WebhookPoster {
  /** The body of the answer.
   * @throws WebhookError, also for any status but 2xx. */
  post(body: string, timeoutMs: number): Promise<Buffer>;
  close(): void;
}

export function createWebhookPoster(target: WebhookTarget, timers: Timers): WebhookPoster {
  const secure = target.url.protocol === 'https:';
  const { connectionsMax: maxSockets } = posterLimits;
  const agent = secure
    ? new https.Agent({ keepAlive: true, maxSockets, ...tlsOptions(target) })
    : new http.Agent({ keepAlive: true, maxSockets });
  let closed = false;
  return {
    post(body, timeoutMs) {
      if (closed) return Promise.reject(new WebhookError('not called any more', false));
      return new Promise((resolve, reject) => {
        const request = (secure ? https : http).request(target.url, {
          method: 'POST',
          agent,
          headers: headersOf(target, body),
        });
        const timer = timers.after(timeoutMs, () => {
          request.destroy(new WebhookError('no answer in time', false, true));
        });
        const end = (error: Error): void => {
          timer.cancel();
          reject(error instanceof WebhookError ? error : new WebhookError(error.message, true));
        };
        request.on('error', end);
        request.on('response', (response) => {
          readAnswer(response).then((answer) => {
            timer.cancel();
            resolve(answer);
          }, end);
        });
        request.end(body);
      });
    },
    close() {
      closed = true;
      agent.destroy();
    },
  };
}

function tlsOptions(target: WebhookTarget): https.AgentOptions {
  return {
    minVersion: 'TLSv1.2',
    rejectUnauthorized: !target.insecureSkipVerify,
    ...(target.ca === undefined ? {} : { ca: target.ca }),
    ...(target.certificate ?? {}),
    ...(target.serverName === undefined ? {} : { servername: target.serverName }),
  };
}

function headersOf(target: WebhookTarget, body: string): Record<string, string> {
  const authorization = target.authorization();
  return {
    'Content-Type': 'application/json',
    Accept: 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    ...(authorization === undefined ? {} : { Authorization: authorization }),
  };
}

async function readAnswer(response: http.IncomingMessage): Promise<Buffer> {
  const status = response.statusCode ?? 0;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > posterLimits.answerBytesMax) {
      response.destroy();
      throw new WebhookError('the answer is too large', false);
    }
    chunks.push(chunk);
  }
  if (status < 200 || status > 299) {
    throw new WebhookError(`answered with status ${status}`, status === 429 || status >= 500);
  }
  return Buffer.concat(chunks);
}
