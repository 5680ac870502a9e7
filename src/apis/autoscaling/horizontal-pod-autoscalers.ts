/** HorizontalPodAutoscalers: the number of pods follows what is measured. The hub is v2. */
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import type { FieldMaps } from '../conversion/conversion.ts';
import { inside, without } from '../conversion/fields.ts';
import type { KindDefinition } from '../kind-definition.ts';
import { autoscalerDefaults } from './defaults.ts';
import { autoscalerRules } from './validation.ts';
import { withReplicaCount, v1Maps, v2beta1Maps } from './conversion.ts';
import { horizontalPodAutoscalerTable } from './table.ts';

/** autoscaling/v2beta2 does not know the tolerance of a scaling rule. */
const withoutTolerance: FieldMaps = {
  toHub: (object) => object,
  fromHub: (object) =>
    ['scaleUp', 'scaleDown'].reduce(
      (changed: JsonObject, rules) =>
        inside(changed, ['spec', 'behavior', rules], (each) => without(each, 'tolerance')),
      object,
    ),
};

export const horizontalPodAutoscalers: KindDefinition = {
  resource: 'autoscaling/horizontalpodautoscalers',
  defaults: autoscalerDefaults,
  validation: autoscalerRules,
  // Of several sources only one is looked at, so the rules say what each must have.
  schemaExemptions: {
    optional: `autoscaling.ContainerResourceMetricSource.name
 autoscaling.ContainerResourceMetricSource.container autoscaling.ResourceMetricSource.name
 autoscaling.CrossVersionObjectReference.kind autoscaling.CrossVersionObjectReference.name
 autoscaling.MetricIdentifier.name autoscaling.MetricTarget.type
 autoscaling.HPAScalingPolicy.type`,
    openValues: `autoscaling.ContainerResourceMetricSource.name
 autoscaling.ResourceMetricSource.name autoscaling.MetricTarget.type
 autoscaling.HPAScalingPolicy.type`,
  },
  table: horizontalPodAutoscalerTable,
  versions: {
    v1: { conversion: ({ labelDomain }) => withReplicaCount(v1Maps(labelDomain)) },
    v2beta1: { conversion: ({ labelDomain }) => withReplicaCount(v2beta1Maps(labelDomain)) },
    v2beta2: { conversion: withReplicaCount(withoutTolerance) },
  },
};
