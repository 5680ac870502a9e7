/**
 * eviction: deletes a pod, if the pod's disruption budget allows it (spec 1, section 1.3).
 *
 *     pod has ended, never started, or goes already ──▶ delete it
 *     no budget selects it                          ──▶ delete it
 *     more than one does                            ──▶ 500
 *     one, pod not ready and the budget lets it go  ──▶ delete it, if it is still that very pod
 *     one                                           ──▶ take one disruption, or 429; delete it
 *
 * These are two transactions: a disruption that was taken stays taken when the deletion is refused
 * after all. The controller that counts the pods gives it back, as for any pod that was not
 * deleted.
 *
 * Invariants: a dry run makes all checks and changes nothing. The pod's status reports the
 * disruption before the pod is deleted. Bounds: `attemptsMax` attempts for a pod that keeps
 * changing.
 */
import { parseDeleteOptions } from '../../../apimachinery/delete-options.ts';
import type { DeleteOptions } from '../../../apimachinery/delete-options.ts';
import { decodeObject } from '../../../apimachinery/object-encoding.ts';
import { isConflict, newTimeout, StatusError } from '../../../apimachinery/status-error.ts';
import { StatusReason } from '../../../apimachinery/status-table.ts';
import type { ApiObject } from '../../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../../apimachinery/unstructured.ts';
import { deleteObject } from '../../../registry/delete.ts';
import { executeChange } from '../../../registry/execute-change.ts';
import { preconditionConflict } from '../../../registry/preconditions.ts';
import type { Preconditions } from '../../../registry/preconditions.ts';
import { getObject } from '../../../registry/read.ts';
import type {
  ObjectTarget,
  OperationOptions,
  RegistryDeps,
  Result,
} from '../../../registry/registry.ts';
import { ok, refused } from '../../../registry/registry.ts';
import { unownedUpdate } from '../../../registry/update.ts';
import type { DecideOperation, OperationBody } from '../../../registry/write-command.ts';
import {
  budgetsOf,
  allowsUnhealthyEviction,
  budgetNotReady,
  takeDisruption,
} from '../../policy/disruptions.ts';
import { isPodReady, withPodCondition } from './pod-condition.ts';

const attemptsMax = 20;

const subresource = 'eviction';

type Evictor = Pick<OperationOptions, 'manager' | 'user'>;

const disrupted = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'EvictionByEvictionAPI',
  message: 'Eviction API: evicting',
} as const;

/** The options of the deletion are those of the body; the request has the options of the create. */
export async function evict(
  deps: RegistryDeps,
  target: ObjectTarget,
  eviction: ApiObject,
  options: OperationOptions,
): Promise<Result<undefined>> {
  const body = isJsonObject(eviction['deleteOptions']) ? eviction['deleteOptions'] : {};
  const parsed = parseDeleteOptions(new Map(), body, { metaGroup: deps.identity.groups.meta });
  if (parsed instanceof StatusError) return refused(parsed);
  const dryRun = parsed.dryRun || options.dryRun;
  return evictPod(deps, target, { ...parsed, dryRun }, options);
}

/** `options` are those of the deletion; `evictor` asks for it. */
async function evictPod(
  deps: RegistryDeps,
  target: ObjectTarget,
  options: DeleteOptions,
  evictor: Evictor,
): Promise<Result<undefined>> {
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const found = await getObject(deps, target, { kind: 'most-recent' });
    if (found.kind === 'refused') return found;
    const pod = decodeObject(found.value.bytes);
    if (!disruptsNothing(pod)) return evictGuarded(deps, target, pod, options, evictor);
    const asked = (options.preconditions?.resourceVersion ?? '') !== '';
    // A pod that has not started may just be starting.
    const exactly = pod.metadata.deletionTimestamp === undefined && phaseOf(pod) === 'Pending';
    const going = exactly && !asked ? onlyThisVersion(options, pod) : options;
    const gone = await markAndDelete(deps, target, going, evictor);
    const final = asked || !isSamePod(options, pod);
    if (gone.kind === 'ok' || final || !isConflict(gone.error)) return gone;
  }
  return refused(newTimeout(`pod ${target.name} keeps changing; it was not evicted`, 10));
}

/** Whoever asks for another pod of this name is told so, and not made to wait for it. */
function isSamePod({ preconditions }: DeleteOptions, pod: ApiObject): boolean {
  const { uid = '' } = preconditions ?? {};
  return uid === '' || uid === pod.metadata.uid;
}

/** It has ended, or has not begun, or is going anyway: no budget needs to be asked. */
function disruptsNothing(pod: ApiObject): boolean {
  const over = ['Succeeded', 'Failed', 'Pending'].includes(phaseOf(pod));
  return over || pod.metadata.deletionTimestamp !== undefined;
}

function phaseOf({ status }: ApiObject): string {
  return isJsonObject(status) ? String(status['phase'] ?? '') : '';
}

async function evictGuarded(
  deps: RegistryDeps,
  target: ObjectTarget,
  pod: ApiObject,
  options: DeleteOptions,
  evictor: Evictor,
): Promise<Result<undefined>> {
  const [budget, ...more] = await budgetsOf(deps, pod);
  if (more.length > 0) return refused(moreThanOneBudget());
  if (budget === undefined) return markAndDelete(deps, target, options, evictor);
  if (isPodReady(pod) || !allowsUnhealthyEviction(budget)) {
    const taken = await takeDisruption(deps, budget, target.name, options.dryRun);
    if (taken.kind === 'refused') return taken;
    return markAndDelete(deps, target, options, evictor);
  }
  const asked = (options.preconditions?.resourceVersion ?? '') !== '';
  const going = asked ? options : onlyThisVersion(options, pod);
  const gone = await markAndDelete(deps, target, going, evictor);
  if (gone.kind === 'ok' || asked || !isConflict(gone.error)) return gone;
  // It may be ready by now, and count.
  return refused(budgetNotReady(budget.metadata.name ?? ''));
}

function moreThanOneBudget(): StatusError {
  return new StatusError({
    reason: StatusReason.internalError,
    message:
      'This pod has more than one PodDisruptionBudget, ' +
      'which the eviction subresource does not support.',
  });
}

function onlyThisVersion(options: DeleteOptions, pod: ApiObject): DeleteOptions {
  const { resourceVersion } = pod.metadata;
  return { ...options, preconditions: { uid: options.preconditions?.uid, resourceVersion } };
}

export const decideDisruptionMark: DecideOperation = (scope, target, body, _input, current) => {
  const preconditions: Preconditions = {
    uid: preconditionOf(body, 'uid'),
    resourceVersion: preconditionOf(body, 'resourceVersion'),
  };
  const conflict = preconditionConflict(preconditions, current, target);
  if (conflict !== undefined) return refused(conflict);
  const next = withPodCondition(current.object, disrupted, scope.nowMs);
  return unownedUpdate(scope, target, next, current);
};

function preconditionOf({ data }: OperationBody, name: keyof Preconditions): string | undefined {
  const value = data?.[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

async function markAndDelete(
  deps: RegistryDeps,
  target: ObjectTarget,
  options: DeleteOptions,
  evictor: Evictor,
): Promise<Result<undefined>> {
  const { uid, resourceVersion } = options.preconditions ?? {};
  const { manager, user } = evictor;
  const marked = await executeChange(deps, target, {
    body: {
      verb: 'operation',
      operation: 'pods/eviction',
      data: { uid: uid ?? '', resourceVersion: resourceVersion ?? '' },
    },
    options: { dryRun: options.dryRun, user, manager },
    subresource,
    mayCreate: false,
  });
  if (marked.kind === 'refused') return marked;
  // The version that was asked for is the one before the mark.
  const moved = (resourceVersion ?? '') !== '' && !options.dryRun;
  const preconditions = moved
    ? { uid, resourceVersion: marked.value.revision.toString() }
    : options.preconditions;
  const deleted = await deleteObject(deps, target, { ...options, preconditions });
  return deleted.kind === 'refused' ? deleted : ok(undefined);
}
