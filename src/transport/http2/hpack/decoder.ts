/**
 * Reads the heads of requests of HTTP/2 (RFC 7541, 3.2 and 6).
 *
 *     block ─▶ fields by their index: of the static table, of the dynamic one ─▶ texts
 *              fields as literals ─▶ texts, and an entry of the dynamic table
 *
 * Invariants: blocks come whole, and all of a connection in their order. A field that a table has
 * costs no new text and no new look at its bytes. After a block that cannot be read the tables of
 * both sides differ: its connection is lost.
 * Bounds: texts are collected up to the limit of the list; beyond it they are counted, and those
 * that the table keeps are made, one for the bytes of each. Of a connection without a request there
 * is nothing but this object and an empty table.
 */
import { BlockReader } from './block-reader.ts';
import { DynamicTable } from './dynamic-table.ts';
import { fieldOverhead, TextView } from './field.ts';
import type { Field } from './field.ts';
import { staticFields } from './static-table.ts';

export interface Head {
  /** Name, value, name, value, in the order they came, pseudo headers (':path') included. UTF-8;
   * bytes that are not become U+FFFD. */
  readonly texts: string[];
  /** As SETTINGS_MAX_HEADER_LIST_SIZE counts: names, values, 32 for each. Counts on above the
   * limit. */
  readonly bytes: number;
  /** Every name is one that a header may have: a token in lower case, or a colon and such a token.
   * So is every value: no control characters but tabs, no space or tab at either end. Bytes above
   * ASCII are allowed. */
  readonly isValid: boolean;
}

/** What the first byte of a field says. */
const indexed = 0x80;
const literalKept = 0x40;
const sizeUpdate = 0x20;

/** The bits of it that the index, or the size, begins in. */
const indexedMask = 0x7f;
const literalKeptMask = 0x3f;
const sizeUpdateMask = 0x1f;
const literalMask = 0x0f;

/** What is being read; nobody waits in between. */
const reader = new BlockReader();
const view = new TextView();

interface HeadInProgress extends Head {
  bytes: number;
  isValid: boolean;
}

export class HeadDecoder {
  readonly #listBytesMax: number;
  readonly #table = new DynamicTable();

  /** `listBytesMax`: beyond it texts are no longer collected. */
  constructor(listBytesMax: number) {
    this.#listBytesMax = listBytesMax;
  }

  /** A whole header block. Undefined: it cannot be decoded, and nor can what follows. */
  decode(block: Uint8Array): Head | undefined {
    const head: HeadInProgress = { texts: [], bytes: 0, isValid: true };
    reader.begin(block);
    const isDecoded = this.#readSizes() && this.#readFields(head);
    reader.end();
    view.clear();
    return isDecoded ? head : undefined;
  }

  /** They come before the fields, or not at all. */
  #readSizes(): boolean {
    while (reader.hasMore && (reader.next & 0xe0) === sizeUpdate) {
      const bytesMax = reader.readNumber(sizeUpdateMask);
      if (bytesMax < 0 || !this.#table.resize(bytesMax)) return false;
    }
    return true;
  }

  #readFields(head: HeadInProgress): boolean {
    while (reader.hasMore) {
      const first = reader.next;
      if (first >= indexed) {
        const field = this.#fieldAt(reader.readNumber(indexedMask));
        if (field === undefined) return false;
        this.#collect(head, field);
      } else if (first >= literalKept) {
        if (!this.#readLiteral(head, literalKeptMask, true)) return false;
      } else if (first >= sizeUpdate || !this.#readLiteral(head, literalMask, false)) {
        return false;
      }
    }
    return true;
  }

  #fieldAt(index: number): Field | undefined {
    return index <= staticFields.length
      ? staticFields[index - 1]
      : this.#table.at(index - staticFields.length - 1);
  }

  #collect(head: HeadInProgress, field: Field): void {
    head.bytes += field.bytes;
    if (!field.isValid) head.isValid = false;
    if (head.bytes <= this.#listBytesMax) head.texts.push(field.name, field.value);
  }

  #readLiteral(head: HeadInProgress, mask: number, isKept: boolean): boolean {
    const index = reader.readNumber(mask);
    let name = '';
    let nameBytes = 0;
    let isNameValid = true;
    if (index === 0) {
      if (!reader.readText(view, true)) return false;
      nameBytes = view.bytes;
      isNameValid = view.isValid;
      // Before the value is known: the view will be of that.
      if (this.#isOfUse(head.bytes + nameBytes, nameBytes, isKept)) name = view.toString();
    } else {
      const named = this.#fieldAt(index);
      if (named === undefined) return false;
      ({ name, nameBytes, isNameValid } = named);
    }
    if (!reader.readText(view, false)) return false;
    const bytes = nameBytes + view.bytes + fieldOverhead;
    const isValid = isNameValid && view.isValid;
    head.bytes += bytes;
    if (!isValid) head.isValid = false;
    const isCollected = head.bytes <= this.#listBytesMax;
    const isHeld = isKept && this.#table.holds(bytes);
    const value = isCollected || isHeld ? view.toString() : '';
    if (isCollected) head.texts.push(name, value);
    if (isHeld) this.#table.add({ name, value, nameBytes, bytes, isNameValid, isValid });
    else if (isKept) this.#table.makeRoom(bytes);
    return true;
  }

  #isOfUse(listBytes: number, bytes: number, isKept: boolean): boolean {
    return listBytes <= this.#listBytesMax || (isKept && this.#table.holds(bytes));
  }
}
