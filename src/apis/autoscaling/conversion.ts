/**
 * HorizontalPodAutoscaler: v2 is the hub (spec 2, section 9.3).
 *
 *   v2beta1   the same, with metrics in the older form; scaling rules in an annotation
 *   v1        one number (targetCPUUtilizationPercentage); the rest in annotations, in the older
 *             form, under the names that clients of the reference know
 *
 * status.currentReplicas is always written in the older versions; v2 leaves a zero out.
 */
import { parseJsonText, stringifyJson } from '../../apimachinery/codecs/lossless.ts';
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject, withMember } from '../../apimachinery/unstructured.ts';
import {
  hasTooManyValues,
  newerMetrics,
  newerStatuses,
  olderMetrics,
  olderStatuses,
} from './metrics.ts';
import type { FieldMaps } from '../conversion/conversion.ts';
import {
  annotationOf,
  defined,
  inside,
  isList,
  withAnnotations,
  without,
} from '../conversion/fields.ts';

interface Names {
  readonly metrics: string;
  readonly currentMetrics: string;
  readonly behavior: string;
  readonly conditions: string;
}

function namesOf(labelDomain: string): Names {
  const name = (what: string) => `autoscaling.alpha.${labelDomain}/${what}`;
  return {
    metrics: name('metrics'),
    currentMetrics: name('current-metrics'),
    behavior: name('behavior'),
    conditions: name('conditions'),
  };
}

/** Aimed at where nothing is said. */
export const cpuPercent = 80;

/** v1: what measures nothing measures the processor; other metrics stand in an annotation. */
export function withCpuTarget(object: JsonObject, labelDomain: string): JsonObject {
  const name = 'targetCPUUtilizationPercentage';
  const spec = isJsonObject(object['spec']) ? object['spec'] : {};
  if (spec[name] !== undefined || hasOtherMetrics(object, labelDomain)) return object;
  return withMember(object, 'spec', withMember(spec, name, cpuPercent));
}

/** A v1 object measures something that v1 has no field for. */
function hasOtherMetrics(object: JsonObject, labelDomain: string): boolean {
  const text = annotationOf(object, namesOf(labelDomain).metrics);
  const metrics = text === undefined ? undefined : parsed(text);
  return isList(metrics) && metrics.length > 0;
}

export function v2beta1Maps(labelDomain: string): FieldMaps {
  const names = namesOf(labelDomain);
  const fields = (
    object: JsonObject,
    metrics: typeof newerMetrics,
    statuses: typeof newerStatuses,
  ) => changed(changed(object, 'spec', 'metrics', metrics), 'status', 'currentMetrics', statuses);
  return {
    toHub: (object) =>
      takeAnnotation(
        fields(object, newerMetrics, newerStatuses),
        names.behavior,
        'spec',
        'behavior',
      ),
    fromHub: (object) =>
      putAnnotation(
        fields(object, olderMetrics, olderStatuses),
        names.behavior,
        'spec',
        'behavior',
      ),
  };
}

const replicasField = 'currentReplicas';

/** `maps`, with the count of replicas as either side writes it. */
export function withReplicaCount(maps: FieldMaps): FieldMaps {
  return {
    ...maps,
    toHub: (object) =>
      inside(maps.toHub(object), ['status'], (status) =>
        status[replicasField] === 0 ? without(status, replicasField) : status,
      ),
    fromHub: (object) =>
      inside(maps.fromHub(object), ['status'], (status) =>
        status[replicasField] === undefined ? { ...status, [replicasField]: 0 } : status,
      ),
  };
}

function changed(
  object: JsonObject,
  part: string,
  field: string,
  change: (value: JsonValue | undefined) => JsonValue | undefined,
): JsonObject {
  return inside(object, [part], (inner) =>
    inner[field] === undefined ? inner : { ...inner, [field]: change(inner[field]) },
  );
}

export function v1Maps(labelDomain: string): FieldMaps {
  const names = namesOf(labelDomain);
  const annotated = [
    [names.metrics, 'spec', 'metrics'],
    [names.currentMetrics, 'status', 'currentMetrics'],
    [names.behavior, 'spec', 'behavior'],
    [names.conditions, 'status', 'conditions'],
  ] as const;
  return {
    implied: (object) => withCpuTarget(object, labelDomain),
    toHub(object) {
      let out = object;
      for (const [name, part, field] of annotated) out = takeAnnotation(out, name, part, field);
      out = changed(out, 'spec', 'metrics', newerMetrics);
      out = changed(out, 'status', 'currentMetrics', newerStatuses);
      out = percentageToMetric(out, 'spec', 'targetCPUUtilizationPercentage', 'metrics', 'target');
      const current = 'currentCPUUtilizationPercentage';
      return percentageToMetric(out, 'status', current, 'currentMetrics', 'current');
    },
    fromHub(object) {
      const current = 'currentCPUUtilizationPercentage';
      let out = metricToPercentage(object, 'status', current, 'currentMetrics', 'current');
      out = metricToPercentage(out, 'spec', 'targetCPUUtilizationPercentage', 'metrics', 'target');
      out = changed(out, 'spec', 'metrics', olderMetrics);
      out = changed(out, 'status', 'currentMetrics', olderStatuses);
      for (const [name, part, field] of annotated) out = putAnnotation(out, name, part, field);
      return out;
    },
  };
}

/** The number becomes the last metric of the list. */
function percentageToMetric(
  object: JsonObject,
  part: string,
  field: string,
  listName: string,
  valueName: 'target' | 'current',
): JsonObject {
  return inside(object, [part], (inner) => {
    const { [field]: percentage, ...rest } = inner;
    if (typeof percentage !== 'number') return inner;
    const type = valueName === 'target' ? { type: 'Utilization' } : {};
    const value = { ...type, averageUtilization: percentage };
    const metric = { type: 'Resource', resource: { name: 'cpu', [valueName]: value } };
    const list = isList(rest[listName]) ? rest[listName] : [];
    return { ...rest, [listName]: [...list, metric] };
  });
}

/** The first metric that the number can say leaves the list. */
function metricToPercentage(
  object: JsonObject,
  part: string,
  field: string,
  listName: string,
  valueName: 'target' | 'current',
): JsonObject {
  return inside(object, [part], (inner) => {
    const list = inner[listName];
    if (!isList(list) || hasTooManyValues(list)) return inner;
    const at = list.findIndex((metric) => utilizationOf(metric, valueName) !== undefined);
    if (at === -1) return inner;
    const left = list.filter((_metric, index) => index !== at);
    const rest = left.length === 0 ? without(inner, listName) : { ...inner, [listName]: left };
    return { ...rest, [field]: utilizationOf(list[at], valueName) };
  });
}

function utilizationOf(
  metric: JsonValue | undefined,
  valueName: 'target' | 'current',
): number | undefined {
  if (!isJsonObject(metric) || metric['type'] !== 'Resource') return undefined;
  const resource = metric['resource'];
  if (!isJsonObject(resource) || resource['name'] !== 'cpu') return undefined;
  const value = resource[valueName];
  const percentage = isJsonObject(value) ? value['averageUtilization'] : undefined;
  return typeof percentage === 'number' ? percentage : undefined;
}

/** Moves a field into an annotation, as JSON. */
function putAnnotation(object: JsonObject, name: string, part: string, field: string): JsonObject {
  const holder = object[part];
  const value = isJsonObject(holder) ? holder[field] : undefined;
  if (value === undefined) return object;
  const rest = inside(object, [part], (inner) => without(inner, field));
  return withAnnotations(rest, { [name]: stringifyJson(value) });
}

/** And back. A text that is not JSON is dropped, as the reference does. */
function takeAnnotation(object: JsonObject, name: string, part: string, field: string): JsonObject {
  const text = annotationOf(object, name);
  if (text === undefined) return object;
  const rest = withAnnotations(object, { [name]: undefined });
  const value = parsed(text);
  if (value === undefined) return rest;
  const holder = isJsonObject(rest[part]) ? rest[part] : {};
  return { ...rest, [part]: defined({ ...holder, [field]: value }) };
}

function parsed(text: string): JsonValue | undefined {
  try {
    const value = parseJsonText(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
