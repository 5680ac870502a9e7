/**
 * Passes on a request that asks for another protocol: the other server decides, and when it has
 * switched, both connections become one, whatever is spoken on it.
 *
 * Invariant: a server that refuses is heard; one that answers as if nothing had been asked has
 * failed (500), as by the reference.
 */
import type { IncomingMessage } from 'node:http';
import { newUnknownError } from '../apimachinery/status-error.ts';
import type { StatusError } from '../apimachinery/status-error.ts';
import type { Timers } from '../stdx/clock.ts';
import type { Conversation, HttpExchange } from '../transport/http-exchange.ts';
import { join } from './join.ts';
import { openRequest } from './open-request.ts';
import { passAnswer } from './pass-request.ts';
import { pairsOf } from './passed-headers.ts';
import type { PassedRequest, Refusal } from './passed-request.ts';

const refusalsFrom = 400;

/** The exchange's `upgrade` is `bytes`. Settles as Pass does. */
export function passUpgrade<R extends Refusal>(
  exchange: HttpExchange,
  passed: PassedRequest<R>,
  timers: Pick<Timers, 'after'>,
): Promise<R | StatusError | undefined> {
  const asked = exchange.header('upgrade') ?? '';
  return passSwitch(exchange, passed, asked, timers, ({ rawHeaders }) =>
    exchange.converse(pairsOf(rawHeaders), undefined),
  );
}

/** With the subprotocols of WebSocket that a client offers: their header is gone from the exchange,
 * for it may show a token. */
export function offering<R extends Refusal>(
  passed: PassedRequest<R>,
  protocols: readonly string[],
): PassedRequest<R> {
  if (protocols.length === 0) return passed;
  const offered = ['sec-websocket-protocol', protocols.join(', ')] as const;
  return { ...passed, headers: [...passed.headers, offered] };
}

/** `asked`: the protocol. `change` changes the client's connection over, when the server has
 * switched. Settles as Pass does. */
export async function passSwitch<R extends Refusal>(
  exchange: HttpExchange,
  passed: PassedRequest<R>,
  asked: string,
  timers: Pick<Timers, 'after'>,
  change: (response: IncomingMessage) => Conversation | undefined,
): Promise<R | StatusError | undefined> {
  const opened = await openRequest(passed, asked, exchange, timers);
  switch (opened.kind) {
    case 'failed':
      return passed.unreachable(opened.why);
    case 'left':
      return undefined;
    case 'answered': {
      const { statusCode = 0 } = opened.response;
      if (statusCode >= refusalsFrom) {
        return passAnswer(exchange, passed, opened.response, timers);
      }
      opened.response.destroy();
      return newUnknownError(`invalid upgrade response: status code ${statusCode}`);
    }
    case 'switched': {
      const { response, rest, socket } = opened;
      const conversation = change(response);
      if (conversation === undefined) socket.destroy();
      else await join(exchange, conversation, socket, rest, timers);
      return undefined;
    }
  }
}
