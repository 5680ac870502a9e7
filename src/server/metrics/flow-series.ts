/** Metrics of priority and fairness, under the reference's names, labels and buckets. */
import type { FlowControl } from '../../flowcontrol/flow-control.ts';
import type { FlowCounts } from '../../flowcontrol/flow-counts.ts';
import type { LevelUse } from '../../flowcontrol/levels.ts';
import type { HistogramSample, Labels, Sample } from './metrics-text.ts';
import type { LabelledSeries, MetricSeries } from './metrics.ts';

const prefix = 'apiserver_flowcontrol';

export function flowSeries(flow: FlowControl): readonly MetricSeries[] {
  const gauge = gaugesOf(flow);
  return [
    ...countSeries(flow),
    ...histogramSeries(flow),
    gauge('nominal_limit_seats', 'Seats of a level by its shares.', ({ bounds }) => bounds.nominal),
    gauge('lower_limit_seats', 'Seats that it never lends.', ({ bounds }) => bounds.lower),
    gauge('upper_limit_seats', 'Seats that it may have at most.', ({ bounds }) => bounds.upper),
    gauge('current_limit_seats', 'Seats that it has now.', ({ level }) => level.limit),
    gauge(
      'demand_seats_high_watermark',
      'Most seats that it could have used, in the last period.',
      ({ level }) => level.demand.highest,
    ),
    gauge(
      'demand_seats_average',
      'Seats that it could have used, in the mean of the last period.',
      ({ level }) => level.demand.mean,
    ),
    gauge('demand_seats_stdev', 'Deviation from that.', ({ level }) => level.demand.deviation),
    gauge(
      'demand_seats_smoothed',
      'Seats that it needed lately.',
      ({ level }) => level.demand.smoothed,
    ),
  ];
}

function gaugesOf({ all }: FlowControl) {
  return (name: string, help: string, valueOf: (use: LevelUse) => number): LabelledSeries => ({
    name: `${prefix}_${name}`,
    help,
    *read() {
      for (const use of all.values()) {
        yield { labels: { priority_level: use.object.name }, value: valueOf(use) };
      }
    },
  });
}

function labelsOf({ level, schema }: FlowCounts): Labels {
  return { priority_level: level, flow_schema: schema };
}

function countSeries(flow: FlowControl): readonly LabelledSeries[] {
  const of = (name: string, help: string, valueOf: (counts: FlowCounts) => number) => ({
    name: `${prefix}_${name}`,
    help,
    *read(): Iterable<Sample> {
      for (const counts of flow.counts) yield { labels: labelsOf(counts), value: valueOf(counts) };
    },
  });
  return [
    of('current_executing_requests', 'Requests that are served.', (of) => of.executingRequests),
    of('current_executing_seats', 'Seats that they have.', (of) => of.executingSeats),
    of('current_inqueue_requests', 'Requests that wait.', (of) => of.waitingRequests),
    of('current_inqueue_seats', 'Seats that they ask for.', (of) => of.waitingSeats),
    of('dispatched_requests_total', 'Requests that were served.', (of) => of.dispatched),
    {
      name: `${prefix}_rejected_requests_total`,
      help: 'Requests that were not served.',
      *read() {
        for (const counts of flow.counts) {
          for (const [reason, value] of counts.rejected) {
            yield { labels: { ...labelsOf(counts), reason }, value };
          }
        }
      },
    },
  ];
}

function histogramSeries(flow: FlowControl): readonly MetricSeries[] {
  return [
    {
      name: `${prefix}_request_wait_duration_seconds`,
      help: 'Time for which requests waited, by whether they were served then.',
      *readHistograms() {
        for (const counts of flow.counts) {
          const { rejectedWaitSeconds, waitSeconds } = counts;
          yield* sampleOf(counts, 'execute', 'true', waitSeconds);
          yield* sampleOf(counts, 'execute', 'false', rejectedWaitSeconds);
        }
      },
    },
    {
      name: `${prefix}_request_execution_seconds`,
      help: 'Time that it took to serve requests; of a watch, to send it the state.',
      *readHistograms() {
        for (const counts of flow.counts) {
          const { executionSeconds, watchExecutionSeconds } = counts;
          yield* sampleOf(counts, 'type', 'regular', executionSeconds);
          yield* sampleOf(counts, 'type', 'watch', watchExecutionSeconds);
        }
      },
    },
  ];
}

function* sampleOf(
  counts: FlowCounts,
  label: 'execute' | 'type',
  value: string,
  histogram: HistogramSample['histogram'] | undefined,
): Iterable<HistogramSample> {
  if (histogram === undefined) return;
  yield { labels: { ...labelsOf(counts), [label]: value }, histogram };
}
