/**
 * The API group storagemigration: StorageVersionMigrations, which are stored but not carried out.
 */
import type { GroupDefinition } from '../kind-definition.ts';
import { storageVersionMigrations } from './storage-version-migrations.ts';

export const storagemigrationGroup: GroupDefinition = {
  group: 'storagemigration.{domain}',
  types: 'storagemigration',
  priority: 15_800,
  versions: { v1alpha1: { priority: 9 } },
  kinds: [storageVersionMigrations],
};
