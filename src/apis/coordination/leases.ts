/** Leases, and LeaseCandidates: processes that would like to hold a Lease. */
import { ageColumn, column, nameColumn, table } from '../tables/columns.ts';
import { printedAt } from '../tables/fields.ts';
import type { KindDefinition } from '../kind-definition.ts';
import { leaseRules, leaseCandidateRules } from './validation.ts';

const leaseTable = table([
  nameColumn,
  column('Holder', 'Who holds it.', (object) => printedAt(object, 'spec', 'holderIdentity')),
  ageColumn,
]);

const leaseCandidateTable = table([
  nameColumn,
  column('LeaseName', 'The lease it stands for.', (object) =>
    printedAt(object, 'spec', 'leaseName'),
  ),
  column('BinaryVersion', 'Version of the program.', (object) =>
    printedAt(object, 'spec', 'binaryVersion'),
  ),
  column('EmulationVersion', 'Version it behaves as.', (object) =>
    printedAt(object, 'spec', 'emulationVersion'),
  ),
  ageColumn,
]);

export const leases: KindDefinition = {
  resource: 'coordination.{domain}/leases',
  anyFinalizer: true,
  createOnUpdate: true,
  conditionalUpdateOnly: true,
  validation: leaseRules,
  schemaExemptions: { openValues: 'coordination.LeaseSpec.strategy' },
  table: leaseTable,
};

export const leaseCandidates: KindDefinition = {
  resource: 'coordination.{domain}/leasecandidates',
  anyFinalizer: true,
  createOnUpdate: true,
  conditionalUpdateOnly: true,
  validation: leaseCandidateRules,
  schemaExemptions: { openValues: 'coordination.LeaseCandidateSpec.strategy' },
  table: leaseCandidateTable,
  unserved: [
    {
      says: 'this server does not elect leaders: this candidate does not get a lease',
    },
  ],
};
