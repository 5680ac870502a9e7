/** StorageVersionMigrations: requests to store all objects of a resource in its newest version. */
import { part, text } from '../../apimachinery/members.ts';
import {
  checkDns1035Label,
  checkDns1123Subdomain,
  checkPathSegmentName,
} from '../../apimachinery/validation/names.ts';
import { column, nameColumn, table } from '../tables/columns.ts';
import { printedAt } from '../tables/fields.ts';
import { allErrors, form, needed, unchanged } from '../validation/checks.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import type { KindDefinition } from '../kind-definition.ts';

const migrationTable = table([
  nameColumn,
  column('Resource', 'What is written anew.', (object) => {
    const { resource, version, group } = {
      resource: printedAt(object, 'spec', 'resource', 'resource'),
      version: printedAt(object, 'spec', 'resource', 'version'),
      group: printedAt(object, 'spec', 'resource', 'group'),
    };
    return `${resource}.${version}.${group}`;
  }),
]);

const storageVersionMigrationRules: KindRules = {
  validate: (object) => {
    const resource = part(part(object, 'spec'), 'resource');
    const path = 'spec.resource';
    return allErrors(
      form(`${path}.group`, text(resource, 'group'), checkDns1123Subdomain),
      needed(resource, path, 'version'),
      form(`${path}.version`, text(resource, 'version'), checkDns1035Label),
      needed(resource, path, 'resource'),
      form(`${path}.resource`, text(resource, 'resource'), checkPathSegmentName),
    );
  },
  validateUpdate: (next, current) =>
    unchanged('spec.resource', part(next, 'spec')['resource'], part(current, 'spec')['resource']),
};

export const storageVersionMigrations: KindDefinition = {
  resource: 'storagemigration.{domain}/storageversionmigrations',
  conditionalUpdateOnly: true,
  keptByStatus: 'all',
  validation: storageVersionMigrationRules,
  table: migrationTable,
  unserved: [
    {
      says: 'this server does not migrate what is stored: this migration does not run',
    },
  ],
};
