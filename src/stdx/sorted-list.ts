/** Places in sorted lists. */

/** Where what has this name stands, or would stand, in a list that is sorted by names. */
export function indexFor<T>(list: readonly T[], name: string, nameOf: (each: T) => string): number {
  return indexBehind(list, (each) => nameOf(each) < name);
}

/** How many items are before a place: the list begins with those of which `isBefore` is true. */
export function indexBehind<T>(list: readonly T[], isBefore: (each: T) => boolean): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(list[middle] as T)) low = middle + 1;
    else high = middle;
  }
  return low;
}
