/**
 * Series about the servers of APIServices: which are not available, and how often that began.
 *
 * Bound: `namesMax` of either; what comes later is not shown.
 */
import type { ApiServices } from '../../aggregation/api-services.ts';
import type { MetricSeries } from './metrics.ts';
import type { Sample } from './metrics-text.ts';

const namesMax = 1_000;

export interface LostCounts {
  count(name: string, reason: string): void;
  read(): Iterable<Sample>;
}

export function createLostCounts(): LostCounts {
  const counts = new Map<string, { readonly labels: Sample['labels']; value: number }>();
  return {
    count(name, reason) {
      const key = `${name} ${reason}`;
      const known = counts.get(key) ?? { labels: { name, reason }, value: 0 };
      if (counts.size >= namesMax && !counts.has(key)) return;
      known.value += 1;
      counts.set(key, known);
    },
    read: () => counts.values(),
  };
}

export function availabilitySeries(
  services: ApiServices,
  lost: LostCounts,
): readonly MetricSeries[] {
  return [
    {
      name: 'aggregator_unavailable_apiservice',
      help: 'APIServices of other servers: 1 while they are not available.',
      *read() {
        let shown = 0;
        for (const { isAvailable, name } of services.remotes()) {
          if (shown++ >= namesMax) return;
          yield { labels: { name }, value: isAvailable ? 0 : 1 };
        }
      },
    },
    {
      name: 'aggregator_unavailable_apiservice_total',
      help: 'How often an APIService has become unavailable, by the reason.',
      read: () => lost.read(),
    },
  ];
}
