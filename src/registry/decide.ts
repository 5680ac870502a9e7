/**
 * What a command makes of an object: for each verb a pure function of the command, the object as it
 * is, and what was answered to its questions.
 *
 *   nothing is there ──▶ creation by update or apply ──▶ ask `mutate` ──▶ the kind's rules ──┐
 *   an object        ──▶ update, patch, apply, scale ...                                     ├▶
 *                    ──▶ delete                                                              ┘
 *
 * What it is not: the actor, which asks, waits, and decides again; or the verbs, which stand in
 * files of their own.
 *
 * Invariants: nothing here draws a time, a random number or an answer: all of it is in the command
 * and in `answers`. So the same arguments give the same proposal, anywhere and at any time.
 */
import type { Identity } from '../apimachinery/identity.ts';
import type { Scheme } from '../apimachinery/scheme.ts';
import { ConversionMissing } from '../apimachinery/object-version.ts';
import { newGenericNotFound } from '../apimachinery/status-error.ts';
import type { ApiObject, ObjectMeta } from '../apimachinery/unstructured.ts';
import type { Answer, CurrentObject, Decide, Proposal } from '../../actors/actors.ts';
import { assert, AssertionError, unreachable } from '../stdx/assert.ts';
import { creationByApply, decideApply, decideScaleApply } from './apply.ts';
import { decideOverwrite } from './change-object.ts';
import { bornObject, prepareBorn, trackedCreation } from './create.ts';
import { decideDelete } from './delete.ts';
import { withOwners } from './field-ownership.ts';
import { decidePatch, decideScalePatch } from './patch.ts';
import type { ObjectTarget } from './registry.ts';
import { decideScaleUpdate } from './scale.ts';
import type { StrategyOf } from './strategy.ts';
import { completesDeletion, creationByUpdate, decideUpdate } from './update.ts';
import type { Production } from './production.ts';
import { kindOf } from './write-command.ts';
import type { DecideOperation, DecisionScope, WriteInput } from './write-command.ts';

export interface DecidePorts {
  readonly scheme: Scheme;
  readonly identity: Identity;
  readonly strategyOf: StrategyOf;
  /** By the name of the operation. */
  readonly operations: ReadonlyMap<string, DecideOperation>;
}

export function createDecide({ identity, operations, scheme, strategyOf }: DecidePorts): Decide {
  return ({ name, namespace }, command, current, answers) => {
    // Every change command is one of this registry's.
    const input = command.input as WriteInput;
    const kind = kindOf(scheme, input);
    // Its definition has gone since the request came.
    if (kind === undefined) return { kind: 'refused', error: newGenericNotFound() };
    const target = { kind, namespace, name };
    const mayAsk = !answers.some((answer) => answer.kind === 'judged');
    const given = answers.filter((answer) => answer.kind !== 'converted');
    const { nowMs } = command;
    const scope = { scheme, identity, strategyOf, nowMs, uid: input.uid, mayAsk };
    try {
      return current === undefined
        ? proposeCreation(scope, target, input, given)
        : proposeChange(scope, operations, target, input, current);
    } catch (error) {
      if (!(error instanceof ConversionMissing)) throw error;
      const { apiVersion, object } = error;
      const question = { kind: 'convert', next: object, current: undefined, apiVersion } as const;
      return { kind: 'ask', question };
    }
  };
}

function proposeChange(
  scope: DecisionScope,
  operations: DecidePorts['operations'],
  target: ObjectTarget,
  input: WriteInput,
  current: CurrentObject,
): Proposal {
  const { guarded: validate } = input;
  if (input.body.verb === 'delete') {
    const plan = decideDelete(scope, target, input.body.options, current);
    switch (plan.kind) {
      case 'refused':
        return plan;
      case 'remove':
        return { kind: 'remove', object: plan.object, validate };
      case 'mark':
        return { kind: 'mark', object: plan.object, warnings: noWarnings, validate };
      default:
        return unreachable(plan);
    }
  }
  const production = produce(scope, operations, target, input, current);
  if (production.kind === 'refused') return production;
  if (production.kind === 'judge') return judgement(production.next, current.object);
  const { object } = production;
  const strategy = scope.strategyOf(target.kind);
  const told = input.user && strategy.warnings?.(object, current.object, input.subresource);
  const warnings = told === undefined ? production.warnings : [...production.warnings, ...told];
  const completes = completesDeletion(object, strategy);
  return { kind: 'replace', object, completesDeletion: completes, warnings, validate };
}

function judgement(next: ApiObject, current: ApiObject | undefined): Proposal {
  return { kind: 'ask', question: { kind: 'judge', next, current } };
}

const noWarnings: readonly string[] = [];

function produce(
  scope: DecisionScope,
  operations: DecidePorts['operations'],
  target: ObjectTarget,
  input: WriteInput,
  current: CurrentObject,
): Production {
  const { body } = input;
  switch (body.verb) {
    case 'update':
      return decideUpdate(scope, target, body.object, input, current);
    case 'update-scale':
      return decideScaleUpdate(scope, target, body.object, input, current);
    case 'patch':
      return decidePatch(scope, target, body, input, current);
    case 'patch-scale':
      return decideScalePatch(scope, target, body, input, current);
    case 'apply':
      return decideApply(scope, target, body, input, current);
    case 'apply-scale':
      return decideScaleApply(scope, target, body, input, current);
    case 'operation': {
      const decide = operations.get(body.operation);
      assert(decide !== undefined, `a kind decides ${body.operation}`);
      return decide(scope, target, body, input, current);
    }
    case 'overwrite':
    case 'overwrite-unowned':
      return decideOverwrite(scope, target, body.object, input, current);
    case 'delete':
      throw new AssertionError('a deletion makes no object');
    default:
      return unreachable(body);
  }
}

interface Creation {
  /** At the version of the request. */
  readonly submitted: ApiObject;
  /** Who owns its fields, where an intent says so; undefined: whoever writes it. */
  readonly owners: ObjectMeta | undefined;
}

function proposeCreation(
  scope: DecisionScope,
  target: ObjectTarget,
  input: WriteInput,
  answers: readonly Answer[],
): Proposal {
  const creation = creationOf(scope, target, input);
  if (creation.kind !== 'ok') return creation;
  const { owners, submitted } = creation.value;
  const born = bornObject(scope, target, submitted, target.name);
  const { guarded: validate, manager, user } = input;
  const [answer] = answers;
  if (validate && answer === undefined) {
    return { kind: 'ask', question: { kind: 'mutate', next: born.object, current: undefined } };
  }
  if (answer?.kind === 'refused') return answer;
  const mutated = answer?.kind === 'object' ? answer.object : born.object;
  const { judging } = scope.strategyOf(target.kind);
  if (scope.mayAsk && judging?.isJudged(mutated, undefined) === false) {
    return judgement(mutated, undefined);
  }
  const prepared = prepareBorn(scope, target, target.name, born, mutated, user);
  if (prepared.kind === 'refused') return prepared;
  const object =
    owners === undefined
      ? trackedCreation(scope, target, prepared.value, manager)
      : withOwners(prepared.value.object, owners);
  return { kind: 'create', object, warnings: prepared.value.warnings, validate };
}

type FoundCreation =
  | { readonly kind: 'ok'; readonly value: Creation }
  | Extract<Proposal, { kind: 'refused' | 'not-found' }>;

const notFound = { kind: 'not-found' } as const;

function creationOf(scope: DecisionScope, target: ObjectTarget, input: WriteInput): FoundCreation {
  const { body } = input;
  if (body.verb === 'apply') return creationByApply(scope, target, body, input) ?? notFound;
  if (body.verb !== 'update') return notFound;
  const found = creationByUpdate(target, body.object, input);
  if (found === undefined) return notFound;
  if (found.kind === 'refused') return found;
  return { kind: 'ok', value: { submitted: found.value, owners: undefined } };
}
