/** Where what has this name stands, or would stand, in a list that is sorted by names. */
export function indexFor<T>(list: readonly T[], name: string, nameOf: (each: T) => string): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (nameOf(list[middle] as T) < name) low = middle + 1;
    else high = middle;
  }
  return low;
}
