/**
 * How far the log has been applied, and who waits for it to get further.
 *
 * Invariants: `revision` never goes back; a waiter runs once, after the revision it waits for has
 * been applied to every cache and routed to every class; waitUntilCurrent uses only answers of
 * storage.revision() that were asked for after the call (promise P3).
 */
import type { Timers } from '../src/stdx/clock.ts';
import { revisionZero, StorageError } from '../src/storage/storage.ts';
import type { Revision } from '../src/storage/storage.ts';
import type { Freshness } from './streams.ts';

interface Waiter {
  readonly revision: Revision;
  readonly callback: () => void;
  /** For who must not be left waiting when the log is no longer followed. */
  readonly reject?: ((error: StorageError) => void) | undefined;
}

/** One question to the store, shared by all who came before it was asked. */
interface Asking {
  readonly answer: Promise<Revision>;
  begun: boolean;
}

export class Progress {
  readonly #ask: () => Promise<Revision>;
  readonly #timers: Timers;
  #revision: Revision = revisionZero;
  #waiters = new Set<Waiter>();
  #lowest: Revision | undefined;
  #asking: Asking | undefined;
  #inFlight: Promise<unknown> = Promise.resolve();
  #closedBy: StorageError | undefined;

  constructor(ask: () => Promise<Revision>, timers: Timers) {
    this.#ask = ask;
    this.#timers = timers;
  }

  get revision(): Revision {
    return this.#revision;
  }

  /** Who waits for a revision that has not been applied. */
  get waitingCount(): number {
    return this.#waiters.size;
  }

  /** Without waking anybody: more of the same page follows. */
  advance(revision: Revision): void {
    if (revision > this.#revision) this.#revision = revision;
  }

  /** Wakes those whose revision has been reached. */
  wake(): void {
    if (this.#lowest === undefined || this.#lowest > this.#revision) return;
    const waiters = this.#waiters;
    this.#waiters = new Set();
    this.#lowest = undefined;
    for (const waiter of waiters) {
      if (waiter.revision <= this.#revision) waiter.callback();
      else this.#add(waiter);
    }
  }

  /** At once when it has been reached already. Never after close(), nor after the returned
   * function was called: who no longer waits must not be kept. */
  when(revision: Revision, callback: () => void): () => void {
    const waiter = { revision, callback };
    if (revision <= this.#revision) callback();
    else this.#add(waiter);
    return () => void this.#waiters.delete(waiter);
  }

  /** @throws StorageError when the store cannot say, or `closed`. */
  async waitUntilCurrent(): Promise<void> {
    const revision = await this.#current();
    if (revision <= this.#revision) return;
    await new Promise<void>((resolve, reject) => {
      if (this.#closedBy === undefined) this.#add({ revision, callback: resolve, reject });
      else reject(this.#closedBy);
    });
  }

  async waitUntil(revision: Revision, waitMs: number): Promise<Freshness> {
    if (revision <= this.#revision) return { kind: 'reached' };
    return new Promise((resolve) => {
      const timer = this.#timers.after(waitMs, () => {
        this.#waiters.delete(waiter);
        resolve({ kind: 'too-large', current: this.#revision });
      });
      const waiter: Waiter = {
        revision,
        callback: () => {
          timer.cancel();
          resolve({ kind: 'reached' });
        },
      };
      this.#add(waiter);
    });
  }

  /** Whoever waits for the present is refused from here on: it will not be reached. */
  close(): void {
    this.#closedBy = new StorageError('closed', 'the change log is no longer followed');
    const waiters = this.#waiters;
    this.#waiters = new Set();
    this.#lowest = undefined;
    for (const waiter of waiters) waiter.reject?.(this.#closedBy);
  }

  #add(waiter: Waiter): void {
    this.#waiters.add(waiter);
    if (this.#lowest === undefined || waiter.revision < this.#lowest) {
      this.#lowest = waiter.revision;
    }
  }

  /** One question in flight and one to follow, however many callers. */
  #current(): Promise<Revision> {
    if (this.#asking === undefined || this.#asking.begun) {
      const asking: Asking = {
        begun: false,
        answer: this.#inFlight.then(() => {
          asking.begun = true;
          return this.#ask();
        }),
      };
      this.#asking = asking;
      this.#inFlight = asking.answer.catch(() => undefined);
    }
    return this.#asking.answer;
  }
}
