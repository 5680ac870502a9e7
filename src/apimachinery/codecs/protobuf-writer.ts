/**
 * Writes a Protobuf message from its end to its beginning: a length stands before what it counts,
 * so backwards nothing is measured twice and nothing is moved.
 *
 * Callers write the fields in descending order of number.
 *
 * Bounds: the buffer doubles as needed; `finish` gives exactly sized memory, and a buffer that has
 * grown beyond `keptBytesMax` is not kept for the next message.
 */
const startBytes = 16 * 1024;
const keptBytesMax = 1024 * 1024;
/** Below this a loop over characters beats a call into the engine. */
const shortStringMax = 48;

export class ReverseWriter {
  #buffer: Buffer;
  /** What is written lies from here to the end. */
  #at: number;

  /** `bytesAbout`: of what will be written, where that is known. */
  constructor(bytesAbout = startBytes) {
    this.#buffer = Buffer.allocUnsafeSlow(bytesAbout);
    this.#at = bytesAbout;
  }

  /** Bytes written so far. Differences of it are lengths. */
  get size(): number {
    return this.#buffer.length - this.#at;
  }

  /** The message; the writer is empty afterwards. */
  finish(): Uint8Array {
    const message = Buffer.allocUnsafeSlow(this.size);
    message.set(this.#buffer.subarray(this.#at));
    if (this.#buffer.length > keptBytesMax) this.#buffer = Buffer.allocUnsafeSlow(startBytes);
    this.#at = this.#buffer.length;
    return message;
  }

  /** Drops what an encoding that was given up has left. */
  reset(): void {
    this.#at = this.#buffer.length;
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#at -= bytes.length;
    this.#buffer.set(bytes, this.#at);
  }

  /** UTF-8; a lone surrogate becomes the replacement character. */
  text(text: string): void {
    if (text.length <= shortStringMax && this.#ascii(text)) return;
    const length = Buffer.byteLength(text);
    this.#reserve(length);
    this.#at -= length;
    this.#buffer.write(text, this.#at);
  }

  /** A non-negative integer below 2^53. */
  uvarint(value: number): void {
    if (value < 0x80) {
      this.#reserve(1);
      this.#buffer[(this.#at -= 1)] = value;
      return;
    }
    const length = Math.max(1, Math.ceil((value < 0x80000000 ? 32 - Math.clz32(value) : 53) / 7));
    this.#reserve(length);
    let at = (this.#at -= length);
    let rest = value;
    for (let index = 1; index < length; index += 1) {
      this.#buffer[at] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
      at += 1;
    }
    this.#buffer[at] = rest;
  }

  /** A 64-bit integer in two's complement, as int32 and int64 are written. */
  varint64(value: bigint): void {
    const groups: number[] = [];
    let rest = BigInt.asUintN(64, value);
    for (; rest >= 0x80n; rest >>= 7n) groups.push(Number(rest & 0x7fn) | 0x80);
    groups.push(Number(rest));
    this.bytes(Uint8Array.from(groups));
  }

  /** Little endian. */
  double(value: number): void {
    this.#reserve(8);
    this.#at -= 8;
    this.#buffer.writeDoubleLE(value, this.#at);
  }

  #ascii(text: string): boolean {
    this.#reserve(text.length);
    const at = this.#at - text.length;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (code > 0x7f) return false;
      this.#buffer[at + index] = code;
    }
    this.#at = at;
    return true;
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#at) return;
    const used = this.size;
    const grown = Buffer.allocUnsafeSlow(Math.max(2 * this.#buffer.length, used + bytes));
    grown.set(this.#buffer.subarray(this.#at), grown.length - used);
    this.#at = grown.length - used;
    this.#buffer = grown;
  }
}
