/**
 * How far the log has been applied, and the reads that wait for it to get further.
 *
 *   read ─▶ question to the store ─▶ its newest revision R ─▶ R applied ─▶ answered
 *              one in flight, one        within `currentWaitMs` of the question, or `lagging`
 *              to follow
 *
 * Invariants: `revision` never goes back; a waiter runs once, after the revision it waits for has
 * been applied to every cache; waitUntilCurrent uses only answers of
 * storage.revision() that were requested after the call (promise P3). If that revision is not
 * reached in time, the read fails; it is never answered from an older state.
 *
 * Bounds: a question and all reads behind it share one entry and no timer of their own; one timer
 * serves the oldest entry. Waiters are called for `wakeMs` in each turn: ten thousand watches may
 * wait for one revision. Of reads that have waited for the same, `readsPerTurn` go on in each turn.
 */
import { IndexedHeap } from '../src/stdx/indexed-heap.ts';
import type { HeapItem } from '../src/stdx/indexed-heap.ts';
import { onceATurn } from '../src/stdx/once-a-turn.ts';
import type { Requester } from '../src/stdx/requester.ts';
import { RingBuffer } from '../src/stdx/ring-buffer.ts';
import type { Clock, TimerHandle, Timers } from '../src/stdx/clock.ts';
import { revisionZero, StorageError } from '../src/storage/storage.ts';
import type { Revision } from '../src/storage/storage.ts';
import type { Freshness } from './streams.ts';

const wakeMs = 4;
const readsPerTurn = 32;

interface Waiter extends HeapItem {
  readonly revision: Revision;
  readonly callback: () => void;
}

/** A question to the store and the reads behind it, from being asked to being applied. */
interface Question {
  /** When its first read came. */
  readonly sinceMs: number;
  readonly done: Promise<void>;
  readonly settle: (error?: StorageError) => void;
  begun: boolean;
  readsCount: number;
}

export interface ProgressOptions {
  readonly ask: () => Promise<Revision>;
  readonly clock: Clock;
  readonly timers: Timers;
  /** How long a consistent read waits. */
  readonly currentWaitMs: number;
}

export class Progress {
  readonly #options: ProgressOptions;
  #revision: Revision = revisionZero;
  /** The lowest revision first: what a change costs does not grow with those that wait longer. */
  readonly #waiters = new IndexedHeap<Waiter>((one, other) => one.revision < other.revision);
  /** More can be called than one turn could. */
  #waking: TimerHandle | undefined;
  /** Reads whose wait is over. */
  readonly #ready = new RingBuffer<() => void>();
  readonly #askForTurn: () => void;
  /** Unanswered, oldest first. */
  readonly #questions = new Set<Question>();
  /** The newest one; shared while it has not begun. */
  #question: Question | undefined;
  #timer: TimerHandle | undefined;
  #inFlight: Promise<unknown> = Promise.resolve();
  #askedMs: number | undefined;
  /** The first known revision that is not applied yet, and since when it has been known. */
  #ahead: { readonly revision: Revision; readonly sinceMs: number } | undefined;
  #closedBy: StorageError | undefined;

  constructor(options: ProgressOptions) {
    this.#options = options;
    this.#askForTurn = onceATurn(options.timers, () => this.#letSomeGoOn());
  }

  get revision(): Revision {
    return this.#revision;
  }

  /** A callback that waits for a revision that is not applied yet. */
  get waitingCount(): number {
    return this.#waiters.length;
  }

  /** Consistent reads that wait. */
  get readsCount(): number {
    let count = 0;
    for (const question of this.#questions) count += question.readsCount;
    return count;
  }

  /** How long the oldest of them has waited; 0 when there is none. */
  get oldestReadMs(): number {
    for (const { sinceMs } of this.#questions) return this.#nowMs() - sinceMs;
    return 0;
  }

  /** For how long it has been known that the log is ahead, or that the store does not answer. */
  get lagMs(): number {
    const since = Math.min(this.#ahead?.sinceMs ?? Infinity, this.#askedMs ?? Infinity);
    return since === Infinity ? 0 : this.#nowMs() - since;
  }

  /** Applied without waking waiters: more of the same page follows. */
  advance(revision: Revision): void {
    if (revision > this.#revision) this.#revision = revision;
  }

  /** Wakes those whose revision has been reached. */
  wake(): void {
    if (this.#ahead !== undefined && this.#ahead.revision <= this.#revision) {
      this.#ahead = undefined;
    }
    if (this.#waking === undefined) this.#callReached();
  }

  #callReached(): void {
    const { clock, timers } = this.#options;
    const endsMs = clock.monotonicMs() + wakeMs;
    while (this.#isReached(this.#waiters.first)) {
      this.#waiters.shift()?.callback();
      if (!this.#isReached(this.#waiters.first) || clock.monotonicMs() < endsMs) continue;
      this.#waking = timers.nextTurn(() => {
        this.#waking = undefined;
        this.#callReached();
      });
      return;
    }
  }

  #isReached(waiter: Waiter | undefined): boolean {
    return waiter !== undefined && waiter.revision <= this.#revision;
  }

  /** Called at once if the revision has been reached. Never after close(), nor after the returned
   * function was called, so that a reader that has gone is not kept in memory. */
  when(revision: Revision, callback: () => void): () => void {
    if (revision <= this.#revision) {
      callback();
      return () => undefined;
    }
    const waiter = this.#add(revision, callback);
    return () => this.#waiters.remove(waiter);
  }

  /** @throws StorageError when the store cannot say, `lagging` after `currentWaitMs`, `closed`. */
  waitUntilCurrent(): Promise<void> {
    if (this.#closedBy !== undefined) return Promise.reject(this.#closedBy);
    const question = this.#current();
    question.readsCount += 1;
    if (question.readsCount <= readsPerTurn) return question.done;
    return question.done.then(() => new Promise((resolve) => this.#goOn(resolve)));
  }

  /** Who goes waits no longer, and nothing of it is kept. */
  async waitUntil(revision: Revision, waitMs: number, requester?: Requester): Promise<Freshness> {
    if (revision <= this.#revision) return { kind: 'reached' };
    return new Promise((resolve) => {
      const leave = (): void => {
        timer.cancel();
        this.#waiters.remove(waiter);
        resolve({ kind: 'left' });
      };
      const timer = this.#options.timers.after(waitMs, () => {
        requester?.offAbort(leave);
        this.#waiters.remove(waiter);
        this.#goOn(() => resolve({ kind: 'too-large', current: this.#revision }));
      });
      const waiter = this.#add(revision, () => {
        requester?.offAbort(leave);
        timer.cancel();
        this.#goOn(() => resolve({ kind: 'reached' }));
      });
      requester?.onAbort(leave);
    });
  }

  /** From here on reads that must be current are refused, because their revision will not be
   * reached. */
  close(): void {
    this.#closedBy = new StorageError('closed', 'the change log is no longer followed');
    this.#waiters.clear();
    this.#waking?.cancel();
    this.#waking = undefined;
    this.#timer?.cancel();
    this.#timer = undefined;
    for (const question of this.#questions) question.settle(this.#closedBy);
  }

  #nowMs(): number {
    return this.#options.clock.monotonicMs();
  }

  /** What a read does next is done before this turn ends, and it may be one of hundreds. */
  #goOn(read: () => void): void {
    this.#ready.push(read);
    this.#askForTurn();
  }

  #letSomeGoOn(): void {
    for (let left = readsPerTurn; left > 0 && this.#ready.length > 0; left -= 1) {
      this.#ready.shift()();
    }
    if (this.#ready.length > 0) this.#askForTurn();
  }

  #add(revision: Revision, callback: () => void): Waiter {
    const waiter: Waiter = { heapIndex: -1, revision, callback };
    this.#waiters.push(waiter);
    return waiter;
  }

  /** One question in flight and one to follow, however many callers. */
  #current(): Question {
    if (this.#question !== undefined && !this.#question.begun) return this.#question;
    const question = this.#openQuestion();
    this.#question = question;
    const answer = this.#inFlight.then(() => {
      question.begun = true;
      this.#askedMs = this.#nowMs();
      return this.#options.ask();
    });
    this.#inFlight = answer.then(
      (revision) => {
        this.#askedMs = undefined;
        this.#reach(question, revision);
      },
      (error: unknown) => {
        this.#askedMs = undefined;
        question.settle(asStorageError(error));
      },
    );
    return question;
  }

  #reach(question: Question, revision: Revision): void {
    if (revision <= this.#revision) return question.settle();
    if (this.#closedBy !== undefined) return;
    this.#ahead ??= { revision, sinceMs: this.#nowMs() };
    // One that has been refused meanwhile is not kept.
    if (!this.#questions.has(question)) return;
    const waiter = this.#add(revision, () => question.settle());
    question.done.catch(() => this.#waiters.remove(waiter));
  }

  #openQuestion(): Question {
    let resolve!: () => void;
    let reject!: (error: StorageError) => void;
    const done = new Promise<void>((onResolve, onReject) => {
      resolve = onResolve;
      reject = onReject;
    });
    const question: Question = {
      sinceMs: this.#nowMs(),
      done,
      settle: (error) => {
        this.#questions.delete(question);
        if (error === undefined) resolve();
        else reject(error);
      },
      begun: false,
      readsCount: 0,
    };
    this.#questions.add(question);
    this.#arm();
    return question;
  }

  /** For the oldest question. Not moved when that is answered: it comes to look once too often. */
  #arm(): void {
    if (this.#timer !== undefined) return;
    for (const { sinceMs } of this.#questions) {
      const { currentWaitMs, timers } = this.#options;
      const leftMs = sinceMs + currentWaitMs - this.#nowMs();
      // A turn later: if this process stood still, the answer may be waiting to be read.
      this.#timer = timers.after(Math.max(0, leftMs), () => {
        this.#timer = timers.nextTurn(() => {
          this.#timer = undefined;
          this.#refuseLate();
          this.#arm();
        });
      });
      return;
    }
  }

  #refuseLate(): void {
    const { currentWaitMs } = this.#options;
    const late = this.#nowMs() - currentWaitMs;
    for (const question of this.#questions) {
      if (question.sinceMs > late) return;
      question.settle(
        new StorageError('lagging', `the change log was not caught up with in ${currentWaitMs} ms`),
      );
    }
  }
}

function asStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  return new StorageError('io', 'the store cannot say how far it is', { cause: error });
}
