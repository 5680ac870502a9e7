/**
 * All that one server counts, and the two pages that show it: /metrics and /metrics/slis.
 *
 * Elsewhere: the form of the page (metrics.ts).
 */
import type { ApiServices } from '../../aggregation/api-services.ts';
import { createAccessCounts } from '../../endpoints/filters/access-counts.ts';
import type { AccessCounts } from '../../endpoints/filters/access-counts.ts';
import type { Health } from '../../endpoints/health.ts';
import { createRequestCounts } from '../../endpoints/request-counts.ts';
import type { RequestCounts } from '../../endpoints/request-counts.ts';
import { createWatchCounts } from '../../endpoints/watch-counts.ts';
import type { WatchCounts } from '../../endpoints/watch-counts.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import type { Clock, Timers } from '../../stdx/clock.ts';
import type { StoreTimes } from '../../storage/timed-storage.ts';
import { createMetricsPage } from './metrics.ts';
import type {
  LabelledSeries,
  Measured,
  MetricSeries,
  MetricsPage,
  MetricsText,
} from './metrics.ts';
import type { MetricsView } from './metric-stability.ts';
import { createMetricsWriter } from './metrics-text.ts';
import { webhookSeries } from './webhook-series.ts';
import { admissionSeries, securitySeries } from './admission-series.ts';
import { conditionSeries, policySeries } from './policy-series.ts';
import { followerSeries, objectSeries, storeSeries, watchSeries } from './object-series.ts';
import { deliverySeries } from './delivery-series.ts';
import { queueSeries } from './queue-series.ts';
import { accessSeries, inFlightSeries, requestSeries } from './request-series.ts';
import type { ServerParts } from '../compose/server-parts.ts';

export interface ServerMetrics {
  readonly page: MetricsPage;
  readonly requests: RequestCounts;
  readonly access: AccessCounts;
  readonly watches: WatchCounts;
  /** A request of this method has come, and has been handled. */
  began(method: string): void;
  ended(method: string): void;
  handshakeFailed(): void;
}

export interface ServerMetricsDeps {
  readonly parts: ServerParts;
  /** Which versions are somebody else's. */
  readonly services: ApiServices;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly view: MetricsView;
  readonly worker: number | undefined;
  readonly serverId: () => string;
  readonly version: JsonObject;
  readonly storeTimes: () => readonly StoreTimes[];
  readonly measured: readonly Measured[];
  readonly series: readonly MetricSeries[];
  readonly warn: (text: string) => void;
}

const mutating: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

export function createServerMetrics(deps: ServerMetricsDeps): ServerMetrics {
  const { clock, parts, timers, view, worker, warn } = deps;
  const { scheme, streams } = parts.registry;
  const requests = createRequestCounts(scheme, deps.services, clock);
  const access = createAccessCounts();
  const watches = createWatchCounts();
  const inFlight = { mutating: 0, readOnly: 0 };
  let handshakeErrors = 0;
  const page = createMetricsPage(deps.measured, {
    view,
    worker,
    serverId: deps.serverId,
    series: [
      buildInfo(deps.version),
      versionSeries(deps.version),
      ...requestSeries(requests),
      inFlightSeries(() => inFlight),
      ...accessSeries(access),
      ...objectSeries(scheme, streams),
      ...watchSeries(watches),
      ...deliverySeries(parts.stages),
      ...turnSeries(parts.turnWatch),
      ...followerSeries(streams),
      ...admissionSeries(parts.admission, parts.admissionReadiness),
      ...securitySeries(parts.securityCounts),
      ...webhookSeries(parts.webhooks.counts),
      ...policySeries(parts.policies.counts),
      ...conditionSeries(parts.policies.conditions),
      ...queueSeries(parts.queues),
      ...storeSeries(deps.storeTimes),
      handshakeSeries(() => handshakeErrors),
      ...deps.series,
    ],
    pause: () => new Promise((resolve) => void timers.nextTurn(resolve)),
    warn,
  });
  return {
    page,
    requests,
    access,
    watches,
    began(method) {
      if (mutating.has(method)) inFlight.mutating += 1;
      else inFlight.readOnly += 1;
    },
    ended(method) {
      if (mutating.has(method)) inFlight.mutating -= 1;
      else inFlight.readOnly -= 1;
    },
    handshakeFailed() {
      handshakeErrors += 1;
    },
  };
}

/** Turns of the event loop; those that no request marks are in nodejs_eventloop_lag_*. */
function turnSeries({ seconds, takeLongest }: ServerParts['turnWatch']): readonly MetricSeries[] {
  return [
    {
      name: 'sluice_turn_seconds',
      help: 'Length of the turns of the event loop in which requests were worked on.',
      readHistograms: () => [{ labels: {}, histogram: seconds }],
    },
    {
      name: 'sluice_longest_turn_seconds',
      help: 'The longest of them since the page was last asked for, and what took most of it.',
      read() {
        const longest = takeLongest();
        return longest === undefined ? [] : [{ labels: longest.labels, value: longest.seconds }];
      },
    },
  ];
}

function buildInfo(version: JsonObject): LabelledSeries {
  const text = (name: string): string => String(version[name] ?? '');
  const labels = {
    build_date: text('buildDate'),
    compiler: text('compiler'),
    git_commit: text('gitCommit'),
    git_tree_state: text('gitTreeState'),
    git_version: text('gitVersion'),
    go_version: text('goVersion'),
    major: text('major'),
    minor: text('minor'),
    platform: text('platform'),
  };
  return {
    name: 'kubernetes_build_info',
    help: 'What this server was built of; always 1.',
    read: () => [{ labels, value: 1 }],
  };
}

/** The release that this is, the one that it serves, and the oldest that reads what it stores. */
function versionSeries(version: JsonObject): LabelledSeries {
  const release = (major: string, minor: string): string =>
    [major, minor].map((part) => String(version[part] ?? '')).join('.');
  const labels = {
    binary: release('major', 'minor'),
    component: 'kube',
    emulation: release('emulationMajor', 'emulationMinor'),
    min_compat: release('minCompatibilityMajor', 'minCompatibilityMinor'),
  };
  return {
    name: 'version_info',
    help: 'Releases that this server is, serves and can go back to; always 1.',
    read: () => [{ labels, value: 1 }],
  };
}

function handshakeSeries(errors: () => number): LabelledSeries {
  return {
    name: 'apiserver_tls_handshake_errors_total',
    help: 'Connections whose client did not come to terms over TLS.',
    read: () => [{ labels: {}, value: errors() }],
  };
}

/** The page of service level indicators: how health checks went, as far as they were asked. */
export function indicatorsText(health: Health, worker: number | undefined): MetricsText {
  const writer = createMetricsWriter(worker === undefined ? {} : { worker: String(worker) });
  const records = [...health.records()];
  const last = {
    name: 'kubernetes_healthcheck',
    help: '[STABLE] How each health check went the last time: 1 is well.',
  };
  const total = {
    name: 'kubernetes_healthchecks_total',
    help: '[STABLE] How health checks went.',
  };
  const text = [
    ...writer.samples(
      last,
      'gauge',
      records.map(({ name, endpoint, passed }) => ({
        labels: { name, type: endpoint },
        value: passed ? 1 : 0,
      })),
    ),
    ...writer.samples(
      total,
      'counter',
      records.flatMap(({ name, endpoint, passedTotal, failedTotal }) => [
        { labels: { name, status: 'success', type: endpoint }, value: passedTotal },
        { labels: { name, status: 'error', type: endpoint }, value: failedTotal },
      ]),
    ),
  ];
  return { contentType: 'text/plain; version=0.0.4; charset=utf-8', body: text.join('') };
}
