/**
 * HorizontalPodAutoscaler: v2 is the hub (spec 2, section 9.3).
 *
 *   v2beta1   the same, with metrics in the older form; scaling rules in an annotation
 *   v1        one number (targetCPUUtilizationPercentage); the rest in annotations, in the older
 *             form, under the names that clients of the reference know
 *
 * status.currentReplicas is always written in the older versions; v2 leaves a zero out.
 *
 * Bound: an annotation is read in one piece, time and again in one write. One that may hold more
 * than its `valuesMax` is not read but stays an annotation, and no write leaves such a one.
 */
import { mayHoldMore } from '../../apimachinery/codecs/body-bounds.ts';
import { parseJsonText, stringifyJson } from '../../apimachinery/codecs/lossless.ts';
import { part } from '../../apimachinery/members.ts';
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject, withMember } from '../../apimachinery/unstructured.ts';
import {
  hasTooManyValues,
  metricValuesMax,
  newerMetrics,
  newerStatuses,
  olderMetrics,
  olderStatuses,
} from './metrics.ts';
import { behaviorOf, behaviorText, behaviorValuesMax } from './behavior-annotation.ts';
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
  if (text === undefined) return false;
  if (mayHoldMore(text, metricValuesMax)) return true;
  const metrics = parsed(text);
  return isList(metrics) && metrics.length > 0;
}

export function v2beta1Maps(labelDomain: string): FieldMaps {
  const rules = behaviorIn(namesOf(labelDomain));
  const fields = (
    object: JsonObject,
    metrics: typeof newerMetrics,
    statuses: typeof newerStatuses,
  ) => changed(changed(object, 'spec', 'metrics', metrics), 'status', 'currentMetrics', statuses);
  return {
    toHub: (object) => takeAnnotation(fields(object, newerMetrics, newerStatuses), rules),
    fromHub: (object) => putAnnotation(fields(object, olderMetrics, olderStatuses), rules),
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
  const annotated = annotatedIn(names);
  return {
    implied: (object) => withCpuTarget(object, labelDomain),
    toHub(object) {
      let out = object;
      for (const each of annotated) out = takeAnnotation(out, each);
      out = changed(out, 'spec', 'metrics', newerMetrics);
      out = changed(out, 'status', 'currentMetrics', newerStatuses);
      out = percentageToMetric(out, 'spec', 'targetCPUUtilizationPercentage', 'metrics', 'target');
      return currentPercentageToMetric(out);
    },
    fromHub(object) {
      let out = withCurrentPercentage(object);
      out = metricToPercentage(out, 'spec', 'targetCPUUtilizationPercentage', 'metrics', 'target');
      out = changed(out, 'spec', 'metrics', olderMetrics);
      out = changed(out, 'status', 'currentMetrics', olderStatuses);
      for (const each of annotated) out = putAnnotation(out, each);
      return out;
    },
  };
}

const currentPercentage = 'currentCPUUtilizationPercentage';

/** What was measured is in the annotation as a whole, with raw values: the number repeats it. */
function currentPercentageToMetric(object: JsonObject): JsonObject {
  return isList(part(object, 'status')['currentMetrics'])
    ? inside(object, ['status'], (status) => without(status, currentPercentage))
    : percentageToMetric(object, 'status', currentPercentage, 'currentMetrics', 'current');
}

function withCurrentPercentage(object: JsonObject): JsonObject {
  return inside(object, ['status'], (status) => {
    const list = status['currentMetrics'];
    if (!isList(list) || hasTooManyValues(list)) return status;
    const values = list.map((metric) => utilizationOf(metric, 'current'));
    const value = values.find((each) => each !== undefined);
    return value === undefined ? status : { ...status, [currentPercentage]: value };
  });
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

/** How a field stands in an annotation. */
interface Written {
  readonly text: (value: JsonValue) => string;
  /** Undefined: the text says nothing, and is dropped, as the reference does. */
  readonly value: (text: string) => JsonValue | undefined;
  readonly valuesMax: number;
}

const asJson: Written = { text: stringifyJson, value: parsed, valuesMax: metricValuesMax };

const asBehavior: Written = {
  text: behaviorText,
  value: behaviorOf,
  valuesMax: behaviorValuesMax,
};

/** Name of the annotation, and where the field stands. */
type Annotated = readonly [string, 'spec' | 'status', string, Written];

function annotatedIn(names: Names): readonly Annotated[] {
  return [
    [names.metrics, 'spec', 'metrics', asJson],
    [names.currentMetrics, 'status', 'currentMetrics', asJson],
    behaviorIn(names),
    [names.conditions, 'status', 'conditions', asJson],
  ];
}

function behaviorIn({ behavior }: Names): Annotated {
  return [behavior, 'spec', 'behavior', asBehavior];
}

/** Names of annotations, each with how many values its text may hold. */
export function annotationBounds(labelDomain: string): readonly (readonly [string, number])[] {
  return annotatedIn(namesOf(labelDomain)).map(([name, , , { valuesMax }]) => [name, valuesMax]);
}

function putAnnotation(object: JsonObject, [name, part, field, written]: Annotated): JsonObject {
  const holder = object[part];
  const value = isJsonObject(holder) ? holder[field] : undefined;
  if (value === undefined) return object;
  const rest = inside(object, [part], (inner) => without(inner, field));
  return withAnnotations(rest, { [name]: written.text(value) });
}

function takeAnnotation(object: JsonObject, [name, part, field, written]: Annotated): JsonObject {
  const text = annotationOf(object, name);
  if (text === undefined || mayHoldMore(text, written.valuesMax)) return object;
  const rest = withAnnotations(object, { [name]: undefined });
  const value = written.value(text);
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
