/**
 * Whether the store's file has room for what is written next, found out before LMDB writes it.
 *
 *     | pages in use, some of them free inside | tail: room for more pages | not there yet ...
 *                             last page of the store ┘        end of the file ┘
 *
 * lmdb-js does not survive every write of which the system takes nothing: its message about that
 * is longer than the memory it has for it, and the allocator aborts the process later, mostly at
 * its end. So where the medium is nearly full the file is made longer first, by zeros behind its
 * end: what is refused then is refused to us, and the store is as it was.
 *
 * Invariants: zeros are written behind the end of the file only, and never while LMDB writes. Where
 * there is plenty of room nothing is written: one question to the file system a transaction.
 * Not covered: a quota that the file system does not tell, a failing disk, and file systems that
 * copy what they overwrite. There LMDB's own write fails, as it may anywhere.
 * Bounds: `fileRoomLimits`.
 */
import { statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../stdx/clock.ts';
import { StorageError } from '../storage.ts';
import { fileBytesMax, freeBytes, isRoomError, translateLmdbError } from './lmdb-errors.ts';
import type { Table, Tables } from './tables.ts';

export const fileRoomLimits = {
  /** With so much more room than a transaction may take, nobody looks closer: others may write to
   * the medium meanwhile. */
  plentyBytes: 64 * 1024 * 1024,
  /** Pages for what LMDB writes around a transaction's own: roots, and the list of free pages. */
  pagesAround: 64,
  /** Of each page that is changed: its own copy, another where it is divided, and a part of those
   * above it. */
  pagesPerRecord: 4,
  /** Of one write of zeros. */
  stepBytes: 1024 * 1024,
  /** How long a limit of the process is believed. */
  limitMs: 1_000,
} as const;

export const pageBytes = 4096;
const metaPages = 2;
/** A longer value is put into pages of its own, in a row. */
const inPageBytesMax = 2000;
const zeros = Buffer.alloc(fileRoomLimits.stepBytes);

/** Counts what a transaction writes, as pages that it takes at most. */
export interface PageCount {
  readonly pages: number;
  /** Of these, those that have to lie in a row with others. */
  readonly inRows: number;
}

export interface FileRoom {
  /** Sees to it that there are so many pages. It must not be called while anything is written.
   * @throws StorageError `full`. */
  make(count: PageCount): Promise<void>;
  /** The same for single pages, when LMDB keeps none for readers. Returns whether they are there.
   */
  makeAnywhere(pages: number): Promise<boolean>;
}

export interface FileRoomOptions {
  /** The data directory. */
  readonly path: string;
  readonly tables: Tables;
  /** The table of the reserve, which is not among the store's. */
  readonly reserve: StatedTable;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/** `bytesOf`: of each record that is written, 0 for one that is removed. */
export function pagesFor(bytesOf: Iterable<number>): PageCount {
  let pages = 0;
  let inRows = 0;
  for (const bytes of bytesOf) {
    pages += fileRoomLimits.pagesPerRecord;
    if (bytes > inPageBytesMax) inRows += Math.ceil((bytes + 16) / pageBytes);
  }
  return { pages: pages + inRows, inRows };
}

export function createFileRoom(options: FileRoomOptions): FileRoom {
  const { clock, path, reserve, tables } = options;
  const { root, cur, old, log, meta } = tables;
  const file = join(path, 'data.mdb');
  const { pagesAround, plentyBytes } = fileRoomLimits;
  let limit = fileBytesMax();
  let askedMs = clock.monotonicMs();

  function bytesMax(): number {
    if (clock.monotonicMs() < askedMs + fileRoomLimits.limitMs) return limit;
    askedMs = clock.monotonicMs();
    return (limit = fileBytesMax());
  }

  function isPlenty(bytes: number): boolean {
    const wanted = bytes + plentyBytes;
    if (freeBytes(path) < wanted) return false;
    const max = bytesMax();
    return max === Infinity || statSync(file).size + wanted < max;
  }

  function tailPages(): number {
    const { lastPageNumber } = root.getStats() as { readonly lastPageNumber: number };
    return Math.floor(statSync(file).size / pageBytes) - lastPageNumber - 1;
  }

  /** That are in the file and in no table. */
  function pagesInside(): number {
    root.resetReadTxn();
    const used = usedPages([root, cur, old, log, meta, reserve]);
    return Math.floor(statSync(file).size / pageBytes) - used;
  }

  return {
    async make({ inRows, pages }) {
      const wanted = pages + pagesAround;
      if (isPlenty(wanted * pageBytes)) return;
      // Twice what LMDB writes around it: as much is left for the release of the reserve.
      const tail = wanted + pagesAround;
      await lengthen(file, tail - tailPages());
      const found = tailPages();
      if (found >= tail) return;
      // Single pages may as well be those that are free inside; some of them are kept for readers.
      const inTail = inRows + pagesAround;
      if (found >= inTail && pagesInside() >= 2 * wanted + pagesAround) return;
      throw new StorageError('full', `no room for the store in ${path}`);
    },
    async makeAnywhere(pages) {
      const wanted = pages + pagesAround;
      if (isPlenty(wanted * pageBytes)) return true;
      await lengthen(file, wanted - pagesInside());
      return pagesInside() >= wanted;
    },
  };
}

/** As far as the medium gives it. */
async function lengthen(file: string, pages: number): Promise<void> {
  if (pages <= 0) return;
  const handle = await open(file, 'r+');
  try {
    let { size: at } = await handle.stat();
    const end = Math.ceil(at / pageBytes) * pageBytes + pages * pageBytes;
    while (at < end) {
      const { bytesWritten } = await handle.write(zeros, 0, Math.min(zeros.length, end - at), at);
      at += bytesWritten;
    }
  } catch (error) {
    if (!isRoomError(error)) throw translateLmdbError(error);
  } finally {
    await handle.close();
  }
}

/** What lmdb-js says of a table, for which it has no type. */
interface Stats {
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

export type StatedTable = Pick<Table, 'getStats'>;

/** With those of LMDB's own list of free pages. */
function usedPages(tables: readonly StatedTable[]): number {
  const stats = tables.map((each) => each.getStats() as Stats & { readonly free: Stats });
  const [first] = stats;
  const trees = first === undefined ? stats : [first.free, ...stats];
  return trees.reduce((sum, each) => sum + pagesOf(each), metaPages);
}

function pagesOf({ overflowPages, treeBranchPageCount, treeLeafPageCount }: Stats): number {
  return overflowPages + treeBranchPageCount + treeLeafPageCount;
}

/** Half of its pages' bytes: LMDB fills them at least so far. */
export function tableSize(table: StatedTable): {
  readonly records: number;
  readonly bytes: number;
} {
  const stats = table.getStats() as Stats & { readonly entryCount: number };
  return { records: stats.entryCount, bytes: (pagesOf(stats) * pageBytes) / 2 };
}
