/** Storing objects anew in a newer version. */
import type { GroupDefinition } from '../kind-definition.ts';
import { storageVersionMigrations } from './storage-version-migrations.ts';

export const storagemigrationGroup: GroupDefinition = {
  group: 'storagemigration.{domain}',
  types: 'storagemigration',
  priority: 15_800,
  versions: { v1alpha1: { priority: 9 } },
  kinds: [storageVersionMigrations],
};
