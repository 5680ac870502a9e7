/** How long admission takes, under the names that dashboards know; and who refuses everything. */
import type { AdmissionLabels, AdmissionTimes } from '../../admission/admission-times.ts';
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
