/**
 * Paths of rules, as a tree of their segments: what a path matches is found in one walk along it,
 * however many rules there are and however long it is.
 *
 *     /metrics      that path, and all below it       /logs/*      what is below only      *   all
 */
import { inSteps } from '../stdx/in-steps.ts';
import type { Steps } from '../stdx/stepwise.ts';
import type { UnitSet } from './unit-set.ts';
import { addTo } from './unit-set.ts';

interface Node {
  readonly children: Map<string, Node>;
  /** Of rules for the path that ends here, and for those that go on behind a slash. */
  readonly exact: number[];
  readonly below: number[];
  exactSet: UnitSet | undefined;
  belowSet: UnitSet | undefined;
}

export class PathTree {
  readonly #root = newNode();
  readonly #nodes: Node[] = [this.#root];

  add(path: string, unit: number): void {
    if (!path.endsWith('*')) this.#nodeOf(path).exact.push(unit);
    const prefix = path.endsWith('*') ? path.slice(0, -1) : path;
    const trimmed = prefix.endsWith('/') ? prefix.slice(0, -1) : prefix;
    const { below } = trimmed === '' ? this.#root : this.#nodeOf(trimmed);
    below.push(unit);
  }

  /** After the last `add`. */
  *sealing(setOf: (members: readonly number[]) => UnitSet): Steps<void> {
    yield* inSteps(this.#nodes, (node) => {
      if (node.exact.length > 0) node.exactSet = setOf(node.exact);
      if (node.below.length > 0) node.belowSet = setOf(node.below);
      return node.exact.length + node.below.length;
    });
  }

  /** Adds what the path matches. It begins with a slash. */
  addMatches(path: string, target: Uint32Array): void {
    let node: Node | undefined = this.#root;
    let at = 1;
    while (node !== undefined) {
      addTo(target, node.belowSet);
      const end = path.indexOf('/', at);
      node = node.children.get(end < 0 ? path.slice(at) : path.slice(at, end));
      if (end < 0) break;
      at = end + 1;
    }
    addTo(target, node?.exactSet);
  }

  #nodeOf(path: string): Node {
    let node = this.#root;
    for (const segment of path.slice(1).split('/')) {
      let child = node.children.get(segment);
      if (child === undefined) {
        child = newNode();
        node.children.set(segment, child);
        this.#nodes.push(child);
      }
      node = child;
    }
    return node;
  }
}

function newNode(): Node {
  return {
    children: new Map(),
    exact: [],
    below: [],
    exactSet: undefined,
    belowSet: undefined,
  };
}
