/**
 * How many headers a head of HTTP/2 holds. Node's library drops without a word what is no header:
 * a name or a value with characters that none may have, a value that begins or ends with a space.
 * Whoever asks to be somebody else by such a value would go on as himself, and what he says with
 * it would be done with his rights. So the headers are counted before the library has them, and
 * what node shows of them is compared with that.
 *
 *     frames ─▶ counted here ─▶ node ─▶ a stream with fewer headers: its request is malformed
 *
 * To count takes no table and no decoding: each header begins with a byte that says of what kind it
 * is, and the texts behind it say how long they are (RFC 7541, 6).
 *
 * Invariants: what cannot be read ends the session in the library. What was counted is forgotten in
 * the next turn, for node tells of a stream before that.
 * Bound: a number for each head that is read in one turn.
 */
import { onceATurn } from '../../stdx/once-a-turn.ts';
import type { Timers } from '../../stdx/clock.ts';

const endOfHead = 0x4;
const padded = 0x8;
const prioritized = 0x20;
const priorityBytes = 5;

/** A frame that holds a head, or goes on with it. */
export interface HeadFrame {
  readonly begins: boolean;
  readonly flags: number;
  readonly stream: number;
  readonly length: number;
}

export interface HeadFields {
  begin(frame: HeadFrame): void;
  /** Some of the frame. */
  read(bytes: Uint8Array, from: number, to: number): void;
  /** Whether the head of a stream that has just begun holds so many headers. */
  has(stream: number, fields: number): boolean;
}

/** Returns what counts for one session. */
export function createHeadFields(timers: Pick<Timers, 'nextTurn'>): () => HeadFields {
  let counted = new Set<Heads>();
  const arm = onceATurn(timers, () => {
    const forgotten = counted;
    counted = new Set();
    for (const heads of forgotten) heads.forget();
  });
  const onHead = (heads: Heads): void => {
    counted.add(heads);
    arm();
  };
  return () => new Heads(onHead);
}

/** An object without closures, for there is one as long as its session. */
class Heads implements HeadFields {
  readonly #onHead: (heads: Heads) => void;
  readonly #counter = new FieldCounter();
  #counts: Map<number, number> | undefined;
  #stream = 0;
  #endsHead = false;
  /** Of the frame: bytes before its part of the head, behind it, and all that have yet to come. */
  #before = 0;
  #padding = 0;
  #isPadded = false;
  #left = 0;

  constructor(onHead: (heads: Heads) => void) {
    this.#onHead = onHead;
  }

  begin({ begins, flags, length, stream }: HeadFrame): void {
    this.#isPadded = begins && (flags & padded) !== 0;
    const isPrioritized = begins && (flags & prioritized) !== 0;
    this.#before = (this.#isPadded ? 1 : 0) + (isPrioritized ? priorityBytes : 0);
    this.#padding = 0;
    this.#left = length;
    this.#endsHead = (flags & endOfHead) !== 0;
    if (begins) {
      this.#stream = stream;
      this.#counter.begin();
    }
    if (length === 0) this.#endFrame();
  }

  read(bytes: Uint8Array, from: number, to: number): void {
    let at = from;
    for (; at < to && this.#before > 0; at += 1) {
      if (this.#isPadded) this.#padding = bytes[at] as number;
      this.#isPadded = false;
      this.#before -= 1;
    }
    this.#left -= to - from;
    const end = to - Math.max(0, this.#padding - this.#left);
    if (at < end) this.#counter.read(bytes, at, end);
    if (this.#left === 0) this.#endFrame();
  }

  has(stream: number, fields: number): boolean {
    return this.#counts?.get(stream) === fields;
  }

  forget(): void {
    this.#counts = undefined;
  }

  #endFrame(): void {
    if (!this.#endsHead) return;
    this.#counts ??= new Map();
    this.#counts.set(this.#stream, this.#counter.fields);
    this.#onHead(this);
  }
}

/** What the next byte is. */
type Stage = 'field' | 'index' | 'length' | 'length goes on' | 'text';

/** Counts the fields of a head that comes piece by piece. */
class FieldCounter {
  fields = 0;
  #stage: Stage = 'field';
  /** Of the field: texts that have yet to come. */
  #texts = 0;
  /** Of the text. */
  #length = 0;
  #shift = 0;

  begin(): void {
    this.fields = 0;
    this.#stage = 'field';
  }

  read(bytes: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to;) {
      if (this.#stage === 'text') {
        const taken = Math.min(this.#length, to - at);
        this.#length -= taken;
        at += taken;
        if (this.#length === 0) this.#next();
      } else {
        this.#readByte(bytes[at] as number);
        at += 1;
      }
    }
  }

  #readByte(byte: number): void {
    const goesOn = (byte & 0x80) !== 0;
    switch (this.#stage) {
      case 'field':
        return this.#beginField(byte);
      case 'index':
        return goesOn ? undefined : this.#next();
      case 'length':
        this.#texts -= 1;
        this.#length = byte & 0x7f;
        this.#shift = 0;
        if (this.#length === 0x7f) this.#stage = 'length goes on';
        else this.#beginText();
        return;
      default:
        // A length that no frame can have ends the session: it need not be right.
        this.#length += (byte & 0x7f) * 2 ** this.#shift;
        this.#shift += 7;
        if (!goesOn) this.#beginText();
    }
  }

  #beginField(byte: number): void {
    const isIndexed = byte >= 0x80;
    const isLiteral = !isIndexed && (byte & 0x60) !== 0x20;
    const mask = indexMask(byte);
    const index = byte & mask;
    if (isIndexed || isLiteral) this.fields += 1;
    // A name that is in no table is a text, too.
    this.#texts = !isLiteral ? 0 : index === 0 ? 2 : 1;
    if (index === mask) this.#stage = 'index';
    else this.#next();
  }

  #beginText(): void {
    this.#stage = 'text';
    if (this.#length === 0) this.#next();
  }

  #next(): void {
    this.#stage = this.#texts > 0 ? 'length' : 'field';
  }
}

/** The bits of a field's first byte that hold its index, or the new size of the table. */
function indexMask(byte: number): number {
  if (byte >= 0x80) return 0x7f;
  if (byte >= 0x40) return 0x3f;
  return byte >= 0x20 ? 0x1f : 0x0f;
}
