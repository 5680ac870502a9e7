/** Metrics of what is known of tokens, under the reference's names. */
import type { TokenCacheCounts } from '../../authentication/token-cache-counts.ts';
import type { MetricSeries } from './metrics.ts';
import type { Sample } from './metrics-text.ts';

export function tokenCacheSeries(counts: TokenCacheCounts): readonly MetricSeries[] {
  const { found, hitSeconds, missSeconds } = counts;
  const histograms = [
    { labels: { status: 'hit' }, histogram: hitSeconds },
    { labels: { status: 'miss' }, histogram: missSeconds },
  ];
  return [
    {
      name: 'authentication_token_cache_request_total',
      help: 'Tokens whose signature, or what a webhook says of them, was known, and was not.',
      read: () => histograms.map(({ labels, histogram: { count: value } }) => ({ labels, value })),
    },
    {
      name: 'authentication_token_cache_request_duration_seconds',
      help: 'Time until it was known.',
      readHistograms: () => histograms,
    },
    {
      name: 'authentication_token_cache_fetch_total',
      help: 'How it went to find that out.',
      read: () => [sample('ok', found.good), sample('error', found.not)],
    },
    {
      name: 'authentication_token_cache_active_fetch_count',
      help: 'Tokens of which it is being found out, and requests that wait for others to do so.',
      read: () => [sample('in_flight', counts.underWay), sample('blocked', counts.waiting)],
    },
  ];
}

function sample(status: string, value: number): Sample {
  return { labels: { status }, value };
}
