/** Horizontal pod autoscalers, in the form with metrics and in the older one with a percentage. */
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { ageColumn, column, firstOf, nameColumn, table } from '../tables/columns.ts';
import { countAt, objectsAt, partAt, printedAt, valueAt } from '../tables/fields.ts';
import { lookup } from '../../stdx/lookup.ts';

const shownMetricsMax = 2;

/** Where a metric of each type has its member, and whether its name is shown. */
const sources: Readonly<Record<string, { readonly member: string; readonly named: boolean }>> =
  lookup({
    External: { member: 'external', named: false },
    Object: { member: 'object', named: false },
    Pods: { member: 'pods', named: false },
    Resource: { member: 'resource', named: true },
    ContainerResource: { member: 'containerResource', named: true },
  });

function metricText(metric: JsonObject, status: JsonObject | undefined): string {
  const source = sources[printedAt(metric, 'type')];
  if (source === undefined) return '<unknown type>';
  const target = partAt(metric, source.member, 'target');
  const current = partAt(status, source.member, 'current');
  const now = (member: string, unit = '') => {
    const value = printedAt(current, member);
    return value === '' ? '<unknown>' : `${value}${unit}`;
  };
  const average = printedAt(target, 'averageValue');
  if (source.named) {
    const name = printedAt(metric, source.member, 'name');
    if (average !== '') return `${name}: ${now('averageValue')}/${average}`;
    const utilization = printedAt(target, 'averageUtilization');
    const wanted = utilization === '' ? '<auto>' : `${utilization}%`;
    return `${name}: ${now('averageUtilization', '%')}/${wanted}`;
  }
  if (source.member === 'pods') return `${now('averageValue')}/${average}`;
  if (average !== '') return `${now('averageValue')}/${average} (avg)`;
  return `${now('value')}/${printedAt(target, 'value')}`;
}

function targets(autoscaler: JsonObject): string {
  const metrics = objectsAt(autoscaler, 'spec', 'metrics');
  const statuses = objectsAt(autoscaler, 'status', 'currentMetrics');
  const shown = metrics.map((metric, at) => metricText(metric, statuses[at]));
  const percentage = printedAt(autoscaler, 'spec', 'targetCPUUtilizationPercentage');
  if (shown.length === 0 && percentage !== '') {
    const current = printedAt(autoscaler, 'status', 'currentCPUUtilizationPercentage');
    shown.push(`cpu: ${current === '' ? '<unknown>' : `${current}%`}/${percentage}%`);
  }
  return firstOf(shown, shownMetricsMax, '<none>', ', ');
}

export const horizontalPodAutoscalerTable = table([
  nameColumn,
  column('Reference', 'What is scaled.', (object) => {
    const target = valueAt(object, 'spec', 'scaleTargetRef');
    return `${printedAt(target, 'kind')}/${printedAt(target, 'name')}`;
  }),
  column('Targets', 'What is measured, and what it shall be.', targets),
  column(
    'MinPods',
    'Fewest pods.',
    (object) => printedAt(object, 'spec', 'minReplicas') || '<unset>',
  ),
  column('MaxPods', 'Most pods.', (object) => countAt(object, 'spec', 'maxReplicas')),
  column('Replicas', 'Pods that there are.', (object) =>
    countAt(object, 'status', 'currentReplicas'),
  ),
  ageColumn,
]);
