/** ResourceSlices: which devices a node has. Their rules stand twice: by hand, and declared. */
import { ageColumn, column, nameColumn, table } from '../tables/columns.ts';
import { printedAt } from '../tables/fields.ts';
import type { MigratedRules } from '../validation/migrated-rules.ts';
import { resourceSliceProblems } from './slice-rules.ts';
import { declaredResourceSliceRules } from './slice-declarations.ts';
import type { KindDefinition } from '../kind-definition.ts';
import { migratedRules } from '../validation/migrated-rules.ts';
import { plainCapacityMaps, resourceSliceMaps } from './conversion.ts';

const resourceSliceTable = table([
  nameColumn,
  column('Node', 'Node that has the devices.', (object) => printedAt(object, 'spec', 'nodeName')),
  column('Driver', 'Who manages them.', (object) => printedAt(object, 'spec', 'driver')),
  column('Pool', 'Pool they are part of.', (object) => printedAt(object, 'spec', 'pool', 'name')),
  ageColumn,
]);

const resourceSliceRules: MigratedRules = {
  resource: 'resourceslices',
  handwritten: resourceSliceProblems,
  declared: (slice, current) => declaredResourceSliceRules(slice).validate(slice, current),
};

export const resourceSlices: KindDefinition = {
  resource: 'resource.{domain}/resourceslices',
  featureGates: ['DynamicResourceAllocation'],
  returnsDeletedObject: true,
  tracksGeneration: true,
  selectableFields: 'spec.nodeName spec.driver',
  validation: (_identity, migration) => migratedRules(resourceSliceRules, migration),
  table: resourceSliceTable,
  versions: {
    v1alpha3: { conversion: plainCapacityMaps },
    v1beta1: { conversion: resourceSliceMaps },
  },
};
