/** Metrics of key services, under the names that the reference has. */
import type { KeyServiceCounts, Labels } from '../../encryption/key-service/counts.ts';
import type { MetricSeries } from './metrics.ts';

/** `seeds`: how many of each service are known. */
export function keyServiceSeries(
  counts: KeyServiceCounts,
  seeds: () => Iterable<readonly [provider: string, count: number]>,
): readonly MetricSeries[] {
  const prefix = 'apiserver_envelope_encryption';
  type Use = { readonly labels: Labels; readonly count: number; readonly atMs: number };
  const totals = (uses: Iterable<Use>) =>
    [...uses].map(({ count, labels }) => ({ labels, value: count }));
  const times = (uses: Iterable<Use>) =>
    [...uses].map(({ atMs, labels }) => ({ labels, value: atMs / 1000 }));
  return [
    {
      name: `${prefix}_kms_operations_latency_seconds`,
      help: 'Time that a call of a key service took.',
      readHistograms: () =>
        [...counts.calls()].map(([labels, histogram]) => ({ labels, histogram })),
    },
    {
      name: `${prefix}_key_id_hash_total`,
      ofServer: true,
      help: 'Records that were written and read with a key of a key service.',
      read: () => totals(counts.uses()),
    },
    {
      name: `${prefix}_key_id_hash_last_timestamp_seconds`,
      ofServer: true,
      help: 'When a key of a key service was used last.',
      read: () => times(counts.uses()),
    },
    {
      name: `${prefix}_key_id_hash_status_last_timestamp_seconds`,
      ofServer: true,
      help: 'When a key service said last that it has this key.',
      read: () => times(counts.names()),
    },
    {
      name: `${prefix}_invalid_key_id_from_status_total`,
      help: 'Ids of keys that a key service has named and that cannot be.',
      read: () => totals(counts.wrongKeyIds()),
    },
    {
      name: `${prefix}_dek_source_cache_size`,
      help: 'Seeds of a key service that are known.',
      read: () => [...seeds()].map(([name, value]) => ({ labels: { provider_name: name }, value })),
    },
  ];
}
