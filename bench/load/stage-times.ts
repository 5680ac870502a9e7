/**
 * What a server says of the stages of watched writes (src/storage/write-stages.ts) between two
 * looks at its metrics page.
 *
 * Resolution: a mean is exact; a quantile lies within its bucket, and is drawn in a straight line.
 */
import { fetchBytes } from './http-client.ts';

export interface StageTimes {
  readonly meanMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** By stage; 'all': from the last byte of the request until the last watcher is written to. */
export type Stages = ReadonlyMap<string, StageTimes>;

interface Counted {
  /** Upper bound in seconds, and how many are not above it. */
  readonly buckets: Map<number, number>;
  sum: number;
}

export type StageCounts = ReadonlyMap<string, Counted>;

const operation = 'update';
const lines = new RegExp(
  '^sluice_watch_delivery_(?:stage_)?seconds_(?<what>bucket|sum)' +
    '\\{(?<labels>[^}]*)\\} (?<value>\\S+)$',
  'gm',
);

export async function stageCounts(port: number): Promise<StageCounts> {
  const text = (await fetchBytes(port, 'GET', '/metrics')).body.toString();
  const counts = new Map<string, Counted>();
  for (const { groups = {} } of text.matchAll(lines)) {
    const { labels = '', value, what } = groups;
    if (!labels.includes(`operation="${operation}"`)) continue;
    const stage = /stage="(\w+)"/.exec(labels)?.[1] ?? 'all';
    let counted = counts.get(stage);
    if (counted === undefined) counts.set(stage, (counted = { buckets: new Map(), sum: 0 }));
    const bound = /le="([^"]+)"/.exec(labels)?.[1];
    if (what === 'sum') counted.sum = Number(value);
    else counted.buckets.set(bound === '+Inf' ? Infinity : Number(bound), Number(value));
  }
  return counts;
}

export function stagesBetween(before: StageCounts, after: StageCounts): Stages {
  return new Map(
    [...after].map(([stage, counted]) => {
      const earlier = before.get(stage) ?? { buckets: new Map<number, number>(), sum: 0 };
      const buckets = [...counted.buckets].map(
        ([bound, count]) => [bound, count - (earlier.buckets.get(bound) ?? 0)] as const,
      );
      const total = buckets.at(-1)?.[1] ?? 0;
      return [
        stage,
        {
          meanMs: ((counted.sum - earlier.sum) / total) * 1000,
          p50Ms: quantileOf(buckets, total, 0.5),
          p99Ms: quantileOf(buckets, total, 0.99),
        },
      ];
    }),
  );
}

function quantileOf(
  buckets: readonly (readonly [number, number])[],
  total: number,
  share: number,
): number {
  const wanted = total * share;
  let from = 0;
  let below = 0;
  for (const [bound, count] of buckets) {
    if (count >= wanted && count > below) {
      const to = Number.isFinite(bound) ? bound : from;
      return (from + ((wanted - below) / (count - below)) * (to - from)) * 1000;
    }
    from = bound;
    below = count;
  }
  return NaN;
}
