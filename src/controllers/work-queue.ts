/**
 * A bounded queue of keys, worked off in batches, with one coarse timer for what has to be tried
 * again. The keys of a batch are begun in turns with everybody else: a decision may be long.
 *
 *   add ─▶ waiting ─▶ batch of at most `batchMax` ─▶ work(key) ─▶ done
 *            ▲                                          │ again
 *            └────────── after 2^n × retryMinMs ◀───────┘
 *
 * Invariants: a key is waiting once, however often it is added; a key is worked on by one task at a
 * time, and an addition meanwhile is not lost. At `waitingMax` keys are dropped, and as soon as
 * there is room again all that may need work is looked at once more: none of them is lost either.
 * Nothing runs before start() or after stop().
 */
import type { TimerHandle, Timers } from '../stdx/clock.ts';
import { IndexedHeap } from '../stdx/indexed-heap.ts';
import type { HeapItem } from '../stdx/indexed-heap.ts';
import { KeyLine } from '../stdx/key-line.ts';
import { SplitMap } from '../stdx/split-map.ts';
import type { QueueMeter } from './queue-meters.ts';

const workQueueLimits = {
  waitingMax: 100_000,
  /** What is tried again, and what is looked at once more, is added while no more than so many
   * wait: the other places are for what changes. */
  roomMax: 50_000,
  /** Keys that are added at a time, of those. Policy: the next ones later. */
  addedAtOnce: 1_000,
  batchMax: 64,
  retryMinMs: 50,
  retryMaxMs: 30_000,
  /** How often it is looked for keys whose time has come. */
  tickMs: 50,
  /** Keys are begun for so long in one turn. Policy: the others after a pause, prepared anew. */
  beginMs: 2,
} as const;

export interface WorkQueueDeps {
  readonly timers: Timers;
  readonly meter: QueueMeter;
  /** Keys worked on at a time; at most, and by default, `workQueueLimits.batchMax`. */
  readonly batchMax?: number | undefined;
  readonly monotonicMs: () => number;
  /** Before each batch, and in it after each pause. */
  readonly prepare: () => Promise<void>;
  /** Resolves in a turn that may go on with a batch. */
  readonly pause: () => Promise<void>;
  /** True: done; false: again, later. A rejection is reported and counts as false. Long work asks
   * `isStopped`, and ends: stop() waits for it. */
  readonly work: (key: string, isStopped: () => boolean) => Promise<boolean>;
  /** The keys that may need work, those among them that were dropped. It is asked when there is
   * room again, and read bit by bit: a key that comes meanwhile need not be in it. */
  readonly all: () => Iterable<string>;
  readonly onError: (key: string, error: unknown) => void;
}

export interface WorkQueue {
  add(key: string): void;
  start(): void;
  /** Resolves when the batch in hand has ended. */
  stop(): Promise<void>;
  readonly waitingCount: number;
}

/** In the heap: it waits for its time. */
interface Retry extends HeapItem {
  readonly key: string;
  attempts: number;
  dueMs: number;
}

export function createWorkQueue(deps: WorkQueueDeps): WorkQueue {
  return new Queue(deps);
}

class Queue implements WorkQueue {
  readonly #deps: WorkQueueDeps;
  readonly #waiting = new KeyLine();
  readonly #retries = new SplitMap<Retry>();
  /** Those that wait for their time: who is due first is the first for whom there is room. */
  readonly #delayed = new IndexedHeap<Retry>((one, other) => one.dueMs < other.dueMs);
  /** The rest of what is looked at once more. */
  #sweep: Iterator<string> | undefined;
  /** Keys have been dropped since it began. */
  #overflowed = false;
  #timer: TimerHandle | undefined;
  #working: Promise<void> | undefined;
  #running = false;
  readonly #isStopped = (): boolean => !this.#running;

  constructor(deps: WorkQueueDeps) {
    this.#deps = deps;
  }

  get waitingCount(): number {
    return this.#waiting.size;
  }

  add(key: string): void {
    if (this.#waiting.size >= workQueueLimits.waitingMax && !this.#waiting.has(key)) {
      this.#overflowed = true;
      return;
    }
    this.#waiting.add(key);
    this.#deps.meter.added(key);
    this.#begin();
  }

  start(): void {
    this.#running = true;
    this.#begin();
  }

  async stop(): Promise<void> {
    this.#running = false;
    this.#timer?.cancel();
    await this.#working;
  }

  #begin(): void {
    if (!this.#running || this.#working !== undefined || this.#waiting.size === 0) return;
    this.#working = this.#run().finally(() => {
      this.#working = undefined;
      this.#begin();
    });
  }

  async #run(): Promise<void> {
    // What is added in this turn rides the first batch.
    await Promise.resolve();
    while (this.#running && this.#waiting.size > 0) {
      await this.#workOn(this.#take());
      this.#addDropped();
    }
  }

  /** Anew when more were dropped meanwhile: they may stand where it has been looked. */
  #addDropped(): void {
    if (this.#waiting.size > workQueueLimits.roomMax) return;
    if (this.#overflowed) {
      this.#overflowed = false;
      this.#sweep = this.#deps.all()[Symbol.iterator]();
    }
    for (let left = workQueueLimits.addedAtOnce; this.#sweep && left > 0; left -= 1) {
      const next = this.#sweep.next();
      if (next.done === true) this.#sweep = undefined;
      else this.add(next.value);
    }
  }

  /** All of them are in hand at once: their writes share commits. */
  async #workOn(batch: readonly string[]): Promise<void> {
    const { monotonicMs, pause } = this.#deps;
    const begun: Promise<void>[] = [];
    while (begun.length < batch.length && this.#running) {
      await pause();
      const rest = batch.slice(begun.length);
      if (!(await this.#prepare(rest))) {
        for (const key of rest) this.#later(key);
        break;
      }
      const endsMs = monotonicMs() + workQueueLimits.beginMs;
      for (const key of rest) {
        begun.push(this.#one(key));
        if (monotonicMs() >= endsMs) break;
      }
    }
    await Promise.all(begun);
  }

  #take(): string[] {
    const batch: string[] = [];
    const max = this.#deps.batchMax ?? workQueueLimits.batchMax;
    while (batch.length < max) {
      const key = this.#waiting.take();
      if (key === undefined) break;
      batch.push(key);
    }
    return batch;
  }

  async #prepare(batch: readonly string[]): Promise<boolean> {
    try {
      await this.#deps.prepare();
      return true;
    } catch (error) {
      this.#deps.onError(batch[0] ?? '', error);
      return false;
    }
  }

  async #one(key: string): Promise<void> {
    const ended = this.#deps.meter.began(key);
    try {
      if (await this.#deps.work(key, this.#isStopped)) this.#forget(key);
      else this.#later(key);
    } catch (error) {
      this.#deps.onError(key, error);
      this.#later(key);
    } finally {
      ended();
    }
  }

  #forget(key: string): void {
    const retry = this.#retries.get(key);
    if (retry === undefined) return;
    this.#delayed.remove(retry);
    this.#retries.delete(key);
  }

  #later(key: string): void {
    const retry = this.#retries.get(key) ?? { key, attempts: 0, dueMs: 0, heapIndex: -1 };
    const { retryMinMs, retryMaxMs } = workQueueLimits;
    const delayMs = Math.min(retryMinMs * 2 ** Math.min(retry.attempts, 20), retryMaxMs);
    this.#delayed.remove(retry);
    retry.attempts += 1;
    retry.dueMs = this.#deps.monotonicMs() + delayMs;
    this.#retries.set(key, retry);
    this.#delayed.push(retry);
    this.#deps.meter.retried();
    this.#arm();
  }

  #arm(): void {
    if (this.#timer !== undefined || !this.#running || this.#delayed.length === 0) return;
    this.#timer = this.#deps.timers.after(workQueueLimits.tickMs, () => {
      this.#timer = undefined;
      const nowMs = this.#deps.monotonicMs();
      for (let left = workQueueLimits.addedAtOnce; left > 0; left -= 1) {
        const { first } = this.#delayed;
        if (first === undefined || first.dueMs > nowMs) break;
        if (this.#waiting.size > workQueueLimits.roomMax) break;
        this.#delayed.remove(first);
        this.add(first.key);
      }
      this.#arm();
    });
  }
}
