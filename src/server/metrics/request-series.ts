/**
 * Metrics of requests, under the reference's names, labels and buckets, which public dashboards and
 * alerts for API servers query.
 *
 * Elsewhere: counting (src/endpoints/request-counts.ts, src/endpoints/filters).
 */
import type { AccessCounts } from '../../endpoints/filters/access-counts.ts';
import type {
  RequestCounts,
  RequestLabels,
  RequestSeries,
} from '../../endpoints/request-counts.ts';
import type { Histogram } from '../../stdx/histogram.ts';
import type { HistogramSeries, LabelledSeries, MetricSeries } from './metrics.ts';
import type { HistogramSample, Labels, Sample } from './metrics-text.ts';

/** Labels of each series are made once: their text is kept by them. */
interface SeriesLabels {
  /** All of them. */
  readonly full: Labels;
  readonly withoutDryRun: Labels;
  readonly withoutComponent: Labels;
  readonly byCode: Map<number, { readonly full: Labels; readonly withoutDryRun: Labels }>;
}

export function requestSeries(counts: RequestCounts): readonly MetricSeries[] {
  const labelled = createLabels();
  return [
    {
      name: 'apiserver_request_total',
      help: 'Requests that were answered; watches when they have ended.',
      stability: 'STABLE',
      read: () =>
        coded(
          counts,
          ({ answers }) => answers,
          (each, code) => labelled(each, code).full,
        ),
    },
    durations(counts, labelled),
    {
      name: 'apiserver_request_sli_duration_seconds',
      help: 'Time that requests took, dry runs not counted.',
      readHistograms: () =>
        histograms(
          counts,
          (each) => each.sliSeconds,
          (each) => labelled(each).withoutDryRun,
        ),
    },
    {
      name: 'apiserver_response_sizes',
      help: 'Bytes of the bodies that answer reads.',
      stability: 'STABLE',
      readHistograms: () =>
        histograms(
          counts,
          (each) => each.bodyBytes,
          (each) => labelled(each).withoutDryRun,
        ),
    },
    {
      name: 'apiserver_longrunning_requests',
      help: 'Open watches.',
      stability: 'STABLE',
      read: () => running(counts, labelled),
    },
    {
      name: 'apiserver_request_terminations_total',
      help: 'Requests by whose refusal the server protected itself, or that ran out of time.',
      read: () =>
        coded(
          counts,
          ({ terminations }) => terminations,
          (each, code) => labelled(each, code).withoutDryRun,
        ),
    },
    {
      name: 'apiserver_request_aborts_total',
      help: 'Requests whose client went before there was an answer.',
      read: () => aborts(counts, labelled),
    },
  ];
}

function durations(counts: RequestCounts, labelled: LabelsOf): HistogramSeries {
  return {
    name: 'apiserver_request_duration_seconds',
    help: 'Time that requests took.',
    stability: 'STABLE',
    readHistograms: () =>
      histograms(
        counts,
        (each) => each.seconds,
        (each) => labelled(each).full,
      ),
  };
}

type LabelsOf = (series: RequestSeries, code?: number) => Omit<SeriesLabels, 'byCode'>;

function createLabels(): LabelsOf {
  const known = new WeakMap<RequestLabels, SeriesLabels>();
  return ({ labels }, code) => {
    let made = known.get(labels);
    if (made === undefined) {
      const { component, dry_run: _dryRun, ...rest } = labels;
      made = {
        full: labels,
        withoutDryRun: { ...rest, component },
        withoutComponent: rest,
        byCode: new Map(),
      };
      known.set(labels, made);
    }
    if (code === undefined) return made;
    let coded = made.byCode.get(code);
    if (coded === undefined) {
      const { full, withoutDryRun } = made;
      const more = { code: String(code) };
      coded = { full: { ...full, ...more }, withoutDryRun: { ...withoutDryRun, ...more } };
      made.byCode.set(code, coded);
    }
    return { ...made, ...coded };
  };
}

function* coded(
  counts: RequestCounts,
  valuesOf: (series: RequestSeries) => ReadonlyMap<number, number>,
  labelsOf: (series: RequestSeries, code: number) => Labels,
): Iterable<Sample> {
  for (const series of counts.read()) {
    for (const [code, value] of valuesOf(series)) yield { labels: labelsOf(series, code), value };
  }
}

function* histograms(
  counts: RequestCounts,
  histogramOf: (series: RequestSeries) => Histogram | undefined,
  labelsOf: (series: RequestSeries) => Labels,
): Iterable<HistogramSample> {
  for (const series of counts.read()) {
    const histogram = histogramOf(series);
    if (histogram === undefined || histogram.count === 0) continue;
    yield { labels: labelsOf(series), histogram };
  }
}

/** Of what has been watched; 0 when nobody watches it now. */
function* running(counts: RequestCounts, labelled: LabelsOf): Iterable<Sample> {
  for (const series of counts.read()) {
    if (series.labels.verb !== 'WATCH') continue;
    yield { labels: labelled(series).withoutDryRun, value: series.running };
  }
}

function* aborts(counts: RequestCounts, labelled: LabelsOf): Iterable<Sample> {
  for (const series of counts.read()) {
    if (series.aborts === 0) continue;
    yield { labels: labelled(series).withoutComponent, value: series.aborts };
  }
}

/** `inFlight`: requests being answered now. */
export function inFlightSeries(
  inFlight: () => {
    readonly mutating: number;
    readonly readOnly: number;
  },
): LabelledSeries {
  const mutating: Labels = { request_kind: 'mutating' };
  const readOnly: Labels = { request_kind: 'readOnly' };
  return {
    name: 'apiserver_current_inflight_requests',
    help: 'Requests being answered, watches not counted.',
    stability: 'STABLE',
    read: () => {
      const now = inFlight();
      return [
        { labels: mutating, value: now.mutating },
        { labels: readOnly, value: now.readOnly },
      ];
    },
  };
}

export function accessSeries(counts: AccessCounts): readonly MetricSeries[] {
  const { authentication, authorization, users } = counts;
  const asHistograms = (byResult: ReadonlyMap<string, Histogram>): readonly HistogramSample[] =>
    [...byResult].map(([result, histogram]) => ({ labels: { result }, histogram }));
  const asCounts = (byResult: ReadonlyMap<string, Histogram>): readonly Sample[] =>
    [...byResult].map(([result, { count }]) => ({ labels: { result }, value: count }));
  return [
    {
      name: 'authentication_attempts',
      help: 'Requests by whether their caller could be told.',
      rises: true,
      read: () => asCounts(authentication),
    },
    {
      name: 'authentication_duration_seconds',
      help: 'Time that it took to tell the caller.',
      readHistograms: () => asHistograms(authentication),
    },
    {
      name: 'authenticated_user_requests',
      help: 'Requests by their user, most of them under one name.',
      rises: true,
      read: () => [...users].map(([username, value]) => ({ labels: { username }, value })),
    },
    {
      name: 'authorization_attempts_total',
      help: 'Requests by whether they were allowed.',
      read: () => asCounts(authorization),
    },
    {
      name: 'authorization_duration_seconds',
      help: 'Time that it took to decide.',
      readHistograms: () => asHistograms(authorization),
    },
  ];
}
