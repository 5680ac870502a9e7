/** RuntimeClasses: which program runs the containers of a pod. */
import { duplicate } from '../../apimachinery/field-error.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import { objects, part, text, textMap } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { checkDns1123Label } from '../../apimachinery/validation/names.ts';
import { validateLabels } from '../../apimachinery/validation/object-meta.ts';
import type { FieldMaps } from '../conversion/conversion.ts';
import { defined, without } from '../conversion/fields.ts';
import { nodeLabels } from '../core/nodes/node-labels.ts';
import { tolerationRules } from '../core/pods/validation/pod-placement.ts';
import { resourceRules } from '../core/pods/validation/resource-requirements.ts';
import { ageColumn, column, nameColumn, table } from '../tables/columns.ts';
import { printedAt } from '../tables/fields.ts';
import { allErrors, each, form, noProblems, repetitions, unchanged } from '../validation/checks.ts';
import type { Problems } from '../validation/checks.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import type { KindWarnings } from '../warnings/kind-warnings.ts';
import { onWrite } from '../warnings/kind-warnings.ts';
import { canonicalText } from '../../stdx/canonical-text.ts';
import type { DefaultTable } from '../../apimachinery/typed/defaulting.ts';
import type { KindDefinition } from '../kind-definition.ts';
import { roundingOf } from '../defaults/amounts.ts';

const runtimeClassTable = table([
  nameColumn,
  column(
    'Handler',
    'What runs the containers of such pods.',
    (object) => printedAt(object, 'handler') || printedAt(object, 'spec', 'runtimeHandler'),
  ),
  ageColumn,
]);

const runtimeClassDefaults: DefaultTable = {
  fields: {},
  complete: { 'node/v1.Overhead': roundingOf('podFixed') },
};

const runtimeClassRules: KindRules = {
  validate: (object) => {
    const scheduling = part(object, 'scheduling');
    const overhead = part(part(object, 'overhead'), 'podFixed');
    return allErrors(
      form('handler', text(object, 'handler'), checkDns1123Label),
      // The reference checks it as limits, and names it so.
      resourceRules({ limits: overhead }, 'overhead'),
      validateLabels('scheduling.nodeSelector', textMap(scheduling, 'nodeSelector')),
      tolerationsRules(objects(scheduling, 'tolerations'), 'scheduling.tolerations'),
    );
  },
  validateUpdate: (next, current) => unchanged('handler', next['handler'], current['handler']),
};

function tolerationsRules(tolerations: readonly JsonObject[], path: string): Problems {
  const isRepeated = repetitions<string>();
  return each(tolerations, (toleration, at) => {
    const here = `${path}[${at}]`;
    return allErrors(
      tolerationRules(toleration, here),
      isRepeated(canonicalText(toleration)) ? [duplicate(here, toleration)] : noProblems,
    );
  });
}

function runtimeClassWarnings(identity: Identity): KindWarnings {
  const labels = nodeLabels(identity);
  return onWrite((runtimeClass) =>
    labels.ofMap(
      part(part(runtimeClass, 'scheduling'), 'nodeSelector'),
      () => 'scheduling.nodeSelector',
    ),
  );
}

const runtimeClassFields = ['overhead', 'scheduling'] as const;

/** RuntimeClass of node/v1alpha1 has its fields in a spec. */
const runtimeClassMaps: FieldMaps = {
  toHub(object) {
    const { spec, ...rest } = object;
    if (!isJsonObject(spec)) return object;
    const { runtimeHandler: handler, overhead, scheduling } = spec;
    return { ...rest, ...defined({ handler, overhead, scheduling }) };
  },
  fromHub(object) {
    const { handler: runtimeHandler, overhead, scheduling } = object;
    const spec = defined({ runtimeHandler, overhead, scheduling });
    return { ...without(object, 'handler', ...runtimeClassFields), spec };
  },
};

export const runtimeClasses: KindDefinition = {
  resource: 'node.{domain}/runtimeclasses',
  anyFinalizer: true,
  conditionalUpdateOnly: true,
  defaults: runtimeClassDefaults,
  validation: runtimeClassRules,
  warnings: runtimeClassWarnings,
  table: runtimeClassTable,
  versions: { v1alpha1: { conversion: runtimeClassMaps } },
};
