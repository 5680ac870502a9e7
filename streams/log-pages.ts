/**
 * Pages of the log for watchers that catch up, shared: after a restart a thousand watches resume
 * from about the same place, and one read and one decoding serve them all.
 *
 *      log   ──[ page: after ......... through ]──      any revision in [after, through) is
 *                        ▲ a watcher                    answered by the page
 *
 * Pages are dropped by age, use and bytes. A page is read in parts, for a store may give what it is
 * asked for in the same turn. Watches that begin at many places need many pages: parts are read for
 * some milliseconds in each turn, and a page ends with the last part of its turn.
 *
 * Invariants: a page holds every change of the store with after < revision <= through, in order;
 * the log never changes, so neither does a page.
 */
import { blockBytesDefault, blockMemory } from '../src/stdx/blocks.ts';
import type { Allocate } from '../src/stdx/blocks.ts';
import type { Clock, TimerHandle, Timers } from '../src/stdx/clock.ts';
import { createLimiter } from '../src/stdx/limiter.ts';
import type { Limiter } from '../src/stdx/limiter.ts';
import type {
  AtRevision,
  Change,
  Revision,
  Storage,
  StoredRecord,
} from '../src/storage/storage.ts';
import type { StreamLimits } from './limits.ts';
import { resourceChange, resourceIdOf } from './resource-change.ts';
import type { EntryMaker, ResourceChange, StampedEntry } from './resource-change.ts';

export interface LogPagesDeps {
  readonly storage: Pick<Storage, 'changes'>;
  readonly maker: EntryMaker;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly limits: StreamLimits;
}

export class LogPage {
  readonly after: Revision;
  readonly through: Revision;
  readonly changes: readonly Change[];
  /** Of the stored records, and as much again for what is decoded of them. */
  readonly bytes: number;
  readonly #maker: EntryMaker;
  readonly #decoded: (ResourceChange | undefined)[] = [];
  /** What is decoded goes with the page; of a small one that is little. */
  readonly #memory: Allocate;

  constructor(after: Revision, through: Revision, changes: readonly Change[], maker: EntryMaker) {
    this.after = after;
    this.through = through;
    this.changes = changes;
    this.#maker = maker;
    let bytes = 0;
    for (const { record, previous } of changes) {
      bytes += (record?.value.length ?? 0) + (previous?.value.length ?? 0);
    }
    this.bytes = bytes * 2;
    this.#memory = blockMemory(Math.min(blockBytesDefault, this.bytes));
  }

  /** Position of the first change after `revision`. */
  indexAfter(revision: Revision): number {
    let low = 0;
    let high = this.changes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.changes[middle] as Change).revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  isOf(index: number, resourceId: string): boolean {
    return resourceIdOf((this.changes[index] as Change).key) === resourceId;
  }

  /** Decoded once. Undefined when the change shows nothing. */
  at(index: number): ResourceChange | undefined {
    const known = this.#decoded[index];
    if (known !== undefined) return known;
    const change = this.changes[index] as Change;
    const { revision } = change;
    const written = change.record && this.#entry(change.record);
    const previous = change.previous && this.#entry(change.previous);
    const decoded = resourceChange(0, { revision, written, previous }, this.#maker, this.#memory);
    this.#decoded[index] = decoded;
    return decoded;
  }

  #entry(record: StoredRecord): StampedEntry {
    return this.#maker.fromRecord(record, this.#memory);
  }
}

export class LogPages {
  readonly #deps: LogPagesDeps;
  readonly #slot: Limiter;
  /** Until when more may be read in this turn; undefined: nothing was read in it yet. */
  #turnEndsMs: number | undefined;
  #nextTurn: Promise<void> = Promise.resolve();
  /** The least recently used first. */
  #pages: LogPage[] = [];
  #bytes = 0;
  #usedMs = 0;
  #timer: TimerHandle | undefined;

  constructor(deps: LogPagesDeps) {
    this.#deps = deps;
    this.#slot = createLimiter(deps.limits.logReadsMax);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** A page that begins at or before `after` and goes beyond it, if the log does. */
  async covering(after: Revision): Promise<AtRevision<LogPage>> {
    const known = this.#find(after);
    if (known !== undefined) return { kind: 'ok', value: known };
    return this.#slot(async () => {
      // Somebody before us in line may have read it.
      let read = this.#find(after);
      while (read === undefined && this.#isTurnOver()) {
        await this.#nextTurn;
        read = this.#find(after);
      }
      // In the same step: who looks at the clock next sees what this read took.
      return read === undefined ? this.#read(after) : { kind: 'ok', value: read };
    });
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#pages = [];
    this.#bytes = 0;
  }

  async #read(after: Revision): Promise<AtRevision<LogPage>> {
    const { limits, maker, storage } = this.#deps;
    const changes: Change[] = [];
    let through = after;
    for (let isWhole = false; !isWhole;) {
      const limit = Math.min(limits.logReadChanges, limits.logPageChanges - changes.length);
      const read = await storage.changes(through, { limit, previous: true });
      if (read.kind !== 'ok') {
        if (changes.length === 0) return read;
        break;
      }
      const part = read.value;
      for (const change of part.changes) changes.push(change);
      through = part.through;
      const isLast = part.changes.length < limit || changes.length >= limits.logPageChanges;
      // Another turn has begun where the store took its time.
      isWhole = isLast || this.#turnEndsMs === undefined || this.#isTurnOver();
    }
    const page = new LogPage(after, through, changes, maker);
    this.#keep(page);
    return { kind: 'ok', value: page };
  }

  /** Or else there is time for a read, which the first one of a turn always has. */
  #isTurnOver(): boolean {
    const { clock, limits, timers } = this.#deps;
    if (this.#turnEndsMs !== undefined) return clock.monotonicMs() >= this.#turnEndsMs;
    this.#turnEndsMs = clock.monotonicMs() + limits.turnLogMs;
    this.#nextTurn = new Promise((resolve) => {
      timers.nextTurn(() => {
        this.#turnEndsMs = undefined;
        resolve();
      });
    });
    return false;
  }

  #find(after: Revision): LogPage | undefined {
    for (let i = this.#pages.length - 1; i >= 0; i -= 1) {
      const page = this.#pages[i] as LogPage;
      if (page.after > after || page.through <= after) continue;
      this.#pages.splice(i, 1);
      this.#pages.push(page);
      this.#usedMs = this.#deps.clock.monotonicMs();
      return page;
    }
    return undefined;
  }

  #keep(page: LogPage): void {
    const { clock, limits } = this.#deps;
    if (page.bytes > limits.logPagesBytesMax || page.through <= page.after) return;
    this.#pages.push(page);
    this.#bytes += page.bytes;
    while (this.#bytes > limits.logPagesBytesMax || this.#pages.length > limits.logPagesMax) {
      this.#bytes -= (this.#pages.shift() as LogPage).bytes;
    }
    this.#usedMs = clock.monotonicMs();
    this.#arm();
  }

  /** All go when none was used for a while: the herd has passed. */
  #arm(): void {
    const { clock, limits, timers } = this.#deps;
    this.#timer ??= timers.after(limits.logPagesMs, () => {
      this.#timer = undefined;
      if (clock.monotonicMs() - this.#usedMs >= limits.logPagesMs) this.stop();
      else this.#arm();
    });
  }
}
