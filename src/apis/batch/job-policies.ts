/**
 * Rules of the pod failure policy and the success policy of a job.
 *
 * Bounds: lists that are too long are reported, and validated all the same.
 */
import { duplicate, invalid, required, tooLong } from '../../apimachinery/field-error.ts';
import { items, objects, part, text } from '../../apimachinery/members.ts';
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { checkQualifiedName } from '../../apimachinery/validation/names.ts';
import { countIndexes } from './job-indexes.ts';
import type { Problems } from '../validation/checks.ts';
import {
  allErrors,
  among,
  each,
  givenForm,
  itemsAtMost,
  noProblems,
  nonNegative,
  numberOf,
  repetitions,
} from '../validation/checks.ts';

const failureRulesMax = 20;

const exitCodesMax = 255;

const conditionPatternsMax = 20;

const successRulesMax = 20;

const succeededIndexesBytesMax = 64 * 1024;

export function failurePolicyRules(spec: JsonObject, path: string): Problems {
  const rules = objects(part(spec, 'podFailurePolicy'), 'rules');
  const pod = part(part(spec, 'template'), 'spec');
  const containers = new Set(
    ['containers', 'initContainers'].flatMap((name) =>
      objects(pod, name).map((container) => text(container, 'name')),
    ),
  );
  return allErrors(
    itemsAtMost(rules, `${path}.rules`, failureRulesMax),
    each(rules, (rule, at) => failureRule(rule, `${path}.rules[${at}]`, spec, containers)),
  );
}

function failureRule(
  rule: JsonObject,
  path: string,
  spec: JsonObject,
  containers: ReadonlySet<string>,
): Problems {
  const codes = rule['onExitCodes'] !== undefined;
  const patterns = objects(rule, 'onPodConditions');
  const perIndex = text(rule, 'action') === 'FailIndex' && !('backoffLimitPerIndex' in spec);
  return allErrors(
    perIndex
      ? [invalid(`${path}.action`, 'FailIndex', 'requires the backoffLimitPerIndex to be set')]
      : noProblems,
    codes
      ? exitCodeRules(part(rule, 'onExitCodes'), `${path}.onExitCodes`, containers)
      : noProblems,
    itemsAtMost(patterns, `${path}.onPodConditions`, conditionPatternsMax),
    each(patterns, (pattern, at) => {
      const type = text(pattern, 'type');
      return givenForm(`${path}.onPodConditions[${at}].type`, type, checkQualifiedName);
    }),
    codes === patterns.length > 0
      ? [
          invalid(
            path,
            undefined,
            codes
              ? 'specifying both OnExitCodes and OnPodConditions is not supported'
              : 'specifying one of OnExitCodes and OnPodConditions is required',
          ),
        ]
      : noProblems,
  );
}

function exitCodeRules(
  requirement: JsonObject,
  path: string,
  containers: ReadonlySet<string>,
): Problems {
  const values = items(requirement, 'values').map(numberOf);
  const isRepeated = repetitions<number>();
  const isIn = text(requirement, 'operator') === 'In';
  const name = requirement['containerName'];
  const unordered = values.some((value, at) => at > 0 && (values[at - 1] ?? 0) > (value ?? 0));
  const unknown = 'must be one of the container or initContainer names in the pod template';
  return allErrors(
    typeof name === 'string' && !containers.has(name)
      ? [invalid(`${path}.containerName`, name, unknown)]
      : noProblems,
    values.length === 0
      ? [invalid(`${path}.values`, [], 'at least one value is required')]
      : itemsAtMost(values, `${path}.values`, exitCodesMax),
    each(values, (value = 0, at) => {
      const field = `${path}.values[${at}]`;
      return allErrors(
        isIn && value === 0
          ? [invalid(field, value, 'must not be 0 for the In operator')]
          : noProblems,
        isRepeated(value) ? [duplicate(field, value)] : noProblems,
      );
    }),
    unordered ? [invalid(`${path}.values`, requirement['values'], 'must be ordered')] : noProblems,
  );
}

export function successPolicyRules(spec: JsonObject, path: string): Problems {
  if (text(spec, 'completionMode') !== 'Indexed') {
    return [invalid(path, spec['successPolicy'], 'requires indexed completion mode')];
  }
  const rules = objects(part(spec, 'successPolicy'), 'rules');
  const completions = numberOf(spec['completions']) ?? 0;
  return allErrors(
    itemsAtMost(rules, `${path}.rules`, successRulesMax),
    each(rules, (rule, at) => successRule(rule, `${path}.rules[${at}]`, completions)),
  );
}

function successRule(rule: JsonObject, path: string, completions: number): Problems {
  const count = numberOf(rule['succeededCount']);
  const indexes = rule['succeededIndexes'];
  if (count === undefined && indexes === undefined) {
    const detail = 'at least one of succeededCount or succeededIndexes must be specified';
    return [required(path, detail)];
  }
  const counted = typeof indexes === 'string' ? countIndexes(indexes, completions) : undefined;
  const field = `${path}.succeededIndexes`;
  return allErrors(
    typeof indexes === 'string' && indexes.length > succeededIndexesBytesMax
      ? [tooLong(field, succeededIndexesBytesMax)]
      : noProblems,
    counted?.problem === undefined
      ? noProblems
      : [invalid(field, indexes, `error parsing succeededIndexes: ${counted.problem}`)],
    count === undefined
      ? noProblems
      : countRules(rule, `${path}.succeededCount`, completions, counted?.count),
  );
}

function countRules(
  rule: JsonObject,
  field: string,
  completions: number,
  indexes: number | undefined,
): Problems {
  const value: JsonValue | undefined = rule['succeededCount'];
  const count = numberOf(value) ?? 0;
  const most = (number: number, what: string): Problems =>
    count > number
      ? [invalid(field, value, `must be less than or equal to ${number} (the number of ${what})`)]
      : noProblems;
  return allErrors(
    nonNegative(rule, field.slice(0, field.lastIndexOf('.')), ['succeededCount']),
    most(completions, 'specified completions'),
    indexes === undefined
      ? noProblems
      : most(indexes, 'indexes in the specified succeededIndexes field'),
  );
}

export function replacementPolicyRules(spec: JsonObject, field: string): Problems {
  const policy = text(spec, 'podReplacementPolicy');
  // Pods that fail are counted before they are replaced.
  if (spec['podReplacementPolicy'] === undefined) return noProblems;
  const failing = spec['podFailurePolicy'] !== undefined;
  return among(field, policy, failing ? ['Failed'] : ['Failed', 'TerminatingOrFailed']);
}
