/** Deployments: they replace one replica set by the next. */
import { forbidden, invalid, notSupported } from '../../apimachinery/field-error.ts';
import { part, text } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { readyColumn } from './table-columns.ts';
import { selectorUnchanged, workloadRules, workloadWarnings } from './templates.ts';
import {
  ageColumn,
  column,
  nameColumn,
  selectorColumn,
  selectorText,
  table,
  templateColumns,
} from '../tables/columns.ts';
import { countAt, valueAt } from '../tables/fields.ts';
import { atMostAll, countOf, countOrPercent, nonNegative, numberOf } from '../validation/checks.ts';
import type { Problems } from '../validation/checks.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import type { TypeDefaults, DefaultTable } from '../../apimachinery/typed/defaulting.ts';
import { withTemplateAnnotations } from '../core/pods/validation/template-annotations.ts';
import type { KindDefinition } from '../kind-definition.ts';
import { templateWarnings } from '../core/pods/warnings.ts';
import { deploymentMaps } from './conversion.ts';
import { statusRules } from './status-rules.ts';
import { replicas, rollingUpdate, selectorOfTemplate } from './template-defaults.ts';

export const deploymentTable = table([
  nameColumn,
  readyColumn,
  column('Up-to-date', 'Pods that are made from the template as it is now.', (object) =>
    countAt(object, 'status', 'updatedReplicas'),
  ),
  column('Available', 'Pods that have been ready for long enough.', (object) =>
    countAt(object, 'status', 'availableReplicas'),
  ),
  ageColumn,
  ...templateColumns,
  selectorColumn((object) => selectorText(valueAt(object, 'spec', 'selector'))),
]);

const fraction: TypeDefaults = { maxUnavailable: '25%', maxSurge: '25%' };

const deploymentDefaults: DefaultTable = {
  fields: {
    'apps/v1.DeploymentSpec': { ...replicas(10), progressDeadlineSeconds: 600 },
    'apps/v1.DeploymentStrategy': rollingUpdate,
    'apps/v1.RollingUpdateDeployment': fraction,
    'apps/v1beta1.DeploymentSpec': {
      selector: selectorOfTemplate,
      ...replicas(2),
      progressDeadlineSeconds: 600,
    },
    'apps/v1beta1.DeploymentStrategy': rollingUpdate,
    'apps/v1beta1.RollingUpdateDeployment': fraction,
    'apps/v1beta2.DeploymentSpec': { ...replicas(10), progressDeadlineSeconds: 600 },
    'apps/v1beta2.DeploymentStrategy': rollingUpdate,
    'apps/v1beta2.RollingUpdateDeployment': fraction,
  },
};

const deploymentRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    const counts = ['replicas', 'minReadySeconds', 'revisionHistoryLimit'];
    const deadline = numberOf(spec['progressDeadlineSeconds']);
    const deadlineField = 'spec.progressDeadlineSeconds';
    return [
      ...nonNegative(spec, 'spec', [...counts, 'progressDeadlineSeconds']),
      ...workloadRules(spec, { kind: 'ReplicaSet', what: 'deployment' }),
      ...strategyRules(part(spec, 'strategy'), 'spec.strategy'),
      ...(deadline !== undefined && deadline <= (numberOf(spec['minReadySeconds']) ?? 0)
        ? [invalid(deadlineField, deadline, 'must be greater than minReadySeconds')]
        : []),
    ];
  },
  validateUpdate: selectorUnchanged,
  validateStatusUpdate: statusRules({
    parts: ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
    others: ['observedGeneration', 'replicas', 'unavailableReplicas', 'collisionCount'],
  }),
};

function strategyRules(strategy: JsonObject, path: string): Problems {
  const type = text(strategy, 'type');
  if (type !== 'Recreate' && type !== 'RollingUpdate') {
    return [notSupported(path, strategy, ['Recreate', 'RollingUpdate'])];
  }
  if (strategy['rollingUpdate'] === undefined) return [];
  if (type === 'Recreate') {
    const detail = "may not be specified when strategy `type` is 'Recreate'";
    return [forbidden(`${path}.rollingUpdate`, detail)];
  }
  const { maxUnavailable, maxSurge } = part(strategy, 'rollingUpdate');
  const here = `${path}.rollingUpdate`;
  const stuck =
    maxUnavailable !== undefined &&
    maxSurge !== undefined &&
    countOf(maxUnavailable) === 0 &&
    countOf(maxSurge) === 0;
  return [
    ...countOrPercent(`${here}.maxUnavailable`, maxUnavailable),
    ...countOrPercent(`${here}.maxSurge`, maxSurge),
    ...(stuck
      ? [invalid(`${here}.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0')]
      : []),
    ...atMostAll(`${here}.maxUnavailable`, maxUnavailable),
  ];
}

export const deployments: KindDefinition = {
  resource: 'apps/deployments',
  tracksGeneration: true,
  // They are copied to what a deployment makes.
  countedMetadata: 'annotations',
  keptByStatus: ['labels'],
  defaults: deploymentDefaults,
  validation: withTemplateAnnotations(deploymentRules),
  schemaExemptions: { openValues: 'apps.DeploymentStrategy.type' },
  warnings: (identity) => workloadWarnings(templateWarnings(identity)),
  table: deploymentTable,
  versions: {
    v1beta1: { conversion: deploymentMaps, orphansDependents: true },
    v1beta2: { orphansDependents: true },
  },
};
