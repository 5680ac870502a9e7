/** Rules of disruption budgets, and of classes of priority and of runtime. */
import { duplicate, forbidden, invalid } from '../../apimachinery/field-error.ts';
import { objects, part, text, textMap } from '../../apimachinery/members.ts';
import { checkDns1123Label } from '../../apimachinery/validation/names.ts';
import { validateLabels } from '../../apimachinery/validation/object-meta.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { canonicalText } from '../../stdx/canonical-text.ts';
import { lookup } from '../../stdx/lookup.ts';
import {
  atMostAll,
  countOrPercent,
  each,
  form,
  noProblems,
  numberOf,
  together,
  unchanged,
} from './checks.ts';
import { repetitions } from './checks.ts';
import type { Problems } from './checks.ts';
import { labelSelectorRules } from './labels.ts';
import type { KindRules } from './kind-rules.ts';
import { tolerationRules } from './pod-placement.ts';
import { resourceRules } from './resource-requirements.ts';

export const disruptionBudgetRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    const { minAvailable, maxUnavailable } = spec;
    const both = minAvailable !== undefined && maxUnavailable !== undefined;
    return [
      ...(both
        ? [invalid('spec', spec, 'minAvailable and maxUnavailable cannot be both set')]
        : []),
      ...countOrPercent('spec.minAvailable', minAvailable),
      ...atMostAll('spec.minAvailable', minAvailable),
      ...countOrPercent('spec.maxUnavailable', maxUnavailable),
      ...atMostAll('spec.maxUnavailable', maxUnavailable),
      ...labelSelectorRules(part(spec, 'selector'), 'spec.selector'),
    ];
  },
};

const ownPriorityMax = 1_000_000_000;

/** Those that the service itself makes. Their names are taken. */
const systemPriorities: Readonly<Record<string, number>> = lookup({
  'system-node-critical': 2_000_001_000,
  'system-cluster-critical': 2_000_000_000,
});

export const priorityClassRules: KindRules = {
  validate: (object) => {
    const value = numberOf(object['value']) ?? 0;
    const { name = '' } = object.metadata;
    if (name.startsWith('system-')) return systemRules(object, name, value);
    if (value <= ownPriorityMax) return noProblems;
    const detail = `maximum allowed value of a user defined priority is ${ownPriorityMax}`;
    return [forbidden('value', detail)];
  },
  validateUpdate: (next, current) => [
    ...(next['value'] === current['value']
      ? []
      : [forbidden('value', 'may not be changed in an update.')]),
    ...unchanged('preemptionPolicy', next['preemptionPolicy'], current['preemptionPolicy']),
  ],
};

function systemRules(object: ApiObject, name: string, value: number): Problems {
  const fixed = systemPriorities[name];
  const why =
    fixed === undefined
      ? `${name} is not a known system priority class`
      : value !== fixed
        ? `value of ${name} PriorityClass must be ${fixed}`
        : object['globalDefault'] === true
          ? `globalDefault of ${name} PriorityClass must be false`
          : undefined;
  if (why === undefined) return noProblems;
  const detail =
    `priority class names with 'system-' prefix are reserved for system use only. error: ` + why;
  return [forbidden('metadata.name', detail)];
}

export const runtimeClassRules: KindRules = {
  validate: (object) => {
    const scheduling = part(object, 'scheduling');
    const overhead = part(part(object, 'overhead'), 'podFixed');
    return together(
      form('handler', text(object, 'handler'), checkDns1123Label),
      resourceRules({ limits: overhead }, 'overhead.podFixed'),
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
    return together(
      tolerationRules(toleration, here),
      isRepeated(canonicalText(toleration)) ? [duplicate(here, toleration)] : noProblems,
    );
  });
}
