/**
 * Counts the outcomes of validating policies, for the metrics page.
 *
 * Bound: `seriesMax` series; later policies and bindings share one.
 */
import type { Clock } from '../../stdx/clock.ts';
import { Histogram } from '../../stdx/histogram.ts';
import type { ConditionCounts } from '../matching/condition-counts.ts';
import type { PolicyCheck, PolicyMetrics } from './policies.ts';

export interface CheckSeries {
  readonly labels: Readonly<Record<string, string>>;
  readonly seconds: Histogram;
}

export interface PolicyCounts extends PolicyMetrics {
  checks(): Iterable<CheckSeries>;
}

interface KnownSeries extends CheckSeries {
  readonly labels: Readonly<Record<'enforcement_action' | 'error_type', string>> &
    CheckSeries['labels'];
}

const none: readonly KnownSeries[] = [];

/** Seconds; those of the reference. */
const bounds = [0.0000005, 0.001, 0.01, 0.1, 1];
const seriesMax = 1000;
const others = '(others)';

export function createPolicyCounts(
  clock: Pick<Clock, 'monotonicMs'>,
  conditions: ConditionCounts,
): PolicyCounts {
  const known: KnownSeries[] = [];
  // By policy, binding and the rest: a key made of texts would cost more than what it is for.
  const byPolicy = new Map<string, Map<string, readonly KnownSeries[]>>();
  const seriesOf = (check: PolicyCheck): KnownSeries => {
    const { binding, enforcement, error, policy } = check;
    const ofBinding = byPolicy.get(policy)?.get(binding) ?? none;
    for (const series of ofBinding) {
      const { enforcement_action: action, error_type: type } = series.labels;
      if (action === enforcement && type === error) return series;
    }
    if (known.length >= seriesMax && policy !== others) {
      return seriesOf({ ...check, policy: others, binding: others });
    }
    const labels = {
      enforcement_action: enforcement,
      error_type: error,
      policy,
      policy_binding: binding,
    };
    const made = { labels, seconds: new Histogram(bounds) };
    known.push(made);
    const ofPolicy = byPolicy.get(policy) ?? new Map<string, readonly KnownSeries[]>();
    byPolicy.set(policy, ofPolicy.set(binding, [...ofBinding, made]));
    return made;
  };
  const secondsSince = (startedMs: number) => (clock.monotonicMs() - startedMs) / 1000;
  return {
    nowMs: () => clock.monotonicMs(),
    check: (check, startedMs) => seriesOf(check).seconds.observe(secondsSince(startedMs)),
    conditions: (labels, errors, excluded, startedMs) =>
      conditions.observe(labels, errors, excluded, secondsSince(startedMs)),
    checks: () => known,
  };
}
