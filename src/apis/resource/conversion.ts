/**
 * Device requests and devices of resource/v1alpha3 and v1beta1: what v1beta2 puts under `exactly`
 * lay beside the name, and what lay under `basic` lies beside the name now. A capacity of v1alpha3
 * is a quantity; later it is an object that has one.
 */
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import type { FieldMaps } from '../conversion/conversion.ts';
import { eachMember, eachOf, inside, without } from '../conversion/fields.ts';
import type { Step } from '../conversion/fields.ts';

const exactFields = [
  'deviceClassName',
  'selectors',
  'allocationMode',
  'count',
  'adminAccess',
  'tolerations',
] as const;

const deviceFields = [
  'attributes',
  'capacity',
  'consumesCounters',
  'nodeName',
  'nodeSelector',
  'allNodes',
  'taints',
] as const;

/** Fields that have a value go under `under`. */
function gathered(object: JsonObject, fields: readonly string[], under: string): JsonObject {
  const inner = Object.fromEntries(
    fields.flatMap((name) => (object[name] === undefined ? [] : [[name, object[name]] as const])),
  );
  if (Object.keys(inner).length === 0) return object;
  return { ...without(object, ...fields), [under]: inner };
}

function spread(object: JsonObject, under: string): JsonObject {
  const inner = object[under];
  return isJsonObject(inner) ? { ...without(object, under), ...inner } : object;
}

function requestsAt(path: readonly string[]): FieldMaps {
  const each =
    (step: Step): Step =>
    (object) =>
      inside(object, path, (devices) => eachOf(devices, 'requests', step));
  return {
    toHub: each((request) => gathered(request, exactFields, 'exactly')),
    fromHub: each((request) => spread(request, 'exactly')),
  };
}

export const claimMaps: FieldMaps = requestsAt(['spec', 'devices']);

export const claimTemplateMaps: FieldMaps = requestsAt(['spec', 'spec', 'devices']);

/** What lies under `basic`, with capacities in the other form. */
function slicesAt(toCapacity: Step, fromCapacity: Step): FieldMaps {
  const each =
    (step: Step): Step =>
    (slice) =>
      inside(slice, ['spec'], (spec) => eachOf(spec, 'devices', step));
  return {
    toHub: each((device) => spread(inside(device, ['basic', 'capacity'], toCapacity), 'basic')),
    fromHub: each((device) => {
      const made = gathered(inside(device, ['capacity'], fromCapacity), deviceFields, 'basic');
      // The older versions ask for it: a device is something, if only a name.
      return made['basic'] === undefined ? { ...made, basic: {} } : made;
    }),
  };
}

const asBefore: Step = (capacities) => capacities;

export const resourceSliceMaps: FieldMaps = slicesAt(asBefore, asBefore);

export const plainCapacityMaps: FieldMaps = slicesAt(
  (capacities) =>
    eachMember(capacities, (quantity) => (isJsonObject(quantity) ? quantity : { value: quantity })),
  (capacities) =>
    eachMember(capacities, (capacity) => (isJsonObject(capacity) ? capacity['value'] : capacity)),
);
