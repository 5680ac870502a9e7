/**
 * Calls a webhook: one JSON document there, one back.
 *
 * What it is not: caching, or what the documents mean.
 *
 * Invariants: a call ends in time: within `timeoutMs` with all its tries. What cannot have been
 * understood (no connection, 429, 5xx) is tried again, anything else is not. No answer is followed
 * anywhere else (redirects are failures). An error holds neither what was sent nor a credential.
 */
import http from 'node:http';
import https from 'node:https';
import type { JsonObject } from '../apimachinery/unstructured.ts';
import { decodeJson } from '../apimachinery/codecs/json.ts';
import { isJsonObject } from '../apimachinery/unstructured.ts';
import type { Clock, Timers } from '../stdx/clock.ts';
import type { WebhookTarget } from './kubeconfig-target.ts';

export const webhookLimits = {
  /** Larger answers are failures. */
  answerBytesMax: 1024 * 1024,
  /** Kept open to one webhook. */
  connectionsMax: 32,
  triesMax: 4,
  firstPauseMs: 250,
} as const;

export interface WebhookClient {
  /** @throws WebhookError. */
  call(document: JsonObject): Promise<JsonObject>;
  close(): void;
}

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

export interface WebhookClientDeps {
  readonly clock: Clock;
  readonly timers: Timers;
}

export function createWebhookClient(
  target: WebhookTarget,
  timeoutMs: number,
  { clock, timers }: WebhookClientDeps,
): WebhookClient {
  const secure = target.url.protocol === 'https:';
  const { connectionsMax: maxSockets } = webhookLimits;
  const agent = secure
    ? new https.Agent({ keepAlive: true, maxSockets, ...tlsOptions(target) })
    : new http.Agent({ keepAlive: true, maxSockets });

  const post = (body: string, leftMs: number): Promise<JsonObject> =>
    new Promise((resolve, reject) => {
      const request = (secure ? https : http).request(target.url, {
        method: 'POST',
        agent,
        headers: headersOf(target, body),
      });
      const timer = timers.after(leftMs, () => {
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

  return {
    async call(document) {
      const body = JSON.stringify(document);
      const endMs = clock.monotonicMs() + timeoutMs;
      let pauseMs: number = webhookLimits.firstPauseMs;
      for (let tries = 1; ; tries += 1) {
        try {
          return await post(body, Math.max(1, endMs - clock.monotonicMs()));
        } catch (error) {
          const again = error instanceof WebhookError && error.mayTryAgain;
          const late = clock.monotonicMs() + pauseMs >= endMs;
          if (!again || late || tries >= webhookLimits.triesMax) throw error;
        }
        await new Promise<void>((resolve) => void timers.after(pauseMs, resolve));
        pauseMs *= 2;
      }
    },
    close: () => agent.destroy(),
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

async function readAnswer(response: http.IncomingMessage): Promise<JsonObject> {
  const status = response.statusCode ?? 0;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > webhookLimits.answerBytesMax) {
      response.destroy();
      throw new WebhookError('the answer is too large', false);
    }
    chunks.push(chunk);
  }
  if (status < 200 || status > 299) {
    throw new WebhookError(`answered with status ${status}`, status === 429 || status >= 500);
  }
  const decoded = decodeJson(Buffer.concat(chunks), { findDuplicates: false });
  if (decoded.kind === 'refused' || !isJsonObject(decoded.value)) {
    throw new WebhookError('the answer is not a JSON object', false);
  }
  return decoded.value;
}
