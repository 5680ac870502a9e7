/**
 * create: POST to a collection (spec 1, sections 4.1, 4.6; names by generateName included).
 *
 * What it is not: a PUT or an apply of what is not there (update.ts, apply.ts): those create, too,
 * and prepare the object by what stands here.
 *
 * Invariants: the object is complete before the actor sees it; the namespace is tested in the
 * transaction that writes the object, so there is no moment between the test and the write.
 */
import {
  newAlreadyExists,
  newBadRequest,
  newCorruptObject,
  newGenerateNameConflict,
  newInvalid,
  newNamespaceNotFound,
  newNamespaceTerminating,
  isAlreadyExists,
  StatusError,
} from '../apimachinery/status-error.ts';
import { allErrors } from '../apimachinery/field-error.ts';
import type { GroupResource } from '../apimachinery/schema.ts';
import type { UserInfo } from '../apimachinery/user-info.ts';
import { generateName } from '../apimachinery/names.ts';
import { formatRfc3339 } from '../apimachinery/time.ts';
import { validateObjectMeta } from '../apimachinery/validation/object-meta.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import type { Condition, StoreKey } from '../storage/storage.ts';
import { damagedState } from '../storage/damage.ts';
import { objectKey, storeKey } from '../storage/keys.ts';
import { objectStates } from '../../actors/actors.ts';
import type { ObjectOutcome } from '../../actors/actors.ts';
import { unreachable } from '../stdx/assert.ts';
import { wholeTurnMs } from '../stdx/turns.ts';
import { tooManyFields, tracked, withOwners, withUsableOwners } from './field-ownership.ts';
import { metadataForCreate, withoutDuplicateOwners } from './object-metadata.ts';
import { toStorageVersion } from './versions.ts';
import type { RegistryDeps, ResourceTarget, Result, WriteResult } from './registry.ts';
import { ok, refused } from './registry.ts';
import { writtenObject } from './written-object.ts';
import { nameValidatorOf } from './name-rules.ts';
import type { Completion } from './write-guard.ts';

const namespacesResource: GroupResource = { group: '', resource: 'namespaces' };

/** Attempts at a free random name before the client is told to try again. */
const generateNameAttemptsMax = 8;

export interface WriteOptions {
  readonly dryRun: boolean;
  /** Under which name fields are owned; absent: unknown. */
  readonly manager?: string | undefined;
  /** Who writes; absent: the server itself. */
  readonly user?: UserInfo | undefined;
  /** Why this write may not create what is not there; absent: it may. */
  readonly creationRefusal?: StatusError | undefined;
  /** The object is a large one: each stage of its way to the actor has a turn of the event loop
   * for itself. */
  readonly inTurns?: boolean | undefined;
}

/** `submitted` has been decoded and agrees with the URL; its resourceVersion is unset or 0. */
export function createObject(
  deps: RegistryDeps,
  target: ResourceTarget,
  submitted: ApiObject,
  options: WriteOptions,
): Promise<Result<WriteResult>> {
  const version = submitted.metadata.resourceVersion;
  if (version !== undefined && version !== '' && version !== '0') {
    const why = 'resourceVersion should not be set on objects to be created';
    return Promise.resolve(refused(newBadRequest(why)));
  }
  const named = submitted.metadata.name;
  const prefix = submitted.metadata.generateName;
  if (named !== undefined && named !== '') {
    const create = (): ReturnType<typeof createNamed> =>
      createNamed(deps, target, submitted, named, options);
    return options.inTurns === true ? deps.turns.pause(wholeTurnMs).then(create) : create();
  }
  if (prefix === undefined || prefix === '') {
    return createNamed(deps, target, submitted, '', options);
  }
  return createGenerated(deps, target, submitted, prefix, options);
}

async function createGenerated(
  deps: RegistryDeps,
  target: ResourceTarget,
  submitted: ApiObject,
  prefix: string,
  options: WriteOptions,
): Promise<Result<WriteResult>> {
  for (let attempt = 0; attempt < generateNameAttemptsMax; attempt += 1) {
    const name = generateName(prefix, deps.prng);
    const result = await createNamed(deps, target, submitted, name, options);
    if (result.kind === 'ok' || !isAlreadyExists(result.error)) return result;
  }
  return refused(newGenerateNameConflict(target.kind, prefix, 1));
}

function createNamed(
  deps: RegistryDeps,
  target: ResourceTarget,
  submitted: ApiObject,
  name: string,
  options: WriteOptions,
): Promise<Result<WriteResult>> {
  const { user } = options;
  const guard = user === undefined ? undefined : deps.guardOf?.(user, target);
  if (guard === undefined) {
    const prepared = prepareForCreate(deps, target, submitted, name, { user });
    if (prepared.kind === 'refused') return Promise.resolve(prepared);
    return createPrepared(deps, target, prepared.value, name, options);
  }
  return guard.run((check, complete) => {
    const prepared = prepareForCreate(deps, target, submitted, name, { user, complete });
    if (prepared.kind === 'refused') return Promise.resolve(prepared);
    const error = check(prepared.value.object, undefined);
    if (error !== undefined) return Promise.resolve(refused(error));
    return createPrepared(deps, target, prepared.value, name, options);
  });
}

async function createPrepared(
  deps: RegistryDeps,
  target: ResourceTarget,
  prepared: PreparedCreation,
  name: string,
  options: WriteOptions,
): Promise<Result<WriteResult>> {
  const { kind, namespace } = target;
  const key = objectKey(kind.storage, namespace, name);
  if (options.inTurns === true) await deps.turns.pause(wholeTurnMs);
  const object = trackedCreation(deps, target, prepared, options);
  if (options.inTurns === true) await deps.turns.pause(wholeTurnMs);
  const outcome = await deps.actors.execute(key, {
    type: 'create',
    object,
    conditions: namespaceConditions(namespace),
    dryRun: options.dryRun,
    qualifiedResource: kind,
  });
  return creationResult(outcome, target, name, prepared.warnings);
}

export interface PreparedCreation {
  readonly object: ApiObject;
  /** Without what admission and the kind's strategy wrote beside the metadata: its fields are the
   * writer's. */
  readonly written: ApiObject;
  readonly warnings: readonly string[];
}

/** The object with its owners. What the kind itself filled in (a job's selector) is nobody's: an
 * owner who later applies an intent without it must not thereby take it out. */
export function trackedCreation(
  deps: RegistryDeps,
  { kind }: ResourceTarget,
  { object, written }: PreparedCreation,
  options: WriteOptions,
): ApiObject {
  const writer = { manager: options.manager ?? '', subresource: '' };
  const owned = tracked(deps, kind, writer, written, undefined);
  return written === object ? owned : withOwners(object, owned.metadata);
}

export interface CreationHelp {
  /** Who creates it; absent: the server itself. */
  readonly user: UserInfo | undefined;
  /** Absent: nobody adds anything. */
  readonly complete?: Completion | undefined;
}

/** The object as it would be stored, but for who owns its fields; or why it may not be. */
export function prepareForCreate(
  deps: RegistryDeps,
  target: ResourceTarget,
  submitted: ApiObject,
  name: string,
  { complete, user }: CreationHelp,
): Result<PreparedCreation> {
  const { kind, namespace } = target;
  const birth = {
    uid: deps.prng.uuid(),
    creationTimestamp: formatRfc3339(deps.clock.nowMs()),
    name,
    namespace,
  };
  const strategy = deps.strategyOf(kind);
  const born = withUsableOwners(metadataForCreate(submitted, kind, birth));
  const stored = toStorageVersion(born, kind);
  const { object: deduplicated, warnings } = withoutDuplicateOwners(stored);
  const completed = complete?.(deduplicated) ?? deduplicated;
  if (completed instanceof StatusError) return refused(completed);
  const object = strategy.prepareForCreate(completed, user);
  const tooMany = tooManyFields(deps, kind, object);
  if (tooMany !== undefined) return refused(tooMany);
  const rules = { namespaced: kind.namespaced, nameValidator: nameValidatorOf(kind.nameRule) };
  const errors = allErrors(
    validateObjectMeta(object.metadata, rules),
    strategy.validate(object),
    strategy.validateCreated(object),
  );
  if (errors.length > 0) return refused(newInvalid(kind, name, errors));
  const written = object === deduplicated ? object : { ...deduplicated, metadata: object.metadata };
  const told = user === undefined ? undefined : strategy.warnings?.(object, undefined, '');
  return ok({ object, written, warnings: told === undefined ? warnings : [...warnings, ...told] });
}

/** What must hold in the transaction that creates an object in this namespace. */
export function namespaceConditions(namespace: string): readonly Condition[] {
  if (namespace === '') return [];
  return [{ key: keyOfNamespace(namespace), state: objectStates.live }];
}

/** Whether a condition of a write may name this record. */
export function isConditionKey(key: StoreKey): boolean {
  return key.startsWith(keyOfNamespace(''));
}

function keyOfNamespace(name: string): StoreKey {
  return storeKey(objectKey(namespacesResource, '', name));
}

/** The refusal for a namespace that was not live, or not readable, when the object was to be
 * written. */
export function namespaceRefusal(
  resource: GroupResource,
  name: string,
  namespace: string,
  found: string | undefined,
): StatusError {
  if (found === undefined) return newNamespaceNotFound(namespace);
  if (found !== damagedState) return newNamespaceTerminating(resource, name, namespace);
  const key = keyOfNamespace(namespace);
  const why = 'its state cannot be read';
  return newCorruptObject(namespacesResource, namespace, { key, why });
}

function creationResult(
  outcome: ObjectOutcome,
  target: ResourceTarget,
  name: string,
  warnings: readonly string[],
): Result<WriteResult> {
  switch (outcome.kind) {
    case 'created':
      return ok(writtenObject(outcome, target.namespace, name, true, warnings));
    case 'refused':
      return outcome;
    case 'condition-failed':
      return refused(namespaceRefusal(target.kind, name, target.namespace, outcome.found));
    case 'replaced':
    case 'unchanged':
    case 'marked':
    case 'removed':
      return refused(newAlreadyExists(target.kind, name));
    default:
      return unreachable(outcome);
  }
}
