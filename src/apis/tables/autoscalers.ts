/** Horizontal pod autoscalers, in the form with metrics and in the older one with a percentage. */
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { ageColumn, column, firstOf, nameColumn, table } from './columns.ts';
import { count, objects, record, text, valueAt } from './fields.ts';

const shownMetricsMax = 2;

/** Where a metric of each type has its member, and whether its name is shown. */
const sources: Readonly<Record<string, { readonly member: string; readonly named: boolean }>> = {
  External: { member: 'external', named: false },
  Object: { member: 'object', named: false },
  Pods: { member: 'pods', named: false },
  Resource: { member: 'resource', named: true },
  ContainerResource: { member: 'containerResource', named: true },
};

function metricText(metric: JsonObject, status: JsonObject | undefined): string {
  const source = sources[text(metric, 'type')];
  if (source === undefined) return '<unknown type>';
  const target = record(metric, source.member, 'target');
  const current = record(status, source.member, 'current');
  const now = (member: string, unit = '') => {
    const value = text(current, member);
    return value === '' ? '<unknown>' : `${value}${unit}`;
  };
  const average = text(target, 'averageValue');
  if (source.named) {
    const name = text(metric, source.member, 'name');
    if (average !== '') return `${name}: ${now('averageValue')}/${average}`;
    const utilization = text(target, 'averageUtilization');
    const wanted = utilization === '' ? '<auto>' : `${utilization}%`;
    return `${name}: ${now('averageUtilization', '%')}/${wanted}`;
  }
  if (source.member === 'pods') return `${now('averageValue')}/${average}`;
  if (average !== '') return `${now('averageValue')}/${average} (avg)`;
  return `${now('value')}/${text(target, 'value')}`;
}

function targets(autoscaler: JsonObject): string {
  const metrics = objects(autoscaler, 'spec', 'metrics');
  const statuses = objects(autoscaler, 'status', 'currentMetrics');
  const shown = metrics.map((metric, at) => metricText(metric, statuses[at]));
  const percentage = text(autoscaler, 'spec', 'targetCPUUtilizationPercentage');
  if (shown.length === 0 && percentage !== '') {
    const current = text(autoscaler, 'status', 'currentCPUUtilizationPercentage');
    shown.push(`cpu: ${current === '' ? '<unknown>' : `${current}%`}/${percentage}%`);
  }
  return firstOf(shown, shownMetricsMax, '<none>', ', ');
}

export const horizontalPodAutoscalers = table([
  nameColumn,
  column('Reference', 'What is scaled.', (object) => {
    const target = valueAt(object, 'spec', 'scaleTargetRef');
    return `${text(target, 'kind')}/${text(target, 'name')}`;
  }),
  column('Targets', 'What is measured, and what it shall be.', targets),
  column('MinPods', 'Fewest pods.', (object) => text(object, 'spec', 'minReplicas') || '<unset>'),
  column('MaxPods', 'Most pods.', (object) => count(object, 'spec', 'maxReplicas')),
  column('Replicas', 'Pods that there are.', (object) =>
    count(object, 'status', 'currentReplicas'),
  ),
  ageColumn,
]);
