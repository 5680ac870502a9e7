/**
 * Device requests and devices of resource/v1alpha3 and v1beta1: what v1beta2 puts under `exactly`
 * lay beside the name, and what lay under `basic` lies beside the name now.
 */
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import type { FieldMaps } from './conversion.ts';
import { eachOf, inside, without } from './fields.ts';
import type { Step } from './fields.ts';

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

export const resourceSliceMaps: FieldMaps = {
  toHub: (slice) =>
    inside(slice, ['spec'], (spec) => eachOf(spec, 'devices', (device) => spread(device, 'basic'))),
  fromHub: (slice) =>
    inside(slice, ['spec'], (spec) =>
      eachOf(spec, 'devices', (device) => {
        const made = gathered(device, deviceFields, 'basic');
        // The older versions ask for it: a device is something, if only a name.
        return made['basic'] === undefined ? { ...made, basic: {} } : made;
      }),
    ),
};
