/** How long admission takes, under the names that dashboards know; and who refuses everything. */
import type { AdmissionLabels, AdmissionTimes } from '../../admission/admission-times.ts';
import type { SecurityCounts } from '../../admission/pod-security/security-counts.ts';
import type { Readiness } from '../../admission/readiness.ts';
import type { MetricSeries } from './metrics.ts';

export function admissionSeries(
  times: Pick<AdmissionTimes, 'read'>,
  readiness: ReadonlyMap<string, Pick<Readiness, 'refusal'>>,
): readonly MetricSeries[] {
  const labelsOf = ({ name, operation, rejected, type }: AdmissionLabels) =>
    name === '' ? { operation, rejected, type } : { name, operation, rejected, type };
  const read = (ofPlugins: boolean) => () =>
    [...times.read()].flatMap(([labels, histogram]) =>
      (labels.name !== '') === ofPlugins ? { labels: labelsOf(labels), histogram } : [],
    );
  return [
    {
      name: 'apiserver_admission_controller_admission_duration_seconds',
      help: 'Time that an admission plugin took for a write.',
      stability: 'STABLE',
      readHistograms: read(true),
    },
    {
      name: 'apiserver_admission_step_admission_duration_seconds',
      help: 'Time that all plugins of a phase took for a write.',
      stability: 'STABLE',
      readHistograms: read(false),
    },
    {
      name: 'sluice_admission_closed',
      help: 'Whether a plugin refuses all that it could match: what is stored cannot be read.',
      read: () =>
        [...readiness].map(([name, plugin]) => ({
          labels: { name },
          value: plugin.refusal() === undefined ? 0 : 1,
        })),
    },
  ];
}

/** What the pod security levels of namespaces have done. */
export function securitySeries({ read }: Pick<SecurityCounts, 'read'>): readonly MetricSeries[] {
  return [
    {
      name: 'pod_security_evaluations_total',
      help: 'Pods and templates of pods that were held against a level of their namespace.',
      read: () => read('evaluations'),
    },
    {
      name: 'pod_security_exemptions_total',
      help: 'Pods and templates of pods that were exempt from the levels.',
      read: () => read('exemptions'),
    },
    {
      name: 'pod_security_errors_total',
      help: 'Pods and templates whose level could not be read, or not be found at all (fatal).',
      read: () => read('errors'),
    },
  ];
}
