/** LimitRanges: minimum, maximum and default amounts for the objects of a namespace. */
import { duplicate, forbidden, invalid, required } from '../../../apimachinery/field-error.ts';
import { objects, part, text } from '../../../apimachinery/members.ts';
import type { JsonObject } from '../../../apimachinery/unstructured.ts';
import { checkQualifiedName } from '../../../apimachinery/validation/names.ts';
import { resourceNameRules } from '../pods/validation/resource-requirements.ts';
import { createdAtColumn, nameColumn, table } from '../../tables/columns.ts';
import { allErrors, compareAmounts, each, form, noProblems } from '../../validation/checks.ts';
import type { Problems } from '../../validation/checks.ts';
import type { KindRules } from '../../validation/kind-rules.ts';
import { ownMember } from '../../../stdx/lookup.ts';
import type { DefaultTable } from '../../../apimachinery/typed/defaulting.ts';
import { roundResources } from '../../defaults/amounts.ts';
import type { KindDefinition } from '../../kind-definition.ts';

const bounds = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'];

const limitRangeRules: KindRules = {
  validate: (object) => {
    const seen = new Set<string>();
    return each(objects(part(object, 'spec'), 'limits'), (limit, at) => {
      const path = `spec.limits[${at}]`;
      const type = text(limit, 'type');
      const repeated = seen.has(type);
      seen.add(type);
      return allErrors(
        limitTypeRules(type, `${path}.type`),
        repeated ? [duplicate(`${path}.type`, type)] : noProblems,
        type === 'Pod' ? podLimitRules(limit, path) : noProblems,
        type === 'PersistentVolumeClaim' ? claimLimitRules(limit, path) : noProblems,
        each(bounds, (name) =>
          each(Object.keys(part(limit, name)), (resource) =>
            resourceNameRules(resource, `${path}.${name}[${resource}]`, ofContainers(type)),
          ),
        ),
        orderRules(limit, path),
        ratioRules(part(limit, 'maxLimitRequestRatio'), `${path}.maxLimitRequestRatio`),
      );
    });
  },
};

function ofContainers(type: string): boolean {
  return type === 'Pod' || type === 'Container';
}

const limitTypes = ['Pod', 'Container', 'PersistentVolumeClaim'];

function limitTypeRules(type: string, field: string): Problems {
  const problems = form(field, type, checkQualifiedName);
  if (problems.length > 0 || type === '' || type.includes('/') || limitTypes.includes(type)) {
    return problems;
  }
  return [invalid(field, type, 'must be a standard limit type or fully qualified')];
}

function podLimitRules(limit: JsonObject, path: string): Problems {
  return ['default', 'defaultRequest']
    .filter((name) => Object.keys(part(limit, name)).length > 0)
    .map((name) => forbidden(`${path}.${name}`, "may not be specified when `type` is 'Pod'"));
}

function claimLimitRules(limit: JsonObject, path: string): Problems {
  const some = ['min', 'max'].some((name) => part(limit, name)['storage'] !== undefined);
  const detail = 'either minimum or maximum storage value is required, but neither was provided';
  return some ? noProblems : [required(`${path}.limits`, detail)];
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

function orderRules(limit: JsonObject, path: string): Problems {
  return each(orders, ([lower, higher, at, lowName, highName]) => {
    const [lows, highs] = [part(limit, lower), part(limit, higher)];
    return each(Object.keys(lows), (name) => {
      const [low, high] = [lows[name], ownMember(highs, name)];
      if ((compareAmounts(low, high) ?? 0) <= 0) return noProblems;
      const [least, most] = [String(low), String(high)];
      const detail = `${lowName} ${least} is greater than ${highName} ${most}`;
      return [invalid(`${path}.${at}[${name}]`, ownMember(part(limit, at), name), detail)];
    });
  });
}

function ratioRules(ratios: JsonObject, path: string): Problems {
  return each(Object.keys(ratios), (name) =>
    (compareAmounts(ratios[name], '1') ?? 0) < 0
      ? [invalid(`${path}[${name}]`, ratios[name], `ratio ${String(ratios[name])} is less than 1`)]
      : noProblems,
  );
}

const limitRangeTable = table([nameColumn, createdAtColumn]);

/** Limits default to the maximum, requests to the limits, and without those to the minimum. */
function withContainerLimits(item: JsonObject): JsonObject {
  const list = (name: string): JsonObject => part(item, name);
  const limits: JsonObject = { ...list('max'), ...list('default') };
  const requests: JsonObject = { ...list('min'), ...limits, ...list('defaultRequest') };
  const same = (name: string, made: JsonObject): boolean =>
    Object.keys(made).length === Object.keys(list(name)).length;
  if (same('default', limits) && same('defaultRequest', requests)) return item;
  return {
    ...item,
    ...(Object.keys(limits).length === 0 ? {} : { default: limits }),
    ...(Object.keys(requests).length === 0 ? {} : { defaultRequest: requests }),
  };
}

const limitRangeDefaults: DefaultTable = {
  fields: {},
  complete: {
    'core/v1.LimitRangeItem': (item) =>
      roundResources(item['type'] === 'Container' ? withContainerLimits(item) : item, [
        'max',
        'min',
        'default',
        'defaultRequest',
        'maxLimitRequestRatio',
      ]),
  },
};

export const limitRanges: KindDefinition = {
  resource: '/limitranges',
  createOnUpdate: true,
  defaults: limitRangeDefaults,
  validation: limitRangeRules,
  schemaExemptions: {
    optional: 'core.LimitRangeSpec.limits',
    openValues: 'core.LimitRangeItem.type',
  },
  table: limitRangeTable,
};
