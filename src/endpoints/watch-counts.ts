/**
 * What watches were sent, and how long streaming lists took, by the kind that they watch.
 *
 * Elsewhere: the metrics page, which reads the counts, and open watches (request-counts.ts).
 *
 * Bound: one series for each kind; for lists three.
 */
import type { KindInfo } from '../apimachinery/scheme.ts';
import { exponentialBounds, Histogram } from '../stdx/histogram.ts';
import type { SentEvents } from '../../streams/streams.ts';

export interface WatchCounts {
  sentOf(kind: KindInfo): SentEvents;
  read(): Iterable<readonly [KindInfo, Histogram]>;
  /** A streaming list is complete: its end mark goes out. */
  listed(kind: KindInfo, scope: WatchScope, seconds: number): void;
  lists(): readonly WatchListSeries[];
}

/** One object, those of a namespace, or all. */
export type WatchScope = 'resource' | 'namespace' | 'cluster';

export interface WatchListSeries {
  readonly kind: KindInfo;
  readonly scope: WatchScope;
  readonly seconds: Histogram;
}

const sizeBounds = exponentialBounds(1024, 2, 8);
/** Buckets of the reference. */
const listBounds: readonly number[] = [
  0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4, 6, 8, 10, 15, 20, 30, 45, 60,
];

/** A kind that is defined anew goes on under its name. */
function nameOf({ group, resource, version }: KindInfo): string {
  return `${group}/${version}/${resource}`;
}

export function createWatchCounts(): WatchCounts {
  const sizes = new Map<string, readonly [KindInfo, Histogram]>();
  const lists: WatchListSeries[] = [];
  return {
    sentOf(kind) {
      const name = nameOf(kind);
      let known = sizes.get(name);
      if (known === undefined) sizes.set(name, (known = [kind, new Histogram(sizeBounds)]));
      return known[1];
    },
    read: () => sizes.values(),
    listed(kind, scope, seconds) {
      const name = nameOf(kind);
      let series = lists.find((each) => nameOf(each.kind) === name && each.scope === scope);
      if (series === undefined) {
        series = { kind, scope, seconds: new Histogram(listBounds) };
        lists.push(series);
      }
      series.seconds.observe(seconds);
    },
    lists: () => lists,
  };
}
