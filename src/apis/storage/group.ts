/** The API group storage: classes of storage, and the drivers behind them. */
import type { GroupDefinition } from '../kind-definition.ts';
import { csiDrivers } from './csi-drivers.ts';
import { csiNodes } from './csi-nodes.ts';
import { csiStorageCapacities } from './csi-storage-capacities.ts';
import { storageClasses } from './storage-classes.ts';
import { volumeAttachments } from './volume-attachments.ts';
import { volumeAttributesClasses } from './volume-attributes-classes.ts';
import { storageDescriptions } from './descriptions.ts';

export const storageGroup: GroupDefinition = {
  group: 'storage.{domain}',
  types: 'storage',
  priority: 16_800,
  versions: { v1: { priority: 15 }, v1beta1: { priority: 9 }, v1alpha1: { priority: 1 } },
  kinds: [
    csiDrivers,
    csiNodes,
    csiStorageCapacities,
    storageClasses,
    volumeAttachments,
    volumeAttributesClasses,
  ],
  descriptions: storageDescriptions,
};
