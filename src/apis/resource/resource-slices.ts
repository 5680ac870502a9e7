/** ResourceSlices: which devices a node has. Their rules stand twice: by hand, and declared. */
import { ageColumn, column, nameColumn, table } from '../tables/columns.ts';
import { printedAt } from '../tables/fields.ts';
import { allErrors } from '../validation/checks.ts';
import type { MigratedRules } from '../validation/migrated-rules.ts';
import { resourceSliceProblems } from './slice-rules.ts';
import { sliceCounterRules } from './slice-counter-rules.ts';
import { declaredResourceSliceRules } from './slice-declarations.ts';
import type { KindDefinition } from '../kind-definition.ts';
import { migratedRules } from '../validation/migrated-rules.ts';
import { timedDevices } from './taint-times.ts';
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
  handwritten: (slice, current) =>
    allErrors(resourceSliceProblems(slice, current), sliceCounterRules(slice)),
  declared: (slice, current) =>
    allErrors(declaredResourceSliceRules(slice).validate(slice, current), sliceCounterRules(slice)),
};

export const resourceSlices: KindDefinition = {
  resource: 'resource.{domain}/resourceslices',
  featureGates: ['DynamicResourceAllocation'],
  returnsDeletedObject: true,
  tracksGeneration: true,
  strategy: timedDevices,
  selectableFields: 'spec.nodeName spec.driver',
  validation: (_identity, migration) => migratedRules(resourceSliceRules, migration),
  table: resourceSliceTable,
  versions: {
    v1alpha3: { conversion: plainCapacityMaps },
    v1beta1: { conversion: resourceSliceMaps },
  },
};
