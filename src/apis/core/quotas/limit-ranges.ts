/**
 * LimitRanges: minimum, maximum and default amounts for the objects of a namespace.
 *
 * Bounds: all amounts are checked and completed in one piece, each against the others of its name.
 * Limits with more than `limitValuesMax` values stay as they are, and no write leaves such ones.
 */
import { countValues } from '../../../apimachinery/codecs/body-bounds.ts';
import { duplicate, forbidden, invalid, required } from '../../../apimachinery/field-error.ts';
import { objects, part, text } from '../../../apimachinery/members.ts';
import { parseQuantity, quantityToNumber } from '../../../apimachinery/quantity.ts';
import { isJsonObject } from '../../../apimachinery/unstructured.ts';
import type { JsonObject, JsonValue } from '../../../apimachinery/unstructured.ts';
import { checkQualifiedName } from '../../../apimachinery/validation/names.ts';
import { isPromisedOnce, resourceNameRules } from '../pods/validation/resource-requirements.ts';
import { createdAtColumn, nameColumn, table } from '../../tables/columns.ts';
import { allErrors, compareAmounts, each, givenForm, noProblems } from '../../validation/checks.ts';
import type { Problems } from '../../validation/checks.ts';
import type { KindRules } from '../../validation/kind-rules.ts';
import { ownMember } from '../../../stdx/lookup.ts';
import type { DefaultTable } from '../../../apimachinery/typed/defaulting.ts';
import { roundResources } from '../../defaults/amounts.ts';
import type { KindDefinition } from '../../kind-definition.ts';

const bounds = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'];

/** Members and items of all limits, those inside one another counted. A namespace with more than
 * 5,000 amounts has no pods (admission/limit-ranges). */
const limitValuesMax = 2_500;

function hasTooManyValues(spec: JsonObject): boolean {
  return countValues(spec['limits'] ?? null, limitValuesMax) > limitValuesMax;
}

const limitRangeRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    if (hasTooManyValues(spec)) {
      return [forbidden('spec.limits', `must not hold more than ${limitValuesMax} values`)];
    }
    const seen = new Set<string>();
    return each(objects(spec, 'limits'), (given, at) => {
      const path = `spec.limits[${at}]`;
      const type = text(given, 'type');
      // What may not be there is not looked at any further.
      const limit = type === 'Pod' ? withoutDefaults(given) : given;
      const repeated = seen.has(type);
      seen.add(type);
      return allErrors(
        limitTypeRules(type, `${path}.type`),
        repeated ? [duplicate(`${path}.type`, type)] : noProblems,
        type === 'Pod' ? podLimitRules(given, path) : noProblems,
        type === 'PersistentVolumeClaim' ? claimLimitRules(limit, path) : noProblems,
        each(bounds, (name) =>
          each(Object.keys(part(limit, name)), (resource) =>
            resourceNameRules(resource, `${path}.${name}[${resource}]`, ofContainers(type)),
          ),
        ),
        orderRules(limit, path),
        ratioRules(limit, `${path}.maxLimitRequestRatio`),
        promisedOnceRules(limit, `${path}.defaultRequest`),
      );
    });
  },
};

function ofContainers(type: string): boolean {
  return type === 'Pod' || type === 'Container';
}

const limitTypes = ['Pod', 'Container', 'PersistentVolumeClaim'];

function limitTypeRules(type: string, field: string): Problems {
  const problems = givenForm(field, type, checkQualifiedName);
  if (problems.length > 0 || type.includes('/') || limitTypes.includes(type)) {
    return problems;
  }
  return [invalid(field, type, 'must be a standard limit type or fully qualified')];
}

function withoutDefaults(limit: JsonObject): JsonObject {
  const { default: _limits, defaultRequest: _requests, ...others } = limit;
  return others;
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

function ratioRules(limit: JsonObject, path: string): Problems {
  const [ratios, mins, maxes] = [
    part(limit, 'maxLimitRequestRatio'),
    part(limit, 'min'),
    part(limit, 'max'),
  ];
  return each(Object.keys(ratios), (name) => {
    const shown = String(ratios[name]);
    const wrong = (detail: string): Problems => [
      invalid(`${path}[${name}]`, ratios[name], `ratio ${shown} is ${detail}`),
    ];
    // No order with what is not there, and above a minimum of zero there is no most.
    const most = amountOf(ownMember(maxes, name)) / amountOf(ownMember(mins, name));
    return allErrors(
      (compareAmounts(ratios[name], '1') ?? 0) < 0 ? wrong('less than 1') : noProblems,
      amountOf(ratios[name]) > most
        ? wrong(`greater than max/min = ${most.toFixed(6)}`)
        : noProblems,
    );
  });
}

function amountOf(value: JsonValue | undefined): number {
  const amount = typeof value === 'string' ? parseQuantity(value) : undefined;
  return amount === undefined ? Number.NaN : quantityToNumber(amount);
}

function promisedOnceRules(limit: JsonObject, path: string): Problems {
  const [limits, requests] = [part(limit, 'default'), part(limit, 'defaultRequest')];
  return each(Object.keys(requests).filter(isPromisedOnce), (name) => {
    const [most, least] = [ownMember(limits, name), requests[name]];
    if ((compareAmounts(most, least) ?? 0) === 0) return noProblems;
    const requested = `defaultRequest value ${String(least)} in ${name}`;
    const detail = `default value ${String(most)} must equal to ${requested}`;
    return [invalid(`${path}[${name}]`, least, detail)];
  });
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

function completeItem(item: JsonObject): JsonObject {
  const isOfContainers = item['type'] === 'Container';
  return roundResources(isOfContainers ? withContainerLimits(item) : item, bounds);
}

/** Of the whole spec, for each item by itself may be small. */
const limitRangeDefaults: DefaultTable = {
  fields: {},
  complete: {
    'core/v1.LimitRangeSpec': (spec) => {
      const limits = spec['limits'];
      if (!Array.isArray(limits) || hasTooManyValues(spec)) return spec;
      const list = limits as readonly JsonValue[];
      const completed = list.map((item) => (isJsonObject(item) ? completeItem(item) : item));
      return completed.every((item, at) => item === list[at])
        ? spec
        : { ...spec, limits: completed };
    },
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
