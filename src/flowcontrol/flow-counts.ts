/**
 * Counts of the requests of one flow schema at one priority level. They are read when the metrics
 * page is asked for.
 *
 * Bound: histograms are made when there is something to observe.
 */
import { Histogram } from '../stdx/histogram.ts';

/** Why a request was not served. */
export type Rejection = 'queue-full' | 'concurrency-limit' | 'time-out' | 'cancelled';

/** Buckets of the reference. */
const secondsBounds: readonly number[] = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];

export class FlowCounts {
  readonly level: string;
  readonly schema: string;
  executingRequests = 0;
  executingSeats = 0;
  waitingRequests = 0;
  waitingSeats = 0;
  dispatched = 0;
  readonly rejected = new Map<Rejection, number>();
  /** Of those who were served, and of those who were not. */
  waitSeconds: Histogram | undefined;
  rejectedWaitSeconds: Histogram | undefined;
  executionSeconds: Histogram | undefined;
  watchExecutionSeconds: Histogram | undefined;

  constructor(level: string, schema: string) {
    this.level = level;
    this.schema = schema;
  }

  get isIdle(): boolean {
    return this.executingRequests === 0 && this.executingSeats === 0 && this.waitingRequests === 0;
  }

  reject(why: Rejection): void {
    this.rejected.set(why, (this.rejected.get(why) ?? 0) + 1);
  }

  waited(seconds: number, served: boolean): void {
    if (served) (this.waitSeconds ??= new Histogram(secondsBounds)).observe(seconds);
    else (this.rejectedWaitSeconds ??= new Histogram(secondsBounds)).observe(seconds);
  }

  executed(seconds: number, isWatch: boolean): void {
    if (isWatch) (this.watchExecutionSeconds ??= new Histogram(secondsBounds)).observe(seconds);
    else (this.executionSeconds ??= new Histogram(secondsBounds)).observe(seconds);
  }
}
