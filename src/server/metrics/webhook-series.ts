/** Metrics of the outcomes of calls to admission webhooks, under the names that dashboards know. */
import type { WebhookCounts } from '../../admission/webhooks/webhook-counts.ts';
import type { LabelledSeries, MetricSeries } from './metrics.ts';

export function webhookSeries(counts: WebhookCounts): readonly MetricSeries[] {
  const series = (
    name: string,
    help: string,
    read: () => Iterable<readonly [Readonly<Record<string, string>>, number]>,
  ): LabelledSeries => ({
    name: `apiserver_admission_webhook_${name}`,
    help,
    rises: true,
    read: () => [...read()].map(([labels, value]) => ({ labels, value })),
  });
  return [
    {
      name: 'apiserver_admission_webhook_admission_duration_seconds',
      help: 'Time that a call of an admission webhook took.',
      stability: 'STABLE',
      readHistograms: () =>
        [...counts.durations()].map(([labels, histogram]) => ({ labels, histogram })),
    },
    series('request_total', 'Calls of admission webhooks.', () => counts.requests()),
    series('rejection_count', 'Writes that ended at an admission webhook.', () =>
      counts.rejections(),
    ),
    series(
      'fail_open_count',
      'Calls that failed of admission webhooks that are ignored then.',
      () => counts.openFailures(),
    ),
  ];
}
