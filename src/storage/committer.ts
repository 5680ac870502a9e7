/**
 * Group commit: mutations that arrive while the store is busy go together into the next commit.
 *
 * It decides nothing: preconditions are evaluated by the store, inside the transaction. This file
 * only gathers, translates "after that commit" into what the store can check, and hands each
 * submitter its own outcome.
 *
 *   submit ─▶ queue ──(a lane is free)──▶ batch ─▶ storage.commit ─▶ outcome of each
 *               ▲  bounded: overloaded       │  bounded: the rest stays for the next batch
 *               └── what clashes with a ◀────┘
 *                   commit under way waits
 *
 * Invariants
 *  - At most as many commits are in flight as the store has lanes (`commitLanes`): one, unless it
 *    says otherwise. No two in flight touch a common key (key-claims.ts).
 *  - Submissions that touch a common key are applied in the order in which they were submitted;
 *    with one lane all are, but those that yield. A mutation that waits for a key, or yields, is
 *    not overtaken by another one that touches that key.
 *  - An outcome is given only after storage.commit has resolved, that is, when durable; those of
 *    one commit over as many turns as that takes (announcements.ts).
 *  - A mutation decided on another's result is sent only when that one was applied, or together
 *    with it under `after`; when it was not applied, or nobody knows, neither is any mutation built
 *    on it. So it is with one that goes behind others, whatever their keys: it waits for them, or
 *    is in their commit and follows them.
 *  - A commit that fails fails its own mutations and those built on them, nothing else; one that
 *    finds no room is retried with only its deletions (deletions.ts).
 *  - The first submission after idle starts its commit in the same turn of the event loop, after
 *    the requests of that turn have been seen (nextTurn): nothing waits for further mutations. Only
 *    those that yield rest between two commits while others write (yielding-pace.ts).
 * Bounds: `committerLimits`; a full queue answers `overloaded` and changes nothing.
 */
import { assert } from '../stdx/assert.ts';
import type { Clock, Timers } from '../stdx/clock.ts';
import { createAnnouncements } from './announcements.ts';
import type { Announcements } from './announcements.ts';
import { createBatch, createQueueJump } from './commit-batch.ts';
import type { Batch, BatchLimits, Waiting } from './commit-batch.ts';
import { createPendingCommit, fail, isOrphaned, settle } from './pending-commit.ts';
import type { CommitOutcome, PendingCommit, Submission } from './pending-commit.ts';
import { deletionsOf } from './deletions.ts';
import type { IsBeingDeleted } from './deletions.ts';
import { createKeyClaims } from './key-claims.ts';
import { mutationTooLarge, valueBytesOf } from './mutation-limits.ts';
import { StorageError } from './storage.ts';
import type { MutationOutcome, Storage } from './storage.ts';
import type { CommitStages } from './write-stages.ts';
import { createYieldingPace } from './yielding-pace.ts';
import type { YieldingLimits, YieldingPace } from './yielding-pace.ts';

export interface Committer {
  submit(submission: Submission): PendingCommit;
  /** Refuses new work, resolves when everything accepted has its outcome: that is up to the store,
   * and to whoever lets go of it (abandonable.ts). */
  drain(): Promise<void>;
}

/** What createCommitter makes: the port that actors use, and figures for metrics. */
export interface GroupCommitter extends Committer {
  stats(): CommitterStats;
}

export interface CommitterStats {
  readonly queuedMutationsCount: number;
  readonly queuedBytes: number;
  readonly commitsTotal: number;
  readonly mutationsTotal: number;
  readonly overloadedTotal: number;
}

export interface CommitterLimits extends BatchLimits, YieldingLimits {
  /** Most mutations waiting; beyond: `overloaded`. */
  readonly queuedMutationsMax: number;
  /** Most value bytes waiting; beyond: `overloaded`. */
  readonly queuedBytesMax: number;
  /** Most submissions that wait for a key and are overtaken; above it nothing behind them is sent.
   */
  readonly overtakenMax: number;
}

/** A batch stays far below what a FoundationDB transaction may hold (10 MB with its overhead). */
const committerLimits: CommitterLimits = {
  batchMutationsMax: 512,
  batchBytesMax: 4 * 1024 * 1024,
  queuedMutationsMax: 20_000,
  queuedBytesMax: 64 * 1024 * 1024,
  overtakenMax: 512,
  yieldingMax: 32,
  yieldingAmongOthersMax: 16,
  yieldingBesideOthersMax: 8,
  othersForMs: 250,
  usualCommitMs: 8,
  slowCommitFactorMax: 8,
};

const largeBytes = 1024 * 1024;

export interface CommitterOptions {
  readonly storage: Storage;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly timers: Timers;
  /** Of commits when more than `largeBytes` wait, which are copied then, and what they replace is
   * read: not in a turn that other work has for itself. Absent: as of the others. */
  readonly largeTimers?: Timers | undefined;
  /** Whether a record in this state is being deleted; absent: none is. */
  readonly isEnding?: IsBeingDeleted | undefined;
  readonly limits?: Partial<CommitterLimits> | undefined;
  /** Is called when writes have become durable; absent: nobody is. */
  readonly stages?: CommitStages | undefined;
  /** See TurnsDeps; absent: what submitters do with an outcome is not counted. */
  readonly settled?: ((callback: () => void) => void) | undefined;
}

export function createCommitter(options: CommitterOptions): GroupCommitter {
  return new GroupCommit(options);
}

class GroupCommit implements GroupCommitter {
  readonly #storage: Storage;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #timers: Timers;
  readonly #largeTimers: Timers;
  readonly #limits: CommitterLimits;
  readonly #onDrained: (() => void)[] = [];
  /** Submissions whose key is claimed, oldest first; all of them are older than the queue. */
  #overtaken: Waiting[] = [];
  #queue: Waiting[] = [];
  /** Index of the first one waiting; what stands before it has been sent. */
  #head = 0;
  #queuedBytes = 0;
  /** Submissions waiting that do not yield. */
  #othersCount = 0;
  readonly #pace: YieldingPace;
  /** What waits yields, and its commit begins when the timer ends or somebody else writes. */
  #isResting = false;
  /** Of commits in flight; not kept where there is one at most. */
  readonly #claims = createKeyClaims();
  readonly #lanes: number;
  readonly #isEnding: IsBeingDeleted;
  readonly #stages: CommitStages | undefined;
  readonly #announcements: Announcements;
  #inFlightCount = 0;
  /** A turn in which commits may start has been asked for. */
  #startDue = false;
  #draining = false;
  #commitsTotal = 0;
  #mutationsTotal = 0;
  #overloadedTotal = 0;

  constructor(options: CommitterOptions) {
    this.#storage = options.storage;
    this.#clock = options.clock;
    this.#timers = options.timers;
    this.#largeTimers = options.largeTimers ?? options.timers;
    const limits = { ...committerLimits, ...options.limits };
    const { commitWritesMax = limits.batchMutationsMax } = options.storage;
    const batchMutationsMax = Math.min(limits.batchMutationsMax, commitWritesMax);
    this.#limits = { ...limits, batchMutationsMax };
    this.#pace = createYieldingPace(limits, options.clock);
    this.#isEnding = options.isEnding ?? (() => false);
    this.#stages = options.stages;
    this.#lanes = options.storage.commitLanes ?? 1;
    const { clock, settled, timers } = options;
    const onIdle = (): void => {
      if (this.#draining && this.#isIdle()) this.#startSoon();
    };
    this.#announcements = createAnnouncements({ clock, settled, timers, onIdle });
  }

  submit(submission: Submission): PendingCommit {
    const pending = createPendingCommit();
    const tooLarge = mutationTooLarge(submission);
    if (tooLarge !== undefined || this.#draining) {
      fail(pending, tooLarge ?? new StorageError('closed', 'the committer is draining'));
      this.#announcements.tellSoon(pending);
      return pending;
    }
    const bytes = submission.key.length + valueBytesOf(submission);
    const refused = this.#refusal(submission, bytes);
    if (refused !== undefined) {
      settle(pending, refused);
      this.#announcements.tellSoon(pending);
      return pending;
    }
    this.#queue.push({ submission, pending, bytes });
    this.#queuedBytes += bytes;
    if (submission.isYielding !== true) {
      this.#othersCount += 1;
      this.#pace.othersCame();
    }
    this.#startSoon();
    return pending;
  }

  drain(): Promise<void> {
    this.#draining = true;
    if (this.#isIdle()) return Promise.resolve();
    this.#startSoon();
    return new Promise((resolve) => this.#onDrained.push(resolve));
  }

  stats(): CommitterStats {
    return {
      queuedMutationsCount: this.#waitingCount(),
      queuedBytes: this.#queuedBytes,
      commitsTotal: this.#commitsTotal,
      mutationsTotal: this.#mutationsTotal,
      overloadedTotal: this.#overloadedTotal,
    };
  }

  #refusal(submission: Submission, bytes: number): CommitOutcome | undefined {
    if (isOrphaned(submission)) return { kind: 'predecessor-failed' };
    const full =
      this.#waitingCount() >= this.#limits.queuedMutationsMax ||
      this.#queuedBytes + bytes > this.#limits.queuedBytesMax;
    if (!full) return undefined;
    this.#overloadedTotal += 1;
    return { kind: 'overloaded' };
  }

  #waitingCount(): number {
    return this.#overtaken.length + this.#queue.length - this.#head;
  }

  #isIdle(): boolean {
    const isCommitting = this.#inFlightCount > 0 || this.#waitingCount() > 0;
    return !isCommitting && this.#announcements.isIdle;
  }

  /** Mutations submitted in this turn, or by commands that were just answered, go into this commit.
   */
  #startSoon(): void {
    if (this.#startDue || this.#inFlightCount === this.#lanes) return;
    this.#startDue = true;
    const timers = this.#queuedBytes > largeBytes ? this.#largeTimers : this.#timers;
    timers.nextTurn(() => {
      this.#startDue = false;
      if (this.#rests()) return;
      while (this.#inFlightCount < this.#lanes && this.#waitingCount() > 0) {
        const batch = this.#takeBatch();
        // What is left waits for a commit in flight.
        if (batch.mutations.length === 0) break;
        void this.#commit(batch);
      }
      if (this.#isIdle()) for (const resolve of this.#onDrained.splice(0)) resolve();
    });
  }

  /** Where others need not wait for a lane, nobody rests. */
  #rests(): boolean {
    if (this.#lanes > 1 || this.#draining || this.#othersCount > 0) return false;
    if (this.#waitingCount() === 0) return false;
    const restMs = this.#pace.restMs();
    if (restMs === 0) return false;
    if (this.#isResting) return true;
    this.#isResting = true;
    const goOn = (): void => {
      this.#isResting = false;
      this.#startSoon();
    };
    // A server that stops waits for what its controllers write.
    this.#timers.after(restMs, goOn, true);
    return true;
  }

  async #commit({ mutations, riders }: Batch): Promise<void> {
    const begunMs = this.#clock.monotonicMs();
    this.#commitsTotal += 1;
    this.#mutationsTotal += mutations.length;
    this.#inFlightCount += 1;
    if (this.#lanes > 1) for (const each of mutations) this.#claims.claim(each);
    try {
      this.#settle(riders, await this.#storage.commit(mutations));
    } catch (error) {
      await this.#without({ mutations, riders }, error);
    }
    if (this.#lanes > 1) for (const each of mutations) this.#claims.release(each);
    this.#inFlightCount -= 1;
    this.#pace.ended(begunMs);
    // What those who were just answered submit asks for itself.
    if (this.#draining || this.#waitingCount() > 0) this.#startSoon();
  }

  /** What deletes does not fail with what there is no room for, nor for its company. */
  async #without({ mutations, riders }: Batch, error: unknown): Promise<void> {
    const full = error instanceof StorageError && error.code === 'full';
    const chains = full ? deletionsOf(mutations, this.#isEnding) : [];
    const again = new Set(chains.flatMap((chain) => chain.map(({ from }) => from)));
    if (chains.length === 1 && again.size === mutations.length) again.clear();
    this.#failAll(
      riders.filter((_, i) => !again.has(i)),
      error,
    );
    if (again.size === 0) return;
    for (const chain of chains) {
      const left = chain.map(({ from }) => riders[from] as Waiting);
      try {
        this.#settle(left, await this.#storage.commit(chain.map(({ mutation }) => mutation)));
      } catch (ownError) {
        this.#failAll(left, ownError);
      }
    }
  }

  #settle(riders: readonly Waiting[], outcomes: readonly MutationOutcome[]): void {
    settleBatch(riders, outcomes);
    this.#measure(riders, outcomes);
    this.#announcements.tell(riders.map(({ pending }) => pending));
  }

  /** All of them before the first one is told: what is submitted meanwhile finds their states. */
  #failAll(riders: readonly Waiting[], error: unknown): void {
    for (const { pending } of riders) fail(pending, error);
    this.#announcements.tell(riders.map(({ pending }) => pending));
  }

  #measure(riders: readonly Waiting[], outcomes: readonly MutationOutcome[]): void {
    if (this.#stages === undefined) return;
    const nowMs = this.#stages.nowMs();
    for (let i = 0; i < riders.length; i += 1) {
      const { write } = (riders[i] as Waiting).submission;
      const outcome = outcomes[i] as MutationOutcome;
      if (write === undefined || outcome.kind !== 'applied') continue;
      this.#stages.durable(outcome.revision, write, nowMs);
    }
  }

  #takeBatch(): Batch {
    const batch = createBatch(this.#limits, this.#commitsTotal, (pending) =>
      this.#announcements.tellSoon(pending),
    );
    const queueJump = createQueueJump(
      this.#inFlightCount === 0 ? undefined : this.#claims,
      this.#commitsTotal,
      this.#pace.max(this.#othersCount > 0),
    );
    const takeOrPass = (waiting: Waiting): void => {
      if (queueJump.passes(waiting)) return;
      this.#queuedBytes -= waiting.bytes;
      if (waiting.submission.isYielding !== true) this.#othersCount -= 1;
      batch.add(waiting);
    };
    let seen = 0;
    for (; seen < this.#overtaken.length; seen += 1) {
      const waiting = this.#overtaken[seen] as Waiting;
      if (!batch.hasRoomFor(waiting)) break;
      takeOrPass(waiting);
    }
    const rest = this.#overtaken.slice(seen);
    while (
      rest.length === 0 &&
      this.#head < this.#queue.length &&
      queueJump.waitingCount() < this.#limits.overtakenMax
    ) {
      const waiting = this.#queue[this.#head] as Waiting;
      if (!batch.hasRoomFor(waiting)) break;
      this.#head += 1;
      takeOrPass(waiting);
    }
    this.#overtaken = [...queueJump.passed, ...rest];
    // The sent front is cut off when it is as long as the rest: each one moves at most once.
    if (this.#head * 2 >= this.#queue.length) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    return batch;
  }
}

function settleBatch(riders: readonly Waiting[], outcomes: readonly MutationOutcome[]): void {
  assert(outcomes.length === riders.length, 'one outcome per mutation');
  for (let i = 0; i < riders.length; i += 1) {
    const { submission, pending } = riders[i] as Waiting;
    const outcome = outcomes[i] as MutationOutcome;
    // Riders settle in order, so a predecessor of this batch already has its state.
    const orphan = outcome.kind !== 'applied' && isOrphaned(submission);
    settle(pending, orphan ? { kind: 'predecessor-failed' } : outcome);
  }
}
