/** Servers over one FoundationDB double, on manual time, and ways to step between their steps. */
import { seededPrng } from '../../../src/stdx/prng.ts';
import type { FdbDatabase, FdbTransaction } from '../../../src/storage/fdb/binding.ts';
import { openFdbStorage } from '../../../src/storage/fdb/fdb-storage.ts';
import type { Revision, Storage, StoreKey } from '../../../src/storage/storage.ts';
import { createFdbDouble } from '../doubles/fdb-double.ts';
import type { FdbDouble } from '../doubles/fdb-double.ts';
import { manualTime } from '../doubles/manual-time.ts';
import type { ManualTime } from '../doubles/manual-time.ts';

export const doublePrefix = 'servers';

export interface Servers {
  readonly double: FdbDouble;
  readonly time: ManualTime;
  open(options?: ServerOptions): Promise<Storage>;
  closeAll(): Promise<void>;
}

export interface ServerOptions {
  readonly identity?: string;
  readonly db?: FdbDatabase;
  /** Of a server whose own timers stand still: it is stopped, and does not know. */
  readonly frozen?: boolean;
  readonly requestTimeoutMs?: number;
  readonly mayBeTested?: (key: StoreKey) => boolean;
}

export function createServers(): Servers {
  const time = manualTime();
  const double = createFdbDouble({ nowMs: () => time.clock.nowMs(), timers: time.timers });
  const opened: Storage[] = [];
  let count = 0;
  return {
    double,
    time,
    async open({
      identity = 'svc',
      db = double.connect(),
      frozen = false,
      requestTimeoutMs = 20_000,
      mayBeTested,
    } = {}) {
      count += 1;
      const storage = await openFdbStorage({
        db,
        prefix: doublePrefix,
        identity,
        clock: time.clock,
        timers: frozen ? manualTime().timers : time.timers,
        prng: seededPrng(count),
        requestTimeoutMs,
        mayBeTested,
      });
      opened.push(storage);
      return storage;
    },
    async closeAll() {
      for (const storage of opened.splice(0)) await storage.close();
    },
  };
}

export interface Hooks {
  /** Runs when a transaction has read and written and is about to commit. */
  beforeCommit?: (() => Promise<void>) | undefined;
  /** Runs when a commit has failed, before its caller hears of it. */
  afterFailure?: (() => Promise<void>) | undefined;
}

/** The same database, with hooks that run once each. */
export function hooked(inner: FdbDatabase, hooks: Hooks): FdbDatabase {
  return {
    begin(options) {
      const transaction: FdbTransaction = inner.begin(options);
      return {
        ...transaction,
        async commit() {
          const before = hooks.beforeCommit;
          hooks.beforeCommit = undefined;
          await before?.();
          try {
            await transaction.commit();
          } catch (error) {
            const after = hooks.afterFailure;
            hooks.afterFailure = undefined;
            await after?.();
            throw error;
          }
        },
      };
    },
    close: () => inner.close(),
  };
}

export function slotOf(revision: Revision): number {
  return Number(revision >> 7n) & 31;
}

export function versionOf(revision: Revision): bigint {
  return revision >> 12n;
}

export function sameVersion(one: Revision, other: Revision): boolean {
  return versionOf(one) === versionOf(other);
}

/** Lets everything that is ready run. */
export async function turns(count = 20): Promise<void> {
  for (let i = 0; i < count; i += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** Moves time on, a step at a time, until a promise settles. */
export async function advanceUntil(time: ManualTime, settled: Promise<unknown>): Promise<void> {
  let done = false;
  const mark = (): void => {
    done = true;
  };
  settled.then(mark, mark);
  for (let i = 0; !done && i < 200; i += 1) {
    await turns(3);
    time.advance(500);
  }
}
