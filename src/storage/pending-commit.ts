/**
 * A pending commit: the outcome of one submitted mutation, on which later ones may be built.
 *
 *   queued ─▶ sent (batch, index) ─▶ applied (revision)
 *      └──────────────┴────────────▶ failed
 *
 * Elsewhere: the queue and the choice of when to send (committer.ts); when who submitted it is told
 * (announcements.ts).
 *
 * Invariants: it is settled once, and its state is set before its outcome is announced, so
 * mutations that are built on it see that state. A mutation that was built on one that failed, or
 * that was to go behind one, is not sent.
 */
import { assert } from '../stdx/assert.ts';
import type { Mutation, MutationOutcome, Precondition, Revision } from './storage.ts';
import type { DecidedWrite } from './write-stages.ts';

/** A submitted mutation. `expect` of a later submission may be the pending commit itself. */
export interface PendingCommit {
  /** Resolves when durable, or with the reason why nothing was written.
   * Rejects with StorageError. */
  readonly outcome: Promise<CommitOutcome>;
  /** The same without a promise, for one listener: called once, in a later turn or microtask than
   * the one that submitted, when all of its commit have their states. It must not throw. */
  whenSettled(listener: (result: CommitResult) => void): void;
}

/** `failed`: nobody knows what became of it, or it was never tried. */
export type CommitResult = CommitOutcome | { readonly kind: 'failed'; readonly error: unknown };

export type CommitOutcome =
  | MutationOutcome
  /** The queue is full (`committerLimits`): try again later. */
  | { readonly kind: 'overloaded' };

/** A mutation whose expectation is a stored fact or an earlier pending commit on the same key. */
export type Submission = Omit<Mutation, 'expect' | 'follows'> & {
  readonly expect: Exclude<Mutation['expect'], { kind: 'after' }> | PendingCommit;
  /** Earlier pending commits, on whatever keys: it is applied only if each of them is. Absent:
   * none. */
  readonly behind?: readonly PendingCommit[] | undefined;
  /** Nobody waits for it: of such, few are in one commit (`yieldingMax`), and others go first. */
  readonly isYielding?: boolean | undefined;
  /** About those of the record that it takes the place of, which the store reads; absent: nobody
   * knows. */
  readonly replacedBytes?: number | undefined;
  /** Of the request it was decided for; absent: none whose way is measured. */
  readonly write?: DecidedWrite | undefined;
};

type PendingState =
  | { readonly kind: 'queued' }
  | { readonly kind: 'sent'; readonly batch: number; readonly index: number }
  | { readonly kind: 'applied'; readonly revision: Revision }
  | { readonly kind: 'failed' };

/** As the committer holds it. */
export interface DeferredCommit extends PendingCommit {
  state: PendingState;
  result: CommitResult | undefined;
  /** Tells the listener. Once, when there is a result. */
  announce(): void;
}

const failed: PendingState = { kind: 'failed' };
const queued: PendingState = { kind: 'queued' };

/** The pending commit that a submission is built on; undefined: on none. */
function predecessorOf(submission: Submission): DeferredCommit | undefined {
  if (!('outcome' in submission.expect)) return undefined;
  return deferred(submission.expect);
}

/** It is known that it was not applied, or nobody knows what became of it. */
export function hasFailed(pending: PendingCommit): boolean {
  return deferred(pending).state.kind === 'failed';
}

/** Something that the submission stands on was not applied. */
export function isOrphaned(submission: Submission): boolean {
  const { behind, expect } = submission;
  return ('outcome' in expect && hasFailed(expect)) || behind?.some(hasFailed) === true;
}

/** Something that it is to follow has not its outcome yet, and is not in this batch. */
export function mustWait({ behind }: Submission, batch: number): boolean {
  return behind?.some((each) => isElsewhere(deferred(each).state, batch)) === true;
}

function isElsewhere(state: PendingState, batch: number): boolean {
  return state.kind === 'queued' || (state.kind === 'sent' && state.batch !== batch);
}

/** The precondition that the store can check in this batch, for one that is not orphaned. */
export function preconditionOf(submission: Submission, batch: number): Precondition {
  const predecessor = predecessorOf(submission);
  if (predecessor === undefined) return submission.expect as Precondition;
  const { state } = predecessor;
  if (state.kind === 'applied') return { kind: 'revision', revision: state.revision };
  // It has the same key: without an outcome it is in this very batch, or this one would wait.
  assert(state.kind === 'sent' && state.batch === batch, 'a predecessor was overtaken');
  return { kind: 'after', index: state.index };
}

/** What is left of what it is to follow: where that is in this very batch. */
export function followsOf({ behind }: Submission, batch: number): readonly number[] | undefined {
  if (behind === undefined) return undefined;
  const indexes: number[] = [];
  for (const each of behind) {
    const { state } = deferred(each);
    if (state.kind === 'applied') continue;
    assert(state.kind === 'sent' && state.batch === batch, 'what is to be followed was overtaken');
    indexes.push(state.index);
  }
  return indexes.length === 0 ? undefined : indexes;
}

function deferred(commit: PendingCommit): DeferredCommit {
  const pending = commit as DeferredCommit;
  assert('state' in pending, 'the pending commit was not made by a committer');
  return pending;
}

export function createPendingCommit(): DeferredCommit {
  return new Pending();
}

class Pending implements DeferredCommit {
  state: PendingState = queued;
  result: CommitResult | undefined = undefined;
  #listener: ((result: CommitResult) => void) | undefined = undefined;
  #isAnnounced = false;
  #outcome: Promise<CommitOutcome> | undefined = undefined;

  get outcome(): Promise<CommitOutcome> {
    this.#outcome ??= new Promise((resolve, reject) => {
      this.whenSettled((result) => {
        if (result.kind === 'failed') reject(result.error);
        else resolve(result);
      });
    });
    return this.#outcome;
  }

  whenSettled(listener: (result: CommitResult) => void): void {
    assert(this.#listener === undefined, 'a pending commit has one listener');
    this.#listener = listener;
    // It has been announced before anybody listened.
    if (this.#isAnnounced) void Promise.resolve().then(() => this.#tell(listener));
  }

  announce(): void {
    assert(!this.#isAnnounced, 'an outcome is announced once');
    this.#isAnnounced = true;
    if (this.#listener !== undefined) this.#tell(this.#listener);
  }

  #tell(listener: (result: CommitResult) => void): void {
    assert(this.result !== undefined, 'what is announced has a result');
    listener(this.result);
  }
}

/** Ends a pending commit with what became of its mutation; whoever calls has it announced. */
export function settle(pending: DeferredCommit, outcome: CommitOutcome): void {
  pending.state =
    outcome.kind === 'applied' ? { kind: 'applied', revision: outcome.revision } : failed;
  pending.result = outcome;
}

/** Ends a pending commit of which nobody knows what became, or that was never tried. */
export function fail(pending: DeferredCommit, error: unknown): void {
  pending.state = failed;
  pending.result = { kind: 'failed', error };
}
