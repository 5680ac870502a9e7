/**
 * How often what is known of tokens was used again, and what it took to find it out.
 *
 *     a token ─▶ its signature, or a webhook's answer, is known ─▶ hit
 *             ─▶ it is not ─▶ somebody is finding it out already ─┐
 *                          └▶ it is found out ─▶ good | not ──────┴▶ miss
 *
 * Only those methods count that keep anything, and only tokens that are theirs.
 */
import type { Clock } from '../stdx/clock.ts';
import { Histogram, usualSeconds } from '../stdx/histogram.ts';

export class TokenCacheCounts {
  readonly hitSeconds = new Histogram(usualSeconds);
  readonly missSeconds = new Histogram(usualSeconds);
  readonly found = { good: 0, not: 0 };
  /** That are being found out, and those who wait for what somebody else finds out. */
  underWay = 0;
  #missesUnderWay = 0;
  readonly #clock: Pick<Clock, 'monotonicMs'>;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  get waiting(): number {
    return Math.max(0, this.#missesUnderWay - this.underWay);
  }

  hit(): void {
    this.hitSeconds.observe(0);
  }

  async miss<T>(answer: () => Promise<T>): Promise<T> {
    const sinceMs = this.#clock.monotonicMs();
    this.#missesUnderWay += 1;
    try {
      return await answer();
    } finally {
      this.#missesUnderWay -= 1;
      this.missSeconds.observe((this.#clock.monotonicMs() - sinceMs) / 1000);
    }
  }

  async find<T>(find: () => Promise<T>, isGood: (found: T) => boolean): Promise<T> {
    this.underWay += 1;
    let good = false;
    try {
      const found = await find();
      good = isGood(found);
      return found;
    } finally {
      this.underWay -= 1;
      this.found[good ? 'good' : 'not'] += 1;
    }
  }

  /** Of what nobody else waits for. */
  missAndFind<T>(find: () => Promise<T>, isGood: (found: T) => boolean): Promise<T> {
    return this.miss(() => this.find(find, isGood));
  }
}
