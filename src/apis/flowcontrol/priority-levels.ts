/** PriorityLevelConfigurations: how many requests of a level are served at once. */
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { ageColumn, column, nameColumn, table } from '../tables/columns.ts';
import { countAt, printedAt, valueAt } from '../tables/fields.ts';
import type { KindDefinition } from '../kind-definition.ts';
import { priorityLevelDefaults } from './defaults.ts';
import { priorityLevelRules } from './validation.ts';
import { priorityLevelMaps, keepsZeroShares, zeroSharesAnnotation } from './conversion.ts';

const queuingPath = ['spec', 'limited', 'limitResponse', 'queuing'];

function queuingColumn(name: string, description: string, member: string) {
  return column(name, description, (object) => {
    const isThere = valueAt(object, ...queuingPath) !== undefined;
    return isThere ? countAt(object, ...queuingPath, member) : '<none>';
  });
}

/** The member had another name in older versions. */
function shares(level: JsonObject): number | string {
  const limited = valueAt(level, 'spec', 'limited');
  if (limited === undefined) return '<none>';
  return (
    countAt(limited, 'nominalConcurrencyShares') || countAt(limited, 'assuredConcurrencyShares')
  );
}

const priorityLevelTable = table([
  nameColumn,
  column('Type', 'Whether requests are limited.', (object) => printedAt(object, 'spec', 'type')),
  column('NominalConcurrencyShares', 'Its part of what the server can do at once.', shares),
  queuingColumn('Queues', 'Number of queues.', 'queues'),
  queuingColumn('HandSize', 'Queues a flow may use.', 'handSize'),
  queuingColumn('QueueLengthLimit', 'Most requests in a queue.', 'queueLengthLimit'),
  ageColumn,
]);

export const priorityLevelConfigurations: KindDefinition = {
  resource: 'flowcontrol.{domain}/prioritylevelconfigurations',
  tracksGeneration: true,
  keptByStatus: 'all',
  defaults: priorityLevelDefaults,
  validation: priorityLevelRules,
  schemaExemptions: {
    optional: 'flowcontrol.PriorityLevelConfigurationSpec.type flowcontrol.LimitResponse.type',
    openValues: 'flowcontrol.PriorityLevelConfigurationSpec.type flowcontrol.LimitResponse.type',
  },
  table: priorityLevelTable,
  versions: {
    v1beta1: { conversion: priorityLevelMaps },
    v1beta2: { conversion: priorityLevelMaps },
    v1beta3: { conversion: (identity) => keepsZeroShares(zeroSharesAnnotation(identity)) },
  },
};
