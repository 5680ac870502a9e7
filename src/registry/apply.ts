/**
 * apply: server-side apply of an intent to an object, its status or its scale; it creates what is
 * not there (spec 1, sections 3.2 and 4.5).
 *
 * What it is not: the merge (apimachinery/fieldmanager). The object's actor merges on its current
 * state, so appliers that race each other are decided one after the other.
 *
 * Invariants: an intent that changes nothing makes no revision; a conflict names each manager and
 * field, and changes nothing.
 */
import type { ApplyRequest } from '../apimachinery/fieldmanager/field-manager.ts';
import { applyPatch } from '../apimachinery/fieldmanager/managers/apply-patch.ts';
import { formatGroupVersion } from '../apimachinery/schema.ts';
import type { GroupVersionKind } from '../apimachinery/schema.ts';
import type { KindInfo, ScalePaths } from '../apimachinery/scheme.ts';
import { nameMismatch, newConflict, newInvalid } from '../apimachinery/status-error.ts';
import { typedDocument } from '../apimachinery/typed/field-validation.ts';
import type { FieldError } from '../apimachinery/field-error.ts';
import { validateImmutable } from '../apimachinery/validation/object-meta.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import { isJsonObject } from '../apimachinery/unstructured.ts';
import type { CurrentObject, Production } from '../../actors/actors.ts';
import { assert } from '../stdx/assert.ts';
import { prepareForCreate } from './create.ts';
import type { WriteOptions } from './create.ts';
import { fieldWriter, tooManyFields, withOwners } from './field-ownership.ts';
import type { Writer } from './field-ownership.ts';
import { metadataForUpdate } from './object-metadata.ts';
import type { ObjectTarget, RegistryDeps, Result, WriteResult } from './registry.ts';
import { refused } from './registry.ts';
import { executeScale, withReplicas } from './scale.ts';
import type { WrittenScale } from './scale.ts';
import {
  checkPreconditions,
  creationOf,
  executeReplace,
  preparedUpdate,
  validatedUpdate,
} from './update.ts';
import type { Subresource } from './update.ts';
import { atVersionOf, toStorageVersion } from './versions.ts';
import type { Completion } from './write-guard.ts';

export interface ApplyOptions extends WriteOptions {
  readonly manager: string;
  /** Takes over what others own and the intent sets. */
  readonly force: boolean;
}

/** `intent` has been decoded and names the target. */
export async function applyObject(
  deps: RegistryDeps,
  target: ObjectTarget,
  intent: ApiObject,
  subresource: Subresource,
  options: ApplyOptions,
): Promise<Result<WriteResult>> {
  const { kind } = target;
  const tooMany = tooManyFields(deps, kind, intent);
  if (tooMany !== undefined) return refused(tooMany);
  const writer: Writer = { manager: options.manager, subresource: subresource ?? '' };
  return executeReplace(deps, target, {
    produce: (current) => {
      const complete = (merged: ApiObject): ApiObject => {
        const stored = toStorageVersion(typed(merged, kind), kind);
        return preparedUpdate(deps, kind, stored, current.object, subresource);
      };
      return produceApplied(deps, target, { intent, writer, options, complete }, current);
    },
    create:
      subresource === undefined
        ? (complete) =>
            creationOf(options, () =>
              produceCreated(deps, target, { intent, writer, options }, complete),
            )
        : undefined,
    warnings: [],
    options,
    subresource,
  });
}

/** A Scale as intent: it names the replica count alone, whatever else stands in it. */
export function applyScale(
  deps: RegistryDeps,
  target: ObjectTarget,
  intent: ApiObject,
  paths: ScalePaths,
  scale: GroupVersionKind,
  options: ApplyOptions,
): Promise<Result<WrittenScale>> {
  const { kind } = target;
  const writer: Writer = { manager: options.manager, subresource: 'scale' };
  const spec = isJsonObject(intent['spec']) ? intent['spec'] : {};
  const bare: ApiObject = {
    kind: kind.kind,
    apiVersion: formatGroupVersion(kind),
    metadata: intent.metadata,
  };
  const wanted = spec['replicas'];
  const whole = wanted === undefined ? bare : withReplicas(bare, paths, wanted);
  return executeScale(deps, target, { paths, scale, options }, [], (current) => {
    const complete = (merged: ApiObject): ApiObject => {
      const stored = toStorageVersion(typed(merged, kind), kind);
      return preparedUpdate(deps, kind, stored, current.object, undefined);
    };
    return produceApplied(deps, target, { intent: whole, writer, options, complete }, current);
  });
}

/** What was merged as an object of its kind: an intent names neither the defaults nor all that its
 * type writes, and what is taken out has its default again. */
function typed(merged: ApiObject, kind: KindInfo): ApiObject {
  const document = typedDocument(merged, kind, 'Ignore', []);
  // Both parts were of the kind.
  assert(document.kind === 'ok', 'what is merged is of its kind');
  return document.object;
}

interface Intent {
  readonly intent: ApiObject;
  readonly writer: Writer;
  readonly options: ApplyOptions;
}

interface CompletedIntent extends Intent {
  /** From the merged object at the version of the request to the one to store. */
  readonly complete: (merged: ApiObject) => ApiObject;
}

function applyRequest(
  deps: RegistryDeps,
  kind: KindInfo,
  { intent, writer, options }: Intent,
  live: ApiObject | undefined,
  complete: ApplyRequest['complete'],
): ApplyRequest {
  const by = fieldWriter(deps, kind, writer);
  return {
    kind: by.kind,
    apiVersion: by.apiVersion,
    subresource: by.subresource,
    manager: by.manager,
    nowMs: by.nowMs,
    live,
    applied: intent,
    force: options.force,
    complete,
    lastAppliedAnnotation: deps.identity.annotations.lastAppliedConfiguration,
  };
}

function produceApplied(
  deps: RegistryDeps,
  target: ObjectTarget,
  { intent, writer, options, complete }: CompletedIntent,
  current: CurrentObject,
): Production {
  const { resourceVersion } = intent.metadata;
  const conflict = checkPreconditions({ uid: undefined, resourceVersion }, current, target);
  if (conflict !== undefined) return conflict;
  const { kind } = target;
  const errors = immutableErrors(intent, current.object);
  if (errors.length > 0) return refused(newInvalid(kind, target.name, errors));
  const live = atVersionOf(current.object, kind);
  const outcome = applyPatch(
    applyRequest(deps, kind, { intent, writer, options }, live, (merged) =>
      atVersionOf(complete(merged), kind),
    ),
  );
  if (outcome.kind === 'refused') return outcome;
  if (outcome.object === live) return { kind: 'object', object: current.object };
  const next = toStorageVersion(outcome.object, kind);
  const tooMany = tooManyFields(deps, kind, next, current.object);
  if (tooMany !== undefined) return refused(tooMany);
  return validatedUpdate(deps, target, next, writer, current);
}

/** An intent may repeat what no write changes, and not change it. */
function immutableErrors(intent: ApiObject, current: ApiObject): readonly FieldError[] {
  return validateImmutable(metadataForUpdate(intent, current).metadata, current.metadata);
}

function produceCreated(
  deps: RegistryDeps,
  target: ObjectTarget,
  { intent, writer, options }: Intent,
  complete: Completion | undefined,
): Production {
  const { kind, name } = target;
  const { uid, name: given = '' } = intent.metadata;
  const unnamed = nameMismatch(given, name);
  if (unnamed !== undefined) return refused(unnamed);
  if (uid !== undefined && uid !== '') {
    const text =
      `uid mismatch: the provided object specified uid ${uid}, ` +
      'and no existing object was found';
    return refused(newConflict(kind, name, text));
  }
  const outcome = applyPatch(
    applyRequest(deps, kind, { intent, writer, options }, undefined, undefined),
  );
  if (outcome.kind === 'refused') return outcome;
  const { user } = options;
  const applied = typed(outcome.object, kind);
  const prepared = prepareForCreate(deps, target, applied, name, { user, complete });
  if (prepared.kind === 'refused') return prepared;
  return { kind: 'object', object: withOwners(prepared.value.object, outcome.object.metadata) };
}
