/** ReplicationControllers: the oldest kind that keeps a number of pods. */
import { required } from '../../apimachinery/field-error.ts';
import { part, textMap } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { replicaColumns } from '../apps/table-columns.ts';
import { templateLabels, withTemplateLabels } from '../apps/template-defaults.ts';
import { statusRules } from '../apps/status-rules.ts';
import { endlessRules, unselected, workloadWarnings } from '../apps/templates.ts';
import { templateRules } from './pods/validation/pods.ts';
import {
  ageColumn,
  formatLabels,
  nameColumn,
  selectorColumn,
  table,
  templateColumns,
} from '../tables/columns.ts';
import { valueAt } from '../tables/fields.ts';
import { nonNegative } from '../validation/checks.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import { ownMember } from '../../stdx/lookup.ts';
import type { DefaultTable } from '../../apimachinery/typed/defaulting.ts';
import { inSpec } from '../defaults/parts.ts';
import { withTemplateAnnotations } from './pods/validation/template-annotations.ts';
import type { KindDefinition } from '../kind-definition.ts';
import { templateWarnings } from './pods/warnings.ts';

const replicationControllerTable = table([
  nameColumn,
  ...replicaColumns,
  ageColumn,
  ...templateColumns,
  selectorColumn((object) => formatLabels(valueAt(object, 'spec', 'selector'))),
]);

const replicationControllerRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    const selector = textMap(spec, 'selector');
    const template = part(spec, 'template');
    const labels = textMap(part(template, 'metadata'), 'labels');
    const own = Object.entries(selector).every(([key, value]) => ownMember(labels, key) === value);
    return [
      ...nonNegative(spec, 'spec', ['replicas', 'minReadySeconds']),
      ...(Object.keys(selector).length === 0 ? [required('spec.selector')] : []),
      ...(spec['template'] === undefined ? [required('spec.template')] : []),
      ...(own || spec['template'] === undefined ? [] : [unselected(template)]),
      ...templateRules(template, 'spec.template'),
      ...endlessRules(template, 'ReplicationController'),
    ];
  },
  validateStatusUpdate: statusRules({
    parts: ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
    others: ['observedGeneration', 'replicas'],
  }),
};

const replicationControllerDefaults: DefaultTable = {
  fields: {},
  complete: {
    'core/v1.ReplicationController': (controller, context) =>
      inSpec(withTemplateLabels(controller, context), withTemplateSelector),
  },
};

function withTemplateSelector(spec: JsonObject): JsonObject {
  const { selector } = spec;
  const labels = templateLabels(spec);
  if (labels === undefined) return spec;
  if (isJsonObject(selector) && Object.keys(selector).length > 0) return spec;
  return { ...spec, selector: labels };
}

export const replicationControllers: KindDefinition = {
  resource: '/replicationcontrollers',
  tracksGeneration: true,
  selectableFields: 'status.replicas!0',
  defaults: replicationControllerDefaults,
  validation: withTemplateAnnotations(replicationControllerRules),
  warnings: (identity) => workloadWarnings(templateWarnings(identity)),
  table: replicationControllerTable,
  versions: { v1: { orphansDependents: true } },
};
