/**
 * The numbers and texts that a header block is made of (RFC 7541, 5).
 *
 * A block is read without a pause, so one reader does for all connections: none has memory for it,
 * and a field costs no object.
 *
 * Bounds: a text is no longer than the rest of its block. Memory for texts that are decoded is
 * there once, and made anew for longer ones.
 */
import { decodedBytesMax, decodeHuffman } from './huffman.ts';
import type { TextView } from './field.ts';

/** Numbers have no use above this. */
const numberMax = 2 ** 31;
const continuationsMax = 5;

const huffmanFlag = 0x80;
const lengthMask = 0x7f;

const decodedKept = 32 * 1024;
const decodedTexts = Buffer.allocUnsafeSlow(decodedKept);
const nothing = Buffer.alloc(0);

export class BlockReader {
  /** Of the next byte. */
  at = 0;
  #block: Buffer = nothing;

  begin(block: Uint8Array): void {
    this.#block = Buffer.isBuffer(block)
      ? block
      : Buffer.from(block.buffer, block.byteOffset, block.byteLength);
    this.at = 0;
  }

  /** Lets go of the bytes. */
  end(): void {
    this.#block = nothing;
  }

  get hasMore(): boolean {
    return this.at < this.#block.length;
  }

  /** The next byte, which is still to be read; there is one. */
  get next(): number {
    return this.#block[this.at] as number;
  }

  /** A number that begins in the bits of `mask`; there is a next byte. -1: it is none. */
  readNumber(mask: number): number {
    const prefix = (this.#block[this.at] as number) & mask;
    this.at += 1;
    return prefix < mask ? prefix : this.#readRest(mask);
  }

  #readRest(prefix: number): number {
    const block = this.#block;
    let number = prefix;
    let weight = 1;
    for (let i = 0; i < continuationsMax && this.at < block.length; i += 1) {
      const byte = block[this.at] as number;
      this.at += 1;
      number += (byte & 0x7f) * weight;
      if (byte < 0x80) return number <= numberMax ? number : -1;
      weight *= 128;
    }
    return -1;
  }

  /** The view is right until the next text is read. False: it is no text. */
  readText(view: TextView, isName: boolean): boolean {
    const block = this.#block;
    if (this.at >= block.length) return false;
    const isHuffman = (block[this.at] as number) >= huffmanFlag;
    const length = this.readNumber(lengthMask);
    const from = this.at;
    if (length < 0 || length > block.length - from) return false;
    this.at = from + length;
    if (!isHuffman) {
      show(view, isName, block, from, this.at);
      return true;
    }
    const bytesMax = decodedBytesMax(length);
    const decoded = bytesMax <= decodedKept ? decodedTexts : Buffer.allocUnsafeSlow(bytesMax);
    const bytes = decodeHuffman(block, from, this.at, decoded);
    if (bytes < 0) return false;
    show(view, isName, decoded, 0, bytes);
    return true;
  }
}

function show(view: TextView, isName: boolean, source: Buffer, from: number, to: number): void {
  if (isName) view.setName(source, from, to);
  else view.setValue(source, from, to);
}
