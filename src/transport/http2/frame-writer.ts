/**
 * What a connection of HTTP/2 has to say: frames, gathered and given to the socket together.
 *
 *     frames of this turn ─▶ one buffer ─▶ one write of the socket ─▶ taken
 *
 * A write costs what it costs to encrypt a record and to call the system, whatever is in it. So
 * many answers, or an event for each of many watches, are one write. Whoever has one stream alone
 * waits for nobody: its frames are written at once.
 *
 * Invariants: frames go out in the order in which they are given. Positions only grow: `given`
 * counts the bytes that were given, `taken` those that the socket has.
 * Bounds: a block and what the socket has (write-blocks.ts), for who asks `isBlocked` before it
 * gives more data; blocks count among the bytes that no reader has taken. Above `controlMax` and
 * `headsMax` of what cannot wait, the client reads nothing and the connection ends.
 */
import type { Duplex } from 'node:stream';
import { RingBuffer } from '../../stdx/ring-buffer.ts';
import { frameHeadBytes, frameTypes, writeFrameHead, writeUint32 } from './protocol.ts';
import type { ErrorCode } from './protocol.ts';
import { blockBytesMax, WriteBlocks } from './write-blocks.ts';

/** Of a client that reads nothing: answers to what it asks the connection itself, and heads of
 * answers. */
const controlMax = 64 * 1024;
const headsMax = 384 * 1024;
/** A write that is not larger has memory of its own: thousands may wait for a socket. */
const ownBytesMax = 512;

/** Connections whose frames wait for the end of what is being done now. */
const waitingMax = 128;

export class FrameWriter {
  readonly #socket: Duplex;
  readonly #flushes: Flushes;
  /** Called when the socket has taken something, or can take more. */
  readonly #onTaken: () => void;
  /** What is gathered, up to a position. */
  #block: Buffer | undefined;
  #at = 0;
  /** The writes that the socket has not taken. */
  readonly #writes = new RingBuffer<Write>();
  #isBlocked = false;
  #controlBytes = 0;
  #headBytes = 0;
  given = 0;
  taken = 0;
  /** Among those who wait. */
  waits = false;

  constructor(socket: Duplex, flushes: Flushes, onTaken: () => void) {
    this.#socket = socket;
    this.#flushes = flushes;
    this.#onTaken = onTaken;
    socket.on('drain', () => {
      this.#isBlocked = false;
      this.#controlBytes = this.#headBytes = 0;
      onTaken();
      this.flush();
    });
    socket.on('close', () => {
      // Of a socket that is closed not every write calls back.
      while (this.#writes.length > 0) this.#settle(false);
    });
  }

  /** The socket is backed up: no more data. */
  get isBlocked(): boolean {
    return this.#isBlocked;
  }

  /** The client reads nothing of what it has asked for. */
  get isFlooded(): boolean {
    return this.#isBlocked && (this.#controlBytes > controlMax || this.#headBytes > headsMax);
  }

  frame(type: number, flagBits: number, stream: number, payload: Uint8Array): void {
    if (this.#isBlocked) this.#headBytes += frameHeadBytes + payload.length;
    const at = this.#head(payload.length, type, flagBits, stream);
    if (payload.length > 0) (this.#block as Buffer).set(payload, at);
  }

  /** Part of a chunk. */
  data(stream: number, chunk: Uint8Array, from: number, to: number, flagBits: number): void {
    const at = this.#head(to - from, frameTypes.data, flagBits, stream);
    if (to === from) return;
    const part = from === 0 && to === chunk.length ? chunk : chunk.subarray(from, to);
    (this.#block as Buffer).set(part, at);
  }

  /** A frame of one number. */
  number(type: number, stream: number, value: number): void {
    const at = this.#head(4, type, 0, stream);
    writeUint32(this.#block as Buffer, at, value);
    this.#control(frameHeadBytes + 4);
  }

  reset(stream: number, code: ErrorCode): void {
    this.number(frameTypes.rstStream, stream, code);
  }

  /** A frame of the connection itself. */
  control(type: number, flagBits: number, payload: Uint8Array): void {
    this.frame(type, flagBits, 0, payload);
    this.#control(frameHeadBytes + payload.length);
  }

  goaway(lastStream: number, code: ErrorCode): void {
    const payload = new Uint8Array(8);
    writeUint32(payload, writeUint32(payload, 0, lastStream), code);
    this.control(frameTypes.goaway, 0, payload);
  }

  /** At once, or when what is being done now is done. */
  flushSoon(alone: boolean): void {
    if (alone) this.flush();
    else this.#flushes.add(this);
  }

  /** While the socket is backed up what is said is gathered, as long as a block holds it. */
  flush(): void {
    if (!this.#isBlocked) this.#write();
  }

  /** Before the connection ends. */
  flushLast(): void {
    this.#write();
  }

  #write(): void {
    const block = this.#block;
    if (block === undefined) return;
    const { blocks, unread } = this.#flushes;
    const bytes = this.#at <= ownBytesMax ? copyOf(block, this.#at) : block.subarray(0, this.#at);
    this.#block = undefined;
    this.#at = 0;
    const isOwn = bytes.length <= ownBytesMax;
    if (isOwn || !this.#socket.writable) blocks.give(block);
    if (!this.#socket.writable) return;
    this.given += bytes.length;
    const heldBytes = isOwn ? bytes.length : block.length;
    this.#writes.push({ block: isOwn ? undefined : block, heldBytes, end: this.given });
    unread.hold(heldBytes);
    if (!this.#socket.write(bytes, this.#onWritten)) this.#isBlocked = true;
  }

  /** One function for all writes: they are taken in their order. */
  readonly #onWritten = (error?: Error | null): void => {
    if (this.#writes.length === 0) return;
    this.#settle(!error);
    if (!this.#isBlocked) this.#controlBytes = this.#headBytes = 0;
    this.#onTaken();
  };

  #settle(isTaken: boolean): void {
    const { block, heldBytes, end } = this.#writes.shift();
    if (isTaken) this.taken = end;
    this.#flushes.unread.release(heldBytes);
    if (block !== undefined) this.#flushes.blocks.give(block);
  }

  /** What has not been given to the socket yet counts, too. */
  get position(): number {
    return this.given + this.#at;
  }

  #control(bytes: number): void {
    this.#controlBytes += bytes;
  }

  /** Returns where the payload goes. */
  #head(length: number, type: number, flagBits: number, stream: number): number {
    const bytes = frameHeadBytes + length;
    if (this.#block === undefined || this.#at + bytes > this.#block.length) this.#makeRoom(bytes);
    const at = this.#at;
    this.#at += bytes;
    return writeFrameHead(this.#block as Buffer, at, length, type, flagBits, stream);
  }

  #makeRoom(bytes: number): void {
    const { blocks } = this.#flushes;
    if (this.#at + bytes > blockBytesMax) this.#write();
    const before = this.#block;
    this.#block = blocks.take(this.#at + bytes);
    if (before === undefined) return;
    before.copy(this.#block, 0, 0, this.#at);
    blocks.give(before);
  }
}

function copyOf(block: Buffer, length: number): Buffer {
  const copy = Buffer.allocUnsafe(length);
  block.copy(copy, 0, 0, length);
  return copy;
}

interface Write {
  /** Given back behind it. */
  readonly block: Buffer | undefined;
  readonly heldBytes: number;
  /** Its end among all that was given. */
  readonly end: number;
}

/** What is counted that no reader has taken. */
export interface UnreadBytes {
  hold(bytes: number): void;
  release(bytes: number): void;
}

/** Writers that gather what is said until the end of what is being done now. Who says something to
 * more of them at once, such as an event to a thousand watches, has the first ones flushed
 * meanwhile, so that what it does takes the time that it takes. */
export class Flushes {
  readonly blocks = new WriteBlocks();
  readonly unread: UnreadBytes;
  readonly #waiting = new RingBuffer<FrameWriter>();
  #isAsked = false;

  constructor(unread: UnreadBytes) {
    this.unread = unread;
  }

  add(writer: FrameWriter): void {
    if (writer.waits) return;
    writer.waits = true;
    this.#waiting.push(writer);
    if (this.#waiting.length > waitingMax) this.#flushFirst();
    if (this.#isAsked) return;
    this.#isAsked = true;
    queueMicrotask(this.#run);
  }

  readonly #run = (): void => {
    this.#isAsked = false;
    while (this.#waiting.length > 0) this.#flushFirst();
  };

  #flushFirst(): void {
    const writer = this.#waiting.shift();
    writer.waits = false;
    writer.flush();
  }
}
