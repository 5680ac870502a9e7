/**
 * delete: DELETE of one object, in the two phases of spec 1, section 3.1.
 *
 *   no finalizer, no grace ──▶ removed in one step: one DELETED event, nothing before it
 *   otherwise              ──▶ marked: deletionTimestamp, grace; removed when nothing holds it
 *   grace cut to nothing   ──▶ marked, so that watches see the grace it got, then removed
 *
 * Dependents are not looked at; propagationPolicy only decides which finalizer tells the garbage
 * collector what to do (deletion-finalizers.ts).
 *
 * Invariants: preconditions are checked on the state the decision is made on; a later delete can
 * only shorten the grace period; nothing un-marks an object; while a grace period runs, finalizers
 * stay as they are.
 */
import type { DeleteOptions } from '../apimachinery/delete-options.ts';
import type { Identity } from '../apimachinery/identity.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import { isNotFound, newBadRequest, newConflict } from '../apimachinery/status-error.ts';
import type { StatusError } from '../apimachinery/status-error.ts';
import { formatRfc3339, parseRfc3339 } from '../apimachinery/time.ts';
import { withMember } from '../apimachinery/unstructured.ts';
import type { ApiObject, ObjectMeta } from '../apimachinery/unstructured.ts';
import type { UserInfo } from '../apimachinery/user-info.ts';
import type { CommandSource, CurrentObject } from '../../actors/actors.ts';
import { assert } from '../stdx/assert.ts';
import { shortWorkMs } from '../stdx/turns.ts';
import { objectKey } from '../storage/keys.ts';
import { withDeletionFinalizers } from './deletion-finalizers.ts';
import { bumpGeneration } from './object-metadata.ts';
import type { DeleteResult, ObjectTarget, RegistryDeps, Result } from './registry.ts';
import { executeWithCompanions } from './execute-with-companions.ts';
import type { FinalOutcome } from './execute-with-companions.ts';
import { ok, refused } from './registry.ts';
import type { KindStrategy } from './strategy.ts';
import { completesDeletion } from './update.ts';
import { changeCommand } from './write-command.ts';
import type { ChangeRequest, DecisionScope } from './write-command.ts';
import { operations } from './write-guard.ts';
import { deletionTerms, deliverNotes } from './write-terms.ts';
import type { WritingRequest } from './write-terms.ts';
import { storedObject } from './written-object.ts';

type Settled = Exclude<FinalOutcome, { kind: 'refused' } | { kind: 'condition-failed' }>;

/** For whom an object is deleted. */
export interface DeletionFor {
  readonly user: UserInfo;
  readonly request?: WritingRequest | undefined;
  /** The request deletes this one object. */
  readonly isWhole?: boolean | undefined;
}

/** `whom` absent: for the server itself. */
export async function deleteObject(
  deps: RegistryDeps,
  target: ObjectTarget,
  options: DeleteOptions,
  whom?: DeletionFor,
): Promise<Result<DeleteResult>> {
  const strategy = deps.strategyOf(target.kind);
  const forbidden = strategy.forbidDeletion(target.name);
  if (forbidden !== undefined) return refused(forbidden);
  const guard = whom && deps.guardOf?.(whom.user, target, operations.delete);
  const current = guard?.current(whom?.request?.exchange);
  if (current !== undefined) await current.then(() => deps.turns.pause(shortWorkMs));
  const terms = guard && deletionTerms(deps.clock, options, whom.request);
  const asked = { user: whom?.user, asks: guard?.asks, terms };
  const first = await executeDelete(deps, target, options, asked, whom);
  if (first.kind === 'refused') return first;
  const marked = first.value;
  if (options.dryRun || marked.kind === 'removed' || !completesDeletion(marked.object, strategy)) {
    return ok(deleteResult(marked, target));
  }
  // Its grace was cut to nothing. Should this server end here, the next delete goes on.
  const preconditions = { uid: marked.object.metadata.uid };
  const again = { dryRun: false, preconditions };
  const second = await executeDelete(deps, target, again, { user: undefined });
  if (second.kind === 'ok') return ok(deleteResult(second.value, target));
  if (isNotFound(second.error)) return ok({ ...deleteResult(marked, target), removed: true });
  return second;
}

async function executeDelete(
  deps: RegistryDeps,
  target: ObjectTarget,
  options: DeleteOptions,
  { asks, terms, user }: Pick<ChangeRequest, 'asks' | 'terms' | 'user'>,
  whom?: DeletionFor,
): Promise<Result<Settled>> {
  const { kind, namespace, name } = target;
  const command = changeCommand(
    deps,
    target,
    { verb: 'delete', options },
    {
      subresource: '',
      manager: '',
      user,
      asks,
      terms,
      dryRun: options.dryRun,
      mayCreate: false,
      conditions: [],
      inTurns: false,
    },
  );
  const key = objectKey(kind.storage, namespace, name);
  const outcome = await executeWithCompanions(deps, target, options.dryRun, () =>
    deps.actors.execute(key, command, undefined, sourceOf(whom)),
  );
  deliverNotes(whom?.request, outcome.notes);
  if (outcome.kind === 'refused') return outcome;
  assert(outcome.kind !== 'condition-failed', 'a delete carries no condition');
  return ok(outcome);
}

/** One of many deletions of a request is not measured. */
function sourceOf(whom: DeletionFor | undefined): CommandSource | undefined {
  const request = whom?.request;
  return request === undefined || whom?.isWhole === true ? request : { exchange: request.exchange };
}

/** What the delete does to the object that is there. */
export function decideDelete(
  { identity, nowMs, strategyOf }: DecisionScope,
  target: ObjectTarget,
  options: DeleteOptions,
  current: CurrentObject,
): DeletionPlan {
  const { kind } = target;
  const rules = { kind, strategy: strategyOf(kind), names: identity.finalizers, nowMs };
  return (
    readableRefusal(options, target) ??
    preconditionRefusal(options, current, target) ??
    planDeletion(current.object, rules, options)
  );
}

function deleteResult(outcome: Settled, { namespace, name }: ObjectTarget): DeleteResult {
  return {
    object: storedObject(outcome, namespace, name),
    uid: outcome.object.metadata.uid ?? '',
    removed: outcome.kind === 'removed',
  };
}

export type DeletionPlan =
  /** Nothing holds the object: remove it now. `object`: what the answer shows, where that is not
   * the object as it was. */
  | { readonly kind: 'remove'; readonly object?: ApiObject | undefined }
  /** Finalizers or a grace period hold it: this is the object with its deletion marked. */
  | { readonly kind: 'mark'; readonly object: ApiObject }
  | { readonly kind: 'refused'; readonly error: StatusError };

interface DeletionRules {
  readonly kind: KindInfo;
  readonly strategy: KindStrategy;
  readonly names: Identity['finalizers'];
  readonly nowMs: number;
}

/** What the delete does to this object. Pure. */
function planDeletion(
  object: ApiObject,
  rules: DeletionRules,
  options: DeleteOptions,
): DeletionPlan {
  const { deletionTimestamp } = object.metadata;
  return deletionTimestamp === undefined
    ? planFirst(object, rules, options)
    : planAgain(object, rules, options);
}

function planFirst(
  object: ApiObject,
  { kind, strategy, names, nowMs }: DeletionRules,
  options: DeleteOptions,
): DeletionPlan {
  const given = strategy.gracePeriodSeconds(object, options.gracePeriodSeconds);
  const grace = given ?? 0;
  const next = withDeletionFinalizers(object, kind, options, names);
  if (grace > 0 || isHeld(next, strategy)) {
    const timed = withDeletion(next, grace, nowMs + grace * 1000);
    return { kind: 'mark', object: strategy.markDeletion(timed, next) };
  }
  // What can have a grace period shows that it was given none.
  if (given === undefined) return { kind: 'remove' };
  return { kind: 'remove', object: withDeletion(next, 0, nowMs) };
}

function planAgain(
  object: ApiObject,
  { kind, strategy, names }: DeletionRules,
  options: DeleteOptions,
): DeletionPlan {
  const { deletionGracePeriodSeconds: current = 0 } = object.metadata;
  const { gracePeriodSeconds: requested } = options;
  const asItIs: DeletionPlan = { kind: 'mark', object };
  if (strategy.holdsDeletion(object)) return asItIs;
  if (current > 0 && (requested === undefined || requested >= current)) return asItIs;
  const grace = current > 0 ? (requested ?? 0) : 0;
  const next = withDeletionFinalizers(shortened(object, grace), kind, options, names);
  if (grace > 0 || isHeld(next, strategy)) return { kind: 'mark', object: next };
  if (current === 0) return { kind: 'remove' };
  return options.dryRun ? { kind: 'remove', object: next } : { kind: 'mark', object: next };
}

function isHeld(object: ApiObject, strategy: KindStrategy): boolean {
  return (object.metadata.finalizers?.length ?? 0) > 0 || strategy.holdsDeletion(object);
}

function withDeletion(object: ApiObject, graceSeconds: number, atMs: number): ApiObject {
  const metadata = dated(object.metadata, atMs, graceSeconds);
  const marked = { ...object, metadata };
  return (object.metadata.generation ?? 0) > 0 ? bumpGeneration(marked) : marked;
}

/** The deletion that is under way, brought forward to a shorter grace. */
function shortened(object: ApiObject, graceSeconds: number): ApiObject {
  const { deletionTimestamp, deletionGracePeriodSeconds: current = 0 } = object.metadata;
  if (graceSeconds === current) return object;
  const startedMs = (parseRfc3339(deletionTimestamp ?? '') ?? 0) - current * 1000;
  const metadata = dated(object.metadata, startedMs + graceSeconds * 1000, graceSeconds);
  return { ...object, metadata };
}

function dated(metadata: ObjectMeta, atMs: number, graceSeconds: number): ObjectMeta {
  const timed = withMember(metadata, 'deletionTimestamp', formatRfc3339(atMs));
  return withMember(timed, 'deletionGracePeriodSeconds', graceSeconds);
}

/** That option is for objects that cannot be read; a decision is only made on one that was. */
function readableRefusal(options: DeleteOptions, target: ObjectTarget): DeletionPlan | undefined {
  if (options.ignoreStoreReadErrorWithClusterBreakingPotential !== true) return undefined;
  return refusal(
    newBadRequest(
      `${target.kind.resource} "${target.name}" can be read: delete it without ` +
        'ignoreStoreReadErrorWithClusterBreakingPotential',
    ),
  );
}

function preconditionRefusal(
  options: DeleteOptions,
  current: CurrentObject,
  target: ObjectTarget,
): DeletionPlan | undefined {
  const { uid, resourceVersion } = options.preconditions ?? {};
  const conflict = (why: string): DeletionPlan =>
    refusal(newConflict(target.kind, target.name, why));
  const currentUid = current.object.metadata.uid ?? '';
  if (uid !== undefined && uid !== currentUid) {
    return conflict(
      `the UID in the precondition (${uid}) does not match the UID in record (${currentUid}). ` +
        'The object might have been deleted and then recreated',
    );
  }
  const revision = current.revision?.toString() ?? 'not committed yet';
  if (resourceVersion !== undefined && resourceVersion !== revision) {
    return conflict(
      `the ResourceVersion in the precondition (${resourceVersion}) does not match ` +
        `the ResourceVersion in record (${revision}). The object might have been modified`,
    );
  }
  return undefined;
}

function refusal(error: StatusError): DeletionPlan {
  return { kind: 'refused', error };
}
