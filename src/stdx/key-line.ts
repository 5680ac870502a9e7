/**
 * Keys that wait in the order in which they came, each once.
 *
 * A Set alone is no queue: what is taken leaves a hole, and each search from its front walks over
 * all of these, so that taking n keys costs n². And it is copied, whole, whenever it doubles.
 *
 * Invariant: whatever is added is taken once, behind what was there. It has no bound of its own:
 * the owner knows how many keys may wait.
 */
import { RingBuffer } from './ring-buffer.ts';
import { SplitMap } from './split-map.ts';

export class KeyLine {
  readonly #keys = new SplitMap<true>();
  readonly #order = new RingBuffer<string>();

  get size(): number {
    return this.#keys.size;
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  add(key: string): void {
    if (this.#keys.has(key)) return;
    this.#keys.set(key, true);
    this.#order.push(key);
  }

  /** The first one, which waits no more. Undefined: none waits. */
  take(): string | undefined {
    if (this.#keys.size === 0) return undefined;
    const key = this.#order.shift();
    this.#keys.delete(key);
    return key;
  }
}
