/**
 * One request over HTTP/2, as an HttpExchange.
 *
 * Invariants
 *  - An answer to a request whose body is still arriving waits until the body has been drained
 *    (request-body.ts), so that its client reads it; then the client is told to send no more.
 *  - Bytes of a whole answer count as unread until the stream has sent them.
 */
import { assert } from '../../stdx/assert.ts';
import { AbortCallbacks } from '../../stdx/requester.ts';
import { slotOf } from '../../stdx/slot-set.ts';
import type { Slot } from '../../stdx/slot-set.ts';
import { closedStream } from '../closed-stream.ts';
import type { Deadlines, Expiring } from '../deadlines.ts';
import type { Departing, Departures } from '../departures.ts';
import { headerIn, headersIn, headerValuesIn, someHeaderIn, withoutHeaders } from '../head-list.ts';
import { isBodiless, isFramingHeader, pathAndQuery } from '../header-rules.ts';
import { safeHeaderValue, statedLength } from '../header-rules.ts';
import type { BodyResult, Header, HttpExchange } from '../http-exchange.ts';
import type { PeerCertificateChain, ResponseStream } from '../http-exchange.ts';
import type { TransportLoad } from '../load.ts';
import { tooManyUnread } from '../refusal.ts';
import { drainTimeoutMs, RequestBody } from '../request-body.ts';
import type { StallableResponse } from '../stalled-responses.ts';
import type { StreamedExchange } from '../streamed-exchange.ts';
import { UnreadAnswer } from '../unread-answer.ts';
import type { AnswersConnection } from '../unread-answer.ts';
import { errorCodes } from './protocol.ts';
import type { RequestHead } from './request-head.ts';
import type { Http2Session } from './session.ts';
import type { Http2Stream, StreamReceiver } from './stream.ts';
import { Http2ResponseStream } from './response-stream.ts';

/** What the exchanges of one listener share. */
export interface Http2Shared {
  readonly deadlines: Deadlines;
  readonly departures: Departures;
  readonly requestTimeoutMs: number;
  readonly load: TransportLoad;
  readonly unreadBytesPerConnectionMax: number;
  /** Does what it is called with, so much in a turn. */
  endings(work: () => void): void;
  /** The Date header of an answer. */
  date(): string;
}

/** What the exchanges of one connection share. */
export interface Http2Connection extends AnswersConnection {
  readonly session: Http2Session;
  readonly remoteAddress: string;
  readonly peerCertificate: PeerCertificateChain | undefined;
}

const noHeaders: readonly Header[] = [];
const noTexts: string[] = [];

export class Http2Exchange
  implements HttpExchange, Expiring, StallableResponse, StreamedExchange, StreamReceiver, Departing
{
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly scheme = 'https';
  readonly remoteAddress: string;
  readonly webSocketProtocols = undefined;
  readonly upgrade = undefined;
  trace: HttpExchange['trace'] = undefined;
  deadlineMs = 0;
  readonly waiting: Slot<Expiring> = slotOf<Expiring>(this);
  readonly #reading: Slot<StallableResponse> = slotOf<StallableResponse>(this);
  readonly #connection: Http2Connection;
  readonly #stream: Http2Stream;
  readonly #unread: UnreadAnswer;
  readonly #shared: Http2Shared;
  /** Name, value, name, value, in the order they came. */
  #head: string[];
  #answerHeaders: readonly Header[] = noHeaders;
  readonly #body: RequestBody | undefined;
  #bodyAsked = false;
  #status = 0;
  #closed = false;
  #aborted = false;
  #held: (() => void) | undefined;
  #response: Http2ResponseStream | undefined;
  #abortCallbacks: AbortCallbacks | undefined;
  #onClosed: (() => void) | undefined;
  #sentBytes = 0;
  #takenBytes = 0;
  #takenSinceMs = 0;

  constructor(
    stream: Http2Stream,
    head: RequestHead,
    connection: Http2Connection,
    shared: Http2Shared,
  ) {
    this.#stream = stream;
    this.#connection = connection;
    const { load, unreadBytesPerConnectionMax } = shared;
    this.#unread = new UnreadAnswer(load.answers, connection, unreadBytesPerConnectionMax);
    this.#shared = shared;
    this.method = head.method;
    [this.path, this.query] = pathAndQuery(head.target);
    this.remoteAddress = connection.remoteAddress;
    this.#head = head.headers;
    const hasBody = !stream.isReadEnded || stream.bodyBytes > 0;
    this.#body = hasBody ? this.#expectBody(head.bodyBytes) : undefined;
    stream.receive(this);
  }

  get peerCertificate(): PeerCertificateChain | undefined {
    return this.#connection.peerCertificate;
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

  readBody(limitBytes: number): Promise<BodyResult> {
    assert(!this.#bodyAsked, 'a request body is read at most once');
    this.#bodyAsked = true;
    if (this.#body !== undefined) {
      this.#connection.session.expectBodies();
      return this.#body.read(limitBytes);
    }
    return Promise.resolve(
      this.#aborted ? { kind: 'aborted' } : { kind: 'complete', bytes: new Uint8Array(0) },
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
    this.#sentBytes = Buffer.byteLength(body);
    if (this.method === 'GET' && !this.#unread.hasRoom(this.#sentBytes)) {
      this.#status = tooManyUnread.status;
      this.#sentBytes = tooManyUnread.body.length;
      return this.#sendNow(tooManyUnread.status, tooManyUnread.headers, tooManyUnread.body);
    }
    const requestBody = this.#body;
    if (requestBody === undefined || requestBody.over) {
      return this.#sendNow(status, headers, body);
    }
    this.#held = () => {
      this.#held = undefined;
      this.#shared.deadlines.remove(this);
      if (!this.#closed) this.#sendNow(status, headers, body);
    };
    this.deadlineMs = this.#shared.deadlines.nowMs() + drainTimeoutMs;
    this.#shared.deadlines.add(this);
    requestBody.drain(() => this.#held?.());
  }

  stream(status: number, headers: readonly Header[]): ResponseStream {
    this.#respondOnce(status);
    if (this.#closed) return closedStream;
    this.#startReading();
    const isHead = this.method === 'HEAD';
    const { session } = this.#connection;
    const isEmpty = isHead || isBodiless(status);
    this.#respond(status, headers, isHead ? statedLength(headers) : undefined, isEmpty);
    session.flush();
    if (isEmpty) return closedStream;
    // A stream may live for an hour: it need not hold the request's head for that long.
    this.#head = noTexts;
    this.#answerHeaders = noHeaders;
    this.#response = new Http2ResponseStream(this.#stream, this);
    return this.#response;
  }

  converse(): undefined {
    assert(false, 'over HTTP/2 nobody is offered another protocol');
  }

  /** Of the body of a response of unknown length. */
  count(bytes: number): void {
    this.#sentBytes += bytes;
  }

  /** With a server that stops, thousands end. */
  finish(): void {
    this.#shared.endings(() => this.#stream.end());
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
    if (this.#held !== undefined) this.#held();
    else this.cut();
  }

  /** Resets the stream; its connection goes on. */
  cut(): void {
    if (!this.#closed) this.#stream.reset(errorCodes.internalError);
  }

  stalledSinceMs(nowMs: number): number {
    const stream = this.#stream;
    // What the socket has not taken is somebody's, too: progress is seen behind it.
    const takenBytes = this.#sentBytes - stream.queuedBytes - (stream.isUnread ? 1 : 0);
    if (!stream.isUnread || takenBytes > this.#takenBytes) {
      this.#takenBytes = takenBytes;
      this.#takenSinceMs = nowMs;
    }
    return this.#takenSinceMs;
  }

  data(bytes: Uint8Array): void {
    this.#body?.take(bytes, false);
  }

  bodyEnded(): void {
    this.#shared.deadlines.remove(this);
    this.#body?.take(new Uint8Array(0), true);
  }

  sent(bytes: number): void {
    this.#unread.release(bytes);
  }

  drained(): void {
    this.#response?.drained();
  }

  /** It is over, or the client has gone. */
  ended(isComplete: boolean): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#held = undefined;
    this.#aborted = !isComplete;
    if (isComplete) this.depart();
    else this.#shared.departures.add(this);
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

  #expectBody(declaredBytes: number): RequestBody {
    const stream = this.#stream;
    const flow = {
      pause: () => stream.pause(),
      resume: () => stream.resume(),
      cut: () => this.cut(),
    };
    this.deadlineMs = this.#shared.deadlines.nowMs() + this.#shared.requestTimeoutMs;
    this.#shared.deadlines.add(this);
    return new RequestBody(flow, this.#shared.load.bodies, declaredBytes, true);
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

  #sendNow(status: number, headers: readonly Header[], body: Uint8Array | string): void {
    const bodiless = isBodiless(status);
    const bytes = bodiless ? undefined : Buffer.byteLength(body);
    const isEmpty = bodiless || this.method === 'HEAD';
    this.#startReading();
    this.#respond(status, headers, bytes, isEmpty);
    if (isEmpty) return;
    // The body itself, shared with whoever else is being sent it.
    const sent = typeof body === 'string' ? Buffer.from(body) : body;
    this.#unread.hold(sent.byteLength);
    this.#stream.end(sent);
  }

  #respond(
    status: number,
    headers: readonly Header[],
    bodyBytes: number | undefined,
    ends: boolean,
  ): void {
    const all: Header[] = [];
    for (const header of this.#answerHeaders) addHeader(all, header);
    for (const header of headers) addHeader(all, header);
    all.push(['date', this.#shared.date()]);
    if (bodyBytes !== undefined) all.push(['content-length', String(bodyBytes)]);
    this.#connection.session.respond(this.#stream, status, all, ends);
  }
}

function addHeader(to: Header[], header: Header): void {
  const [name, value] = header;
  if (isFramingHeader(name)) return;
  const safe = safeHeaderValue(value);
  to.push(safe === value ? header : [name, safe]);
}
