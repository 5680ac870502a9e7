/**
 * One decision: what a command does to the object as the actor knows it. Pure and synchronous.
 *
 *   command ──ask produce/plan──▶ event ──machine──▶ verdict ──▶ write | answer
 *
 * Invariants: a throw in the command's own functions, or in encoding, refuses that command and
 * nothing else. Equal content is "unchanged" and makes no mutation. A dry run makes none either. A
 * value that the store could not take is refused here, before it can disturb a shared commit.
 */
import {
  newAlreadyExists,
  newAlreadyExistsBeingDeleted,
  newInternalError,
  newNotFound,
  newRequestEntityTooLarge,
} from '../src/apimachinery/status-error.ts';
import type { StatusError } from '../src/apimachinery/status-error.ts';
import type { ApiObject } from '../src/apimachinery/unstructured.ts';
import { storeKey } from '../src/storage/keys.ts';
import type { ObjectKey } from '../src/storage/keys.ts';
import type { ObjectRecord, RecordTimer } from '../src/storage/record.ts';
import { storageLimits } from '../src/storage/storage.ts';
import type { Condition, MutationOperation, StoreKey } from '../src/storage/storage.ts';
import { assert, AssertionError, unreachable } from '../src/stdx/assert.ts';
import { deepEqual } from '../src/stdx/deep-equal.ts';
import { messageOf } from '../src/stdx/message-of.ts';
import type {
  CurrentObject,
  DeleteCommand,
  DueCommand,
  ObjectCommand,
  ReplaceCommand,
} from './actors.ts';
import { step } from './object-machine.ts';
import type { LifeState, ObjectEventType } from './object-machine.ts';
import { absentSnapshot } from './object-snapshot.ts';
import type { ObjectImage, ObjectSnapshot } from './object-snapshot.ts';
import { timerAfterDue, timerAfterWrite } from './token-timer.ts';
import type { TokenTiming } from './token-timer.ts';

export type WriteKind = 'created' | 'replaced' | 'marked' | 'removed';

export type Decision =
  | {
      readonly kind: 'write';
      readonly outcome: WriteKind;
      readonly shown: ObjectImage;
      /** What the actor knows once this is submitted. */
      readonly next: ObjectSnapshot;
      readonly operation: MutationOperation;
      readonly conditions: readonly Condition[];
    }
  /** Nothing to write: a no-op, or a dry run of what `outcome` says. */
  | {
      readonly kind: 'show';
      readonly outcome: WriteKind | 'unchanged';
      readonly shown: ObjectImage;
    }
  | { readonly kind: 'refused'; readonly error: StatusError };

export interface RecordEncoders {
  readonly encode: (key: ObjectKey, object: ApiObject) => { readonly record: ObjectRecord };
  readonly encodeRecord: (
    record: ObjectRecord,
    place: { readonly key: StoreKey; readonly state: string },
  ) => Uint8Array;
  /** Of objects whose life depends on time; absent: there are none. */
  readonly timing?: TokenTiming | undefined;
}

/** What the command's functions said: the event for the machine, and what comes with it. */
interface Finding {
  readonly event: ObjectEventType;
  readonly object?: ApiObject | undefined;
  readonly error?: StatusError | undefined;
  /** Of the next record, where it does not follow from the object. */
  readonly timer?: RecordTimer | undefined;
}

/** Never throws. */
export function decide(
  key: ObjectKey,
  command: ObjectCommand,
  basis: ObjectSnapshot,
  encoders: RecordEncoders,
): Decision {
  try {
    return judge(key, command, basis, encoders);
  } catch (error) {
    const why = messageOf(error);
    return { kind: 'refused', error: newInternalError(why) };
  }
}

function judge(
  key: ObjectKey,
  command: ObjectCommand,
  basis: ObjectSnapshot,
  encoders: RecordEncoders,
): Decision {
  const finding = ask(key, command, basis, encoders);
  const { next, verdict } = step(basis.life, finding.event);
  const gr = command.qualifiedResource;
  switch (verdict) {
    case 'created':
    case 'replaced':
    case 'marked':
    case 'removed':
      return write(key, command, basis, { outcome: verdict, life: next, finding }, encoders);
    case 'unchanged':
      return { kind: 'show', outcome: 'unchanged', shown: imageOf(basis) };
    case 'refusedByCommand':
      assert(finding.error !== undefined, 'a refusal has an error');
      return { kind: 'refused', error: finding.error };
    case 'refusedNotFound':
      return { kind: 'refused', error: newNotFound(gr, key.name) };
    case 'refusedExists':
      return { kind: 'refused', error: newAlreadyExists(gr, key.name) };
    case 'refusedBeingDeleted':
      return { kind: 'refused', error: newAlreadyExistsBeingDeleted(gr, key.name) };
    case 'misfit':
      throw new AssertionError(`${finding.event} cannot happen to an object that is ${basis.life}`);
    default:
      return unreachable(verdict);
  }
}

function ask(
  key: ObjectKey,
  command: ObjectCommand,
  basis: ObjectSnapshot,
  { timing }: RecordEncoders,
): Finding {
  switch (command.type) {
    case 'create':
      return { event: 'create', object: command.object };
    case 'replace':
      return basis.life === 'absent' ? askToCreate(command) : askToReplace(command, basis);
    case 'delete':
      return basis.life === 'absent' ? { event: 'delete.none' } : askToDelete(command, basis);
    case 'due':
      return basis.life === 'absent'
        ? { event: 'replace.none' }
        : askTimer(key, command, basis, timing);
    default:
      return unreachable(command);
  }
}

/** Only the timer in the record changes; the object stays as it is. */
function askTimer(
  key: ObjectKey,
  { nowMs }: DueCommand,
  basis: ObjectSnapshot,
  timing: TokenTiming | undefined,
): Finding {
  const { object, timer: before } = imageOf(basis);
  const timer = timing && timerAfterDue(timing, key, object, before, nowMs);
  if (timer === undefined) return { event: 'replace.unchanged' };
  return { event: 'replace.changed', object, timer };
}

function askToCreate(command: ReplaceCommand): Finding {
  if (command.create === undefined) return { event: 'replace.none' };
  const production = command.create();
  if (production.kind === 'refused') return { event: 'replace.refused', error: production.error };
  return { event: 'replace.changed', object: production.object };
}

function askToReplace(command: ReplaceCommand, basis: ObjectSnapshot): Finding {
  const current = currentOf(basis);
  const production = command.produce(current);
  if (production.kind === 'refused') return { event: 'replace.refused', error: production.error };
  const { object } = production;
  if (command.completesDeletion(object)) return { event: 'replace.completed', object };
  const same = deepEqual(object, current.object);
  return { event: same ? 'replace.unchanged' : 'replace.changed', object };
}

function askToDelete(command: DeleteCommand, basis: ObjectSnapshot): Finding {
  const current = currentOf(basis);
  const plan = command.plan(current);
  switch (plan.kind) {
    case 'remove':
      return { event: 'delete.removed', object: plan.object };
    case 'refused':
      return { event: 'delete.refused', error: plan.error };
    case 'mark': {
      const same = deepEqual(plan.object, current.object);
      return { event: same ? 'delete.unchanged' : 'delete.marked', object: plan.object };
    }
    default:
      return unreachable(plan);
  }
}

interface Change {
  readonly outcome: WriteKind;
  readonly life: LifeState;
  readonly finding: Finding;
}

function write(
  key: ObjectKey,
  command: ObjectCommand,
  basis: ObjectSnapshot,
  change: Change,
  encoders: RecordEncoders,
): Decision {
  const { outcome, life } = change;
  const { object } = change.finding;
  const dryRun = command.dryRun === true;
  const conditions = outcome === 'created' ? creationConditions(command) : [];
  if (life === 'removed' || life === 'absent') {
    // A replacement that completes the deletion shows what it was asked to write, and so does a
    // delete whose plan says so.
    const shown = object === undefined ? imageOf(basis) : imageOfRecord(key, object, encoders);
    if (dryRun) return { kind: 'show', outcome, shown };
    const operation = { kind: 'delete' } as const;
    return { kind: 'write', outcome, shown, next: absentSnapshot(), operation, conditions };
  }
  assert(object !== undefined, `${outcome} has an object`);
  const { record } = encoders.encode(key, object);
  const { timing } = encoders;
  const timer =
    change.finding.timer ?? (timing && timerAfterWrite(timing, key, object, basis.image?.timer));
  const shown = { object, bytes: record.object, metadataAt: record.metadataAt, timer };
  const place = { key: storeKey(key), state: life };
  const value = encoders.encodeRecord(timer === undefined ? record : { ...record, timer }, place);
  if (value.byteLength > storageLimits.valueBytesMax) {
    return { kind: 'refused', error: newRequestEntityTooLarge(storageLimits.valueBytesMax) };
  }
  if (dryRun) return { kind: 'show', outcome, shown };
  const next = { life, image: shown, revision: undefined, ticket: undefined };
  const operation = { kind: 'put', state: life, value } as const;
  return { kind: 'write', outcome, shown, next, operation, conditions };
}

/** Conditions hold back the birth of an object; what exists may change and go without them. */
export function creationConditions(command: ObjectCommand): readonly Condition[] {
  return command.type === 'delete' || command.type === 'due' ? [] : command.conditions;
}

function imageOfRecord(key: ObjectKey, object: ApiObject, encoders: RecordEncoders): ObjectImage {
  const { record } = encoders.encode(key, object);
  return { object, bytes: record.object, metadataAt: record.metadataAt };
}

function imageOf(basis: ObjectSnapshot): ObjectImage {
  assert(basis.image !== undefined, 'an object that exists has an image');
  return basis.image;
}

function currentOf(basis: ObjectSnapshot): CurrentObject {
  return { object: imageOf(basis).object, revision: basis.revision };
}
