/** Defaults of the core kinds other than pods and services. */
import type { DefaultTable, TypeDefaults } from '../../apimachinery/typed/defaulting.ts';
import { part } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { inSpec } from './pods.ts';
import { roundResources } from './resource-lists.ts';
import { withDataOfText } from './secrets.ts';

const volume: TypeDefaults = {
  persistentVolumeReclaimPolicy: 'Retain',
  volumeMode: 'Filesystem',
};

export const coreDefaults: DefaultTable = {
  fields: {
    'core/v1.Secret': { type: 'Opaque' },
    'core/v1.EndpointPort': { protocol: 'TCP' },
    'core/v1.NamespaceStatus': { phase: 'Active' },
    'core/v1.PersistentVolumeStatus': { phase: 'Pending' },
    'core/v1.PersistentVolumeClaimSpec': { volumeMode: 'Filesystem' },
    'core/v1.PersistentVolumeClaimStatus': { phase: 'Pending' },
    'authentication/v1.TokenRequestSpec': { expirationSeconds: 3600 },
  },
  complete: {
    'core/v1.LimitRangeItem': (item) =>
      roundResources(item['type'] === 'Container' ? withContainerLimits(item) : item, [
        'max',
        'min',
        'default',
        'defaultRequest',
        'maxLimitRequestRatio',
      ]),
    'core/v1.Secret': withDataOfText,
    // A volume inside a volume attachment has no defaults.
    'core/v1.PersistentVolume': (object) => inSpec(object, (spec) => filled(volume, spec)),
  },
};

function filled(defaults: TypeDefaults, spec: JsonObject): JsonObject {
  const absent = Object.entries(defaults).filter(([name]) => spec[name] === undefined);
  return absent.length === 0 ? spec : { ...spec, ...(Object.fromEntries(absent) as JsonObject) };
}

/** Limits default to the maximum, requests to the limits, and without those to the minimum. */
function withContainerLimits(item: JsonObject): JsonObject {
  const list = (name: string): JsonObject => part(item, name);
  const limits: JsonObject = { ...list('max'), ...list('default') };
  const requests: JsonObject = { ...list('min'), ...limits, ...list('defaultRequest') };
  const same = (name: string, made: JsonObject): boolean =>
    Object.keys(made).length === Object.keys(list(name)).length;
  if (same('default', limits) && same('defaultRequest', requests)) return item;
  return {
    ...item,
    ...(Object.keys(limits).length === 0 ? {} : { default: limits }),
    ...(Object.keys(requests).length === 0 ? {} : { defaultRequest: requests }),
  };
}
