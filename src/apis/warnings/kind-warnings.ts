/** The warnings of a kind: functions of objects that return texts. */
import type { ApiObject } from '../../apimachinery/unstructured.ts';

export type Warnings = readonly string[];

/** Of objects that are typed, defaulted, prepared, valid, and in the version that their resource is
 * judged in. Pure: they run inside an actor's decision and may run again. */
export interface KindWarnings {
  readonly onCreate?: ((object: ApiObject) => Warnings) | undefined;
  /** Of a write to the main resource. */
  readonly onUpdate?: ((next: ApiObject, current: ApiObject) => Warnings) | undefined;
  /** Of a write to the status. */
  readonly onStatusUpdate?: ((next: ApiObject, current: ApiObject) => Warnings) | undefined;
}

export const noWarnings: Warnings = [];

/** The same of every write of the object itself. */
export function onWrite(of: (object: ApiObject) => Warnings): KindWarnings {
  return { onCreate: of, onUpdate: of };
}

/** No more than this is said of one list: the header has less room (endpoints/warnings.ts). */
const foundMax = 200;

/** What one finds in each of a list, in order. */
export function warningsOfEach<T>(
  list: readonly T[],
  find: (item: T, at: number) => Warnings,
): Warnings {
  let all: string[] | undefined;
  for (let at = 0; at < list.length; at += 1) {
    const found = find(list[at] as T, at);
    if (found.length === 0) continue;
    all ??= [];
    all.push(...found.slice(0, foundMax));
    if (all.length >= foundMax) break;
  }
  return all ?? noWarnings;
}

/** All of them, in order; no list is made for nothing. */
export function allWarnings(...lists: readonly Warnings[]): Warnings {
  return warningsOfEach(lists, (list) => list);
}
