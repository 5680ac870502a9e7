/**
 * What clients in WebSocket say in one turn of the event loop: one read may bring ten thousands of
 * messages, of many connections, or the last byte of a message of a megabyte, and the libraries
 * hand over all of them before they return.
 *
 *     the first `servedMax` of a connection     heard at once; the rest of it in the next turns
 *     above `heardBytesMax` of all together     heard in the next turns, in order
 *     above `takenMax` of all together          whose connection has brought `ofOneMin` is cut
 *     above `takenBytesMax` of all together     whose message has more than `largeBytes` is cut,
 *                                               where it would have to be copied to be kept
 *
 * Bound: those who have something to be heard wait in line, each once; they see to that.
 */
import type { Timers } from '../stdx/clock.ts';
import { onceATurn } from '../stdx/once-a-turn.ts';
import { RingBuffer } from '../stdx/ring-buffer.ts';

const mebibyte = 1024 * 1024;

export const messageTurnLimits = {
  servedMax: 256,
  takenMax: 8_192,
  ofOneMin: 64,
  heardBytesMax: 2 * mebibyte,
  takenBytesMax: 16 * mebibyte,
  largeBytes: 128 * 1024,
} as const;

export class MessageTurns {
  /** Counts the turns in which something was said. */
  turn = 0;
  #taken = 0;
  #takenBytes = 0;
  #heardBytes = 0;
  readonly #line = new RingBuffer<() => void>();
  readonly #next: () => void;

  constructor(timers: Pick<Timers, 'nextTurn'>) {
    this.#next = onceATurn(timers, () => this.#turn());
  }

  /** One more has come, the `ofOne`th of its connection in this turn. False: cut it. */
  take(bytes: number, ofOne: number): boolean {
    this.#next();
    this.#taken += 1;
    this.#takenBytes += bytes;
    const { largeBytes, ofOneMin, takenBytesMax, takenMax } = messageTurnLimits;
    const isMany = this.#taken > takenMax && ofOne > ofOneMin;
    return !isMany && (this.#takenBytes <= takenBytesMax || bytes <= largeBytes);
  }

  /** More may be heard in this turn, and nobody waits. */
  get isFree(): boolean {
    return this.#line.length === 0 && this.hasRoom;
  }

  get hasRoom(): boolean {
    return this.#heardBytes < messageTurnLimits.heardBytesMax;
  }

  heard(bytes: number): void {
    this.#next();
    this.#heardBytes += bytes;
  }

  /** `hear` is called in a later turn, when there is room. */
  later(hear: () => void): void {
    this.#line.push(hear);
    this.#next();
  }

  #turn(): void {
    this.turn += 1;
    this.#taken = this.#takenBytes = this.#heardBytes = 0;
    const line = this.#line;
    // Before the work: what throws holds nobody up.
    if (line.length > 0) this.#next();
    for (let left = line.length; left > 0 && this.hasRoom; left -= 1) line.shift()();
  }
}
