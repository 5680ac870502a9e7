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
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import { presentMetric } from './metric-stability.ts';
import type { MetricLife, MetricsView } from './metric-stability.ts';

export interface Measured extends MetricLife {
  readonly name: string;
  readonly help: string;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** NaN: not known now. What takes time bounds itself. */
  read(): number | Promise<number>;
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

/** Series of one metric that differ in their labels, as many as there are when it is read. */
export interface LabelledSeries {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  /** ALPHA unless it says otherwise. */
  readonly stability?: MetricLife['stability'] | undefined;
  /** What only rises: a counter. */
  readonly rises?: boolean | undefined;
  read(): readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[];
}

export interface MetricsSetting {
  readonly view: MetricsView;
  /** Which of several servers this is. Its number is a label of everything on the page, so that the
   * workers' series stay apart, and the first line says who answered. */
  readonly worker: number | undefined;
  readonly series?: readonly LabelledSeries[] | undefined;
  /** Is told of deprecated metrics that are registered. */
  readonly warn: (text: string) => void;
}

export function createMetricsPage(
  measured: readonly Measured[],
  { view, worker, series = [], warn }: MetricsSetting,
): MetricsPage {
  const registry = new Registry();
  if (worker !== undefined) registry.setDefaultLabels({ worker: String(worker) });
  const firstLine = worker === undefined ? '' : `# worker ${worker}, process ${process.pid}\n`;
  collectDefaultMetrics({ register: registry });
  for (const metric of measured) {
    const presented = presentMetric(metric, view);
    if (presented.kind === 'hidden') continue;
    if (presented.warning !== undefined) warn(presented.warning);
    const { name, labels = {}, read } = metric;
    new Gauge({
      name,
      help: presented.help,
      labelNames: Object.keys(labels),
      registers: [registry],
      async collect() {
        this.set(labels, await read());
      },
    });
  }
  for (const each of series) registerSeries(each, registry);
  const deprecated = new Gauge({
    name: 'apiserver_requested_deprecated_apis',
    help: '[STABLE] Deprecated versions that have been requested, and when they go.',
    labelNames: ['group', 'version', 'resource', 'subresource', 'removed_release'],
    registers: [registry],
  });
  return {
    async render() {
      const text = await registry.metrics();
      return { contentType: registry.contentType, text: `${firstLine}${text}` };
    },
    deprecatedUse({ group, version, resource, subresource, removedRelease }) {
      deprecated.set({ group, version, resource, subresource, removed_release: removedRelease }, 1);
    },
  };
}

function registerSeries(series: LabelledSeries, registry: Registry): void {
  const { name, help, labelNames, stability = 'ALPHA', rises = false, read } = series;
  const described = {
    name,
    help: `[${stability}] ${help}`,
    labelNames: [...labelNames],
    registers: [registry],
  };
  if (!rises) {
    new Gauge({
      ...described,
      collect() {
        this.reset();
        for (const { labels, value } of read()) this.set(labels, value);
      },
    });
    return;
  }
  new Counter({
    ...described,
    collect() {
      this.reset();
      for (const { labels, value } of read()) this.inc(labels, value);
    },
  });
}
