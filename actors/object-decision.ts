/**
 * One decision: what a command does to the object in the state that the actor knows. Pure and
 * synchronous.
 *
 *   command ──Decide──▶ proposal ──▶ finding: an event of the machine ──lifeStep──▶ verdict
 *                          ├──▶ question, to be asked                                │
 *                          └──▶ unfinished: the rest in                              ▼
 *                               turns of its own          a decision: write | show | refused
 *
 * Invariants: a throw in Decide, or in encoding, refuses that command and nothing else. Equal
 * content is "unchanged" and makes no mutation. A dry run makes none either. A value that is too
 * large for the store is refused here, before it can disturb a shared commit; one with long texts
 * to select by, before it is written out.
 */
import {
  newAlreadyExists,
  newAlreadyExistsBeingDeleted,
  newInternalError,
  newNotFound,
  newRequestEntityTooLarge,
  newTooLarge,
} from '../src/apimachinery/status-error.ts';
import type { StatusError } from '../src/apimachinery/status-error.ts';
import type { ApiObject } from '../src/apimachinery/unstructured.ts';
import type { ObjectKey } from '../src/storage/keys.ts';
import type { ObjectRecord, RecordTimer } from '../src/storage/record.ts';
import { storageLimits } from '../src/storage/storage.ts';
import type {
  Condition,
  MutationOperation,
  PutOperation,
  StoreKey,
} from '../src/storage/storage.ts';
import { assert, AssertionError, unreachable } from '../src/stdx/assert.ts';
import { deepEqual } from '../src/stdx/deep-equal.ts';
import { messageOf } from '../src/stdx/message-of.ts';
import type {
  Answer,
  ChangeCommand,
  CurrentObject,
  Decide,
  ObjectCommand,
  Proposal,
  ProposalSteps,
  Question,
} from './actors.ts';
import { objectBytesOfTurn, recordFieldsMax } from './limits.ts';
import { lifeStep } from './object-machine.ts';
import type { DecisionEvent, LifeState, WriteVerdict } from './object-machine.ts';
import { absentState, EncodedImage } from './object-snapshot.ts';
import type { ObjectImage, ObjectState } from './object-snapshot.ts';
import { timerAfterDue, timerAfterWrite } from './token-timer.ts';
import type { ExpiryOf } from './token-timer.ts';

export type Decision =
  | {
      readonly kind: 'write';
      readonly event: DecisionEvent;
      readonly outcome: WriteVerdict;
      readonly shown: ObjectImage;
      /** What the actor knows once this is submitted. */
      readonly next: ObjectState;
      readonly operation: MutationOperation;
      readonly conditions: readonly Condition[];
      readonly warnings: readonly string[];
    }
  /** Nothing to write: a no-op, or a dry run of what `outcome` says. */
  | {
      readonly kind: 'show';
      readonly event: DecisionEvent;
      readonly outcome: WriteVerdict | 'unchanged';
      readonly shown: ObjectImage;
      readonly warnings: readonly string[];
    }
  | { readonly kind: 'refused'; readonly event: DecisionEvent; readonly error: StatusError };

/** What a command comes to, before the machine is asked. */
export interface Finding {
  readonly kind: 'finding';
  readonly event: DecisionEvent;
  readonly object: ApiObject | undefined;
  readonly error: StatusError | undefined;
  /** Of the next record, where it does not follow from the object. */
  readonly timer: RecordTimer | undefined;
  readonly warnings: readonly string[];
}

/** `finding`: it stands if the answer allows it; undefined: Decide is asked again. */
export interface Asking {
  readonly kind: 'asking';
  readonly question: Question;
  readonly finding: Finding | undefined;
}

/** There is more to decide: in a turn of its own. */
export interface Unfinished {
  readonly kind: 'unfinished';
  readonly rest: ProposalSteps;
}

export interface DecisionPorts {
  readonly decide: Decide;
  readonly encode: (key: ObjectKey, object: ApiObject) => { readonly record: ObjectRecord };
  readonly encodeRecord: (
    record: ObjectRecord,
    at: { readonly key: StoreKey; readonly state: string },
  ) => Pick<PutOperation, 'value' | 'withRoom' | 'decoded'> & Pick<ObjectImage, 'encryptedBy'>;
  /** Whether what was written with this key is to be written anew. Absent: never. */
  readonly isStale?: ((key: StoreKey, encryptedBy: string | undefined) => boolean) | undefined;
  /** What is stored, as it is read today: the very same image where that is all there is to it.
   * Absent: it always is. */
  readonly readToday?: ((key: ObjectKey, image: ObjectImage) => ObjectImage) | undefined;
  /** Which objects have a timer (bootstrap tokens); absent: none. */
  readonly expiryOf?: ExpiryOf | undefined;
}

/** Whose object it is. */
export interface ObjectName {
  readonly key: ObjectKey;
  readonly storeKey: StoreKey;
}

const noWarnings: readonly string[] = [];

/** What the command comes to on this basis. Never throws. */
export function evaluateCommand(
  key: ObjectKey,
  command: ObjectCommand,
  basis: ObjectState,
  answers: readonly Answer[],
  ports: DecisionPorts,
): Finding | Asking | Unfinished {
  try {
    switch (command.type) {
      case 'create':
        return found('create', command.object, command.warnings);
      case 'due':
        return examineDeadline(key, command.nowMs, basis, ports.expiryOf);
      case 'change':
        return examineChange(key, command, basis, answers, ports);
      default:
        return unreachable(command);
    }
  } catch (error) {
    return refusalFinding(newInternalError(messageOf(error)));
  }
}

/** The next part of what was begun on this basis. Never throws. */
export function continueEvaluation(
  key: ObjectKey,
  rest: ProposalSteps,
  basis: ObjectState,
  ports: DecisionPorts,
): Finding | Asking | Unfinished {
  try {
    return nextPart(rest, () => currentOf(key, basis, ports));
  } catch (error) {
    return refusalFinding(newInternalError(messageOf(error)));
  }
}

export function refusalFinding(error: StatusError): Finding {
  const { object, timer, warnings } = nothingFound;
  return { kind: 'finding', event: 'refused', object, error, timer, warnings };
}

const nothingFound = { object: undefined, timer: undefined, warnings: noWarnings } as const;

function found(
  event: DecisionEvent,
  object: ApiObject | undefined,
  warnings: readonly string[],
  timer?: RecordTimer,
): Finding {
  return { kind: 'finding', event, object, error: undefined, timer, warnings };
}

/** Only the timer in the record changes; the object stays as it is. */
function examineDeadline(
  key: ObjectKey,
  nowMs: number,
  { image }: ObjectState,
  expiryOf: ExpiryOf | undefined,
): Finding {
  if (image === undefined) return found('missing', undefined, noWarnings);
  const { object } = image;
  const timer = timerAfterDue(expiryOf?.(key, object), image.timer, nowMs);
  if (timer === undefined) return found('replace.unchanged', undefined, noWarnings);
  return found('replace.changed', object, noWarnings, timer);
}

function examineChange(
  key: ObjectKey,
  command: ChangeCommand,
  basis: ObjectState,
  answers: readonly Answer[],
  ports: DecisionPorts,
): Finding | Asking | Unfinished {
  const { image } = basis;
  if (image !== undefined && image.bytes.byteLength > objectBytesOfTurn) {
    return { kind: 'unfinished', rest: decidedLater(key, command, basis, answers, ports) };
  }
  const current = currentOf(key, basis, ports);
  const proposed = ports.decide(key, command, current, answers);
  return 'next' in proposed
    ? nextPart(proposed, () => current)
    : examineProposal(proposed, current);
}

/** Its first turn is for whoever asks for the object, which may have to be decoded then. */
function* decidedLater(
  key: ObjectKey,
  command: ChangeCommand,
  basis: ObjectState,
  answers: readonly Answer[],
  ports: DecisionPorts,
): Generator<undefined, Proposal> {
  yield undefined;
  if (basis.image instanceof EncodedImage) yield* basis.image.decoding();
  const proposed = ports.decide(key, command, currentOf(key, basis, ports), answers);
  if (!('next' in proposed)) return proposed;
  for (;;) {
    const part = proposed.next();
    if (part.done === true) return part.value;
    yield undefined;
  }
}

function currentOf(
  key: ObjectKey,
  { image, revision }: ObjectState,
  ports: DecisionPorts,
): CurrentObject | undefined {
  if (image === undefined) return undefined;
  const read = readImage(key, image, ports);
  const stored = read === image ? undefined : image.object;
  return { object: read.object, stored, revision, encodedBytes: read.bytes.byteLength };
}

function readImage(key: ObjectKey, image: ObjectImage, { readToday }: DecisionPorts): ObjectImage {
  return readToday === undefined ? image : readToday(key, image);
}

/** `current`: not asked for before the end, since it may have to be decoded for it. */
function nextPart(
  rest: ProposalSteps,
  current: () => CurrentObject | undefined,
): Finding | Asking | Unfinished {
  const part = rest.next();
  return part.done === true ? examineProposal(part.value, current()) : { kind: 'unfinished', rest };
}

function examineProposal(proposal: Proposal, current: CurrentObject | undefined): Finding | Asking {
  const revision = current?.revision;
  if (proposal.kind === 'ask') {
    const question = { ...proposal.question, revision };
    return { kind: 'asking', question, finding: undefined };
  }
  const finding = findingOf(proposal, current);
  if (!('validate' in proposal) || !proposal.validate) return finding;
  const next = isDeletion(proposal) ? undefined : objectForAdmission(proposal);
  const question = { kind: 'validate', next, current: current?.object, revision } as const;
  return { kind: 'asking', question, finding };
}

function objectForAdmission(
  proposal: Exclude<Proposal, { kind: 'ask' | 'not-found' | 'refused' }>,
): ApiObject | undefined {
  return ('admissionObject' in proposal ? proposal.admissionObject : undefined) ?? proposal.object;
}

function isDeletion({ kind }: Proposal): boolean {
  return kind === 'mark' || kind === 'remove';
}

function findingOf(
  proposal: Exclude<Proposal, { kind: 'ask' }>,
  current: CurrentObject | undefined,
): Finding {
  switch (proposal.kind) {
    case 'create':
      return found('create', proposal.object, proposal.warnings);
    case 'replace': {
      const { completesDeletion, isSame, object, warnings } = proposal;
      if (completesDeletion) return found('replace.completed', object, warnings);
      const same =
        isSame ?? (current !== undefined && deepEqual(object, current.stored ?? current.object));
      return found(same ? 'replace.unchanged' : 'replace.changed', object, warnings);
    }
    case 'mark': {
      const { object, warnings } = proposal;
      const same = current !== undefined && deepEqual(object, current.object);
      return found(same ? 'delete.unchanged' : 'delete.marked', object, warnings);
    }
    case 'remove':
      return found('delete.removed', proposal.object, noWarnings);
    case 'not-found':
      return found('missing', undefined, noWarnings);
    case 'refused':
      return refusalFinding(proposal.error);
    default:
      return unreachable(proposal);
  }
}

/** What a command comes to with this answer to its question; undefined: Decide says, when it is
 * asked again with the answer. */
export function answeredFinding(
  { finding, question }: Pick<Asking, 'finding' | 'question'>,
  answer: Answer,
): Finding | undefined {
  // What was to be written has passed its rules: what they warn of holds all the same.
  if (answer.kind === 'refused') {
    return refusalFinding(answer.error.warned(finding?.warnings ?? noWarnings));
  }
  if (question.kind !== 'validate') return undefined;
  if (answer.kind === 'allowed') return finding;
  return refusalFinding(newInternalError('whoever validates cannot change the object'));
}

/** The decision for a finding, and its event for the machine. Never throws. */
export function conclude(
  name: ObjectName,
  command: ObjectCommand,
  basis: ObjectState,
  finding: Finding,
  ports: DecisionPorts,
): Decision {
  try {
    return concluded(name, command, basis, finding, ports);
  } catch (error) {
    return { kind: 'refused', event: 'refused', error: newInternalError(messageOf(error)) };
  }
}

function concluded(
  name: ObjectName,
  command: ObjectCommand,
  basis: ObjectState,
  finding: Finding,
  ports: DecisionPorts,
): Decision {
  if (isToBeWrittenAnew(name, command, basis, finding, ports)) {
    return concluded(name, command, basis, { ...finding, event: 'replace.changed' }, ports);
  }
  const { event, warnings } = finding;
  const { next, verdict } = lifeStep(basis.life, event);
  const gr = command.qualifiedResource;
  switch (verdict) {
    case 'created':
    case 'replaced':
    case 'marked':
    case 'removed':
      return written(name, command, basis, { outcome: verdict, life: next, finding }, ports);
    case 'unchanged':
      return {
        kind: 'show',
        event,
        outcome: 'unchanged',
        shown: imageOf(name.key, basis, ports),
        warnings,
      };
    case 'refusedByCommand':
      assert(finding.error !== undefined, 'a refusal has an error');
      return { kind: 'refused', event, error: finding.error };
    case 'refusedNotFound':
      return { kind: 'refused', event, error: newNotFound(gr, name.key.name) };
    case 'refusedExists':
      return { kind: 'refused', event, error: newAlreadyExists(gr, name.key.name) };
    case 'refusedBeingDeleted':
      return { kind: 'refused', event, error: newAlreadyExistsBeingDeleted(gr, name.key.name) };
    case 'tried':
    case 'unexpected':
      throw new AssertionError(`${event} cannot happen to an object that is ${basis.life}`);
    default:
      return unreachable(verdict);
  }
}

/** What has not changed, but is encrypted with a key that no longer writes. */
function isToBeWrittenAnew(
  { storeKey }: ObjectName,
  command: ObjectCommand,
  { image }: ObjectState,
  { event, object }: Finding,
  { isStale }: DecisionPorts,
): boolean {
  if (event !== 'replace.unchanged' || object === undefined || isStale === undefined) return false;
  return !command.dryRun && image !== undefined && isStale(storeKey, image.encryptedBy);
}

interface Change {
  readonly outcome: WriteVerdict;
  readonly life: LifeState;
  readonly finding: Finding;
}

function written(
  name: ObjectName,
  command: ObjectCommand,
  basis: ObjectState,
  change: Change,
  ports: DecisionPorts,
): Decision {
  const isEnd = change.life === 'removed' || change.life === 'absent';
  return isEnd
    ? removed(name, command, basis, change, ports)
    : put(name, command, basis, change, ports);
}

/** A replacement that completes the deletion shows what it was asked to write, and so does a delete
 * whose proposal says so. */
function removed(
  { key }: ObjectName,
  command: ObjectCommand,
  basis: ObjectState,
  { finding, outcome }: Change,
  ports: DecisionPorts,
): Decision {
  const { event, object, warnings } = finding;
  const shown =
    object === undefined ? imageOf(key, basis, ports) : imageOfRecord(key, object, ports);
  if (command.dryRun) return { kind: 'show', event: 'tried', outcome, shown, warnings };
  const next = absentState('removed');
  const operation = removal;
  const conditions = noConditions;
  return { kind: 'write', event, outcome, shown, next, operation, conditions, warnings };
}

const longFields = `the fields to select by hold more than ${recordFieldsMax} characters`;

/** They stand in the record a second time, where they are written in one piece. What has come to
 * have them in another way may be written, but not grow. */
function hasLongFields(
  key: ObjectKey,
  record: ObjectRecord,
  before: ObjectImage | undefined,
  { encode }: DecisionPorts,
): boolean {
  const length = lengthOfFields(record);
  if (length <= recordFieldsMax) return false;
  return before === undefined || lengthOfFields(encode(key, before.object).record) < length;
}

function lengthOfFields({ fields }: ObjectRecord): number {
  let length = 0;
  for (const name in fields) length += (fields[name] as string).length;
  return length;
}

function put(
  { key, storeKey }: ObjectName,
  command: ObjectCommand,
  basis: ObjectState,
  { finding, life, outcome }: Change,
  ports: DecisionPorts,
): Decision {
  const { event, object, warnings } = finding;
  assert(object !== undefined, `${outcome} has an object`);
  const { record } = ports.encode(key, object);
  const { image } = basis;
  if (hasLongFields(key, record, image, ports)) {
    return { kind: 'refused', event: 'refused', error: newTooLarge(longFields) };
  }
  const timer =
    finding.timer ?? timerAfterWrite(ports.expiryOf?.(key, object), image?.timer, command.nowMs);
  const at = { key: storeKey, state: life };
  const { decoded, encryptedBy, value, withRoom } = ports.encodeRecord(
    timer === undefined ? record : { ...record, timer },
    at,
  );
  if (value.byteLength > storageLimits.valueBytesMax) {
    const error = newRequestEntityTooLarge(storageLimits.valueBytesMax);
    return { kind: 'refused', event: 'refused', error };
  }
  // The image shares its bytes with the record where it can.
  const { metadataAt, object: bytes, shape } = decoded ?? record;
  const made = { object, bytes, metadataAt, timer, shape, encryptedBy };
  const shown = readImage(key, made, ports);
  if (command.dryRun) return { kind: 'show', event: 'tried', outcome, shown, warnings };
  const next = { life, image: made, revision: undefined, madeBy: undefined };
  const operation = { kind: 'put', state: life, value, withRoom, decoded } as const;
  const conditions = outcome === 'created' ? creationConditions(command) : noConditions;
  return { kind: 'write', event, outcome, shown, next, operation, conditions, warnings };
}

const removal = { kind: 'delete' } as const;
const noConditions: readonly Condition[] = [];

/** Conditions hold back the birth of an object; what exists may change and go without them. */
export function creationConditions(command: ObjectCommand): readonly Condition[] {
  return command.type === 'due' ? noConditions : command.conditions;
}

function imageOfRecord(key: ObjectKey, object: ApiObject, ports: DecisionPorts): ObjectImage {
  const { record } = ports.encode(key, object);
  const { metadataAt, object: bytes, shape } = record;
  return readImage(key, { object, bytes, metadataAt, timer: undefined, shape }, ports);
}

function imageOf(key: ObjectKey, { image }: ObjectState, ports: DecisionPorts): ObjectImage {
  assert(image !== undefined, 'an object that exists has an image');
  return readImage(key, image, ports);
}
