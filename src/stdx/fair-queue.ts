/**
 * Items that wait for their turn in lanes: one of each lane comes, then the next one of each. Who
 * puts thousands into one lane keeps those of another lane waiting for one of them.
 *
 *      lane a   [ 1 ][ 2 ][ 3 ][ 4 ] ─┐
 *      lane b   [ 5 ]                 ├─▶ 1 5 6 2 7 3 4
 *      lane c   [ 6 ][ 7 ]           ─┘
 *
 * Taken in rounds: what is put into a lane behind its first item of the round is for the next.
 *
 * It has no bound of its own: the owner knows what waits.
 */
import { RingBuffer } from './ring-buffer.ts';

/** Belongs to one queue, which alone knows what lies in it. */
export class Lane {
  readonly items = new RingBuffer<unknown>();
  /** Whether the queue knows it, and what is left of it for the round `round`. */
  isQueued = false;
  round = 0;
  left = 0;
}

export class FairQueue<T> {
  readonly #lanes = new RingBuffer<Lane>();
  /** All that they have is for the next round. */
  readonly #done = new RingBuffer<Lane>();
  #length = 0;
  #round = 0;

  get length(): number {
    return this.#length;
  }

  push(lane: Lane, item: T): void {
    lane.items.push(item);
    this.#length += 1;
    if (lane.isQueued) return;
    lane.isQueued = true;
    this.#lanes.push(lane);
  }

  /** What waits now is for this round, after what was left of the one before. */
  beginRound(): void {
    this.#round += 1;
    while (this.#done.length > 0) this.#lanes.push(this.#done.shift());
  }

  /** Undefined: the round is over. */
  shift(): T | undefined {
    while (this.#lanes.length > 0) {
      const lane = this.#lanes.shift();
      if (lane.round !== this.#round) {
        lane.round = this.#round;
        lane.left = lane.items.length;
      }
      if (lane.left === 0) {
        this.#done.push(lane);
        continue;
      }
      const item = lane.items.shift() as T;
      lane.left -= 1;
      this.#length -= 1;
      if (lane.items.length > 0) this.#lanes.push(lane);
      else lane.isQueued = false;
      return item;
    }
    return undefined;
  }
}
