/** StorageVersions: in which version each server stores a resource. */
import { ageColumn, column, firstOf, nameColumn, table } from '../tables/columns.ts';
import { objectsAt, printedAt } from '../tables/fields.ts';
import type { KindDefinition } from '../kind-definition.ts';

const shownMax = 3;

const storageVersionTable = table([
  nameColumn,
  column(
    'CommonEncodingVersion',
    'Version that all servers write.',
    (object) => printedAt(object, 'status', 'commonEncodingVersion') || '<unset>',
  ),
  column('StorageVersions', 'Version that each server writes.', (object) =>
    firstOf(
      objectsAt(object, 'status', 'storageVersions').map(
        (each) => `${printedAt(each, 'apiServerID')}=${printedAt(each, 'encodingVersion')}`,
      ),
      shownMax,
      '<unset>',
    ),
  ),
  ageColumn,
]);

export const storageVersions: KindDefinition = {
  resource: 'internal.apiserver.{domain}/storageversions',
  names: 'group-resource',
  conditionalUpdateOnly: true,
  table: storageVersionTable,
};
