/** Metrics of the outcomes of policies and match conditions, under the names that dashboards know.
 */
import type {
  ConditionCounts,
  ConditionSeries,
} from '../../admission/matching/condition-counts.ts';
import type { PolicyCounts } from '../../admission/policies/policy-counts.ts';
import type { MetricSeries } from './metrics.ts';

export function policySeries(counts: Pick<PolicyCounts, 'checks'>): readonly MetricSeries[] {
  return [
    {
      name: 'apiserver_validating_admission_policy_check_total',
      help: 'Checks of a write by a policy and a binding, and what came of them.',
      stability: 'BETA',
      read: () =>
        [...counts.checks()].map(({ labels, seconds }) => ({ labels, value: seconds.count })),
    },
    {
      name: 'apiserver_validating_admission_policy_check_duration_seconds',
      help: 'Time that a check of a write by a policy and a binding took.',
      stability: 'BETA',
      readHistograms: () =>
        [...counts.checks()].map(({ labels, seconds }) => ({ labels, histogram: seconds })),
    },
  ];
}

export function conditionSeries(counts: Pick<ConditionCounts, 'read'>): readonly MetricSeries[] {
  const of = (name: string, help: string, value: (series: ConditionSeries) => number) => ({
    name: `apiserver_admission_match_condition_${name}`,
    help,
    read: () =>
      [...counts.read()].map((series) => ({ labels: series.labels, value: value(series) })),
  });
  return [
    of(
      'evaluation_errors_total',
      'Match conditions that could not be evaluated.',
      ({ errors }) => errors,
    ),
    of(
      'exclusions_total',
      'Writes that a match condition has excluded.',
      ({ exclusions }) => exclusions,
    ),
    {
      name: 'apiserver_admission_match_condition_evaluation_seconds',
      help: 'Time that the match conditions of a configuration took for a write.',
      readHistograms: () =>
        [...counts.read()].map(({ labels, seconds }) => ({ labels, histogram: seconds })),
    },
  ];
}
