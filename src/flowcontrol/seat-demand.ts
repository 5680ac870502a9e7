/**
 * How many seats a priority level would use if it had them: those that are in use and those that
 * waiting requests ask for, weighed by time (exact details of extensions, section 7).
 *
 *     demand ▁▁▃▃▃▇▇▁▁     of one period: the highest, the mean and the deviation from it;
 *                          of many periods: a smoothed sum of the last two, which falls slowly
 *
 * Invariants: setting allocates nothing; time never goes back (what is set for an earlier moment
 * counts from the last one).
 */

/** What is left, after one period, of how far the demand lay above what it is: the half of it is
 * gone after five minutes of periods of 10 s. */
const smoothing = 0.977;

export class SeatDemand {
  #value = 0;
  #sinceMs: number;
  #elapsed = 0;
  #sum = 0;
  #squares = 0;
  #max = 0;
  /** Of the last period. */
  highest = 0;
  mean = 0;
  deviation = 0;
  /** Of all periods. */
  smoothed = 0;

  constructor(nowMs: number) {
    this.#sinceMs = nowMs;
  }

  set(value: number, nowMs: number): void {
    this.#advance(nowMs);
    this.#value = value;
    if (value > this.#max) this.#max = value;
  }

  /** Ends a period. One without any time changes the highest only. */
  endPeriod(nowMs: number): void {
    this.#advance(nowMs);
    this.highest = this.#max;
    if (this.#elapsed > 0) {
      this.mean = this.#sum / this.#elapsed;
      this.deviation = Math.sqrt(Math.max(0, this.#squares / this.#elapsed - this.mean ** 2));
      const envelope = this.mean + this.deviation;
      const falling = smoothing * this.smoothed + (1 - smoothing) * envelope;
      this.smoothed = Math.max(envelope, falling);
    }
    this.#elapsed = 0;
    this.#sum = 0;
    this.#squares = 0;
    this.#max = this.#value;
  }

  #advance(nowMs: number): void {
    const passed = nowMs - this.#sinceMs;
    if (passed <= 0) return;
    this.#sinceMs = nowMs;
    this.#elapsed += passed;
    this.#sum += passed * this.#value;
    this.#squares += passed * this.#value * this.#value;
  }
}
