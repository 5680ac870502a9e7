/**
 * Limits how many bytes of all request bodies together are read in one turn of the event loop.
 *
 * A read brings up to 512 KiB, and hundreds of sockets may have one ready in the same turn of the
 * event loop. So above `bytesPerTurn` each body that goes on is paused, and a few of them are read
 * from again in each turn, in the order in which they were paused.
 *
 * A pause takes effect behind the read it comes in, and all chunks of a read are handed over at
 * once: 87,000 of one byte. So beyond `smallPiecesPerTurn` who sends such pieces is cut off.
 *
 * What is held is bounded by load.ts. A body that comes in one piece never waits.
 */
import { RingBuffer } from '../stdx/ring-buffer.ts';
import type { Timers } from '../stdx/clock.ts';

export const bodyTurnLimits = {
  bytesPerTurn: 2 * 1024 * 1024,
  /** What a piece counts for beside its bytes: it may be one byte. */
  pieceBytes: 512,
  /** Pieces that hold less are small. Policy: beyond so many of them in a turn, of all bodies, a
   * body that brought more than `smallPiecesPerBody` of them in it has its connection cut. */
  smallPieceBytes: 16,
  smallPiecesPerTurn: 2 * 1024,
  smallPiecesPerBody: 512,
  /** Read from again in one turn: each brings up to 512 KiB. */
  bodiesPerTurn: 4,
} as const;

export class BodyTurns {
  readonly #timers: Pick<Timers, 'nextTurn'>;
  readonly #waiting = new RingBuffer<() => void>();
  #leftBytes: number = bodyTurnLimits.bytesPerTurn;
  #smallPieces = 0;
  #isBegun = false;
  /** Counts the turns in which there were bodies. */
  turn = 0;

  constructor(timers: Pick<Timers, 'nextTurn'>) {
    this.#timers = timers;
  }

  /** A piece has come. False: that is enough for this turn. */
  took(bytes: number): boolean {
    this.#leftBytes -= bytes + bodyTurnLimits.pieceBytes;
    this.#begin();
    return this.#leftBytes > 0;
  }

  /** A small piece has come, the `ofBody`th of its body in this turn. False: cut it off. */
  tookSmall(ofBody: number): boolean {
    this.#smallPieces += 1;
    this.#begin();
    const { smallPiecesPerBody, smallPiecesPerTurn } = bodyTurnLimits;
    return this.#smallPieces <= smallPiecesPerTurn || ofBody <= smallPiecesPerBody;
  }

  /** `goOn` is called in a later turn. */
  wait(goOn: () => void): void {
    this.#waiting.push(goOn);
    this.#begin();
  }

  #begin(): void {
    if (this.#isBegun) return;
    this.#isBegun = true;
    this.#timers.nextTurn(() => this.#turn());
  }

  #turn(): void {
    this.#isBegun = false;
    this.turn += 1;
    this.#smallPieces = 0;
    this.#leftBytes = bodyTurnLimits.bytesPerTurn;
    for (let i = 0; i < bodyTurnLimits.bodiesPerTurn && this.#waiting.length > 0; i += 1) {
      this.#waiting.shift()();
    }
    if (this.#waiting.length > 0) this.#begin();
  }
}
