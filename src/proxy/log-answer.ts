/**
 * The log of a container as its kubelet tells it: text; a refusal becomes a Status with the
 * kubelet's words, as by the reference.
 */
import { newBadRequest, newInternalError, newUnknownError } from '../apimachinery/status-error.ts';
import type { StatusError } from '../apimachinery/status-error.ts';
import type { Timers } from '../stdx/clock.ts';
import { uncached } from '../transport/cache-policy.ts';
import type { HttpExchange } from '../transport/http-exchange.ts';
import { openAgain, passAnswer } from './pass-request.ts';
import type { AnswerHead, PassedRequest } from './passed-request.ts';
import { textOf } from './refused-text.ts';

const text = 'text/plain';

/** Settles as Pass does. */
export async function passLog(
  exchange: HttpExchange,
  passed: PassedRequest,
  timers: Pick<Timers, 'after'>,
): Promise<StatusError | undefined> {
  const opened = await openAgain(exchange, passed, timers);
  if (opened.kind === 'failed') return passed.unreachable(opened.why);
  if (opened.kind !== 'answered') return undefined;
  const { statusCode: status = 0 } = opened.response;
  if (status >= 200 && status <= 206) {
    return passAnswer<StatusError>(exchange, { changed: asText }, opened.response, timers);
  }
  return refusalOf(status, await textOf(exchange, opened.response));
}

function asText({ status }: AnswerHead): AnswerHead {
  const headers = [['Content-Type', text], uncached] as const;
  return { status, headers };
}

function refusalOf(status: number, said: string): StatusError {
  if (status === 400) return newBadRequest(said);
  if (status === 500) return newInternalError(said);
  return newUnknownError(`the server responded with status code ${status}: ${said}`);
}
