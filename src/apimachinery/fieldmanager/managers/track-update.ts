/**
 * Ownership through any write but apply: create, update, patch, and what the server does itself
 * (spec 1, sections 3.2 and 4.5, rules 4 and 8).
 *
 *     created       the writer owns everything that it made
 *     changed       the writer owns what changed, and everybody loses what was removed
 *     unchanged     the live object's entries, with their times; parts of a field that has become
 *                   atomic since are owned as the whole
 *     cleared       by a list with one empty entry: nobody owns anything, but for what the same
 *                   write changes
 *
 * An object that nobody owns a field of stays so, until it is cleared along with a change or
 * applied for the first time; so does a scale whose number of replicas nobody owns.
 */
import { deepEqual } from '../../../stdx/deep-equal.ts';
import { finished } from '../../../stdx/stepwise.ts';
import type { Steps } from '../../../stdx/stepwise.ts';
import { formatRfc3339 } from '../../time.ts';
import type { ApiObject, JsonArray, JsonObject, JsonValue } from '../../unstructured.ts';
import { isJsonObject, withMember } from '../../unstructured.ts';
import type { FieldWriter, TrackUpdate, UpdateToTrack } from '../field-manager.ts';
import { isEmptySet, union } from '../fieldpath/field-set.ts';
import type { Managers, ManagersDraft } from '../merge/managers.ts';
import { updateManagers } from '../merge/update.ts';
import { deducedType } from '../schema/deduced.ts';
import type { Comparison } from '../typed/compare.ts';
import { compareValuesOf } from '../typed/compare.ts';
import { reconcileFields } from '../typed/reconcile.ts';
import { capUpdateManagers } from './cap-managers.ts';
import { createdFields } from './created-fields.ts';
import type { Managed, StoredEntry } from './managed-fields.ts';
import {
  decodeManagedSteps,
  encodeManaged,
  isEntryOf,
  makeEntry,
  managerIdentifier,
  nothingManaged,
  timesOf,
} from './managed-fields.ts';
import { hasOwners } from './owned-kind.ts';
import { withManagedFields, withoutOwnerless } from './ownerless-fields.ts';
import { versionRules } from './version-rules.ts';

export const trackUpdate: TrackUpdate = (update) => {
  const { live, next } = update;
  if (live === undefined && next.metadata['managedFields'] === undefined) {
    return withManagedFields(next, ownedByMaker(update));
  }
  return finished(trackUpdateSteps(update));
};

/** trackUpdate() in parts, which takes some milliseconds where thousands of fields change. */
export function* trackUpdateSteps(update: UpdateToTrack): Steps<ApiObject> {
  const { live, next, kind, apiVersion } = update;
  const start = yield* startOf(update);
  yield;
  const liveEntries = live?.metadata['managedFields'];
  const { owners } = start.managed;
  if (live !== undefined && !start.isReset && !hasOwners(update, owners)) {
    return withManagedFields(next, owners.size === 0 ? undefined : liveEntries);
  }
  // With the live object's entries it differs from that only in what the write changed.
  const candidate = withManagedFields(next, liveEntries);
  const before: JsonObject = live ?? kind.emptyAt(apiVersion);
  const type = kind.typeAt(apiVersion) ?? deducedType;
  const compared = compareValuesOf(type, before, candidate);
  yield;
  if (start.isLive) {
    if (compared === undefined && fitTypes(update, start.managed)) return candidate;
    const sole = compared && soleOwner(update, start.managed, compared);
    const time = formatRfc3339(update.nowMs);
    if (sole?.time === time) return candidate;
    if (sole !== undefined) {
      return withManagedFields(candidate, [withMember(sole.entry, 'time', time)]);
    }
  }
  const entries = yield* ownedAfter(update, before, candidate, start.managed, compared);
  return withManagedFields(candidate, sameEntries(entries, liveEntries) ? liveEntries : entries);
}

/** Whether nothing that is owned has become another kind of field since. A version that is not
 * there any more has no type to ask. */
function fitTypes({ kind }: UpdateToTrack, { owners }: Managed): boolean {
  for (const { set, version } of owners.values()) {
    const type = kind.typeAt(version);
    if (type !== undefined && reconcileFields(type, set) !== set) return false;
  }
  return true;
}

function ownedByMaker(update: UpdateToTrack): JsonArray | undefined {
  const set = createdFields(update, update.next);
  if (isEmptySet(set)) return undefined;
  const { manager, apiVersion, subresource } = update;
  const identity = { manager, operation: 'Update', apiVersion, subresource } as const;
  return [makeEntry(identity, set, formatRfc3339(update.nowMs))];
}

interface Start {
  readonly managed: Managed;
  /** The live object's, unchanged by the client. */
  readonly isLive: boolean;
  readonly isReset: boolean;
}

/** The entries that the write starts from: the client may have cleared or edited them. */
function* startOf({ live, next, subresource }: UpdateToTrack): Steps<Start> {
  const liveEntries = live?.metadata['managedFields'];
  const sent = subresource === '' ? next.metadata['managedFields'] : undefined;
  if (sent !== undefined && !deepEqual(sent, liveEntries)) {
    if (isReset(sent)) return { managed: nothingManaged, isLive: false, isReset: true };
    // Each entry of thousands of fields is looked at for some milliseconds.
    yield;
    const edited = yield* decodeManagedSteps(sent);
    if (edited !== undefined && edited.owners.size > 0) {
      return { managed: edited, isLive: false, isReset: false };
    }
    yield;
  }
  const managed = (yield* decodeManagedSteps(liveEntries)) ?? nothingManaged;
  return { managed, isLive: true, isReset: false };
}

/** One entry with nothing in it. An empty list is not a reset: clients that do not know the field
 * send it. */
function isReset(entries: JsonValue): boolean {
  if (!Array.isArray(entries) || entries.length !== 1) return false;
  const [entry] = entries as JsonArray;
  return isJsonObject(entry) && Object.values(entry).every((value) => value === undefined);
}

function* ownedAfter(
  update: UpdateToTrack,
  before: JsonObject,
  next: ApiObject,
  managed: Managed,
  compared: Comparison | undefined,
): Steps<JsonArray | undefined> {
  const { draft, written } = yield* ownersAfter(update, before, next, managed.owners, compared);
  const times = timesOf(managed);
  if (written !== undefined) times.set(written, formatRfc3339(update.nowMs));
  capUpdateManagers(draft, times);
  return encodeManaged(draft, managed, times);
}

/** The entry of the writer when it has changed nothing but what it alone owns, as controllers do
 * over and over: then ownership stays as it is, and only the time moves on. */
function soleOwner(
  update: UpdateToTrack,
  { stored, owners }: Managed,
  { added, modified, removed }: Comparison,
): StoredEntry | undefined {
  if (stored.size !== 1 || owners.size !== 1 || !isEmptySet(removed)) return undefined;
  const [sole] = stored.values();
  if (sole?.time === undefined || !isEntryOf(sole.entry, update)) return undefined;
  const { kind, apiVersion, subresource } = update;
  const { set } = sole.owned;
  const written = withoutOwnerless(kind.keepWritable(union(modified, added), subresource));
  if (isEmptySet(written) || union(set, written) !== set) return undefined;
  // What was claimed but cannot be owned, or no longer as it was, is put right on the long way.
  if (withoutOwnerless(set) !== set) return undefined;
  const type = kind.typeAt(apiVersion) ?? deducedType;
  return reconcileFields(type, set) === set ? sole : undefined;
}

interface OwnersAfter {
  readonly draft: ManagersDraft;
  /** The identifier of the writer, when it has come to own something. */
  readonly written: string | undefined;
}

/** Never the name of a manager: a writer may take fields from its own earlier entry, too. */
const currentOperation = '';

/** Ownership after a write of `next` over `before`, and who has written. */
export function* ownersAfter(
  writer: FieldWriter,
  before: JsonObject,
  next: JsonObject,
  managers: Managers,
  compared?: Comparison,
): Steps<OwnersAfter> {
  const { apiVersion: version, manager, subresource } = writer;
  const change = {
    live: { value: before, version },
    next: { value: next, version },
    writer: currentOperation,
    compared,
  };
  const draft = yield* updateManagers(versionRules(writer), change, managers);
  yield;
  const current = draft.get(currentOperation);
  draft.delete(currentOperation);
  const set = current === undefined ? undefined : withoutOwnerless(current.set);
  if (set === undefined || isEmptySet(set)) return { draft, written: undefined };
  const identity = { manager, operation: 'Update', apiVersion: version, subresource } as const;
  const written = managerIdentifier(identity);
  const earlier = draft.get(written);
  const owned = earlier === undefined ? set : union(earlier.set, set);
  draft.set(written, { set: owned, version, applied: false });
  return { draft, written };
}

function sameEntries(entries: JsonArray | undefined, live: JsonValue | undefined): boolean {
  if (entries === undefined || !Array.isArray(live)) return entries === live;
  const stored = live as JsonArray;
  return entries.length === stored.length && entries.every((entry, i) => entry === stored[i]);
}
