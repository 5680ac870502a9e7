/**
 * The listener on node's own HTTP: HTTP/1.1 in the clear; over TLS HTTP/2 and HTTP/1.1 by ALPN,
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
import type { IncomingMessage, Server as HttpServerOfNode, ServerResponse } from 'node:http';
import { constants as http2Constants, createSecureServer } from 'node:http2';
import type {
  Http2SecureServer,
  Http2ServerRequest,
  ServerHttp2Session,
  ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { assert } from '../../stdx/assert.ts';
import { systemClock, systemTimers } from '../../stdx/clock.ts';
import { systemPrng } from '../../stdx/prng.ts';
import { createDeadlines } from '../deadlines.ts';
import { createDepartures } from '../departures.ts';
import { isHost, latin1AsUtf8 } from '../header-rules.ts';
import type {
  ExchangeHandler,
  HttpServer,
  Listen,
  ListenOptions,
  TlsOptions,
  TransportLimits,
} from '../http-exchange.ts';
import { headTooLarge, malformed, noHost, twoHosts } from '../refusal.ts';
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
import { createHeadFields } from './head-fields.ts';
import type { HeadFields } from './head-fields.ts';
import type { NodeRequest, NodeResponse, NodeShared } from './node-exchange.ts';
import { NodeExchange } from './node-exchange.ts';
import { isPeerKnown } from './peer-certificate.ts';
import { createPipeline } from './pipeline.ts';
import { createPlainReads } from './plain-reads.ts';
import { createReadTurns } from './read-turns.ts';
import type { ConnectionReads, ReadTurns } from './read-turns.ts';
import { readSessionInTurns, readsOn, setHandle } from './reading.ts';
import { serveUpgrades } from './upgrades.ts';
import { queueHandshakes } from './tls-handshakes.ts';
import { createSessionEnds, endingSession } from './session-ends.ts';
import { letStreamsGo } from './session-streams.ts';
import { createSessionTurns, streamsAtFirst } from './session-turns.ts';
import type { SessionConnection, SessionMember, StreamEnd } from './session-turns.ts';
import { certificatesPerTurn, createStreamTurns, requestsPerTurn } from './stream-turns.ts';
import { answerUnserved, refuse } from './unserved-heads.ts';

/** For the last words of an idle connection. */
const goodbyeMs = 1_000;

/** For answers that have been given when the port closes, and are still on their way. */
const lastAnswersMs = 500;

/** Rejects when the address is not to be had or the certificate is unusable. */
export const listenNode: Listen = async (options, handler) => {
  const { limits, tls } = options;
  const shared: NodeShared = {
    timers: systemTimers,
    deadlines: createDeadlines(systemClock, systemTimers),
    departures: createDepartures(systemClock, systemTimers),
    requestTimeoutMs: limits.requestTimeoutMs,
    headBytesMax: limits.headBytesMax,
    scheme: tls === undefined ? 'http' : 'https',
    load: options.load ?? createTransportLoad(limits),
    unreadBytesPerConnectionMax: limits.unreadBytesPerConnectionMax,
    frames: new FramedChunks(systemTimers),
    messageTurns: new MessageTurns(systemTimers),
    endings: createTurnQueue(systemTimers, endingsPerTurn),
    stopping: false,
  };
  const streamTurns = createStreamTurns(systemTimers, requestsPerTurn);
  const goesAway = chanceOf(options.goawayChance ?? 0);
  const certificateTurns = createStreamTurns(systemTimers, certificatesPerTurn);
  const serve = (req: NodeRequest, res: NodeResponse): void => {
    // Node tells of a stream in a later tick, when the session may have been ended already.
    if ('authority' in req && req.stream.session?.destroyed !== false) return;
    const isWhole = !('authority' in req) || hasAllHeaders(req);
    const begin = (): void => {
      if (isWhole) serveRequest(req, res, shared, handler);
      else refuse(res, malformed(noHeader));
    };
    const isKnown = tls?.clientCaPem === undefined || isPeerKnown(req);
    if (!('authority' in req)) {
      requestTurns?.(req);
      if (!pipeline(req.socket, res as ServerResponse)) return;
      return isKnown ? streamTurns(req.socket, begin) : certificateTurns(req.socket, begin);
    }
    // The streams that are open go on; the client opens its next one elsewhere.
    if (shared.stopping || goesAway()) req.stream.session?.close();
    if (isKnown) streamTurns(req.stream, begin);
    else certificateTurns(req.stream, begin);
  };
  const sessions = new Set<ServerHttp2Session>();
  const server = tls === undefined ? plainServer(limits) : tlsServer(options, tls, sessions);
  const pipeline = createPipeline();
  const connected = server.listeners(tls === undefined ? 'connection' : 'secureConnection');
  serveUpgrades(server, connected[0] as (this: unknown, socket: Socket) => void);
  const requestTurns = tls === undefined ? requestsInTurns(server as HttpServerOfNode) : undefined;
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
  return runningServer(server, shared, sockets, sessions);
};

const noHeader = 'a header has a name or a value that no header may have';
const headsOf = new WeakMap<ServerHttp2Session, HeadFields>();

/** Asked when node tells of the stream. */
function hasAllHeaders({ rawHeaders, stream }: Http2ServerRequest): boolean {
  const heads = stream.session && headsOf.get(stream.session as ServerHttp2Session);
  return heads?.has(stream.id as number, rawHeaders.length / 2) ?? true;
}

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
  req: NodeRequest,
  res: NodeResponse,
  shared: NodeShared,
  handler: ExchangeHandler,
): void {
  const { headBytesMax } = shared;
  const target = originForm(latin1AsUtf8(req.url ?? ''));
  const coding = req.headers['transfer-encoding'];
  // HTTP/1.1 has been refused before; over HTTP/2 a client may not have confirmed the bound yet.
  if ('authority' in req && headBytesOf(req.rawHeaders) > headBytesMax) {
    refuse(res, headTooLarge(headBytesMax));
  } else if (target === undefined) refuse(res, malformed('the request target is not a path'));
  else if (req.httpVersion === '1.1' && req.headers.host === undefined) {
    refuse(res, malformed('missing required Host header'));
  } else if (!('authority' in req) && hasTwoHosts(req.rawHeaders)) {
    refuse(res, malformed(twoHosts));
  } else if (!isHost(hostOf(req))) refuse(res, malformed(noHost));
  else if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    refuse(res, malformed('the only transfer coding known here is chunked'));
  } else handler(new NodeExchange(req, res, target, shared));
}

function hostOf(req: NodeRequest): string {
  const authority = 'authority' in req ? req.headers[':authority'] : '';
  return authority || (req.headers.host ?? '');
}

/** As HTTP/2 counts it. */
function headBytesOf(raw: readonly string[]): number {
  let bytes = 0;
  for (const text of raw) bytes += text.length;
  return bytes + 32 * (raw.length / 2);
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

/** A path as it is; of an absolute URI its path and query; nothing for '*' and authorities. */
function originForm(target: string): string | undefined {
  if (target.startsWith('/')) return target;
  const absolute = /^https?:\/\/[^/?#]*(.*)$/is.exec(target);
  if (absolute === null) return undefined;
  const rest = absolute[1] as string;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function plainServer(limits: TransportLimits): HttpServerOfNode {
  const server = createHttpServer({
    maxHeaderSize: limits.headBytesMax,
    requireHostHeader: false,
    requestTimeout: limits.requestTimeoutMs,
    headersTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.idleTimeoutMs,
    connectionsCheckingInterval: checkingIntervalMs(limits),
    noDelay: true,
  });
  server.maxHeadersCount = 0;
  return server;
}

function tlsServer(
  { limits, onCertificatesTooLong: onTooLong, onUnserved }: ListenOptions,
  tls: TlsOptions,
  sessions: Set<ServerHttp2Session>,
): Http2SecureServer {
  const server = createSecureServer({
    ...contextOptions(tls),
    allowHTTP1: true,
    handshakeTimeout: limits.requestTimeoutMs,
    maxSessionMemory: sessionMebibytes(limits),
    settings: {
      maxConcurrentStreams: streamsAtFirst(limits.http2StreamsMax),
      maxHeaderListSize: limits.headBytesMax,
    },
    // Each counts as 32 bytes and more of the list.
    maxHeaderListPairs: Math.ceil(limits.headBytesMax / 32),
    // A certificate is asked for, not demanded: tokens are as good a proof of who calls.
    ...(tls.clientCaPem === undefined ? {} : { requestCert: true, rejectUnauthorized: false }),
  });
  // What node:http takes as options of its server, HTTP/1.1 over this one reads as properties.
  Object.assign(server, {
    maxHeaderSize: limits.headBytesMax,
    requireHostHeader: false,
    maxHeadersCount: 0,
    requestTimeout: limits.requestTimeoutMs,
    headersTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.idleTimeoutMs,
    connectionsCheckingInterval: checkingIntervalMs(limits),
  });
  const { clientCertificateBytesMax: certificateBytesMax, requestTimeoutMs: timeoutMs } = limits;
  shareProtocols(server);
  const readTurns = createReadTurns(systemClock, systemTimers);
  const handshakes = { timeoutMs, certificateBytesMax, readTurns, onTooLong, onUnserved };
  queueHandshakes(server, handshakes, systemClock, systemTimers);
  const connected = endsInTurns();
  server.on('secureConnection', (socket) => {
    if (socket.alpnProtocol !== 'h2') connected(socket);
  });
  server.on('session', beginsSessions(limits, readTurns, sessions));
  return server;
}

/** What is done when a session of HTTP/2 begins. */
function beginsSessions(
  limits: TransportLimits,
  readTurns: ReadTurns,
  sessions: Set<ServerHttp2Session>,
): (session: ServerHttp2Session) => void {
  const sessionTurns = createSessionTurns(systemTimers, limits.http2StreamsMax);
  const newHeads = createHeadFields(systemTimers);
  const sessionEnds = createSessionEnds(systemTimers);
  return (session) => {
    letStreamsGo(session);
    const heads = newHeads();
    const onRead = (): void => sessionEnds.look(ending);
    if (readSessionInTurns(session, readTurns, { heads, onRead })) headsOf.set(session, heads);
    const member = sessionTurns(connectionOf(session));
    const ending = endingSession(session, member);
    sessions.add(session);
    session.on('close', () => {
      sessions.delete(session);
      member.gone();
    });
    session.on('error', () => {});
    // Either comes before the streams are closed.
    const ends = (): void => member.ending();
    session.socket.on('end', ends).on('error', ends);
    session.on('stream', (...[stream, , , rawHeaders]: HeadOfStream) => {
      const tooLarge = headBytesOf(rawHeaders) > limits.headBytesMax;
      const closed = member.opened({ texts: rawHeaders.length, tooLarge });
      stream.on('close', () => closed(endOf(stream)));
      stream.on('trailers', (...[, , rawTrailers]: Trailers) => member.read(rawTrailers.length));
    });
    // A quiet watch is an open stream: only a session without any is idle.
    session.setTimeout(limits.idleTimeoutMs);
    session.on('timeout', () => {
      if (member.open > 0) return sessionEnds.look(ending);
      session.close();
      // What it has yet to say waits for a client that may never read.
      systemTimers.after(goodbyeMs, () => session.destroy());
    });
  };
}

/** Node copies the names of its protocols for each connection, into eight kilobytes that it shares
 * with others and that live as long; what it copies from a view of this kind stands alone. */
function shareProtocols(server: Http2SecureServer): void {
  const { ALPNProtocols: names } = server as { ALPNProtocols?: unknown };
  if (!(names instanceof Uint8Array)) return;
  Object.assign(server, { ALPNProtocols: new DataView(Uint8Array.from(names).buffer) });
}

function endOf({ aborted, rstCode }: ServerHttp2Stream): StreamEnd {
  if (rstCode === http2Constants.NGHTTP2_INTERNAL_ERROR) return 'cut';
  return aborted || rstCode !== http2Constants.NGHTTP2_NO_ERROR ? 'reset' : 'answered';
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
function requestsInTurns(server: HttpServerOfNode): (req: IncomingMessage) => void {
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

/** What node says of a stream, and of its trailers: headers, flags, and names and values as they
 * came. */
type HeadOfStream = [ServerHttp2Stream, unknown, unknown, readonly string[]];
type Trailers = [unknown, unknown, readonly string[]];

function connectionOf(session: ServerHttp2Session): SessionConnection {
  const reads = readsOn(session.socket);
  return {
    read(reading) {
      if (session.destroyed) return;
      if (reads === undefined) setHandle(session.socket, reading);
      else reads.allow(reading);
    },
    allow(streams) {
      if (!session.destroyed) session.settings({ maxConcurrentStreams: streams });
    },
    end() {
      // Its streams are closed with it.
      if (session.destroyed) return;
      session.goaway(http2Constants.NGHTTP2_ENHANCE_YOUR_CALM);
      session.destroy();
    },
  };
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

/** Above it node refuses streams: room for all answers of a connection, and for their heads. */
function sessionMebibytes({ unreadBytesPerConnectionMax: bytes }: TransportLimits): number {
  return 16 + Math.ceil(bytes / (1024 * 1024));
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
async function untilEnded(sessions: ReadonlySet<ServerHttp2Session>): Promise<void> {
  let look = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    look = () => void (sessions.size === 0 && resolve());
  });
  const late = new Promise<void>((resolve) => {
    const timer = systemTimers.after(lastAnswersMs, resolve);
    void ended.then(() => timer.cancel());
  });
  await inTurns([...sessions], (session) => session.once('close', () => look()));
  look();
  await Promise.race([ended, late]);
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
      void inTurns([...sessions], (session) => session.close());
    });
    return closed;
  };
  return {
    name: shared.scheme === 'https' ? 'node (h2, http/1.1)' : 'node (http/1.1)',
    port: (server.address() as AddressInfo).port,
    changeTls(tls) {
      assert('setSecureContext' in server, 'this port speaks TLS');
      server.setSecureContext(contextOptions(tls));
    },
    startClosing() {
      shared.stopping = true;
    },
    stopAccepting: () => void stop(),
    async close() {
      const done = stop();
      await untilEnded(sessions);
      await inTurns([...sessions], (session) => session.destroy());
      await inTurns([...sockets], (socket) => socket.destroy());
      shared.deadlines.clear();
      await done;
    },
  };
}
