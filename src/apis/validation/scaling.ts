/** Rules of autoscalers, disruption budgets, quotas, limit ranges and priority classes. */
import { duplicate, forbidden, invalid } from '../../apimachinery/field-error.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import {
  atMostAll,
  compareAmounts,
  countOrPercent,
  nonNegativeAmount,
  numberOf,
  objects,
  part,
  text,
  unchanged,
} from './checks.ts';
import type { Problems } from './checks.ts';
import { labelSelectorRules } from './labels.ts';
import type { KindRules } from './kind-rules.ts';

export const autoscalerRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    const min = numberOf(spec['minReplicas']);
    const max = numberOf(spec['maxReplicas']) ?? 0;
    const field = 'spec.maxReplicas';
    return [
      ...(min !== undefined && min < 1
        ? [invalid('spec.minReplicas', min, 'must be greater than or equal to 1')]
        : []),
      ...(max < 1 ? [invalid(field, max, 'must be greater than 0')] : []),
      ...(min !== undefined && max < min
        ? [invalid(field, max, 'must be greater than or equal to `minReplicas`')]
        : []),
    ];
  },
};

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

export const resourceQuotaRules: KindRules = {
  validate: (object) => {
    const hard = part(part(object, 'spec'), 'hard');
    return Object.keys(hard).flatMap((name) => nonNegativeAmount(`spec.hard[${name}]`, hard[name]));
  },
  validateUpdate: (next, current) =>
    unchanged('spec.scopes', part(next, 'spec')['scopes'], part(current, 'spec')['scopes']),
};

export const limitRangeRules: KindRules = {
  validate: (object) => {
    const seen = new Set<string>();
    return objects(part(object, 'spec'), 'limits').flatMap((limit, at) => {
      const path = `spec.limits[${at}]`;
      const type = text(limit, 'type');
      const repeated = seen.has(type);
      seen.add(type);
      return [
        ...(repeated ? [duplicate(`${path}.type`, type)] : []),
        ...(type === 'Pod' ? podLimitRules(limit, path) : []),
        ...boundsRules(limit, path),
      ];
    });
  },
};

function podLimitRules(limit: JsonObject, path: string): Problems {
  return ['default', 'defaultRequest']
    .filter((name) => Object.keys(part(limit, name)).length > 0)
    .map((name) => forbidden(`${path}.${name}`, "may not be specified when `type` is 'Pod'"));
}

/** Lower, higher, and how the messages name them. The lower one is at fault, where not said. */
const orders: readonly (readonly [string, string, string, string, string])[] = [
  ['min', 'max', 'min', 'min value', 'max value'],
  ['min', 'defaultRequest', 'defaultRequest', 'min value', 'default request value'],
  ['defaultRequest', 'max', 'defaultRequest', 'default request value', 'max value'],
  ['defaultRequest', 'default', 'defaultRequest', 'default request value', 'default limit value'],
  ['min', 'default', 'default', 'min value', 'default value'],
  ['default', 'max', 'default', 'default value', 'max value'],
];

function boundsRules(limit: JsonObject, path: string): Problems {
  return orders.flatMap(([low, high, at, lowName, highName]) => {
    const [lows, highs] = [part(limit, low), part(limit, high)];
    return Object.keys(lows).flatMap((name) => {
      if ((compareAmounts(lows[name], highs[name]) ?? 0) <= 0) return [];
      const [least, most] = [String(lows[name]), String(highs[name])];
      const detail = `${lowName} ${least} is greater than ${highName} ${most}`;
      return [invalid(`${path}.${at}[${name}]`, part(limit, at)[name], detail)];
    });
  });
}

const ownPriorityMax = 1_000_000_000;

export const priorityClassRules: KindRules = {
  validate: (object) => {
    const value = numberOf(object['value']) ?? 0;
    const isSystem = (object.metadata.name ?? '').startsWith('system-');
    if (isSystem || value <= ownPriorityMax) return [];
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

export const runtimeClassRules: KindRules = {
  validateUpdate: (next, current) => unchanged('handler', next['handler'], current['handler']),
};
