/**
 * A header as header compression knows it: its texts, what it counts for (RFC 7541, 4.1), and
 * whether a request may have it (RFC 9110, 5.1 and 5.5; RFC 9113, 8.2.1).
 *
 * Invariant: what is found out about a field is found out once, however often a table's entry is
 * named.
 */
export interface Field {
  readonly name: string;
  readonly value: string;
  readonly nameBytes: number;
  /** Of name and value, and `fieldOverhead`. */
  readonly bytes: number;
  readonly isNameValid: boolean;
  /** Name and value are. */
  readonly isValid: boolean;
}

/** What a field counts for beside its texts. */
export const fieldOverhead = 32;

/** What a byte is, for a look at all bytes of a text at once. */
const aboveAscii = 1;
const notInValues = 2;
const notInNames = 4;

const nothing = Buffer.alloc(0);
const tab = 0x09;
const space = 0x20;
const colon = 0x3a;
const nameBytes = new Set(Buffer.from("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"));

const kinds = Uint8Array.from({ length: 256 }, (_, byte) => {
  const isControl = (byte < space && byte !== tab) || byte === 0x7f;
  return (
    (byte > 0x7f ? aboveAscii : 0) |
    (isControl ? notInValues : 0) |
    (nameBytes.has(byte) ? 0 : notInNames)
  );
});

/** The kinds of all bytes together. */
function kindsOf(bytes: Uint8Array, from: number, to: number): number {
  let seen = 0;
  for (let at = from; at < to; at += 1) seen |= kinds[bytes[at] as number] as number;
  return seen;
}

/** A part of `bytes` that is a name or a value. One object can be set to one text after another. */
export class TextView {
  bytes = 0;
  isValid = true;
  #source: Buffer = nothing;
  #from = 0;
  #isAscii = true;

  setName(source: Buffer, from: number, to: number): void {
    // That of a pseudo header begins with a colon.
    const start = source[from] === colon && from < to ? from + 1 : from;
    const seen = kindsOf(source, start, to);
    this.#set(source, from, to, seen);
    this.isValid = start < to && (seen & notInNames) === 0;
  }

  setValue(source: Buffer, from: number, to: number): void {
    const seen = kindsOf(source, from, to);
    this.#set(source, from, to, seen);
    this.isValid =
      (seen & notInValues) === 0 &&
      (from === to || !(isBlank(source[from] as number) || isBlank(source[to - 1] as number)));
  }

  /** Bytes that are not UTF-8 become U+FFFD. */
  toString(): string {
    const end = this.#from + this.bytes;
    return this.#isAscii
      ? this.#source.toString('latin1', this.#from, end)
      : this.#source.toString('utf8', this.#from, end);
  }

  /** Lets go of the bytes. */
  clear(): void {
    this.#source = nothing;
    this.bytes = 0;
  }

  #set(source: Buffer, from: number, to: number, seen: number): void {
    this.#source = source;
    this.#from = from;
    this.bytes = to - from;
    this.#isAscii = (seen & aboveAscii) === 0;
  }
}

function isBlank(byte: number): boolean {
  return byte === space || byte === tab;
}
