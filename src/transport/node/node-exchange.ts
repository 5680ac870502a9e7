/**
 * One request on node:http or node:https, as an HttpExchange.
 *
 * Elsewhere: the listener (listen-node.ts) and a streamed response (node-response-stream.ts).
 *
 * Invariants
 *  - Header text is UTF-8 on the wire in both directions (node speaks Latin-1), as on uWebSockets.
 *  - An answer to a request whose body is still arriving waits until the body has been drained
 *    (request-body.ts), so that the client can read it before the connection is closed.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { assert } from '../../stdx/assert.ts';
import type { Timers } from '../../stdx/clock.ts';
import { AbortCallbacks } from '../../stdx/requester.ts';
import { slotOf } from '../../stdx/slot-set.ts';
import type { Slot } from '../../stdx/slot-set.ts';
import { closedStream } from '../closed-stream.ts';
import type { Deadlines, Expiring } from '../deadlines.ts';
import type { Departing, Departures } from '../departures.ts';
import {
  isBodiless,
  isFramingHeader,
  latin1AsUtf8,
  pathAndQuery,
  plainAddress,
  safeHeaderValue,
  statedLength,
  utf8AsLatin1,
} from '../header-rules.ts';
import { conversationLimits } from '../http-exchange.ts';
import type { BodyResult, Conversation, Header, HttpExchange } from '../http-exchange.ts';
import type { MessageFraming, PeerCertificateChain, ResponseStream } from '../http-exchange.ts';
import type { TransportLoad } from '../load.ts';
import type { MessageTurns } from '../message-turns.ts';
import { tooManyUnread } from '../refusal.ts';
import { drainTimeoutMs, RequestBody } from '../request-body.ts';
import type { StallableResponse } from '../stalled-responses.ts';
import { UnreadAnswer } from '../unread-answer.ts';
import type { AnswersConnection } from '../unread-answer.ts';
import { protocolsOf, webSocketLimits } from '../web-socket.ts';
import type { TurnQueue } from './closing-turns.ts';
import type { FramedChunks } from './framed-chunks.ts';
import { NodeByteStream } from './node-byte-stream.ts';
import { MessageSocket } from './message-socket.ts';
import { NodeMessageStream } from './node-message-stream.ts';
import type { StreamedExchange } from '../streamed-exchange.ts';
import { ChunkedResponseStream, PassedResponseStream } from './node-response-stream.ts';
import { peerCertificateOf } from './peer-certificate.ts';
import { upgradableOf } from './upgrades.ts';

/** What the exchanges of one server share. */
export interface NodeShared {
  readonly deadlines: Deadlines;
  readonly departures: Departures;
  readonly requestTimeoutMs: number;
  readonly headBytesMax: number;
  readonly scheme: 'http' | 'https';
  readonly load: TransportLoad;
  readonly unreadBytesPerConnectionMax: number;
  readonly frames: FramedChunks;
  readonly messageTurns: MessageTurns;
  readonly timers: Pick<Timers, 'after' | 'nextTurn'>;
  /** Of answers of unknown length. */
  readonly endings: TurnQueue;
  /** The Date header of an answer over HTTP/2; HTTP/1.1 has node's. */
  date(): string;
  stopping: boolean;
}

/** A larger body goes to the socket in pieces of this size: TLS copies what it is given, and the
 * pieces show whether the reader takes anything. */
const pieceBytes = 64 * 1024;

const connections = new WeakMap<object, AnswersConnection>();

function connectionOf({ socket }: IncomingMessage): AnswersConnection {
  let connection = connections.get(socket);
  if (connection === undefined) connections.set(socket, (connection = { unreadBytes: 0 }));
  return connection;
}

const noHeaders: readonly Header[] = [];
const noBytes = new Uint8Array();
/** Of what a client says to whom nobody listens. */
const dropped = { messageBytesMax: webSocketLimits.receivedBytesMax };

export class NodeExchange
  implements HttpExchange, Expiring, StreamedExchange, StallableResponse, Departing
{
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly scheme: 'http' | 'https';
  readonly remoteAddress: string;
  readonly peerCertificate: PeerCertificateChain | undefined;
  readonly webSocketProtocols: readonly string[] | undefined;
  readonly upgrade: 'bytes' | undefined;
  trace: HttpExchange['trace'] = undefined;
  deadlineMs = 0;
  readonly waiting: Slot<Expiring> = slotOf<Expiring>(this);
  readonly #reading: Slot<StallableResponse> = slotOf<StallableResponse>(this);
  readonly #unread: UnreadAnswer;
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #shared: NodeShared;
  #headers: readonly Header[];
  #body: RequestBody | undefined;
  #bodyAsked = false;
  #status = 0;
  #closed = false;
  #aborted = false;
  #held: ((close: boolean) => void) | undefined;
  #abortCallbacks: AbortCallbacks | undefined;
  #onClosed: (() => void) | undefined;
  #sentBytes = 0;
  /** The part of its body that the transport has not been given yet. */
  #restBytes = 0;
  #takenBytes = 0;
  #takenSinceMs = 0;
  /** What the connection has changed over to. */
  #changed: NodeMessageStream | NodeByteStream | undefined;

  /** `target` is the request target in origin form. */
  constructor(req: IncomingMessage, res: ServerResponse, target: string, shared: NodeShared) {
    this.#req = req;
    this.#res = res;
    this.#shared = shared;
    this.method = req.method ?? 'GET';
    [this.path, this.query] = pathAndQuery(target);
    this.scheme = shared.scheme;
    const { load, unreadBytesPerConnectionMax } = shared;
    this.#unread = new UnreadAnswer(load.answers, connectionOf(req), unreadBytesPerConnectionMax);
    this.remoteAddress = plainAddress(req.socket.remoteAddress ?? '');
    const isSecure = shared.scheme === 'https';
    this.peerCertificate = isSecure ? peerCertificateOf(req.socket as TLSSocket) : undefined;
    this.#headers = copyHeaders(req);
    const isUpgradable = upgradableOf(req) !== undefined;
    this.webSocketProtocols = isUpgradable ? protocolsOf(this) : undefined;
    this.upgrade = isUpgradable ? 'bytes' : undefined;
    res.on('close', () => this.#leave());
    res.on('error', ignore);
    req.on('error', ignore);
    if (hasBody(req)) this.#expectBody();
  }

  get answered(): boolean {
    return this.#status !== 0;
  }

  get status(): number {
    return this.#status;
  }

  get closed(): boolean {
    return this.#closed;
  }

  get sentBytes(): number {
    return this.#sentBytes;
  }

  header(name: string): string | undefined {
    let found: string | undefined;
    for (const [each, value] of this.#headers) {
      if (each === name) found = found === undefined ? value : `${found}, ${value}`;
    }
    return found;
  }

  headers(): readonly Header[] {
    return this.#headers;
  }

  headerValues(name: string): readonly string[] {
    return this.#headers.filter(([each]) => each === name).map(([, value]) => value);
  }

  someHeader(test: (name: string) => boolean): boolean {
    return this.#headers.some(([name]) => test(name));
  }

  forgetHeaders(test: (name: string) => boolean): void {
    if (this.someHeader(test)) this.#headers = this.#headers.filter(([name]) => !test(name));
  }

  readBody(limitBytes: number): Promise<BodyResult> {
    assert(!this.#bodyAsked, 'a request body is read at most once');
    this.#bodyAsked = true;
    if (this.#body !== undefined) return this.#body.read(limitBytes);
    return Promise.resolve(
      this.#aborted ? { kind: 'aborted' } : { kind: 'complete', bytes: new Uint8Array(0) },
    );
  }

  setAnswerHeader(name: string, value: string): void {
    this.#res.setHeader(name, utf8AsLatin1(safeHeaderValue(value)));
  }

  send(status: number, headers: readonly Header[], body: Uint8Array | string): void {
    this.#respondOnce(status);
    if (this.#closed) return;
    this.#sentBytes = Buffer.byteLength(body);
    if (this.method === 'GET' && !this.#unread.hasRoom(this.#sentBytes)) {
      this.#status = tooManyUnread.status;
      this.#sentBytes = tooManyUnread.body.length;
      return this.#sendNow(429, tooManyUnread.headers, tooManyUnread.body, false);
    }
    const requestBody = this.#body;
    if (requestBody === undefined || requestBody.over) {
      this.#sendNow(status, headers, body, false);
      return;
    }
    this.#held = (close) => {
      this.#held = undefined;
      this.#shared.deadlines.remove(this);
      if (!this.#closed) this.#sendNow(status, headers, body, close);
    };
    this.deadlineMs = this.#shared.deadlines.nowMs() + drainTimeoutMs;
    this.#shared.deadlines.add(this);
    requestBody.drain((fully) => this.#held?.(!fully));
  }

  stream(
    status: number,
    headers: readonly Header[],
    _preamble?: Uint8Array,
    messages?: MessageFraming,
  ): ResponseStream {
    this.#respondOnce(status);
    if (this.#closed) return closedStream;
    this.#startReading();
    if (messages !== undefined) {
      return this.#changeOver(headers, messages, false) ?? closedStream;
    }
    const res = this.#res;
    const isHead = this.method === 'HEAD';
    const hasBody = !isHead && !isBodiless(status);
    const isChunked = hasBody && this.#req.httpVersion === '1.1';
    if (isChunked) res.setHeader('Transfer-Encoding', 'chunked');
    this.#writeHead(status, headers, isHead ? statedLength(headers) : undefined, false);
    if (!hasBody) {
      res.end();
      return closedStream;
    }
    // A stream may live for an hour: it need not hold the request's head for that long.
    this.#headers = noHeaders;
    // Not flushHeaders(): it has the head encoded as UTF-8 a second time.
    res.write(noBytes);
    if (!isChunked) return new PassedResponseStream(res, this);
    return new ChunkedResponseStream(res, this, this.#shared.frames);
  }

  converse(
    headers: readonly Header[],
    framing: MessageFraming | undefined,
  ): Conversation | undefined {
    this.#respondOnce(101);
    if (this.#closed) return undefined;
    this.#startReading();
    if (framing !== undefined) return this.#changeOver(headers, framing, true);
    const socket = upgradableOf(this.#req)?.bytes(headers);
    assert(socket !== undefined, 'only who asks for another protocol is given one');
    this.#headers = noHeaders;
    const bytes = new NodeByteStream(socket, this);
    this.#changed = bytes;
    socket.on('close', () => this.#leave());
    return bytes;
  }

  /** From now on node's own response is not touched any more. */
  #changeOver(
    headers: readonly Header[],
    framing: MessageFraming,
    receives: boolean,
  ): Conversation | undefined {
    this.#setHeaders(headers);
    const socket = upgradableOf(this.#req)?.webSocket(framing);
    if (socket === undefined) {
      this.cut();
      return undefined;
    }
    this.#headers = noHeaders;
    socket.on('close', () => this.#leave());
    const { deadlines, load, messageTurns, requestTimeoutMs, timers } = this.#shared;
    const { messageBytesMax } = receives ? conversationLimits : dropped;
    const times = { deadlines, messageMs: requestTimeoutMs, timers };
    const deps = { bodies: load.bodies, messageBytesMax, ...times };
    const webSocket = new MessageSocket(socket, deps);
    const changed = { webSocket, socket, exchange: this };
    const messages = new NodeMessageStream(changed, framing.isText, messageTurns);
    this.#changed = messages;
    return messages;
  }

  count(bytes: number): void {
    this.#sentBytes += bytes;
  }

  finish(): void {
    this.#shared.endings(() => {
      if (!this.#closed) this.#res.end();
    });
  }

  onAbort(callback: () => void): void {
    if (this.#aborted) callback();
    else if (!this.#closed) (this.#abortCallbacks ??= new AbortCallbacks()).add(callback);
  }

  offAbort(callback: () => void): void {
    this.#abortCallbacks?.remove(callback);
  }

  onClosed(callback: () => void): void {
    if (this.#closed) callback();
    else this.#onClosed = callback;
  }

  expire(): void {
    if (this.#closed) return;
    if (this.#held !== undefined) this.#held(true);
    else this.cut();
  }

  /** Cuts the connection. */
  cut(): void {
    this.#req.socket.destroy();
    this.#socketClosed();
  }

  stalledSinceMs(nowMs: number): number {
    const waitingBytes = this.#changed?.unreadBytes ?? this.#res.writableLength;
    const unreadBytes = this.#restBytes + waitingBytes;
    const takenBytes = this.#sentBytes - unreadBytes;
    // Not every byte that waits is of the body: framing makes it seem that less has been taken.
    if (unreadBytes === 0 || takenBytes > this.#takenBytes) {
      this.#takenBytes = takenBytes;
      this.#takenSinceMs = nowMs;
    }
    return this.#takenSinceMs;
  }

  #expectBody(): void {
    const req = this.#req;
    const flow = {
      pause: () => void req.pause(),
      resume: () => void req.resume(),
      cut: () => this.cut(),
    };
    const declaredBytes = Number(req.headers['content-length'] ?? -1);
    const body = new RequestBody(flow, this.#shared.load.bodies, declaredBytes, true);
    this.#body = body;
    this.deadlineMs = this.#shared.deadlines.nowMs() + this.#shared.requestTimeoutMs;
    this.#shared.deadlines.add(this);
    req.on('data', (chunk: Uint8Array) => body.take(chunk, false));
    req.on('end', () => {
      this.#shared.deadlines.remove(this);
      body.take(new Uint8Array(0), true);
    });
  }

  #respondOnce(status: number): void {
    assert(this.#status === 0, 'an exchange is answered exactly once');
    this.#status = status;
    this.#body?.release();
  }

  /** From now on the reader is expected to take what there is. */
  #startReading(): void {
    const { answers } = this.#shared.load;
    this.#takenSinceMs = answers.nowMs();
    answers.add(this.#reading);
  }

  #sendNow(
    status: number,
    headers: readonly Header[],
    body: Uint8Array | string,
    close: boolean,
  ): void {
    const bodiless = isBodiless(status);
    const bytes = bodiless ? undefined : Buffer.byteLength(body);
    this.#writeHead(status, headers, bytes, close);
    const res = this.#res;
    this.#startReading();
    if (bodiless || this.method === 'HEAD') {
      res.end();
      return;
    }
    // Never a string: node would join it to the head and encode that as UTF-8 a second time.
    const sent = typeof body === 'string' ? Buffer.from(body) : body;
    this.#unread.hold(sent.byteLength);
    if (sent.byteLength > pieceBytes) this.#sendPieces(sent);
    else res.end(sent);
  }

  /** The body itself, shared with whoever else is being sent it: nothing is copied here. */
  #sendPieces(body: Uint8Array): void {
    const res = this.#res;
    let at = 0;
    const give = (): void => {
      while (at < body.byteLength && !this.#closed) {
        const piece = body.subarray(at, at + pieceBytes);
        at += piece.byteLength;
        this.#restBytes = body.byteLength - at;
        // What went before has been taken.
        this.#unread.release(this.#unread.heldBytes - piece.byteLength - this.#restBytes);
        if (!res.write(piece)) return;
      }
      if (!this.#closed) res.end();
    };
    res.on('drain', give);
    give();
  }

  #writeHead(
    status: number,
    headers: readonly Header[],
    bodyBytes: number | undefined,
    close: boolean,
  ): void {
    const res = this.#res;
    try {
      this.#setHeaders(headers);
      if (bodyBytes !== undefined) res.setHeader('Content-Length', bodyBytes);
      const isLast = close || this.#shared.stopping;
      if (isLast) res.setHeader('Connection', 'close');
      res.writeHead(status);
    } catch (error) {
      // What cannot be said at all is never said: nobody waits for it.
      this.cut();
      throw error;
    }
  }

  #setHeaders(headers: readonly Header[]): void {
    const byName = new Map<string, string[]>();
    for (const [name, value] of headers) {
      if (isFramingHeader(name)) continue;
      const values = byName.get(name);
      const text = utf8AsLatin1(safeHeaderValue(value));
      if (values === undefined) byName.set(name, [text]);
      else values.push(text);
    }
    const res = this.#res;
    for (const [name, values] of byName) {
      const only = values.length === 1 ? values[0] : undefined;
      res.setHeader(name, only ?? values);
    }
  }

  /** It is over, or the client has gone. */
  #leave(): void {
    if (this.#closed) return;
    this.#markClosed();
    if (this.#aborted) this.#shared.departures.add(this);
    else this.depart();
  }

  #socketClosed(): void {
    if (this.#closed) return;
    this.#markClosed();
    this.depart();
  }

  #markClosed(): void {
    this.#closed = true;
    this.#held = undefined;
    this.#aborted = !(this.#changed?.isEnded ?? this.#res.writableFinished);
  }

  /** Tells those who hold something for it. */
  depart(): void {
    this.#shared.deadlines.remove(this);
    this.#body?.abort();
    this.#body?.release();
    this.#shared.load.answers.remove(this.#reading);
    this.#unread.release(this.#unread.heldBytes);
    if (this.#aborted) this.#abortCallbacks?.call();
    this.#abortCallbacks = undefined;
    const told = this.#onClosed;
    this.#onClosed = undefined;
    told?.();
  }
}

function hasBody(req: IncomingMessage): boolean {
  const length = req.headers['content-length'];
  return req.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

function copyHeaders(req: IncomingMessage): Header[] {
  const raw = req.rawHeaders;
  const pairs: Header[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] as string).toLowerCase();
    const value = latin1AsUtf8(raw[i + 1] as string);
    pairs.push([name, value]);
  }
  return pairs;
}

function ignore(): void {
  // The 'close' event that follows says all there is to know.
}
