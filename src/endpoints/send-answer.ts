/**
 * Sends the answer of every request. No handler writes to an exchange.
 *
 * Elsewhere: how an object, a list and a Status are written (object-response.ts, list-response.ts,
 * status-response.ts).
 */
import { StatusError } from '../apimachinery/status-error.ts';
import { unreachable } from '../stdx/assert.ts';
import { withCachePolicy } from '../transport/cache-policy.ts';
import type { Answer, PassedAnswer, StreamAnswer } from './answer.ts';
import { sendList } from './list-response.ts';
import { sendBody, sendObject } from './object-response.ts';
import type { Sending } from './object-response.ts';
import type { AnsweredRequest, EndpointDeps } from './request.ts';
import { sendStatusError } from './status-response.ts';
import { sendUnpacked } from './unpacked-body.ts';
import { framingOf, inMessages } from './watch-messages.ts';

const noBytes = new Uint8Array();

export function sendAnswer(deps: EndpointDeps, request: AnsweredRequest, answer: Answer): Sending {
  const { exchange, warnings } = request;
  if (answer instanceof StatusError) {
    sendStatusError(exchange, answer, warnings);
    return undefined;
  }
  switch (answer.kind) {
    case 'object':
      return sendObject(deps, request, answer);
    case 'list':
      return sendList(deps, request, answer);
    case 'body':
      return sendBody(deps, request, answer);
    case 'document':
      exchange.send(answer.status, withCachePolicy(answer.headers), answer.body);
      return undefined;
    case 'packed': {
      // What is in it follows at once, so the head needs no help.
      const stream = exchange.stream(200, withCachePolicy(answer.headers), noBytes);
      return sendUnpacked(deps.registry.turns, request, stream, answer.packed);
    }
    case 'stream':
      return startStream(request, answer);
    case 'passed':
      return passOn(request, answer);
    default:
      return unreachable(answer);
  }
}

function startStream(request: AnsweredRequest, answer: StreamAnswer): Sending {
  const beginning = request.beforeStream?.();
  if (beginning !== undefined) return beginning.then(() => openStream(request, answer));
  openStream(request, answer);
  return undefined;
}

async function passOn(
  { exchange, warnings }: AnsweredRequest,
  { pass }: PassedAnswer,
): Promise<void> {
  const refusal = await pass(exchange);
  if (refusal === undefined || exchange.closed) return;
  if (refusal instanceof StatusError) sendStatusError(exchange, refusal, warnings);
  else exchange.send(refusal.status, withCachePolicy(refusal.headers), refusal.body);
}

function openStream(
  { exchange }: AnsweredRequest,
  { begin, headers, messages, preamble }: StreamAnswer,
): void {
  const offered = exchange.webSocketProtocols;
  if (messages !== undefined && offered !== undefined) {
    const framing = framingOf(offered, messages);
    return begin(inMessages(exchange.stream(101, headers, preamble, framing), messages));
  }
  begin(exchange.stream(200, headers, preamble));
}
