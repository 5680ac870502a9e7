/**
 * Ports of a pod for a client that speaks WebSocket: its messages carry the bytes of SPDY, which
 * are for the kubelet.
 *
 * Invariant: the protocol that the kubelet chooses is the one that the client is told.
 */
import type { StatusError } from '../apimachinery/status-error.ts';
import type { Timers } from '../stdx/clock.ts';
import type { HttpExchange } from '../transport/http-exchange.ts';
import { passSwitch } from './pass-upgrade.ts';
import type { PassedRequest } from './passed-request.ts';
import { spdy } from './remote-command.ts';

const prefix = 'SPDY/3.1+';

/** The protocols behind those that are offered. Empty: the client does not ask for this. */
export function tunnelled(offered: readonly string[], domain: string): readonly string[] {
  return offered
    .filter((each) => each.startsWith(prefix) && each.endsWith(`.${domain}`))
    .map((each) => each.slice(prefix.length));
}

/** `passed` asks for those protocols. Settles as Pass does. */
export function tunnelPorts(
  exchange: HttpExchange,
  passed: PassedRequest,
  timers: Pick<Timers, 'after'>,
): Promise<StatusError | undefined> {
  return passSwitch(exchange, passed, spdy.protocol, timers, ({ headers }) => {
    const chosen = headers[spdy.versionHeader];
    const protocol = typeof chosen === 'string' ? `${prefix}${chosen.trim()}` : undefined;
    return exchange.converse([], { protocol, isText: false });
  });
}
