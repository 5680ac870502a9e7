/**
 * The listener on node's own HTTP: HTTP/1.1 in the clear; over TLS HTTP/2 and HTTP/1.1 by ALPN,
 * with client certificates asked for when a CA is given.
 *
 * What it is not: the fast path (listen-uws.ts is).
 *
 * Bounds: head size, request time, idle time and connections are those of TransportLimits, and node
 * answers 431 and 408 by itself; what is not HTTP gets 400. One HTTP/2 connection carries at most
 * `http2StreamsMax` requests at once. A client that half-closes has gone.
 */
import { constants } from 'node:crypto';
import { createServer as createHttpServer } from 'node:http';
import type { Server as HttpServerOfNode } from 'node:http';
import { createSecureServer } from 'node:http2';
import type { Http2SecureServer, ServerHttp2Session } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { systemClock, systemTimers } from '../../stdx/clock.ts';
import { createDeadlines } from '../deadlines.ts';
import { latin1AsUtf8 } from '../header-rules.ts';
import type {
  ExchangeHandler,
  HttpServer,
  Listen,
  ListenOptions,
  TlsOptions,
  TransportLimits,
} from '../http-exchange.ts';
import type { NodeRequest, NodeResponse, NodeShared } from './node-exchange.ts';
import { NodeExchange } from './node-exchange.ts';

/** Watches ride on one connection: enough for a controller with every kind in several scopes. */
const http2StreamsMax = 1_000;

/** Rejects when the address is not to be had or the certificate is unusable. */
export const listenNode: Listen = async (options, handler) => {
  const { limits, tls } = options;
  const shared: NodeShared = {
    deadlines: createDeadlines(systemClock, systemTimers),
    requestTimeoutMs: limits.requestTimeoutMs,
    scheme: tls === undefined ? 'http' : 'https',
    stopping: false,
  };
  const serve = (req: NodeRequest, res: NodeResponse): void => {
    serveRequest(req, res, shared, handler);
  };
  const sessions = new Set<ServerHttp2Session>();
  const server = tls === undefined ? plainServer(limits) : tlsServer(limits, tls, sessions);
  server.on('request', serve);
  server.maxConnections = limits.connectionsMax;
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
  });
  await openPort(server, options);
  return runningServer(server, shared, sockets, sessions);
};

function serveRequest(
  req: NodeRequest,
  res: NodeResponse,
  shared: NodeShared,
  handler: ExchangeHandler,
): void {
  const target = originForm(latin1AsUtf8(req.url ?? ''));
  const coding = req.headers['transfer-encoding'];
  if (target === undefined) refuse(res, 'the request target is not a path');
  else if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    refuse(res, 'the only transfer coding known here is chunked');
  } else handler(new NodeExchange(req, res, target, shared));
}

/** Answers what never becomes an exchange, and closes the connection. */
function refuse(res: NodeResponse, message: string): void {
  res.setHeader('Content-Type', 'text/plain; charset=utf-8');
  const isHttp2 = 'createPushResponse' in res;
  if (!isHttp2) res.setHeader('Connection', 'close');
  res.statusCode = 400;
  // Apart, because the two have no common signature of end().
  if (isHttp2) res.end(`${message}\n`);
  else res.end(`${message}\n`);
}

/** A path as it is; of an absolute URI its path and query; nothing for '*' and authorities. */
function originForm(target: string): string | undefined {
  if (target.startsWith('/')) return target;
  const absolute = /^https?:\/\/[^/?#]*(.*)$/i.exec(target);
  if (absolute === null) return undefined;
  const rest = absolute[1] as string;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function plainServer(limits: TransportLimits): HttpServerOfNode {
  return createHttpServer({
    maxHeaderSize: limits.headBytesMax,
    requestTimeout: limits.requestTimeoutMs,
    headersTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.idleTimeoutMs,
    connectionsCheckingInterval: checkingIntervalMs(limits),
    noDelay: true,
  });
}

function tlsServer(
  limits: TransportLimits,
  tls: TlsOptions,
  sessions: Set<ServerHttp2Session>,
): Http2SecureServer {
  const server = createSecureServer({
    cert: tls.certificatePem,
    key: tls.keyPem,
    allowHTTP1: true,
    minVersion: tls.minVersion ?? 'TLSv1.2',
    // A resumed session has lost what its client had sent beside its certificate.
    secureOptions: constants.SSL_OP_NO_TICKET,
    handshakeTimeout: limits.requestTimeoutMs,
    settings: { maxConcurrentStreams: http2StreamsMax, maxHeaderListSize: limits.headBytesMax },
    // A certificate is asked for, not demanded: tokens are as good a proof of who calls.
    ...(tls.clientCaPem === undefined
      ? {}
      : { ca: tls.clientCaPem, requestCert: true, rejectUnauthorized: false }),
  });
  // What node:http takes as options of its server, HTTP/1.1 over this one reads as properties.
  Object.assign(server, {
    maxHeaderSize: limits.headBytesMax,
    requestTimeout: limits.requestTimeoutMs,
    headersTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.idleTimeoutMs,
    connectionsCheckingInterval: checkingIntervalMs(limits),
  });
  server.on('session', (session) => {
    let openStreams = 0;
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
    session.on('error', () => {});
    session.on('stream', (stream) => {
      openStreams += 1;
      stream.on('close', () => (openStreams -= 1));
    });
    // A quiet watch is an open stream: only a session without any is idle.
    session.setTimeout(limits.idleTimeoutMs);
    session.on('timeout', () => {
      if (openStreams === 0) session.close();
    });
  });
  return server;
}

function checkingIntervalMs(limits: TransportLimits): number {
  return Math.max(100, Math.min(5_000, Math.floor(limits.requestTimeoutMs / 4)));
}

function openPort(
  server: HttpServerOfNode | Http2SecureServer,
  { address, port, sharedPort }: ListenOptions,
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    // In a worker of node:cluster, not exclusive means: the handle that all workers have.
    const exclusive = sharedPort !== true;
    server.listen({ host: address, port, backlog: 1024, exclusive }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function runningServer(
  server: HttpServerOfNode | Http2SecureServer,
  shared: NodeShared,
  sockets: Set<Socket>,
  sessions: Set<ServerHttp2Session>,
): HttpServer {
  let closed: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    shared.stopping = true;
    closed ??= new Promise((resolve) => {
      server.close(() => resolve());
      for (const session of sessions) session.close();
    });
    return closed;
  };
  return {
    name: shared.scheme === 'https' ? 'node (h2, http/1.1)' : 'node (http/1.1)',
    port: (server.address() as AddressInfo).port,
    stopAccepting: () => void stop(),
    async close() {
      const done = stop();
      for (const session of sessions) session.destroy();
      for (const socket of sockets) socket.destroy();
      shared.deadlines.clear();
      await done;
    },
  };
}
