/** DaemonSets: one pod on each node. */
import { invalid, notSupported, required } from '../../apimachinery/field-error.ts';
import { part, text } from '../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { specSelector } from './table-columns.ts';
import { selectorUnchanged, template, workloadRules, workloadWarnings } from './templates.ts';
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
import { withTemplateAnnotations } from '../core/pods/validation/template-annotations.ts';
import type { KindDefinition } from '../kind-definition.ts';
import { templateWarnings } from '../core/pods/warnings.ts';
import { rollingUpdate } from './template-defaults.ts';
import { statusRules } from './status-rules.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';

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
  complete: {
    'apps/v1.DaemonSet': (set) =>
      templateGenerationOf(set) === undefined ? withTemplateGeneration(set, '0') : set,
  },
};

/** The number of the template, 1 for the first, is a field of old versions and of the reference
 * itself, so every object has it, and who writes an object without it resets it to 0. */
const generationAnnotation = 'deprecated.daemonset.template.generation';

function templateGenerationOf(set: JsonObject): string | undefined {
  const found = part(part(set, 'metadata'), 'annotations')[generationAnnotation];
  return typeof found === 'string' ? found : undefined;
}

function withTemplateGeneration<T extends JsonObject>(set: T, value: string): T {
  if (templateGenerationOf(set) === value) return set;
  const metadata = part(set, 'metadata');
  const annotations = { ...part(metadata, 'annotations'), [generationAnnotation]: value };
  return { ...set, metadata: { ...metadata, annotations } };
}

/** A client may choose the first number; later ones are counted here. */
function withFirstGeneration(set: ApiObject): ApiObject {
  const given = Number(templateGenerationOf(set) ?? '0');
  return given >= 1 ? set : withTemplateGeneration(set, '1');
}

function withNextGeneration(next: ApiObject, current: ApiObject): ApiObject {
  const before = templateGenerationOf(current) ?? '0';
  const [now, was] = [next, current].map((set) => part(set, 'spec')['template']);
  const same = deepEqual(now, was);
  return withTemplateGeneration(next, same ? before : String(Number(before) + 1));
}

const daemonSetRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    return [
      ...nonNegative(spec, 'spec', ['minReadySeconds', 'revisionHistoryLimit']),
      ...workloadRules(spec, { kind: 'DaemonSet', what: 'daemonset', withoutSelector: true }),
      ...daemonStrategyRules(part(spec, 'updateStrategy'), 'spec.updateStrategy'),
    ];
  },
  validateUpdate: selectorUnchanged,
  validateStatusUpdate: statusRules({
    parts: [],
    others: [
      'observedGeneration',
      'currentNumberScheduled',
      'numberMisscheduled',
      'desiredNumberScheduled',
      'numberReady',
      'updatedNumberScheduled',
      'numberAvailable',
      'numberUnavailable',
      'collisionCount',
    ],
  }),
};

function daemonStrategyRules(strategy: JsonObject, field: string): Problems {
  const type = text(strategy, 'type');
  if (type === 'OnDelete') return [];
  const path = `${field}.rollingUpdate`;
  if (type !== 'RollingUpdate') {
    return [notSupported(field, strategy, ['OnDelete', 'RollingUpdate'])];
  }
  if (strategy['rollingUpdate'] === undefined) return [required(path)];
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
  validation: withTemplateAnnotations(daemonSetRules),
  schemaExemptions: {
    optional: 'apps.DaemonSetSpec.selector',
    openValues: 'apps.DaemonSetUpdateStrategy.type',
  },
  strategy: (generic) => ({
    prepareForCreate: (set, user) => withFirstGeneration(generic.prepareForCreate(set, user)),
    prepareForUpdate: (next, current, nowMs) =>
      withNextGeneration(generic.prepareForUpdate(next, current, nowMs), current),
    prepareForStatusUpdate: (next, current, nowMs) =>
      withNextGeneration(generic.prepareForStatusUpdate(next, current, nowMs), current),
  }),
  warnings: (identity) => daemonSetWarnings(templateWarnings(identity)),
  table: daemonSetTable,
  versions: { v1beta2: { orphansDependents: true } },
};
