/** How Scales are shown. */
import { ageColumn, column, integer, table } from './columns.ts';
import { countAt, printedAt } from './fields.ts';

/** Of the scale subresource. */
export const scales = table([
  column('Name', 'Name of the object that is scaled.', (object) =>
    printedAt(object, 'metadata', 'name'),
  ),
  integer('Desired', 'Pods that there shall be.', (object) => countAt(object, 'spec', 'replicas')),
  integer('Available', 'Pods that there are.', (object) => countAt(object, 'status', 'replicas')),
  ageColumn,
]);
