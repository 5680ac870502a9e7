/**
 * create: POST to a collection (spec 1, sections 4.1, 4.6; names by generateName included).
 *
 * A PUT or an apply of a missing object (update.ts, apply.ts) creates, too, with the functions of
 * this file.
 *
 * Invariants: the object is complete before the actor sees it; the namespace is tested in the
 * transaction that writes the object, so there is no moment between the test and the write.
 */
import {
  newAlreadyExists,
  newBadRequest,
  newGenerateNameConflict,
  newInvalid,
  newOtherNamespace,
  isAlreadyExists,
  StatusError,
} from '../apimachinery/status-error.ts';
import type { AdmissionNotes } from '../apimachinery/admission-data.ts';
import { allErrors } from '../apimachinery/field-error.ts';
import { isLargeValue } from '../apimachinery/large-value.ts';
import { encodeLargeSteps } from '../apimachinery/object-encoding.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import type { UserInfo } from '../apimachinery/user-info.ts';
import { generateName } from '../apimachinery/names.ts';
import { formatRfc3339 } from '../apimachinery/time.ts';
import { validateObjectMeta } from '../apimachinery/validation/object-meta.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import { objectKey } from '../storage/keys.ts';
import type { CreateCommand } from '../../actors/actors.ts';
import { conditionRefusal, creationConditions } from './creation-conditions.ts';
import { unreachable } from '../stdx/assert.ts';
import type { Requester } from '../stdx/requester.ts';
import { runToEnd } from '../stdx/stepwise.ts';
import type { Steps } from '../stdx/stepwise.ts';
import { shortWorkMs, wholeTurnMs } from '../stdx/turns.ts';
import { readOwners, tooManyFields, tracked, withUsableOwners } from './field-ownership.ts';
import { metadataForCreate, withoutDuplicateOwners } from './object-metadata.ts';
import type { Deduplicated } from './object-metadata.ts';
import { storedForm, storedKind, toDecidedVersion } from './versions.ts';
import { resolveOutcome, executeWithCompanions } from './execute-with-companions.ts';
import type { FinalOutcome } from './execute-with-companions.ts';
import type { RegistryDeps, ResourceTarget, Result, WriteResult } from './registry.ts';
import { ok, refused } from './registry.ts';
import { writtenObject } from './written-object.ts';
import { withConversions } from './conversions.ts';
import { nameValidatorOf } from './name-rules.ts';
import { scopeOf } from './write-command.ts';
import type { DecisionScope } from './write-command.ts';
import { namespaceFirst } from './namespace-first.ts';
import { operations } from './write-guard.ts';
import type { WriteGuard, WriteAdmission } from './write-guard.ts';
import { deliverNotes, writeTerms } from './write-terms.ts';
import type { WritingRequest } from './write-terms.ts';

/** Attempts at a free random name before the client is told to try again. */
const generateNameAttemptsMax = 8;

export interface WriteOptions {
  readonly dryRun: boolean;
  /** The field manager; absent: unknown. */
  readonly manager?: string | undefined;
  /** Who writes; absent: the server itself. */
  readonly user?: UserInfo | undefined;
  /** The request that it is part of; absent: the server writes for itself, or for a user. */
  readonly request?: WritingRequest | undefined;
  /** Why this write may not create a missing object; absent: it may. */
  readonly creationRefusal?: StatusError | undefined;
  /** The object is large: each stage before the actor has its own turn of the event loop. */
  readonly inTurns?: boolean | undefined;
}

/** `submitted` has been decoded and agrees with the URL. */
export function createObject(
  deps: RegistryDeps,
  target: ResourceTarget,
  submitted: ApiObject,
  options: WriteOptions,
): Promise<Result<WriteResult>> {
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

/** A creation whose companions could not be written, because the state has changed, is prepared
 * again: with another address, for example. One promise for all of it: each further async function
 * would add one to every create. */
async function createNamed(
  deps: RegistryDeps,
  target: ResourceTarget,
  submitted: ApiObject,
  name: string,
  options: WriteOptions,
  attempt = 0,
): Promise<Result<WriteResult>> {
  const scope = scopeOf(deps);
  const { dryRun, inTurns = false, request, user } = options;
  const guard = user === undefined ? undefined : deps.guardOf?.(user, target, operations.create);
  let creation: Result<PreparedCreation>;
  let notes: AdmissionNotes | undefined;
  if (inTurns && submitted.metadata.managedFields !== undefined) {
    await runToEnd(deps.turns, readOwners(submitted));
  }
  if (guard === undefined) {
    const born = ownedObject(scope, target, newObject(scope, target, submitted, name), options);
    if (born.kind === 'refused') return born;
    const { object } = born.value;
    const validation = prepareValidation(deps, scope, target, object, inTurns);
    if (validation !== undefined) await validation;
    const given = { scope, target, name, born: born.value, mutated: object, user };
    const decided = preparing(deps, inTurns, given);
    creation = decided instanceof Promise ? await decided : decided;
  } else {
    const birth = { scope, target, name };
    const heard = await prepareGuarded(deps, birth, submitted, guard, options);
    ({ creation, notes } = heard);
  }
  creation = unlessVersioned(submitted, creation);
  if (creation.kind === 'refused') {
    deliverNotes(request, notes);
    request?.warnings.push(...(creation.error.warnings ?? []));
    return namespaceOr(deps, target, submitted, user, creation);
  }
  if (inTurns) await deps.turns.pause(wholeTurnMs);
  const { kind } = target;
  const { object: decided, warnings } = creation.value;
  let object: ApiObject;
  if (kind.custom?.webhook === undefined) object = storedForm(decided, kind);
  else {
    const stored = await convertedForm(decided, kind, request?.exchange);
    if (stored.kind === 'refused') {
      deliverNotes(request, notes);
      return stored;
    }
    object = stored.value;
  }
  if (inTurns) await runToEnd(deps.turns, encodeLargeSteps(object));
  const command = createCommand(scope, target, object, warnings, dryRun);
  // Admission may have given it another name than it was posted with.
  const { name: storedName = name } = object.metadata;
  const key = objectKey(target.kind.storage, target.namespace, storedName);
  const outcome = await deps.actors.execute(key, command, undefined, request);
  // The commit's own turn has the followers of the change in it.
  if (inTurns) await deps.turns.pause(wholeTurnMs);
  let final: FinalOutcome | 'again';
  if (outcome.kind === 'created') final = outcome;
  else {
    const created = { ...target, name: storedName };
    final = await resolveOutcome(deps, created, outcome, { attempt, dryRun });
  }
  // What was said of an attempt that is made again is forgotten with it.
  if (final === 'again') return createNamed(deps, target, submitted, name, options, attempt + 1);
  deliverNotes(request, notes);
  const result = creationResult(final, target, storedName, nameAskedFor(submitted));
  if (result.kind === 'ok') return result;
  return namespaceOr(deps, target, submitted, user, result);
}

/** Looked at behind admission, so that who may not create it at all is told that. */
function unlessVersioned<T>({ metadata }: ApiObject, creation: Result<T>): Result<T> {
  const version = metadata.resourceVersion;
  if (version === undefined || version === '' || version === '0') return creation;
  if (creation.kind === 'refused') return creation;
  return refused(newBadRequest('resourceVersion should not be set on objects to be created'));
}

/** A user whose creation is refused is told what is wrong with the namespace first. */
async function namespaceOr(
  deps: RegistryDeps,
  target: ResourceTarget,
  submitted: ApiObject,
  user: UserInfo | undefined,
  refusal: Result<never>,
): Promise<Result<never>> {
  if (user === undefined) return refusal;
  const error = await namespaceFirst(deps, target, nameAskedFor(submitted));
  return error === undefined ? refusal : refused(error);
}

/** A refusal by the namespace comes before there is a name. */
function nameAskedFor({ metadata: { generateName, name } }: ApiObject): string {
  return name || generateName || '';
}

/** What is stored of it, where a webhook has to be asked. */
function convertedForm(
  decided: ApiObject,
  kind: KindInfo,
  requester: Requester | undefined,
): Promise<Result<ApiObject>> {
  return withConversions(kind, () => Promise.resolve(ok(storedForm(decided, kind))), requester);
}

/** In turns of the event loop, and beforehand, what validation finds out. Undefined: nothing. */
function prepareValidation(
  { turns }: RegistryDeps,
  { strategyOf }: DecisionScope,
  { kind }: ResourceTarget,
  object: ApiObject,
  isLarge: boolean,
): Promise<unknown> | undefined {
  const steps = strategyOf(kind).prepareValidation?.(object, undefined);
  if (steps === undefined) return isLarge ? turns.pause(wholeTurnMs) : undefined;
  const prepared = runToEnd(turns, steps);
  return isLarge ? prepared.then(() => turns.pause(wholeTurnMs)) : prepared;
}

/** A promise only where the work is long. */
function preparing(
  { turns }: RegistryDeps,
  isLarge: boolean,
  given: CreationToPrepare,
): Result<PreparedCreation> | Promise<Result<PreparedCreation>> {
  if (!isLarge) return prepared(given);
  return runToEnd(turns, preparationSteps(given));
}

/** A creation depends on no other object of the name, so its guards are asked before its actor gets
 * it. */
async function prepareGuarded(
  deps: RegistryDeps,
  birth: Birth,
  submitted: ApiObject,
  guard: WriteGuard,
  options: WriteOptions,
): Promise<{
  readonly creation: Result<PreparedCreation>;
  readonly notes: AdmissionNotes | undefined;
}> {
  const { dryRun, request } = options;
  const admission = guard.admit(writeTerms(deps.clock, dryRun, request), request?.exchange);
  const current = guard.current(request?.exchange);
  if (current !== undefined) await current.then(() => deps.turns.pause(shortWorkMs));
  const born = newObject(birth.scope, birth.target, submitted, birth.name);
  const asked = { born, asks: guard.asks, admission };
  const creation = await prepareAdmitted(deps, birth, asked, options);
  return { creation, notes: admission.notes() };
}

interface AdmittedCreation extends Pick<WriteGuard, 'asks'> {
  readonly born: Deduplicated;
  readonly admission: WriteAdmission;
}

async function prepareAdmitted(
  deps: RegistryDeps,
  { scope, target, name }: Birth,
  { asks, born, admission }: AdmittedCreation,
  options: WriteOptions,
): Promise<Result<PreparedCreation>> {
  const { inTurns = false, user } = options;
  const owned = ownedObject(scope, target, born, options);
  if (owned.kind === 'refused') return owned;
  if (inTurns) await deps.turns.pause(wholeTurnMs);
  const { object } = owned.value;
  const mutating = asks.mutateCreation ? admission.mutate(object, undefined) : object;
  const mutated = mutating instanceof Promise ? await mutating : mutating;
  if (mutated instanceof StatusError) return refused(mutated);
  if (isInOtherNamespace(mutated, target)) return refused(newOtherNamespace());
  const isLarge = inTurns || (mutated !== object && isLargeValue(mutated));
  const validation = prepareValidation(deps, scope, target, mutated, isLarge);
  if (validation !== undefined) await validation;
  const given = { scope, target, name, ...afterMutation(owned.value, mutated), user };
  const decided = preparing(deps, isLarge, given);
  const creation = decided instanceof Promise ? await decided : decided;
  if (isLarge && !inTurns) await deps.turns.pause(wholeTurnMs);
  if (creation.kind === 'refused' || !asks.validate) return creation;
  const validating = admission.validate(creation.value.object, undefined);
  const error = validating instanceof Promise ? await validating : validating;
  return error === undefined ? creation : refused(error.warned(creation.value.warnings));
}

/** Creates an object of the server itself, whose fields have no manager. */
export async function createUnowned(
  deps: RegistryDeps,
  target: ResourceTarget,
  submitted: ApiObject,
): Promise<Result<WriteResult>> {
  const name = submitted.metadata.name ?? '';
  const scope = scopeOf(deps);
  const born = newObject(scope, target, submitted, name);
  const given = { scope, target, name, born, mutated: born.object, user: undefined };
  const creation = prepared(given);
  if (creation.kind === 'refused') return creation;
  const { object: decided, warnings } = creation.value;
  const object = storedForm(decided, target.kind);
  const command = createCommand(scope, target, object, warnings, false);
  const key = objectKey(target.kind.storage, target.namespace, name);
  const outcome = await executeWithCompanions(deps, { ...target, name }, false, () =>
    deps.actors.execute(key, command),
  );
  return creationResult(outcome, target, name);
}

function createCommand(
  { nowMs }: DecisionScope,
  { kind, namespace }: ResourceTarget,
  object: ApiObject,
  warnings: readonly string[],
  dryRun: boolean,
): CreateCommand {
  const { group, resource } = kind;
  const conditions = creationConditions(kind, namespace);
  const qualifiedResource = { group, resource };
  return { type: 'create', object, conditions, warnings, dryRun, qualifiedResource, nowMs };
}

export interface PreparedCreation {
  readonly object: ApiObject;
  readonly warnings: readonly string[];
}

/** The new object with its owners, before admission: its fields are the writer's, and nobody's is
 * what admission writes and what the kind itself fills in (a job's selector). An owner who later
 * applies an intent without that must not thereby take it out. */
export function ownedObject(
  scope: DecisionScope,
  { kind }: ResourceTarget,
  born: Deduplicated,
  { manager = '' }: Pick<WriteOptions, 'manager'>,
): Result<Deduplicated> {
  const tooMany = tooManyFields(scope, kind, born.object);
  if (tooMany !== undefined) return refused(tooMany);
  const object = tracked(scope, kind, { manager, subresource: '' }, born.object, undefined);
  return ok({ ...born, object });
}

/** Admission has moved it to another namespace. */
export function isInOtherNamespace(
  { metadata }: ApiObject,
  { kind, namespace }: ResourceTarget,
): boolean {
  return kind.namespaced && metadata.namespace !== namespace;
}

/** What is repeated of owners that admission has written is dropped, too, with a warning. */
export function afterMutation(
  born: Deduplicated,
  mutated: ApiObject,
): Pick<CreationToPrepare, 'born' | 'mutated'> {
  if (mutated === born.object) return { born, mutated };
  const { object, warnings } = withoutDuplicateOwners(mutated, 'patched');
  if (warnings.length === 0) return { born, mutated };
  return { born: { ...born, warnings: [...born.warnings, ...warnings] }, mutated: object };
}

/** A new object in the version of the decision, with the fields that the server sets, before
 * admission. Pure. */
export function newObject(
  { nowMs, uid }: DecisionScope,
  { kind, namespace }: ResourceTarget,
  submitted: ApiObject,
  name: string,
): Deduplicated {
  const birth = { uid, creationTimestamp: formatRfc3339(nowMs), name, namespace };
  const born = withUsableOwners(metadataForCreate(submitted, kind, birth));
  return withoutDuplicateOwners(toDecidedVersion(born, kind));
}

/** Where an object comes to be, and by which name. */
interface Birth {
  readonly scope: DecisionScope;
  readonly target: ResourceTarget;
  readonly name: string;
}

interface CreationToPrepare extends Birth {
  readonly born: Deduplicated;
  /** The new object after mutating admission. */
  readonly mutated: ApiObject;
  readonly user: UserInfo | undefined;
}

/** The object as it would be stored; or the refusal. Pure; in parts, for both checks and warnings
 * look at everything in it. */
export function* preparationSteps(given: CreationToPrepare): Steps<Result<PreparedCreation>> {
  const checked = checkedObject(given);
  if (checked.kind === 'refused') return checked;
  yield;
  return withWarnings(checked.value, given);
}

/** The same at once: most creations are small, and a generator costs as much as their checks. */
function prepared(given: CreationToPrepare): Result<PreparedCreation> {
  const checked = checkedObject(given);
  return checked.kind === 'refused' ? checked : withWarnings(checked.value, given);
}

function checkedObject(given: CreationToPrepare): Result<ApiObject> {
  const { born, mutated, name, scope, target, user } = given;
  const { kind } = target;
  const strategy = scope.strategyOf(kind);
  const object = strategy.prepareForCreate(mutated, user);
  const tooMany = object === born.object ? undefined : tooManyFields(scope, kind, object);
  if (tooMany !== undefined) return refused(tooMany);
  const rules = {
    namespaced: kind.namespaced,
    nameValidator: nameValidatorOf(kind.nameRule),
    anyFinalizer: kind.anyFinalizer,
  };
  const errors = allErrors(
    validateObjectMeta(object.metadata, rules),
    strategy.validate(object),
    strategy.validateCreated(object),
  );
  return errors.length > 0 ? refused(newInvalid(storedKind(kind), name, errors)) : ok(object);
}

function withWarnings(
  object: ApiObject,
  { born: { warnings }, scope, target, user }: CreationToPrepare,
): Result<PreparedCreation> {
  const strategy = scope.strategyOf(target.kind);
  const added = user === undefined ? undefined : strategy.warnings?.(object, undefined, '');
  return ok({ object, warnings: added === undefined ? warnings : [...warnings, ...added] });
}

function creationResult(
  outcome: FinalOutcome,
  target: ResourceTarget,
  name: string,
  asked: string = name,
): Result<WriteResult> {
  switch (outcome.kind) {
    case 'created':
      return ok(writtenObject(outcome, target.namespace, name, true, outcome.warnings));
    case 'refused':
      return outcome;
    case 'condition-failed':
      return refused(conditionRefusal(target, asked, outcome));
    case 'replaced':
    case 'unchanged':
    case 'marked':
    case 'removed':
      return refused(newAlreadyExists(target.kind, name));
    default:
      return unreachable(outcome);
  }
}
