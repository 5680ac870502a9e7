/**
 * Walks over what may be many, as work in steps (stepwise.ts).
 *
 * Elsewhere: the same for work that waits for something in between (paced.ts).
 */
import type { Steps } from './stepwise.ts';

/** Between two steps: some tenths of a millisecond for what is decoded. */
const stepBytes = 64 * 1024;
/** What an item counts for beside its bytes. */
const itemBytes = 512;

/** Each of them, with a step after so many. `each` returns its bytes, where they count. */
export function* inSteps<T>(
  items: Iterable<T>,
  each: (item: T) => number | undefined,
): Steps<void> {
  const isStepOver = createStepCount();
  for (const item of items) if (isStepOver(each(item) ?? 0)) yield;
}

/** The same, where the items say how large they are. What `take` returns is the rest of its work,
 * where that is much. */
export function* eachInSteps<T extends { readonly bytes: Uint8Array }>(
  items: Iterable<T>,
  take: (item: T) => Steps<void> | undefined | void,
): Steps<void> {
  const isStepOver = createStepCount();
  for (const item of items) {
    const rest = take(item) ?? undefined;
    if (rest !== undefined) yield* rest;
    if (isStepOver(item.bytes.length)) yield;
  }
}

/** Counts an item of so many bytes; true: a step ends behind it. */
function createStepCount(): (bytes: number) => boolean {
  let counted = 0;
  return (bytes) => {
    counted += itemBytes + bytes;
    if (counted < stepBytes) return false;
    counted = 0;
    return true;
  };
}

/** What is sorted, or merged, between two steps. */
const sortedAtOnce = 1024;

/** The items in order; those that are equal stay in theirs. */
export function* sortedInSteps<T>(
  items: readonly T[],
  isBefore: (a: T, b: T) => boolean,
): Steps<readonly T[]> {
  let runs: (readonly T[])[] = [];
  for (let at = 0; at < items.length; at += sortedAtOnce) {
    if (at > 0) yield;
    const run = items.slice(at, at + sortedAtOnce);
    runs.push(run.sort((a, b) => (isBefore(a, b) ? -1 : isBefore(b, a) ? 1 : 0)));
  }
  while (runs.length > 1) {
    const merged: (readonly T[])[] = [];
    for (let at = 0; at < runs.length; at += 2) {
      merged.push(yield* mergedInSteps(runs[at] ?? [], runs[at + 1] ?? [], isBefore));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* mergedInSteps<T>(
  a: readonly T[],
  b: readonly T[],
  isBefore: (a: T, b: T) => boolean,
): Steps<readonly T[]> {
  if (b.length === 0) return a;
  const merged: T[] = [];
  for (let [i, j] = [0, 0]; i < a.length || j < b.length;) {
    const takesB = i === a.length || (j < b.length && isBefore(b[j] as T, a[i] as T));
    merged.push((takesB ? b[j++] : a[i++]) as T);
    if (merged.length % sortedAtOnce === 0) yield;
  }
  return merged;
}
