/**
 * StorageObjectInUseProtection: volumes and claims are born with a finalizer, which whoever looks
 * after volumes takes away when nobody uses them any more.
 */
import type { Identity } from '../../apimachinery/identity.ts';
import type { AdmissionPlugin } from '../admission.ts';

export function inUseProtection({ labelDomain }: Identity): AdmissionPlugin {
  const finalizers: ReadonlyMap<string, string> = new Map([
    ['persistentvolumes', `${labelDomain}/pv-protection`],
    ['persistentvolumeclaims', `${labelDomain}/pvc-protection`],
  ]);
  return {
    name: 'StorageObjectInUseProtection',
    resources: [...finalizers.keys()].map((resource) => `/${resource}`),
    concerns: (_user, { operations }) => operations.includes('CREATE'),
    admits: ['CREATE'],
    admit({ next, resource }) {
      const finalizer = finalizers.get(resource.resource);
      const own = next.metadata.finalizers ?? [];
      if (finalizer === undefined || own.includes(finalizer)) return next;
      return { ...next, metadata: { ...next.metadata, finalizers: [...own, finalizer] } };
    },
  };
}
