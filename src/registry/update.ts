/**
 * update: PUT of an object or of its status (spec 1, sections 4.4 and 3.1).
 *
 * The decision is a pure function that the object's actor runs on its current state, so an update
 * without a resourceVersion cannot lose a race.
 *
 * Invariants: a stale resourceVersion, or another uid, is a Conflict; metadata that the server owns
 * is taken from the current object; a result equal to the current object writes nothing.
 */
import { produced, withWarnings } from './production.ts';
import type { Production } from './production.ts';
import { allErrors, invalid } from '../apimachinery/field-error.ts';
import type { FieldError } from '../apimachinery/field-error.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import { newInvalid, newOtherNamespace, StatusError } from '../apimachinery/status-error.ts';
import { withMember, without } from '../apimachinery/unstructured.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import { validateObjectMetaUpdate } from '../apimachinery/validation/object-meta.ts';
import type { CurrentObject } from '../../actors/actors.ts';
import { assert } from '../stdx/assert.ts';
import { finished } from '../stdx/stepwise.ts';
import type { Steps } from '../stdx/stepwise.ts';
import { isInOtherNamespace } from './create.ts';
import type { WriteOptions } from './create.ts';
import { executeChange } from './execute-change.ts';
import type { Subresource } from './execute-change.ts';
import { tooManyFields, trackedSteps, withOwners } from './field-ownership.ts';
import type { Writer } from './field-ownership.ts';
import { metadataForUpdate, withGeneration, withoutDuplicateOwners } from './object-metadata.ts';
import {
  hasVersion,
  missingVersion,
  otherObject,
  namesUid,
  preconditionConflict,
  preconditionsOf,
  uidConflict,
} from './preconditions.ts';
import type { Preconditions } from './preconditions.ts';
import type { ObjectTarget, RegistryDeps, Result, WriteResult } from './registry.ts';
import { refused } from './registry.ts';
import type { KindStrategy } from './strategy.ts';
import { storedKind, toDecidedVersion } from './versions.ts';
import type { DecisionScope, WriteInput } from './write-command.ts';

/** Replaces the object, or only its status. Creates it where the kind allows that. A uid names an
 * object that exists: where there is none and one could be created, that is a Conflict. */
export function updateObject(
  deps: RegistryDeps,
  target: ObjectTarget,
  submitted: ApiObject,
  subresource: Subresource,
  options: WriteOptions,
): Promise<Result<WriteResult>> {
  return executeChange(deps, target, {
    body: { verb: 'update', object: submitted },
    options,
    subresource,
    mayCreate: target.kind.allowCreateOnUpdate && subresource === undefined,
  });
}

/** An update of an object that is there. */
export function* decideUpdate(
  scope: DecisionScope,
  target: ObjectTarget,
  submitted: ApiObject,
  input: WriteInput,
  current: CurrentObject,
): Steps<Production> {
  const { object: next, warnings } = withoutDuplicateOwners(submitted);
  const problem =
    otherObject(preconditionsOf(next), current, target) ?? missingVersion(target, next);
  if (problem !== undefined) return refused(problem);
  const production = yield* produceUpdate(scope, target, next, writerOf(input), current);
  return production.kind === 'refused' ? production : withWarnings(production, warnings);
}

/** What an update creates where nothing is; undefined: nothing, there is none. */
export function creationByUpdate(
  target: ObjectTarget,
  submitted: ApiObject,
  { creationRefusal, uid }: WriteInput,
): Result<ApiObject> | undefined {
  const preconditions = preconditionsOf(submitted);
  if (namesUid(preconditions)) {
    if (!target.kind.allowCreateOnUpdate) return undefined;
    return refused(uidConflict(target, preconditions.uid ?? '', ''));
  }
  if (uid === '' || hasVersion(preconditions)) return undefined;
  if (creationRefusal !== undefined) return refused(new StatusError(creationRefusal));
  return { kind: 'ok', value: submitted };
}

export function writerOf({ manager, subresource }: WriteInput): Writer {
  return { manager, subresource };
}

/** What an update to `next`, at the request's version, makes of the current object. `expected`:
 * the object that the writer means. */
export function* produceUpdate(
  scope: DecisionScope,
  target: ObjectTarget,
  next: ApiObject,
  writer: Writer,
  current: CurrentObject,
  expected: Preconditions = preconditionsOf(next),
): Steps<Production> {
  const conflict = preconditionConflict(expected, current, target);
  if (conflict !== undefined) return refused(conflict);
  const { kind } = target;
  if (scope.inTurns) yield;
  const decided = toDecidedVersion(next, kind);
  if (scope.inTurns) yield;
  const said = metadataForUpdate(decided, current.object);
  const tracking = yield* trackedUpdateSteps(scope, target, said, writer, current);
  if (tracking.kind === 'refused') return tracking;
  const { object: owned } = tracking;
  const subresource = writer.subresource === '' ? undefined : writer.subresource;
  const prepared = preparedUpdate(scope, kind, owned, current.object, subresource);
  if (scope.inTurns) yield;
  const tooMany = tooManyFields(scope, kind, prepared, current.object);
  if (tooMany !== undefined) return refused(tooMany);
  return produced(withOwners(prepared, owned.metadata), tracking.warnings, owned);
}

/** What the server does for a request: a binding, an eviction. Nobody comes to own it. */
export function unownedUpdate(
  scope: DecisionScope,
  { kind }: ObjectTarget,
  next: ApiObject,
  current: CurrentObject,
): Production {
  const tooMany = tooManyFields(scope, kind, next, current.object);
  return tooMany === undefined ? produced(next) : refused(tooMany);
}

/** The object with its field ownership. It is validated after mutating admission (decide.ts). */
export function trackedUpdate(
  scope: DecisionScope,
  target: ObjectTarget,
  next: ApiObject,
  writer: Writer,
  current: CurrentObject,
): Production {
  return finished(trackedUpdateSteps(scope, target, next, writer, current));
}

function* trackedUpdateSteps(
  scope: DecisionScope,
  target: ObjectTarget,
  said: ApiObject,
  writer: Writer,
  current: CurrentObject,
): Steps<Production> {
  const { kind } = target;
  const tooMany = tooManyFields(scope, kind, said, current.object);
  if (tooMany !== undefined) return refused(tooMany);
  if (scope.inTurns) yield;
  const tracking = trackedSteps(scope, kind, writer, said, current.object);
  if (!scope.inTurns) return produced(finished(tracking));
  const next = yield* tracking;
  yield;
  return produced(next);
}

/** Prepares the validation of the kind in steps, if it would take a long turn. */
export function* preparing(
  { strategyOf }: DecisionScope,
  kind: KindInfo,
  next: ApiObject,
  current: ApiObject | undefined,
): Steps<void> {
  const steps = strategyOf(kind).prepareValidation?.(next, current);
  if (steps !== undefined) yield* steps;
}

/** The same of a write to a subresource, '' being the object itself. */
export function* preparingUpdate(
  scope: DecisionScope,
  kind: KindInfo,
  subresource: string,
  next: ApiObject,
  current: ApiObject,
): Steps<void> {
  if (subresource === '' || subresource === 'scale') {
    return yield* preparing(scope, kind, next, current);
  }
  if (subresource !== 'status') return;
  const steps = scope.strategyOf(kind).prepareStatusValidation?.(next, current);
  if (steps !== undefined) yield* steps;
}

/** The next object after mutating admission, prepared like what the writer sent; its field
 * ownership is that of the writer's object. */
export function mutatedUpdate(
  scope: DecisionScope,
  { kind, namespace }: ObjectTarget,
  mutated: ApiObject,
  next: ApiObject,
  { subresource }: Writer,
  current: CurrentObject,
): Production {
  if (isInOtherNamespace(mutated, { kind, namespace })) return refused(newOtherNamespace());
  const renamed = renamedRefusal(kind, mutated, current.object);
  if (renamed !== undefined) return refused(renamed);
  const part = subresource === '' || subresource === 'scale' ? undefined : subresource;
  const { object, warnings } = withoutDuplicateOwners(mutated, 'patched');
  const prepared = preparedUpdate(scope, kind, object, current.object, part);
  const tooMany = tooManyFields(scope, kind, prepared, current.object);
  if (tooMany !== undefined) return refused(tooMany);
  return produced(withOwners(prepared, next.metadata), warnings);
}

/** Admission means the object that it was asked about. */
function renamedRefusal(
  kind: KindInfo,
  { metadata: { name = '' } }: ApiObject,
  current: ApiObject,
): StatusError | undefined {
  if (name === current.metadata.name) return undefined;
  return newInvalid(kind, name, [invalid('metadata.name', name, 'field is immutable')]);
}

/** Why its metadata or the kind's rules for this subresource do not allow `next`. */
export function updateRefusal(
  { strategyOf }: DecisionScope,
  { kind }: ObjectTarget,
  next: ApiObject,
  { subresource }: Writer,
  { object }: CurrentObject,
): StatusError | undefined {
  const errors = allErrors(
    validateObjectMetaUpdate(next.metadata, object.metadata, {
      anyFinalizer: kind.anyFinalizer,
    }),
    kindErrors(strategyOf(kind), subresource, next, object),
  );
  if (errors.length === 0) return undefined;
  return newInvalid(storedKind(kind), object.metadata.name ?? '', errors);
}

/** A scale is a write to the object; a binding or an eviction is admitted before it comes here. */
function kindErrors(
  strategy: KindStrategy,
  subresource: string,
  next: ApiObject,
  current: ApiObject,
): readonly FieldError[] {
  switch (subresource) {
    case '':
    case 'scale':
      return strategy.validateUpdate(next, current);
    case 'status':
      return strategy.validateStatusUpdate(next, current);
    default:
      return strategy.subresources[subresource]?.validate(next, current) ?? [];
  }
}

/** A submitted object as prepared by the kind and the server, in the version of the decision. */
export function preparedUpdate(
  { nowMs, strategyOf }: DecisionScope,
  kind: KindInfo,
  submitted: ApiObject,
  current: ApiObject,
  subresource: Subresource,
): ApiObject {
  const strategy = strategyOf(kind);
  if (subresource === 'status') {
    const next = statusWritten(submitted, current, kind.keptByStatus ?? []);
    return strategy.prepareForStatusUpdate(next, current, nowMs);
  }
  const next = metadataForUpdate(submitted, current);
  const rules = subresource === undefined ? undefined : strategy.subresources[subresource];
  assert(subresource === undefined || rules !== undefined, `no rules for ${subresource}`);
  const prepared =
    rules?.prepare(next, current, nowMs) ?? strategy.prepareForUpdate(next, current, nowMs);
  return withGeneration(prepared, current, kind);
}

/** Nothing holds a deleted object any more: this write removes it (spec 1, section 3.1). */
export function completesDeletion(object: ApiObject, strategy: KindStrategy): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata;
  if (deletionTimestamp === undefined) return false;
  if ((finalizers?.length ?? 0) > 0) return false;
  return (deletionGracePeriodSeconds ?? 0) === 0 && !strategy.holdsDeletion(object);
}

/** Status and the metadata that a client owns, but for what the kind keeps; everything else stays
 * as it is. */
function statusWritten(
  submitted: ApiObject,
  current: ApiObject,
  kept: readonly string[],
): ApiObject {
  let { metadata } = metadataForUpdate(submitted, current);
  for (const name of kept) {
    const value = current.metadata[name];
    if (metadata[name] === value) continue;
    metadata = value === undefined ? without(metadata, name) : withMember(metadata, name, value);
  }
  const { status } = submitted;
  const unchanged = { ...current, metadata };
  return status === undefined
    ? (without(unchanged, 'status') as ApiObject)
    : withMember(unchanged, 'status', status);
}
