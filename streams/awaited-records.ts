/**
 * Reads the records of a resource again whose keys were away, as soon as they are there.
 *
 *     one that is awaited ─▶ until its key is there ─▶ all that can be read is read ─▶ the next one
 *                             └ or for a while: keys of others may have come ┘
 *
 * The log goes on meanwhile: what it overwrites or deletes is awaited no longer, and a record that
 * is read here counts only where the log has not gone past it.
 *
 * Bounds: one walk over the resource at a time, in slices; between two that nobody has said would
 * find something, `restMs`, and at least as long as ten of them take.
 */
import type { Clock, Timers } from '../src/stdx/clock.ts';
import { createSliceTimer } from '../src/stdx/slices.ts';
import type { EndOfSlice } from '../src/stdx/slices.ts';
import type { Storage, StoredRecord, StoreKey } from '../src/storage/storage.ts';
import type { ResourceCache } from './resource-cache.ts';
import { entryKeyOf } from './resource-change.ts';
import type { UnreadableRecord } from './unreadable-entries.ts';

const restMs = 5_000;
const restShare = 10;
/** After something that failed, or came to nothing. */
const againMs = 1_000;

/** Resolves when the key of the record is there, or nobody has it; undefined: so it is now. */
export type WhenKeyThere = (record: StoredRecord) => Promise<void> | undefined;

export interface AwaitedRecordsDeps {
  readonly storage: Pick<Storage, 'read' | 'scan'>;
  readonly whenKeyThere: WhenKeyThere;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly pageRecords: number;
  /** Aborted when nobody wants them any more. */
  readonly signal: AbortSignal;
}

interface AwaitingResource {
  /** `<group>/<resource>`. */
  readonly id: string;
  readonly cache: ResourceCache;
}

/** Resolves when none is awaited, or at the end. */
export async function readAwaited(
  deps: AwaitedRecordsDeps,
  { cache, id }: AwaitingResource,
): Promise<void> {
  const reader = new AwaitedReader(deps, cache, id);
  while (cache.isAwaiting && !deps.signal.aborted) {
    try {
      await reader.goOn();
    } catch {
      // The store's trouble, of which others tell.
      await reader.rested(againMs);
    }
  }
}

class AwaitedReader {
  readonly #deps: AwaitedRecordsDeps;
  readonly #cache: ResourceCache;
  readonly #id: string;
  readonly #endOfSlice: EndOfSlice;
  /** The one whose key is waited for. */
  #first: UnreadableRecord | undefined;
  /** The key of the one that was looked at last: there may be many that nobody reads. */
  #at = '';
  #wake: (() => void) | undefined;
  #walkMs = 0;

  constructor(deps: AwaitedRecordsDeps, cache: ResourceCache, id: string) {
    this.#deps = deps;
    this.#cache = cache;
    this.#id = id;
    this.#endOfSlice = createSliceTimer(deps.clock, deps.timers);
  }

  async goOn(): Promise<void> {
    if (this.#first !== undefined && this.#isAwaited(this.#first)) {
      await this.rested(Math.max(restMs, restShare * this.#walkMs));
      // Its key has come, or nobody has it; or others may have come.
      if (this.#first !== undefined) await this.#walk();
      return;
    }
    const next = this.#cache.nextAwaited(this.#at);
    if (next !== undefined) await this.#look(next);
  }

  rested(ms: number): Promise<void> {
    const { signal, timers } = this.#deps;
    return new Promise((resolve) => {
      const over = (): void => {
        timer.cancel();
        signal.removeEventListener('abort', over);
        this.#wake = undefined;
        resolve();
      };
      const timer = timers.after(ms, over);
      this.#wake = over;
      signal.addEventListener('abort', over);
      if (signal.aborted) over();
    });
  }

  #isAwaited({ key, revision }: UnreadableRecord): boolean {
    return this.#cache.awaits(key, revision);
  }

  /** At the next one that is awaited: is its key there? */
  async #look(next: UnreadableRecord): Promise<void> {
    this.#at = next.key;
    const read = await this.#deps.storage.read(`${this.#id}/${next.key}` as StoreKey);
    const record = read.kind === 'ok' ? read.value : undefined;
    // Another one than is awaited: the log will say so.
    if (record?.revision !== next.revision) return this.rested(againMs);
    const coming = this.#deps.whenKeyThere(record);
    if (coming === undefined) {
      if (this.#cache.restore(record)) return this.#walk();
      if (this.#isAwaited(next)) return this.rested(againMs);
      // Nobody reads it. There may be many of them.
      return this.#endOfSlice();
    }
    this.#first = next;
    void coming.then(() => {
      if (this.#first === next) this.#first = undefined;
      this.#wake?.();
    });
  }

  async #walk(): Promise<void> {
    const { clock, pageRecords, signal, storage } = this.#deps;
    const sinceMs = clock.monotonicMs();
    let after: StoreKey | undefined;
    while (this.#cache.isAwaiting && !signal.aborted) {
      const range = { prefix: `${this.#id}/`, after, limit: pageRecords };
      const read = await storage.scan(range);
      if (read.kind !== 'ok') return;
      for (const record of read.value.records) {
        after = record.key;
        const { revision } = record;
        if (this.#cache.awaits(entryKeyOf(after), revision)) this.#cache.restore(record);
        const pause = this.#endOfSlice();
        if (pause !== undefined) await pause;
        if (signal.aborted) return;
      }
      if (!read.value.more || read.value.records.length === 0) break;
    }
    this.#walkMs = clock.monotonicMs() - sinceMs;
  }
}
