/**
 * What a client says in WebSocket (RFC 6455, 5), read from the bytes of its connection.
 *
 * A message that has come in one piece is a view of that piece; one that comes in several is
 * gathered in memory of its own, so that no piece is kept for the few bytes that are wanted of it.
 *
 * Bounds: of a message, as is said when it is made. What has been gathered of one counts among the
 * bodies that are being received, as its bytes come, until the next is asked for; the memory is at
 * most twice that (body-pieces.ts). `framesAtOnce` are read before others may go on.
 */
import { isUtf8 } from 'node:buffer';
import { BodyPieces } from '../body-pieces.ts';
import type { BodyBytes } from '../load.ts';
import {
  finalBit,
  laterClosure,
  noTextClosure,
  oneByteLengthMax,
  opcodes,
  tooBigClosure,
  wrongClosure,
} from '../web-socket.ts';

export type Said =
  /** The bytes may be written over once the next is asked for. */
  | { readonly kind: 'message'; readonly bytes: Uint8Array; readonly isText: boolean }
  | { readonly kind: 'ping'; readonly bytes: Uint8Array }
  | { readonly kind: 'pong' }
  /** Code and reason, as they were said. */
  | { readonly kind: 'close'; readonly bytes: Uint8Array }
  /** It is against the protocol, or too much: nothing that follows can be read. */
  | { readonly kind: 'wrong'; readonly code: number }
  /** Many frames, and no message yet: others may go on. */
  | { readonly kind: 'more' };

/** In which no message ends. */
export const framesAtOnce = 256;

const reservedBits = 0x70;
const opcodeBits = 0x0f;
const maskBit = 0x80;
const maskBytes = 4;
/** The longest: two bytes, eight of length, the mask. */
const headBytesMax = 14;
const nothing = Buffer.alloc(0);

interface Frame {
  readonly opcode: number;
  readonly isFinal: boolean;
  readonly bytes: number;
  /** Of its payload, that have come. */
  come: number;
}

type Bodies = Pick<BodyBytes, 'take' | 'give'>;

export class MessageReader {
  readonly #bytesMax: number;
  readonly #bodies: Bodies;
  /** What has come, and how much of it has been read. */
  #input: Buffer = nothing;
  #at = 0;
  readonly #head = Buffer.alloc(headBytesMax);
  #headBytes = 0;
  readonly #mask = Buffer.alloc(maskBytes);
  #frame: Frame | undefined;
  /** Of the message that has begun. */
  #opcode: number | undefined;
  #messageBytes = 0;
  #pieces = new BodyPieces(false);
  #heldBytes = 0;
  /** Of a frame that may stand between those of a message. */
  #control: Buffer = nothing;

  constructor(bytesMax: number, bodies: Bodies) {
    this.#bytesMax = bytesMax;
    this.#bodies = bodies;
  }

  /** All that was given has been read. */
  get isEmpty(): boolean {
    return this.#at === this.#input.length;
  }

  /** More has come. It may be written over here. */
  give(bytes: Buffer): void {
    this.#input = this.isEmpty ? bytes : Buffer.concat([this.#input.subarray(this.#at), bytes]);
    this.#at = 0;
  }

  /** Undefined: the rest of it has not come. */
  next(): Said | undefined {
    if (!this.hasBegun) this.#giveBack();
    for (let frames = 0; frames < framesAtOnce; frames += 1) {
      const wrong = this.#frame === undefined ? this.#readHead() : undefined;
      if (wrong !== undefined) return { kind: 'wrong', code: wrong };
      const frame = this.#frame;
      if (frame === undefined) return this.#forgetInput();
      const isControl = frame.opcode >= opcodes.close;
      const said = isControl ? this.#readControl(frame) : this.#readData(frame);
      if (said !== undefined) return said;
      if (this.#frame !== undefined) return this.#forgetInput();
    }
    return { kind: 'more' };
  }

  /** All of it has been read. */
  #forgetInput(): undefined {
    this.#input = nothing;
    this.#at = 0;
  }

  /** Nothing more is read. */
  clear(): void {
    this.#forgetInput();
    this.#pieces.clear();
    this.#giveBack();
  }

  #giveBack(): void {
    this.#bodies.give(this.#heldBytes);
    this.#heldBytes = 0;
  }

  /** Returns the code with which to close, if it is against the protocol. */
  #readHead(): number | undefined {
    const head = this.#head;
    while (this.#headBytes < headLength(head, this.#headBytes)) {
      if (this.isEmpty) return undefined;
      head[this.#headBytes] = this.#input[this.#at] as number;
      this.#at += 1;
      this.#headBytes += 1;
      // The rest of it may never come.
      if (this.#headBytes === 2 && this.#isWrong(head)) return wrongClosure;
    }
    return this.#begin(head);
  }

  /** By its first two bytes. */
  #isWrong([first = 0, second = 0]: Buffer): boolean {
    if ((first & reservedBits) !== 0 || (second & maskBit) === 0) return true;
    const opcode = first & opcodeBits;
    if (opcode >= opcodes.close) {
      const isFinal = (first & finalBit) !== 0;
      return opcode > opcodes.pong || !isFinal || (second & ~maskBit) > oneByteLengthMax;
    }
    return opcode > opcodes.binary || (opcode === opcodes.continuation) === !this.hasBegun;
  }

  /** The beginning of a message has come, and not its end. */
  get hasBegun(): boolean {
    return this.#opcode !== undefined;
  }

  #begin(head: Buffer): number | undefined {
    const first = head[0] as number;
    const opcode = first & opcodeBits;
    const bytes = payloadLength(head);
    if (opcode < opcodes.close) {
      this.#messageBytes += bytes;
      if (this.#messageBytes > this.#bytesMax) return tooBigClosure;
      this.#opcode ??= opcode;
    }
    head.copy(this.#mask, 0, this.#headBytes - maskBytes, this.#headBytes);
    this.#headBytes = 0;
    this.#frame = { opcode, isFinal: (first & finalBit) !== 0, bytes, come: 0 };
    return undefined;
  }

  /** What has come of the frame's payload, plain. */
  #payload(frame: Frame): Buffer {
    const bytes = Math.min(this.#input.length - this.#at, frame.bytes - frame.come);
    const payload = this.#input.subarray(this.#at, this.#at + bytes);
    this.#at += bytes;
    unmask(payload, this.#mask, frame.come);
    frame.come += bytes;
    if (frame.come === frame.bytes) this.#frame = undefined;
    return payload;
  }

  #readControl(frame: Frame): Said | undefined {
    const payload = this.#payload(frame);
    const isWhole = payload.length === frame.bytes;
    const bytes = isWhole ? payload : Buffer.concat([this.#control, payload]);
    this.#control = nothing;
    if (this.#frame !== undefined) {
      // Not a view: what it was cut from may be a thousand times as long.
      this.#control = Buffer.from(bytes);
      return undefined;
    }
    if (frame.opcode === opcodes.pong) return { kind: 'pong' };
    if (frame.opcode === opcodes.ping) return { kind: 'ping', bytes };
    const code = wrongGoodbye(bytes);
    return code === undefined ? { kind: 'close', bytes } : { kind: 'wrong', code };
  }

  #readData(frame: Frame): Said | undefined {
    const payload = this.#payload(frame);
    const isOver = this.#frame === undefined && frame.isFinal;
    const isWhole = isOver && payload.length === this.#messageBytes;
    if (!isWhole && !this.#keep(payload)) return { kind: 'wrong', code: laterClosure };
    if (!isOver) return undefined;
    const isText = this.#opcode === opcodes.text;
    this.#opcode = undefined;
    this.#messageBytes = 0;
    const bytes = isWhole ? payload : this.#pieces.take();
    if (isText && !isUtf8(bytes)) return { kind: 'wrong', code: noTextClosure };
    return { kind: 'message', bytes, isText };
  }

  #keep(payload: Buffer): boolean {
    if (payload.length === 0) return true;
    if (!this.#bodies.take(payload.length, this.#heldBytes + payload.length)) return false;
    this.#heldBytes += payload.length;
    this.#pieces.add(payload);
    return true;
  }
}

/** As far as can be told from what has come of it. */
function headLength(head: Buffer, come: number): number {
  if (come < 2) return 2;
  return 2 + lengthBytes((head[1] as number) & ~maskBit) + maskBytes;
}

function lengthBytes(said: number): number {
  if (said <= oneByteLengthMax) return 0;
  return said === 126 ? 2 : 8;
}

/** Larger ones than can be told exactly are larger than any bound. */
function payloadLength(head: Buffer): number {
  const said = (head[1] as number) & ~maskBit;
  if (said <= oneByteLengthMax) return said;
  return said === 126 ? head.readUInt16BE(2) : Number(head.readBigUInt64BE(2));
}

/** In place. `at`: where the bytes stand in the payload of their frame. */
function unmask(bytes: Buffer, mask: Buffer, at: number): void {
  if (mask.readUInt32LE(0) === 0) return;
  for (let from = 0; from < bytes.length; from += 1) {
    bytes[from] = (bytes[from] as number) ^ (mask[(at + from) & 3] as number);
  }
}

/** Of what a client says when it closes: the code with which that is refused. */
function wrongGoodbye(bytes: Buffer): number | undefined {
  if (bytes.length === 0) return undefined;
  if (bytes.length === 1 || !isClosureCode(bytes.readUInt16BE(0))) return wrongClosure;
  return isUtf8(bytes.subarray(2)) ? undefined : noTextClosure;
}

/** Those that may be said (RFC 6455, 7.4, and the registry that it begins). */
function isClosureCode(code: number): boolean {
  if (code >= 3000) return code < 5000;
  return code >= 1000 && code <= 1014 && code !== 1004 && code !== 1005 && code !== 1006;
}
