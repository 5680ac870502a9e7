/**
 * Answers the questions of decisions: whether admission plugins and authorizers allow a write.
 *
 * The object's actor chooses the moment.
 */
import type { AdmissionOperation } from '../apimachinery/admission-data.ts';
import type { Scheme } from '../apimachinery/scheme.ts';
import { newGenericNotFound, StatusError } from '../apimachinery/status-error.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import type { Answer, AnswerPort } from '../../actors/actors.ts';
import { assert } from '../stdx/assert.ts';
import { convertMissing } from './conversions.ts';
import type { StrategyOf } from './strategy.ts';
import { kindOf } from './write-command.ts';
import type { WriteInput } from './write-command.ts';
import { operations } from './write-guard.ts';
import type { GuardOf, WriteAdmission } from './write-guard.ts';
import { termsOfDeletion } from './write-terms.ts';
import type { Awaitable } from '../stdx/awaitable.ts';

const allowed: Answer = { kind: 'allowed' };

export function createAnswers(
  scheme: Scheme,
  guardOf: GuardOf,
  strategyOf: StrategyOf,
): AnswerPort {
  return ({ name, namespace }, command, question, requester) => {
    const { apiVersion, current, kind: asked, next, revision } = question;
    // Every change command is one of this registry's.
    const input = command.input as WriteInput;
    const kind = kindOf(scheme, input);
    // Its definition has gone since the request came.
    if (kind === undefined) return { kind: 'refused', error: newGenericNotFound() };
    if (asked === 'convert') {
      assert(next !== undefined && apiVersion !== undefined, 'what is converted is there');
      return convertMissing(kind, next, apiVersion, requester);
    }
    const { terms, user } = input;
    assert(user !== undefined && terms !== undefined, 'a guarded write has a user');
    const subresource = input.subresource === '' ? undefined : input.subresource;
    const write = { kind, namespace, name, subresource };
    const guard = guardOf(user, write, operationsOf(next, current));
    if (guard === undefined) return allowed;
    const isDeletion = next === undefined && current !== undefined;
    const admission = guard.admit(
      isDeletion ? termsOfDeletion(terms, current, strategyOf(kind)) : terms,
      requester,
    );
    const resourceVersion = revision?.toString();
    if (asked === 'validate') {
      return answer(admission, admission.validate(next, current, resourceVersion));
    }
    assert(next !== undefined, 'what is mutated is there');
    return answer(admission, admission.mutate(next, current, resourceVersion));
  };
}

function operationsOf(
  next: ApiObject | undefined,
  current: ApiObject | undefined,
): readonly AdmissionOperation[] {
  if (next === undefined) return operations.delete;
  return current === undefined ? operations.create : operations.update;
}

function answer(
  admission: WriteAdmission,
  found: Awaitable<ApiObject | StatusError | undefined>,
): Awaitable<Answer> {
  return found instanceof Promise
    ? found.then((later) => answerFrom(admission, later))
    : answerFrom(admission, found);
}

function answerFrom(admission: WriteAdmission, found: ApiObject | StatusError | undefined): Answer {
  const notes = admission.notes();
  if (found === undefined) return notes === undefined ? allowed : { kind: 'allowed', notes };
  if (found instanceof StatusError) return { kind: 'refused', error: found, notes };
  return { kind: 'object', object: found, notes };
}
