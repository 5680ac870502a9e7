/**
 * Files for what clients have said and nobody takes yet, where a transport cannot ask them to wait.
 *
 * Invariants: a file has no name from its first moment on, so it ends with its process; what is in
 * it is encrypted under a key that is only in memory. No call waits for the disk. Bounds: of one
 * block, of one file, of all files of a space (`spoolLimits`, `bytesMax`), and half of what is free
 * on the disk without them, for a store may be there; a file is as long as what was in it at its
 * fullest.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { statfsSync } from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';

const mebibyte = 1024 * 1024;

export const spoolLimits = {
  /** Of one block, at most. A block takes this place, whatever is in it. */
  blockBytesMax: mebibyte + 64 * 1024,
  /** The share that one file may have of its space. */
  fileShare: 1 / 8,
} as const;

const algorithm = 'aes-256-ctr';
const keyBytes = 32;
const startBytes = 16;

export interface SpoolOptions {
  /** Where the files are. It must be there when the first is made. */
  readonly directory: string;
  /** Of all its files together. 0: there is none. */
  readonly bytesMax: number;
  /** Of the disk. Default: as the system says. */
  readonly freeBytes?: ((directory: string) => number) | undefined;
}

/** Where one block is. */
export interface SpooledBlock {
  readonly place: number;
  readonly start: Buffer;
  readonly bytes: number;
}

export class Spool {
  readonly #directory: string;
  readonly #placesMax: number;
  readonly #freeBytes: (directory: string) => number;
  #placesTaken = 0;

  constructor({ directory, bytesMax, freeBytes = freeBytesOf }: SpoolOptions) {
    this.#directory = directory;
    this.#freeBytes = freeBytes;
    this.#placesMax = Math.floor(bytesMax / spoolLimits.blockBytesMax);
  }

  get usedBytes(): number {
    return this.#placesTaken * spoolLimits.blockBytesMax;
  }

  /** With one block more: of what is free without any. */
  #leavesHalf(): boolean {
    const more = this.usedBytes + spoolLimits.blockBytesMax;
    return this.#freeBytes(this.#directory) >= more + spoolLimits.blockBytesMax;
  }

  /** A file of its own. It is made when the first block comes. */
  file(): SpoolFile {
    return new SpoolFile(this.#directory, {
      max: Math.floor(this.#placesMax * spoolLimits.fileShare),
      take: () => {
        if (this.#placesTaken >= this.#placesMax || !this.#leavesHalf()) return false;
        this.#placesTaken += 1;
        return true;
      },
      give: () => {
        this.#placesTaken -= 1;
      },
    });
  }
}

function freeBytesOf(directory: string): number {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

interface Places {
  /** For this file. */
  readonly max: number;
  take(): boolean;
  give(): void;
}

export class SpoolFile {
  readonly #directory: string;
  readonly #places: Places;
  readonly #key = randomBytes(keyBytes);
  #handle: Promise<FileHandle> | undefined;
  /** Places below it have been in use. */
  #end = 0;
  readonly #free: number[] = [];
  #taken = 0;
  #isClosed = false;

  constructor(directory: string, places: Places) {
    this.#directory = directory;
    this.#places = places;
  }

  /** One more place, which the next `put` takes. False: there is none. */
  reserve(): boolean {
    if (this.#taken >= this.#places.max || !this.#places.take()) return false;
    this.#taken += 1;
    return true;
  }

  /** Behind `reserve`. The block may be written over at once. Rejects with what the disk says. */
  async put(block: Uint8Array): Promise<SpooledBlock> {
    const start = randomBytes(startBytes);
    const sealed = createCipheriv(algorithm, this.#key, start).update(block);
    const place = this.#free.pop() ?? this.#end++;
    const handle = await this.#opened();
    const at = place * spoolLimits.blockBytesMax;
    let written = 0;
    while (written < sealed.length) {
      const { bytesWritten } = await handle.write(sealed, written, null, at + written);
      written += bytesWritten;
    }
    return { place, start, bytes: sealed.length };
  }

  /** The block, whose place is free from then on. Rejects with what the disk says. */
  async take({ place, start, bytes }: SpooledBlock): Promise<Buffer> {
    const handle = await this.#opened();
    const sealed = Buffer.allocUnsafe(bytes);
    let read = 0;
    while (read < bytes) {
      const at = place * spoolLimits.blockBytesMax + read;
      const { bytesRead } = await handle.read(sealed, read, bytes - read, at);
      if (bytesRead === 0) throw new Error('the file has become shorter');
      read += bytesRead;
    }
    this.#release(place);
    return createDecipheriv(algorithm, this.#key, start).update(sealed);
  }

  /** Nothing is asked of it any more. */
  close(): void {
    this.#isClosed = true;
    for (; this.#taken > 0; this.#taken -= 1) this.#places.give();
    // It waits for what the disk is doing. A file that was never made has nothing to close.
    void this.#handle?.then((handle) => handle.close()).catch(() => undefined);
  }

  #release(place: number): void {
    if (this.#isClosed) return;
    this.#free.push(place);
    this.#taken -= 1;
    this.#places.give();
  }

  #opened(): Promise<FileHandle> {
    this.#handle ??= openUnnamed(this.#directory);
    return this.#handle;
  }
}

async function openUnnamed(directory: string): Promise<FileHandle> {
  const name = `.spool-${randomBytes(startBytes).toString('hex')}`;
  const file = path.join(directory, name);
  const handle = await open(file, 'wx+', 0o600);
  try {
    await unlink(file);
  } catch (error) {
    await handle.close();
    throw error;
  }
  return handle;
}
