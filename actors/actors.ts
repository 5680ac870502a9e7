/**
 * The actor system's contract: one owner decides every change of an object (spec 1, section 3.1).
 *
 * What a change means for a kind is decided by a pure function that is given at composition
 * (`Decide`); a command is data. Kinds, HTTP and streams are unknown here.
 *
 *   execute(key, command) ─▶ mailbox of the object's actor ─▶ Decide(command, current, answers)
 *        ▲                         │ proposal              │ question            │ refusal
 *        │                         ▼                       ▼                     │
 *        │                committer: durable     admission, as an effect; its    │
 *        │                         │             answer comes back as an event   │
 *        └── outcome ◀─ adopt ◀────┘                                             │
 *        └── outcome ◀── once everything it was decided on is durable ◀──────────┘
 *
 * Invariants are numbered in SPEC.md, each with its test.
 */
import type { AdmissionNotes } from '../src/apimachinery/admission-data.ts';
import type { StatusError } from '../src/apimachinery/status-error.ts';
import type { GroupResource } from '../src/apimachinery/schema.ts';
import type { ApiObject } from '../src/apimachinery/unstructured.ts';
import type { ObjectKey } from '../src/storage/keys.ts';
import type { Companion, CompanionFailure, Condition, Revision } from '../src/storage/storage.ts';
import type { PendingCommit } from '../src/storage/pending-commit.ts';
import type { Requester } from '../src/stdx/requester.ts';
import type { WriteArrival } from '../src/storage/write-stages.ts';

/** States of an object as the store has them, and as conditions test them. */
export const objectStates = { live: 'live', finalizing: 'finalizing' } as const;

/** States of a bootstrap token as its record has them. */
export const tokenStates = { valid: 'valid', expired: 'expired' } as const;
export type TokenState = (typeof tokenStates)[keyof typeof tokenStates];

/** What a decision looks at. */
export interface CurrentObject {
  /** Without metadata.resourceVersion. */
  readonly object: ApiObject;
  /** As it is in the store, where that is read as something else today; a proposal that equals it
   * writes nothing. */
  readonly stored?: ApiObject | undefined;
  /** Undefined while the write that made it is not committed: no client can know its revision yet.
   */
  readonly revision: Revision | undefined;
  /** Of its JSON, where that is known. */
  readonly encodedBytes?: number | undefined;
}

/** All of a command is data: it can be logged, sent and decided again somewhere else. */
interface CommandBase {
  /** A dry run: decide and answer, but write nothing. */
  readonly dryRun: boolean;
  /** Names the object in errors: `pods "x"`. */
  readonly qualifiedResource: GroupResource;
  /** When the command was given: milliseconds since the epoch. A decision knows no other time. */
  readonly nowMs: number;
}

export interface CreateCommand extends CommandBase {
  readonly type: 'create';
  /** Complete: uid, creationTimestamp and name are set. */
  readonly object: ApiObject;
  readonly conditions: readonly Condition[];
  readonly warnings: readonly string[];
}

/** A change that depends on the current object. Only the Decide port reads `input`. */
export interface ChangeCommand extends CommandBase {
  readonly type: 'change';
  readonly input: CommandInput;
  /** Conditions if the command creates the object. Changes of an existing object do not test them:
   * the last finalizer must be removable while the namespace is terminating. */
  readonly conditions: readonly Condition[];
}

export interface CommandInput {
  /** Which decision is asked for: update, patch, delete ... */
  readonly verb: string;
}

/** The deadline of the object's token has passed. The effect is decided on the record, so a
 * deadline that comes too early, too late or twice does no harm. NotFound if there is no record. */
export interface DueCommand extends CommandBase {
  readonly type: 'due';
}

export type ObjectCommand = CreateCommand | ChangeCommand | DueCommand;

/** A pure function of its arguments. `current` undefined: nothing is there. `answers`: to the
 * questions that it asked before about this command and this very object, in order. */
export type Decide = (
  key: ObjectKey,
  command: ChangeCommand,
  current: CurrentObject | undefined,
  answers: readonly Answer[],
) => Proposal | ProposalSteps;

/** A proposal in parts, for work that is too long for one turn of the event loop. Each part is
 * pure; the whole starts again if the object has changed meanwhile. */
export type ProposalSteps = Iterator<undefined, Proposal>;

interface ObjectProposal {
  /** The whole next object, without resourceVersion. */
  readonly object: ApiObject;
  /** Warnings for the writer, if this proposal is carried out. */
  readonly warnings: readonly string[];
  /** It counts only if admission allows it. */
  readonly validate: boolean;
  /** What admission sees instead: the object before its conversion to the stored form. */
  readonly admissionObject?: ApiObject | undefined;
}

export type Proposal =
  | (ObjectProposal & { readonly kind: 'create' })
  /** Content that equals the current one (deep, key order ignored) is "unchanged".
   * `completesDeletion`: nothing holds the object any more (no finalizers, no grace), so it is
   * removed. `isSame`: whether it equals the current one, where that has been found out already. */
  | (ObjectProposal & {
      readonly kind: 'replace';
      readonly completesDeletion: boolean;
      readonly isSame?: boolean | undefined;
    })
  /** Finalizers or a grace period hold the deletion back: the object, marked as deleted. */
  | (ObjectProposal & { readonly kind: 'mark' })
  /** Nothing holds the object: it is removed now. `object`: what the answer shows, if that is not
   * the object as it was. */
  | {
      readonly kind: 'remove';
      readonly object?: ApiObject | undefined;
      readonly validate: boolean;
    }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'refused'; readonly error: StatusError }
  | { readonly kind: 'ask'; readonly question: Question };

/**
 * A question that only somebody else can answer: an authorizer, a plugin, a webhook. `mutate`: what
 * must be added to the object; `validate`: may it be written; `convert`: `next` is needed in
 * another version, `apiVersion`. `next` undefined: a deletion. `current` undefined: a creation.
 */
export interface Question {
  readonly kind: 'mutate' | 'validate' | 'convert';
  readonly next: ApiObject | undefined;
  readonly current: ApiObject | undefined;
  readonly apiVersion?: string | undefined;
  /** Of `current`; undefined: nothing is there, or it is not committed yet. */
  readonly revision?: Revision | undefined;
}

export type Answer = (
  | { readonly kind: 'allowed' }
  /** For `convert`: the object was converted, and the result is cached, at least for as long as the
   * command keeps `held`. */
  | { readonly kind: 'converted'; readonly held?: readonly ApiObject[] | undefined }
  /** For `mutate`: the object with the additions. */
  | { readonly kind: 'object'; readonly object: ApiObject }
  | { readonly kind: 'refused'; readonly error: StatusError }
) & {
  /** Warnings for the sender of the command, beside the answer. */
  readonly notes?: AdmissionNotes | undefined;
};

/** Not pure: here decisions get answers from the outside. A rejection fails the command with 500.
 * `requester`: who sent the command; when it goes the command is refused with 504. */
export type AnswerPort = (
  key: ObjectKey,
  command: ChangeCommand,
  question: Question,
  requester?: Requester,
) => Answer | Promise<Answer>;

export type ObjectOutcome = (
  | {
      readonly kind: 'created' | 'replaced' | 'unchanged' | 'marked' | 'removed';
      /** The object after the command, without resourceVersion. For `removed`: by a delete, as its
       * proposal says, else as it was before; by a replacement that completes the deletion, as that
       * made it. */
      readonly object: ApiObject;
      /** Revision of the mutation (for `removed`, of the removal); for `unchanged`, of the write it
       * found; of a dry run the current one, or undefined when there is none. */
      readonly revision: Revision | undefined;
      /** JSON of `object`, and where its resourceVersion goes: apimachinery/object-encoding.ts. */
      readonly bytes: Uint8Array;
      readonly metadataAt: number;
      readonly warnings: readonly string[];
    }
  | { readonly kind: 'refused'; readonly error: StatusError }
  /** A condition on another record did not hold in the transaction. */
  | {
      readonly kind: 'condition-failed';
      readonly condition: Condition;
      readonly found: string | undefined;
    }
  /** A companion could not be written; the transaction found that out. */
  | CompanionFailure
) & {
  /** Warnings that came with the answers to its questions. */
  readonly notes?: AdmissionNotes | undefined;
};

/**
 * The companions of a mutation, requested for every submitted mutation in the same turn. The answer
 * holds for these two states of the object; a new decision asks again.
 */
export type CompanionsOf = (
  key: ObjectKey,
  next: ApiObject | undefined,
  current: ApiObject | undefined,
) => CompanionWrites;

export interface CompanionWrites {
  readonly companions: readonly Companion[] | undefined;
  /** Further conditions beside those of the command; they also apply to changes. */
  readonly conditions: readonly Condition[];
}

export const noCompanions: CompanionWrites = { companions: undefined, conditions: [] };

/** Whether the sender may still write. Checked before each decision of its command; if it may not,
 * the command is refused with 503. */
export type Permit = () => boolean;

/** A mutation that has been handed over, for those whose writes go behind it. */
export type WriteUnderWay = PendingCommit;

/** For writes of the server itself that stand on others which are not durable yet. They let the
 * writes of callers go first. */
export interface WriteOrder {
  /** The command's mutation is applied only if each of these is; else it is refused (Conflict). */
  readonly behind: readonly WriteUnderWay[];
  /** Told each time a mutation of the command has been handed over, and what it makes of the
   * object; undefined: it is removed. */
  readonly submitted: (commit: WriteUnderWay, object: ApiObject | undefined) => void;
}

/** The request that a command is part of. No decision uses it. */
export interface CommandSource extends Partial<WriteArrival> {
  /** Who waits for the outcome. When it goes, a question of the command is answered with 504; what
   * has been handed over is not taken back. Absent: somebody always waits. */
  readonly exchange?: Requester | undefined;
}

export interface ActorSystem {
  /** Rejects only for storage failures (StorageError) and broken invariants. `source` absent: the
   * server itself. `order` absent: the write stands on nothing but its object. */
  execute(
    key: ObjectKey,
    command: ObjectCommand,
    permit?: Permit,
    source?: CommandSource,
    order?: WriteOrder,
  ): Promise<ObjectOutcome>;
  /** Removes a record that cannot be decoded, and nothing else. No actor decides that, because it
   * cannot know its object. Rejects as execute does. */
  removeUnreadable(key: ObjectKey): Promise<UnreadableOutcome>;
  /** Refuses new commands; resolves when every accepted one has its outcome. */
  stop(): Promise<void>;
  stats(): ActorStats;
}

export type UnreadableOutcome =
  | { readonly kind: 'removed'; readonly revision: Revision }
  | { readonly kind: 'absent' | 'readable' };

export interface ActorStats {
  readonly residentCount: number;
  /** Commands without an outcome, in all mailboxes. */
  readonly waitingCount: number;
  readonly activationsTotal: number;
  readonly passivationsTotal: number;
  readonly redecisionsTotal: number;
}
