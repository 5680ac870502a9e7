/**
 * The context of an object's actor (its mailbox and what it knows of the object), its events and
 * its effects.
 *
 *   mailbox   [ a b c | d e ]      a b c decided (speculatively), d e not yet
 *               │ │ └ no-op: waits for what it saw
 *               │ └ mutation, built on a's
 *               └ mutation, expects the stored revision
 *
 * The machine decides when something happens, object-actions.ts what.
 *
 * Invariant: the context belongs to one actor, whose actions change it in place: a copy of the
 * mailbox for each command would be quadratic in what waits.
 */
import type { CommitResult } from '../src/storage/pending-commit.ts';
import type { ObjectKey } from '../src/storage/keys.ts';
import type { Revision, StoredRecord, StoreKey } from '../src/storage/storage.ts';
import type { Requester } from '../src/stdx/requester.ts';
import type {
  Answer,
  ChangeCommand,
  CommandSource,
  ObjectCommand,
  ObjectOutcome,
  Permit,
  ProposalSteps,
  Question,
  WriteOrder,
} from './actors.ts';
import type { ActorLimits } from './limits.ts';
import { Mailbox } from './mailbox.ts';
import type { Asking, Decision, DecisionPorts, Finding, Unfinished } from './object-decision.ts';
import type { DecisionEvent, InternalEvent } from './object-machine.ts';
import type { ObjectState, PendingMutation, RecordDecoders } from './object-snapshot.ts';

/** What all objects' actors share: pure functions and bounds. */
export interface ObjectPorts extends DecisionPorts, RecordDecoders {
  readonly limits: ActorLimits;
  /** No other process writes to the store: what an actor knows needs no second look. */
  readonly soleWriter: boolean;
  /** Whose records are also written as companions of others': there it is not so. Absent: none. */
  readonly isAccompanied?: ((key: ObjectKey) => boolean) | undefined;
}

/** One decision of one command. A command that must be decided again gets a new attempt. */
export interface Attempt extends PendingMutation {
  readonly entry: Entry;
  readonly decision: Decision;
  readonly basis: ObjectState;
  /** The revision of the basis at the time of the decision; undefined: it was not durable yet. */
  readonly seen: Revision | undefined;
  /** The basis was assumed, not read: the store has yet to confirm that there is no record. */
  readonly assumed: boolean;
  result: CommitResult | undefined;
  /** The command will be decided again. */
  forgotten: boolean;
}

/** A command in the mailbox. */
export interface Entry {
  readonly command: ObjectCommand;
  readonly permit: Permit | undefined;
  readonly source: CommandSource | undefined;
  readonly order: WriteOrder | undefined;
  readonly resolve: (outcome: ObjectOutcome) => void;
  readonly reject: (error: unknown) => void;
  attempt: Attempt | undefined;
  /** Answers to its questions about the current object, in the order in which they were asked. */
  answers: readonly Answer[];
  /** The finding, now that its questions are answered. */
  answered: Finding | undefined;
  /** The rest of a decision in parts that was begun on the current object. */
  rest: ProposalSteps | undefined;
  /** Its large object is encoded in this turn, which it has for itself. */
  hasTurn: boolean;
  /** The store was read after the command came. */
  fresh: boolean;
  lostRaces: number;
}

/** Performs the effects of an actor, within its transition. */
export interface EffectPerformer {
  perform(effect: ObjectEffect): void;
}

export interface ObjectContext {
  readonly key: ObjectKey;
  readonly storeKey: StoreKey;
  /** Set by the creator of the actor; undefined: effects are emitted. */
  performer: EffectPerformer | undefined;
  readonly mailbox: Mailbox<Entry>;
  /** Entries from the head that have an attempt. */
  decided: number;
  /** Submitted mutations without a result, those of forgotten attempts included. */
  outstanding: number;
  /** The newest speculative state. Undefined: not known, the store must be asked. */
  tip: ObjectState | undefined;
  /** Decided, and about to be carried out by the machine's verdict. */
  pending: Attempt | undefined;
  asking: ((Asking | Unfinished | Found) & { readonly entry: Entry }) | undefined;
  /** The number of the last question; an answer to an earlier one comes too late. */
  questionNumber: number;
  /** Entries that were there when the store was asked. */
  loadingCount: number;
}

export function objectContext(key: ObjectKey, storeKey: StoreKey): ObjectContext {
  return {
    key,
    storeKey,
    performer: undefined,
    mailbox: new Mailbox(),
    decided: 0,
    outstanding: 0,
    tip: undefined,
    pending: undefined,
    asking: undefined,
    questionNumber: 0,
    loadingCount: 0,
  };
}

const noAnswers: readonly Answer[] = [];

export function newEntry(
  command: ObjectCommand,
  permit: Permit | undefined,
  resolve: Entry['resolve'],
  reject: Entry['reject'],
  { order, source }: Partial<Pick<Entry, 'order' | 'source'>> = {},
): Entry {
  return {
    command,
    permit,
    source,
    order,
    resolve,
    reject,
    attempt: undefined,
    answers: noAnswers,
    answered: undefined,
    rest: undefined,
    hasTurn: false,
    fresh: false,
    lostRaces: 0,
  };
}

/** Answers, and a decision that was begun, are void for any other state of the object. */
export function forgetAnswers(entry: Entry): void {
  entry.answers = noAnswers;
  entry.answered = undefined;
  entry.rest = undefined;
  entry.hasTurn = false;
}

/** What a command comes to is known, and is encoded in a turn of its own. */
export interface Found {
  readonly kind: 'found';
}

/** Events that come into the mailbox of the actor. */
export type ObjectEvent =
  | { readonly type: 'command'; readonly entry: Entry }
  | { readonly type: 'committed'; readonly attempt: Attempt; readonly result: CommitResult }
  | { readonly type: 'loaded'; readonly record: StoredRecord | undefined }
  | { readonly type: 'load.failed'; readonly error: unknown }
  | { readonly type: 'answered'; readonly number: number; readonly answer: Answer };

/** Effects that leave the actor, in this order. The receiver performs each and answers with an
 * event. */
export type ObjectEffect =
  | { readonly type: 'submit'; readonly attempt: Attempt }
  | { readonly type: 'load' }
  | {
      readonly type: 'ask';
      readonly number: number;
      readonly command: ChangeCommand;
      readonly question: Question;
      readonly requester: Requester | undefined;
    }
  /** The decision goes on in a turn of its own: `answered` with this number, and `allowed`. */
  | { readonly type: 'pause'; readonly number: number }
  | { readonly type: 'answer'; readonly entry: Entry; readonly outcome: ObjectOutcome }
  | { readonly type: 'reject'; readonly entry: Entry; readonly error: unknown }
  | { readonly type: 'redecided'; readonly count: number }
  /** The mailbox is empty and nothing is under way: the actor may be stopped. */
  | { readonly type: 'idle' };

/** What an action can do: raise events of its machine, and emit effects. */
export interface Effects {
  raise(type: InternalEvent | DecisionEvent): void;
  emit(effect: ObjectEffect): void;
}
