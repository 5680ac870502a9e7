/** Metrics of the time from a write to its watchers, this server's latency objective
 * (src/storage/write-stages.ts explains the stages). */
import type { WriteStages } from '../../storage/write-stages.ts';
import type { MetricSeries } from './metrics.ts';

export function deliverySeries(
  source: Pick<WriteStages, 'stages' | 'deliveries'>,
): readonly MetricSeries[] {
  return [
    {
      name: 'sluice_watch_delivery_seconds',
      help: 'Time from the last byte of a write until every live watch of it was written to.',
      readHistograms: () =>
        source.deliveries().map(({ operation, seconds }) => ({
          labels: { operation },
          histogram: seconds,
        })),
    },
    {
      name: 'sluice_watch_delivery_stage_seconds',
      help: 'Time of each stage of that way, from the end of the one before.',
      readHistograms: () =>
        source.stages().map(({ operation, stage, seconds }) => ({
          labels: { operation, stage },
          histogram: seconds,
        })),
    },
  ];
}
