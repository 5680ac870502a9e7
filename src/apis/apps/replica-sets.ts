/** ReplicaSets: a number of identical pods. */
import { part } from '../../apimachinery/members.ts';
import { replicaColumns, specSelector } from './table-columns.ts';
import { selectorUnchanged, workloadRules, workloadWarnings } from './templates.ts';
import { ageColumn, nameColumn, table, templateColumns } from '../tables/columns.ts';
import { nonNegative } from '../validation/checks.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import type { DefaultTable } from '../../apimachinery/typed/defaulting.ts';
import { withTemplateAnnotations } from '../core/pods/validation/template-annotations.ts';
import type { KindDefinition } from '../kind-definition.ts';
import { templateWarnings } from '../core/pods/warnings.ts';
import { statusRules } from './status-rules.ts';

export const replicaSetTable = table([
  nameColumn,
  ...replicaColumns,
  ageColumn,
  ...templateColumns,
  specSelector,
]);

const replicaSetDefaults: DefaultTable = {
  fields: {
    'apps/v1.ReplicaSetSpec': { replicas: 1 },
    'apps/v1beta2.ReplicaSetSpec': { replicas: 1 },
  },
};

const replicaSetRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    return [
      ...nonNegative(spec, 'spec', ['replicas', 'minReadySeconds']),
      ...workloadRules(spec, { kind: 'ReplicaSet', what: 'deployment' }),
    ];
  },
  validateUpdate: selectorUnchanged,
  validateStatusUpdate: statusRules({
    parts: ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
    others: ['observedGeneration', 'replicas'],
  }),
};

export const replicaSets: KindDefinition = {
  resource: 'apps/replicasets',
  tracksGeneration: true,
  defaults: replicaSetDefaults,
  validation: withTemplateAnnotations(replicaSetRules),
  warnings: (identity) => workloadWarnings(templateWarnings(identity)),
  table: replicaSetTable,
  versions: { v1beta2: { orphansDependents: true } },
};
