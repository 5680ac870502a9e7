/**
 * Counts the outcomes of match conditions of webhooks and policies, for the metrics page.
 *
 * Bound: `seriesMax` configurations have their own series; later ones share one.
 */
import { Histogram } from '../../stdx/histogram.ts';

export interface ConditionLabels {
  readonly name: string;
  readonly kind: 'policy' | 'webhook';
  readonly type: 'admit' | 'validate';
  readonly operation: string;
}

export interface ConditionSeries {
  readonly labels: Readonly<Record<string, string>>;
  errors: number;
  exclusions: number;
  readonly seconds: Histogram;
}

export interface ConditionCounts {
  observe(labels: ConditionLabels, errors: number, excluded: boolean, seconds: number): void;
  read(): Iterable<ConditionSeries>;
}

/** Seconds; those of the reference. */
const bounds = [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25];
const seriesMax = 1000;
const others = '(others)';

export function createConditionCounts(): ConditionCounts {
  const known = new Map<string, ConditionSeries>();
  const seriesOf = (labels: ConditionLabels): ConditionSeries => {
    const { kind, name, operation, type } = labels;
    const key = `${kind} ${type} ${operation} ${name}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    if (known.size >= seriesMax && name !== others) return seriesOf({ ...labels, name: others });
    const made = {
      labels: { ...labels },
      errors: 0,
      exclusions: 0,
      seconds: new Histogram(bounds),
    };
    known.set(key, made);
    return made;
  };
  return {
    observe(labels, errors, excluded, seconds) {
      const series = seriesOf(labels);
      series.errors += errors;
      if (excluded) series.exclusions += 1;
      series.seconds.observe(seconds);
    },
    read: () => known.values(),
  };
}
