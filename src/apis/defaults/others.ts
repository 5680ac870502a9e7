/** Defaults of storage, autoscaling, device requests, and of who answers for other groups. */
import type {
  DefaultContext,
  DefaultOf,
  DefaultTable,
  TypeDefaults,
} from '../../apimachinery/typed/defaulting.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject, withMember } from '../../apimachinery/unstructured.ts';
import { hasOtherMetrics } from '../conversion/autoscaling.ts';
import { inSpec } from './pods.ts';

const scalingPeriodSeconds = 15;
const doubling: JsonObject = { type: 'Percent', value: 100, periodSeconds: scalingPeriodSeconds };
const fourPods: JsonObject = { type: 'Pods', value: 4, periodSeconds: scalingPeriodSeconds };

/** How fast, where a behavior is given at all. Down, the controller's own setting waits. */
const scaleUp: JsonObject = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [fourPods, doubling],
};
const scaleDown: JsonObject = { selectPolicy: 'Max', policies: [doubling] };

const cpuPercent = 80;
const cpuAt80: JsonObject = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: cpuPercent } },
};

const allocationMode = 'ExactCount';
const oneDevice: TypeDefaults = {
  allocationMode,
  count: (request) => (request['allocationMode'] === allocationMode ? 1 : undefined),
};
/** Without a class the request is one of several alternatives, which say it themselves. */
const oneDeviceOfClass: TypeDefaults = Object.fromEntries(
  Object.entries(oneDevice).map(([name, value]): [string, DefaultOf] => [
    name,
    (request, context) => {
      if (request['deviceClassName'] === undefined) return undefined;
      return typeof value === 'function' ? value(request, context) : value;
    },
  ]),
);

export const otherDefaults: DefaultTable = {
  fields: {
    'storage/v1.StorageClass': { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' },
    'storage/v1.CSIDriverSpec': {
      attachRequired: true,
      podInfoOnMount: false,
      volumeLifecycleModes: ['Persistent'],
      storageCapacity: false,
      fsGroupPolicy: 'ReadWriteOnceWithFSType',
      requiresRepublish: false,
      seLinuxMount: false,
    },
    'autoscaling/v1.HorizontalPodAutoscalerSpec': { minReplicas: 1 },
    'autoscaling/v2.HorizontalPodAutoscalerSpec': { minReplicas: 1, metrics: [cpuAt80] },
    'resource/v1alpha3.DeviceRequest': oneDeviceOfClass,
    'resource/v1alpha3.DeviceSubRequest': oneDevice,
    'resource/v1beta1.DeviceRequest': oneDeviceOfClass,
    'resource/v1beta1.DeviceSubRequest': oneDevice,
    'resource/v1beta2.ExactDeviceRequest': oneDevice,
    'resource/v1beta2.DeviceSubRequest': oneDevice,
    'apiextensions/v1.CustomResourceDefinitionSpec': { conversion: { strategy: 'None' } },
    'apiextensions/v1.ServiceReference': { port: 443 },
    'apiregistration/v1.ServiceReference': { port: 443 },
    'apiregistration/v1beta1.ServiceReference': { port: 443 },
  },
  complete: {
    'apiextensions/v1.CustomResourceDefinitionSpec': withNames,
    'autoscaling/v1.HorizontalPodAutoscaler': withCpuTarget,
    'autoscaling/v2.HorizontalPodAutoscalerBehavior': withScalingRules,
    'autoscaling/v2beta2.HorizontalPodAutoscalerBehavior': withScalingRules,
  },
};

/** What measures nothing measures the processor; other metrics of v1 stand in an annotation. */
function withCpuTarget(scaler: JsonObject, { identity }: DefaultContext): JsonObject {
  if (hasOtherMetrics(scaler, identity.labelDomain)) return scaler;
  const name = 'targetCPUUtilizationPercentage';
  return inSpec(scaler, (spec) =>
    spec[name] === undefined ? withMember(spec, name, cpuPercent) : spec,
  );
}

function withScalingRules(behavior: JsonObject): JsonObject {
  return withRules(withRules(behavior, 'scaleUp', scaleUp), 'scaleDown', scaleDown);
}

function withRules(behavior: JsonObject, field: string, defaults: JsonObject): JsonObject {
  const found = behavior[field];
  const given = isJsonObject(found) ? found : {};
  if (Object.keys(defaults).every((name) => given[name] !== undefined)) return behavior;
  return { ...behavior, [field]: { ...defaults, ...given } };
}

/** Of what is asked for only: the names in the status are those that were accepted. */
function withNames(spec: JsonObject): JsonObject {
  const { names } = spec;
  const kind = isJsonObject(names) ? names['kind'] : undefined;
  if (!isJsonObject(names) || typeof kind !== 'string' || kind === '') return spec;
  if (names['singular'] !== undefined && names['listKind'] !== undefined) return spec;
  const made = { singular: kind.toLowerCase(), listKind: `${kind}List`, ...names };
  return { ...spec, names: made };
}
