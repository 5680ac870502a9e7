/**
 * Whether the pages of a file are what LMDB left there. LMDB reads its file as memory and believes
 * it: a page that is not what it was ends the process by a signal (SIGABRT, SIGSEGV), ends a walk
 * early, so that hundreds of records are missing and nobody is told, or hides a record from a look
 * at its key.
 *
 *     the newer head ─▶ its tables ─▶ each page that they lead to: where it is, what it is, its
 *                                     entries within it, their keys in order and in bounds
 *                    ─▶ as many pages and entries as LMDB has counted
 *
 * It follows LMDB's file format as lmdb-js 3.5.6 writes it, and reads the file, never LMDB's map.
 *
 * Elsewhere: the heads (file-checks.ts); the values, which have checksums (layout.ts,
 * record-codec.ts). What a writer would use next, the list of free pages, is walked as a table; its
 * values are not judged.
 *
 * Bounds: one page in memory for each level of a tree and `pagesPerRead` leaves, a bit for each
 * page of the file; one read of each page, but of a long value its head only.
 */
import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { systemClock, systemTimers } from '../../stdx/clock.ts';
import { blockPartBytesMax } from '../../stdx/blocks.ts';
import { createSliceTimer } from '../../stdx/slices.ts';
import type { StoreContent } from '../storage.ts';
import { corrupt } from './layout.ts';

const pageHead = { number: 0, flags: 18, lower: 20, upper: 22, bytes: 24 } as const;
/** Of an entry: two halves of a size or page number, flags, length of the key; then the key. */
const entryHead = { flags: 4, keyBytes: 6, bytes: 8 } as const;
const pageKind = { branch: 1, leaf: 2, overflow: 4 } as const;
const pageKindMask = 0x0f;
const entryKind = { long: 1, table: 2 } as const;
/** A description of a table, in the heads and in the table of tables. */
const table = { depth: 6, branches: 8, leaves: 16, overflows: 24, entries: 32, root: 40 } as const;
const tableBytes = 48;
const longValue = { number: 0, pages: 16, bytes: 24 } as const;
const headAt = { pageBytes: 48, free: 48, main: 96, last: 144, transaction: 152 } as const;
const headBytes = 160;
const noPage = 2n ** 64n - 1n;
const pagesPerStep = 64;
/** Of leaves that lie one behind the other, read together: a call costs more than the bytes. */
const pagesPerRead = 16;

type KeyOrder = (a: Buffer, b: Buffer) => number;

/** Numbers in the machine's order: keys of the table of free pages. */
const byNumber: KeyOrder = (a, b) => {
  if (a.length !== 8 || b.length !== 8) return Number.NaN;
  return Number(a.readBigUInt64LE() - b.readBigUInt64LE());
};

interface Tree {
  readonly name: string;
  readonly order: KeyOrder;
  /** Of the table of tables: what it finds. */
  readonly onTable: ((name: string, description: Buffer) => void) | undefined;
  branches: number;
  leaves: number;
  overflows: number;
  entries: number;
  smallValueBytes: number;
}

interface Bounds {
  readonly from: Buffer | undefined;
  readonly below: Buffer | undefined;
}

/** How often a file is looked at that somebody writes to, as a backup does beside a server. */
const looksMax = 3;

/** By their names. */
export type TableSizes = ReadonlyMap<string, StoreContent>;

/** In slices: probes are answered meanwhile. What is found counts only if nobody has written since.
 * A missing file, and an empty one, is a new store.
 * @throws StorageError `corrupt` at the first page that is not as it should be. */
export async function checkPages(file: string): Promise<TableSizes> {
  if (!existsSync(file) || statSync(file).size === 0) return new Map();
  const descriptor = openSync(file, 'r');
  try {
    for (let looks = 1; looks <= looksMax; looks += 1) {
      const walk = new PageWalk(descriptor, file);
      try {
        return await inSlices(walk.run());
      } catch (error) {
        if (walk.transaction === new PageWalk(descriptor, file).transaction) throw error;
      }
    }
    return new Map();
  } finally {
    closeSync(descriptor);
  }
}

async function inSlices<T>(walk: Generator<undefined, T>): Promise<T> {
  const endOfSlice = createSliceTimer(systemClock, systemTimers);
  for (;;) {
    const step = walk.next();
    if (step.done === true) return step.value;
    const pause = endOfSlice();
    if (pause !== undefined) await pause;
  }
}

class PageWalk {
  readonly #descriptor: number;
  readonly #file: string;
  readonly #pageBytes: number;
  readonly #pages: number;
  readonly #head: Buffer;
  /** A bit for each page: two that lead to one would be changed as one. */
  readonly #seen: Uint8Array;
  readonly #levels: Buffer[] = [];
  readonly #small = Buffer.alloc(pageHead.bytes);
  /** Leaves that were read together, and the number of the first. */
  readonly #run: Buffer;
  readonly #leaves: readonly Buffer[];
  #runFrom = 0;
  #runPages = 0;
  #walked = 0;

  constructor(descriptor: number, file: string) {
    this.#descriptor = descriptor;
    this.#file = file;
    const first = this.#headAt(0);
    this.#pageBytes = first.readUInt32LE(headAt.pageBytes);
    const second = this.#headAt(this.#pageBytes);
    const timeOf = (head: Buffer): bigint => head.readBigUInt64LE(headAt.transaction);
    this.#head = timeOf(second) > timeOf(first) ? second : first;
    const inFile = Math.floor(fstatSync(descriptor).size / this.#pageBytes);
    const last = numberAt(this.#head, headAt.last);
    this.#pages = Math.min(inFile, last + 1);
    this.#seen = new Uint8Array((this.#pages >> 3) + 1);
    this.#run = Buffer.alloc(pagesPerRead * this.#pageBytes);
    this.#leaves = Array.from({ length: pagesPerRead }, (_none, at) =>
      this.#run.subarray(at * this.#pageBytes, (at + 1) * this.#pageBytes),
    );
  }

  /** The last one that was written. */
  get transaction(): bigint {
    return this.#head.readBigUInt64LE(headAt.transaction);
  }

  *run(): Generator<undefined, TableSizes> {
    const sizes = new Map<string, StoreContent>();
    const tables: { readonly name: string; readonly description: Buffer }[] = [];
    const free = this.#head.subarray(headAt.free, headAt.free + tableBytes);
    const main = this.#head.subarray(headAt.main, headAt.main + tableBytes);
    yield* this.#walkTable('free pages', free, byNumber, undefined);
    yield* this.#walkTable('tables', main, Buffer.compare, (name, description) => {
      tables.push({ name, description: Buffer.from(description) });
    });
    for (const { description, name } of tables) {
      const tree = yield* this.#walkTable(name, description, Buffer.compare, undefined);
      sizes.set(name, { records: tree.entries, smallValueBytes: tree.smallValueBytes });
    }
    return sizes;
  }

  *#walkTable(
    name: string,
    description: Buffer,
    order: KeyOrder,
    onTable: Tree['onTable'],
  ): Generator<undefined, Tree> {
    const nothing = { branches: 0, leaves: 0, overflows: 0, entries: 0, smallValueBytes: 0 };
    const tree: Tree = { name, order, onTable, ...nothing };
    const root = description.readBigUInt64LE(table.root);
    const depth = description.readUInt16LE(table.depth);
    const counted = (at: number): number => numberAt(description, at);
    const everything = { from: undefined, below: undefined };
    if (root !== noPage) yield* this.#walk(tree, Number(root), depth, 0, everything);
    if (tree.entries !== counted(table.entries)) {
      const of = counted(table.entries);
      this.#fail(`of the ${of} entries of its table "${name}" ${tree.entries} are found`);
    }
    for (const kind of ['branches', 'leaves', 'overflows'] as const) {
      if (tree[kind] === counted(table[kind])) continue;
      this.#fail(
        `its table "${name}" has ${tree[kind]} pages of ${kind}, not ${counted(table[kind])}`,
      );
    }
    return tree;
  }

  *#walk(
    tree: Tree,
    number: number,
    depth: number,
    level: number,
    bounds: Bounds,
  ): Generator<undefined, void> {
    if (level === depth - 1) return this.#walkLeaf(tree, number, level, bounds);
    const page = this.#read(number, level, pageKind.branch);
    tree.branches += 1;
    const keys = this.#branchKeys(tree, page, number, bounds);
    for (let at = 0; at < keys.length; at += 1) {
      const child = childOf(page, entryAt(page, at));
      const from = at === 0 ? bounds.from : keys[at];
      const own = { from, below: keys[at + 1] ?? bounds.below };
      // Nearly all pages are leaves: no generator is made for each.
      if (level === depth - 2) {
        this.#readAhead(page, child, at, keys.length);
        this.#walkLeaf(tree, child, level + 1, own);
      } else yield* this.#walk(tree, child, depth, level + 1, own);
      if (this.#walked >= pagesPerStep) {
        this.#walked = 0;
        yield;
      }
    }
  }

  #walkLeaf(tree: Tree, number: number, level: number, bounds: Bounds): void {
    const page = this.#read(number, level, pageKind.leaf);
    tree.leaves += 1;
    this.#checkEntries(tree, page, number, bounds);
  }

  /** Copies: the page is read over by the next one of its level. The first key has no meaning. */
  #branchKeys(tree: Tree, page: Buffer, number: number, bounds: Bounds): readonly Buffer[] {
    const keys: Buffer[] = [];
    const count = this.#entryCount(page, number);
    let before = bounds.from;
    for (let at = 0; at < count; at += 1) {
      const key = this.#keyOf(page, number, entryAt(page, at), 0);
      if (at > 0) before = this.#inOrder(tree, number, before, key, bounds.below, at > 1);
      keys.push(Buffer.from(key));
    }
    return keys;
  }

  #checkEntries(tree: Tree, page: Buffer, number: number, bounds: Bounds): void {
    const count = this.#entryCount(page, number);
    let before = bounds.from;
    for (let at = 0; at < count; at += 1) {
      const entry = entryAt(page, at);
      const key = this.#keyOf(page, number, entry, 1);
      before = this.#inOrder(tree, number, before, key, undefined, at > 0);
      this.#checkValue(tree, page, number, entry, key);
    }
    // They are in order: the last one is below all that follow.
    if (before !== undefined && bounds.below !== undefined) {
      this.#inOrder(tree, number, before, bounds.below, undefined, true);
    }
    tree.entries += count;
  }

  #checkValue(tree: Tree, page: Buffer, number: number, entry: number, key: Buffer): void {
    const flags = page.readUInt16LE(entry + entryHead.flags);
    const size = page.readUInt16LE(entry) + page.readUInt16LE(entry + 2) * 0x10000;
    if (size <= blockPartBytesMax) tree.smallValueBytes += size;
    const valueAt = entry + entryHead.bytes + key.length;
    const isLong = flags === entryKind.long;
    const end = valueAt + (isLong ? longValue.bytes : size);
    if (end > this.#pageBytes) this.#failAt(number, 'has a value that does not fit');
    if (isLong) this.#checkLong(tree, page.subarray(valueAt, end), number, size);
    else if (flags === entryKind.table && tree.onTable !== undefined && size === tableBytes) {
      tree.onTable(key.toString().replace(/\0$/, ''), page.subarray(valueAt, end));
    } else if (flags !== 0) this.#failAt(number, 'has an entry of an unknown kind');
  }

  #checkLong(tree: Tree, value: Buffer, number: number, size: number): void {
    const first = numberAt(value, longValue.number);
    const pages = numberAt(value, longValue.pages);
    const fits = pages > 0 && pageHead.bytes + size <= pages * this.#pageBytes;
    if (!fits || first + pages > this.#pages) this.#failAt(number, 'has a value that does not fit');
    for (let each = first; each < first + pages; each += 1) this.#take(each);
    readSync(this.#descriptor, this.#small, 0, pageHead.bytes, first * this.#pageBytes);
    const isRight =
      numberAt(this.#small, pageHead.number) === first &&
      (this.#small.readUInt16LE(pageHead.flags) & pageKindMask) === pageKind.overflow &&
      this.#small.readUInt32LE(pageHead.lower) === pages;
    if (!isRight) this.#failAt(first, 'is not the long value that it should be');
    tree.overflows += pages;
  }

  #entryCount(page: Buffer, number: number): number {
    const lower = page.readUInt16LE(pageHead.lower);
    const upper = page.readUInt16LE(pageHead.upper);
    const room = this.#pageBytes - pageHead.bytes;
    if (lower === 0 || lower % 2 !== 0 || lower > upper || upper > room) {
      this.#failAt(number, 'has a wrong head');
    }
    return lower / 2;
  }

  #keyOf(page: Buffer, number: number, entry: number, bytesMin: number): Buffer {
    const start = entry + entryHead.bytes;
    const heads = pageHead.bytes + page.readUInt16LE(pageHead.lower);
    if (entry < heads || start > this.#pageBytes)
      this.#failAt(number, 'has an entry outside of it');
    const length = page.readUInt16LE(entry + entryHead.keyBytes);
    if (length < bytesMin || start + length > this.#pageBytes) {
      this.#failAt(number, 'has a key that does not fit');
    }
    return page.subarray(start, start + length);
  }

  /** Gives the key, as the one before the next. `strictly`: the one before is another. */
  #inOrder(
    { order }: Tree,
    number: number,
    before: Buffer | undefined,
    key: Buffer,
    below: Buffer | undefined,
    strictly: boolean,
  ): Buffer {
    const rises = before === undefined || order(before, key) <= (strictly ? -1 : 0);
    const isBelow = below === undefined || order(key, below) < 0;
    if (!rises || !isBelow) this.#failAt(number, 'has keys out of order');
    return key;
  }

  /** The leaf, and those behind it that are also its neighbours in the file. */
  #readAhead(branch: Buffer, first: number, at: number, count: number): void {
    if (this.#inRun(first) !== undefined) return;
    const most = Math.min(pagesPerRead, count - at, this.#pages - first);
    let pages = 1;
    while (pages < most && childOf(branch, entryAt(branch, at + pages)) === first + pages)
      pages += 1;
    this.#runFrom = first;
    this.#runPages = pages > 1 ? pages : 0;
    const bytes = this.#runPages * this.#pageBytes;
    if (bytes > 0) readSync(this.#descriptor, this.#run, 0, bytes, first * this.#pageBytes);
  }

  #inRun(number: number): Buffer | undefined {
    const at = number - this.#runFrom;
    return at >= 0 && at < this.#runPages ? this.#leaves[at] : undefined;
  }

  /** A page of a tree. Each level has its own memory: those above are still walked. */
  #read(number: number, level: number, kind: number): Buffer {
    this.#take(number);
    this.#walked += 1;
    const page = this.#inRun(number) ?? this.#readAlone(number, level);
    if (numberAt(page, pageHead.number) !== number) this.#failAt(number, 'is another one');
    if ((page.readUInt16LE(pageHead.flags) & pageKindMask) !== kind) {
      this.#failAt(number, 'is of another kind');
    }
    return page;
  }

  #readAlone(number: number, level: number): Buffer {
    const page = (this.#levels[level] ??= Buffer.alloc(this.#pageBytes));
    readSync(this.#descriptor, page, 0, this.#pageBytes, number * this.#pageBytes);
    return page;
  }

  #take(number: number): void {
    if (!Number.isSafeInteger(number) || number < 2 || number >= this.#pages) {
      this.#fail(`a page leads to page ${number} of ${this.#pages}`);
    }
    const bit = 1 << (number & 7);
    const byte = this.#seen[number >> 3] as number;
    if ((byte & bit) !== 0) this.#failAt(number, 'is used twice');
    this.#seen[number >> 3] = byte | bit;
  }

  #headAt(position: number): Buffer {
    const head = Buffer.alloc(headBytes);
    readSync(this.#descriptor, head, 0, headBytes, position);
    return head;
  }

  #failAt(number: number, what: string): never {
    this.#fail(`page ${number} ${what}`);
  }

  #fail(what: string): never {
    throw corrupt(`${this.#file} is damaged: ${what}: put back a backup`);
  }
}

/** Of 64 bits, which a Number has room for: a file has no more pages. */
function numberAt(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * 2 ** 32;
}

function entryAt(page: Buffer, index: number): number {
  return pageHead.bytes + page.readUInt16LE(pageHead.bytes + 2 * index);
}

/** 48 bits, in the places of the size and the flags. */
function childOf(page: Buffer, entry: number): number {
  return page.readUInt32LE(entry) + page.readUInt16LE(entry + entryHead.flags) * 2 ** 32;
}
