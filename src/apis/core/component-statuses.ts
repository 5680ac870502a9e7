/** ComponentStatuses: how parts of the control plane are, worked out for each request. */
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { column, nameColumn, table } from '../tables/columns.ts';
import { objectsAt, printedAt } from '../tables/fields.ts';
import type { KindDefinition } from '../kind-definition.ts';

const componentStatusTable = table([
  nameColumn,
  column('Status', 'Whether the component is healthy.', (object) => {
    const healthy = health(object);
    if (healthy === undefined) return 'Unknown';
    return healthy['status'] === 'True' ? 'Healthy' : 'Unhealthy';
  }),
  column('Message', 'What the component says.', (object) => printedAt(health(object), 'message')),
  column('Error', 'Why it could not be asked.', (object) => printedAt(health(object), 'error')),
]);

function health(object: JsonObject): JsonObject | undefined {
  return objectsAt(object, 'conditions').find((each) => each['type'] === 'Healthy');
}

export const componentStatuses: KindDefinition = {
  resource: '/componentstatuses',
  serving: 'computed',
  table: componentStatusTable,
  versions: { v1: { deprecated: 19 } },
};
