/** DaemonSets: one pod on each node. */
import { invalid, required } from '../../apimachinery/field-error.ts';
import { part, text } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { specSelector } from './table-columns.ts';
import {
  selectorRules,
  selectorUnchanged,
  template,
  workloadTemplateRules,
  workloadWarnings,
} from './templates.ts';
import type { TemplateWarnings } from '../core/pods/warnings.ts';
import {
  ageColumn,
  column,
  formatLabels,
  integer,
  nameColumn,
  table,
  templateColumns,
} from '../tables/columns.ts';
import { countAt, valueAt } from '../tables/fields.ts';
import { atMostAll, countOf, countOrPercent, nonNegative } from '../validation/checks.ts';
import type { Problems } from '../validation/checks.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import type { KindWarnings } from '../warnings/kind-warnings.ts';
import type { DefaultTable } from '../../apimachinery/typed/defaulting.ts';
import type { KindDefinition } from '../kind-definition.ts';
import { templateWarnings } from '../core/pods/warnings.ts';
import { rollingUpdate } from './template-defaults.ts';

function statusCount(name: string, description: string, member: string) {
  return integer(name, description, (object) => countAt(object, 'status', member));
}

export const daemonSetTable = table([
  nameColumn,
  statusCount('Desired', 'Nodes that shall have a pod.', 'desiredNumberScheduled'),
  statusCount('Current', 'Nodes that have one.', 'currentNumberScheduled'),
  statusCount('Ready', 'Nodes whose pod is ready.', 'numberReady'),
  statusCount(
    'Up-to-date',
    'Nodes whose pod is of the current template.',
    'updatedNumberScheduled',
  ),
  statusCount('Available', 'Nodes whose pod has been ready for long enough.', 'numberAvailable'),
  column('Node Selector', 'Labels of the nodes that are meant.', (object) =>
    formatLabels(valueAt(object, 'spec', 'template', 'spec', 'nodeSelector')),
  ),
  ageColumn,
  ...templateColumns,
  specSelector,
]);

const daemonSetDefaults: DefaultTable = {
  fields: {
    'apps/v1.DaemonSetSpec': { revisionHistoryLimit: 10 },
    'apps/v1.DaemonSetUpdateStrategy': rollingUpdate,
    'apps/v1.RollingUpdateDaemonSet': { maxUnavailable: 1, maxSurge: 0 },
    'apps/v1beta2.DaemonSetSpec': { revisionHistoryLimit: 10 },
    'apps/v1beta2.DaemonSetUpdateStrategy': rollingUpdate,
    'apps/v1beta2.RollingUpdateDaemonSet': { maxUnavailable: 1 },
  },
};

const daemonSetRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    return [
      ...nonNegative(spec, 'spec', ['minReadySeconds', 'revisionHistoryLimit']),
      ...selectorRules(spec, 'daemonset'),
      ...workloadTemplateRules(spec, 'DaemonSet'),
      ...daemonStrategyRules(part(spec, 'updateStrategy'), 'spec.updateStrategy.rollingUpdate'),
    ];
  },
  validateUpdate: selectorUnchanged,
};

function daemonStrategyRules(strategy: JsonObject, path: string): Problems {
  const rolling = strategy['rollingUpdate'];
  if (rolling === undefined || text(strategy, 'type') !== 'RollingUpdate') return [];
  const { maxUnavailable, maxSurge } = part(strategy, 'rollingUpdate');
  const problems = [
    ...countOrPercent(`${path}.maxUnavailable`, maxUnavailable),
    ...countOrPercent(`${path}.maxSurge`, maxSurge),
    ...atMostAll(`${path}.maxUnavailable`, maxUnavailable),
    ...atMostAll(`${path}.maxSurge`, maxSurge),
  ];
  const [unavailable, surge] = [countOf(maxUnavailable) !== 0, countOf(maxSurge) !== 0];
  if (unavailable && surge) {
    const detail = 'may not be set when maxUnavailable is non-zero';
    problems.push(invalid(`${path}.maxSurge`, maxSurge, detail));
  } else if (!unavailable && !surge) {
    problems.push(required(`${path}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'));
  }
  return problems;
}

function daemonSetWarnings(of: TemplateWarnings): KindWarnings {
  const { onUpdate } = workloadWarnings(of);
  return { onCreate: (set) => of(part(part(set, 'spec'), 'template'), template), onUpdate };
}

export const daemonSets: KindDefinition = {
  resource: 'apps/daemonsets',
  tracksGeneration: true,
  defaults: daemonSetDefaults,
  validation: daemonSetRules,
  warnings: (identity) => daemonSetWarnings(templateWarnings(identity)),
  table: daemonSetTable,
  versions: { v1beta2: { orphansDependents: true } },
};
