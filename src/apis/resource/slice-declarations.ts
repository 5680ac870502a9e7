/**
 * Rules of resource slices, declared (spec 1, sections 2.8 and 9, rule 7): the same errors on the
 * same fields as those written by hand.
 */
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import type { DeclaredRules } from '../../apimachinery/validation/declarative.ts';
import { readDeclarations } from '../../apimachinery/validation/declarative.ts';
import { hasFlatDevices } from './slice-rules.ts';
import * as formats from '../validation/names-in-domains.ts';

const {
  devicesMax,
  attributesAndCapacitiesMax,
  attributeValueBytesMax,
  driverNameBytesMax,
  poolNameBytesMax,
  taintsMax,
} = formats;

const requirement = 'spec.nodeSelector.nodeSelectorTerms[]';

/** `instance` is where the attributes of a device lie. */
function declarations(instance: string, more: string): string {
  return `
  spec                          union=nodeName|nodeSelector|allNodes|perDeviceNodeSelection
  spec.driver                  required maxLength=${driverNameBytesMax} format=driver-name immutable
  spec.pool.name                required maxLength=${poolNameBytesMax} format=pool-name immutable
  spec.pool.resourceSliceCount  minimum=1
  spec.pool.generation          minimum=0
  spec.nodeName                 givenFormat=dns-subdomain immutable
  spec.allNodes                 trueOrUnset
  spec.perDeviceNodeSelection   trueOrUnset
  spec.nodeSelector.nodeSelectorTerms     required oneItem
  ${requirement}.matchExpressions[]       valuesOf=operator
  ${requirement}.matchExpressions[].key   givenFormat=label-key
  ${requirement}.matchExpressions[].values[]  givenFormat=label-value
  ${requirement}.matchFields[]            fieldValuesOf=operator
  ${requirement}.matchFields[].key        only=metadata.name
  ${requirement}.matchFields[].values[]   givenFormat=dns-subdomain
  spec.devices                  maxItems=${devicesMax} unique=name
  spec.devices[].name           textFormat=dns-label
  ${more}
  ${instance}                   maxMembers=attributes,capacity:${attributesAndCapacitiesMax}
  ${instance}.attributes{}      keys=qualified-identifier oneOf=bool|int|string|version
  ${instance}.attributes{}.string   maxLength=${attributeValueBytesMax}
  ${instance}.attributes{}.version  format=semantic-version maxLength=${attributeValueBytesMax}
  ${instance}.capacity{}        keys=qualified-identifier
  ${instance}.taints            maxItems=${taintsMax}
  ${instance}.taints[].key      textFormat=label-key
  ${instance}.taints[].value    format=label-value
  ${instance}.taints[].effect   required enum=NoExecute|NoSchedule
`;
}

const read = (instance: string, more = ''): DeclaredRules =>
  readDeclarations(declarations(instance, more), formats.resourceSliceFormats);

const nested = read('spec.devices[].basic', 'spec.devices[].basic required');

const flat = read('spec.devices[]');

export function declaredResourceSliceRules(slice: ApiObject): DeclaredRules {
  return hasFlatDevices(slice) ? flat : nested;
}
