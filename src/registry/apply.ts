/**
 * apply: server-side apply of an intent to an object, its status or its scale; it creates what is
 * not there (spec 1, sections 3.2 and 4.5).
 *
 * Elsewhere: the merge (apimachinery/fieldmanager). The object's actor merges on its current state,
 * so appliers that race each other are decided one after the other.
 *
 * Invariants: an intent that changes nothing makes no revision; a conflict names each manager and
 * field, and changes nothing.
 */
import type { ApplyRequest } from '../apimachinery/fieldmanager/field-manager.ts';
import { applyPatch, applyPatchSteps } from '../apimachinery/fieldmanager/managers/apply-patch.ts';
import { formatGroupVersion } from '../apimachinery/schema.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import { nameMismatch, newConflict, StatusError } from '../apimachinery/status-error.ts';
import {
  conformedDocument,
  conformedSteps,
  typedDocument,
  typedSteps,
} from '../apimachinery/typed/field-validation.ts';
import { validateImmutable } from '../apimachinery/validation/object-meta.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import { isJsonObject, withMetadata } from '../apimachinery/unstructured.ts';
import type { CurrentObject } from '../../actors/actors.ts';
import { assert } from '../stdx/assert.ts';
import { finished } from '../stdx/stepwise.ts';
import type { Steps } from '../stdx/stepwise.ts';
import type { WriteOptions } from './create.ts';
import { executeChange } from './execute-change.ts';
import type { Subresource } from './execute-change.ts';
import { fieldWriter, tooManyFields, withOwners } from './field-ownership.ts';
import type { Writer } from './field-ownership.ts';
import { metadataForUpdate } from './object-metadata.ts';
import { preconditionConflict } from './preconditions.ts';
import type { ObjectTarget, RegistryDeps, Result, WriteResult } from './registry.ts';
import { ok, refused } from './registry.ts';
import { executeScale, scaleTypeOf, withReplicas } from './scale.ts';
import type { WrittenScale } from './scale.ts';
import { preparedUpdate, writerOf } from './update.ts';
import { produced } from './production.ts';
import type { Production } from './production.ts';
import { atVersionOf, toDecidedVersion } from './versions.ts';
import type { DecisionScope, WriteBody, WriteInput } from './write-command.ts';

type ApplyBody = Extract<WriteBody, { readonly intent: ApiObject }>;

export interface ApplyOptions extends WriteOptions {
  readonly manager: string;
  /** Takes over fields that the intent sets and others own. */
  readonly force: boolean;
}

/** `intent` has been decoded and names the target. */
export function applyObject(
  deps: RegistryDeps,
  target: ObjectTarget,
  intent: ApiObject,
  subresource: Subresource,
  options: ApplyOptions,
): Promise<Result<WriteResult>> {
  const tooMany = tooManyFields(deps, target.kind, intent);
  if (tooMany !== undefined) return Promise.resolve(refused(tooMany));
  const body = { verb: 'apply', intent, force: options.force } as const;
  const mayCreate = subresource === undefined;
  return executeChange(deps, target, { body, options, subresource, mayCreate });
}

/** A Scale as intent: only its replica count counts. */
export function applyScale(
  deps: RegistryDeps,
  target: ObjectTarget,
  intent: ApiObject,
  options: ApplyOptions,
): Promise<Result<WrittenScale>> {
  return executeScale(deps, target, { verb: 'apply-scale', intent, force: options.force }, options);
}

export function* decideApply(
  scope: DecisionScope,
  target: ObjectTarget,
  { force, intent }: ApplyBody,
  input: WriteInput,
  current: CurrentObject,
): Steps<Production> {
  const { kind } = target;
  const subresource = input.subresource === '' ? undefined : input.subresource;
  let said: ApiObject | undefined;
  function* complete(merged: ApiObject): Steps<ApiObject> {
    const decided = toDecidedVersion(yield* typed(scope, merged, kind), kind);
    said = decided;
    if (scope.inTurns) yield;
    return preparedUpdate(scope, kind, decided, current.object, subresource);
  }
  const intended = { intent, writer: writerOf(input), force };
  const production = yield* produceApplied(scope, target, intended, complete, current);
  if (production.kind === 'refused' || said === undefined) return production;
  const whole = withOwners(metadataForUpdate(said, current.object), production.object.metadata);
  return produced(production.object, production.warnings, whole);
}

export function decideScaleApply(
  scope: DecisionScope,
  target: ObjectTarget,
  { force, intent }: ApplyBody,
  input: WriteInput,
  current: CurrentObject,
): Production {
  const { kind } = target;
  const { paths } = scaleTypeOf(kind);
  const spec = isJsonObject(intent['spec']) ? intent['spec'] : {};
  const bare: ApiObject = {
    kind: kind.kind,
    apiVersion: formatGroupVersion(kind),
    metadata: intent.metadata,
  };
  const wanted = spec['replicas'] ?? null;
  const whole = wanted === null ? bare : withReplicas(bare, paths, wanted);
  function* complete(merged: ApiObject): Steps<ApiObject> {
    const decided = toDecidedVersion(yield* typed(scope, merged, kind), kind);
    return preparedUpdate(scope, kind, decided, current.object, undefined);
  }
  const applied = { intent: whole, writer: writerOf(input), force };
  return finished(produceApplied(scope, target, applied, complete, current));
}

/** The merged intent as a complete object of its kind: an intent has no defaults and not all
 * members of its type, and a removed field gets its default again. */
function* typed({ inTurns }: DecisionScope, merged: ApiObject, kind: KindInfo): Steps<ApiObject> {
  const conformed = inTurns
    ? yield* conformedSteps(merged, kind, 'merged')
    : conformedDocument(merged, kind, 'merged');
  const document = inTurns
    ? yield* typedSteps(merged, kind, 'Ignore', [], conformed)
    : typedDocument(merged, kind, 'Ignore', [], conformed);
  // Both parts were of the kind.
  assert(document.kind === 'ok', 'what is merged is of its kind');
  return document.object;
}

interface Intent {
  readonly intent: ApiObject;
  readonly writer: Writer;
  readonly force: boolean;
}

function applyRequest(
  scope: DecisionScope,
  kind: KindInfo,
  { force, intent, writer }: Intent,
  live: ApiObject | undefined,
  complete: ApplyRequest['complete'],
): ApplyRequest {
  const by = fieldWriter(scope, kind, writer);
  return {
    kind: by.kind,
    apiVersion: by.apiVersion,
    subresource: by.subresource,
    manager: by.manager,
    nowMs: by.nowMs,
    live,
    applied: intent,
    force,
    complete,
    lastAppliedAnnotation: scope.identity.annotations.lastAppliedConfiguration,
  };
}

/** `complete`: from the merged object at the version of the request to the one to store. */
function* produceApplied(
  scope: DecisionScope,
  target: ObjectTarget,
  intended: Intent,
  complete: (merged: ApiObject) => Steps<ApiObject>,
  current: CurrentObject,
): Steps<Production> {
  const { intent } = intended;
  const { resourceVersion } = intent.metadata;
  const conflict = preconditionConflict({ uid: undefined, resourceVersion }, current, target);
  if (conflict !== undefined) return refused(conflict);
  const { kind } = target;
  const live = atVersionOf(current.object, kind);
  function* shown(merged: ApiObject): Steps<ApiObject> {
    return atVersionOf(yield* complete(merged), kind);
  }
  const request = applyRequest(scope, kind, intended, live, shown);
  const outcome = scope.inTurns ? yield* applyPatchSteps(request) : applyPatch(request);
  if (outcome.kind === 'refused') return outcome;
  if (scope.inTurns) yield;
  const isUnchanged = outcome.object === live;
  const merged = isUnchanged ? current.object : toDecidedVersion(outcome.object, kind);
  const next = withClaimedIdentity(merged, intent, current.object);
  // What users define is validated all the same: a rule may forbid what does not change.
  if (isUnchanged) return produced(kind.custom === undefined ? next : { ...next });
  const tooMany = tooManyFields(scope, kind, next, current.object);
  if (tooMany !== undefined) return refused(tooMany);
  return produced(next);
}

/** An intent may repeat what no write changes. Where it says otherwise, so does the object, which
 * validation then refuses with all that is wrong with it. */
function withClaimedIdentity(next: ApiObject, intent: ApiObject, current: ApiObject): ApiObject {
  const claimed = metadataForUpdate(intent, current).metadata;
  if (validateImmutable(claimed, current.metadata).length === 0) return next;
  const { deletionGracePeriodSeconds, deletionTimestamp, uid } = claimed;
  return withMetadata(next, {
    ...next.metadata,
    uid,
    deletionTimestamp,
    deletionGracePeriodSeconds,
  });
}

export interface AppliedCreation {
  /** What is to be created, at the version of the request. */
  readonly submitted: ApiObject;
  /** Holds who owns its fields. */
  readonly owners: ApiObject['metadata'];
}

/** What an intent creates where nothing is. */
export function* creationByApply(
  scope: DecisionScope,
  { kind, name }: ObjectTarget,
  { force, intent }: ApplyBody,
  input: WriteInput,
): Steps<Result<AppliedCreation> | undefined> {
  if (input.uid === '') return undefined;
  if (input.creationRefusal !== undefined) return refused(new StatusError(input.creationRefusal));
  const { uid, name: given = '' } = intent.metadata;
  const unnamed = nameMismatch(given, name);
  if (unnamed !== undefined) return refused(unnamed);
  const intended = { intent, writer: writerOf(input), force };
  const request = applyRequest(scope, kind, intended, undefined, undefined);
  const outcome = scope.inTurns ? yield* applyPatchSteps(request) : applyPatch(request);
  if (outcome.kind === 'refused') return outcome;
  if (uid !== undefined && uid !== '') {
    const text =
      `uid mismatch: the provided object specified uid ${uid}, ` +
      'and no existing object was found';
    return refused(newConflict(kind, name, text));
  }
  if (scope.inTurns) yield;
  return ok({
    submitted: yield* typed(scope, outcome.object, kind),
    owners: outcome.object.metadata,
  });
}
