/**
 * Answers what decisions of the registry ask: whether those who have a say in a write allow it.
 *
 * What it is not: those who answer (authorization, admission), or when they are asked, which is the
 * business of the object's actor.
 */
import type { Scheme } from '../apimachinery/scheme.ts';
import { newGenericNotFound, StatusError } from '../apimachinery/status-error.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import type { Answer, AnswerPort } from '../../actors/actors.ts';
import { assert } from '../stdx/assert.ts';
import { convertMissing } from './conversions.ts';
import { kindOf } from './write-command.ts';
import type { WriteInput } from './write-command.ts';
import type { Awaitable, GuardOf } from './write-guard.ts';

const isConverted: Answer = { kind: 'converted' };
const allowed: Answer = { kind: 'allowed' };

export function createAnswers(scheme: Scheme, guardOf: GuardOf): AnswerPort {
  return ({ name, namespace }, command, { apiVersion, current, kind: asked, next }) => {
    // Every change command is one of this registry's.
    const input = command.input as WriteInput;
    const kind = kindOf(scheme, input);
    const { user } = input;
    // Its definition has gone since the request came.
    if (kind === undefined) return { kind: 'refused', error: newGenericNotFound() };
    if (asked === 'convert') {
      assert(next !== undefined && apiVersion !== undefined, 'what is converted is there');
      return convertMissing(kind, next, apiVersion).then((error) =>
        error === undefined ? isConverted : { kind: 'refused', error },
      );
    }
    assert(user !== undefined, 'a guarded write has a user');
    const subresource = input.subresource === '' ? undefined : input.subresource;
    const guard = guardOf(user, { kind, namespace, name, subresource });
    if (guard === undefined) return allowed;
    if (asked === 'validate') return answer(guard.validate(next, current));
    assert(next !== undefined, 'what is mutated is there');
    return answer(guard.mutate(next, current));
  };
}

function answer(found: Awaitable<ApiObject | StatusError | undefined>): Awaitable<Answer> {
  return found instanceof Promise ? found.then(answerOf) : answerOf(found);
}

function answerOf(found: ApiObject | StatusError | undefined): Answer {
  if (found === undefined) return allowed;
  if (found instanceof StatusError) return { kind: 'refused', error: found };
  return { kind: 'object', object: found };
}
