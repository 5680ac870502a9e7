/**
 * update: PUT of an object or of its status (spec 1, sections 4.4 and 3.1).
 *
 * What it is not: a read followed by a write. The decision is a pure function that the object's
 * actor runs on its current state, so an update without a resourceVersion cannot lose a race.
 *
 * Invariants: a stale resourceVersion, or another uid, is a Conflict; metadata that the server owns
 * is taken from the current object; a result equal to the current object writes nothing.
 */
import { isCredentialKind } from '../apimachinery/credential-kinds.ts';
import { invalid } from '../apimachinery/field-error.ts';
import type { FieldError } from '../apimachinery/field-error.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import { newConflict, newInvalid } from '../apimachinery/status-error.ts';
import type { StatusError } from '../apimachinery/status-error.ts';
import { withMember, without } from '../apimachinery/unstructured.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import { validateObjectMetaUpdate } from '../apimachinery/validation/object-meta.ts';
import type { CurrentObject, ObjectOutcome, Production } from '../../actors/actors.ts';
import { assert, unreachable } from '../stdx/assert.ts';
import { objectKey } from '../storage/keys.ts';
import {
  namespaceConditions,
  namespaceRefusal,
  prepareForCreate,
  trackedCreation,
} from './create.ts';
import type { WriteOptions } from './create.ts';
import { tooManyFields, tracked } from './field-ownership.ts';
import type { Writer } from './field-ownership.ts';
import { metadataForUpdate, withGeneration, withoutDuplicateOwners } from './object-metadata.ts';
import type { ObjectTarget, RegistryDeps, Result, WriteResult } from './registry.ts';
import { ok, refused } from './registry.ts';
import type { KindStrategy } from './strategy.ts';
import { toStorageVersion } from './versions.ts';
import { guarded, unguarded } from './write-guard.ts';
import type { Completion, WriteCheck } from './write-guard.ts';
import { writtenObject } from './written-object.ts';

/** The status, or one that the kind's strategy names; undefined: the object itself. */
export type Subresource = string | undefined;

export interface Preconditions {
  readonly uid: string | undefined;
  /** '' and '0' mean: none. */
  readonly resourceVersion: string | undefined;
}

/** Replaces the object, or only its status. Creates it where the kind allows that. A uid names an
 * object that exists: where there is none, that is a Conflict. */
export function updateObject(
  deps: RegistryDeps,
  target: ObjectTarget,
  submitted: ApiObject,
  subresource: Subresource,
  options: WriteOptions,
): Promise<Result<WriteResult>> {
  const { kind } = target;
  const preconditions = preconditionsOf(submitted);
  const { object: next, warnings } = withoutDuplicateOwners(submitted);
  return executeReplace(deps, target, {
    produce: (current) => {
      const missing = missingVersion(target, next);
      if (missing !== undefined) return refused(missing);
      return produceUpdate(deps, target, next, writerOf(options, subresource), current);
    },
    create: namesUid(preconditions)
      ? () => refused(uidConflict(target, preconditions.uid ?? '', ''))
      : kind.allowCreateOnUpdate && subresource === undefined && !hasVersion(preconditions)
        ? (complete) =>
            creationOf(options, () => produceCreation(deps, target, submitted, options, complete))
        : undefined,
    warnings,
    options,
    subresource,
  });
}

/** Whoever may change an object may not for that reason create it. */
export function creationOf(options: WriteOptions, create: () => Production): Production {
  const { creationRefusal } = options;
  return creationRefusal === undefined ? create() : refused(creationRefusal);
}

export function writerOf(options: WriteOptions, subresource: string | undefined): Writer {
  return { manager: options.manager ?? '', subresource: subresource ?? '' };
}

/** What an update to `next`, at the request's version, makes of the current object. `expected`:
 * the object that the writer means. */
export function produceUpdate(
  deps: RegistryDeps,
  target: ObjectTarget,
  next: ApiObject,
  writer: Writer,
  current: CurrentObject,
  expected: Preconditions = preconditionsOf(next),
): Production {
  const conflict = checkPreconditions(expected, current, target);
  if (conflict !== undefined) return conflict;
  const { kind } = target;
  const stored = toStorageVersion(next, kind);
  const subresource = writer.subresource === '' ? undefined : writer.subresource;
  const prepared = preparedUpdate(deps, kind, stored, current.object, subresource);
  return trackedUpdate(deps, target, prepared, writer, current);
}

/** The prepared object with its owners, if its metadata and the kind's rules allow it. */
export function trackedUpdate(
  deps: RegistryDeps,
  target: ObjectTarget,
  prepared: ApiObject,
  writer: Writer,
  current: CurrentObject,
): Production {
  const { kind } = target;
  const tooMany = tooManyFields(deps, kind, prepared, current.object);
  if (tooMany !== undefined) return refused(tooMany);
  const next = tracked(deps, kind, writer, prepared, current.object);
  return validatedUpdate(deps, target, next, writer, current);
}

/** `next`, if its metadata and the kind's rules for this subresource allow it. */
export function validatedUpdate(
  deps: RegistryDeps,
  { kind }: ObjectTarget,
  next: ApiObject,
  { subresource }: Writer,
  { object }: CurrentObject,
): Production {
  const strategy = deps.strategyOf(kind);
  return validated(next, object, kind, kindErrors(strategy, subresource, next, object));
}

/** A scale is a write to the object; a binding or an eviction is judged before it comes here. */
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

/** What the kind and the server make of a submitted object, in the stored version. */
export function preparedUpdate(
  deps: RegistryDeps,
  kind: KindInfo,
  submitted: ApiObject,
  current: ApiObject,
  subresource: Subresource,
): ApiObject {
  const strategy = deps.strategyOf(kind);
  const nowMs = deps.clock.nowMs();
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

/** Why an object that must not be overwritten unseen is not: the write names no version. Asked of
 * writes over an existing object only: a PUT that creates has no version to name. */
export function missingVersion(
  { kind, name }: ObjectTarget,
  { metadata }: ApiObject,
): StatusError | undefined {
  const { resourceVersion } = metadata;
  if (kind.allowUnconditionalUpdate || hasVersion({ uid: undefined, resourceVersion })) {
    return undefined;
  }
  const why = 'must be specified for an update';
  const error = invalid('metadata.resourceVersion', resourceVersion ?? '', why);
  // The kind's place is taken by its resource, and the number is in hexadecimal digits.
  return newInvalid({ group: kind.group, kind: kind.resource }, name, [{ ...error, shown: '0x0' }]);
}

export interface Replacement {
  readonly produce: (current: CurrentObject) => Production;
  /** What is created where there is nothing, completed by who has to add to it. */
  readonly create: ((complete: Completion | undefined) => Production) | undefined;
  readonly warnings: readonly string[];
  readonly options: WriteOptions;
  /** What is written of the object; absent: the object itself. */
  readonly subresource?: string | undefined;
}

/** Sends a replacement to the object's actor and reads its outcome. */
export function executeReplace(
  deps: RegistryDeps,
  target: ObjectTarget,
  replacement: Replacement,
): Promise<Result<WriteResult>> {
  const { options, subresource } = replacement;
  const { user } = options;
  const { kind, namespace, name } = target;
  const write = { kind, namespace, name, subresource };
  const guard = user === undefined ? undefined : deps.guardOf?.(user, write);
  if (guard === undefined) return replaceGuarded(deps, target, replacement, unguarded);
  return guard.run((check, complete) => replaceGuarded(deps, target, replacement, check, complete));
}

async function replaceGuarded(
  deps: RegistryDeps,
  target: ObjectTarget,
  replacement: Replacement,
  check: WriteCheck,
  complete?: Completion,
): Promise<Result<WriteResult>> {
  const { kind, namespace, name } = target;
  const strategy = deps.strategyOf(kind);
  const { produce, create, options, subresource = '' } = replacement;
  // Of the last decision, which is the one that counts.
  let told: readonly string[] = [];
  const judged = (production: Production, current: ApiObject | undefined): Production => {
    const left = guarded(check, production, current);
    if (options.user !== undefined && left.kind === 'object') {
      told = strategy.warnings?.(left.object, current, subresource) ?? [];
    }
    return left;
  };
  const outcome = await deps.actors.execute(objectKey(kind.storage, namespace, name), {
    type: 'replace',
    produce: (current) => judged(produce(current), current.object),
    create: create === undefined ? undefined : () => judged(create(complete), undefined),
    conditions: namespaceConditions(namespace),
    completesDeletion: (object) => completesDeletion(object, strategy),
    dryRun: options.dryRun,
    qualifiedResource: kind,
  });
  const { warnings } = replacement;
  return replacementResult(outcome, target, told.length === 0 ? warnings : [...warnings, ...told]);
}

/** Nothing holds a deleted object any more: this write removes it (spec 1, section 3.1). */
export function completesDeletion(object: ApiObject, strategy: KindStrategy): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata;
  if (deletionTimestamp === undefined) return false;
  if ((finalizers?.length ?? 0) > 0) return false;
  return (deletionGracePeriodSeconds ?? 0) === 0 && !strategy.holdsDeletion(object);
}

export function preconditionsOf(object: ApiObject): Preconditions {
  return { uid: object.metadata.uid, resourceVersion: object.metadata.resourceVersion };
}

function hasVersion(preconditions: Preconditions): boolean {
  const version = preconditions.resourceVersion;
  return version !== undefined && version !== '' && version !== '0';
}

function namesUid(preconditions: Preconditions): boolean {
  return (preconditions.uid ?? '') !== '';
}

/** The object that the client means is not the one there, which may be none. */
function uidConflict({ kind, name }: ObjectTarget, expected: string, found: string): StatusError {
  // A patch may have copied a credential there.
  const meant = isCredentialKind(kind.kind) ? 'another' : expected;
  const uids = `UID in precondition: ${meant}, UID in object meta: ${found}`;
  return newConflict(kind, name, `Precondition failed: ${uids}`);
}

/** Undefined when the current object is the one that the client meant. */
export function checkPreconditions(
  expected: Preconditions,
  current: CurrentObject,
  target: ObjectTarget,
): Production | undefined {
  if (hasVersion(expected) && expected.resourceVersion !== current.revision?.toString()) {
    return refused(newConflict(target.kind, target.name));
  }
  const uid = current.object.metadata.uid ?? '';
  if (expected.uid !== undefined && expected.uid !== '' && expected.uid !== uid) {
    return refused(uidConflict(target, expected.uid, uid));
  }
  return undefined;
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

/** `next`, if its metadata allows it after `current` and `ofKind`, the kind's own, are none. */
function validated(
  next: ApiObject,
  current: ApiObject,
  kind: KindInfo,
  ofKind: readonly FieldError[],
): Production {
  const errors = [...validateObjectMetaUpdate(next.metadata, current.metadata), ...ofKind];
  if (errors.length > 0) {
    return refused(newInvalid(kind, current.metadata.name ?? '', errors));
  }
  return { kind: 'object', object: next };
}

function produceCreation(
  deps: RegistryDeps,
  target: ObjectTarget,
  submitted: ApiObject,
  options: WriteOptions,
  complete: Completion | undefined,
): Production {
  const { user } = options;
  const prepared = prepareForCreate(deps, target, submitted, target.name, { user, complete });
  if (prepared.kind === 'refused') return prepared;
  return { kind: 'object', object: trackedCreation(deps, target, prepared.value, options) };
}

function replacementResult(
  outcome: ObjectOutcome,
  target: ObjectTarget,
  warnings: readonly string[],
): Result<WriteResult> {
  const { namespace, name, kind } = target;
  switch (outcome.kind) {
    case 'created':
    case 'replaced':
    case 'unchanged':
    case 'marked':
    case 'removed': {
      const created = outcome.kind === 'created';
      return ok(writtenObject(outcome, namespace, name, created, warnings));
    }
    case 'refused':
      return outcome;
    case 'condition-failed':
      return refused(namespaceRefusal(kind, name, namespace, outcome.found));
    default:
      return unreachable(outcome);
  }
}
