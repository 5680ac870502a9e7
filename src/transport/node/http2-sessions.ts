/**
 * The connections of a listener that have agreed on HTTP/2: what comes over TLS is passed on to
 * their sessions in turns (read-turns.ts, session-turns.ts), and the streams that begin become
 * exchanges (stream-turns.ts).
 *
 * Invariants: a session without streams ends when it is idle; what it has yet to say has a second.
 * A client that half-closes has gone.
 * Bound: those of session-turns.ts and http2/session.ts, for each connection.
 */
import type { TLSSocket } from 'node:tls';
import { systemTimers } from '../../stdx/clock.ts';
import { plainAddress } from '../header-rules.ts';
import type { ExchangeHandler, TransportLimits } from '../http-exchange.ts';
import { Flushes } from '../http2/frame-writer.ts';
import { Http2Exchange } from '../http2/http2-exchange.ts';
import type { Http2Connection, Http2Shared } from '../http2/http2-exchange.ts';
import { errorCodes } from '../http2/protocol.ts';
import { isRefusal, readRequestHead } from '../http2/request-head.ts';
import type { RequestHead } from '../http2/request-head.ts';
import { Http2Session } from '../http2/session.ts';
import type { SessionEvents } from '../http2/session.ts';
import type { Http2Stream } from '../http2/stream.ts';
import type { Head } from '../http2/hpack/decoder.ts';
import { refusalBody, refusalType } from '../refusal.ts';
import type { Refusal } from '../refusal.ts';
import { isPeerKnown, peerCertificateOf } from './peer-certificate.ts';
import { readSession } from './reading.ts';
import type { SessionReads } from './reading.ts';
import type { ReadTurns } from './read-turns.ts';
import { createSessionTurns, streamsAtFirst } from './session-turns.ts';
import type { SessionConnection, SessionMember, SessionTurns } from './session-turns.ts';
import type { StreamTurns } from './stream-turns.ts';

/** For the last words of a connection. */
const goodbyeMs = 1_000;

export interface Http2Options {
  readonly limits: TransportLimits;
  readonly shared: Http2Shared;
  readonly readTurns: ReadTurns;
  /** Of all requests; and of the first of each connection, whose certificates are to be read. */
  readonly streamTurns: StreamTurns;
  readonly certificateTurns: StreamTurns;
  /** Clients may have certificates. */
  readonly asksForCertificates: boolean;
  /** After this request its connection takes no further ones. */
  goesAway(): boolean;
}

export interface Http2Sessions {
  /** A connection has agreed on it. */
  begin(socket: TLSSocket): void;
  /** Those that are open. */
  readonly open: ReadonlySet<Http2Session>;
  /** Calls back once, when none is open. */
  whenNone(callback: () => void): void;
}

export function createHttp2Sessions(
  options: Http2Options,
  handler: ExchangeHandler,
): Http2Sessions {
  const open = new Set<Http2Session>();
  const sessionTurns = createSessionTurns(systemTimers, options.limits.http2StreamsMax);
  const flushes = new Flushes(options.shared.load.answers);
  let onNone: (() => void) | undefined;
  return {
    open,
    begin(socket) {
      const connection = new Connection(socket, options, handler, sessionTurns, flushes);
      const { session } = connection;
      open.add(session);
      socket.on('close', () => {
        open.delete(session);
        if (open.size === 0) onNone?.();
      });
    },
    whenNone(callback) {
      if (open.size === 0) callback();
      else onNone = callback;
    },
  };
}

class Connection implements Http2Connection, SessionEvents, SessionConnection {
  readonly session: Http2Session;
  readonly remoteAddress: string;
  unreadBytes = 0;
  readonly #socket: TLSSocket;
  readonly #options: Http2Options;
  readonly #handler: ExchangeHandler;
  readonly #input: SessionReads;
  readonly #member: SessionMember;

  constructor(
    socket: TLSSocket,
    options: Http2Options,
    handler: ExchangeHandler,
    sessionTurns: SessionTurns,
    flushes: Flushes,
  ) {
    const { headBytesMax, http2StreamsMax, idleTimeoutMs } = options.limits;
    this.#socket = socket;
    this.#options = options;
    this.#handler = handler;
    this.remoteAddress = plainAddress(socket.remoteAddress ?? '');
    const sizes = { headBytesMax, streamsMax: streamsAtFirst(http2StreamsMax) };
    this.session = new Http2Session(socket, sizes, this, flushes);
    this.#input = readSession(this.session, socket, options.readTurns);
    this.#member = sessionTurns(this);
    socket.on('data', (bytes: Uint8Array) => this.#input.reads.take(bytes));
    socket.on('end', this.#leave).on('error', this.#leave).on('close', this.#close);
    socket.setTimeout(idleTimeoutMs).on('timeout', this.#idle);
  }

  get peerCertificate(): Http2Connection['peerCertificate'] {
    return peerCertificateOf(this.#socket);
  }

  read(reading: boolean): void {
    if (!this.session.isOver) this.#input.reads.allow(reading);
  }

  allow(streams: number): void {
    this.session.allow(streams);
  }

  end(): void {
    this.session.calmDown();
  }

  onStream(stream: Http2Stream, head: Head): void {
    const { limits } = this.#options;
    const request = readRequestHead(head, limits.headBytesMax);
    const tooLarge = isRefusal(request) && request.status === 431;
    stream.onEnd = this.#member.opened({ texts: head.texts.length, tooLarge });
    if (!isRefusal(request)) {
      stream.declaredBytes = request.bodyBytes;
      if (stream.isReadEnded && request.bodyBytes > 0) {
        return stream.reset(errorCodes.protocolError);
      }
    }
    if (this.#options.goesAway()) this.session.close();
    if (stream.closed) return;
    const { asksForCertificates, certificateTurns, streamTurns } = this.#options;
    const isKnown = !asksForCertificates || isPeerKnown(this.#socket);
    const turns = isKnown ? streamTurns : certificateTurns;
    turns(stream, () => this.#begin(stream, request));
  }

  onTrailers(texts: number): void {
    this.#member.read(texts);
  }

  /** What has been said is read by its client, or not. */
  onEnd(): void {
    this.#member.ending();
    this.#input.readToEnd();
    const socket = this.#socket;
    systemTimers.after(goodbyeMs, () => socket.destroy());
  }

  #begin(stream: Http2Stream, request: RequestHead | Refusal): void {
    if (isRefusal(request)) return this.#refuse(stream, request);
    if (request.expects && !stream.isReadEnded) this.session.goOn(stream);
    this.#handler(new Http2Exchange(stream, request, this, this.#options.shared));
  }

  /** What is malformed is answered with words, and then is an error. */
  #refuse(stream: Http2Stream, refusal: Refusal): void {
    const body = Buffer.from(refusalBody(refusal));
    const headers = [
      ['content-type', refusalType],
      ['date', this.#options.shared.date()],
      ['content-length', String(body.length)],
    ] as const;
    if (refusal.status === 400) stream.endsWith = errorCodes.protocolError;
    this.session.respond(stream, refusal.status, headers, false);
    stream.end(body);
  }

  readonly #leave = (): void => this.session.gone();

  readonly #close = (): void => {
    this.session.gone();
    this.#member.gone();
    this.#input.reads.end();
  };

  /** A quiet watch is an open stream: only a connection without any is idle. */
  readonly #idle = (): void => {
    const { session } = this;
    if (session.open > 0) {
      // It is told once, and not again while nothing comes or goes.
      this.#socket.setTimeout(this.#options.limits.idleTimeoutMs);
      return;
    }
    session.close();
    // Answers may wait that its client does not take.
    if (!session.isOver) systemTimers.after(goodbyeMs, () => session.destroy());
  };
}
