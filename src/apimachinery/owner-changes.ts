/**
 * Whether a write changes nothing but who owns an object and what holds up its deletion: what
 * garbage collection writes, which asks for no right beyond that of the write.
 *
 * What it is not: a decision. Who wrote which field, and the revision, follow from any write.
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
