/**
 * For how long clients of a priority level are told to wait before they try again: a second, twice
 * as long while many are refused, a second less when few are (exact details of extensions, 7).
 *
 * Invariants: from 1 to `secondsMax`; it changes when the first request of a second is refused, by
 * what was refused before that; it does not double again before a time as long as it has passed.
 * Bound: a count for each of the last `secondsMax` seconds.
 */

const secondsMax = 32;

/** So many refusals in each second of the last period double it. */
const manyInASecond = 3;

export class RetryAfter {
  seconds = 1;
  /** Refusals of a second, at its remainder; those of a second that has gone are over. */
  readonly #counts = new Float64Array(secondsMax + 1);
  #second = Number.NEGATIVE_INFINITY;
  #doubledAt = Number.NEGATIVE_INFINITY;

  /** One more was refused. */
  refused(nowMs: number): void {
    const second = Math.floor(nowMs / 1000);
    if (second !== this.#second) this.#begin(second);
    const at = second % this.#counts.length;
    this.#counts[at] = (this.#counts[at] as number) + 1;
  }

  #begin(second: number): void {
    const length = this.#counts.length;
    const passed = Math.min(length, second - this.#second);
    for (let i = 0; i < passed; i += 1) this.#counts[(second - i) % length] = 0;
    this.#second = second;
    let refused = 0;
    for (let i = 1; i <= this.seconds; i += 1) {
      if (second - i >= 0) refused += this.#counts[(second - i) % length] as number;
    }
    const { seconds } = this;
    if (second - this.#doubledAt >= seconds && refused >= manyInASecond * seconds) {
      this.seconds = Math.min(secondsMax, 2 * seconds);
      this.#doubledAt = second;
    } else if (refused < seconds && seconds > 1) this.seconds -= 1;
  }
}
