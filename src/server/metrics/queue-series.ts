/** Metrics of controllers' queues, under the names that dashboards know. */
import type { QueueMeters, QueueStats } from '../../controllers/queue-meters.ts';
import type { MetricSeries } from './metrics.ts';

export function queueSeries(queues: Pick<QueueMeters, 'stats'>): readonly MetricSeries[] {
  const read = (valueOf: (stats: QueueStats) => number) => () =>
    queues.stats().map((each) => ({ labels: { name: each.name }, value: valueOf(each) }));
  const readHistograms = (of: 'waitSeconds' | 'workSeconds') => () =>
    queues.stats().map((each) => ({ labels: { name: each.name }, histogram: each[of] }));
  return [
    {
      name: 'workqueue_adds_total',
      help: 'Keys added to the queue of a controller.',
      read: read(({ addsTotal }) => addsTotal),
    },
    {
      name: 'workqueue_depth',
      help: 'Keys that wait in it.',
      read: read(({ depth }) => depth),
    },
    {
      name: 'workqueue_retries_total',
      help: 'Keys that come again because their work did not go well.',
      read: read(({ retriesTotal }) => retriesTotal),
    },
    {
      name: 'workqueue_unfinished_work_seconds',
      help: 'How long what is being worked on has taken so far, all of it together.',
      read: read(({ unfinishedSeconds }) => unfinishedSeconds),
    },
    {
      name: 'workqueue_longest_running_processor_seconds',
      help: 'How long the longest of it has taken so far.',
      read: read(({ longestRunningSeconds }) => longestRunningSeconds),
    },
    {
      name: 'workqueue_queue_duration_seconds',
      help: 'Time for which keys waited before they were worked on.',
      readHistograms: readHistograms('waitSeconds'),
    },
    {
      name: 'workqueue_work_duration_seconds',
      help: 'Time that the work on a key took.',
      readHistograms: readHistograms('workSeconds'),
    },
  ];
}
