/**
 * Rules of autoscalers: bounds, metrics and how fast they may scale.
 *
 * Emulated releases store older versions: what those say of metrics has other fields, and is held
 * to its schema only.
 */
import { countValues, mayHoldMore } from '../../apimachinery/codecs/body-bounds.ts';
import { forbidden, invalid, required } from '../../apimachinery/field-error.ts';
import type { FieldError } from '../../apimachinery/field-error.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import { objects, part, text } from '../../apimachinery/members.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { checkDns1123Label, checkPathSegmentName } from '../../apimachinery/validation/names.ts';
import {
  allErrors,
  among,
  compareAmounts,
  each,
  givenAmong,
  noProblems,
  nonNegative,
  numberOf,
  requiredForm,
} from '../validation/checks.ts';
import type { Problems } from '../validation/checks.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import { behaviorValuesMax } from './behavior-annotation.ts';
import { annotationBounds } from './conversion.ts';
import { metricValuesMax } from './metrics.ts';
import { resourceNameRules } from '../core/pods/validation/resource-requirements.ts';
import { lookup, ownMember } from '../../stdx/lookup.ts';

const stabilizationSecondsMax = 3600;

const periodSecondsMax = 1800;

export function autoscalerRules({ labelDomain }: Identity): KindRules {
  const bounds = annotationBounds(labelDomain);
  return {
    validateStatusUpdate: (next) => {
      const status = part(next, 'status');
      return allErrors(
        nonNegative(status, 'status', ['currentReplicas', 'desiredReplicas']),
        valuesRules(status['currentMetrics'], 'status.currentMetrics', metricValuesMax),
        annotationRules(next, bounds),
      );
    },
    validate: (object) => {
      const spec = part(object, 'spec');
      const tooMany = allErrors(
        valuesRules(spec['metrics'], 'spec.metrics', metricValuesMax),
        valuesRules(spec['behavior'], 'spec.behavior', behaviorValuesMax),
        annotationRules(object, bounds),
      );
      return tooMany.length > 0 ? tooMany : specRules(spec);
    },
  };
}

function specRules(spec: JsonObject): Problems {
  return allErrors(
    boundsRules(spec),
    referenceRules(part(spec, 'scaleTargetRef'), 'spec.scaleTargetRef'),
    metricsRules(objects(spec, 'metrics'), 'spec.metrics'),
    nothingToWakeRules(spec, 'spec.metrics'),
    behaviorRules(part(spec, 'behavior'), 'spec.behavior'),
  );
}

function boundsRules(spec: JsonObject): Problems {
  const min = numberOf(spec['minReplicas']);
  const max = numberOf(spec['maxReplicas']) ?? 0;
  const field = 'spec.maxReplicas';
  return allErrors(
    min !== undefined && min < 1
      ? [invalid('spec.minReplicas', min, 'must be greater than or equal to 1')]
      : noProblems,
    max < 1 ? [invalid(field, max, 'must be greater than 0')] : noProblems,
    min !== undefined && max < min
      ? [invalid(field, max, 'must be greater than or equal to `minReplicas`')]
      : noProblems,
  );
}

/** Before anything else is looked at: each costs as much as there is. */
function valuesRules(value: JsonValue | undefined, field: string, most: number): Problems {
  if (value === undefined || countValues(value, most) <= most) return noProblems;
  return [tooManyValues(field, most)];
}

/** Those that older versions read as fields. */
function annotationRules(
  { metadata }: ApiObject,
  bounds: readonly (readonly [string, number])[],
): Problems {
  const { annotations } = metadata;
  if (annotations === undefined) return noProblems;
  return each(bounds, ([name, most]) =>
    mayHoldMore(ownMember(annotations, name) ?? '', most)
      ? [tooManyValues(`metadata.annotations[${name}]`, most)]
      : noProblems,
  );
}

function tooManyValues(field: string, most: number): FieldError {
  return forbidden(field, `must not hold more than ${most} members and items`);
}

/** Without pods there are no figures of pods: something else must wake the target. */
function nothingToWakeRules(spec: JsonObject, field: string): Problems {
  if (numberOf(spec['minReplicas']) !== 0) return noProblems;
  const types = objects(spec, 'metrics').map((metric) => text(metric, 'type'));
  if (types.includes('Object') || types.includes('External')) return noProblems;
  const detail =
    'must specify at least one Object or External metric to support scaling to zero replicas';
  return [forbidden(field, detail)];
}

function referenceRules(reference: JsonObject, path: string): Problems {
  return each(['kind', 'name'], (name) =>
    requiredForm(`${path}.${name}`, text(reference, name), checkPathSegmentName),
  );
}

/** Each type of metric under the name of the field that describes it. */
const sources: Readonly<Record<string, string>> = lookup({
  Object: 'object',
  External: 'external',
  Pods: 'pods',
  Resource: 'resource',
  ContainerResource: 'containerResource',
});

const sourceNames = Object.values(sources);

function metricsRules(metrics: readonly JsonObject[], path: string): Problems {
  return each(metrics, (metric, at) => {
    const here = `${path}[${at}]`;
    const given = givenAmong(metric, sourceNames);
    const type = text(metric, 'type');
    const expected = sources[type];
    const [first] = given;
    return allErrors(
      among(`${here}.type`, type, Object.keys(sources).sort()),
      first === undefined
        ? noProblems
        : sourceRules(first, part(metric, first), `${here}.${first}`),
      expected === undefined || given.includes(expected)
        ? noProblems
        : [
            required(
              `${here}.${expected}`,
              'must populate information for the given metric source',
            ),
          ],
      given.length < 2
        ? noProblems
        : given
            .filter((name) => name !== expected)
            .map((name) =>
              forbidden(`${here}.${name}`, 'must populate the given metric source only'),
            ),
    );
  });
}

const targetTypes: readonly string[] = ['Utilization', 'Value', 'AverageValue'];

/** The first source that is given; others are not looked at. */
function sourceRules(name: string, source: JsonObject, path: string): Problems {
  const target = part(source, 'target');
  const at = `${path}.target`;
  const { value, averageValue, averageUtilization } = target;
  const type = text(target, 'type');
  const amounts = allErrors(
    type === '' ? [required(`${at}.type`, 'must specify a metric target type')] : noProblems,
    targetTypes.includes(type)
      ? noProblems
      : [invalid(`${at}.type`, type, `must be one of ${targetTypes.join(', ')}`)],
    positive(`${at}.value`, value),
    positive(`${at}.averageValue`, averageValue),
    (numberOf(averageUtilization) ?? 1) < 1
      ? [invalid(`${at}.averageUtilization`, averageUtilization, 'must be greater than 0')]
      : noProblems,
  );
  switch (name) {
    case 'object':
      return allErrors(
        referenceRules(part(source, 'describedObject'), `${path}.describedObject`),
        identifierRules(part(source, 'metric'), `${path}.metric`),
        amounts,
        value === undefined && averageValue === undefined
          ? [required(`${at}.averageValue`, 'must set either a target value or averageValue')]
          : noProblems,
      );
    case 'external':
      return allErrors(
        identifierRules(part(source, 'metric'), `${path}.metric`),
        amounts,
        externalRules(value, averageValue, at),
      );
    case 'pods':
      return allErrors(
        identifierRules(part(source, 'metric'), `${path}.metric`),
        amounts,
        averageValue === undefined
          ? [required(`${at}.averageValue`, 'must specify a positive target averageValue')]
          : noProblems,
      );
    default:
      return allErrors(
        resourceRules(name, source, path),
        amounts,
        resourceTargetRules(averageValue, averageUtilization, at),
      );
  }
}

function positive(field: string, value: JsonValue | undefined): Problems {
  return value !== undefined && (compareAmounts(value, '0') ?? 1) <= 0
    ? [invalid(field, value, 'must be positive')]
    : noProblems;
}

/** Its selector is for whoever serves the metric. */
function identifierRules(metric: JsonObject, path: string): Problems {
  return requiredForm(`${path}.name`, text(metric, 'name'), checkPathSegmentName);
}

function resourceRules(name: string, source: JsonObject, path: string): Problems {
  const resource = text(source, 'name');
  const field = `${path}.name`;
  if (name !== 'containerResource') return resource === '' ? [required(field)] : noProblems;
  return allErrors(
    resource === '' ? [required(field)] : resourceNameRules(resource, field, true),
    requiredForm(`${path}.container`, text(source, 'container'), checkDns1123Label),
  );
}

function externalRules(
  value: JsonValue | undefined,
  average: JsonValue | undefined,
  at: string,
): Problems {
  if (value === undefined && average === undefined) {
    const detail = 'must set either a target value for metric or a per-pod target';
    return [required(`${at}.averageValue`, detail)];
  }
  if (value === undefined || average === undefined) return noProblems;
  const detail = 'may not set both a target value for metric and a per-pod target';
  return [forbidden(`${at}.value`, detail)];
}

function resourceTargetRules(
  average: JsonValue | undefined,
  utilization: JsonValue | undefined,
  at: string,
): Problems {
  if (average === undefined && utilization === undefined) {
    const detail = 'must set either a target raw value or a target utilization';
    return [required(`${at}.averageUtilization`, detail)];
  }
  if (average === undefined || utilization === undefined) return noProblems;
  const detail = 'may not set both a target raw value and a target utilization';
  return [forbidden(`${at}.averageValue`, detail)];
}

const policyTypes: readonly string[] = ['Percent', 'Pods'];

function behaviorRules(behavior: JsonObject, path: string): Problems {
  return each(givenAmong(behavior, ['scaleUp', 'scaleDown']), (name) => {
    const rules = part(behavior, name);
    const here = `${path}.${name}`;
    const policies = objects(rules, 'policies');
    return allErrors(
      secondsRules(
        `${here}.stabilizationWindowSeconds`,
        rules['stabilizationWindowSeconds'],
        0,
        stabilizationSecondsMax,
      ),
      policies.length === 0
        ? [required(`${here}.policies`, 'must specify at least one Policy')]
        : each(policies, (policy, at) =>
            allErrors(
              among(`${here}.policies[${at}].type`, text(policy, 'type'), policyTypes),
              secondsRules(`${here}.policies[${at}].value`, policy['value'], 1, Infinity),
              secondsRules(
                `${here}.policies[${at}].periodSeconds`,
                policy['periodSeconds'],
                1,
                periodSecondsMax,
              ),
            ),
          ),
    );
  });
}

function secondsRules(
  field: string,
  value: JsonValue | undefined,
  min: 0 | 1,
  max: number,
): Problems {
  const seconds = numberOf(value);
  if (seconds === undefined) return noProblems;
  if (seconds < min) {
    const detail =
      min === 0 ? 'must be greater than or equal to zero' : 'must be greater than zero';
    return [invalid(field, value, detail)];
  }
  return seconds > max
    ? [invalid(field, value, `must be less than or equal to ${max}`)]
    : noProblems;
}
