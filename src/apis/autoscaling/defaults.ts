/** Defaults of autoscalers: what they measure, and how fast they act, in every version. */
import type { DefaultTable } from '../../apimachinery/typed/defaulting.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { cpuPercent, withCpuTarget } from './conversion.ts';
import { scalingRules } from './behavior-annotation.ts';

const cpuAt80: JsonObject = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: cpuPercent } },
};

function withScalingRules(behavior: JsonObject): JsonObject {
  return withRules(withRules(behavior, 'scaleUp'), 'scaleDown');
}

function withRules(behavior: JsonObject, field: keyof typeof scalingRules): JsonObject {
  const defaults = scalingRules[field];
  const found = behavior[field];
  const given = isJsonObject(found) ? found : {};
  if (Object.keys(defaults).every((name) => given[name] !== undefined)) return behavior;
  return { ...behavior, [field]: { ...defaults, ...given } };
}

/** The same in the versions before v2. */
const cpuBeta1: JsonObject = { name: 'cpu', targetAverageUtilization: cpuPercent };
const cpuBeta2: JsonObject = {
  name: 'cpu',
  target: { type: 'Utilization', averageUtilization: cpuPercent },
};

export const autoscalerDefaults: DefaultTable = {
  fields: {
    'autoscaling/v1.HorizontalPodAutoscalerSpec': { minReplicas: 1 },
    'autoscaling/v2.HorizontalPodAutoscalerSpec': { minReplicas: 1, metrics: [cpuAt80] },
    'autoscaling/v2beta1.HorizontalPodAutoscalerSpec': {
      minReplicas: 1,
      metrics: [{ type: 'Resource', resource: cpuBeta1 }],
    },
    'autoscaling/v2beta2.HorizontalPodAutoscalerSpec': {
      minReplicas: 1,
      metrics: [{ type: 'Resource', resource: cpuBeta2 }],
    },
  },
  complete: {
    'autoscaling/v1.HorizontalPodAutoscaler': (scaler, { identity }) =>
      withCpuTarget(scaler, identity.labelDomain),
    'autoscaling/v2.HorizontalPodAutoscalerBehavior': withScalingRules,
    'autoscaling/v2beta2.HorizontalPodAutoscalerBehavior': withScalingRules,
  },
};
