/**
 * The body of one request while it arrives: collects it under a limit, or throws it away.
 *
 * An adapter feeds it with take() and is told through `flow` when to stop and go on reading.
 *
 * Invariants
 *  - read() settles exactly once, whatever the client does.
 *  - What is stored is counted among the bytes of all bodies, a stated length as soon as the body
 *    is asked for, until release(). Where there is no room it is thrown away.
 *  - Nothing is stored above the limit of read(); before read() at most `unreadBytesMax` plus
 *    what the adapter delivers in the same turn.
 *  - A body that nobody wants is drained for at most `drainBytesMax`: enough for a client that
 *    sends first and reads later to see the answer, not enough to keep us reading for ever.
 */
import { assert } from '../stdx/assert.ts';
import { BodyPieces } from './body-pieces.ts';
import { bodyTurnLimits } from './body-turns.ts';
import type { BodyResult } from './http-exchange.ts';
import type { BodyBytes } from './load.ts';

/** Bytes kept before the handler asks for the body; above it the socket is paused. */
const unreadBytesMax = 64 * 1024;
/** Bytes of an unwanted body that are read and dropped before the connection is closed. */
const drainBytesMax = 8 * 1024 * 1024;
/** How long an answer waits for the rest of an unwanted body. */
export const drainTimeoutMs = 1_000;

export interface BodyFlow {
  pause(): void;
  resume(): void;
  /** Cuts the connection, and calls abort(). */
  cut(): void;
}

type Phase = 'unread' | 'collecting' | 'discarding' | 'ended' | 'aborted';

export class RequestBody {
  readonly #flow: BodyFlow;
  readonly #declaredBytes: number;
  readonly #pieces: BodyPieces;
  readonly #bytes: BodyBytes;
  /** Its share of the bytes that all bodies may have. */
  #heldBytes = 0;
  /** There was no room for it. */
  #busy = false;
  #phase: Phase = 'unread';
  #complete = false;
  /** The handler has not asked for it yet, and enough of it has been kept. */
  #isFull = false;
  /** Paused, so that others have their turn. */
  #waits = false;
  /** Small pieces that came in this turn. */
  #smallPieces = 0;
  #smallTurn = -1;
  #storedBytes = 0;
  #discardedBytes = 0;
  #limitBytes = 0;
  #settle: ((result: BodyResult) => void) | undefined;
  #drained: ((fully: boolean) => void) | undefined;

  /**
   * `declaredBytes` is the Content-Length, -1 when there is none. `chunksAreOwned`: take() may
   * keep what it is given; otherwise it copies.
   */
  constructor(flow: BodyFlow, bytes: BodyBytes, declaredBytes: number, chunksAreOwned: boolean) {
    this.#flow = flow;
    this.#bytes = bytes;
    this.#declaredBytes = declaredBytes;
    this.#pieces = new BodyPieces(chunksAreOwned);
  }

  /** No more bytes will come: all of them have been seen, or the client has gone. */
  get over(): boolean {
    return this.#complete || this.#phase === 'aborted';
  }

  /** One piece as it arrives; `last` marks the end of the body (the piece may then be empty). */
  take(chunk: Uint8Array, last: boolean): void {
    if (this.over) return;
    if (last) this.#complete = true;
    else if (this.#isTooFine(chunk.byteLength)) return this.#flow.cut();
    if (this.#phase === 'discarding') {
      this.#drop(chunk.byteLength, last);
      this.#giveWay(chunk.byteLength);
      return;
    }
    if (chunk.byteLength > 0) this.#store(chunk);
    if (this.#busy) this.#refuse();
    else if (this.#phase === 'collecting') {
      if (this.#storedBytes > this.#limitBytes) this.#refuse();
      else if (last) this.#finish();
    } else if (!last && this.#storedBytes > unreadBytesMax && !this.#isFull) {
      if (!this.#waits) this.#flow.pause();
      this.#isFull = true;
    }
    this.#giveWay(chunk.byteLength);
  }

  read(limitBytes: number): Promise<BodyResult> {
    assert(this.#settle === undefined, 'a request body is read at most once');
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#limitBytes = limitBytes;
      if (this.#phase === 'aborted') resolve({ kind: 'aborted' });
      else if (this.#phase !== 'unread') resolve(this.#refusal());
      else {
        this.#phase = 'collecting';
        if (this.#declaredBytes > limitBytes || this.#storedBytes > limitBytes) this.#refuse();
        else if (!this.#hold(this.#declaredBytes)) this.#refuse();
        else if (this.#complete) this.#finish();
        else {
          this.#pieces.expect(this.#declaredBytes);
          this.#resume();
        }
      }
    });
  }

  /**
   * Throws away what comes from now on. `done(true)` when the whole body has been seen,
   * `done(false)` when `drainBytesMax` are exceeded; at once if the body is over. Not called after
   * abort().
   */
  drain(done: (fully: boolean) => void): void {
    if (this.over) {
      done(true);
      return;
    }
    this.#drained = done;
    if (this.#phase !== 'discarding') this.#discard();
    if (this.#discardedBytes > drainBytesMax) this.#tellDrained(false);
  }

  /** The client has gone, or ran out of time. Idempotent. */
  abort(): void {
    if (this.#phase === 'ended' || this.#phase === 'aborted') return;
    const wasCollecting = this.#phase === 'collecting';
    this.#phase = 'aborted';
    this.#pieces.clear();
    this.#drained = undefined;
    this.release();
    if (wasCollecting) this.#settle?.({ kind: 'aborted' });
  }

  /** The request has been answered, or its client has gone. Idempotent. */
  release(): void {
    this.#bytes.give(this.#heldBytes);
    this.#heldBytes = 0;
  }

  #store(chunk: Uint8Array): void {
    this.#storedBytes += chunk.byteLength;
    if (this.#phase === 'collecting' && this.#storedBytes > this.#limitBytes) return;
    if (!this.#hold(this.#storedBytes)) return;
    this.#pieces.add(chunk);
  }

  #finish(): void {
    const bytes = this.#pieces.take();
    this.#phase = 'ended';
    this.#settle?.({ kind: 'complete', bytes });
  }

  /** Reserves this many bytes in total. False: there is no room, and the body will not be kept. */
  #hold(totalBytes: number): boolean {
    const more = totalBytes - this.#heldBytes;
    if (more <= 0) return true;
    this.#busy = !this.#bytes.take(more, totalBytes);
    if (!this.#busy) this.#heldBytes = totalBytes;
    return !this.#busy;
  }

  #refuse(): void {
    this.#discard();
    this.#settle?.(this.#refusal());
  }

  #refusal(): BodyResult {
    if (this.#busy) return { kind: 'busy' };
    return { kind: 'too-large', limitBytes: this.#limitBytes };
  }

  #discard(): void {
    this.#phase = 'discarding';
    this.#pieces.clear();
    this.release();
    this.#resume();
  }

  #drop(bytes: number, last: boolean): void {
    this.#discardedBytes += bytes;
    if (last) this.#tellDrained(true);
    else if (this.#discardedBytes > drainBytesMax) this.#tellDrained(false);
  }

  #tellDrained(fully: boolean): void {
    const done = this.#drained;
    this.#drained = undefined;
    done?.(fully);
  }

  #resume(): void {
    if (!this.#isFull) return;
    this.#isFull = false;
    if (!this.#waits && !this.#complete) this.#flow.resume();
  }

  /** So many small pieces in one turn hold up the others. */
  #isTooFine(bytes: number): boolean {
    if (bytes >= bodyTurnLimits.smallPieceBytes) return false;
    const { turns } = this.#bytes;
    if (this.#smallTurn !== turns.turn) this.#smallPieces = 0;
    this.#smallTurn = turns.turn;
    this.#smallPieces += 1;
    return !turns.tookSmall(this.#smallPieces);
  }

  /** The rest comes in a later turn, when this one has brought enough. */
  #giveWay(bytes: number): void {
    if (this.over || this.#waits || this.#bytes.turns.took(bytes)) return;
    if (!this.#isFull) this.#flow.pause();
    this.#waits = true;
    this.#bytes.turns.wait(() => {
      this.#waits = false;
      if (!this.#isFull && !this.over) this.#flow.resume();
    });
  }
}
