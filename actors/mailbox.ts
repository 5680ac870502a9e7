/**
 * A FIFO queue with access by position. Commands wait here, in the order in which they came, until
 * they are answered.
 *
 * Invariants: push at the tail, shift at the head, both amortised O(1). It has no limit of its own:
 * the caller checks `length` against `mailboxMax` before it pushes.
 */
export class Mailbox<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** The item `index` places behind the head. */
  at(index: number): T | undefined {
    return this.#items[this.#head + index];
  }

  shift(): T | undefined {
    const item = this.#items[this.#head];
    if (item === undefined) return undefined;
    this.#items[this.#head] = undefined;
    this.#head += 1;
    if (this.#head === this.#items.length) {
      this.#items.length = 0;
      this.#head = 0;
    } else if (this.#head >= 64 && this.#head * 2 >= this.#items.length) {
      this.#items.splice(0, this.#head);
      this.#head = 0;
    }
    return item;
  }
}
