/** Which resources are counted: an amount of them has no parts. */
import { isExtendedResource } from '../../apimachinery/extended-resource-names.ts';

/** Of those that the API itself has. */
export const countedResources: ReadonlySet<string> = new Set([
  'pods',
  'services',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]);

export function isCounted(name: string, labelDomain: string): boolean {
  return countedResources.has(name) || isExtendedResource(name, labelDomain);
}
