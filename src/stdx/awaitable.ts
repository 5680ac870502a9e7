/**
 * Values that are there at once or come as a promise: work that is usually synchronous costs no
 * turn of the event loop.
 *
 * Where a promise is there in any case, use `await`.
 */
export type Awaitable<T> = T | Promise<T>;

/** In the same step, where the value is there. */
export function after<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** One after the other, until one gives something else than undefined: that is the result. */
export function firstOf<T, U>(
  items: readonly T[],
  visit: (item: T, at: number) => Awaitable<U | undefined>,
  from = 0,
): Awaitable<U | undefined> {
  for (let at = from; at < items.length; at += 1) {
    const found = visit(items[at] as T, at);
    if (found instanceof Promise) {
      return found.then((late) => late ?? firstOf(items, visit, at + 1));
    }
    if (found !== undefined) return found;
  }
  return undefined;
}
