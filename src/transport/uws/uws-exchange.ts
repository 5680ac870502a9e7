/**
 * One request on uWebSockets.js, as an HttpExchange.
 *
 * Elsewhere: the listener (listen-uws.ts) and the chunked response (uws-response-stream.ts).
 *
 * Invariants
 *  - The library's request object is read only while the constructor runs, its response object
 *    never after the response is complete or aborted: either use would throw.
 *  - An answer to a request whose body is still arriving waits until the body has been drained
 *    (request-body.ts says how much and how long): closing a socket with unread bytes resets the
 *    connection, and the client would lose the answer.
 */
import { assert } from '../../stdx/assert.ts';
import type { Timers } from '../../stdx/clock.ts';
import { AbortCallbacks } from '../../stdx/requester.ts';
import { slotOf } from '../../stdx/slot-set.ts';
import type { SlotSet, Slot } from '../../stdx/slot-set.ts';
import type { Deadlines, Expiring } from '../deadlines.ts';
import type { Departing, Departures } from '../departures.ts';
import { closedStream } from '../closed-stream.ts';
import { headerIn, headersIn, headerValuesIn, someHeaderIn, withoutHeaders } from '../head-list.ts';
import {
  asksToClose,
  isBodiless,
  isFramingHeader,
  safeHeaderValue,
  statedLength,
  statusLine,
} from '../header-rules.ts';
import type { BodyResult, Conversation, Header, HttpExchange } from '../http-exchange.ts';
import type { MessageFraming, ResponseStream } from '../http-exchange.ts';
import type { TransportLoad } from '../load.ts';
import type { MessageTurns } from '../message-turns.ts';
import { tooManyUnread } from '../refusal.ts';
import { drainTimeoutMs, RequestBody } from '../request-body.ts';
import type { BodyFlow } from '../request-body.ts';
import { textOfAddress } from './address-text.ts';
import { UnreadBody } from './unread-body.ts';
import type { UwsRequest, UwsResponse, UwsWebSocket } from './uws-binding.ts';
import { askedUpgrade, UwsMessageStream } from './uws-message-stream.ts';
import type { AskedUpgrade, Upgrading } from './uws-message-stream.ts';
import { UwsResponseStream, UwsWrites } from './uws-response-stream.ts';
import type { ResponseWatcher } from './uws-response-stream.ts';

/** Above it a body is handed over as the socket takes it, never copied into the library. */
const directBodyBytesMax = 8 * 1024;

/** The library cuts readers who take nothing for ten seconds; this resets its timer. */
const keepAliveMs = 4_000;

/** Over TLS a body is given in pieces that are one record each: of a larger one the library takes
 * nothing until all of it is sent, and cuts its reader meanwhile as one who takes nothing. */
const securePieceBytes = 16 * 1024 - 64;

const empty = new Uint8Array(0);
const noHeaders: readonly Header[] = [];

/** What the exchanges of one server share. */
export interface UwsShared {
  /** Exchanges that outlived their handler call and are not complete. */
  readonly live: SlotSet<UwsExchange>;
  readonly deadlines: Deadlines;
  readonly departures: Departures;
  readonly requestTimeoutMs: number;
  /** For readers who take nothing. */
  readonly idleTimeoutMs: number;
  readonly load: TransportLoad;
  readonly scheme: 'http' | 'https';
  readonly timers: Pick<Timers, 'nextTurn'>;
  readonly messageTurns: MessageTurns;
  /** Made for the first response that is streamed. */
  writes: UwsWrites | undefined;
  /** Set once: answers then close their connection. */
  stopping: boolean;
  /** Set once: who still asks is cut. */
  closed: boolean;
}

export class UwsExchange implements HttpExchange, Expiring, BodyFlow, ResponseWatcher, Departing {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly scheme: 'http' | 'https';
  readonly peerCertificate = undefined;
  readonly headBytes: number;
  trace: HttpExchange['trace'] = undefined;
  deadlineMs = 0;
  readonly waiting: Slot<Expiring> = slotOf<Expiring>(this);
  readonly #living: Slot<UwsExchange> = slotOf<UwsExchange>(this);
  readonly #res: UwsResponse;
  readonly #shared: UwsShared;
  /** Name, value, name, value, in the order they came. */
  #head: string[] = [];
  /** Headers of the answer; dropped once they are written, because a stream lives long. */
  #answerHeaders: readonly Header[] = noHeaders;
  #body: RequestBody | undefined;
  #bodyAsked = false;
  #status = 0;
  #closed = false;
  #aborted = false;
  #inHandler = true;
  #held: ((close: boolean) => void) | undefined;
  #stream: UwsResponseStream | UwsMessageStream | undefined;
  /** One field for all of it: hardly any client asks. */
  readonly #upgrade: AskedUpgrade | undefined;
  #unread: UnreadBody | undefined;
  #abortCallbacks: AbortCallbacks | undefined;
  #onClosed: (() => void) | undefined;
  #bodyBytes = 0;
  /** Since when the reader has taken nothing, while something waits for it. */
  #stalledSinceMs = 0;
  #remoteAddress: string | undefined;

  constructor(res: UwsResponse, req: UwsRequest, shared: UwsShared, upgrading?: Upgrading) {
    this.#res = res;
    this.#shared = shared;
    this.scheme = shared.scheme;
    this.method = req.getCaseSensitiveMethod();
    this.path = req.getUrl();
    this.query = req.getQuery() ?? '';
    const head = this.#head;
    let bytes = this.method.length + this.path.length + this.query.length;
    req.forEach((name, value) => {
      bytes += name.length + value.length + 4;
      head.push(name, value);
    });
    this.headBytes = bytes;
    this.#upgrade = upgrading === undefined ? undefined : askedUpgrade(this, upgrading);
  }

  /** Looked up when first asked for: most requests never ask, and it costs a tenth of one. */
  get remoteAddress(): string {
    if (this.#remoteAddress === undefined && !this.#closed) {
      this.#remoteAddress = textOfAddress(this.#res.getRemoteAddress());
    }
    return this.#remoteAddress ?? '';
  }

  get webSocketProtocols(): readonly string[] | undefined {
    return this.#upgrade?.protocols;
  }

  get upgrade(): 'messages' | undefined {
    return this.#upgrade?.upgrading.converses === true ? 'messages' : undefined;
  }

  /** The connection ends with its answer. */
  get #isLast(): boolean {
    return this.#shared.stopping || asksToClose(this.header('connection'));
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
    return this.#stream?.sentBytes ?? this.#bodyBytes;
  }

  header(name: string): string | undefined {
    return headerIn(this.#head, name);
  }

  headers(): readonly Header[] {
    return headersIn(this.#head);
  }

  headerValues(name: string): readonly string[] {
    return headerValuesIn(this.#head, name);
  }

  someHeader(test: (name: string) => boolean): boolean {
    return someHeaderIn(this.#head, test);
  }

  forgetHeaders(test: (name: string) => boolean): void {
    this.#head = withoutHeaders(this.#head, test);
  }

  /** Starts to take in the body; must be called before the handler, in the same turn. */
  expectBody(declaredBytes: number): void {
    const res = this.#res;
    const body = new RequestBody(this, this.#shared.load.bodies, declaredBytes, false);
    this.#body = body;
    this.deadlineMs = this.#shared.deadlines.nowMs() + this.#shared.requestTimeoutMs;
    this.#shared.deadlines.add(this);
    res.onData((chunk, last) => {
      if (last) this.#shared.deadlines.remove(this);
      body.take(new Uint8Array(chunk), last);
    });
  }

  readBody(limitBytes: number): Promise<BodyResult> {
    assert(!this.#bodyAsked, 'a request body is read at most once');
    this.#bodyAsked = true;
    if (this.#body !== undefined) return this.#body.read(limitBytes);
    return Promise.resolve(
      this.#aborted ? { kind: 'aborted' } : { kind: 'complete', bytes: empty },
    );
  }

  setAnswerHeader(name: string, value: string): void {
    const header = [name, value] as const;
    const before = this.#answerHeaders;
    this.#answerHeaders = before.length === 0 ? [header] : [...before, header];
  }

  send(status: number, headers: readonly Header[], body: Uint8Array | string): void {
    this.#respondOnce(status);
    if (this.#closed) return;
    this.#bodyBytes = Buffer.byteLength(body);
    if (this.method === 'GET' && !this.#shared.load.answers.hasRoom(this.#bodyBytes)) {
      this.#status = tooManyUnread.status;
      this.#bodyBytes = tooManyUnread.body.length;
      return this.#sendNow(429, tooManyUnread.headers, tooManyUnread.body, this.#isLast);
    }
    const requestBody = this.#body;
    if (requestBody === undefined || requestBody.over) {
      this.#sendNow(status, headers, body, this.#isLast);
      return;
    }
    this.#held = (close) => {
      this.#held = undefined;
      this.#shared.deadlines.remove(this);
      if (!this.#closed) this.#sendNow(status, headers, body, close || this.#isLast);
    };
    this.deadlineMs = this.#shared.deadlines.nowMs() + drainTimeoutMs;
    this.#shared.deadlines.add(this);
    requestBody.drain((fully) => this.#held?.(!fully));
  }

  stream(
    status: number,
    headers: readonly Header[],
    preamble: Uint8Array,
    messages?: MessageFraming,
  ): ResponseStream {
    this.#respondOnce(status);
    if (this.#closed) return closedStream;
    if (messages !== undefined) return this.#changeOver(headers, messages) ?? closedStream;
    if (this.method === 'HEAD' || isBodiless(status)) {
      const bytes = this.method === 'HEAD' ? statedLength(headers) : undefined;
      this.#sendHead(status, headers, bytes, this.#isLast);
      return closedStream;
    }
    this.#corked(() => {
      this.#writeHead(status, headers);
      if (this.#isLast) this.#res.writeHeader('Connection', 'close');
      // The library ends the head only with the first bytes of the body.
      this.#res.write(preamble);
    });
    // A stream may live for an hour: it need not hold a kilobyte of request head for that long.
    this.#head.length = 0;
    const writes = (this.#shared.writes ??= new UwsWrites(this.#res));
    // It holds the exchange itself: closures would keep what is in reach of this call, for as long.
    const stream = new UwsResponseStream(this.#res, writes, this);
    this.#stream = stream;
    return stream;
  }

  converse(headers: readonly Header[], framing?: MessageFraming): Conversation | undefined {
    assert(framing !== undefined, 'this transport hands over no connection');
    this.#respondOnce(101);
    return this.#closed ? undefined : this.#changeOver(headers, framing);
  }

  /** From now on the library's response is not touched any more. */
  #changeOver(headers: readonly Header[], framing: MessageFraming): Conversation | undefined {
    const upgrade = this.#upgrade;
    assert(upgrade !== undefined, 'the client asks for WebSocket');
    this.#remoteAddress = this.remoteAddress;
    upgrade.framing = framing;
    const key = this.header('sec-websocket-key') ?? '';
    this.#corked(() => {
      this.#writeHead(101, headers);
      this.#res.upgrade(
        { exchange: this },
        key,
        framing.protocol ?? '',
        '',
        upgrade.upgrading.context,
      );
    });
    this.#head.length = 0;
    return this.messages;
  }

  /** Inside of changeOver(). */
  opened(socket: UwsWebSocket): void {
    const isText = this.#upgrade?.framing?.isText === true;
    this.#stream = new UwsMessageStream(socket, isText, this.#shared, this);
  }

  /** While it is one of messages. */
  get messages(): UwsMessageStream | undefined {
    return this.#stream instanceof UwsMessageStream ? this.#stream : undefined;
  }

  socketClosed(): void {
    const stream = this.messages;
    if (stream === undefined) return;
    stream.over();
    if (this.#closed) return;
    if (stream.isEnded) this.#complete();
    else this.#leave();
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

  /** After the handler has returned: what is still open must learn when the client goes. */
  settle(): void {
    this.#inHandler = false;
    if (this.#closed) return;
    this.#shared.live.add(this.#living);
    if (this.#upgrade?.framing === undefined) this.#res.onAborted(() => this.#leave());
  }

  /** The body took too long, an answer has waited long enough for the rest of it, or the reader of
   * one has taken nothing for a while. */
  expire(): void {
    if (this.#closed) return;
    if (this.#held !== undefined) this.#held(true);
    else if (this.answered && this.#body?.over !== false) this.#awaitReader();
    else this.cut();
  }

  /** Cuts the connection. */
  cut(): void {
    if (this.#closed) return;
    const stream = this.#stream;
    this.#gone();
    if (stream instanceof UwsMessageStream) stream.abort();
    else this.#res.close();
  }

  #respondOnce(status: number): void {
    assert(this.#status === 0, 'an exchange is answered exactly once');
    this.#status = status;
    this.#body?.release();
  }

  #sendNow(
    status: number,
    headers: readonly Header[],
    body: Uint8Array | string,
    close: boolean,
  ): void {
    const bodiless = isBodiless(status);
    if (this.method === 'HEAD' || bodiless) {
      this.#sendHead(status, headers, bodiless ? undefined : Buffer.byteLength(body), close);
    } else if (body.length <= directBodyBytesMax / (typeof body === 'string' ? 3 : 1)) {
      this.#corked(() => {
        this.#writeHead(status, headers);
        this.#res.end(body, close);
      });
      this.#complete();
    } else {
      this.#sendLarge(status, headers, typeof body === 'string' ? Buffer.from(body) : body, close);
    }
  }

  #sendLarge(status: number, headers: readonly Header[], body: Uint8Array, close: boolean): void {
    const res = this.#res;
    const total = body.byteLength;
    const pieceBytes = this.scheme === 'https' ? securePieceBytes : total;
    let taken = true;
    let done = false;
    const give = (offset: number): boolean => {
      taken = true;
      for (let at = offset; taken && !done; at += pieceBytes) {
        res.cork(() => {
          [taken, done] = res.tryEnd(body.subarray(at, at + pieceBytes), total);
        });
      }
      if (done) this.#complete();
      return taken || done;
    };
    this.#corked(() => {
      this.#writeHead(status, headers);
      if (close) res.writeHeader('Connection', 'close');
      [taken, done] = res.tryEnd(body.subarray(0, pieceBytes), total);
    });
    if (done) return this.#complete();
    const unread = new UnreadBody(this, total, this.#shared.load.answers);
    this.#unread = unread;
    this.blocked();
    res.onWritable((offset) => {
      unread.taken(offset);
      this.blocked();
      return give(offset);
    });
    if (taken) give(pieceBytes);
  }

  #writeHead(status: number, headers: readonly Header[]): void {
    const res = this.#res;
    res.writeStatus(statusLine(status));
    for (const [name, value] of headers) {
      if (!isFramingHeader(name)) res.writeHeader(name, safeHeaderValue(value));
    }
    for (const [name, value] of this.#answerHeaders) res.writeHeader(name, safeHeaderValue(value));
    this.#answerHeaders = noHeaders;
  }

  /** A whole answer; `bytes`: what its body would have. */
  #sendHead(
    status: number,
    headers: readonly Header[],
    bytes: number | undefined,
    close: boolean,
  ): void {
    const res = this.#res;
    this.#corked(() => {
      this.#writeHead(status, headers);
      if (bytes !== undefined) res.writeHeader('Content-Length', String(bytes));
      if (close) res.writeHeader('Connection', 'close');
      // Not endWithoutBody(undefined, close): any argument makes this library send nothing at all.
      res.endWithoutBody();
    });
    this.#complete();
  }

  /** The library has corked this socket already while the handler runs. */
  #corked(write: () => void): void {
    if (this.#inHandler) write();
    else this.#res.cork(write);
  }

  /** The socket has not taken all of the answer. */
  blocked(): void {
    this.#stalledSinceMs = this.#shared.deadlines.nowMs();
    this.#lookAgain();
  }

  /** The library has been given all of its stream. */
  finished(): void {
    this.#complete();
  }

  #lookAgain(): void {
    if (this.#body?.over === false) return;
    const { deadlines, idleTimeoutMs } = this.#shared;
    this.deadlineMs = deadlines.nowMs() + Math.min(keepAliveMs, idleTimeoutMs);
    deadlines.add(this);
  }

  /** A reader may pause for as long as on any other transport. */
  #awaitReader(): void {
    if (this.#stream?.isBlocked !== true && this.#unread === undefined) return;
    const stalledMs = this.#shared.deadlines.nowMs() - this.#stalledSinceMs;
    if (stalledMs >= this.#shared.idleTimeoutMs) {
      this.#shared.load.answers.cutCount += 1;
      return this.cut();
    }
    if (this.#upgrade?.framing !== undefined) return this.#lookAgain();
    // Both: the library's clock begins anew with resume(), which wants a pause() before it.
    this.#res.pause();
    this.#res.resume();
    this.#lookAgain();
  }

  /** Of the body. */
  pause(): void {
    if (!this.#closed) this.#res.pause();
  }

  resume(): void {
    if (!this.#closed) this.#res.resume();
  }

  #complete(): void {
    this.#closed = true;
    this.#shared.deadlines.remove(this);
    this.#unread?.end();
    this.#abortCallbacks = undefined;
    if (!this.#inHandler) this.#shared.live.remove(this.#living);
    this.#tellClosed();
  }

  #tellClosed(): void {
    const callback = this.#onClosed;
    this.#onClosed = undefined;
    callback?.();
  }

  /** The client has gone: from now on nothing is asked of the library's response. */
  #leave(): void {
    if (this.#closed) return;
    this.#markGone();
    this.#shared.departures.add(this);
  }

  #gone(): void {
    if (this.#closed) return;
    this.#markGone();
    this.depart();
  }

  #markGone(): void {
    this.#closed = true;
    this.#aborted = true;
    this.#held = undefined;
    this.#stream?.gone();
  }

  /** Tells those who hold something for it. */
  depart(): void {
    this.#shared.live.remove(this.#living);
    this.#shared.deadlines.remove(this);
    this.#unread?.end();
    this.#body?.abort();
    this.#body?.release();
    this.#abortCallbacks?.call();
    this.#abortCallbacks = undefined;
    this.#tellClosed();
  }
}
