/** The API group internal: StorageVersions, what servers tell each other. */
import type { GroupDefinition } from '../kind-definition.ts';
import { storageVersions } from './storage-versions.ts';

export const internalGroup: GroupDefinition = {
  group: 'internal.apiserver.{domain}',
  types: 'apiserverinternal',
  priority: 16_000,
  versions: { v1alpha1: { priority: 9, introduced: 20 } },
  kinds: [storageVersions],
};
