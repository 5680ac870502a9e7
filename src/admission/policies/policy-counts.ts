/**
 * What checks of validating policies came to, for the metrics page.
 *
 * Bound: `seriesMax` series; those of policies and bindings that come later are counted together.
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

/** Seconds; those of the reference. */
const bounds = [0.0000005, 0.001, 0.01, 0.1, 1];
const seriesMax = 1000;
const others = '(others)';

export function createPolicyCounts(
  clock: Pick<Clock, 'monotonicMs'>,
  conditions: ConditionCounts,
): PolicyCounts {
  const known = new Map<string, CheckSeries>();
  const seriesOf = (check: PolicyCheck): CheckSeries => {
    const { binding, enforcement, error, policy } = check;
    const key = `${enforcement} ${error} ${policy} ${binding}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    if (known.size >= seriesMax && policy !== others) {
      return seriesOf({ ...check, policy: others, binding: others });
    }
    const labels = {
      enforcement_action: enforcement,
      error_type: error,
      policy,
      policy_binding: binding,
    };
    const made = { labels, seconds: new Histogram(bounds) };
    known.set(key, made);
    return made;
  };
  const secondsSince = (startedMs: number) => (clock.monotonicMs() - startedMs) / 1000;
  return {
    nowMs: () => clock.monotonicMs(),
    check: (check, startedMs) => seriesOf(check).seconds.observe(secondsSince(startedMs)),
    conditions: (labels, errors, excluded, startedMs) =>
      conditions.observe(labels, errors, excluded, secondsSince(startedMs)),
    checks: () => known.values(),
  };
}
