/** Columns that tables of workloads share. */
import { column, formatSelector, integer, selectorColumn } from '../tables/columns.ts';
import type { Column } from '../tables/columns.ts';
import { countAt, valueAt } from '../tables/fields.ts';

export const specSelector = selectorColumn((object) =>
  formatSelector(valueAt(object, 'spec', 'selector')),
);

export const readyColumn = column(
  'Ready',
  'Pods that are ready, of those that there shall be.',
  (object) => {
    return `${countAt(object, 'status', 'readyReplicas')}/${countAt(object, 'spec', 'replicas')}`;
  },
);

/** Desired, current, ready: for replication controllers and replica sets. */
export const replicaColumns: readonly Column[] = [
  integer('Desired', 'Pods that there shall be.', (object) => countAt(object, 'spec', 'replicas')),
  integer('Current', 'Pods that there are.', (object) => countAt(object, 'status', 'replicas')),
  integer('Ready', 'Pods that are ready.', (object) => countAt(object, 'status', 'readyReplicas')),
];
