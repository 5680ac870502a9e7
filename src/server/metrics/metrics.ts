/**
 * The metrics page, in the text form that Prometheus scrapes.
 *
 * The parts count for themselves; their numbers are read when the page is asked for, so nothing on
 * a hot path knows of metrics. What is deprecated or hidden is said in metric-stability.ts.
 *
 * Invariants: every metric of this program has a stability class in its help text; what only rises
 * (`..._total`) is a counter. However many ask at once, the page is written once for them, and no
 * turn of the event loop writes more than `turnCharsMax`. Bound: the uses of deprecated versions
 * are as many as there are versions of resources.
 */
import { collectDefaultMetrics, Registry } from 'prom-client';
import { sha256Of } from '../../stdx/sha256-of.ts';
import { presentMetric } from './metric-stability.ts';
import type { MetricLife, MetricsView } from './metric-stability.ts';
import { createMetricsWriter } from './metrics-text.ts';
import type { HistogramSample, Labels, MetricsWriter, Sample } from './metrics-text.ts';

export interface Measured extends MetricLife {
  readonly name: string;
  readonly help: string;
  readonly labels?: Labels | undefined;
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
  render(): Promise<MetricsText>;
  /** A deprecated version was asked for. */
  deprecatedUse(use: DeprecatedApi): void;
}

export interface MetricsText {
  readonly contentType: string;
  /** Text, and in UTF-8 where there is much of it. */
  readonly body: Uint8Array | string;
}

interface SeriesBase {
  readonly name: string;
  readonly help: string;
  /** ALPHA unless it says otherwise. */
  readonly stability?: MetricLife['stability'] | undefined;
  /** Each line says which server it is of: `apiserver_id_hash`. */
  readonly ofServer?: boolean | undefined;
}

/** Series of one metric that differ in their labels, as many as there are when it is read. */
export interface LabelledSeries extends SeriesBase {
  /** What only rises: a counter, as is everything whose name ends in `_total`. */
  readonly rises?: boolean | undefined;
  read(): Iterable<Sample>;
}

/** Histograms of one metric that differ in their labels. */
export interface HistogramSeries extends SeriesBase {
  readHistograms(): Iterable<HistogramSample>;
}

export type MetricSeries = LabelledSeries | HistogramSeries;

export interface MetricsSetting {
  readonly view: MetricsView;
  /** Which of several servers this is. Its number is a label of everything on the page, so that the
   * workers' series stay apart, and the first line says who answered. */
  readonly worker: number | undefined;
  /** As its identity Lease is named; '' while it has none. Absent: it never has. */
  readonly serverId?: (() => string) | undefined;
  readonly series?: readonly MetricSeries[] | undefined;
  /** Resolves in a later turn of the event loop. Absent: the page is written in one. */
  readonly pause?: (() => Promise<void>) | undefined;
  /** Is called with deprecated metrics that are registered. */
  readonly warn: (text: string) => void;
}

const serverLabel = 'apiserver_id_hash';

/** About a tenth of a turn's 25 ms, on a slow machine. */
const turnCharsMax = 256 * 1024;

export function createMetricsPage(
  measured: readonly Measured[],
  { view, worker, serverId = () => '', series = [], pause, warn }: MetricsSetting,
): MetricsPage {
  const common: Labels = worker === undefined ? {} : { worker: String(worker) };
  const registry = new Registry();
  registry.setDefaultLabels(common);
  collectDefaultMetrics({ register: registry });
  const shown = shownOf(measured, view, warn);
  const deprecated = createDeprecatedUses();
  const all = [...series, deprecated.series];
  const firstLine = worker === undefined ? '' : `# worker ${worker}, process ${process.pid}\n`;

  async function write(): Promise<MetricsText> {
    const writer = createMetricsWriter(common);
    const ofServer = createMetricsWriter({ [serverLabel]: sha256Of(serverId()), ...common });
    let text: string[] = [firstLine, await registry.metrics()];
    const written: Uint8Array[] = [];
    for (const { help, metric } of shown) {
      const { labels = {}, name } = metric;
      const sample = { labels, value: await metric.read() };
      text.push(...writer.samples({ name, help }, typeOf(metric), [sample]));
    }
    let chars = 0;
    for (const each of all) {
      for (const piece of piecesOf(each.ofServer === true ? ofServer : writer, each)) {
        text.push(piece);
        chars += piece.length;
        if (chars < turnCharsMax || pause === undefined) continue;
        chars = 0;
        // In one piece a page of megabytes would be put together and encoded in one turn.
        written.push(Buffer.from(text.join('')));
        text = [];
        await pause();
      }
    }
    const rest = text.join('');
    const body = written.length === 0 ? rest : Buffer.concat([...written, Buffer.from(rest)]);
    return { contentType: registry.contentType, body };
  }

  let writing: Promise<MetricsText> | undefined;
  return {
    render() {
      writing ??= write().finally(() => (writing = undefined));
      return writing;
    },
    deprecatedUse: (use) => deprecated.add(use),
  };
}

interface ShownMetric {
  readonly metric: Measured;
  readonly help: string;
}

function shownOf(
  measured: readonly Measured[],
  view: MetricsView,
  warn: (text: string) => void,
): readonly ShownMetric[] {
  return measured.flatMap((metric) => {
    const presented = presentMetric(metric, view);
    if (presented.kind === 'hidden') return [];
    if (presented.warning !== undefined) warn(presented.warning);
    return [{ metric, help: presented.help }];
  });
}

function typeOf({ name, rises }: Pick<LabelledSeries, 'name' | 'rises'>): 'counter' | 'gauge' {
  return rises === true || name.endsWith('_total') ? 'counter' : 'gauge';
}

function piecesOf(writer: MetricsWriter, series: MetricSeries): Iterable<string> {
  const { name, stability = 'ALPHA' } = series;
  const family = { name, help: `[${stability}] ${series.help}` };
  if ('readHistograms' in series) return writer.histograms(family, series.readHistograms());
  return writer.samples(family, typeOf(series), series.read());
}

function createDeprecatedUses() {
  const uses = new Map<string, Sample>();
  const series: LabelledSeries = {
    name: 'apiserver_requested_deprecated_apis',
    help: 'Deprecated versions that have been requested, and when they go.',
    stability: 'STABLE',
    read: () => uses.values(),
  };
  return {
    series,
    add({ group, version, resource, subresource, removedRelease }: DeprecatedApi): void {
      const key = `${group}/${version}/${resource}/${subresource}`;
      if (uses.has(key)) return;
      const labels = { group, version, resource, subresource, removed_release: removedRelease };
      uses.set(key, { labels, value: 1 });
    },
  };
}
