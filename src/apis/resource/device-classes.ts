/** DeviceClasses, and the taints that keep pods from devices. */
import type { KindDefinition } from '../kind-definition.ts';
import { deviceClassRules, deviceTaintRuleRules } from './claim-rules.ts';
import { nameAndAge } from '../tables/cells.ts';

export const deviceClasses: KindDefinition = {
  resource: 'resource.{domain}/deviceclasses',
  featureGates: ['DynamicResourceAllocation'],
  returnsDeletedObject: true,
  tracksGeneration: true,
  validation: deviceClassRules,
  table: nameAndAge,
};

export const deviceTaintRules: KindDefinition = {
  resource: 'resource.{domain}/devicetaintrules',
  featureGates: ['DynamicResourceAllocation', 'DRADeviceTaints'],
  returnsDeletedObject: true,
  tracksGeneration: true,
  validation: deviceTaintRuleRules,
};
