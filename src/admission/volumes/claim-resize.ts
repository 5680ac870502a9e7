/**
 * PersistentVolumeClaimResize: a claim may only grow if it is bound and its class allows volumes to
 * grow.
 *
 * Whether it may shrink is decided by the validation of claims.
 */
import type { Identity } from '../../apimachinery/identity.ts';
import { part, text } from '../../apimachinery/members.ts';
import { compareQuantities, parseQuantity } from '../../apimachinery/quantity.ts';
import type { Quantity } from '../../apimachinery/quantity.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import type { AdmissionObjects, AdmissionPlugin } from '../admission.ts';
import { claimClass } from './default-classes.ts';

export function claimResize(
  { fill, labelDomain }: Identity,
  known: AdmissionObjects,
): AdmissionPlugin {
  const classes = { group: fill('storage.{domain}'), resource: 'storageclasses' };
  const mayGrow = (name: string | undefined): boolean =>
    name !== undefined &&
    name !== '' &&
    known.get(classes, '', name)?.['allowVolumeExpansion'] === true;
  return {
    name: 'PersistentVolumeClaimResize',
    resources: ['/persistentvolumeclaims'],
    concerns: (_user, { operations }) => operations.includes('UPDATE'),
    current: () => known.current(),
    validate({ current, next }) {
      if (current === undefined || next === undefined) return undefined;
      const [before, after] = [requested(current), requested(next)];
      if (after === undefined || compareQuantities(after, before ?? none) <= 0) return undefined;
      if (text(part(current, 'status'), 'phase') !== 'Bound') {
        return 'Only bound persistent volume claims can be expanded';
      }
      const [own, old] = [claimClass(next, labelDomain), claimClass(current, labelDomain)];
      if (own === old && mayGrow(own)) return undefined;
      return (
        'only dynamically provisioned pvc can be resized and ' +
        'the storageclass that provisions the pvc must support resize'
      );
    },
  };
}

const none = { unscaled: 0n, exp10: 0 };

function requested(claim: ApiObject): Quantity | undefined {
  const requests = part(part(part(claim, 'spec'), 'resources'), 'requests');
  return parseQuantity(text(requests, 'storage'));
}
