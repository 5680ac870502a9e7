/**
 * Refusals by webhooks, and errors of webhooks that cannot be called, with the reference's
 * messages.
 *
 * The failure policy decides whether such an error refuses the write.
 *
 * Invariants: a denial keeps the webhook's reason, code and details, but is never a success. At
 * most `shownMax` characters of a webhook's text are shown.
 */
import { objects, text } from '../../apimachinery/members.ts';
import { quote } from '../../apimachinery/quote.ts';
import { newInternalError, StatusError } from '../../apimachinery/status-error.ts';
import type { StatusDetails, StatusErrorInit } from '../../apimachinery/status-error.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { StatusReason } from '../../apimachinery/status-table.ts';
import { WebhookError } from '../../webhooks/webhook-poster.ts';

const shownMax = 2048;
const firstErrorCode = 400;

/** `result`: the Status that the webhook gave; undefined: none. */
export function denial(webhook: string, result: JsonObject | undefined): StatusError {
  const denied = `admission webhook ${quote(webhook)} denied the request`;
  const [message, reason] = [text(result, 'message'), text(result, 'reason')];
  const why = message === '' ? reason : message;
  const given = Number(result?.['code'] ?? 0);
  const code = Number.isInteger(given) && given >= firstErrorCode && given < 1000 ? given : 400;
  return new StatusError({
    // Any text: it is the webhook's.
    reason: reason as StatusErrorInit['reason'],
    message: why === '' ? `${denied} without explanation` : `${denied}: ${why}`,
    details: detailsOf(result),
    code,
  });
}

function detailsOf(result: JsonObject | undefined): StatusDetails | undefined {
  const details = result?.['details'];
  if (!isJsonObject(details)) return undefined;
  const seconds = details['retryAfterSeconds'];
  return {
    name: text(details, 'name'),
    group: text(details, 'group'),
    kind: text(details, 'kind'),
    uid: text(details, 'uid'),
    retryAfterSeconds: typeof seconds === 'number' ? seconds : undefined,
    causes: objects(details, 'causes').map((cause) => ({
      reason: text(cause, 'reason'),
      message: text(cause, 'message'),
      field: text(cause, 'field'),
    })),
  };
}

export function dryRunRefusal(webhook: string): StatusError {
  const message = `admission webhook ${quote(webhook)} does not support dry run`;
  return new StatusError({ reason: StatusReason.badRequest, message });
}

/** It could not be asked, and nothing may happen without. `why`: callProblem(), for one. */
export function failedCall(webhook: string, why: string): StatusError {
  return newInternalError(`failed calling webhook ${quote(webhook)}: ${why}`);
}

export function changedDeletion(webhook: string): StatusError {
  const what = 'attempted to modify the object, which is not supported for this operation';
  return newInternalError(`admission webhook ${quote(webhook)} ${what}`);
}

/** What went wrong with a call, and the status that came or stands for it. */
export interface CallProblem {
  readonly message: string;
  readonly code: number;
  /** Nobody waited for it any more. */
  readonly left?: boolean | undefined;
}

const unavailable = 503;

export function callProblem(error: unknown, url: string | undefined): CallProblem {
  if (!(error instanceof WebhookError)) return { message: String(error), code: unavailable };
  const { answer } = error;
  if (answer !== undefined) {
    return { message: wordsOfStatus(answer.status, answer.body), code: answer.status };
  }
  const why = wordsOfEnd(error);
  const message = url === undefined ? why : `Post ${quote(url)}: ${why}`;
  return { message, code: unavailable, left: error.ended === 'left' };
}

function wordsOfEnd({ ended, message }: WebhookError): string {
  if (ended === undefined) return wordsOfConnection(message);
  return ended === 'late' ? 'context deadline exceeded' : 'context canceled';
}

function wordsOfStatus(status: number, body: Buffer): string {
  if (status >= 500) {
    const shown = body.toString('utf8', 0, shownMax).trim();
    const said = shown === '' ? 'unknown' : shown;
    return `an error on the server (${quote(said)}) has prevented the request from succeeding`;
  }
  if (status === 404) return 'the server could not find the requested resource';
  if (status === 401) return 'the server has asked for the client to provide credentials';
  if (status === 429) {
    return 'the server has received too many requests and has asked us to try again later';
  }
  if (status === 400) return 'the server rejected our request for an unknown reason';
  return `the server responded with the status code ${status} but did not return more information`;
}

/** Errors of connections, in words that are known from elsewhere, too. */
const connectionWords: readonly (readonly [RegExp, string])[] = [
  [/ECONNREFUSED (\S+)/, 'dial tcp $1: connect: connection refused'],
  [/ENOTFOUND (\S+)/, 'dial tcp: lookup $1: no such host'],
  [
    /self-signed certificate|unable to (verify|get)|issuer certificate/i,
    'tls: failed to verify certificate: x509: certificate signed by unknown authority',
  ],
  [/certificate has expired/, 'tls: failed to verify certificate: x509: certificate has expired'],
];

function wordsOfConnection(message: string): string {
  for (const [pattern, words] of connectionWords) {
    const found = pattern.exec(message);
    if (found !== null) return words.replace('$1', found[1] ?? '');
  }
  return message;
}
