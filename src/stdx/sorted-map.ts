/**
 * An ordered map from string to V with O(1) snapshots: a B+tree with copy-on-write by edit epoch.
 *
 * Every node remembers the epoch that made it. The map writes in place into nodes of its own
 * epoch and copies all others on the way down. Taking a view only moves the map to a new epoch, so
 * writes between two views cost no copies, and a view costs nothing until it is written past.
 *
 *        root ── inner ── leaf [keys | values]      view = { root as it was }
 *           └─── inner ── leaf                       nodes are shared, never written again
 *
 * Invariants: a view never changes; keys are ordered by UTF-16 code units; every node knows the
 * number of entries below it, so rank() is O(log n).
 * Bounds: none of its own; the owner decides what goes in.
 */
import { assert } from './assert.ts';

const nodeKeysMax = 48;
const nodeKeysMin = 12;

/** A leaf when `children` is undefined. In an inner node keys[i] is a lower bound of child i, and
 * keys[0] stands for minus infinity. */
interface Node<V> {
  readonly epoch: number;
  keys: string[];
  values: V[] | undefined;
  readonly children: Node<V>[] | undefined;
  size: number;
}

/** Of the value that is there; undefined: none is. */
type MakeValue<V> = (before: V | undefined) => V | undefined;

let epochs = 0;

/** A frozen state of a map. Cheap to hold; it keeps alive the entries it shows. */
export class SortedView<V> {
  readonly #root: Node<V>;

  /** Use SortedMap.view(). */
  constructor(root: Node<V>) {
    this.#root = root;
  }

  get size(): number {
    return this.#root.size;
  }

  get(key: string): V | undefined {
    return find(this.#root, key);
  }

  /** How many keys are less than `key`. O(log n). */
  rank(key: string): number {
    let node = this.#root;
    let below = 0;
    while (node.children !== undefined) {
      const at = childIndex(node.keys, key);
      for (let i = 0; i < at; i += 1) below += (node.children[i] as Node<V>).size;
      node = node.children[at] as Node<V>;
    }
    return below + lowerBound(node.keys, key);
  }

  /** Values in key order, lazily, of keys >= `from` (or > `from` when `exclusive`) and < `below`.
   * The view may be held between steps for as long as it takes. */
  values(from = '', exclusive = false, below?: string): ValueCursor<V> {
    return new ValueCursor(this.#root, from, exclusive, below);
  }

  /** A new map that starts with this content. O(1). */
  fork(): SortedMap<V> {
    return new SortedMap<V>(this.#root);
  }
}

/** Where a walk over the values of a view has got to. `take` is what hot loops call: unlike
 * `next`, and unlike a generator, it allocates nothing and is inlined. */
class ValueCursor<V> implements IterableIterator<V> {
  readonly #path: Node<V>[] = [];
  readonly #indexes: number[] = [];
  readonly #below: string | undefined;
  #leaf: Node<V>;
  #values: readonly V[];
  #at: number;
  #end: number;

  constructor(root: Node<V>, from: string, exclusive: boolean, below: string | undefined) {
    let node = root;
    while (node.children !== undefined) {
      const at = childIndex(node.keys, from);
      this.#path.push(node);
      this.#indexes.push(at);
      node = node.children[at] as Node<V>;
    }
    const { keys } = node;
    this.#below = below;
    this.#leaf = node;
    this.#values = node.values as V[];
    this.#at = lowerBound(keys, from);
    if (exclusive && keys[this.#at] === from) this.#at += 1;
    this.#end = below === undefined ? keys.length : endBelow(keys, below);
  }

  /** The next value; undefined, from then on, behind the last. */
  take(): V | undefined {
    while (this.#at >= this.#end) if (!this.#goOn()) return undefined;
    const value = this.#values[this.#at];
    this.#at += 1;
    return value;
  }

  next(): IteratorResult<V, undefined> {
    while (this.#at >= this.#end) if (!this.#goOn()) return { done: true, value: undefined };
    const value = this.#values[this.#at] as V;
    this.#at += 1;
    return { done: false, value };
  }

  [Symbol.iterator](): this {
    return this;
  }

  /** To the next leaf, unless the walk ends in this one. */
  #goOn(): boolean {
    if (this.#end < this.#leaf.keys.length) return false;
    const next = nextLeaf(this.#path, this.#indexes);
    if (next === undefined) return false;
    this.#leaf = next;
    this.#values = next.values as V[];
    this.#at = 0;
    this.#end = this.#below === undefined ? next.keys.length : endBelow(next.keys, this.#below);
    return true;
  }
}

export class SortedMap<V> {
  #epoch: number;
  #root: Node<V>;
  #view: SortedView<V> | undefined;
  /** What put() and take() hand up beside the node: kept here to return without allocating. */
  #replaced: V | undefined;
  #split: Node<V> | undefined;
  #make: MakeValue<V> | undefined;

  constructor(root?: Node<V>) {
    this.#epoch = ++epochs;
    this.#root = root ?? leaf<V>(this.#epoch, [], []);
  }

  get size(): number {
    return this.#root.size;
  }

  get(key: string): V | undefined {
    return find(this.#root, key);
  }

  /** The content now, frozen. O(1); the same object until the next write. */
  view(): SortedView<V> {
    if (this.#view === undefined) {
      this.#view = new SortedView<V>(this.#root);
      this.#epoch = ++epochs;
    }
    return this.#view;
  }

  /** Returns the value that was there before. Ascending keys fill the nodes completely. */
  set(key: string, value: V): V | undefined {
    return this.change(key, () => value);
  }

  /** set() to what `make` makes of the value that is there, in one search; it does not use the map.
   * Undefined: all stays as it is. */
  change(key: string, make: MakeValue<V>): V | undefined {
    this.#view = undefined;
    this.#replaced = undefined;
    this.#make = make;
    const root = this.#put(this.#root, key);
    this.#make = undefined;
    const split = this.#take();
    this.#root =
      split === undefined ? root : inner(this.#epoch, [lowest(root), lowest(split)], [root, split]);
    return this.#replaced;
  }

  /** Returns the value that was removed. */
  delete(key: string): V | undefined {
    if (find(this.#root, key) === undefined) return undefined;
    this.#view = undefined;
    let root = this.#remove(this.#root, key);
    while (root.children?.length === 1) root = root.children[0] as Node<V>;
    if (root.children?.length === 0) root = leaf<V>(this.#epoch, [], []);
    this.#root = root;
    return this.#replaced;
  }

  #take(): Node<V> | undefined {
    const split = this.#split;
    this.#split = undefined;
    return split;
  }

  #put(shared: Node<V>, key: string): Node<V> {
    const node = own(shared, this.#epoch);
    if (node.children === undefined) {
      this.#putInLeaf(node, key);
      return node;
    }
    const last = node.keys.length - 1;
    const at = isBehind(node.keys, key) ? last : childIndex(node.keys, key);
    const before = (node.children[at] as Node<V>).size;
    const child = this.#put(node.children[at] as Node<V>, key);
    node.children[at] = child;
    const split = this.#take();
    if (split === undefined) {
      node.size += child.size - before;
      return node;
    }
    node.size += child.size + split.size - before;
    node.keys.splice(at + 1, 0, lowest(split));
    node.children.splice(at + 1, 0, split);
    if (node.keys.length > nodeKeysMax) {
      const middle = splitPoint(node.keys.length, at + 1);
      this.#split = inner(this.#epoch, node.keys.splice(middle), node.children.splice(middle));
      node.size -= this.#split.size;
    }
    return node;
  }

  #putInLeaf(node: Node<V>, key: string): void {
    const values = node.values as V[];
    const at = isBehind(node.keys, key) ? node.keys.length : lowerBound(node.keys, key);
    const isThere = node.keys[at] === key;
    const before = isThere ? values[at] : undefined;
    const value = this.#make?.(before);
    if (value === undefined) return;
    if (isThere) {
      this.#replaced = before;
      values[at] = value;
      return;
    }
    node.keys.splice(at, 0, key);
    values.splice(at, 0, value);
    node.size += 1;
    if (node.keys.length <= nodeKeysMax) return;
    const middle = splitPoint(node.keys.length, at);
    this.#split = leaf(this.#epoch, node.keys.slice(middle), values.slice(middle));
    // Copies: arrays that have grown hold half as much again.
    node.keys = node.keys.slice(0, middle);
    node.values = values.slice(0, middle);
    node.size = middle;
  }

  #remove(shared: Node<V>, key: string): Node<V> {
    const node = own(shared, this.#epoch);
    node.size -= 1;
    if (node.children === undefined) {
      const at = lowerBound(node.keys, key);
      this.#replaced = (node.values as V[])[at];
      node.keys.splice(at, 1);
      (node.values as V[]).splice(at, 1);
      return node;
    }
    const at = childIndex(node.keys, key);
    const child = this.#remove(node.children[at] as Node<V>, key);
    node.children[at] = child;
    if (child.size === 0) {
      node.keys.splice(at, 1);
      node.children.splice(at, 1);
    } else if (child.keys.length < nodeKeysMin) {
      this.#merge(node, at === 0 ? 0 : at - 1);
    }
    return node;
  }

  /** Joins the children at `left` and `left + 1` when the result is not too full. */
  #merge(node: Node<V>, left: number): void {
    const children = node.children as Node<V>[];
    const a = children[left] as Node<V>;
    const b = children[left + 1];
    if (b === undefined || a.keys.length + b.keys.length > (nodeKeysMax * 3) / 4) return;
    // Inside b keys[0] meant minus infinity; beside a's keys it has to be the real bound.
    const keys = [...a.keys, node.keys[left + 1] as string, ...b.keys.slice(1)];
    const joined =
      a.children === undefined
        ? leaf(this.#epoch, [...a.keys, ...b.keys], [...(a.values as V[]), ...(b.values as V[])])
        : inner(this.#epoch, keys, [...a.children, ...(b.children as Node<V>[])]);
    children.splice(left, 2, joined);
    node.keys.splice(left + 1, 1);
  }
}

function leaf<V>(epoch: number, keys: string[], values: V[]): Node<V> {
  assert(keys.length === values.length, 'a leaf has one value per key');
  return { epoch, keys, values, children: undefined, size: keys.length };
}

function inner<V>(epoch: number, keys: string[], children: Node<V>[]): Node<V> {
  let size = 0;
  for (const child of children) size += child.size;
  return { epoch, keys, values: undefined, children, size };
}

function own<V>(node: Node<V>, epoch: number): Node<V> {
  if (node.epoch === epoch) return node;
  return {
    epoch,
    keys: node.keys.slice(),
    values: node.values?.slice(),
    children: node.children?.slice(),
    size: node.size,
  };
}

/** In the middle, but behind everything when the new key came last: sorted input fills nodes. */
function splitPoint(length: number, insertedAt: number): number {
  return insertedAt === length - 1 ? length - 1 : length >> 1;
}

function lowest<V>(node: Node<V>): string {
  return node.keys[0] ?? '';
}

function find<V>(root: Node<V>, key: string): V | undefined {
  let node = root;
  while (node.children !== undefined) {
    node = node.children[childIndex(node.keys, key)] as Node<V>;
  }
  const at = lowerBound(node.keys, key);
  return node.keys[at] === key ? (node.values as V[])[at] : undefined;
}

/** How many keys of a leaf are below this one: one comparison where all are, as in most leaves. */
function endBelow(keys: readonly string[], below: string): number {
  const last = keys.at(-1);
  return last === undefined || last < below ? keys.length : lowerBound(keys, below);
}

/** Asked first when something is put: keys that come in order take one comparison a node. */
function isBehind(keys: readonly string[], key: string): boolean {
  const last = keys.at(-1);
  return last !== undefined && last < key;
}

/** The first index whose key is >= `key`. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The child that `key` belongs to: the last one whose lower bound is <= `key`. */
function childIndex(keys: readonly string[], key: string): number {
  let low = 1;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] as string) <= key) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function nextLeaf<V>(path: Node<V>[], indexes: number[]): Node<V> | undefined {
  let depth = path.length - 1;
  while (depth >= 0) {
    const next = (indexes[depth] as number) + 1;
    const children = (path[depth] as Node<V>).children as Node<V>[];
    if (next < children.length) {
      indexes[depth] = next;
      let node = children[next] as Node<V>;
      for (depth += 1; node.children !== undefined; depth += 1) {
        path[depth] = node;
        indexes[depth] = 0;
        node = node.children[0] as Node<V>;
      }
      return node;
    }
    depth -= 1;
  }
  return undefined;
}
