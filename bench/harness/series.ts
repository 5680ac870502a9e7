/** Numbers of several rounds, and what is said of them: the median, and how far they lie apart. */

export interface Series {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly rounds: number;
}

/** At least one value. */
export function seriesOf(values: readonly number[]): Series {
  const sorted = [...values].sort((a, b) => a - b);
  return {
    median: medianOfSorted(sorted),
    min: sorted[0] ?? NaN,
    max: sorted.at(-1) ?? NaN,
    rounds: values.length,
  };
}

function medianOfSorted(sorted: readonly number[]): number {
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

/** Durations in steps of 10 us up to 10 s; longer ones count as 10 s. */
export class Histogram {
  readonly #bins = new Uint32Array(1_000_001);
  #count = 0;

  add(ms: number): void {
    const bin = Math.min(1_000_000, Math.max(0, Math.round(ms * 100)));
    this.#bins[bin] = (this.#bins[bin] as number) + 1;
    this.#count += 1;
  }

  get count(): number {
    return this.#count;
  }

  /** Milliseconds; `share` from 0 to 1. NaN when nothing was counted. */
  quantile(share: number): number {
    if (this.#count === 0) return NaN;
    let rest = Math.ceil(this.#count * share);
    for (let bin = 0; bin < this.#bins.length; bin += 1) {
      rest -= this.#bins[bin] as number;
      if (rest <= 0) return bin / 100;
    }
    return NaN;
  }
}
