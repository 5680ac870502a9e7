/** Rules of conditions that many kinds write in the same form, each type once. */
import { duplicate, invalid, required, tooLong } from '../../apimachinery/field-error.ts';
import { objects, text } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { checkQualifiedName } from '../../apimachinery/validation/names.ts';
import {
  allErrors,
  among,
  each,
  form,
  givenForm,
  noProblems,
  numberOf,
  repetitions,
} from './checks.ts';
import type { Problems } from './checks.ts';

const reasonBytesMax = 1024;

const messageBytesMax = 32_768;

const reasonForm = /^[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;

const statuses: readonly string[] = ['False', 'True', 'Unknown'];

/** Of `status.conditions`, or of those of a part of the status. */
export function conditionsRules(status: JsonObject, path: string): Problems {
  return uniqueConditions(status, path, conditionRules);
}

/** The type of each is there once; `rules` say what else it must obey. */
export function uniqueConditions(
  status: JsonObject,
  path: string,
  rules: (condition: JsonObject, path: string) => Problems,
): Problems {
  const isRepeated = repetitions<string>();
  return each(objects(status, 'conditions'), (condition, at) => {
    const here = `${path}.conditions[${at}]`;
    const type = text(condition, 'type');
    const repeated = isRepeated(type) ? [duplicate(`${here}.type`, type)] : noProblems;
    return allErrors(repeated, rules(condition, here));
  });
}

function conditionRules(condition: JsonObject, path: string): Problems {
  const type = text(condition, 'type');
  const status = text(condition, 'status');
  const generation = numberOf(condition['observedGeneration']) ?? 0;
  return allErrors(
    givenForm(`${path}.type`, type, checkQualifiedName),
    among(`${path}.status`, status, statuses),
    generation < 0
      ? [invalid(`${path}.observedGeneration`, generation, 'must not be less than zero')]
      : noProblems,
    text(condition, 'lastTransitionTime') === ''
      ? [required(`${path}.lastTransitionTime`)]
      : noProblems,
    reasonRules(text(condition, 'reason'), `${path}.reason`),
    Buffer.byteLength(text(condition, 'message')) > messageBytesMax
      ? [tooLong(`${path}.message`, messageBytesMax)]
      : noProblems,
  );
}

function reasonRules(reason: string, field: string): Problems {
  if (reason === '') return [required(field)];
  return allErrors(
    form(field, reason, checkReason),
    Buffer.byteLength(reason) > reasonBytesMax ? [tooLong(field, reasonBytesMax)] : noProblems,
  );
}

function checkReason(reason: string): readonly string[] {
  if (reasonForm.test(reason)) return [];
  return ["a reason begins with a letter, and goes on with letters, digits, '_', ',' or ':'"];
}
