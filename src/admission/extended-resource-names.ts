/**
 * Names of extended resources: what nodes have that is nobody's own, as `vendor.example/gpu`.
 *
 * What it is not: which resources there are.
 */
import { checkQualifiedName } from '../apimachinery/validation/names.ts';

export function isExtendedResource(name: string, labelDomain: string): boolean {
  if (!name.includes('/') || name.includes(`${labelDomain}/`)) return false;
  if (name.startsWith('requests.')) return false;
  // It has to have a name in a quota, too.
  return checkQualifiedName(`requests.${name}`).length === 0;
}
