/**
 * The names of what has changed lately. Who remembers how many changes he has seen learns which
 * names he has to look at again.
 *
 * Bound: the last `rememberedMin` changes are remembered, and at most twice as many.
 */

const rememberedMin = 512;

export class LatestChanges {
  /** The last is the `count`th. */
  readonly #names: string[] = [];
  #count = 0;

  /** How many there have been. */
  get count(): number {
    return this.#count;
  }

  note(name: string): void {
    if (this.#names.length === 2 * rememberedMin) this.#names.splice(0, rememberedMin);
    this.#names.push(name);
    this.#count += 1;
  }

  /** What has changed since there had been so many; undefined: that is no longer known. */
  since(count: number): ReadonlySet<string> | undefined {
    const missed = this.#count - count;
    if (missed > this.#names.length) return undefined;
    return new Set(this.#names.slice(this.#names.length - missed));
  }
}
