/**
 * Metrics of a HorizontalPodAutoscaler: the older form (v1's annotations and v2beta1) has a field
 * for each number, the newer one a metric and a target (spec 2, section 9.3).
 *
 *     older  resource: { name, targetAverageUtilization, targetAverageValue }
 *     newer  resource: { name, target: { type, averageUtilization, averageValue } }
 *
 * Bounds: a list is converted in one piece, for each version that somebody has written in. One with
 * more than `metricValuesMax` stays in the form it has, and no write leaves such a one.
 */
import { countValues } from '../../apimachinery/codecs/body-bounds.ts';
import { part } from '../../apimachinery/members.ts';
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import type { Step } from '../conversion/fields.ts';
import { defined, isList } from '../conversion/fields.ts';
import { lookup } from '../../stdx/lookup.ts';

interface Forms {
  readonly newer: Step;
  readonly older: Step;
}

/** Members and items of a list of metrics, those inside one another counted: 714 metrics of the
 * processor. */
export const metricValuesMax = 5_000;

export function hasTooManyValues(metrics: JsonValue): boolean {
  return countValues(metrics, metricValuesMax) > metricValuesMax;
}

function metricOf(source: JsonObject, selectorName: string): JsonObject {
  return defined({ name: source['metricName'], selector: source[selectorName] });
}

/** `type` says which of the numbers decides; the older form leaves it to what is there. */
function targetOf(numbers: JsonObject): JsonObject {
  const type =
    numbers['averageUtilization'] !== undefined
      ? 'Utilization'
      : numbers['averageValue'] !== undefined
        ? 'AverageValue'
        : 'Value';
  return { type, ...defined(numbers) };
}

const resourceSource: Forms = {
  newer: ({ targetAverageUtilization, targetAverageValue, ...rest }) => ({
    ...rest,
    target: targetOf({
      averageUtilization: targetAverageUtilization,
      averageValue: targetAverageValue,
    }),
  }),
  older: (source) => {
    const { averageUtilization, averageValue } = part(source, 'target');
    const { target: _target, ...rest } = source;
    return {
      ...rest,
      ...defined({
        targetAverageUtilization: averageUtilization,
        targetAverageValue: averageValue,
      }),
    };
  },
};

const sources: Readonly<Record<string, Forms>> = lookup({
  resource: resourceSource,
  containerResource: resourceSource,
  pods: {
    newer: (source) => ({
      metric: metricOf(source, 'selector'),
      target: targetOf({ averageValue: source['targetAverageValue'] }),
    }),
    older: (source) => {
      const { name: metricName, selector } = part(source, 'metric');
      const { averageValue: targetAverageValue } = part(source, 'target');
      return defined({ metricName, targetAverageValue, selector });
    },
  },
  object: {
    newer: (source) => {
      const { target: describedObject, targetValue: value, averageValue } = source;
      const zero = averageValue !== undefined && value === '0';
      const target = targetOf({ value: zero ? undefined : value, averageValue });
      return { ...defined({ describedObject }), metric: metricOf(source, 'selector'), target };
    },
    older: (source) => {
      const { name: metricName, selector } = part(source, 'metric');
      const { value, averageValue } = part(source, 'target');
      const target = source['describedObject'];
      return defined({ target, metricName, targetValue: value ?? '0', selector, averageValue });
    },
  },
  external: {
    newer: (source) => ({
      metric: metricOf(source, 'metricSelector'),
      target: targetOf({
        value: source['targetValue'],
        averageValue: source['targetAverageValue'],
      }),
    }),
    older: (source) => {
      const { name: metricName, selector: metricSelector } = part(source, 'metric');
      const { value: targetValue, averageValue: targetAverageValue } = part(source, 'target');
      return defined({ metricName, metricSelector, targetValue, targetAverageValue });
    },
  },
});

/** The older form of a resource's status always has a value: zero where only a share is known. */
const resourceStatus: Forms = {
  newer: ({ currentAverageUtilization: share, currentAverageValue: value, ...rest }) => ({
    ...rest,
    current: defined({
      averageUtilization: share,
      averageValue: share !== undefined && value === '0' ? undefined : value,
    }),
  }),
  older: (source) => {
    const { averageUtilization, averageValue } = part(source, 'current');
    const { current: _current, ...rest } = source;
    return {
      ...rest,
      ...defined({
        currentAverageUtilization: averageUtilization,
        currentAverageValue: averageValue ?? '0',
      }),
    };
  },
};

const statuses: Readonly<Record<string, Forms>> = lookup({
  resource: resourceStatus,
  containerResource: resourceStatus,
  pods: {
    newer: (source) => ({
      metric: metricOf(source, 'selector'),
      current: defined({ averageValue: source['currentAverageValue'] }),
    }),
    older: (source) => {
      const { name: metricName, selector } = part(source, 'metric');
      const { averageValue: currentAverageValue } = part(source, 'current');
      return defined({ metricName, currentAverageValue, selector });
    },
  },
  object: {
    newer: (source) => {
      const { target: describedObject, currentValue, averageValue } = source;
      const zero = averageValue !== undefined && currentValue === '0';
      const current = defined({ value: zero ? undefined : currentValue, averageValue });
      return { ...defined({ describedObject }), metric: metricOf(source, 'selector'), current };
    },
    older: (source) => {
      const { name: metricName, selector } = part(source, 'metric');
      const { value, averageValue } = part(source, 'current');
      const target = source['describedObject'];
      return defined({ target, metricName, currentValue: value ?? '0', selector, averageValue });
    },
  },
  external: {
    newer: (source) => ({
      metric: metricOf(source, 'metricSelector'),
      current: defined({
        value: source['currentValue'],
        averageValue: source['currentAverageValue'],
      }),
    }),
    older: (source) => {
      const { name: metricName, selector: metricSelector } = part(source, 'metric');
      const { value: currentValue, averageValue: currentAverageValue } = part(source, 'current');
      return defined({ metricName, metricSelector, currentValue, currentAverageValue });
    },
  },
});

function each(forms: Readonly<Record<string, Forms>>, way: keyof Forms) {
  return (value: JsonValue | undefined): JsonValue | undefined => {
    if (!isList(value) || hasTooManyValues(value)) return value;
    return value.map((metric) => {
      if (!isJsonObject(metric)) return metric;
      return Object.fromEntries(
        Object.entries(metric).map(([name, source]) => {
          const form = forms[name];
          return [name, form && isJsonObject(source) ? form[way](source) : source] as const;
        }),
      );
    });
  };
}

export const newerMetrics = each(sources, 'newer');

export const olderMetrics = each(sources, 'older');

export const newerStatuses = each(statuses, 'newer');

export const olderStatuses = each(statuses, 'older');
