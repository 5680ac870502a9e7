/**
 * The actor system's contract: one owner decides every change of an object (spec 1, section 3.1).
 *
 * What it is not: it knows no HTTP, no kinds and no streams. What a change means for a kind comes
 * in as pure functions with the command (`produce`, `plan`); what happened comes back as an
 * outcome and, through the log alone, as an event.
 *
 *   execute(key, command) ─▶ mailbox of key ─▶ decide on the (speculative) snapshot
 *        ▲                                          │ mutation             │ refusal, no change
 *        │                                          ▼                      │
 *        └── outcome ◀── adopt snapshot ◀── committer: durable, revision   │
 *        └── outcome ◀── once every predecessor it was decided on is durable ◀┘
 *
 * Invariants are numbered in SPEC.md, each with its test.
 */
import type { StatusError } from '../src/apimachinery/status-error.ts';
import type { ApiObject } from '../src/apimachinery/unstructured.ts';
import type { ObjectKey } from '../src/storage/keys.ts';
import type { Condition, Revision } from '../src/storage/storage.ts';

/** What a decision looks at. */
export interface CurrentObject {
  /** Without metadata.resourceVersion. */
  readonly object: ApiObject;
  /** Undefined while the write that made it has not been committed yet: no client can know it. */
  readonly revision: Revision | undefined;
}

/** What `produce` answers: the whole next object (without resourceVersion), or why not.
 * Equal content (deep, key order ignored) is recognised by the host as "unchanged". */
export type Production =
  | { readonly kind: 'object'; readonly object: ApiObject }
  | { readonly kind: 'refused'; readonly error: StatusError };

/** What `plan` answers for a delete on the current object. */
export type DeletionPlan =
  /** Nothing holds the object: remove it now. `object`: what the answer shows, where that is not
   * the object as it was. */
  | { readonly kind: 'remove'; readonly object?: ApiObject | undefined }
  /** Finalizers or a grace period hold it: this is the object with its deletion marked. */
  | { readonly kind: 'mark'; readonly object: ApiObject }
  | { readonly kind: 'refused'; readonly error: StatusError };

interface CommandBase {
  /** Decide and answer as if, but write nothing. */
  readonly dryRun?: boolean | undefined;
  /** Names the object in errors: `pods "x"`. */
  readonly qualifiedResource: { readonly group: string; readonly resource: string };
}

export interface CreateCommand extends CommandBase {
  readonly type: 'create';
  /** Complete: uid, creationTimestamp and name are set. */
  readonly object: ApiObject;
  readonly conditions: readonly Condition[];
}

export interface ReplaceCommand extends CommandBase {
  readonly type: 'replace';
  /** Pure and synchronous; may run several times (re-decision after a lost race). */
  readonly produce: (current: CurrentObject) => Production;
  /** Create-on-update: what to create when nothing is there. Absent: NotFound. */
  readonly create?: (() => Production) | undefined;
  /** Of the creation, when `create` is used. What exists may change without them: the last
   * finalizer must go from an object whose namespace is terminating. */
  readonly conditions: readonly Condition[];
  /** True when the object, as produced, is finished being deleted: no finalizers, no grace left. */
  readonly completesDeletion: (produced: ApiObject) => boolean;
}

export interface DeleteCommand extends CommandBase {
  readonly type: 'delete';
  /** Pure and synchronous; may run several times. */
  readonly plan: (current: CurrentObject) => DeletionPlan;
}

/** The timer of the object went off: what that means is decided on its record, so one that comes
 * too early, too late or twice does no harm. Nothing there: NotFound. */
export interface DueCommand extends CommandBase {
  readonly type: 'due';
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

export type ObjectCommand = CreateCommand | ReplaceCommand | DeleteCommand | DueCommand;

export type ObjectOutcome =
  | {
      readonly kind: 'created' | 'replaced' | 'unchanged' | 'marked' | 'removed';
      /** The object after the command, without resourceVersion. For `removed`: by a delete, as its
       * plan says, else as it was before; by a replacement that completes the deletion, as that
       * produced it. */
      readonly object: ApiObject;
      /** Revision of the mutation (for `removed`, of the removal); for `unchanged`, of the write it
       * found; of a dry run the current one, or undefined when there is none. */
      readonly revision: Revision | undefined;
      /** JSON of `object`, and where its resourceVersion goes: apimachinery/object-encoding.ts. */
      readonly bytes: Uint8Array;
      readonly metadataAt: number;
    }
  | { readonly kind: 'refused'; readonly error: StatusError }
  /** A condition on another record did not hold in the transaction. */
  | {
      readonly kind: 'condition-failed';
      readonly condition: Condition;
      readonly found: string | undefined;
    };

export interface ActorSystem {
  /** Rejects only for storage failures (StorageError) and broken invariants. */
  execute(key: ObjectKey, command: ObjectCommand): Promise<ObjectOutcome>;
  /** Removes a record that cannot be decoded, whatever it was; nothing else. For that no actor can
   * decide anything: it cannot know its object. Rejects as execute does. */
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
  readonly mailboxCount: number;
  readonly activationsTotal: number;
  readonly passivationsTotal: number;
  readonly redecisionsTotal: number;
}

/** Machine states as stored in StoredRecord.state, and tested by conditions. */
export const objectStates = { live: 'live', finalizing: 'finalizing' } as const;
