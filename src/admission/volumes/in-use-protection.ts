/**
 * StorageObjectInUseProtection: new volumes, claims and volume attributes classes get a finalizer,
 * which a controller of volumes removes when nothing uses them any more.
 */
import type { Identity } from '../../apimachinery/identity.ts';
import type { AdmissionPlugin } from '../admission.ts';

export function inUseProtection({ fill, labelDomain }: Identity): AdmissionPlugin {
  const storage = fill('storage.{domain}');
  const finalizers: ReadonlyMap<string, string> = new Map([
    ['/persistentvolumes', `${labelDomain}/pv-protection`],
    ['/persistentvolumeclaims', `${labelDomain}/pvc-protection`],
    [`${storage}/volumeattributesclasses`, `${labelDomain}/vac-protection`],
  ]);
  return {
    name: 'StorageObjectInUseProtection',
    resources: [...finalizers.keys()],
    concerns: (_user, { operations }) => operations.includes('CREATE'),
    admits: ['CREATE'],
    admit({ next, resource }) {
      const finalizer = finalizers.get(`${resource.group}/${resource.resource}`);
      const own = next.metadata.finalizers ?? [];
      if (finalizer === undefined || own.includes(finalizer)) return next;
      return { ...next, metadata: { ...next.metadata, finalizers: [...own, finalizer] } };
    },
  };
}
