/**
 * Gathers events into batches and hands them on, so that requests do not wait.
 *
 *     add ▶ buffer ▶ a batch is full, or its first event has waited long enough, and the throttle
 *                    allows it ▶ deliver (several at a time, when it takes its time)
 *
 * Invariants: nothing is delivered in the turn in which it was added. A batch holds events in the
 * order in which they came. Bounds: `eventsMax` events and `bufferBytesMax` bytes are held beside
 * the batches under way, which are `deliveriesMax`; what does not fit is refused.
 */
import type { Clock, TimerHandle, Timers } from '../stdx/clock.ts';
import { RingBuffer } from '../stdx/ring-buffer.ts';

export const batcherLimits = {
  bufferBytesMax: 64 * 1024 * 1024,
  /** Of a batch; an event above it goes alone. */
  batchBytesMax: 10 * 1024 * 1024,
  deliveriesMax: 8,
} as const;

export interface BatchSettings {
  readonly bufferEventsMax: number;
  readonly batchEventsMax: number;
  /** How long the first event of a batch waits for others. */
  readonly waitMsMax: number;
  /** Batches a second, and how many at once after a rest. Undefined: no throttle. */
  readonly throttle: { readonly perSecond: number; readonly burst: number } | undefined;
}

export interface BatcherDeps {
  /** Never rejects. */
  readonly deliver: (lines: readonly string[]) => void | Promise<void>;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly batchBytesMax?: number | undefined;
}

export interface Batcher {
  /** False: there is no room, or it has been stopped. */
  add(line: string): boolean;
  /** Nothing waits any more. Resolves when all that was added has been delivered. */
  stop(): Promise<void>;
  /** Forgets what is not under way yet; how many that were. */
  abandon(): number;
}

export function createBatcher(settings: BatchSettings, deps: BatcherDeps): Batcher {
  const { clock, deliver, timers } = deps;
  const batchBytesMax = deps.batchBytesMax ?? batcherLimits.batchBytesMax;
  const buffer = new BatchBuffer();
  const throttle = createThrottle(settings.throttle, clock);
  let underWay = 0;
  let due = false;
  let stopping = false;
  let waiting: TimerHandle | undefined;
  let onIdle: (() => void) | undefined;

  const isReady = (): boolean =>
    due || stopping || buffer.length >= settings.batchEventsMax || buffer.bytes >= batchBytesMax;
  const wake = (afterMs: number): void => {
    waiting?.cancel();
    waiting = timers.after(afterMs, () => {
      waiting = undefined;
      due = true;
      pump();
    });
  };
  const hand = (lines: readonly string[]): void => {
    underWay += 1;
    void Promise.resolve(deliver(lines)).then(() => {
      underWay -= 1;
      pump();
    });
  };
  const pump = (): void => {
    while (buffer.length > 0 && underWay < batcherLimits.deliveriesMax && isReady()) {
      const heldBackMs = stopping ? 0 : throttle.take();
      if (heldBackMs > 0) return wake(heldBackMs);
      hand(buffer.take(settings.batchEventsMax, batchBytesMax));
      due = false;
      waiting?.cancel();
      waiting = undefined;
    }
    if (waiting === undefined && buffer.length > 0 && !isReady()) wake(settings.waitMsMax);
    if (buffer.length > 0) return;
    due = false;
    if (underWay === 0) onIdle?.();
  };
  const schedule = oncePerTurn(timers, () => {
    if (settings.waitMsMax === 0) due = true;
    pump();
  });
  return {
    add(line) {
      const full = buffer.length >= settings.bufferEventsMax;
      if (stopping || full || !buffer.push(line)) return false;
      if (settings.waitMsMax === 0 || isReady()) schedule();
      else if (waiting === undefined) wake(settings.waitMsMax);
      return true;
    },
    stop() {
      stopping = true;
      waiting?.cancel();
      return new Promise((resolve) => {
        onIdle = resolve;
        pump();
      });
    },
    abandon: () => buffer.clear(),
  };
}

/** However often it is called in a turn, the work is done once, in the next. */
function oncePerTurn(timers: Timers, work: () => void): () => void {
  let scheduled = false;
  return () => {
    if (scheduled) return;
    scheduled = true;
    timers.nextTurn(() => {
      scheduled = false;
      work();
    });
  };
}

interface Held {
  readonly line: string;
  readonly bytes: number;
}

class BatchBuffer {
  readonly #held = new RingBuffer<Held>();
  #bytes = 0;

  get length(): number {
    return this.#held.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** False: there is no room. */
  push(line: string): boolean {
    const bytes = Buffer.byteLength(line);
    if (this.#bytes + bytes > batcherLimits.bufferBytesMax) return false;
    this.#held.push({ line, bytes });
    this.#bytes += bytes;
    return true;
  }

  /** The oldest, one at least. */
  take(eventsMax: number, bytesMax: number): readonly string[] {
    const lines: string[] = [];
    let bytes = 0;
    while (this.#held.length > 0 && lines.length < eventsMax) {
      const next = this.#held.at(0);
      if (lines.length > 0 && bytes + next.bytes > bytesMax) break;
      this.#held.shift();
      bytes += next.bytes;
      lines.push(next.line);
    }
    this.#bytes -= bytes;
    return lines;
  }

  /** How many there were. */
  clear(): number {
    const count = this.#held.length;
    this.#held.clear();
    this.#bytes = 0;
    return count;
  }
}

/** A bucket of tokens: 0 when one was there, else how long until there is one. */
function createThrottle(settings: BatchSettings['throttle'], clock: Clock): { take(): number } {
  if (settings === undefined) return { take: () => 0 };
  const { burst, perSecond } = settings;
  let tokens = burst;
  let atMs = clock.monotonicMs();
  return {
    take() {
      const nowMs = clock.monotonicMs();
      tokens = Math.min(burst, tokens + ((nowMs - atMs) * perSecond) / 1000);
      atMs = nowMs;
      if (tokens < 1) return Math.ceil(((1 - tokens) * 1000) / perSecond);
      tokens -= 1;
      return 0;
    },
  };
}
