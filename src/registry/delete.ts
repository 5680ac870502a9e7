/**
 * delete: DELETE of one object, in the two phases of spec 1, section 3.1.
 *
 *   no finalizer, no grace ──▶ removed in one step: one DELETED event, nothing before it
 *   otherwise              ──▶ marked: deletionTimestamp, grace; removed when nothing holds it
 *
 * What it is not: garbage collection. Dependents are not looked at, so every propagationPolicy
 * leaves them as they are.
 *
 * Invariants: preconditions are checked on the state the decision is made on; a later delete can
 * only shorten the grace period; nothing un-marks an object.
 */
import type { DeleteOptions } from '../apimachinery/delete-options.ts';
import { newBadRequest, newConflict } from '../apimachinery/status-error.ts';
import type { StatusError } from '../apimachinery/status-error.ts';
import { formatRfc3339, parseRfc3339 } from '../apimachinery/time.ts';
import type { ApiObject, ObjectMeta } from '../apimachinery/unstructured.ts';
import type { CurrentObject, DeletionPlan } from '../../actors/actors.ts';
import { assert, unreachable } from '../stdx/assert.ts';
import { bumpGeneration } from './object-metadata.ts';
import type { DeleteResult, ObjectTarget, RegistryDeps, Result } from './registry.ts';
import { ok, refused } from './registry.ts';
import type { KindStrategy } from './strategy.ts';
import { storedObject } from './written-object.ts';

export async function deleteObject(
  deps: RegistryDeps,
  target: ObjectTarget,
  options: DeleteOptions,
): Promise<Result<DeleteResult>> {
  const { kind, namespace, name } = target;
  const strategy = deps.strategyOf(kind);
  const forbidden = strategy.forbidDeletion(name);
  if (forbidden !== undefined) return refused(forbidden);
  const nowMs = deps.clock.nowMs();
  const outcome = await deps.actors.execute(
    { ...kind.storage, namespace, name },
    {
      type: 'delete',
      plan: (current) =>
        readableRefusal(options, target) ??
        preconditionRefusal(options, current, target) ??
        planDeletion(current.object, strategy, options.gracePeriodSeconds, nowMs),
      dryRun: options.dryRun,
      qualifiedResource: kind,
    },
  );
  switch (outcome.kind) {
    case 'removed':
    case 'marked':
    case 'unchanged':
    case 'replaced':
    case 'created':
      return ok({
        object: storedObject(outcome, namespace, name),
        uid: outcome.object.metadata.uid ?? '',
        removed: outcome.kind === 'removed',
      });
    case 'refused':
      return outcome;
    case 'condition-failed':
      return assertNoCondition();
    default:
      return unreachable(outcome);
  }
}

function assertNoCondition(): never {
  assert(false, 'a delete carries no condition');
}

/** What the delete does to this object. Pure. */
function planDeletion(
  object: ApiObject,
  strategy: KindStrategy,
  requestedGrace: number | undefined,
  nowMs: number,
): DeletionPlan {
  const { deletionTimestamp, finalizers } = object.metadata;
  const grace = strategy.gracePeriodSeconds(object, requestedGrace);
  const held = (finalizers?.length ?? 0) > 0 || strategy.holdsDeletion(object);
  if (grace === 0 && !held) return { kind: 'remove' };
  if (deletionTimestamp === undefined) {
    const marked = strategy.markDeletion(withDeletion(object, grace, nowMs + grace * 1000));
    return { kind: 'mark', object: marked };
  }
  return { kind: 'mark', object: shortened(object, grace, requestedGrace !== undefined) };
}

function withDeletion(object: ApiObject, graceSeconds: number, atMs: number): ApiObject {
  const metadata: ObjectMeta = {
    ...object.metadata,
    deletionTimestamp: formatRfc3339(atMs),
    deletionGracePeriodSeconds: graceSeconds,
  };
  const marked = { ...object, metadata };
  return (object.metadata.generation ?? 0) > 0 ? bumpGeneration(marked) : marked;
}

/** The deletion that is under way, brought forward when this request asks for less grace. */
function shortened(object: ApiObject, graceSeconds: number, asked: boolean): ApiObject {
  const { deletionTimestamp, deletionGracePeriodSeconds } = object.metadata;
  const current = deletionGracePeriodSeconds ?? 0;
  if (!asked || graceSeconds >= current) return object;
  const startedMs = (parseRfc3339(deletionTimestamp ?? '') ?? 0) - current * 1000;
  const metadata: ObjectMeta = {
    ...object.metadata,
    deletionTimestamp: formatRfc3339(startedMs + graceSeconds * 1000),
    deletionGracePeriodSeconds: graceSeconds,
  };
  return { ...object, metadata };
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
      `the UID in the precondition (${uid}) does not match the UID in record (${currentUid}): ` +
        'the object may have been deleted and created again',
    );
  }
  const revision = current.revision?.toString() ?? 'not committed yet';
  if (resourceVersion !== undefined && resourceVersion !== revision) {
    return conflict(
      `the ResourceVersion in the precondition (${resourceVersion}) does not match ` +
        `the ResourceVersion in record (${revision}): the object may have been modified`,
    );
  }
  return undefined;
}

function refusal(error: StatusError): DeletionPlan {
  return { kind: 'refused', error };
}
