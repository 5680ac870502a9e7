/**
 * The listener on node's own HTTP/1.1, in the clear; over TLS also on HTTP/2 (http2/), by ALPN,
 * with client certificates asked for when a CA is given.
 *
 * listen-uws.ts is the fast path.
 *
 * Bounds: head size, request time, idle time and connections are those of TransportLimits; above
 * them 431 and 408; what is not HTTP gets 400, a method that node does not know 405. The number of
 * headers has no bound of its own, for node drops what is above it without a word. One HTTP/2
 * connection carries at most `http2StreamsMax` requests at once. A client that half-closes has
 * gone.
 */
import { constants } from 'node:crypto';
import { createServer as createHttpServer } from 'node:http';
import type { IncomingMessage, Server as PlainServer, ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Server as SecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { assert } from '../../stdx/assert.ts';
import { systemClock, systemTimers } from '../../stdx/clock.ts';
import { systemPrng } from '../../stdx/prng.ts';
import { createDeadlines } from '../deadlines.ts';
import { createDepartures } from '../departures.ts';
import { isHost, latin1AsUtf8, originForm } from '../header-rules.ts';
import type {
  ExchangeHandler,
  HttpServer,
  Listen,
  ListenOptions,
  TlsOptions,
  TransportLimits,
} from '../http-exchange.ts';
import { malformed, noHost, twoHosts } from '../refusal.ts';
import { createTransportLoad } from '../load.ts';
import { MessageTurns } from '../message-turns.ts';
import {
  createClosings,
  createTurnQueue,
  endingsPerTurn,
  shutdownsPerTurn,
} from './closing-turns.ts';
import { createChunkTurns } from './chunk-turns.ts';
import { FramedChunks } from './framed-chunks.ts';
import { createHttp2Sessions } from './http2-sessions.ts';
import type { Http2Sessions } from './http2-sessions.ts';
import type { NodeShared } from './node-exchange.ts';
import { NodeExchange } from './node-exchange.ts';
import { isPeerKnown } from './peer-certificate.ts';
import { createPipeline } from './pipeline.ts';
import { createDate } from '../http2/date-header.ts';
import { createPlainReads } from './plain-reads.ts';
import { createReadTurns } from './read-turns.ts';
import type { ConnectionReads, ReadTurns } from './read-turns.ts';
import { readsOn, setHandle } from './reading.ts';
import { serveUpgrades } from './upgrades.ts';
import { queueHandshakes } from './tls-handshakes.ts';
import type { HttpServerOfNode } from './servers.ts';
import { createSessionTurns } from './session-turns.ts';
import type { SessionConnection, SessionMember } from './session-turns.ts';
import { certificatesPerTurn, createStreamTurns, requestsPerTurn } from './stream-turns.ts';
import { answerUnserved, refuse } from './unserved-heads.ts';

/** For answers that have been given when the port closes, and are still on their way. */
const lastAnswersMs = 500;

/** Rejects when the address is not to be had or the certificate is unusable. */
export const listenNode: Listen = async (options, handler) => {
  const { limits, tls } = options;
  const shared: NodeShared = {
    deadlines: createDeadlines(systemClock, systemTimers),
    departures: createDepartures(systemClock, systemTimers),
    requestTimeoutMs: limits.requestTimeoutMs,
    headBytesMax: limits.headBytesMax,
    scheme: tls === undefined ? 'http' : 'https',
    load: options.load ?? createTransportLoad(limits),
    unreadBytesPerConnectionMax: limits.unreadBytesPerConnectionMax,
    frames: new FramedChunks(systemTimers),
    messageTurns: new MessageTurns(systemTimers),
    timers: systemTimers,
    endings: createTurnQueue(systemTimers, endingsPerTurn),
    date: createDate(systemClock),
    stopping: false,
  };
  const streamTurns = createStreamTurns(systemTimers, requestsPerTurn);
  const certificateTurns = createStreamTurns(systemTimers, certificatesPerTurn);
  const serve = (req: IncomingMessage, res: ServerResponse): void => {
    requestTurns?.(req);
    if (!pipeline(req.socket, res)) return;
    const isKnown = tls?.clientCaPem === undefined || isPeerKnown(req.socket);
    const turns = isKnown ? streamTurns : certificateTurns;
    turns(req.socket, () => serveRequest(req, res, shared, handler));
  };
  const goesAway = chanceOf(options.goawayChance ?? 0);
  const sessionOptions = {
    limits,
    shared,
    streamTurns,
    certificateTurns,
    asksForCertificates: tls?.clientCaPem !== undefined,
    goesAway: () => shared.stopping || goesAway(),
    readTurns: createReadTurns(systemClock, systemTimers),
  };
  const sessions = createHttp2Sessions(sessionOptions, handler);
  const secured = tls === undefined ? undefined : tlsServer(options, tls, sessionOptions, sessions);
  const plain = secured === undefined ? plainServer(limits) : undefined;
  const server = (secured ?? plain) as HttpServerOfNode;
  const pipeline = createPipeline();
  const connected = server.listeners(secured === undefined ? 'connection' : 'secureConnection');
  serveUpgrades(server, connected[0] as (this: unknown, socket: Socket) => void);
  const requestTurns = plain && requestsInTurns(plain);
  server.on('tlsClientError', () => options.onHandshakeError?.());
  server.on('request', serve);
  answerUnserved(server, limits, shared.departures);
  server.maxConnections = limits.connectionsMax;
  const sockets = new Set<Socket>();
  const forget = function (this: Socket): void {
    sockets.delete(this);
  };
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', forget).on('error', ignore);
  });
  await openPort(server, options);
  return runningServer(server, secured, shared, sockets, sessions);
};

function ignore(): void {
  // The 'close' event that follows says all there is to know.
}

/** True once in so many calls. */
function chanceOf(chance: number): () => boolean {
  if (chance === 0) return () => false;
  const prng = systemPrng();
  return () => prng.uint32() < chance * 0x1_0000_0000;
}

function serveRequest(
  req: IncomingMessage,
  res: ServerResponse,
  shared: NodeShared,
  handler: ExchangeHandler,
): void {
  const target = originForm(latin1AsUtf8(req.url ?? ''));
  const coding = req.headers['transfer-encoding'];
  if (target === undefined) refuse(res, malformed('the request target is not a path'));
  else if (req.httpVersion === '1.1' && req.headers.host === undefined) {
    refuse(res, malformed('missing required Host header'));
  } else if (hasTwoHosts(req.rawHeaders)) refuse(res, malformed(twoHosts));
  else if (!isHost(req.headers.host ?? '')) refuse(res, malformed(noHost));
  else if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    refuse(res, malformed('the only transfer coding known here is chunked'));
  } else handler(new NodeExchange(req, res, target, shared));
}

/** Node keeps the first of them, without a word. */
function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}

function plainServer(limits: TransportLimits): PlainServer {
  const server = createHttpServer({ ...http1Options(limits), noDelay: true });
  server.maxHeadersCount = 0;
  return server;
}

function http1Options(limits: TransportLimits) {
  return {
    maxHeaderSize: limits.headBytesMax,
    requireHostHeader: false,
    requestTimeout: limits.requestTimeoutMs,
    headersTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.idleTimeoutMs,
    connectionsCheckingInterval: checkingIntervalMs(limits),
  };
}

function tlsServer(
  { limits, onCertificatesTooLong: onTooLong, onUnserved }: ListenOptions,
  tls: TlsOptions,
  { readTurns }: { readonly readTurns: ReadTurns },
  sessions: Http2Sessions,
): SecureServer {
  const server = createHttpsServer({
    ...http1Options(limits),
    ...contextOptions(tls),
    ALPNProtocols: ['h2', 'http/1.1'],
    handshakeTimeout: limits.requestTimeoutMs,
    // A certificate is asked for, not demanded: tokens are as good a proof of who calls.
    ...(tls.clientCaPem === undefined ? {} : { requestCert: true, rejectUnauthorized: false }),
  });
  server.maxHeadersCount = 0;
  const { clientCertificateBytesMax: certificateBytesMax, requestTimeoutMs: timeoutMs } = limits;
  shareProtocols(server);
  const serveHttp1 = server.listeners('secureConnection')[0] as (socket: TLSSocket) => void;
  const connected = endsInTurns();
  server.removeAllListeners('secureConnection');
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol === 'h2') sessions.begin(socket);
    else serveHttp1.call(server, socket);
  });
  const handshakes = { timeoutMs, certificateBytesMax, readTurns, onTooLong, onUnserved };
  queueHandshakes(server, handshakes, systemClock, systemTimers);
  // Not above: a connection may be read anew many times (upgrades.ts).
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol !== 'h2') connected(socket);
  });
  return server;
}

/** Node copies the names of its protocols for each connection, into eight kilobytes that it shares
 * with others and that live as long; what it copies from a view of this kind stands alone. */
function shareProtocols(server: SecureServer): void {
  const { ALPNProtocols: names } = server as { ALPNProtocols?: unknown };
  if (!(names instanceof Uint8Array)) return;
  Object.assign(server, { ALPNProtocols: new DataView(Uint8Array.from(names).buffer) });
}

/** Connections of HTTP/1.1: when many end at once, or in the clear when many requests come at once,
 * the others are read from a few at a time, and a few close. */
function endsInTurns(): (socket: Socket) => SessionMember {
  const turns = createSessionTurns(systemTimers, 1);
  const closeInTurns = createClosings(systemTimers);
  const members = new WeakMap<Socket, SessionMember>();
  const ending = function (this: Socket): void {
    members.get(this)?.ending();
  };
  const gone = function (this: Socket): void {
    members.get(this)?.gone();
  };
  return (socket) => {
    closeInTurns(socket);
    const member = turns(new EndingConnection(socket));
    members.set(socket, member);
    socket.on('end', ending).on('error', ending).on('close', gone);
    return member;
  };
}

/** Thousands are stopped in one turn. */
class EndingConnection implements SessionConnection {
  readonly #socket: Socket;
  readonly #reads: ConnectionReads | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#reads = readsOn(socket);
  }

  read(reading: boolean): void {
    const socket = this.#socket;
    // What node itself has paused it goes on with.
    if (reading && (socket.destroyed || socket.isPaused())) return;
    if (this.#reads === undefined) setHandle(socket, reading);
    else this.#reads.allow(reading);
  }

  allow(): void {
    // It has one stream.
  }

  end(): void {
    // Of HTTP/2.
  }
}

/** In the clear nothing is held (read-turns.ts), but each read and each request is told of: when
 * many come at once, the others are read from a few at a time. */
function requestsInTurns(server: PlainServer): (req: IncomingMessage) => void {
  const connected = endsInTurns();
  const members = new WeakMap<Socket, SessionMember>();
  const countChunks = createChunkTurns(systemTimers);
  const countReads = createPlainReads();
  server.on('connection', (socket: Socket) => {
    const member = connected(socket);
    members.set(socket, member);
    countChunks(socket, member);
    countReads(socket, member);
  });
  return ({ rawHeaders, socket }) => members.get(socket)?.requested(rawHeaders.length);
}

/** What a change of the certificates replaces. */
function contextOptions({ certificatePem, clientCaPem, keyPem, minVersion }: TlsOptions) {
  return {
    cert: certificatePem,
    key: keyPem,
    ...(clientCaPem === undefined ? {} : { ca: clientCaPem }),
    minVersion: minVersion ?? 'TLSv1.2',
    // A resumed session has lost what its client had sent beside its certificate; and whoever
    // shakes hands again on a connection would send certificates that nobody has counted.
    secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
  } as const;
}

function checkingIntervalMs(limits: TransportLimits): number {
  return Math.max(100, Math.min(5_000, Math.floor(limits.requestTimeoutMs / 4)));
}

function openPort(
  server: HttpServerOfNode,
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

/** Ending thousands of connections is more than one turn. */
async function inTurns<T>(items: readonly T[], each: (item: T) => void): Promise<void> {
  let doneInTurn = 0;
  for (const item of items) {
    if (doneInTurn === shutdownsPerTurn) {
      await new Promise<void>((resolve) => void systemTimers.nextTurn(resolve));
      doneInTurn = 0;
    }
    doneInTurn += 1;
    each(item);
  }
}

/** Sessions that are closing end when their streams have; those of slow clients are not awaited. */
async function untilEnded(sessions: Http2Sessions): Promise<void> {
  const ended = new Promise<void>((resolve) => sessions.whenNone(resolve));
  const late = new Promise<void>((resolve) => {
    const timer = systemTimers.after(lastAnswersMs, resolve);
    void ended.then(() => timer.cancel());
  });
  await Promise.race([ended, late]);
}

function runningServer(
  server: HttpServerOfNode,
  secured: SecureServer | undefined,
  shared: NodeShared,
  sockets: Set<Socket>,
  sessions: Http2Sessions,
): HttpServer {
  let closed: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    shared.stopping = true;
    closed ??= new Promise((resolve) => {
      server.close(() => resolve());
      void inTurns([...sessions.open], (session) => session.close());
    });
    return closed;
  };
  return {
    name: secured === undefined ? 'node (http/1.1)' : 'node (h2, http/1.1)',
    port: (server.address() as AddressInfo).port,
    changeTls(tls) {
      assert(secured !== undefined, 'this port speaks TLS');
      secured.setSecureContext(contextOptions(tls));
    },
    startClosing() {
      shared.stopping = true;
    },
    stopAccepting: () => void stop(),
    async close() {
      const done = stop();
      await untilEnded(sessions);
      await inTurns([...sessions.open], (session) => session.destroy());
      await inTurns([...sockets], (socket) => socket.destroy());
      shared.deadlines.clear();
      await done;
    },
  };
}
