/**
 * Counts what many watchers are sent, by the marks in it, and tells when all have come.
 *
 * What it is not: a client. Who reads, and what frames the bytes, stands in watchers.ts and
 * http2-watchers.ts.
 */
import { MARK, SEQUENCE_DIGITS } from './objects.ts';

/** No delivery or no answer for as long: something was lost. */
export const STALL_MS = 20_000;

export interface Watchers {
  /** Marks seen by all watchers together. */
  readonly deliveries: number;
  readonly bytes: number;
  /** Resolves when `deliveries` has reached `total`. Rejects when a watch ended or all stalled. */
  reached(total: number): Promise<void>;
  /** Called with each sequence number as it is read. A number cut by the end of a read is counted,
   * but not told. */
  onSequence: ((sequence: number) => void) | undefined;
  /** Marks seen by each watcher. */
  counts(): Uint32Array;
  close(): void;
}

export abstract class DeliveryCount implements Watchers {
  deliveries = 0;
  bytes = 0;
  onSequence: ((sequence: number) => void) | undefined;
  readonly #counts: Uint32Array;
  #target = Infinity;
  #onTarget: (() => void) | undefined;
  #failure: Error | undefined;

  constructor(count: number) {
    this.#counts = new Uint32Array(count);
  }

  abstract close(): void;

  /** What one watcher was sent: `buffer` from here to there, and a mark somewhere behind it, which
   * ends every search. */
  protected take(index: number, buffer: Buffer, from: number, to: number): void {
    let found = 0;
    for (let at = buffer.indexOf(MARK, from); at < to; at = buffer.indexOf(MARK, at + 1)) {
      found += 1;
      if (this.onSequence !== undefined) this.#tell(buffer, at, to);
    }
    if (found === 0) return;
    this.#counts[index] = (this.#counts[index] as number) + found;
    this.deliveries += found;
    if (this.deliveries < this.#target) return;
    this.#target = Infinity;
    this.#onTarget?.();
  }

  #tell(buffer: Buffer, at: number, to: number): void {
    if (at + SEQUENCE_DIGITS >= to) return;
    let sequence = 0;
    for (let i = at + 1; i <= at + SEQUENCE_DIGITS; i += 1) {
      sequence = sequence * 10 + (buffer[i] as number) - 0x30;
    }
    this.onSequence?.(sequence);
  }

  reached(total: number): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.deliveries >= total) return Promise.resolve();
    return new Promise((resolve, reject) => {
      let last = -1;
      const watchdog = setInterval(() => {
        if (this.deliveries === last) this.lost(this.#stallText(total));
        last = this.deliveries;
      }, STALL_MS);
      this.#target = total;
      this.#onTarget = () => {
        clearInterval(watchdog);
        if (this.#failure === undefined) resolve();
        else reject(this.#failure);
      };
    });
  }

  protected lost(why: string): void {
    if (this.#failure !== undefined) return;
    this.#failure = new Error(why);
    // Or they would keep the process, whoever takes the failure.
    this.close();
    this.#onTarget?.();
  }

  #stallText(total: number): string {
    const counts = [...this.#counts].sort((a, b) => a - b);
    const range = `watchers have ${counts[0]} to ${counts.at(-1)} each`;
    return `deliveries stopped at ${this.deliveries} of ${total}; ${range}`;
  }

  counts(): Uint32Array {
    return this.#counts;
  }
}

/** How many connections are opened at a time: a listen queue is not endless. */
const OPENING_MAX = 100;

/** Resolves when `open` has for each index; closes the group when one is refused. */
export async function openAll(
  group: Watchers,
  count: number,
  open: (index: number) => Promise<void>,
): Promise<void> {
  for (let first = 0; first < count; first += OPENING_MAX) {
    const size = Math.min(OPENING_MAX, count - first);
    const opening = Array.from({ length: size }, (_, i) => open(first + i));
    await Promise.all(opening).catch((error: unknown) => {
      group.close();
      throw error;
    });
  }
}
