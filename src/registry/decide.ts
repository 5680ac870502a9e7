/**
 * What a command does to an object: for each verb a pure function of the command, the current
 * object, and the answers to its questions.
 *
 *   nothing is there ─▶ created by update, apply ─▶ ask `mutate` ─▶ the kind's rules ─┐ ask
 *   an object        ─▶ update, patch, apply ... ─▶ ask `mutate` ─▶ the kind's rules ─┼▶ `validate`
 *                    ─▶ delete                                                        ┘
 *
 * The actor asks, waits, and decides again. Each verb has a file of its own.
 *
 * Invariants: nothing here draws a time, a random number or an answer: all of it is in the command
 * and in `answers`. So the same arguments give the same proposal, anywhere and at any time.
 * Decisions about large objects or with large bodies yield between their stages, and so does
 * validation that takes long.
 */
import type { Identity } from '../apimachinery/identity.ts';
import { isLargeValue } from '../apimachinery/large-value.ts';
import { encodeLargeSteps } from '../apimachinery/object-encoding.ts';
import { formatGroupVersion } from '../apimachinery/schema.ts';
import type { KindInfo, Scheme } from '../apimachinery/scheme.ts';
import { ConversionMissing } from '../apimachinery/object-version.ts';
import {
  nameMismatch,
  newGenericNotFound,
  newOtherNamespace,
} from '../apimachinery/status-error.ts';
import type { ApiObject, ObjectMeta } from '../apimachinery/unstructured.ts';
import type { Answer, CurrentObject, Decide, Proposal } from '../../actors/actors.ts';
import { assert, AssertionError, unreachable } from '../stdx/assert.ts';
import { deepEqual } from '../stdx/deep-equal.ts';
import { finished } from '../stdx/stepwise.ts';
import type { Steps } from '../stdx/stepwise.ts';
import { creationByApply, decideApply, decideScaleApply } from './apply.ts';
import { decideOverwrite } from './change-object.ts';
import {
  afterMutation,
  isInOtherNamespace,
  newObject,
  ownedObject,
  preparationSteps,
} from './create.ts';
import { decideDelete } from './delete.ts';
import { withOwners, withoutIdleTimes } from './field-ownership.ts';
import { decidePatch, decideScalePatch } from './patch.ts';
import type { ObjectTarget } from './registry.ts';
import { decideScaleUpdate } from './scale.ts';
import type { StrategyOf } from './strategy.ts';
import {
  completesDeletion,
  creationByUpdate,
  decideUpdate,
  mutatedUpdate,
  preparing,
  preparingUpdate,
  updateRefusal,
  writerOf,
} from './update.ts';
import { produced } from './production.ts';
import type { Production } from './production.ts';
import { ok, refused } from './registry.ts';
import { decidedVersionOf, storedForm } from './versions.ts';
import { kindOf } from './write-command.ts';
import type { DecideOperation, DecisionScope, WriteInput } from './write-command.ts';

export interface DecidePorts {
  readonly scheme: Scheme;
  readonly identity: Identity;
  readonly strategyOf: StrategyOf;
  /** Decisions of kinds, by the name of the operation. */
  readonly operations: ReadonlyMap<string, DecideOperation>;
}

/** A larger object, in bytes of its stored form, is decided on in stages. */
const atOnceBytesMax = 64 * 1024;

/** The same where versions have other fields: it is made anew for each in which somebody wrote. */
const convertedAtOnceBytesMax = 8 * 1024;

export function createDecide({ identity, operations, scheme, strategyOf }: DecidePorts): Decide {
  return ({ name, namespace }, command, current, answers) => {
    // Every change command is one of this registry's.
    const input = command.input as WriteInput;
    const kind = kindOf(scheme, input);
    // Its definition has gone since the request came.
    if (kind === undefined) return { kind: 'refused', error: newGenericNotFound() };
    const target = { kind, namespace, name };
    const { nowMs } = command;
    const { uid } = input;
    const given = answers.filter(isVerdict);
    const inTurns =
      input.inTurns ||
      (current?.encodedBytes ?? 0) > atOnceBytesMaxOf(kind) ||
      isConverted(kind, current) ||
      given.some(isLargeAnswer);
    const scope = { scheme, identity, strategyOf, nowMs, uid, inTurns };
    const proposing =
      current === undefined
        ? proposeCreation(scope, target, input, given)
        : proposeChange(scope, operations, target, input, current, given);
    const asking = kind.custom?.webhook === undefined ? proposing : askingForVersions(proposing);
    const mayBeLong = inTurns || strategyOf(kind).prepareValidation !== undefined;
    return mayBeLong ? asking : finished(asking);
  };
}

/** Answers of the guards of a write. */
type Verdict = Exclude<Answer, { readonly kind: 'converted' }>;

function isVerdict(answer: Answer): answer is Verdict {
  return answer.kind !== 'converted';
}

function atOnceBytesMaxOf({ conversions }: KindInfo): number {
  for (const conversion of conversions?.values() ?? []) {
    if (conversion !== undefined) return convertedAtOnceBytesMax;
  }
  return atOnceBytesMax;
}

/** What a webhook makes of a small object may be a large one. */
function isConverted({ custom, group, version }: KindInfo, current?: CurrentObject): boolean {
  if (custom?.webhook === undefined || current === undefined) return false;
  return current.object.apiVersion !== formatGroupVersion({ group, version });
}

/** A small body may have become a large object. */
function isLargeAnswer(answer: Verdict): boolean {
  return answer.kind === 'object' && isLargeValue(answer.object);
}

/** Of a kind whose versions a webhook converts: what is missing is asked for. */
function* askingForVersions(proposing: Steps<Proposal>): Steps<Proposal> {
  try {
    return yield* proposing;
  } catch (error) {
    if (!(error instanceof ConversionMissing)) throw error;
    const { apiVersion, object } = error;
    return {
      kind: 'ask',
      question: { kind: 'convert', next: object, current: undefined, apiVersion },
    };
  }
}

function* proposeChange(
  scope: DecisionScope,
  operations: DecidePorts['operations'],
  target: ObjectTarget,
  input: WriteInput,
  stored: CurrentObject,
  answers: readonly Verdict[],
): Steps<Proposal> {
  const { validate } = input.asks;
  // The object has just been read, perhaps.
  if (scope.inTurns) yield;
  if (input.body.verb === 'delete') {
    const deletion = decideDelete(scope, target, input.body.options, stored);
    const left = deletion.kind === 'refused' ? undefined : deletion.object;
    if (scope.inTurns && left !== undefined) yield* encodeLargeSteps(left);
    return proposedDeletion(deletion, validate);
  }
  const current = asDecided(stored, target);
  const written = yield* produce(scope, operations, target, input, current);
  if (written.kind === 'refused') return written;
  if (scope.inTurns) yield;
  const production = mutated(scope, target, input, written, current, answers);
  if (production.kind !== 'object') return production;
  const object = withoutIdleTimes(production.object, current.object);
  if (!isOverwrite(input) && object !== current.object) {
    yield* preparingUpdate(scope, target.kind, input.subresource, object, current.object);
    if (scope.inTurns) yield;
    const refusal = updateRefusal(scope, target, object, writerOf(input), current);
    if (refusal !== undefined) {
      const said = scope.strategyOf(target.kind).validationWarnings?.(object) ?? noWarnings;
      return refused(refusal.warned([...production.warnings, ...said]));
    }
    if (scope.inTurns) yield;
  }
  const strategy = scope.strategyOf(target.kind);
  const added = input.user && strategy.warnings?.(object, current.object, input.subresource);
  const warnings = added === undefined ? production.warnings : [...production.warnings, ...added];
  const completes = completesDeletion(object, strategy);
  // An object that another version shows is stored as that version shows it.
  const next = object === stored.object ? object : storedForm(object, target.kind);
  // Of a large object this takes as long as writing it, which comes next.
  const isSame = scope.inTurns ? deepEqual(next, stored.stored ?? stored.object) : undefined;
  if (scope.inTurns) yield;
  if (isSame === false) yield* encodeLargeSteps(next);
  return {
    kind: 'replace',
    object: next,
    isSame,
    admissionObject: object,
    completesDeletion: completes,
    warnings,
    validate,
  };
}

function proposedDeletion(plan: ReturnType<typeof decideDelete>, validate: boolean): Proposal {
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

/** The object as it is, in the version that is decided in. */
function asDecided(stored: CurrentObject, { kind }: ObjectTarget): CurrentObject {
  const object = decidedVersionOf(stored.object, kind);
  return object === stored.object ? stored : { ...stored, object };
}

const noWarnings: readonly string[] = [];

/** What those who may mutate it make of what was said, or the question: the rules of the kind come
 * behind them. What operations and overwriting do to an object is the server's own. */
function mutated(
  scope: DecisionScope,
  target: ObjectTarget,
  input: WriteInput,
  written: Extract<Production, { kind: 'object' }>,
  current: CurrentObject,
  [answer]: readonly Verdict[],
): Production | Extract<Proposal, { kind: 'ask' }> {
  if (!input.asks.mutateChange || input.verb === 'operation' || isOverwrite(input)) return written;
  const { object, said, warnings } = written;
  const shown = said ?? object;
  if (answer === undefined) {
    return { kind: 'ask', question: { kind: 'mutate', next: shown, current: current.object } };
  }
  if (answer.kind === 'refused') return answer;
  // Where nobody has changed it, the rules of the kind have made the rest of it already.
  if (answer.kind !== 'object' || deepEqual(answer.object, shown)) return written;
  const next = mutatedUpdate(scope, target, answer.object, object, writerOf(input), current);
  if (next.kind === 'refused') return next;
  return produced(next.object, [...warnings, ...next.warnings]);
}

/** What is taken away makes nothing worse, and has to be possible: nothing is validated. */
function isOverwrite({ verb }: WriteInput): boolean {
  return verb === 'overwrite' || verb === 'overwrite-unowned';
}

function* produce(
  scope: DecisionScope,
  operations: DecidePorts['operations'],
  target: ObjectTarget,
  input: WriteInput,
  current: CurrentObject,
): Steps<Production> {
  const { body } = input;
  switch (body.verb) {
    case 'update':
      return yield* decideUpdate(scope, target, body.object, input, current);
    case 'update-scale':
      return decideScaleUpdate(scope, target, body.object, input, current);
    case 'patch':
      return yield* decidePatch(scope, target, body, input, current);
    case 'patch-scale':
      return decideScalePatch(scope, target, body, input, current);
    case 'apply':
      return yield* decideApply(scope, target, body, input, current);
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

function* proposeCreation(
  scope: DecisionScope,
  target: ObjectTarget,
  input: WriteInput,
  answers: readonly Verdict[],
): Steps<Proposal> {
  const creation = yield* creationOf(scope, target, input);
  if (creation.kind !== 'ok') return creation;
  if (scope.inTurns) yield;
  const { owners, submitted } = creation.value;
  const unowned = newObject(scope, target, submitted, target.name);
  const born = owners === undefined ? ownedObject(scope, target, unowned, input) : ok(unowned);
  if (born.kind === 'refused') return born;
  if (scope.inTurns) yield;
  const { asks, user } = input;
  const { validate } = asks;
  const made = owners === undefined ? born.value.object : withOwners(born.value.object, owners);
  const [answer] = asks.mutateCreation ? answers : [];
  if (asks.mutateCreation && answer === undefined) {
    return { kind: 'ask', question: { kind: 'mutate', next: made, current: undefined } };
  }
  if (answer?.kind === 'refused') return answer;
  const mutated = answer?.kind === 'object' ? answer.object : made;
  if (isInOtherNamespace(mutated, target)) return refused(newOtherNamespace());
  const otherName = nameMismatch(mutated.metadata.name ?? '', target.name);
  if (otherName !== undefined) return refused(otherName);
  yield* preparing(scope, target.kind, mutated, undefined);
  const given = { scope, target, name: target.name, ...afterMutation(born.value, mutated), user };
  const preparation = preparationSteps(given);
  const prepared = scope.inTurns ? yield* preparation : finished(preparation);
  if (prepared.kind === 'refused') return prepared;
  if (scope.inTurns) yield;
  const { object: admissionObject, warnings } = prepared.value;
  const object = storedForm(admissionObject, target.kind);
  if (scope.inTurns) yield* encodeLargeSteps(object);
  return { kind: 'create', object, admissionObject, warnings, validate };
}

type FoundCreation =
  | { readonly kind: 'ok'; readonly value: Creation }
  | Extract<Proposal, { kind: 'refused' | 'not-found' }>;

const notFound = { kind: 'not-found' } as const;

function* creationOf(
  scope: DecisionScope,
  target: ObjectTarget,
  input: WriteInput,
): Steps<FoundCreation> {
  const { body } = input;
  if (body.verb === 'apply') {
    return (yield* creationByApply(scope, target, body, input)) ?? notFound;
  }
  if (body.verb !== 'update') return notFound;
  const found = creationByUpdate(target, body.object, input);
  if (found === undefined) return notFound;
  if (found.kind === 'refused') return found;
  return { kind: 'ok', value: { submitted: found.value, owners: undefined } };
}
