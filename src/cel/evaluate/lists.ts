/**
 * All kinds of lists: arrays, concatenations, lists of libraries.
 *
 * `a + b` copies nothing: a list that is extended shares its elements with the original, and two
 * long lists become a tree. So a comprehension that appends one element at a time takes linear
 * time, and a concatenation takes no more memory than its parts.
 */
import { adapt, ListValue } from '../value.ts';
import type { Value } from '../value.ts';

export type AnyList = readonly unknown[] | ListValue;

export const isList = (value: Value): value is AnyList =>
  Array.isArray(value) || value instanceof ListValue;

export const listSize = (list: AnyList): number =>
  list instanceof ListValue ? list.size() : list.length;

/** `index` is within bounds. */
export const listGet = (list: AnyList, index: number): Value =>
  list instanceof ListValue ? list.get(index) : adapt(list[index]);

/** The first `size` of `shared`, which may grow behind them. */
class GrowingList extends ListValue {
  readonly shared: Value[];
  readonly #size: number;
  constructor(shared: Value[]) {
    super();
    this.shared = shared;
    this.#size = shared.length;
  }
  size(): number {
    return this.#size;
  }
  get(index: number): Value {
    return this.shared[index] as Value;
  }
}

class JoinedList extends ListValue {
  readonly left: AnyList;
  readonly right: AnyList;
  readonly #leftSize: number;
  readonly #size: number;
  readonly depth: number;
  constructor(left: AnyList, right: AnyList) {
    super();
    this.left = left;
    this.right = right;
    this.#leftSize = listSize(left);
    this.#size = this.#leftSize + listSize(right);
    this.depth = 1 + Math.max(depthOf(left), depthOf(right));
  }
  size(): number {
    return this.#size;
  }
  get(index: number): Value {
    let list: AnyList = this;
    let at = index;
    while (list instanceof JoinedList) {
      if (at < list.#leftSize) {
        list = list.left;
      } else {
        at -= list.#leftSize;
        list = list.right;
      }
    }
    return listGet(list, at);
  }
}

const depthOf = (list: AnyList): number => (list instanceof JoinedList ? list.depth : 0);

/** Up to this many elements are copied rather than joined. */
const copiedMax = 16;

export function concatLists(left: AnyList, right: AnyList): Value {
  if (left instanceof ListValue) {
    const own = left.concat(right);
    if (own !== undefined) return own;
  }
  const added = listSize(right);
  if (added === 0) return left;
  if (listSize(left) === 0) return right;
  if (added > copiedMax) return new JoinedList(left, right);
  if (left instanceof GrowingList) {
    const isLatest = left.shared.length === left.size();
    if (isLatest) return grow(left.shared, right, added);
    return grow(left.shared.slice(0, left.size()), right, added);
  }
  if (listSize(left) > copiedMax) return new JoinedList(left, right);
  return grow([...elementsOf(left)], right, added);
}

function grow(shared: Value[], right: AnyList, added: number): Value {
  for (let i = 0; i < added; i += 1) shared.push(listGet(right, i));
  return new GrowingList(shared);
}

/** The elements one after the other. */
export function elementsOf(list: AnyList): Iterable<Value> {
  return list instanceof JoinedList ? joinedElements(list) : new Elements(list);
}

/** Without a generator, and with one result for all: half the time of a short loop. */
class Elements implements Iterable<Value>, Iterator<Value> {
  readonly #list: AnyList;
  readonly #size: number;
  readonly #result: { value: Value; done: boolean } = { value: null, done: false };
  #at = 0;
  constructor(list: AnyList) {
    this.#list = list;
    this.#size = listSize(list);
  }
  [Symbol.iterator](): Iterator<Value> {
    return this;
  }
  next(): IteratorResult<Value> {
    const result = this.#result;
    if (this.#at < this.#size) {
      result.value = listGet(this.#list, this.#at);
      this.#at += 1;
    } else {
      result.value = null;
      result.done = true;
    }
    return result;
  }
}

function* joinedElements(list: AnyList): Iterable<Value> {
  // Joined lists are walked, so that a deep one is not descended again for each element.
  const rest: AnyList[] = [list];
  while (rest.length > 0) {
    const next = rest.pop() as AnyList;
    if (next instanceof JoinedList) {
      rest.push(next.right, next.left);
    } else {
      const size = listSize(next);
      for (let i = 0; i < size; i += 1) yield listGet(next, i);
    }
  }
}
