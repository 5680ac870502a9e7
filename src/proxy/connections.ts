/**
 * Connections to nodes, pods and services: where one leads (Destination), as a request that is
 * passed on.
 *
 *     log                     to the kubelet, its answer as it comes
 *     command (exec, attach)  to the kubelet: bytes as they are, or messages translated
 *     ports (portforward)     the same, messages unwrapped
 *     proxy                   to the pod, to an endpoint of the service, to the node
 *
 * Invariants: a caller's credentials go to nobody (passed-headers.ts). The certificate that
 * kubelets trust is shown to kubelets only.
 * Bounds: as many at a time as there are places (places.ts); above them 429.
 */
import type http from 'node:http';
import { isIP } from 'node:net';
import type {
  ContainerDestination,
  Destination,
  ProxyDestination,
} from '../apimachinery/destination.ts';
import { quote } from '../apimachinery/quote.ts';
import { addressNotAllowed, isReachable } from '../apimachinery/reachable-address.ts';
import {
  newBadRequest,
  newServiceUnavailable,
  newTooManyRequests,
  newUnknownError,
  StatusError,
} from '../apimachinery/status-error.ts';
import type { Timers } from '../stdx/clock.ts';
import { unbracketed } from '../stdx/url-host.ts';
import type { HttpExchange } from '../transport/http-exchange.ts';
import { commandProtocol } from './channels.ts';
import { hostOf, kubeletAddress } from './kubelet-address.ts';
import type { AddressType } from './kubelet-address.ts';
import { passLog } from './log-answer.ts';
import { passRequest } from './pass-request.ts';
import { offering, passUpgrade } from './pass-upgrade.ts';
import { passedHeaders } from './passed-headers.ts';
import type { Pass, PassedRequest } from './passed-request.ts';
import type { Places } from './places.ts';
import { tunnelled, tunnelPorts } from './port-tunnel.ts';
import { relocated, withForwarded } from './relocated.ts';
import { runCommand, spdy } from './remote-command.ts';
import type { CommandStreams } from './remote-command.ts';

export interface ConnectionDeps {
  readonly timers: Pick<Timers, 'after'>;
  readonly places: Places;
  /** Of the names of protocols. */
  readonly domain: string;
  readonly kubelets: KubeletPort;
  /** To pods and services, whose certificates nobody can judge. */
  readonly network: { readonly plain: Agents; readonly secure: Agents };
}

/** As PassedRequest has them. */
export interface Agents {
  readonly agent: http.Agent;
  readonly fresh: http.Agent;
}

export interface KubeletPort {
  readonly judged: Agents;
  /** Which take any certificate. */
  readonly insecure: Agents;
  /** For proxied requests, which do not lead to every address. */
  readonly proxied: Agents;
  /** In the order of preference. */
  readonly addressTypes: readonly AddressType[];
  readonly dialTimeoutMs: number;
}

/** Of the request whose connection it is. */
export interface AskedConnection {
  readonly exchange: HttpExchange;
  /** Who asks, in one word. */
  readonly caller: string;
  /** Behind `/proxy`, not decoded; '' or with its slash. */
  readonly subpath: string;
  /** Subprotocols of WebSocket that are offered, without those that show who asks. */
  readonly protocols: readonly string[];
  /** What a command reads and writes. */
  readonly streams: CommandStreams;
  /** Of a proxied request. */
  readonly body: Uint8Array | undefined;
}

const dialTimeoutMs = 30_000;
/** Until a kubelet has begun a command, or has the ports. */
const upgradeTimeoutMs = 60_000;

/** What is to be done for the request, or why it cannot be. */
export function connectionTo(
  deps: ConnectionDeps,
  destination: Destination,
  asked: AskedConnection,
): Pass | StatusError {
  const pass =
    destination.kind === 'network' || destination.kind === 'node'
      ? proxyPass(deps, destination, asked)
      : kubeletPass(deps, destination, asked);
  if (pass instanceof StatusError) return pass;
  return async (exchange) => {
    const leave = deps.places.take(asked.caller);
    if (leave === undefined) return tooMany();
    try {
      return await pass(exchange);
    } finally {
      leave();
    }
  };
}

function tooMany(): StatusError {
  return newTooManyRequests('too many connections are passed on, please try again later.', 5);
}

function kubeletPass(
  deps: ConnectionDeps,
  destination: ContainerDestination,
  asked: AskedConnection,
): Pass | StatusError {
  const { kubelets, timers } = deps;
  const address = kubeletAddress(destination.node, kubelets.addressTypes);
  if (address instanceof StatusError) return address;
  const { exchange } = asked;
  const { insecure = false, kind, path, query } = destination;
  const origin = `https://${hostOf(address.host, address.port)}`;
  if (!URL.canParse(origin)) return newBadRequest(`invalid address ${quote(address.host)}`);
  const passed: PassedRequest = {
    url: new URL(origin),
    target: query === '' ? path : `${path}?${query}`,
    method: exchange.method,
    headers: passedHeaders(exchange),
    ...(insecure ? kubelets.insecure : kubelets.judged),
    body: undefined,
    dialTimeoutMs: kubelets.dialTimeoutMs,
    headTimeoutMs: kind === 'log' ? undefined : upgradeTimeoutMs,
    unreachable: (why) => newUnknownError(`error dialing backend: ${why}`),
  };
  if (kind === 'log') {
    const options = { protocols: asked.protocols, domain: deps.domain };
    return (seen) => passLog(seen, passed, options, timers);
  }
  return streamPass(deps, kind, passed, asked);
}

function streamPass(
  { domain, timers }: ConnectionDeps,
  kind: 'command' | 'ports',
  passed: PassedRequest,
  { exchange, protocols, streams }: AskedConnection,
): Pass | StatusError {
  const { upgrade, webSocketProtocols } = exchange;
  if (webSocketProtocols !== undefined && kind === 'command') {
    const request = asSpdy(passed, [commandProtocol(domain)]);
    return (seen) => runCommand(seen, request, { streams, domain }, timers);
  }
  const tunnel = tunnelled(webSocketProtocols ?? [], domain);
  if (tunnel.length > 0) return (seen) => tunnelPorts(seen, asSpdy(passed, tunnel), timers);
  if (upgrade === 'bytes') return (seen) => passUpgrade(seen, offering(passed, protocols), timers);
  return newBadRequest(
    'unable to upgrade: this port speaks WebSocket only; SPDY is spoken at the secure port',
  );
}

/** The same for a kubelet that is asked for SPDY, whatever the client has asked for. */
function asSpdy(passed: PassedRequest, versions: readonly string[]): PassedRequest {
  const kept = passed.headers.filter(
    ([name]) => !name.startsWith('sec-websocket-') && name !== spdy.versionHeader,
  );
  const asked = versions.map((version) => [spdy.versionHeader, version] as const);
  return { ...passed, method: 'POST', headers: [...kept, ...asked] };
}

function proxyPass(
  deps: ConnectionDeps,
  destination: ProxyDestination,
  asked: AskedConnection,
): Pass | StatusError {
  const found = proxiedServer(deps, destination);
  if (found instanceof StatusError) return found;
  const { agents, host, scheme } = found;
  const { body, exchange, protocols, subpath } = asked;
  const search = exchange.query === '' ? '' : `?${exchange.query}`;
  const prefix = exchange.path.slice(0, exchange.path.length - subpath.length);
  const isUpgrade = exchange.header('upgrade') !== undefined;
  if (subpath === '' && !isUpgrade && ['GET', 'HEAD'].includes(exchange.method)) {
    return (seen) => redirected(seen, `${exchange.path}/${search}`);
  }
  const origin = `${scheme}://${host}`;
  if (!URL.canParse(origin)) return newBadRequest(`invalid address ${quote(host)}`);
  const url = new URL(origin);
  // As it will be called: an address has many spellings, and a URL has one.
  const called = unbracketed(url.hostname);
  if (isIP(called) !== 0 && !isReachable(called)) return addressNotAllowed();
  const hosts = [host, exchange.header('host') ?? ''];
  const passed: PassedRequest = {
    url,
    target: `${subpath === '' ? '/' : subpath}${search}`,
    method: exchange.method,
    headers: withForwarded(passedHeaders(exchange), exchange),
    ...agents,
    body,
    dialTimeoutMs,
    changed: (head) => relocated(head, prefix, hosts),
    unreachable: (why) => newServiceUnavailable(`error trying to reach service: ${why}`),
  };
  if (!isUpgrade) return (seen) => passRequest(seen, passed, deps.timers);
  if (exchange.upgrade === 'bytes') {
    return (seen) => passUpgrade(seen, offering(passed, protocols), deps.timers);
  }
  return newBadRequest('unable to upgrade: other protocols are passed on at the secure port only');
}

function redirected(exchange: HttpExchange, location: string): Promise<undefined> {
  exchange.send(301, [['Location', location]], '');
  return Promise.resolve(undefined);
}

interface ProxiedServer {
  readonly agents: Agents;
  readonly scheme: string;
  readonly host: string;
}

function proxiedServer(
  { kubelets, network }: ConnectionDeps,
  destination: ProxyDestination,
): ProxiedServer | StatusError {
  const scheme = destination.scheme === '' ? 'http' : destination.scheme;
  const agents = scheme === 'https' ? network.secure : network.plain;
  if (destination.kind === 'network') {
    return { agents, scheme, host: hostOf(destination.host, destination.port) };
  }
  const { node, port } = destination;
  const address = kubeletAddress(node, kubelets.addressTypes);
  if (address instanceof StatusError) return address;
  if (port === '' || port === address.port) {
    return {
      agents: kubelets.proxied,
      scheme: 'https',
      host: hostOf(address.host, address.port),
    };
  }
  return { agents, scheme, host: hostOf(address.host, port) };
}
