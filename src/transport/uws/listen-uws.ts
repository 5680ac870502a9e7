/**
 * The HTTP/1.1 listener on uWebSockets.js.
 *
 * What it is not: a TLS endpoint (listen-node.ts is), nor WebSockets.
 *
 * What the library decides, and no option changes (20.30):
 *  - A connection without a request, or one whose response is complete, is closed after about 10 s
 *    (up to 14 s); a body must arrive at 16 kB/s or more; a client that takes nothing of a response
 *    for as long is cut. A quiet stream is never cut. `idleTimeoutMs` is therefore not used here.
 *  - A head that comes in several segments may have 4 KiB, and at most 48 headers; beyond it, and
 *    for what is not HTTP/1.1, the connection is closed without an answer.
 *  - Bytes above 0x7f at either end of a header value are trimmed as if they were white space.
 *  - A trailer after a chunked body is taken for the start of the next request.
 *  - A pipelined request that arrives before the answer to the one ahead closes the connection.
 *  - A client that half-closes has gone.
 *  - Connections without a request on them are invisible: `connectionsMax` counts exchanges in
 *    progress (503 above it), and idle ones go by themselves after stopAccepting().
 */
import { assert } from '../../stdx/assert.ts';
import { systemClock, systemTimers } from '../../stdx/clock.ts';
import type { Clock, Timers } from '../../stdx/clock.ts';
import { SlotSet } from '../../stdx/slot-set.ts';
import { createDeadlines } from '../deadlines.ts';
import type { ExchangeHandler, HttpServer, Listen, ListenOptions } from '../http-exchange.ts';
import { statusLine } from '../header-rules.ts';
import type { UwsApp, UwsBinding, UwsResponse } from './uws-binding.ts';
import { loadUws } from './uws-binding.ts';
import type { UwsShared } from './uws-exchange.ts';
import { UwsExchange } from './uws-exchange.ts';

/** Rejects when no native binding loads here, for TLS, and when the address is not to be had. */
export const listenUws: Listen = async (options, handler) => {
  const load = await loadUws();
  if (!load.ok) throw new Error(`uWebSockets.js is not available: ${load.why}`);
  return createUwsListen(load.uws, load.name, systemClock, systemTimers)(options, handler);
};

export function createUwsListen(
  uws: UwsBinding,
  name: string,
  clock: Clock,
  timers: Timers,
): Listen {
  return async (options, handler) => {
    if (options.tls !== undefined) throw new Error('the uws transport does not serve TLS');
    uws._cfg('silent');
    const shared: UwsShared = {
      live: new SlotSet(),
      deadlines: createDeadlines(clock, timers),
      requestTimeoutMs: options.limits.requestTimeoutMs,
      stopping: false,
    };
    const app = uws.App();
    app.any('/*', (res, req) => {
      const exchange = new UwsExchange(res, req, shared);
      const refusal = refusalOf(exchange, shared, options);
      if (refusal === undefined) serve(exchange, handler);
      else refuse(res, refusal, timers);
    });
    const socket = await openPort(app, uws, options);
    return createServer(app, uws, socket, name, shared, timers);
  };
}

interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** Undefined: it becomes an exchange, and expects its body. */
function refusalOf(
  exchange: UwsExchange,
  shared: UwsShared,
  { limits }: ListenOptions,
): Refusal | undefined {
  if (exchange.headBytes > limits.headBytesMax) {
    const message = `the request head is larger than ${limits.headBytesMax} bytes`;
    return { status: 431, message };
  }
  if (shared.live.size >= limits.connectionsMax) {
    return { status: 503, message: 'too many requests in progress' };
  }
  const contentLength = exchange.header('content-length');
  const transferEncoding = exchange.header('transfer-encoding');
  if (transferEncoding !== undefined && transferEncoding.toLowerCase() !== 'chunked') {
    return { status: 400, message: 'the only transfer coding known here is chunked' };
  }
  // A repeated header is joined with a comma: two lengths, even equal ones, are refused.
  if (contentLength !== undefined && !/^[0-9]{1,9}$/.test(contentLength)) {
    return { status: 400, message: 'Content-Length is not one number' };
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
function refuse(res: UwsResponse, { message, status }: Refusal, timers: Timers): void {
  let gone = false;
  res.onAborted(() => (gone = true));
  timers.nextTurn(() => {
    if (gone) return;
    res.cork(() => {
      res.writeStatus(statusLine(status));
      res.writeHeader('Content-Type', 'text/plain; charset=utf-8');
      res.end(`${message}\n`, true);
    });
  });
}

function openPort(
  app: UwsApp,
  uws: UwsBinding,
  { address, port, sharedPort }: ListenOptions,
): Promise<object> {
  // By default a second server would share the port (SO_REUSEPORT) without a word.
  const sharing = sharedPort === true ? 0 : uws.LIBUS_LISTEN_EXCLUSIVE_PORT;
  return new Promise((resolve, reject) => {
    app.listen(address, port, sharing, (socket) => {
      if (socket === false) reject(new Error(`cannot listen on ${address}:${port}`));
      else resolve(socket);
    });
  });
}

function createServer(
  app: UwsApp,
  uws: UwsBinding,
  socket: object,
  name: string,
  shared: UwsShared,
  timers: Timers,
): HttpServer {
  const port = uws.us_socket_local_port(socket);
  assert(port > 0, 'a listening socket has a port');
  const stopAccepting = (): void => {
    if (shared.stopping) return;
    shared.stopping = true;
    uws.us_listen_socket_close(socket);
  };
  return {
    name,
    port,
    stopAccepting,
    close() {
      stopAccepting();
      for (const exchange of shared.live.items()) exchange.cut();
      shared.deadlines.clear();
      app.close();
      // The library frees closed sockets at the end of the loop's turn.
      return new Promise((resolve) => void timers.nextTurn(resolve));
    },
  };
}
