/**
 * Where the records of TLS end in what a client sends. What one holds is encrypted, its length is
 * not.
 *
 * Bound: three numbers for each connection.
 */

const headBytes = 5;

/** Of the record that begins there, with its head; infinite: its head has not come. */
export function recordLength(bytes: Uint8Array, at: number): number {
  if (at + headBytes > bytes.length) return Infinity;
  return headBytes + (((bytes[at + 3] as number) << 8) | (bytes[at + 4] as number));
}

export class TlsRecords {
  #ofHead = 0;
  #length = 0;
  #ofBody = 0;
  /** Is told of the length of each record, its head included, before any of it is passed on but
   * its head; false: it is too long. */
  begins: ((bytes: number) => boolean) | undefined;

  /** Where the record ends that goes on at a position, or the bytes do; undefined: it is too long,
   * and nothing of it has been seen. */
  endOf(bytes: Uint8Array, from: number): number | undefined {
    const [ofHead, length] = [this.#ofHead, this.#length];
    let at = from;
    for (; this.#ofHead < headBytes && at < bytes.length; at += 1) {
      this.#length = ((this.#length << 8) | (bytes[at] as number)) & 0xffff;
      this.#ofHead += 1;
      if (this.#ofHead < headBytes || this.begins?.(headBytes + this.#length) !== false) continue;
      this.#ofHead = ofHead;
      this.#length = length;
      return undefined;
    }
    if (this.#ofHead < headBytes) return at;
    const end = Math.min(bytes.length, at + this.#length - this.#ofBody);
    this.#ofBody += end - at;
    if (this.#ofBody === this.#length) this.#ofHead = this.#length = this.#ofBody = 0;
    return end;
  }
}
