/**
 * Room that the store keeps for itself, so that deletions and compaction still have some when the
 * medium is full.
 *
 *     whole ── a commit finds no room: release ─▶ released (full) ── restore succeeds ─▶ whole
 *
 * Not free space of the file system, which somebody else may take: the room is pages of the store's
 * own file, records that mean nothing, in a table of their own. Freed, they serve what LMDB writes
 * later, be it the disk, a quota or a limit of the file that has come to its end.
 *
 * LMDB gives out again what transaction N has freed in transaction N+2 at the earliest: until N+1
 * is on the disk, N's predecessor must be readable. So a release ends with a transaction that
 * changes nothing; without it, what follows would find none of the room.
 *
 * Invariants: the store is full exactly while the reserve is not whole, and until it has been
 * written anew together with half as much again, which is then given back: the proof of room.
 * What cannot succeed is not tried (file-room.ts): a full store first counts its pages.
 * Bounds: `reserveLimits`; a try to restore is one transaction of at most half as many bytes again.
 */
import { statfsSync } from 'node:fs';
import type { Clock } from '../../stdx/clock.ts';
import { StorageError } from '../storage.ts';
import { pageBytes } from './file-room.ts';
import type { FileRoom, PageCount } from './file-room.ts';
import { metaKeys } from './layout.ts';
import { fileBytesMax, freeBytes } from './lmdb-errors.ts';
import type { Table, Tables } from './tables.ts';

export const reserveLimits = {
  /** Two of the largest records, what a commit writes around them, and a list of pages freed. */
  bytes: 8 * 1024 * 1024,
  /** A small file system, or a file that may not become large, does not give more than this part
   * of itself. */
  partOfMedium: 1 / 8,
  /** Pause between tries to restore it. Policy: doubled each time that it was lost again within
   * `steadyMs`, so that a store at its limit does not go to and fro. */
  retryMinMs: 1_000,
  retryMaxMs: 8_000,
  steadyMs: 60_000,
  /** Where there is no room to free the whole of it at once, this part of as much is tried. */
  smallerSteps: 8,
} as const;

/** A value that takes one page of 4 KiB for itself: any free page will do for it. */
const pageValue = Buffer.alloc(pageBytes - 16);

export interface Reserve {
  readonly isFull: boolean;
  /** Whether it is worth trying to restore it now. */
  isDue(): boolean;
  /** Gives the room to whoever writes next. */
  release(transaction: Transaction): Promise<void>;
  /** Returns whether the reserve is whole again; it is not if there is no room for it. */
  restore(transaction: Transaction): Promise<boolean>;
}

/** Rejects when nothing of it was written. */
export type Transaction = (write: () => void) => Promise<void>;

export interface ReservedWrite {
  readonly write: () => void;
  /** What `write` takes at most. */
  readonly count: PageCount;
  /** The mutations that a full store accepts instead, out of the reserve; undefined: none, because
   * they free nothing. */
  readonly whenFull: (() => void) | undefined;
}

export interface ReserveOptions {
  /** The data directory. */
  readonly path: string;
  readonly tables: Tables;
  readonly table: ReserveTable;
  readonly room: Pick<FileRoom, 'makeAnywhere'>;
  readonly clock: Clock;
  /** 0: none. */
  readonly bytes: number;
  /** Called when the store has become full, and when it is no longer. */
  readonly onFull: (full: boolean) => void;
}

export type ReserveTable = Table;

export function openReserveTable({ root }: Pick<Tables, 'root'>): ReserveTable {
  return root.openDB<Buffer, Buffer>('reserve', { keyEncoding: 'binary', encoding: 'binary' });
}

export function createReserve(options: ReserveOptions): Reserve {
  const { clock, path, room, table, tables } = options;
  const pages = Math.floor(Math.min(options.bytes, largestShare(path)) / pageBytes);
  let isFull = false;
  let pauseMs: number = reserveLimits.retryMinMs;
  let triedMs = -Infinity;
  let restoredMs = -Infinity;
  /** Of the file system, when it was last tried. */
  let roomBytes = 0;

  const becomes = (full: boolean): void => {
    if (isFull === full) return;
    isFull = full;
    options.onFull(full);
  };
  return {
    get isFull() {
      return isFull;
    },
    isDue: () =>
      isFull && (clock.monotonicMs() >= triedMs + pauseMs || freeBytes(path) > roomBytes),
    async release(transaction) {
      if (!isFull) {
        const { retryMaxMs, retryMinMs, steadyMs } = reserveLimits;
        const relapsed = clock.monotonicMs() - restoredMs < steadyMs;
        pauseMs = relapsed ? Math.min(pauseMs * 2, retryMaxMs) : retryMinMs;
        triedMs = clock.monotonicMs();
        roomBytes = freeBytes(path);
      }
      becomes(true);
      await releaseAll(table, pages, async (write) => {
        await transaction(write);
        await transaction(() => touch(tables));
      });
    },
    async restore(transaction) {
      triedMs = clock.monotonicMs();
      roomBytes = freeBytes(path);
      // Of a full store half as much again: that it fits where it was is no proof of room.
      const proof = pages + Math.ceil(pages / 2);
      try {
        if (isFull) {
          // What was freed last LMDB gives out after these.
          await transaction(() => touch(tables));
          await transaction(() => touch(tables));
          if (!(await room.makeAnywhere(proof))) return false;
        }
        const keysCount = table.getKeysCount({});
        if (isFull) await transaction(() => fill(table, proof));
        else if (keysCount < pages) await transaction(() => fill(table, pages));
        if (isFull || keysCount > pages) {
          await transaction(() => removeBeyond(table, pages));
          await transaction(() => touch(tables));
        }
      } catch {
        becomes(true);
        return false;
      }
      restoredMs = clock.monotonicMs();
      becomes(false);
      return true;
    },
  };
}

/** Frees it in one step or, where even that finds no room, in ever smaller ones. */
async function releaseAll(table: Table, pages: number, transaction: Transaction): Promise<void> {
  let step = Math.max(pages, 1);
  for (;;) {
    const keys = [...table.getKeys({ limit: step })];
    if (keys.length === 0) return;
    try {
      await transaction(() => {
        for (const key of keys) void table.remove(key);
      });
    } catch (error) {
      if (!(error instanceof StorageError) || error.code !== 'full' || step === 1) throw error;
      step = Math.ceil(step / reserveLimits.smallerSteps);
    }
  }
}

/** The least that is a transaction. */
function touch({ meta }: Tables): void {
  const revision = meta.getBinary(metaKeys.revision);
  if (revision !== undefined) void meta.put(metaKeys.revision, revision);
}

function fill(table: Table, pages: number): void {
  for (let page = 0; page < pages; page += 1) {
    const key = Buffer.alloc(4);
    key.writeUInt32BE(page);
    void table.put(key, pageValue);
  }
}

function removeBeyond(table: Table, pages: number): void {
  const start = Buffer.alloc(4);
  start.writeUInt32BE(pages);
  for (const key of table.getKeys({ start })) void table.remove(key);
}

function largestShare(path: string): number {
  const { blocks, bsize } = statfsSync(path);
  const medium = Math.min(blocks * bsize, fileBytesMax());
  return medium * reserveLimits.partOfMedium;
}
