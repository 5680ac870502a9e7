/**
 * A stream of HTTP/2: one request and its answer (RFC 9113, 5).
 *
 *     its body ─▶ held until somebody receives it ─▶ received; so much may be sent again
 *     its answer ─▶ sent, or queued: the socket is backed up, or a window is empty
 *
 * Invariants: bytes of a body are received in their order, and none while it is paused. Of an
 * answer that is queued everything goes out in its order, or the stream is reset. Its end is told
 * once: the whole answer is with the socket, or the stream was reset.
 * Bounds: of a body its window is held, in at most twice the memory; queued is what its owner
 * writes although it was told not to.
 */
import { assert } from '../../stdx/assert.ts';
import { GatheredBytes } from '../../stdx/gathered-bytes.ts';
import { RingBuffer } from '../../stdx/ring-buffer.ts';
import { errorCodes } from './protocol.ts';
import type { ErrorCode } from './protocol.ts';

/** `reset`: by the client, before it had its answer. `cut`: by the server, because it took too much
 * time. */
export type StreamEnd = 'answered' | 'reset' | 'cut';

/** What a stream asks of its connection. */
export interface StreamConnection {
  /** So many bytes would not be queued. */
  sendsNow(stream: Http2Stream, bytes: number): boolean;
  /** It has something queued, or its end. */
  queued(stream: Http2Stream): void;
  /** So many bytes of its body have been received, and no more are held for them. */
  received(stream: Http2Stream, bytes: number): void;
  /** The same, of a stream that is closed: nobody wants them. */
  dropped(bytes: number): void;
  reset(stream: Http2Stream, code: ErrorCode): void;
  /** Open streams. */
  readonly open: number;
  /** Of what was said: the position in all that the connection has said. */
  readonly taken: number;
}

export interface StreamReceiver {
  data(bytes: Uint8Array): void;
  /** The body is complete. */
  bodyEnded(): void;
  /** So many bytes of the answer are on their way. */
  sent(bytes: number): void;
  /** Nothing is queued any more. */
  drained(): void;
  /** Called once. `isComplete`: the socket has the whole answer. */
  ended(isComplete: boolean): void;
}

/** Above it the owner of a stream is told to wait. */
const queuedMax = 16 * 1024;

export class Http2Stream {
  readonly id: number;
  /** What the client takes of its answer, beside what it takes of every stream. */
  credit = 0;
  /** What it may send of its body. */
  receiveWindow = 0;
  /** Received, and not yet told to the client. */
  receivedBytes = 0;
  /** Of the body, by its head; -1: it says nothing. */
  declaredBytes = -1;
  bodyBytes = 0;
  /** The client has sent all of its request. */
  isReadEnded = false;
  /** All of the answer has been given to be sent. */
  isSendEnded = false;
  /** All of it is on its way. */
  isSent = false;
  /** For those who wait with it, too (stream-turns.ts). */
  closed = false;
  /** Waits for its turn to send. */
  isReady = false;
  /** Where the last of what it has said stands among what the connection has said. */
  position = 0;
  queuedBytes = 0;
  /** What a client is told that has the whole answer, and has not sent all of its request. */
  endsWith: ErrorCode = errorCodes.noError;
  /** What is behind it when it ends. */
  onEnd: ((end: StreamEnd) => void) | undefined;
  readonly #connection: StreamConnection;
  #receiver: StreamReceiver | undefined;
  /** Of the body: what nobody has received. */
  #held: GatheredBytes | undefined;
  #isPassing = false;
  #isPaused = false;
  #isBodyTold = false;
  #queue: RingBuffer<Uint8Array> | undefined;
  /** Of the first chunk: what has been sent. */
  #sentOfFirst = 0;
  #isFull = false;

  constructor(id: number, connection: StreamConnection) {
    this.id = id;
    this.#connection = connection;
  }

  receive(receiver: StreamReceiver): void {
    assert(this.#receiver === undefined, 'a stream has one receiver');
    this.#receiver = receiver;
    this.#pass();
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#pass();
  }

  /** Of the body. */
  take(bytes: Uint8Array): void {
    if (this.#held === undefined && this.#isReceiving && !this.#isPassing) this.#give(bytes);
    else if (bytes.length > 0) (this.#held ??= new GatheredBytes()).add(bytes);
  }

  /** The body is complete. */
  endBody(): void {
    this.isReadEnded = true;
    this.#pass();
  }

  get #isReceiving(): boolean {
    return this.#receiver !== undefined && !this.#isPaused && !this.closed;
  }

  /** Who is given a piece may pause, resume, or be told that the stream is closed. */
  #pass(): void {
    if (this.#isPassing) return;
    this.#isPassing = true;
    while (this.#isReceiving && this.#held !== undefined) {
      const piece = this.#held.whole();
      this.#held = undefined;
      this.#give(piece);
    }
    this.#isPassing = false;
    if (!this.#isReceiving || !this.isReadEnded || this.#isBodyTold) return;
    this.#isBodyTold = true;
    this.#receiver?.bodyEnded();
  }

  #give(bytes: Uint8Array): void {
    this.#connection.received(this, bytes.length);
    this.#receiver?.data(bytes);
  }

  /** False: much is queued; `drained` tells when nothing is. `shared`: its bytes never change. */
  write(chunk: Uint8Array, shared: boolean): boolean {
    if (this.closed || chunk.length === 0) return !this.#isFull;
    const keeps = shared || this.#connection.sendsNow(this, chunk.length);
    this.queuedBytes += chunk.length;
    this.#queue ??= new RingBuffer();
    this.#queue.push(keeps ? chunk : new Uint8Array(chunk));
    this.#connection.queued(this);
    if (this.queuedBytes > queuedMax) this.#isFull = true;
    return !this.#isFull;
  }

  /** `last`: what is left to say; it never changes. */
  end(last?: Uint8Array): void {
    if (this.isSendEnded || this.closed) return;
    if (last !== undefined && last.length > 0) {
      this.queuedBytes += last.length;
      this.#queue ??= new RingBuffer();
      this.#queue.push(last);
    }
    this.isSendEnded = true;
    this.#connection.queued(this);
  }

  /** On its connection. */
  get isAlone(): boolean {
    return this.#connection.open <= 1;
  }

  reset(code: ErrorCode): void {
    this.#connection.reset(this, code);
  }

  /** What is sent next, of at most so many bytes: part of a chunk. Undefined: nothing is queued. */
  next(bytesMax: number): { chunk: Uint8Array; from: number; to: number } | undefined {
    const queue = this.#queue;
    if (queue === undefined || queue.length === 0) return undefined;
    const chunk = queue.at(0);
    const from = this.#sentOfFirst;
    const to = Math.min(chunk.length, from + bytesMax);
    this.#sentOfFirst = to;
    if (to === chunk.length) {
      queue.shift();
      this.#sentOfFirst = 0;
    }
    this.queuedBytes -= to - from;
    return { chunk, from, to };
  }

  /** So much of it is on its way, and stands before this position. */
  sent(bytes: number, position: number): void {
    this.position = position;
    this.#receiver?.sent(bytes);
  }

  /** Calls who waits for it. */
  tellDrained(): void {
    if (!this.#isFull || this.queuedBytes > 0 || this.closed) return;
    this.#isFull = false;
    this.#receiver?.drained();
  }

  /** Something of its answer has not reached the socket. */
  get isUnread(): boolean {
    return this.queuedBytes > 0 || this.position > this.#connection.taken;
  }

  /** Nobody receives what is held of it. */
  dropBody(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) this.#connection.dropped(held.size);
  }

  close(isComplete: boolean): void {
    if (this.closed) return;
    this.closed = true;
    this.dropBody();
    this.#queue = undefined;
    this.queuedBytes = 0;
    this.#receiver?.ended(isComplete);
  }
}
