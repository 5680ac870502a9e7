/**
 * The newest frames of one watch group, for the watchers that have not taken them yet, and the
 * chunks made of them.
 *
 *      ── dropped ──┤ floor   [ frame ][ frame ][ frame ]  head
 *                        ▲ position of a watcher: it gets what lies right of it
 *
 * Any frame may be dropped at any time; a watcher left of the floor catches up from the history of
 * the resource. So the ring is bounded whatever the slowest watcher does.
 *
 * Invariants: seqs increase; every frame of the group with floor < seq <= head is here.
 */
import { RingBuffer } from '../src/stdx/ring-buffer.ts';
import type { StreamLimits } from './limits.ts';
import type { Position } from './position.ts';
import type { Frame } from './selection.ts';

/** Bytes of frames held by all groups together. */
export interface FrameBudget {
  bytes: number;
}

/** What a live watcher is sent in one write. */
export interface LiveChunk {
  readonly bytes: Uint8Array;
  readonly framesCount: number;
  /** Of a watcher that has taken it, and keeps it, but not the bytes. */
  readonly position: Position;
}

/** Chunks remembered while a turn gives the same one to many watchers. */
const chunksMax = 16;

export class FrameRing {
  readonly #limits: StreamLimits;
  readonly #budget: FrameBudget;
  readonly #ring = new RingBuffer<Frame>();
  #chunks: Map<number, LiveChunk> | undefined;
  #bytes = 0;
  #floor: number;
  #head: number;

  constructor(seq: number, limits: StreamLimits, budget: FrameBudget) {
    this.#floor = seq;
    this.#head = seq;
    this.#limits = limits;
    this.#budget = budget;
  }

  get floor(): number {
    return this.#floor;
  }

  /** The seq of the newest frame made: a watcher at or after it is up to date. */
  get head(): number {
    return this.#head;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** `laggingCount`: watchers of the group that may still need what is here. */
  push(frame: Frame, laggingCount: number): void {
    this.#ring.push(frame);
    this.#head = frame.seq;
    this.#bytes += frame.bytes.length;
    this.#budget.bytes += frame.bytes.length;
    const bytesMax = this.#bytesMax(laggingCount);
    const { framesMax } = this.#limits;
    while (this.#ring.length > 1 && (this.#bytes > bytesMax || this.#ring.length > framesMax)) {
      const dropped = this.#ring.shift();
      this.#floor = dropped.seq;
      this.#bytes -= dropped.bytes.length;
      this.#budget.bytes -= dropped.bytes.length;
    }
  }

  /** Drops all frames: every watcher has them, or the group ends. */
  clear(): void {
    this.#budget.bytes -= this.#bytes;
    this.#bytes = 0;
    this.#floor = this.#head;
    this.#ring.clear();
    this.#chunks = undefined;
  }

  /** No frames are made up to here: who is left of it catches up. */
  skip(seq: number): void {
    this.clear();
    this.#head = seq;
    this.#floor = seq;
  }

  /** Chunks are shared within a turn and not kept beyond it. */
  forgetChunks(): void {
    this.#chunks = undefined;
  }

  /** The frames after `seq`, up to a write's worth. Undefined when some are no longer here.
   * Everybody at the same seq gets the same buffer; a single frame is not copied. */
  after(seq: number): LiveChunk | undefined {
    if (seq < this.#floor) return undefined;
    const chunks = (this.#chunks ??= new Map());
    const known = chunks.get(seq);
    if (known !== undefined) return known;
    const chunk = this.#make(seq);
    if (chunks.size >= chunksMax) chunks.clear();
    chunks.set(seq, chunk);
    return chunk;
  }

  #bytesMax(laggingCount: number): number {
    const limits = this.#limits;
    if (this.#budget.bytes > limits.frameBytesTotalMax) return limits.frameBytesMin;
    const wanted = limits.frameBytesBase + laggingCount * limits.frameBytesPerLagging;
    return Math.min(wanted, limits.frameBytesMax);
  }

  #make(seq: number): LiveChunk {
    const first = this.#ring.partition((frame) => frame.seq <= seq);
    const parts: Uint8Array[] = [];
    let bytes = 0;
    let last = this.#ring.at(first);
    for (let i = first; i < this.#ring.length; i += 1) {
      const frame = this.#ring.at(i);
      if (parts.length > 0 && bytes + frame.bytes.length > this.#limits.liveChunkBytes) break;
      parts.push(frame.bytes);
      bytes += frame.bytes.length;
      last = frame;
    }
    return {
      bytes: joined(parts, bytes),
      framesCount: parts.length,
      position: { seq: last.seq, revision: last.revision },
    };
  }
}

/** One buffer; a single part is passed on as it is. */
export function joined(parts: readonly Uint8Array[], bytes?: number): Uint8Array {
  return parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts, bytes);
}
