/**
 * Keys that wait in the order in which they came, each once.
 *
 * A Set alone is no queue: what is taken leaves a hole, and each search from its front walks over
 * all of these, so that taking n keys costs n². Its iterator goes on behind what has been removed
 * and finds what is added, so one is kept.
 *
 * Invariant: whatever is added is taken once, behind what was there. It has no bound of its own:
 * the owner knows how many keys may wait.
 */
export class KeyLine {
  readonly #keys = new Set<string>();
  #rest: Iterator<string> | undefined;

  get size(): number {
    return this.#keys.size;
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  add(key: string): void {
    this.#keys.add(key);
  }

  /** The first one, which waits no more. Undefined: none waits. */
  take(): string | undefined {
    if (this.#keys.size === 0) return undefined;
    // It never comes to an end: what it has passed was taken, and all that waits lies ahead.
    this.#rest ??= this.#keys.values();
    const key = this.#rest.next().value as string;
    this.#keys.delete(key);
    return key;
  }
}
