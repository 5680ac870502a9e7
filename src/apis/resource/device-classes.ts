/** DeviceClasses, and the taints that keep pods from devices. */
import { deviceTaintRuleExpressions } from './device-expressions.ts';
import { deviceClassExpressions } from './device-expressions.ts';
import type { KindDefinition } from '../kind-definition.ts';
import { deviceClassRules, deviceTaintRuleRules } from './claim-rules.ts';
import { timedTaint } from './taint-times.ts';
import { nameAndAge } from '../tables/cells.ts';

export const deviceClasses: KindDefinition = {
  resource: 'resource.{domain}/deviceclasses',
  expressions: deviceClassExpressions,
  featureGates: ['DynamicResourceAllocation'],
  returnsDeletedObject: true,
  tracksGeneration: true,
  validation: deviceClassRules,
  table: nameAndAge,
};

export const deviceTaintRules: KindDefinition = {
  resource: 'resource.{domain}/devicetaintrules',
  expressions: deviceTaintRuleExpressions,
  featureGates: ['DynamicResourceAllocation', 'DRADeviceTaints'],
  returnsDeletedObject: true,
  tracksGeneration: true,
  strategy: timedTaint,
  validation: deviceTaintRuleRules,
};
