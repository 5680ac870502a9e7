/** ResourceClaims and their templates: which devices a pod asks for. */
import { claimTemplateExpressions } from './device-expressions.ts';
import { claimExpressions } from './device-expressions.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { ageColumn, column, nameColumn, table } from '../tables/columns.ts';
import { objectsAt, valueAt } from '../tables/fields.ts';
import type { KindDefinition } from '../kind-definition.ts';
import { claimDefaults } from './claim-defaults.ts';
import { resourceClaimRules, resourceClaimTemplateRules } from './claim-rules.ts';
import { claimStatusRules, withoutFreedDevices } from './claim-status-rules.ts';
import { claimMaps, claimTemplateMaps } from './conversion.ts';
import { nameAndAge } from '../tables/cells.ts';

function claimState(claim: JsonObject): string {
  const isDeleted = valueAt(claim, 'metadata', 'deletionTimestamp') !== undefined;
  const states = isDeleted ? ['deleted'] : [];
  if (valueAt(claim, 'status', 'allocation') === undefined) {
    if (!isDeleted) states.push('pending');
    return states.join(',');
  }
  states.push('allocated');
  if (objectsAt(claim, 'status', 'reservedFor').length > 0) states.push('reserved');
  return states.join(',');
}

const resourceClaimTable = table([
  nameColumn,
  column('State', 'Whether devices have been allocated, and for somebody.', claimState),
  ageColumn,
]);

export const resourceClaims: KindDefinition = {
  resource: 'resource.{domain}/resourceclaims',
  expressions: claimExpressions,
  featureGates: ['DynamicResourceAllocation'],
  returnsDeletedObject: true,
  keptByStatus: 'all',
  defaults: claimDefaults,
  validation: { ...resourceClaimRules, validateStatusUpdate: claimStatusRules },
  strategy: () => ({ prepareForStatusUpdate: withoutFreedDevices }),
  table: resourceClaimTable,
  versions: { v1alpha3: { conversion: claimMaps }, v1beta1: { conversion: claimMaps } },
};

export const resourceClaimTemplates: KindDefinition = {
  resource: 'resource.{domain}/resourceclaimtemplates',
  expressions: claimTemplateExpressions,
  featureGates: ['DynamicResourceAllocation'],
  returnsDeletedObject: true,
  validation: resourceClaimTemplateRules,
  table: nameAndAge,
  versions: {
    v1alpha3: { conversion: claimTemplateMaps },
    v1beta1: { conversion: claimTemplateMaps },
  },
};
