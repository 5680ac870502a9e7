/**
 * What watches were sent, by the kind that they watch.
 *
 * What it is not: the metrics page, which reads it, or open watches (request-counts.ts).
 *
 * Bound: as many as there are kinds.
 */
import type { KindInfo } from '../apimachinery/scheme.ts';
import { exponentialBounds, Histogram } from '../stdx/histogram.ts';
import type { SentEvents } from '../../streams/streams.ts';

export interface WatchCounts {
  sentOf(kind: KindInfo): SentEvents;
  read(): Iterable<readonly [KindInfo, Histogram]>;
}

const sizeBounds = exponentialBounds(1024, 2, 8);

export function createWatchCounts(): WatchCounts {
  const sizes = new Map<KindInfo, Histogram>();
  return {
    sentOf(kind) {
      let histogram = sizes.get(kind);
      if (histogram === undefined) sizes.set(kind, (histogram = new Histogram(sizeBounds)));
      return histogram;
    },
    read: () => sizes,
  };
}
