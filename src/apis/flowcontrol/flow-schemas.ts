/** FlowSchemas: which priority level a request has. */
import { ageColumn, column, nameColumn, table } from '../tables/columns.ts';
import { conditionOf, countAt, printedAt } from '../tables/fields.ts';
import type { KindDefinition } from '../kind-definition.ts';
import { flowSchemaDefaults } from './defaults.ts';
import { flowSchemaRules } from './validation.ts';

const flowSchemaTable = table([
  nameColumn,
  column('PriorityLevel', 'Where its requests wait.', (object) =>
    printedAt(object, 'spec', 'priorityLevelConfiguration', 'name'),
  ),
  column('MatchingPrecedence', 'The lowest that fits a request is taken.', (object) =>
    countAt(object, 'spec', 'matchingPrecedence'),
  ),
  column(
    'DistinguisherMethod',
    'What makes requests of one flow.',
    (object) => printedAt(object, 'spec', 'distinguisherMethod', 'type') || '<none>',
  ),
  ageColumn,
  column(
    'MissingPL',
    'Whether there is no such priority level.',
    (object) => printedAt(conditionOf(object, 'Dangling'), 'status') || '?',
  ),
]);

export const flowSchemas: KindDefinition = {
  resource: 'flowcontrol.{domain}/flowschemas',
  tracksGeneration: true,
  keptByStatus: 'all',
  defaults: flowSchemaDefaults,
  validation: flowSchemaRules,
  schemaExemptions: {
    optional: `flowcontrol.FlowDistinguisherMethod.type flowcontrol.Subject.kind
 flowcontrol.UserSubject.name flowcontrol.GroupSubject.name
 flowcontrol.ServiceAccountSubject.name flowcontrol.ServiceAccountSubject.namespace`,
    openValues: 'flowcontrol.FlowDistinguisherMethod.type flowcontrol.Subject.kind',
  },
  table: flowSchemaTable,
};
