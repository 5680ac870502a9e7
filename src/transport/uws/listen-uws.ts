/**
 * The HTTP/1.1 listener on uWebSockets.js, in the clear or over TLS (secure-app.ts).
 *
 * Client certificates and HTTP/2 are served by listen-node.ts.
 *
 * What the library decides, and no option changes (20.30):
 *  - A connection without a request, or one whose response is complete, is closed after about 10 s
 *    (up to 14 s); a body must arrive at 16 kB/s or more. A quiet stream is never cut. A client
 *    that takes nothing of a response for as long would be cut: the library is told to begin anew,
 *    until `idleTimeoutMs` are over (uws-exchange.ts).
 *  - A head that comes in several segments may have 4 KiB, and at most 48 headers. Beyond it, and
 *    for HTTP/1.0, a head without Host, a target that is no path and what is no HTTP at all, it
 *    waits for more, and closes the connection after about 10 s without an answer. For a method
 *    that is none of those of RFC 9110 and 5789 it closes it at once. Nothing of this reaches
 *    JavaScript; neither the number of headers nor the methods can be set. Such clients are served
 *    by the node transport.
 *  - Bytes above 0x7f at either end of a header value are trimmed as if they were white space.
 *  - `close` in a Connection header is seen where it stands alone. Among other options it closes
 *    the connection behind a small answer; larger ones, streams and answers to HEAD say `close`,
 *    and the connection goes when it has been idle.
 *  - A trailer after a chunked body is taken for the start of the next request.
 *  - A pipelined request that arrives before the answer to the one ahead closes the connection.
 *  - A client that half-closes has gone.
 *  - An app has one certificate for its life. With another one a new app takes the port over, in
 *    one turn; who is connected to the one before goes on, who waits to be taken in that very
 *    moment is reset. The library never frees an app: 40 KB each.
 *  - Connections without a request on them are invisible: `connectionsMax` counts exchanges in
 *    progress (503 above it), and idle ones go by themselves after stopAccepting().
 */
import { assert } from '../../stdx/assert.ts';
import type { Clock, TimerHandle, Timers } from '../../stdx/clock.ts';
import { createSliceTimer } from '../../stdx/slices.ts';
import { SlotSet } from '../../stdx/slot-set.ts';
import { createDeadlines } from '../deadlines.ts';
import { createDepartures } from '../departures.ts';
import type {
  ExchangeHandler,
  HttpServer,
  Listen,
  ListenOptions,
  TlsOptions,
} from '../http-exchange.ts';
import { isExpectation, isHost, statusLine } from '../header-rules.ts';
import {
  expectationFailed,
  headTooLarge,
  malformed,
  noHost,
  refusalBody,
  refusalType,
  tooManyRequests,
  twoHosts,
} from '../refusal.ts';
import type { Refusal } from '../refusal.ts';
import { createTransportLoad } from '../load.ts';
import { MessageTurns } from '../message-turns.ts';
import type { UwsApp, UwsBinding, UwsRequest, UwsResponse } from './uws-binding.ts';
import { hasDescriptors, descriptorLimits, watchDescriptors } from './descriptor-limit.ts';
import { createSecureApp } from './secure-app.ts';
import type { UwsShared } from './uws-exchange.ts';
import type { Upgrading } from './uws-message-stream.ts';
import { UwsExchange } from './uws-exchange.ts';
import { conversationBehavior, webSocketBehavior } from './uws-web-sockets.ts';

export function createUwsListen(
  uws: UwsBinding,
  name: string,
  clock: Clock,
  timers: Timers,
): Listen {
  return async (options, handler) => {
    uws._cfg('silent');
    const { tls } = options;
    const shared: UwsShared = {
      live: new SlotSet(),
      deadlines: createDeadlines(clock, timers),
      departures: createDepartures(clock, timers),
      requestTimeoutMs: options.limits.requestTimeoutMs,
      idleTimeoutMs: options.limits.idleTimeoutMs,
      load: options.load ?? createTransportLoad(options.limits),
      scheme: tls === undefined ? 'http' : 'https',
      timers,
      messageTurns: new MessageTurns(timers),
      writes: undefined,
      stopping: false,
      closed: false,
    };
    const makeApp = (speaking: TlsOptions | undefined): UwsApp => {
      const app = speaking === undefined ? uws.App() : createSecureApp(uws, speaking);
      const take = (res: UwsResponse, req: UwsRequest, upgrading?: Upgrading): void => {
        if (shared.closed) return void res.close();
        const exchange = new UwsExchange(res, req, shared, upgrading);
        const refusal = refusalOf(exchange, shared, options);
        if (refusal === undefined) serve(exchange, handler);
        else refuse(res, refusal, timers);
      };
      // Only requests with a key of WebSocket come to these.
      for (const path of options.conversationPaths ?? []) {
        const converses = conversationBehavior(options.limits, (res, req, context) =>
          take(res, req, { context, converses: true }),
        );
        app.ws(path, converses);
      }
      const watches = webSocketBehavior(options.limits, (res, req, context) =>
        take(res, req, { context, converses: false }),
      );
      app.ws('/*', watches);
      return app.any('/*', (res, req) => take(res, req));
    };
    const apps: Apps = { all: [makeApp(tls)], make: makeApp };
    const port = await openPort(apps, uws, options, { clock, timers });
    return createServer(apps, port, tls === undefined ? name : `${name} over TLS`, shared, {
      clock,
      timers,
    });
  };
}

/** The last app has the port. Earlier ones have the connections of earlier certificates. */
interface Apps {
  readonly all: UwsApp[];
  make(tls: TlsOptions): UwsApp;
}

/** Undefined: the request becomes an exchange and expects its body. */
function refusalOf(
  exchange: UwsExchange,
  shared: UwsShared,
  { limits }: ListenOptions,
): Refusal | undefined {
  if (exchange.headBytes > limits.headBytesMax) {
    return headTooLarge(limits.headBytesMax);
  }
  if (shared.live.size >= limits.connectionsMax) {
    return tooManyRequests;
  }
  // Repeated ones are joined so, and a host has no space.
  const host = exchange.header('host') ?? '';
  if (host.includes(', ')) return malformed(twoHosts);
  if (!isHost(host)) return malformed(noHost);
  if (!isExpectation(exchange.header('expect') ?? '')) return expectationFailed;
  const contentLength = exchange.header('content-length');
  const transferEncoding = exchange.header('transfer-encoding');
  if (transferEncoding !== undefined && transferEncoding.toLowerCase() !== 'chunked') {
    return malformed('the only transfer coding known here is chunked');
  }
  // A repeated header is joined with a comma: two lengths, even equal ones, are refused.
  if (contentLength !== undefined && !/^[0-9]{1,9}$/.test(contentLength)) {
    return malformed('Content-Length is not one number');
  }
  const declaredBytes = contentLength === undefined ? -1 : Number(contentLength);
  if (transferEncoding !== undefined || declaredBytes > 0) exchange.expectBody(declaredBytes);
  return undefined;
}

function serve(exchange: UwsExchange, handler: ExchangeHandler): void {
  try {
    handler(exchange);
  } catch (error) {
    exchange.cut();
    throw error;
  }
  exchange.settle();
}

/**
 * Answers what never becomes an exchange, and closes the connection. Not in this turn: the library
 * would go on with what has come behind the request, and where a request ends is what cannot be
 * known of one that is refused. While it is unanswered, more of it closes the connection.
 */
function refuse(res: UwsResponse, refusal: Refusal, timers: Timers): void {
  let gone = false;
  res.onAborted(() => (gone = true));
  timers.nextTurn(() => {
    if (gone) return;
    res.cork(() => {
      res.writeStatus(statusLine(refusal.status));
      res.writeHeader('Content-Type', refusalType);
      res.end(refusalBody(refusal), true);
    });
  });
}

interface Time {
  readonly clock: Clock;
  readonly timers: Timers;
}

/** A port that can be closed for a while. Calls of either kind may repeat. */
interface Port {
  readonly number: number;
  /** False: it could not be opened. */
  open(): boolean;
  close(): void;
  /** To the newest app, if it is open, a few turns later. */
  move(): void;
}

/** A port that could not be opened again is tried after it. */
const reopenMs = 1_000;

/** Closing a port resets the connections that wait to be taken. After a turn as short as this there
 * are hardly any; so many turns at most are waited for one. */
const quietTurnMs = 0.5;
const quietTurnsMax = 1_000;

async function openPort(
  { all }: Apps,
  uws: UwsBinding,
  options: ListenOptions,
  { clock, timers }: Time,
): Promise<Port> {
  const { address, sharedPort } = options;
  // By default a second server would share the port (SO_REUSEPORT) without a word.
  const sharing = sharedPort === true ? 0 : uws.LIBUS_LISTEN_EXCLUSIVE_PORT;
  let number = options.port;
  let socket: object | false = false;
  let again: TimerHandle | undefined;
  const port: Port = {
    get number() {
      return number;
    },
    open() {
      // The library calls back before it returns.
      if (socket === false) {
        all.at(-1)?.listen(address, number, sharing, (opened) => (socket = opened));
      }
      if (socket !== false) number = uws.us_socket_local_port(socket);
      return socket !== false;
    },
    close() {
      again?.cancel();
      if (socket !== false) uws.us_listen_socket_close(socket);
      socket = false;
    },
    move() {
      const open = (): void => {
        if (!port.open()) again = timers.after(reopenMs, open);
      };
      afterQuietTurn(clock, timers, () => {
        if (socket === false) return;
        port.close();
        open();
      });
    },
  };
  const opened = port.open() && (options.port !== 0 || reopened(port));
  if (!opened) throw new Error(`cannot listen on ${address}:${number}`);
  assert(number > 0, 'a listening socket has a port');
  return closedWhileShort(port, options, timers);
}

/** Behind a turn of the event loop in which next to nothing was to be done. */
function afterQuietTurn(clock: Clock, timers: Timers, callback: () => void): void {
  let left = quietTurnsMax;
  const look = (sinceMs: number): void => {
    timers.nextTurn(() => {
      const nowMs = clock.monotonicMs();
      left -= 1;
      if (nowMs - sinceMs < quietTurnMs || left === 0) callback();
      else look(nowMs);
    });
  };
  look(Number.NEGATIVE_INFINITY);
}

/** A port of the system's choice, under its own number: only so may it be opened again while
 * connections of its first time are still there (SO_REUSEADDR). */
function reopened(port: Port): boolean {
  port.close();
  return port.open();
}

/** While the process is short of descriptors the port is closed, until it is closed for good. */
function closedWhileShort(port: Port, { onDescriptorsShort }: ListenOptions, timers: Timers): Port {
  const hasRoom = (): boolean => hasDescriptors(descriptorLimits.reserve);
  const watching = watchDescriptors(timers, hasRoom, (short) => {
    if (short) port.close();
    else if (!port.open()) return false;
    onDescriptorsShort?.(short);
    return true;
  });
  return {
    number: port.number,
    open: () => port.open(),
    move: () => port.move(),
    close() {
      watching.stop();
      port.close();
    },
  };
}

function createServer(
  apps: Apps,
  port: Port,
  name: string,
  shared: UwsShared,
  { clock, timers }: Time,
): HttpServer {
  const stopAccepting = (): void => {
    shared.stopping = true;
    port.close();
  };
  return {
    name,
    port: port.number,
    changeTls(tls) {
      assert(shared.scheme === 'https', 'this port speaks TLS');
      apps.all.push(apps.make(tls));
      port.move();
    },
    startClosing() {
      shared.stopping = true;
    },
    stopAccepting,
    async close(processEnds) {
      stopAccepting();
      shared.closed = true;
      const endOfSlice = createSliceTimer(clock, timers);
      for (const exchange of shared.live.items()) {
        exchange.cut();
        const pause = endOfSlice();
        if (pause !== undefined) await pause;
      }
      shared.deadlines.clear();
      // What is left is connections without a request, of which only the library knows: it would
      // cut thousands of them in one turn.
      if (processEnds === true) return;
      for (const app of apps.all) app.close();
      // The library frees closed sockets at the end of the loop's turn.
      await new Promise<void>((resolve) => void timers.nextTurn(resolve));
    },
  };
}
