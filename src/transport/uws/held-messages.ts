/**
 * What a client in WebSocket has said and nobody has taken, in its order:
 *
 *     taken ◀── blocks in memory ◀── blocks on disk ◀── the block that is being filled ◀── said
 *
 * A block goes to the disk when it is full and `memoryBytesKept` are in memory; it comes back while
 * the one ahead of it is being taken.
 *
 * Bounds: `memoryBytesMax` in memory, counted among the bodies that are being received; on disk
 * what the spool allows. A message is at most one block.
 */
import { assert } from '../../stdx/assert.ts';
import type { BodyBytes } from '../load.ts';
import { spoolLimits } from '../spool.ts';
import type { Spool, SpooledBlock, SpoolFile } from '../spool.ts';

const mebibyte = 1024 * 1024;

export const heldMessageLimits = {
  memoryBytesKept: 4 * mebibyte,
  /** Policy: the client is told that it has said too much, and its connection ends. */
  memoryBytesMax: 16 * mebibyte,
} as const;

/** What a message takes in memory beside its bytes. */
const perMessageBytes = 128;
/** Length and kind, ahead of each message on disk. */
const headBytes = 5;

export interface Said {
  readonly bytes: Uint8Array;
  readonly isText: boolean;
}

interface Block {
  said: Said[];
  /** Those before it have been taken: to shift is to move all of them. */
  from: number;
  /** In memory, with what each message takes beside its bytes. */
  bytes: number;
  state: 'in memory' | 'leaving' | 'on disk' | 'coming';
  place: SpooledBlock | undefined;
}

export interface HeldOwner {
  /** What comes next is in memory again. */
  ready(): void;
  /** What was said is lost. */
  failed(error: unknown): void;
}

/** Where they are counted in memory, and where on disk they go. */
interface HeldPlaces {
  readonly bodies: Pick<BodyBytes, 'take' | 'give'>;
  readonly spool: Pick<Spool, 'file'>;
}

export class HeldMessages {
  readonly #bodies: Pick<BodyBytes, 'take' | 'give'>;
  readonly #spool: Pick<Spool, 'file'>;
  readonly #owner: HeldOwner;
  #file: SpoolFile | undefined;
  #blocks: Block[] = [];
  #bytesInMemory = 0;
  #isOver = false;

  constructor({ bodies, spool }: HeldPlaces, owner: HeldOwner) {
    this.#bodies = bodies;
    this.#spool = spool;
    this.#owner = owner;
  }

  get isEmpty(): boolean {
    return this.#blocks.length === 0;
  }

  /** `bytes` are copied. False: there is no room. */
  push(bytes: Uint8Array, isText: boolean): boolean {
    const size = bytes.length + perMessageBytes;
    const total = this.#bytesInMemory + size;
    if (total > heldMessageLimits.memoryBytesMax || !this.#bodies.take(size, total)) return false;
    this.#bytesInMemory = total;
    const block = this.#blockFor(size);
    block.said.push({ bytes: bytes.slice(), isText });
    block.bytes += size;
    return true;
  }

  /** Undefined: there is none, or it is on its way; then the owner is told when it has come. */
  next(): Said | undefined {
    const [block, behind] = this.#blocks;
    if (block === undefined) return undefined;
    if (block.state !== 'in memory') {
      this.#fetch(block);
      return undefined;
    }
    if (behind !== undefined) this.#fetch(behind);
    const said = block.said[block.from];
    assert(said !== undefined, 'a block of which all was taken is no longer there');
    block.from += 1;
    const size = said.bytes.length + perMessageBytes;
    block.bytes -= size;
    this.#bytesInMemory -= size;
    this.#bodies.give(size);
    if (block.from === block.said.length) this.#blocks.shift();
    return said;
  }

  /** The client has gone, and with it what it has said. */
  clear(): void {
    this.#isOver = true;
    this.#bodies.give(this.#bytesInMemory);
    this.#bytesInMemory = 0;
    this.#blocks = [];
    this.#file?.close();
  }

  #blockFor(size: number): Block {
    const last = this.#blocks.at(-1);
    const fits = last !== undefined && last.bytes + size <= spoolLimits.blockBytesMax;
    if (fits && last.state === 'in memory') return last;
    if (last !== undefined) this.#sendAway(last);
    const block: Block = { said: [], from: 0, bytes: 0, state: 'in memory', place: undefined };
    this.#blocks.push(block);
    return block;
  }

  /** Not the one that is being taken. */
  #sendAway(block: Block): void {
    const isKept = this.#bytesInMemory <= heldMessageLimits.memoryBytesKept;
    if (isKept || block === this.#blocks[0] || block.state !== 'in memory') return;
    this.#file ??= this.#spool.file();
    if (!this.#file.reserve()) return;
    block.state = 'leaving';
    const leaving = this.#file.put(joined(block.said));
    block.said = [];
    leaving.then(
      (place) => {
        if (this.#isOver) return;
        block.place = place;
        block.state = 'on disk';
        this.#bytesInMemory -= block.bytes;
        this.#bodies.give(block.bytes);
        if (block === this.#blocks[0]) this.#fetch(block);
      },
      (error: unknown) => this.#fail(error),
    );
  }

  #fetch(block: Block): void {
    if (block.state !== 'on disk' || block.place === undefined || this.#file === undefined) return;
    block.state = 'coming';
    // It is in the memory of this connection before long, whoever else needs some: it counts, and
    // is not refused.
    this.#bodies.take(block.bytes, 0);
    this.#bytesInMemory += block.bytes;
    this.#file.take(block.place).then(
      (bytes) => {
        if (this.#isOver) return;
        block.said = apart(bytes);
        block.state = 'in memory';
        if (block === this.#blocks[0]) this.#owner.ready();
      },
      (error: unknown) => this.#fail(error),
    );
  }

  #fail(error: unknown): void {
    if (!this.#isOver) this.#owner.failed(error);
  }
}

function joined(said: readonly Said[]): Buffer {
  const bytes = said.reduce((sum, each) => sum + headBytes + each.bytes.length, 0);
  const block = Buffer.allocUnsafe(bytes);
  let at = 0;
  for (const each of said) {
    block.writeUInt32BE(each.bytes.length, at);
    block.writeUInt8(each.isText ? 1 : 0, at + 4);
    block.set(each.bytes, at + headBytes);
    at += headBytes + each.bytes.length;
  }
  return block;
}

function apart(block: Buffer): Said[] {
  const said: Said[] = [];
  let at = 0;
  while (at < block.length) {
    const end = at + headBytes + block.readUInt32BE(at);
    const isText = block.readUInt8(at + 4) === 1;
    said.push({ bytes: block.subarray(at + headBytes, end), isText });
    at = end;
  }
  return said;
}
