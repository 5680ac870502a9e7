/**
 * Metrics as text, in the form that Prometheus scrapes: one family after the other, in pieces small
 * enough for a turn of the event loop.
 *
 * Elsewhere: the page (metrics.ts). No metric is known here.
 *
 * Invariants: label values are escaped; a family is contiguous; the buckets of a histogram are
 * cumulative and end with +Inf. The text of a set of labels is made once for as long as the set
 * lives, since thousands of series are written at each scrape.
 */
import type { Histogram } from '../../stdx/histogram.ts';

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

export interface HistogramSample {
  readonly labels: Labels;
  readonly histogram: Histogram;
}

export interface Family {
  readonly name: string;
  readonly help: string;
}

const noLabels: Labels = {};

/** Labels that stand in every line, as text; '' for none. */
export type MetricsWriter = ReturnType<typeof createMetricsWriter>;

/** `common` stands in every line, after the labels of its own. */
export function createMetricsWriter(common: Labels = noLabels) {
  const commonText = textOf(common);
  const texts = new WeakMap<Labels, string>();

  function labelText(labels: Labels): string {
    let text = texts.get(labels);
    if (text === undefined) {
      text = joined(textOf(labels), commonText);
      texts.set(labels, text);
    }
    return text;
  }

  return {
    *samples(family: Family, type: 'counter' | 'gauge', samples: Iterable<Sample>) {
      yield headOf(family, type);
      for (const { labels, value } of samples) {
        yield `${family.name}${braced(labelText(labels))} ${numeral(value)}\n`;
      }
    },
    *histograms(family: Family, samples: Iterable<HistogramSample>) {
      yield headOf(family, 'histogram');
      for (const { labels, histogram } of samples) {
        yield histogramText(family.name, labelText(labels), histogram);
      }
    },
  };
}

function histogramText(name: string, labels: string, histogram: Histogram): string {
  const { bounds, counts, sum } = histogram;
  const before = labels === '' ? `${name}_bucket{le="` : `${name}_bucket{${labels},le="`;
  let text = '';
  let total = 0;
  for (let i = 0; i < counts.length; i += 1) {
    total += counts[i] as number;
    const bound = i < bounds.length ? numeral(bounds[i] as number) : '+Inf';
    text += `${before}${bound}"} ${total}\n`;
  }
  const suffix = braced(labels);
  return `${text}${name}_sum${suffix} ${numeral(sum)}\n${name}_count${suffix} ${total}\n`;
}

function headOf({ name, help }: Family, type: string): string {
  const escaped = help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  return `# HELP ${name} ${escaped}\n# TYPE ${name} ${type}\n`;
}

function textOf(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',');
}

function escaped(value: string): string {
  if (!/[\\"\n]/.test(value)) return value;
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function joined(own: string, common: string): string {
  if (own === '' || common === '') return own + common;
  return `${own},${common}`;
}

function braced(labels: string): string {
  return labels === '' ? '' : `{${labels}}`;
}

function numeral(value: number): string {
  if (value === Infinity) return '+Inf';
  return value === -Infinity ? '-Inf' : String(value);
}
