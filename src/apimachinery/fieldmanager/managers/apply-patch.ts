/**
 * Server-side apply of an object (spec 1, sections 3.2 and 4.5): a valid intent, merged, with what
 * its manager no longer names taken out, and ownership brought up to date.
 *
 * An object of which nobody owns a field is older than ownership: what it has is first given to a
 * manager of its own, so that the intent conflicts with it instead of taking it over unseen. The
 * same holds for a scale whose number of replicas nobody owns.
 *
 * Invariants: a refused intent changes nothing; one that changes neither the object nor who owns
 * what gives back the live object itself.
 */
import { deepEqual } from '../../../stdx/deep-equal.ts';
import { finished } from '../../../stdx/stepwise.ts';
import type { Steps } from '../../../stdx/stepwise.ts';
import { newBadRequest } from '../../status-error.ts';
import type { StatusError } from '../../status-error.ts';
import { formatRfc3339 } from '../../time.ts';
import { parseGroupVersion } from '../../schema.ts';
import type { ApiObject, JsonObject } from '../../unstructured.ts';
import type { ApplyOutcome, ApplyPatch, ApplyRequest } from '../field-manager.ts';
import type { Applied, AppliedIntent, Intent } from '../merge/apply.ts';
import { applyIntent } from '../merge/apply.ts';
import type { Managers, ManagersDraft } from '../merge/managers.ts';
import { setOwned, withSet } from '../merge/managers.ts';
import type { MergeType } from '../schema/merge-type.ts';
import { deducedType } from '../schema/deduced.ts';
import { formatValidationErrors, validationSteps } from '../typed/validate.ts';
import { newApplyConflict } from './conflict-error.ts';
import { withLastApplied, withoutLastApplied } from './last-applied.ts';
import type { Managed } from './managed-fields.ts';
import {
  decodeManagedSteps,
  encodeManaged,
  managerIdentifier,
  nothingManaged,
  sameOwners,
  timesOf,
} from './managed-fields.ts';
import { hasOwners } from './owned-kind.ts';
import { intendedPart, withManagedFields, withoutOwnerless } from './ownerless-fields.ts';
import { ownersAfter } from './track-update.ts';
import { versionRules } from './version-rules.ts';

/** Owns what was there before anybody applied. */
const beforeFirstApply = 'before-first-apply';

export const applyPatch: ApplyPatch = (request) => finished(applyPatchSteps(request));

/** applyPatch() in parts. */
export function* applyPatchSteps(request: ApplyRequest): Steps<ApplyOutcome> {
  const { live, kind, apiVersion, manager, subresource } = request;
  const type = kind.typeAt(apiVersion) ?? deducedType;
  const intended = intendedPart(request.applied, live);
  const error = yield* refusalOf(request, type, intended);
  if (error !== undefined) return { kind: 'refused', error };
  yield;
  const managed = (yield* decodeManagedSteps(live?.metadata['managedFields'])) ?? nothingManaged;
  const bare: JsonObject =
    live === undefined ? {} : kind.toVersion(withManagedFields(live, undefined), apiVersion);
  const start = yield* startingOwners(request, bare, managed);
  const intent: Intent = {
    value: intended,
    version: apiVersion,
    manager: managerIdentifier({ manager, operation: 'Apply', apiVersion, subresource }),
    force: request.force,
  };
  yield;
  const outcome = yield* applyOrTakeOver(request, type, bare, intent, start.owners);
  yield;
  if (outcome.kind === 'conflicts') {
    return { kind: 'refused', error: newApplyConflict(outcome.conflicts) };
  }
  return yield* finish(request, managed, start.times, intent.manager, outcome);
}

/** Why the intent is none of this kind, if so. */
function* refusalOf(
  request: ApplyRequest,
  type: MergeType,
  intended: JsonObject,
): Steps<StatusError | undefined> {
  const { applied, apiVersion, kind } = request;
  if (applied.apiVersion !== apiVersion || applied.kind !== kind.kind) {
    const shown = displayKind(applied.apiVersion, applied.kind);
    return newBadRequest(`invalid object type: ${shown}`);
  }
  const { managedFields, name, namespace } = applied.metadata;
  if (managedFields !== undefined && managedFields !== null) {
    return newBadRequest('metadata.managedFields must be nil');
  }
  const errors = yield* validationSteps(type, intended);
  if (errors.length === 0) return undefined;
  const shown = `${namespace ?? ''}/${name ?? ''}; ${displayKind(apiVersion, kind.kind)}`;
  const why = formatValidationErrors(errors);
  return newBadRequest(`failed to create typed patch object (${shown}): ${why}`);
}

function displayKind(apiVersion: string, kind: string): string {
  const parsed = parseGroupVersion(apiVersion);
  const version = parsed?.group === '' ? `/${parsed.version}` : apiVersion;
  return `${version}, Kind=${kind}`;
}

interface StartingOwners {
  readonly owners: Managers;
  readonly times: Map<string, string>;
}

function* startingOwners(
  request: ApplyRequest,
  bare: JsonObject,
  managed: Managed,
): Steps<StartingOwners> {
  const times = timesOf(managed);
  const { live, kind, apiVersion, nowMs } = request;
  if (live === undefined || hasOwners(request, managed.owners)) {
    return { owners: managed.owners, times };
  }
  const writer = { ...request, manager: beforeFirstApply };
  const before = kind.emptyAt(apiVersion);
  const none = nothingManaged.owners;
  const { draft, written } = yield* ownersAfter(writer, before, bare, none);
  if (written !== undefined) times.set(written, formatRfc3339(nowMs));
  return { owners: new Map([...managed.owners, ...draft]), times };
}

/** A conflict with what client-side apply had set is none for the client that goes on with it. */
function* applyOrTakeOver(
  request: ApplyRequest,
  type: MergeType,
  bare: JsonObject,
  intent: Intent,
  owners: Managers,
): Steps<Applied> {
  const rules = versionRules(request);
  const live = { value: bare, version: request.apiVersion };
  const outcome = yield* applyIntent(rules, live, intent, owners);
  if (outcome.kind === 'applied') return outcome;
  yield;
  const conflicts = yield* withoutLastApplied(request, type, bare, outcome.conflicts);
  if (conflicts.size > 0) return { kind: 'conflicts', conflicts };
  yield;
  return yield* applyIntent(rules, live, { ...intent, force: true }, owners);
}

function* finish(
  request: ApplyRequest,
  managed: Managed,
  times: Map<string, string>,
  writer: string,
  outcome: AppliedIntent,
): Steps<ApplyOutcome> {
  const { live, kind, nowMs } = request;
  const owners: ManagersDraft = outcome.managers;
  const claim = owners.get(writer);
  if (claim !== undefined) setOwned(owners, writer, withSet(claim, withoutOwnerless(claim.set)));
  const merged = withLastApplied(request, outcome.value as ApiObject);
  const stored = live === undefined ? merged : kind.toVersion(merged, live.apiVersion);
  yield;
  const object = request.complete === undefined ? stored : yield* request.complete(stored);
  yield;
  const before = live && withManagedFields(live, undefined);
  const isSame = before !== undefined && deepEqual(withManagedFields(object, undefined), before);
  if (isSame && sameOwners(owners, managed.owners)) return { kind: 'ok', object: live ?? object };
  // As the reference has it: who owns more by an apply that changes nothing keeps his old time.
  // What he changes counts also where the kind does not take it.
  if (!isSame || !deepEqual(stored, before)) times.set(writer, formatRfc3339(nowMs));
  yield;
  const entries = encodeManaged(owners, managed, times);
  return { kind: 'ok', object: withManagedFields(isSame ? (live ?? object) : object, entries) };
}
