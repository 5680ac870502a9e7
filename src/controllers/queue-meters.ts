/**
 * Meters of controllers' queues: how much waits, for how long, and how long the work takes. The
 * metrics page shows it under the names of the reference (`workqueue_*`).
 *
 *   added ─▶ waiting ─▶ began ─▶ running ─▶ ended
 *
 * Invariants: one meter a name, for as long as the server runs. A queue that is made anew under its
 * name (a controller that leads again) goes on counting, and nothing waits in it.
 * Bounds: as many meters as there are controllers; keys are as many as the queue lets wait.
 */
import type { Clock } from '../stdx/clock.ts';
import { exponentialBounds, Histogram } from '../stdx/histogram.ts';
import { SplitMap } from '../stdx/split-map.ts';

/** 10 ns to 10 s, as in the reference. */
const bounds = exponentialBounds(1e-8, 10, 10);

export interface QueueMeter {
  /** The key waits; once, however often it is added. */
  added(key: string): void;
  /** It is worked on. The function says that this has ended. */
  began(key: string): () => void;
  /** It did not go well, and comes again later. */
  retried(): void;
}

export interface QueueStats {
  readonly name: string;
  readonly addsTotal: number;
  readonly retriesTotal: number;
  readonly depth: number;
  /** Of all that is being worked on, together. */
  readonly unfinishedSeconds: number;
  readonly longestRunningSeconds: number;
  readonly waitSeconds: Histogram;
  readonly workSeconds: Histogram;
}

export interface QueueMeters {
  meterOf(name: string): QueueMeter;
  stats(): readonly QueueStats[];
}

export function createQueueMeters(clock: Pick<Clock, 'monotonicMs'>): QueueMeters {
  const meters = new Map<string, Meter>();
  return {
    meterOf(name) {
      const meter = meters.get(name) ?? new Meter(name, clock);
      meters.set(name, meter);
      meter.empty();
      return meter;
    },
    stats: () => [...meters.values()].map((meter) => meter.stats()),
  };
}

class Meter implements QueueMeter {
  readonly #name: string;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  /** Since when, in monotonic ms. */
  readonly #waiting = new SplitMap<number>();
  readonly #running = new Set<{ readonly sinceMs: number }>();
  readonly #waitSeconds = new Histogram(bounds);
  readonly #workSeconds = new Histogram(bounds);
  #addsTotal = 0;
  #retriesTotal = 0;

  constructor(name: string, clock: Pick<Clock, 'monotonicMs'>) {
    this.#name = name;
    this.#clock = clock;
  }

  added(key: string): void {
    if (this.#waiting.has(key)) return;
    this.#addsTotal += 1;
    this.#waiting.set(key, this.#clock.monotonicMs());
  }

  began(key: string): () => void {
    const sinceMs = this.#clock.monotonicMs();
    this.#waitSeconds.observe((sinceMs - (this.#waiting.get(key) ?? sinceMs)) / 1000);
    this.#waiting.delete(key);
    const running = { sinceMs };
    this.#running.add(running);
    return () => {
      this.#running.delete(running);
      this.#workSeconds.observe((this.#clock.monotonicMs() - sinceMs) / 1000);
    };
  }

  retried(): void {
    this.#retriesTotal += 1;
  }

  empty(): void {
    this.#waiting.clear();
  }

  stats(): QueueStats {
    const nowMs = this.#clock.monotonicMs();
    const ages = Array.from(this.#running, ({ sinceMs }) => (nowMs - sinceMs) / 1000);
    return {
      name: this.#name,
      addsTotal: this.#addsTotal,
      retriesTotal: this.#retriesTotal,
      depth: this.#waiting.size,
      unfinishedSeconds: ages.reduce((sum, age) => sum + age, 0),
      longestRunningSeconds: Math.max(0, ...ages),
      waitSeconds: this.#waitSeconds,
      workSeconds: this.#workSeconds,
    };
  }
}
