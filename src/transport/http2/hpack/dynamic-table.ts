/**
 * The headers that a client has asked to remember, the newest first (RFC 7541, 2.3.2 and 4).
 *
 * Invariants: the fields count for no more than the size that the client has set, nor that for more
 * than `tableBytesMax`; what is added pushes out the oldest ones.
 * Bound: 128 fields, whose texts had 4 KiB on the wire; before the first there is no memory.
 */
import { RingBuffer } from '../../../stdx/ring-buffer.ts';
import type { Field } from './field.ts';

/** What SETTINGS_HEADER_TABLE_SIZE is when nothing is said of it. */
const tableBytesMax = 4096;

export class DynamicTable {
  #fields: RingBuffer<Field> | undefined;
  #bytes = 0;
  #bytesMax = tableBytesMax;

  /** The newest is 0. */
  at(position: number): Field | undefined {
    const fields = this.#fields;
    if (fields === undefined || position >= fields.length) return undefined;
    return fields.at(fields.length - 1 - position);
  }

  /** Whether a field of so many bytes is kept, not only pushes out all others. */
  holds(bytes: number): boolean {
    return bytes <= this.#bytesMax;
  }

  add(field: Field): void {
    this.makeRoom(field.bytes);
    this.#fields ??= new RingBuffer();
    this.#fields.push(field);
    this.#bytes += field.bytes;
  }

  /** For a field of so many bytes. */
  makeRoom(bytes: number): void {
    const fields = this.#fields;
    if (fields === undefined) return;
    while (fields.length > 0 && this.#bytes + bytes > this.#bytesMax) {
      this.#bytes -= fields.shift().bytes;
    }
  }

  /** False: so large it may not be. */
  resize(bytesMax: number): boolean {
    if (bytesMax > tableBytesMax) return false;
    this.#bytesMax = bytesMax;
    this.makeRoom(0);
    return true;
  }
}
