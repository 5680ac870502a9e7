/**
 * The one cluster behind all connections of the FoundationDB double: it orders commits, hands out
 * versions and fires watches.
 *
 *   commit() ─▶ queue ─(next turn)─▶ one version for all of the queue ─▶ each: conflicts? apply
 */
import type { Timers } from '../../../src/stdx/clock.ts';
import { STAMP_BYTES, fdbCodes } from '../../../src/storage/fdb/binding.ts';
import { FdbFailure, Faults } from './fdb-double-faults.ts';
import { DoubleStore, VERSIONS_PER_MS } from './fdb-double-store.ts';
import type { KeyRange, Written } from './fdb-double-store.ts';

export interface FdbDoubleOptions {
  readonly nowMs: () => number;
  readonly timers: Timers;
}

/** What a transaction hands in at its commit. */
export interface CommitRequest {
  readonly readVersion: bigint;
  readonly reads: readonly KeyRange[];
  readonly cleared: readonly KeyRange[];
  /** In order, with the versionstamp in place. */
  writes(stamp: Buffer): readonly Written[];
}

export interface WatchRequest {
  readonly key: string;
  /** At the read version of the transaction that made the watch. */
  readonly value: Promise<Buffer | undefined>;
  readonly fire: () => void;
}

interface Queued {
  readonly request: CommitRequest;
  readonly settle: (stamp: Buffer | undefined) => void;
}

const FIRST_VERSION = 7_000_000_000n;
/** How far versions jump ahead in a recovery: what a cluster gives out in a hundred seconds. */
const RECOVERY_VERSIONS = 100_000_000n;

export class Cluster {
  readonly store = new DoubleStore();
  readonly faults = new Faults();
  readonly counts = { reads: 0, commits: 0, watches: 0 };
  readonly timers: Timers;
  readonly nowMs: () => number;
  readonly #startMs: number;
  readonly #watches = new Map<WatchRequest, Buffer | undefined>();
  #firstVersion = FIRST_VERSION;
  #version = FIRST_VERSION;
  #queue: Queued[] = [];

  constructor({ nowMs, timers }: FdbDoubleOptions) {
    this.nowMs = nowMs;
    this.timers = timers;
    this.#startMs = nowMs();
  }

  /** The newest version: it advances with time and with commits. */
  version(): bigint {
    const elapsed = Math.floor((this.nowMs() - this.#startMs) * VERSIONS_PER_MS);
    const byTime = this.#firstVersion + BigInt(elapsed);
    if (byTime > this.#version) this.#version = byTime;
    return this.#version;
  }

  /** New servers of transactions have taken over: what was begun before is too old. */
  recover(): void {
    this.#version = this.version() + RECOVERY_VERSIONS;
    this.#firstVersion += RECOVERY_VERSIONS;
  }

  /** Resolves with the versionstamp, or undefined for a conflict. */
  commit(request: CommitRequest): Promise<Buffer | undefined> {
    this.counts.commits += 1;
    return new Promise((settle) => {
      this.#queue.push({ request, settle });
      if (this.#queue.length === 1) this.timers.nextTurn(() => this.#commitQueued());
    });
  }

  #commitQueued(): void {
    const queue = this.#queue;
    this.#queue = [];
    const version = this.version() + 1n;
    this.#version = version;
    for (const [order, { request, settle }] of queue.entries()) {
      const conflict = request.reads.some((range) =>
        this.store.writtenAfter(range, request.readVersion),
      );
      if (conflict) {
        settle(undefined);
        continue;
      }
      const stamp = Buffer.alloc(STAMP_BYTES);
      stamp.writeBigUInt64BE(version);
      stamp.writeUInt16BE(order, 8);
      this.store.apply(version, request.writes(stamp), request.cleared);
      settle(stamp);
    }
    for (const [watch, value] of [...this.#watches]) this.#fireWhenChanged(watch, value);
  }

  async addWatch(watch: WatchRequest): Promise<void> {
    this.counts.watches += 1;
    const value = await watch.value;
    this.#watches.set(watch, value);
    this.#fireWhenChanged(watch, value);
    if (this.faults.ofWatch()) this.#fire(watch);
  }

  removeWatch(watch: WatchRequest): void {
    this.#watches.delete(watch);
  }

  #fireWhenChanged(watch: WatchRequest, value: Buffer | undefined): void {
    const now = this.store.get(watch.key, this.version());
    const same = now === undefined ? value === undefined : value?.equals(now) === true;
    if (!same) this.#fire(watch);
  }

  #fire(watch: WatchRequest): void {
    if (this.#watches.delete(watch)) this.timers.nextTurn(watch.fire);
  }

  /** For a cluster that does not answer: resolves when it does again, rejects when the
   * transaction's time is over. */
  silence(timeoutMs: number | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      this.faults.whenReachable(resolve);
      if (timeoutMs === undefined) return;
      const timedOut = (): void => reject(new FdbFailure(fdbCodes.transactionTimedOut));
      this.timers.after(timeoutMs, timedOut);
    });
  }
}
