/**
 * Ids of nodes and their positions. Ids are given out from 1; one that was given out last can be
 * given back.
 *
 * Bounds: `nodesMax` ids. Macros copy their arguments, so a short text can ask for many.
 */
import { ParseAborted } from './recovery.ts';

export class NodeMaker {
  readonly positions = new Map<number, number>();
  readonly #nodesMax: number;
  #next = 1;

  constructor(nodesMax: number) {
    this.#nodesMax = nodesMax;
  }

  id(offset: number): number {
    const id = this.#next;
    if (id > this.#nodesMax) {
      throw new ParseAborted(`expression has more than ${this.#nodesMax} nodes`, false);
    }
    this.#next += 1;
    this.positions.set(id, offset);
    return id;
  }

  giveBack(id: number): void {
    this.positions.delete(id);
    if (id === this.#next - 1) this.#next -= 1;
  }
}
