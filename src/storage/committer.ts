/**
 * Group commit: every mutation that arrives while a commit is in flight rides the next one.
 *
 * What it is not: it decides nothing. Preconditions are evaluated by the store, inside the
 * transaction; this file only gathers, translates "after that ticket" into what the store can
 * check, and hands each submitter its own outcome.
 *
 *   submit ─▶ queue ──(no commit in flight)──▶ batch ─▶ storage.commit ─▶ outcome of each ticket
 *               ▲  bounded: overloaded            bounded: the rest stays for the next batch
 *
 * Invariants
 *  - At most one commit is in flight. Submissions are applied in the order they were submitted.
 *  - A ticket's outcome is given only after storage.commit has resolved, that is, when durable.
 *  - A mutation decided on another's result is sent only when that one was applied, or together
 *    with it under `after`; when it was not applied, neither is any mutation built on it.
 *  - The first submission after idle starts its commit in the same turn of the event loop, after
 *    the requests of that turn have been seen (nextTurn): nothing waits for company.
 * Bounds: `committerLimits`; a full queue answers `overloaded` and changes nothing.
 */
import { assert } from '../stdx/assert.ts';
import type { Timers } from '../stdx/clock.ts';
import { mutationTooLarge } from './mutation-limits.ts';
import { StorageError } from './storage.ts';
import type { Mutation, MutationOutcome, Precondition, Revision, Storage } from './storage.ts';

/** A submitted mutation. `expect` of a later submission may be the ticket itself. */
export interface CommitTicket {
  /** Resolves when durable, or with the reason why nothing was written.
   * Rejects with StorageError. */
  readonly outcome: Promise<CommitOutcome>;
}

export type CommitOutcome =
  | MutationOutcome
  /** The mutation this one was decided on was not applied, so this one was not tried. */
  | { readonly kind: 'predecessor-failed' }
  /** The queue is full (`committerLimits`): try again later. */
  | { readonly kind: 'overloaded' };

/** A mutation whose expectation is either a stored fact or an earlier ticket on the same key. */
export type Submission = Omit<Mutation, 'expect'> & {
  readonly expect: Exclude<Mutation['expect'], { kind: 'after' }> | CommitTicket;
};

export interface Committer {
  submit(submission: Submission): CommitTicket;
  /** Refuses new work, resolves when everything accepted has its outcome. */
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

export interface CommitterLimits {
  /** Most mutations in one commit; the rest waits for the next one. */
  readonly batchMutationsMax: number;
  /** Most value bytes in one commit (at least one mutation always goes). */
  readonly batchBytesMax: number;
  /** Most mutations waiting; beyond: `overloaded`. */
  readonly queuedMutationsMax: number;
  /** Most value bytes waiting; beyond: `overloaded`. */
  readonly queuedBytesMax: number;
}

/** A batch stays far below what a FoundationDB transaction may hold (10 MB with its overhead). */
export const committerLimits: CommitterLimits = {
  batchMutationsMax: 512,
  batchBytesMax: 4 * 1024 * 1024,
  queuedMutationsMax: 20_000,
  queuedBytesMax: 64 * 1024 * 1024,
};

export interface CommitterOptions {
  readonly storage: Storage;
  readonly timers: Timers;
  readonly limits?: Partial<CommitterLimits> | undefined;
}

type TicketState =
  | { readonly kind: 'queued' }
  | { readonly kind: 'sent'; readonly batch: number; readonly index: number }
  | { readonly kind: 'applied'; readonly revision: Revision }
  | { readonly kind: 'failed' };

interface Ticket extends CommitTicket {
  state: TicketState;
  resolve(outcome: CommitOutcome): void;
  reject(error: unknown): void;
}

interface Waiting {
  readonly submission: Submission;
  readonly ticket: Ticket;
  readonly bytes: number;
}

const failed: TicketState = { kind: 'failed' };
const queued: TicketState = { kind: 'queued' };

export function createCommitter(options: CommitterOptions): GroupCommitter {
  return new GroupCommit(options);
}

class GroupCommit implements GroupCommitter {
  readonly #storage: Storage;
  readonly #timers: Timers;
  readonly #limits: CommitterLimits;
  readonly #onDrained: (() => void)[] = [];
  #queue: Waiting[] = [];
  /** Index of the first one waiting; what stands before it has been sent. */
  #head = 0;
  #queuedBytes = 0;
  /** From the moment a start is scheduled until the queue has been found empty. */
  #running = false;
  #draining = false;
  #commitsTotal = 0;
  #mutationsTotal = 0;
  #overloadedTotal = 0;

  constructor(options: CommitterOptions) {
    this.#storage = options.storage;
    this.#timers = options.timers;
    this.#limits = { ...committerLimits, ...options.limits };
  }

  submit(submission: Submission): CommitTicket {
    const ticket = createTicket();
    const tooLarge = mutationTooLarge(submission);
    if (tooLarge !== undefined || this.#draining) {
      fail(ticket, tooLarge ?? new StorageError('closed', 'the committer is draining'));
      return ticket;
    }
    const { key, operation } = submission;
    const bytes = key.length + (operation.kind === 'put' ? operation.value.byteLength : 0);
    const refused = this.#refusal(submission, bytes);
    if (refused !== undefined) {
      settle(ticket, refused);
      return ticket;
    }
    this.#queue.push({ submission, ticket, bytes });
    this.#queuedBytes += bytes;
    if (!this.#running) {
      this.#running = true;
      this.#timers.nextTurn(() => void this.#run());
    }
    return ticket;
  }

  drain(): Promise<void> {
    this.#draining = true;
    if (!this.#running) return Promise.resolve();
    return new Promise((resolve) => this.#onDrained.push(resolve));
  }

  stats(): CommitterStats {
    return {
      queuedMutationsCount: this.#queue.length - this.#head,
      queuedBytes: this.#queuedBytes,
      commitsTotal: this.#commitsTotal,
      mutationsTotal: this.#mutationsTotal,
      overloadedTotal: this.#overloadedTotal,
    };
  }

  #refusal(submission: Submission, bytes: number): CommitOutcome | undefined {
    if (predecessorOf(submission)?.state.kind === 'failed') return { kind: 'predecessor-failed' };
    const count = this.#queue.length - this.#head;
    const full =
      count >= this.#limits.queuedMutationsMax ||
      this.#queuedBytes + bytes > this.#limits.queuedBytesMax;
    if (!full) return undefined;
    this.#overloadedTotal += 1;
    return { kind: 'overloaded' };
  }

  async #run(): Promise<void> {
    while (this.#head < this.#queue.length) {
      const { mutations, riders } = this.#takeBatch();
      if (mutations.length === 0) continue;
      this.#commitsTotal += 1;
      this.#mutationsTotal += mutations.length;
      try {
        settleBatch(riders, await this.#storage.commit(mutations));
      } catch (error) {
        for (const { ticket } of riders) fail(ticket, error);
      }
      // Whoever was just answered may submit again before the next batch is closed.
      await new Promise<void>((resolve) => this.#timers.nextTurn(resolve));
    }
    this.#running = false;
    for (const resolve of this.#onDrained.splice(0)) resolve();
  }

  #takeBatch(): { readonly mutations: readonly Mutation[]; readonly riders: readonly Waiting[] } {
    const mutations: Mutation[] = [];
    const riders: Waiting[] = [];
    const batch = this.#commitsTotal;
    let bytes = 0;
    while (this.#head < this.#queue.length && mutations.length < this.#limits.batchMutationsMax) {
      const waiting = this.#queue[this.#head] as Waiting;
      if (mutations.length > 0 && bytes + waiting.bytes > this.#limits.batchBytesMax) break;
      this.#head += 1;
      this.#queuedBytes -= waiting.bytes;
      const expect = preconditionOf(waiting.submission, batch);
      if (expect === undefined) {
        settle(waiting.ticket, { kind: 'predecessor-failed' });
        continue;
      }
      bytes += waiting.bytes;
      waiting.ticket.state = { kind: 'sent', batch, index: mutations.length };
      const { key, conditions, operation } = waiting.submission;
      mutations.push({ key, expect, conditions, operation });
      riders.push(waiting);
    }
    // The sent front is cut off when it is as long as the rest: each one moves at most once.
    if (this.#head * 2 >= this.#queue.length) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    return { mutations, riders };
  }
}

function predecessorOf(submission: Submission): Ticket | undefined {
  if (!('outcome' in submission.expect)) return undefined;
  const ticket = submission.expect as Ticket;
  assert('state' in ticket, 'the ticket was not made by a committer');
  return ticket;
}

/** The precondition the store can check, or undefined when the predecessor was not applied. */
function preconditionOf(submission: Submission, batch: number): Precondition | undefined {
  if (!('outcome' in submission.expect)) return submission.expect;
  const state = (predecessorOf(submission) as Ticket).state;
  if (state.kind === 'applied') return { kind: 'revision', revision: state.revision };
  if (state.kind === 'failed') return undefined;
  // Queued in order and sent in order: a predecessor without an outcome is in this very batch.
  assert(state.kind === 'sent' && state.batch === batch, 'a predecessor was overtaken');
  return { kind: 'after', index: state.index };
}

function settleBatch(riders: readonly Waiting[], outcomes: readonly MutationOutcome[]): void {
  assert(outcomes.length === riders.length, 'one outcome per mutation');
  for (let i = 0; i < riders.length; i += 1) {
    const { submission, ticket } = riders[i] as Waiting;
    const outcome = outcomes[i] as MutationOutcome;
    // Riders settle in order, so a predecessor of this batch already has its state.
    const orphan = outcome.kind !== 'applied' && predecessorOf(submission)?.state.kind === 'failed';
    settle(ticket, orphan ? { kind: 'predecessor-failed' } : outcome);
  }
}

function createTicket(): Ticket {
  let resolve!: (outcome: CommitOutcome) => void;
  let reject!: (error: unknown) => void;
  const outcome = new Promise<CommitOutcome>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { outcome, state: queued, resolve, reject };
}

function settle(ticket: Ticket, outcome: CommitOutcome): void {
  ticket.state =
    outcome.kind === 'applied' ? { kind: 'applied', revision: outcome.revision } : failed;
  ticket.resolve(outcome);
}

function fail(ticket: Ticket, error: unknown): void {
  ticket.state = failed;
  ticket.reject(error);
}
