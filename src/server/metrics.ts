/**
 * The metrics page, in the text form that Prometheus scrapes.
 *
 * What it is not: counting. The parts count for themselves; their numbers are read when the page is
 * asked for, so nothing on a hot path knows of metrics. What is deprecated or hidden is said in
 * metric-stability.ts.
 *
 * Invariant: every metric of this program has a stability class in its help text. Bound: the uses
 * of deprecated versions are as many as there are versions of resources.
 */
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { presentMetric } from './metric-stability.ts';
import type { MetricLife, MetricsView } from './metric-stability.ts';

export interface Measured extends MetricLife {
  readonly name: string;
  readonly help: string;
  read(): number;
}

export interface DeprecatedApi {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly removedRelease: string;
}

export interface MetricsPage {
  render(): Promise<{ readonly contentType: string; readonly text: string }>;
  /** A deprecated version was asked for. */
  deprecatedUse(use: DeprecatedApi): void;
}

/** `warn` is told of deprecated metrics that are registered. */
export function createMetricsPage(
  measured: readonly Measured[],
  view: MetricsView,
  warn: (text: string) => void = () => undefined,
): MetricsPage {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const metric of measured) {
    const presented = presentMetric(metric, view);
    if (presented.kind === 'hidden') continue;
    if (presented.warning !== undefined) warn(presented.warning);
    new Gauge({
      name: metric.name,
      help: presented.help,
      registers: [registry],
      collect() {
        this.set(metric.read());
      },
    });
  }
  const deprecated = new Gauge({
    name: 'apiserver_requested_deprecated_apis',
    help: '[STABLE] Deprecated versions that have been requested, and when they go.',
    labelNames: ['group', 'version', 'resource', 'subresource', 'removed_release'],
    registers: [registry],
  });
  return {
    render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
    deprecatedUse({ group, version, resource, subresource, removedRelease }) {
      deprecated.set({ group, version, resource, subresource, removed_release: removedRelease }, 1);
    },
  };
}
