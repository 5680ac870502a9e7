/**
 * All kinds of lists: arrays, concatenations, lists of libraries.
 *
 * `a + b` copies nothing: a list that is extended shares its elements with the original, and two
 * long lists become a tree. So a comprehension that appends one element at a time takes linear
 * time, and a concatenation takes no more memory than its parts.
 */
import { EvaluationError } from '../evaluation-error.ts';
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

/** What is in a list, or why it has no value: its data are not what their schema says. */
export type Attempted = Value | EvaluationError;

/** The value, or the error with which making it failed, for a caller who can go on without it. */
export function attempted<T>(make: () => T): T | EvaluationError {
  try {
    return make();
  } catch (error) {
    return evaluationErrorOf(error);
  }
}

function evaluationErrorOf(error: unknown): EvaluationError {
  if (error instanceof EvaluationError) return error;
  throw error;
}

/** attempted() of one element, without making a function for each. */
function attemptGet(list: AnyList, index: number): Attempted {
  if (!(list instanceof ListValue)) return adapt(list[index]);
  try {
    return list.get(index);
  } catch (error) {
    return evaluationErrorOf(error);
  }
}

/** The first `size` of `shared`, which may grow behind them. */
class GrowingList extends ListValue {
  readonly shared: Attempted[];
  readonly #size: number;
  constructor(shared: Attempted[]) {
    super();
    this.shared = shared;
    this.#size = shared.length;
  }
  size(): number {
    return this.#size;
  }
  get(index: number): Value {
    const element = this.shared[index] as Attempted;
    if (element instanceof EvaluationError) throw element;
    return element;
  }
}

/** A list of what was made, some of which may have no value. */
export const madeList = (elements: Attempted[]): ListValue => new GrowingList(elements);

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
  return grow([...attemptedElements(left)], right, added);
}

function grow(shared: Attempted[], right: AnyList, added: number): Value {
  for (let i = 0; i < added; i += 1) shared.push(attemptGet(right, i));
  return new GrowingList(shared);
}

/** The elements one after the other. */
export function elementsOf(list: AnyList): Iterable<Value> {
  return list instanceof JoinedList ? joinedElements(list, listGet) : new Elements(list);
}

/** The same, where an element without a value is not the end of all. */
export function attemptedElements(list: AnyList): Iterable<Attempted> {
  if (list instanceof JoinedList) return joinedElements(list, attemptGet);
  return Array.isArray(list) ? new Elements(list) : new AttemptedElements(list);
}

/** Without a generator, and with one result for all: half the time of a short loop. */
abstract class ElementsAs<T> implements Iterable<T>, Iterator<T> {
  protected readonly list: AnyList;
  readonly #size: number;
  readonly #result: { value: T | null; done: boolean } = { value: null, done: false };
  #at = 0;
  constructor(list: AnyList) {
    this.list = list;
    this.#size = listSize(list);
  }
  protected abstract element(index: number): T;
  [Symbol.iterator](): Iterator<T> {
    return this;
  }
  next(): IteratorResult<T> {
    const result = this.#result;
    if (this.#at < this.#size) {
      result.value = this.element(this.#at);
      this.#at += 1;
    } else {
      result.value = null;
      result.done = true;
    }
    return result as IteratorResult<T>;
  }
}

class Elements extends ElementsAs<Value> {
  protected override element(index: number): Value {
    return listGet(this.list, index);
  }
}

class AttemptedElements extends ElementsAs<Attempted> {
  protected override element(index: number): Attempted {
    return attemptGet(this.list, index);
  }
}

function* joinedElements<T>(
  list: AnyList,
  get: (list: AnyList, index: number) => T,
): Generator<T, undefined, undefined> {
  // Joined lists are walked, so that a deep one is not descended again for each element.
  const rest: AnyList[] = [list];
  while (rest.length > 0) {
    const next = rest.pop() as AnyList;
    if (next instanceof JoinedList) {
      rest.push(next.right, next.left);
    } else {
      const size = listSize(next);
      for (let i = 0; i < size; i += 1) yield get(next, i);
    }
  }
}
