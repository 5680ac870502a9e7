/**
 * Whether a write changes only owner references and finalizers, as garbage collection does. Such a
 * write needs no further right.
 *
 * Who wrote which field, and the revision, follow from any write.
 */
import { deepEqual } from '../stdx/deep-equal.ts';
import type { ApiObject } from './unstructured.ts';

export function changesOwnersAlone(next: ApiObject, current: ApiObject): boolean {
  return deepEqual(withoutOwners(next), withoutOwners(current));
}

function withoutOwners({ metadata, ...rest }: ApiObject): unknown {
  const {
    ownerReferences: _owners,
    finalizers: _finalizers,
    managedFields: _fields,
    resourceVersion: _version,
    ...kept
  } = metadata;
  return { ...rest, metadata: kept };
}
