/**
 * Ports of a pod for a client that speaks WebSocket: its messages carry the bytes of SPDY, which
 * are for the kubelet.
 *
 * Invariant: the protocol that the kubelet chooses is the one that the client is told.
 */
import { newBadRequest, newUnknownError } from '../apimachinery/status-error.ts';
import type { StatusError } from '../apimachinery/status-error.ts';
import type { Timers } from '../stdx/clock.ts';
import type { HttpExchange } from '../transport/http-exchange.ts';
import { join } from './join.ts';
import { openRequest } from './open-request.ts';
import { passAnswer } from './pass-request.ts';
import type { PassedRequest } from './passed-request.ts';
import { spdy } from './remote-command.ts';

const prefix = 'SPDY/3.1+';
const refusalsFrom = 400;

export function isTunnelled(offered: readonly string[], domain: string): boolean {
  return tunnelled(offered, domain).length > 0;
}

/** The protocols behind those that are offered. */
function tunnelled(offered: readonly string[], domain: string): readonly string[] {
  return offered
    .filter((each) => each.startsWith(prefix) && each.endsWith(`.${domain}`))
    .map((each) => each.slice(prefix.length));
}

/** Settles as Pass does. */
export async function tunnelPorts(
  exchange: HttpExchange,
  passed: PassedRequest,
  domain: string,
  timers: Pick<Timers, 'after'>,
): Promise<StatusError | undefined> {
  const versions = tunnelled(exchange.webSocketProtocols ?? [], domain);
  if (versions.length === 0) {
    return newBadRequest('unable to upgrade: no tunneling spdy protocols provided');
  }
  const asked = versions.map((version) => [spdy.versionHeader, version] as const);
  const request = { ...passed, headers: [...passed.headers, ...asked] };
  const opened = await openRequest(request, spdy.protocol, exchange, timers);
  switch (opened.kind) {
    case 'left':
      return undefined;
    case 'failed':
      return passed.unreachable(opened.why);
    case 'answered': {
      const { statusCode = 0 } = opened.response;
      if (statusCode >= refusalsFrom) return passAnswer(exchange, passed, opened.response, timers);
      opened.response.destroy();
      return newUnknownError(`invalid upgrade response: status code ${statusCode}`);
    }
    case 'switched': {
      const { response, rest, socket } = opened;
      const chosen = response.headers[spdy.versionHeader];
      const protocol = typeof chosen === 'string' ? `${prefix}${chosen.trim()}` : undefined;
      const conversation = exchange.converse([], { protocol, isText: false });
      if (conversation === undefined) socket.destroy();
      else await join(exchange, conversation, socket, rest);
      return undefined;
    }
  }
}
