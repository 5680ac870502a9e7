/** How long admission takes, under the names that dashboards know. */
import type { AdmissionLabels, AdmissionTimes } from '../../admission/admission-times.ts';
import type { HistogramSeries } from './metrics.ts';

export function admissionSeries(times: Pick<AdmissionTimes, 'read'>): readonly HistogramSeries[] {
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
  ];
}
