/**
 * Observations sorted into buckets, as metrics show them.
 *
 * Invariants: an observation allocates nothing; `counts[i]` are those above `bounds[i - 1]` and not
 * above `bounds[i]`, the last one those above all bounds. Bounds rise and never change.
 */
export class Histogram {
  readonly bounds: readonly number[];
  readonly counts: number[];
  sum = 0;
  count = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Array<number>(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    const { bounds, counts } = this;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] as number)) at += 1;
    counts[at] = (counts[at] as number) + 1;
    this.sum += value;
    this.count += 1;
  }

  /** Several of about the same size: each counts with `total / times`. */
  observeMany(times: number, total: number): void {
    if (times === 0) return;
    const value = total / times;
    const { bounds, counts } = this;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] as number)) at += 1;
    counts[at] = (counts[at] as number) + times;
    this.sum += total;
    this.count += times;
  }
}

/** Seconds: those that metrics have where nothing else is asked for. */
export const usualSeconds: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** `first`, then `count - 1` more, each `factor` times the one before. */
export function exponentialBounds(first: number, factor: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => first * factor ** i);
}
