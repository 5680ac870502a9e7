/**
 * The log of a container as its kubelet tells it: text; a refusal becomes a Status with the
 * kubelet's words, as by the reference.
 *
 * Whoever asks for WebSocket gets each piece as a message:
 *
 *     none, binary.<domain>       the bytes
 *     base64.binary.<domain>      the same in base64, as text
 */
import {
  newBadRequest,
  newInternalError,
  newUnknownError,
  StatusError,
} from '../apimachinery/status-error.ts';
import type { Timers } from '../stdx/clock.ts';
import { uncached } from '../transport/cache-policy.ts';
import type { HttpExchange, MessageFraming } from '../transport/http-exchange.ts';
import { unknownProtocols } from './channels.ts';
import { openAgain, passAnswer } from './pass-request.ts';
import type { AnswerHead, PassedRequest } from './passed-request.ts';
import { textOf } from './refused-text.ts';

const text = 'text/plain';

export interface LogOptions {
  /** Subprotocols of WebSocket that are offered, without those that show who asks. */
  readonly protocols: readonly string[];
  /** Of the names of protocols. */
  readonly domain: string;
}

/** Settles as Pass does. */
export async function passLog(
  exchange: HttpExchange,
  passed: PassedRequest,
  options: LogOptions,
  timers: Pick<Timers, 'after'>,
): Promise<StatusError | undefined> {
  const framing = exchange.webSocketProtocols === undefined ? undefined : framingOf(options);
  if (framing instanceof StatusError) return framing;
  const opened = await openAgain(exchange, passed, timers);
  if (opened.kind === 'failed') return passed.unreachable(opened.why);
  if (opened.kind !== 'answered') return undefined;
  const { statusCode: status = 0 } = opened.response;
  if (status >= 200 && status <= 206) {
    const changed = framing === undefined ? asText : () => inMessages(framing);
    return passAnswer<StatusError>(exchange, { changed }, opened.response, timers);
  }
  return refusalOf(status, await textOf(exchange, opened.response));
}

function asText({ status }: AnswerHead): AnswerHead {
  const headers = [['Content-Type', text], uncached] as const;
  return { status, headers };
}

function framingOf({ domain, protocols }: LogOptions): MessageFraming | StatusError {
  if (protocols.length === 0) return { protocol: undefined, isText: false };
  const known = [`binary.${domain}`, `base64.binary.${domain}`];
  const protocol = known.find((each) => protocols.includes(each));
  if (protocol === undefined) return newBadRequest(unknownProtocols(known, protocols));
  return { protocol, isText: protocol !== known[0] };
}

function inMessages(framing: MessageFraming): AnswerHead {
  const encode = (piece: Uint8Array): Uint8Array =>
    framing.isText ? Buffer.from(Buffer.from(piece).toString('base64')) : piece;
  return { status: 101, headers: [], messages: { framing, encode } };
}

function refusalOf(status: number, said: string): StatusError {
  if (status === 400) return newBadRequest(said);
  if (status === 500) return newInternalError(said);
  return newUnknownError(`the server responded with status code ${status}: ${said}`);
}
